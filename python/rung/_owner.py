"""Objects of the library. Nothing here is public."""
from __future__ import annotations

import weakref
from collections.abc import Mapping

import numpy as np

from . import _lib
from ._values import number, shown

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .model import Model


class Owner:
    """An object with a handle of the library, which is freed with it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._end = weakref.finalize(self, _lib.lib.rung_free, handle)

    def close(self) -> None:
        """Frees the object in the library. Later calls are errors."""
        self._end()

    def __reduce__(self) -> Any:
        self._alone()

    def _alone(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: make another one of its model")


def address(x: np.ndarray | None) -> int | None:
    """The address of an array; None stays."""
    return None if x is None else x.ctypes.data


def set_knobs(handle: int, model: Model, values: Mapping[str, Any]) -> None:
    """Sets knobs by path."""
    if not isinstance(values, Mapping):
        raise _lib.ModelError(f"knobs are {shown(values)}, and have to be a dict of values by path")
    places = np.array([model.knob(path) for path in values], dtype=np.int64)
    numbers = np.array([number(x, path) for path, x in values.items()], dtype=np.float64)
    _lib.check(_lib.lib.rung_set(handle, places.ctypes.data, numbers.ctypes.data, len(places)))
