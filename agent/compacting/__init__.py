"""Compaction at work in a session: reads how things stand, asks the layers, carries out what they plan."""
