"""Accelerations again and again."""
from __future__ import annotations

import numpy as np

from . import _lib
from ._owner import Owner, set_knobs
from .model import Model, State


class Solver(Owner):
    """Accelerations without allocation: fill `state`, call `accel`, read `acceleration`, six numbers a body: angular, and of the centre of mass.

    >>> s = m.solver()
    >>> s.accel().shape
    (3, 6)
    >>> s.set({"gravity[2]": 0.0})
    """

    def __init__(self, model: Model):
        super().__init__(_lib.handle(_lib.lib.rung_solver, model._handle))
        self.model = model
        self._state = model.initial()
        self.acceleration = np.zeros((model.nbody, 6))
        self._wrenches = np.zeros((model.njoint, 6))
        self._arguments = (self._handle, self._state.data.ctypes.data, self._state.data.size, self.acceleration.ctypes.data, self.acceleration.size)

    @property
    def state(self) -> State:
        """The state that is solved. Write into its arrays."""
        return self._state

    def accel(self, state: State | None = None) -> np.ndarray:
        """The accelerations at `state`, which is copied; without one at `self.state`. The array is the solver's own."""
        if state is not None:
            self._state.data[:] = state.data
        if status := _lib.lib.rung_accel(*self._arguments):
            _lib.check(status)
        return self.acceleration

    def wrenches(self) -> np.ndarray:
        """The wrenches of the joints in the last solution: moment about the origin of the successor frame, force, on the successor."""
        _lib.check(_lib.lib.rung_wrenches(self._handle, self._wrenches.ctypes.data, self._wrenches.size))
        return self._wrenches

    def set(self, values: dict[str, float]) -> None:
        """Sets knobs by their paths."""
        set_knobs(self._handle, self.model, values)
