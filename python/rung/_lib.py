"""The shared library by ctypes. Nothing here is public."""
from __future__ import annotations

import ctypes as c
import json
import os
import sys
from pathlib import Path

from ._functions import FUNCTIONS

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    T = TypeVar("T")

ABI = 1

OK, INPUT, FAILED, HANDLE, BUSY, SIZE, FORKED, STOPPED, BUG, MORE = range(10)

SLICE = 0.02
"""Seconds after which a long call returns, so that Python sees signals such as Ctrl-C."""


class RungError(Exception):
    """The base class of all errors of rung.

    Attributes
    ----------
    details : dict
        The known place of the error: names of body, joint, coupling or force, and the problems of a document.
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
        lib = c.CDLL(str(path))  # CDLL releases the interpreter's lock during each call
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
    """The handle that a call returns by its last argument."""
    h = c.c_uint64()
    check(call(*args, c.byref(h)))
    return h.value


def text(call: Any, *args: Any) -> bytes:
    """The text that a call returns by its last two arguments."""
    where, size = c.c_void_p(), c.c_size_t()
    check(call(*args, c.byref(where), c.byref(size)))
    try:
        return c.string_at(where, size.value)
    finally:
        lib.rung_release(where)


def stoppable(object_handle: int, call: Callable[[], T], *, writes: bool = True, drop: Callable[[T], Any] | None = None) -> T:
    """Makes a long call that cannot return early on a thread of its own, so that Ctrl-C stops it.

    After Ctrl-C a call that writes into arrays of the caller is still waited for. Another call is left to end by itself, and `drop` gets its
    result. The handle 0 means that no object is to be stopped."""
    import threading

    check(lib.rung_nothing())  # the child of a fork is refused before a thread is made for it
    out: list[T] = []
    failed: list[BaseException] = []
    done = threading.Event()  # before Python 3.13 an interrupted Thread.join marks the thread as ended
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
"""The number of bodies from which calls about a model take long enough for a thread of their own."""


def made(large: bool, call: Any, *args: Any) -> int:
    """As `handle`; if the object is large, Ctrl-C ends the call."""
    if not large:
        return handle(call, *args)
    h: int = stoppable(0, lambda: handle(call, *args), writes=False, drop=lib.rung_free)
    return h
