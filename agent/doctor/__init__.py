"""`agent doctor`: whether everything is there that the program needs, tried and not supposed, and what to do where it is not."""

from agent.doctor.command import run_doctor

__all__ = ["run_doctor"]
