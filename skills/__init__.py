"""SKILL.md: find, parse, list."""
