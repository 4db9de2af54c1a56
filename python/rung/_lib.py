"""The shared library by ctypes. Nothing here is public."""
from __future__ import annotations

import ctypes as c
import json
import os
import sys
from pathlib import Path

from ._functions import FUNCTIONS

TYPE_CHECKING = False  # what typing has of that name: to import it takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    T = TypeVar("T")

ABI = 1

OK, INPUT, FAILED, HANDLE, BUSY, SIZE, FORKED, STOPPED, BUG, MORE = range(10)

SLICE = 0.02
"""Seconds after which a long call gives back, so that Python sees signals such as Ctrl-C."""


class RungError(Exception):
    """What all errors of rung are.

    Attributes
    ----------
    details : dict
        What is known of the place: names of body, joint, coupling or force, and the problems of a document.
    """

    def __init__(self, text: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.details: dict[str, Any] = details or {}


class ModelError(RungError, ValueError):
    """A model, an option or a number is refused. The text lists every problem with its place."""


class SolveError(RungError, ArithmeticError):
    """There is no solution at this state."""


class ForkError(RungError, RuntimeError):
    """The process is the child of a fork. Use multiprocessing with the start method "spawn" or "forkserver"."""


class BusyError(RungError, RuntimeError):
    """Another thread uses the object."""


class Stopped(RungError):
    """The call was stopped from another thread."""


_KINDS = {INPUT: ModelError, FAILED: SolveError, SIZE: ModelError, FORKED: ForkError, BUSY: BusyError, STOPPED: Stopped}


def _path() -> Path:
    if path := os.environ.get("RUNG_LIBRARY"):
        return Path(path)
    name = {"win32": "rung.dll", "darwin": "librung.dylib"}.get(sys.platform, "librung.so")
    return Path(__file__).parent / name


def _load() -> c.CDLL:
    path = _path()
    try:
        lib = c.CDLL(str(path))  # which releases the interpreter's lock during each call
    except OSError as e:
        raise ImportError(f"rung: the library {path} cannot be loaded ({e}); this is {sys.platform}: install the wheel of this system") from e
    for name, (result, args) in FUNCTIONS.items():
        try:
            f = getattr(lib, name)
        except AttributeError:
            raise ImportError(f"rung: the library {path} has no function {name}: it is of another version than this package") from None
        f.restype, f.argtypes = result, args
    if (have := lib.rung_abi()) != ABI:
        raise ImportError(f"rung: the library {path} has interface {have}, and this package needs {ABI}")
    if threads := os.environ.get("RUNG_THREADS"):
        if not threads.isdecimal() or lib.rung_threads(min(int(threads), 2**62)) != OK:
            raise ImportError(f"rung: RUNG_THREADS is {threads!r}, and has to be a number of threads")
    return lib


lib = _load()


def check(status: int) -> None:
    """Raises the error of a status."""
    if status == OK:
        return
    text = lib.rung_error().decode("utf-8", "replace")
    if status == HANDLE:
        text = f"the object is closed ({text})"
    where, size = c.c_void_p(), c.c_size_t()
    details = {}
    if lib.rung_error_details(c.byref(where), c.byref(size)) == OK:
        try:
            details = json.loads(c.string_at(where, size.value))
        finally:
            lib.rung_release(where)
    raise _KINDS.get(status, RungError)(text, details)


def handle(call: Any, *args: Any) -> int:
    """A call whose last argument takes a handle."""
    h = c.c_uint64()
    check(call(*args, c.byref(h)))
    return h.value


def text(call: Any, *args: Any) -> bytes:
    """A call whose last arguments take a text."""
    where, size = c.c_void_p(), c.c_size_t()
    check(call(*args, c.byref(where), c.byref(size)))
    try:
        return c.string_at(where, size.value)
    finally:
        lib.rung_release(where)


def stoppable(object_handle: int, call: Callable[[], T], *, writes: bool = True, drop: Callable[[T], Any] | None = None) -> T:
    """A long call that has no slices, on a thread of its own, so that Ctrl-C stops it.

    A call that writes into arrays of the caller is waited for, whatever comes; another one is left to its end, and `drop` gets what
    it returns. The handle 0 is none."""
    import threading

    check(lib.rung_nothing())  # the child of a fork is refused before a thread is made for it
    out: list[T] = []
    failed: list[BaseException] = []
    done = threading.Event()  # Thread.join that is interrupted takes the thread for ended (before Python 3.13)
    lock = threading.Lock()
    left = False

    def work() -> None:
        try:
            result = call()
            with lock:
                if not left:
                    out.append(result)
                elif drop is not None:
                    drop(result)
        except BaseException as e:
            failed.append(e)
        done.set()

    threading.Thread(target=work, daemon=True).start()
    try:
        while not done.wait(SLICE):
            pass
    except BaseException:
        if object_handle:
            lib.rung_stop(object_handle)
        with lock:
            left = not writes
            if left and out and drop is not None:
                drop(out.pop())
        while writes and not done.is_set():
            try:
                done.wait()
            except BaseException:
                pass
        raise
    if failed:
        raise failed[0]
    return out[0]


LARGE = 300
"""Bodies of a model from which on calls about it take long enough for a thread of their own."""


def made(large: bool, call: Any, *args: Any) -> int:
    """`handle`, which Ctrl-C ends if what is made is large."""
    if not large:
        return handle(call, *args)
    h: int = stoppable(0, lambda: handle(call, *args), writes=False, drop=lib.rung_free)
    return h
