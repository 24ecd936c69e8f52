"""Instructions: what the files of a project and of the user tell the model, and the block that it begins with."""

from agent.instructions.block import ProjectOpening

__all__ = ["ProjectOpening"]
