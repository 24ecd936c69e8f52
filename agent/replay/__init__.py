"""`agent replay`: what a preset would have made of a recorded session, in figures; queries no model."""

from agent.replay.command import run_replay

__all__ = ["run_replay"]
