"""The calls of a reply: admitted, asked about, run side by side, each answered exactly once."""
