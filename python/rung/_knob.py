"""Knobs, in a file of their own: importing dataclasses takes longer than most of this package."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Knob:
    """A number of a model that can be set between the calls of a solver or a run."""

    path: str
    unit: str
    value: float
    geometry: bool = False
    """True for numbers of bodies and of the geometry of joints. Solvers can set them; a run has to be made from a model with the number."""
