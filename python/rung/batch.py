"""Many states at once."""
from __future__ import annotations

import json
import os

import numpy as np

from . import _lib
from ._owner import Owner
from .model import Model, State


_LONG = 1_000_000  # bodies times solutions of a call that takes a tenth of a second


class Batch(Owner):
    """`num` states side by side: `states` (num, nstate), `forces` (num, len(forces)), `accelerations` (num, nbody, 6), `failed` (num). Write into
    the arrays, then call `accel` or `step`.

    `forces` are the generalized forces that states carry in place of those of the model, from which they begin: names of joints with one freedom, or
    paths such as joints[A].force[1]. `vary` are knobs of
    bodies, lengths and pitches that differ from state to state.

    >>> b = m.batch(1000)
    >>> b.accel().shape
    (1000, 3, 6)
    >>> b.step(0.001, 10)
    >>> int(b.failed.sum())
    0
    """

    def __init__(self, model: Model, num: int, *, forces=(), vary=(), threads: int | None = None):
        if num < 0:
            raise _lib.ModelError(f"{num} states")
        options = {"forces": list(forces), "vary": list(vary), "threads": threads or os.cpu_count() or 1}
        super().__init__(_lib.handle(_lib.lib.rung_batch, model._handle, json.dumps(options).encode()))
        self.model, self.num = model, num
        self._vary = tuple(vary)
        self._states = np.tile(model.initial().data, (num, 1))
        at_first = {k.path: k.value for k in model.knobs} if options["forces"] else {}
        self._forces = np.tile([at_first[_force(model, f)] for f in options["forces"]], (num, 1)).astype(np.float64).reshape(num, len(options["forces"]))
        self._accelerations = np.zeros((num, model.nbody, 6))
        self._failed = np.zeros(num, dtype=np.bool_)
        self._tau = self._forces.ctypes.data if self._forces.size else None

    @property
    def states(self) -> np.ndarray:
        return self._states

    @property
    def forces(self) -> np.ndarray:
        return self._forces

    @property
    def accelerations(self) -> np.ndarray:
        return self._accelerations

    @property
    def failed(self) -> np.ndarray:
        return self._failed

    def state(self, i: int) -> State:
        """State i, as views of its row."""
        return State(self.model, self._states[i])

    def accel(self) -> np.ndarray:
        """The accelerations of all states. Those of failed ones are 0 (`error` has why)."""
        self._call(1, _lib.lib.rung_batch_accel, self._handle, self._states.ctypes.data, self.num, self.model.nstate, self._tau,
                   self._accelerations.ctypes.data, self._failed.ctypes.data)
        return self._accelerations

    def _call(self, solutions: int, call, *args) -> None:
        """A call; on a thread of its own, so that Ctrl-C stops it, if it has much to do."""
        if self.num * self.model.nbody * solutions < _LONG:
            _lib.check(call(*args))
        else:
            _lib.stoppable(self._handle, lambda: _lib.check(call(*args)))

    def step(self, step: float, steps: int = 1, *, integrator: str = "rk4", as_it_is: bool = False) -> None:
        """Moves all states on, in place, by fixed steps. A state that does not come to the end has `failed`.

        Ctrl-C ends a long call within a step; each state is then that of some whole steps.
        """
        self._rollout(step, steps, integrator, as_it_is, 1, None)

    def rollout(self, step: float, steps: int, *, every: int = 1, integrator: str = "rk4", as_it_is: bool = False) -> np.ndarray:
        """As `step`, and returns the states after each `every` steps: (steps // every, num, nstate)."""
        if every < 1:
            raise _lib.ModelError(f"every is {every}")
        if steps < 0:
            raise _lib.ModelError(f"{steps} steps")
        into = np.zeros((steps // every, self.num, self.model.nstate))
        self._rollout(step, steps, integrator, as_it_is, every, into)
        return into

    def _rollout(self, step, steps, integrator, as_it_is, every, into) -> None:
        options = {"step": step, "steps": steps, "integrator": integrator, "every": every, "as_it_is": as_it_is}
        self._call(max(steps, 0), _lib.lib.rung_batch_rollout, self._handle, self._states.ctypes.data, self.num, self.model.nstate, self._tau,
                   None if into is None else into.ctypes.data, 0 if into is None else into.size, self._failed.ctypes.data,
                   json.dumps(options).encode())

    def vary(self, values, first: int = 0) -> None:
        """Gives states from `first` on other values of the knobs of `vary`: an array (states, len(vary))."""
        if first < 0:
            raise _lib.ModelError(f"states from {first} on")
        x = np.ascontiguousarray(values, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != len(self._vary):
            raise _lib.ModelError(f"values have the shape {x.shape}, and have to have (states, {len(self._vary)})")
        _lib.check(_lib.lib.rung_batch_vary(self._handle, self.num, first, x.ctypes.data, x.size))

    def error(self, i: int) -> str | None:
        """Why state i has failed in the last call; None if it has not."""
        if i < 0:
            raise _lib.ModelError(f"no state {i}")
        try:
            _lib.check(_lib.lib.rung_batch_error(self._handle, i))
        except _lib.SolveError as e:
            return str(e)
        return None


def _force(model: Model, name: str) -> str:
    """The path of the force of a joint with one freedom; other paths stay."""
    if name not in model.joint_names:
        return name
    inside = json.dumps(name, ensure_ascii=False) if "]" in name or name.startswith('"') else name
    return f"joints[{inside}].force[0]"
