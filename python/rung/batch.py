"""Many states at once."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from time import perf_counter

import numpy as np

from . import _lib
from ._owner import Owner
from ._values import array, encoded, number, numbers_of, shown, whole, word, words
from .model import Model, State

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any


_SURE = 1000  # bodies times solutions that take at most a fiftieth of a second with any mechanism: 20 µs each
_MOST = 2**40  # numbers in an array, more than any machine has


class Batch(Owner):
    """States side by side. Write into the arrays `states` and `forces`, then call `accel` or `step`.

    A batch belongs to one thread at a time.

    Parameters
    ----------
    model : Model
    num : int
        The number of states. Each begins at the state of the model.
    forces : sequence of str
        The generalized forces that each state has in place of those of the model, which are their first values: names of joints with one
        freedom, or paths such as joints[A].force[1].
    vary : sequence of str
        Knobs of bodies, lengths and pitches that may differ between states.
    threads : int, optional
        The default is the number of processors of the process.

    Examples
    --------
    >>> b = m.batch(1000)
    >>> b.accel().shape
    (1000, 3, 6)
    >>> b.step(0.001, 10)
    >>> int(b.failed.sum())
    0
    """

    def __init__(self, model: Model, num: int, *, forces: Sequence[str] = (), vary: Sequence[str] = (), threads: int | None = None) -> None:
        try:
            num = whole(num, "num", 0, _MOST // model.nstate)
        except _lib.ModelError as e:
            raise _lib.ModelError(f"{e}: there are no {shown(num)} states") from None
        forces, self._vary = words(forces, "forces"), tuple(words(vary, "vary"))
        given = {"forces": forces, "vary": self._vary, "threads": _processors() if threads is None else whole(threads, "threads", 1)}
        super().__init__(_lib.made(model._large, _lib.lib.rung_batch, model._handle, encoded(given)))
        self.model, self.num = model, num
        at_first = {k.path: k.value for k in model.knobs} if forces else {}
        # Views cannot be resized, so the library never reads beyond an array.
        self._states = np.tile(model.initial().data, (num, 1))[:]
        self._forces = np.tile([at_first[_force(model, f)] for f in forces], (num, 1)).astype(np.float64).reshape(num, len(forces))[:]
        self._accelerations = np.zeros((num, model.nbody, 6))[:]
        self._failed = np.zeros(num, dtype=np.bool_)[:]
        tau = self._forces.ctypes.data if self._forces.size else None
        self._rows = (self._states.ctypes.data, num, model.nstate, tau)  # getting an address takes a microsecond
        self._results = (self._accelerations.ctypes.data, self._failed.ctypes.data)
        self._pace = _lib.SLICE / _SURE  # seconds for a body and a solution in the last call that was timed
        self._rolled: tuple[Any, bytes] = ((), b"")  # the options of the last rollout, and their text

    @property
    def states(self) -> np.ndarray:
        """The states, rows of `State.data` (num, nstate). An assigned array is copied."""
        return self._states

    @states.setter
    def states(self, x: Any) -> None:
        self._states[:] = array(x, self._states.shape, "states")

    @property
    def forces(self) -> np.ndarray:
        """The generalized forces, N and N m (num, number of forces). An assigned array is copied."""
        return self._forces

    @forces.setter
    def forces(self, x: Any) -> None:
        self._forces[:] = array(x, self._forces.shape, "forces")

    @property
    def accelerations(self) -> np.ndarray:
        """The results of `accel` (num, nbody, 6): angular, rad/s², and of the centre of mass, m/s²; 0 where a state has failed."""
        return self._accelerations

    @property
    def failed(self) -> np.ndarray:
        """Which states have failed in the last call (num)."""
        return self._failed

    def state(self, i: int) -> State:
        """State i, as views of its row.

        Parameters
        ----------
        i : int

        Returns
        -------
        State
        """
        return State(self.model, self._states[self._row(i)])

    def _row(self, i: int) -> int:
        try:
            return whole(i, "i", 0, self.num - 1)
        except _lib.ModelError as e:
            raise _lib.ModelError(f"no state {shown(i)} of {self.num}: {e}") from None

    def accel(self) -> np.ndarray:
        """The accelerations of all states.

        Returns
        -------
        numpy.ndarray
            `accelerations`, the batch's own array (num, nbody, 6). Failed states have 0 (`error` gives the reason).
        """
        self._call(1, _lib.lib.rung_batch_accel, self._handle, *self._rows, *self._results)
        return self._accelerations

    def _call(self, solutions: int, call: Any, *args: Any) -> None:
        """Makes a call; on a thread of its own if it takes long, so that Ctrl-C stops it."""
        work = self.num * self.model.nbody * solutions
        if work < _SURE:
            return _lib.check(call(*args))
        begun = perf_counter()
        if work * self._pace < _lib.SLICE:
            _lib.check(call(*args))
        else:
            _lib.stoppable(self._handle, lambda: _lib.check(call(*args)))
        self._pace = (perf_counter() - begun) / work

    def step(self, step: float, steps: int = 1, *, integrator: str = "rk4", as_it_is: bool = False) -> None:
        """Advances all states in place by fixed steps. A state that does not reach the end has `failed`.

        Ctrl-C ends a long call within a step; each state is then the result of a whole number of steps.

        Parameters
        ----------
        step : float
            s
        steps : int
        integrator : str
            rk4 or semi-implicit
        as_it_is : bool
            If true, states that violate the joints are taken as they are; else they fail.
        """
        self._rollout(step, steps, integrator, as_it_is, 1, None)

    def rollout(self, step: float, steps: int, *, every: int = 1, integrator: str = "rk4", as_it_is: bool = False) -> np.ndarray:
        """Advances all states as `step`, and returns the states on the way.

        Parameters
        ----------
        step, steps, integrator, as_it_is
            As in `step`.
        every : int
            Steps from one set of states to the next.

        Returns
        -------
        numpy.ndarray
            The states after each `every` steps (steps // every, num, nstate).
        """
        every = whole(every, "every", 1)
        into = np.zeros((_steps(steps) // every, self.num, self.model.nstate))
        self._rollout(step, steps, integrator, as_it_is, every, into)
        return into

    def _rollout(self, step: Any, steps: Any, integrator: Any, as_it_is: Any, every: int, into: np.ndarray | None) -> None:
        key = (step, steps, integrator, as_it_is, every)
        if type(step) is not float or type(steps) is not int or key != self._rolled[0]:
            steps = _steps(steps)
            text = encoded({"step": number(step, "step"), "steps": steps, "integrator": word(integrator, "integrator"), "every": every, "as_it_is": as_it_is})
            self._rolled = (key, text)
        self._call(int(steps), _lib.lib.rung_batch_rollout, self._handle, *self._rows,
                   None if into is None else into.ctypes.data, 0 if into is None else into.size, self._results[1], self._rolled[1])

    def vary(self, values: Any, first: int = 0) -> None:
        """Sets values of the knobs of `vary` for some states.

        Parameters
        ----------
        values : array_like
            (states, number of knobs)
        first : int
            The first of these states.
        """
        try:
            first = whole(first, "first", 0, self.num)
        except _lib.ModelError as e:
            raise _lib.ModelError(f"states from {shown(first)} on: {e}") from None
        x = np.require(numbers_of(values, "values"), np.float64, ["C", "ALIGNED"])
        if np.ndim(values) != 2 or x.shape[1] != len(self._vary):
            raise _lib.ModelError(f"values have the shape {np.shape(values)}, and have to have (states, {len(self._vary)})")
        _lib.check(_lib.lib.rung_batch_vary(self._handle, self.num, first, x.ctypes.data, x.size))

    def error(self, i: int) -> str | None:
        """The reason why a state has failed in the last call.

        Parameters
        ----------
        i : int

        Returns
        -------
        str or None
            None if it has not failed.
        """
        try:
            _lib.check(_lib.lib.rung_batch_error(self._handle, self._row(i)))
        except _lib.SolveError as e:
            return str(e)
        return None


def _steps(steps: Any) -> int:
    try:
        return whole(steps, "steps")
    except _lib.ModelError as e:
        raise _lib.ModelError(f"{shown(steps)} steps: {e}") from None


def _processors() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _force(model: Model, name: str) -> str:
    """The path of the force of a joint with one freedom; a name that is a path is returned as it is."""
    if name not in model.joint_names:
        return name
    inside = json.dumps(name, ensure_ascii=False) if "]" in name or name.startswith('"') else name
    return f"joints[{inside}].force[0]"
