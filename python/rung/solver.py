"""Accelerations of many states in turn."""
from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping

import numpy as np

from . import _lib
from ._owner import Owner, set_knobs
from .model import Model, State, flat

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from .model import StateLike


class _Arguments(ctypes.Structure):
    """rung_accel_arguments of rung.h."""

    _fields_ = [("solver", ctypes.c_uint64), ("state", ctypes.c_void_p), ("n", ctypes.c_size_t), ("acc", ctypes.c_void_p), ("m", ctypes.c_size_t)]


class Solver(Owner):
    """Accelerations without allocation: fill `state`, call `accel`, read `acceleration`.

    A solver belongs to one thread at a time; a second gets a `BusyError`.

    Parameters
    ----------
    model : Model

    Examples
    --------
    >>> s = m.solver()
    >>> s.accel().shape
    (3, 6)
    >>> s.set({"gravity[2]": 0.0})
    """

    def __init__(self, model: Model) -> None:
        super().__init__(_lib.made(model._large, _lib.lib.rung_solver, model._handle))
        self.model = model
        self._state = model.initial()
        self._acceleration = np.zeros((model.nbody, 6))[:]  # a view cannot be resized, so that its address stays
        self._wrenches = np.zeros((model.njoint, 6))[:]
        self._arguments = _Arguments(
            self._handle, self._state.data.ctypes.data, self._state.data.size, self._acceleration.ctypes.data, self._acceleration.size)
        self._solve = functools.partial(_lib.lib.rung_accel_of, ctypes.c_void_p(ctypes.addressof(self._arguments)))  # an argument of a call costs 50 ns

    @property
    def state(self) -> State:
        """The state that is solved. Write into its arrays, or assign a state: its numbers are copied."""
        return self._state

    @state.setter
    def state(self, state: StateLike) -> None:
        self._state.data[:] = flat(self.model, state)

    @property
    def acceleration(self) -> np.ndarray:
        """Accelerations of the last solution (nbody, 6): angular, rad/s², and of the centre of mass, m/s². The array is the solver's own."""
        return self._acceleration

    def accel(self, state: StateLike | None = None) -> np.ndarray:
        """The accelerations at a state.

        Parameters
        ----------
        state : State or array_like, optional
            The state, which is copied; the default is `self.state`.

        Returns
        -------
        numpy.ndarray
            `acceleration`, the solver's own array (nbody, 6).

        Raises
        ------
        SolveError
            There is no solution at this state.
        """
        if state is not None:
            self.state = state  # type: ignore[assignment]  # the setter accepts more types than the getter returns
        if status := self._solve():
            _lib.check(status)
        return self._acceleration

    def wrenches(self) -> np.ndarray:
        """The wrenches of the joints in the last solution.

        Returns
        -------
        numpy.ndarray
            The solver's own array (njoint, 6): moment about the origin of the successor frame, and force, on the successor, world axes.
        """
        _lib.check(_lib.lib.rung_wrenches(self._handle, self._wrenches.ctypes.data, self._wrenches.size))
        return self._wrenches

    def set(self, values: Mapping[str, float]) -> None:
        """Sets knobs.

        Parameters
        ----------
        values : dict
            Numbers by the paths of `Model.knobs`.
        """
        set_knobs(self._handle, self.model, values)
