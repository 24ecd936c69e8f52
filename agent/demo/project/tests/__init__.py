"""The tests: `python -m unittest`."""
