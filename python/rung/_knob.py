"""Knobs, in a file of their own: to import dataclasses takes longer than most of this package."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Knob:
    """A number that may be set while a mechanism is computed."""

    path: str
    unit: str
    value: float
    geometry: bool = False
    """It is a number of a body or of a joint's geometry. Solvers take it, and runs only as part of the model."""
