"""Motions in time."""
from __future__ import annotations

import ctypes
import json
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import _lib
from ._owner import Owner, address, array, set_knobs
from .model import Model, State


class Trajectory:
    """Rows of a motion: `data` (rows, columns), and columns by name.

    >>> t = m.simulate(0.5, every=0.25, columns=["time", "energy.kinetic"])
    >>> t["energy.kinetic"].shape
    (3,)
    """

    def __init__(self, names: list[str], units: list[str], data: np.ndarray):
        self.names, self.units, self.data = tuple(names), dict(zip(names, units)), data
        self._places = {n: i for i, n in enumerate(names)}

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.data[:, self._places[name]]
        except KeyError:
            import difflib

            near = difflib.get_close_matches(name, self.names, 1)
            raise KeyError(f"no column {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")) from None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def time(self) -> np.ndarray:
        return self["time"]

    def to_pandas(self):
        """The rows as a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.data, columns=list(self.names))

    def to_arrow(self):
        """The rows as a Table of pyarrow."""
        import pyarrow

        return pyarrow.table({n: self.data[:, i] for i, n in enumerate(self.names)})

    def to_csv(self, path) -> None:
        """The rows as comma-separated values, with as many digits as they have."""
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write(",".join(self.names) + "\n")
            for row in self.data:
                f.write(",".join(repr(float(x)) for x in row) + "\n")

    def __repr__(self) -> str:
        return f"<rung.Trajectory: {len(self.data)} rows, {len(self.names)} columns>"


class Run(Owner):
    """A motion in time that goes on from call to call.

    >>> r = m.run(tolerance=1e-9)
    >>> state = r.to(0.1)
    >>> saved = r.save()
    >>> later = r.to(0.2).data.copy()
    >>> r.load(saved)
    >>> bool((r.to(0.2).data == later).all())
    True
    """

    def __init__(self, model: Model, state: State | None = None, options: dict[str, Any] | None = None):
        x = None if state is None else array(state.data, (model.nstate,), "a state")
        given = {k: v for k, v in (options or {}).items() if v is not None}
        super().__init__(_lib.handle(_lib.lib.rung_run, model._handle, address(x), 0 if x is None else x.size, json.dumps(given).encode()))
        self.model, self._state = model, model.initial()
        c = json.loads(_lib.text(_lib.lib.rung_run_document, self._handle, b"columns"))
        self.columns, self.units = tuple(c["names"] or ()), tuple(c["units"] or ())
        self._rows: list[np.ndarray] = []

    def to(self, time: float) -> State:
        """Goes on to a time, and returns the state there, which is the run's own. Ctrl-C ends it within a twentieth of a second; it may go on."""
        try:
            while (status := _lib.lib.rung_run_to(self._handle, time, _lib.SLICE)) == _lib.MORE:
                self._take()
            _lib.check(status)
        finally:
            self._take()
        return self.state

    @property
    def state(self) -> State:
        """The state now. The arrays are the run's own, and change with it."""
        _lib.check(_lib.lib.rung_run_state(self._handle, self._state.data.ctypes.data, self._state.data.size))
        return self._state

    def _take(self) -> None:
        if not self.columns:
            return
        n = ctypes.c_size_t()
        _lib.check(_lib.lib.rung_run_rows(self._handle, None, 0, ctypes.byref(n)))
        if n.value:
            rows = np.empty((n.value, len(self.columns)))
            _lib.check(_lib.lib.rung_run_rows(self._handle, rows.ctypes.data, rows.size, ctypes.byref(n)))
            self._rows.append(rows[:n.value])

    def trajectory(self) -> Trajectory:
        """The rows so far, where the options have `every`."""
        if not self.columns:
            raise _lib.ModelError("the run keeps no rows: give it every=…")
        data = np.concatenate(self._rows) if self._rows else np.empty((0, len(self.columns)))
        return Trajectory(list(self.columns), list(self.units), data)

    def stats(self) -> SimpleNamespace:
        """Steps, warnings, energies and events."""
        text = _lib.text(_lib.lib.rung_run_document, self._handle, b"stats")
        return json.loads(text, object_hook=lambda d: SimpleNamespace(**d))

    def set(self, values: dict[str, float]) -> None:
        """Sets knobs by their paths, from now on."""
        set_knobs(self._handle, self.model, values)

    def save(self) -> bytes:
        """What is needed to go on from here to the bit."""
        return _lib.text(_lib.lib.rung_run_save, self._handle)

    def load(self, saved: bytes) -> None:
        """Goes on from what `save` returned of a run of the same model and options. Rows stay."""
        _lib.check(_lib.lib.rung_run_load(self._handle, saved, len(saved)))
