"""`agent demo`: the real agent, tools and protocol on a small project, with a scripted model."""

from agent.demo.play import run_demo

__all__ = ["run_demo"]
