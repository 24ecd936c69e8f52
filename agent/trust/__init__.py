"""Trust: what runs or decides in a project is used only where the user has said so, as it was when he said so."""

from agent.trust.gathered import GatedFile, Gathered
from agent.trust.renewal import renew
from agent.trust.standing import Standing, standing_of

__all__ = ["GatedFile", "Gathered", "Standing", "renew", "standing_of"]
