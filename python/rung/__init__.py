"""Dynamics of mechanisms with many kinematic loops.

>>> m = rung.load("four-bar.model.json")
>>> r = m.accel()
>>> r.constraints.mobility
1

A `Model` is checked and analysed and never changes; threads may share it. A `State` is one array with views of its parts. A `Solver` computes
accelerations of many states in turn, a `Run` is a motion in time that continues from call to call, and a `Batch` computes thousands of states at once.

World axes, SI units; quaternions are w x y z.
"""
from __future__ import annotations

from . import _lib
from ._lib import BusyError, ForkError, ModelError, RungError, SolveError, Stopped
from .batch import Batch
from .builder import Builder
from .model import Model, State, load, loads
from .run import Run, Trajectory
from .solver import Solver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._knob import Knob

__version__: str


def __getattr__(name: str) -> Any:
    """Attributes that are made at their first use. The version waits until the runtime of Go has started, for which an import need not wait."""
    if name == "Knob":
        from ._knob import Knob

        globals()["Knob"] = Knob
        return Knob
    if name != "__version__":
        raise AttributeError(f"module 'rung' has no attribute {name!r}")
    from ._version import version_of

    globals()["__version__"] = version = version_of(_lib.lib.rung_version().decode())
    return version


__all__ = [
    "load", "loads", "Model", "State", "Knob", "Solver", "Run", "Trajectory", "Batch", "Builder",
    "RungError", "ModelError", "SolveError", "ForkError", "BusyError", "Stopped",
]
