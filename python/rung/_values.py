"""Conversion of arguments to the forms of the library: numbers, texts, arrays and documents, also of NumPy's types. Nothing here is public.

An argument that does not fit is a `ModelError` with its name and value."""
from __future__ import annotations

import json
import math
import numbers
import operator
import os
from collections.abc import Iterable, Mapping, Set

import numpy as np

from ._lib import ModelError

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any


_SHOWN = 200
"""The most characters of a value in a message."""


def shown(x: Any) -> str:
    """The text of a value for messages, cut if it is long. Some values have none, such as integers with more digits than Python prints."""
    try:
        text = repr(x)
    except Exception:
        return f"a whole number of {x.bit_length()} bits" if isinstance(x, int) else f"an object of the type {type(x).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _float(x: Any) -> float:
    """A real number as a float; infinite if it is too large."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def number(x: Any, what: str) -> float:
    """A finite number."""
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if not isinstance(x, numbers.Real):  # NumPy's numbers are registered there
        raise ModelError(f"{what} is {shown(x)}, and has to be a number")
    if not math.isfinite(v := _float(x)):
        raise ModelError(f"{what} is {shown(x) if isinstance(x, int) else v}, and has to be finite")
    return v


def whole(x: Any, what: str, least: int = 0, most: int = 2**31 - 1) -> int:
    """A whole number within bounds."""
    try:
        n = int(operator.index(x))
    except TypeError:
        raise ModelError(f"{what} is {shown(x)}, and has to be a whole number") from None
    if not least <= n <= most:
        raise ModelError(f"{what} is {shown(n)}, and has to be from {least} to {most}")
    return n


def word(x: Any, what: str) -> str:
    """A text without a null character, at which C would end it."""
    if not isinstance(x, str) or "\0" in x:
        raise ModelError(f"{what} is {shown(x)}, and has to be a text" + (" without zeros" if isinstance(x, str) else ""))
    utf8(x, what)
    return x


def utf8(x: str, what: str) -> bytes:
    """The bytes of a text. A text with half of a surrogate pair has none."""
    try:
        return x.encode()
    except UnicodeEncodeError as e:
        raise ModelError(f"{what} is {shown(x)}, and has to be Unicode: character {e.start} is half of one") from None


def words(x: Any, what: str) -> list[str]:
    """A list of texts; a single text is refused."""
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, (str, bytes)) or not hasattr(x, "__iter__"):
        raise ModelError(f"{what} is {shown(x)}, and has to be a list of texts")
    if isinstance(x, Set):
        raise ModelError(f"{what} is {shown(x)}, and has to be a list of texts: a set has no order")
    return [word(w, f"{what}[{i}]") for i, w in enumerate(x)]


def path(x: Any, what: str) -> bytes:
    """The name of a file."""
    try:
        name = os.fsencode(x)
    except TypeError:
        raise ModelError(f"{what} is {shown(x)}, and has to be a path") from None
    if b"\0" in name:
        raise ModelError(f"{what} is {shown(x)}, and has to be a path without zeros")
    return name


def numbers_of(x: Any, what: str) -> np.ndarray:
    """An array of real numbers of any shape and type; strings, objects and masked entries are refused."""
    try:
        a = np.asarray(x)
    except (ValueError, TypeError) as e:  # rows of different lengths, or entries that are no numbers
        raise ModelError(f"{what}: {e}") from None
    if a.dtype.kind not in "fiub":
        raise ModelError(f"{what} has entries of type {a.dtype}, and has to have real numbers")
    if _masked(x):
        raise ModelError(f"{what} has masked entries")
    return a


def _masked(x: Any) -> bool:
    return isinstance(x, np.ma.MaskedArray) and bool(np.any(x.mask))


def array(x: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """A contiguous array of doubles of a shape, for reading."""
    a = numbers_of(x, what)
    if a.shape != shape:
        raise ModelError(f"{what} has the shape {a.shape}, and has to have {shape}")
    return np.require(a, np.float64, ["C", "ALIGNED"])


def write(into: np.ndarray, x: Any, what: str) -> None:
    """Writes into an array, by NumPy's rules for shapes."""
    a = numbers_of(x, what)
    try:
        into[...] = a
    except ValueError as e:
        raise ModelError(f"{what}: {e}") from None


def document(x: Any, what: str) -> bytes:
    """A value as JSON."""
    try:
        return json.dumps(x, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as e:
        try:
            _find(x, what)
        except RecursionError:
            pass
        raise ModelError(f"{what or 'the options'}: {e}") from None


def encoded(given: dict[str, Any]) -> bytes:
    """The options that are not None, as an object of JSON."""
    return document({k: v for k, v in given.items() if v is not None}, "")


def _plain(x: Any) -> Any:
    """A value that JSON cannot express, as one that it can."""
    if isinstance(x, np.ndarray) and not _masked(x):
        return x.tolist()
    if isinstance(x, np.longdouble):
        return _float(x)
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, Mapping):
        return dict(x)
    if isinstance(x, os.PathLike):
        return os.fsdecode(x)
    if isinstance(x, numbers.Real):
        return _float(x)
    raise TypeError(f"a {type(x).__name__} is no value of a document")


def _find(x: Any, where: str) -> None:
    """Raises an error for the first value that JSON cannot express, with its place."""
    if isinstance(x, Mapping):
        for k, v in x.items():
            if not isinstance(k, str):
                raise ModelError(f"{where or 'the options'}: the key {shown(k)} is no text")
            _find(v, f"{where}.{k}" if where else k)
    elif isinstance(x, (list, tuple)):
        for i, v in enumerate(x):
            _find(v, f"{where}[{i}]")
    elif isinstance(x, float) and not math.isfinite(x):
        raise ModelError(f"{where} is {float(x)}, and has to be finite")
    elif x is not None and not isinstance(x, (str, bool, int, float)):
        try:
            y = _plain(x)
        except TypeError as e:
            raise ModelError(f"{where} is {shown(x)}: {e}") from None
        _find(y, where)


def meant(name: Any, names: Iterable[str]) -> str:
    """A question with the name that is nearest to an unknown one; nothing if none is near."""
    import difflib

    known = {n.casefold(): n for n in names}
    near = difflib.get_close_matches(name.casefold(), known, 1) if isinstance(name, str) else []
    return f"; did you mean {known[near[0]]!r}?" if near else ""
