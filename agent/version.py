"""The version, read by hatchling and by `agent --version`."""

__version__ = "0.1.0"
