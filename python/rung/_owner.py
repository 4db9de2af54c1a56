"""Objects of the library. Nothing here is public."""
from __future__ import annotations

import weakref

import numpy as np

from . import _lib


class Owner:
    """What has a handle, which is freed with it."""

    def __init__(self, handle: int):
        self._handle = handle
        self._end = weakref.finalize(self, _lib.lib.rung_free, handle)

    def close(self) -> None:
        """Frees what the library holds. Later calls are errors."""
        self._end()


def address(x: np.ndarray | None):
    """The address of an array; None stays."""
    return None if x is None else x.ctypes.data


def array(x, shape: tuple, what: str) -> np.ndarray:
    """A contiguous array of numbers of a shape, for reading."""
    a = np.ascontiguousarray(x, dtype=np.float64)
    if a.shape != shape:
        raise _lib.ModelError(f"{what} has the shape {a.shape}, and has to have {shape}")
    return a


def set_knobs(handle: int, model, values: dict) -> None:
    """Sets knobs by path."""
    places = np.array([model.knob(path) for path in values], dtype=np.int64)
    numbers = np.array([float(x) for x in values.values()], dtype=np.float64)
    _lib.check(_lib.lib.rung_set(handle, places.ctypes.data, numbers.ctypes.data, len(places)))
