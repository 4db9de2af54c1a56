"""Motions in time."""
from __future__ import annotations

import ctypes
import json
from types import SimpleNamespace

import numpy as np

from . import _lib
from ._owner import Owner, address, set_knobs
from ._values import encoded, meant, number, shown, words
from .model import Model, State, flat

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any

    from .model import StateLike
    import os
    from collections.abc import Mapping, Sequence


class Trajectory:
    """Rows of a motion.

    Attributes
    ----------
    data : numpy.ndarray
        (rows, columns)
    names : tuple of str
        The names of the columns.
    units : dict
        Units by column.

    Examples
    --------
    >>> t = m.simulate(0.5, every=0.25, columns=["time", "energy.kinetic"])
    >>> t["energy.kinetic"].shape
    (3,)
    """

    def __init__(self, names: Sequence[str], units: Sequence[str], data: np.ndarray) -> None:
        self.names, self.units, self.data = tuple(names), dict(zip(names, units)), data
        self._places = {n: i for i, n in enumerate(names)}

    def __getitem__(self, name: str) -> np.ndarray:
        if isinstance(name, str) and name in self._places:
            return self.data[:, self._places[name]]
        raise KeyError(f"no column {name!r}{meant(name, self.names)}")

    def __len__(self) -> int:
        return len(self.data)

    @property
    def time(self) -> np.ndarray:
        """The column of times, s."""
        return self["time"]

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.data, columns=list(self.names))

    def to_arrow(self) -> Any:
        """The rows as a Table of pyarrow."""
        import pyarrow

        return pyarrow.table({n: self.data[:, i] for i, n in enumerate(self.names)})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows as comma-separated values, with all their digits.

        Parameters
        ----------
        path : str or path
        """
        import csv

        with open(path, "w", encoding="utf-8", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(self.names)
            for row in self.data:
                w.writerow([repr(float(x)) for x in row])

    def __repr__(self) -> str:
        return f"<rung.Trajectory: {len(self.data)} rows, {len(self.names)} columns>"


class Run(Owner):
    """A motion in time that continues from call to call.

    A run belongs to one thread at a time.

    Parameters
    ----------
    model : Model
    state : State or array_like, optional
        The state at the start; the default is the state of the model.
    options : dict, optional
        The fields of rung-run/1.

    Examples
    --------
    >>> r = m.run(tolerance=1e-9)
    >>> state = r.to(0.1)
    >>> saved = r.save()
    >>> later = r.to(0.2).data.copy()
    >>> r.load(saved)
    >>> bool((r.to(0.2).data == later).all())
    True
    """

    def __init__(self, model: Model, state: StateLike | None = None, options: Mapping[str, Any] | None = None) -> None:
        x = None if state is None else flat(model, state)
        given = dict(options or {})
        if given.get("columns") is not None:
            given["columns"] = words(given["columns"], "columns")
            if not given["columns"]:
                raise _lib.ModelError("columns is an empty list; leave it out for all columns")
        super().__init__(_lib.made(model._large, _lib.lib.rung_run, model._handle, address(x), 0 if x is None else x.size, encoded(given)))
        self.model, self._state = model, model.initial()
        c = json.loads(_lib.text(_lib.lib.rung_run_document, self._handle, b"columns"))
        self.columns, self.units = tuple(c["names"] or ()), tuple(c["units"] or ())
        self._rows: list[np.ndarray] = []
        self._now = (self._handle, self._state.data.ctypes.data, self._state.data.size)

    def to(self, time: float) -> State:
        """Continues up to a time. Ctrl-C ends the call within a twentieth of a second; the run can be continued.

        Parameters
        ----------
        time : float
            s; one that has passed changes nothing.

        Returns
        -------
        State
            The state at that time, the run's own object.
        """
        time = number(time, "time")
        try:
            while (status := _lib.lib.rung_run_to(self._handle, time, _lib.SLICE)) == _lib.MORE:
                self._take()
            _lib.check(status)
        finally:
            self._take()
        return self.state

    @property
    def state(self) -> State:
        """The present state. Its arrays belong to the run, and change with it."""
        _lib.check(_lib.lib.rung_run_state(*self._now))
        return self._state

    def _take(self) -> None:
        if not self.columns:
            return
        n = ctypes.c_size_t()
        _lib.check(_lib.lib.rung_run_rows(self._handle, None, 0, ctypes.byref(n)))
        if n.value:
            rows, taken = np.empty((n.value, len(self.columns))), ctypes.c_size_t()
            try:
                _lib.check(_lib.lib.rung_run_rows(self._handle, rows.ctypes.data, rows.size, ctypes.byref(taken)))
            finally:  # Ctrl-C loses no rows
                self._rows.append(rows[:taken.value])

    def trajectory(self) -> Trajectory:
        """The rows so far; the options must have `every`."""
        if not self.columns:
            raise _lib.ModelError("the run keeps no rows: give it every=…")
        data = np.concatenate(self._rows) if self._rows else np.empty((0, len(self.columns)))
        return Trajectory(self.columns, self.units, data)

    def stats(self) -> SimpleNamespace:
        """Steps, warnings, energies and events."""
        text = _lib.text(_lib.lib.rung_run_document, self._handle, b"stats")
        return json.loads(text, object_hook=lambda d: SimpleNamespace(**d))  # type: ignore[no-any-return]

    def set(self, values: Mapping[str, float]) -> None:
        """Sets knobs for the rest of the run.

        Parameters
        ----------
        values : dict
            Numbers by the paths of `Model.knobs`.
        """
        set_knobs(self._handle, self.model, values)

    def save(self) -> bytes:
        """The present point of the run, from which it continues with the same bits (`load`)."""
        return _lib.text(_lib.lib.rung_run_save, self._handle)

    def load(self, saved: bytes) -> None:
        """Returns to a point that `save` has returned. Rows are kept.

        Parameters
        ----------
        saved : bytes
            A point of a run of the same model and options.
        """
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise _lib.ModelError(f"saved is {shown(saved)}, and has to be the bytes of a saved run")
        text = bytes(saved)
        _lib.check(_lib.lib.rung_run_load(self._handle, text, len(text)))
