"""Hooks of the settings at work in a session, and `agent hooks`, which lists and tries them."""
