"""The Messages API as bytes and blocks: what is sent, what a stream brings, what its faults mean."""
