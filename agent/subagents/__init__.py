"""Subagents: agents with a fresh history of their own, started by the `task` tool, of which only the last text comes back."""
