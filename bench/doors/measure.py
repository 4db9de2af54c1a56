"""Figures of the package rung, as an object of JSON with the names of list.go.

    measure.py calls FOUR-BAR LADDER CRANK-ROCKER RESOURCES OUT
    measure.py once FOUR-BAR LADDER CRANK-ROCKER

OUT gets the accelerations of both models. RESOURCES is the folder of a unit of the crank-rocker."""
import gc
import json
import os
import signal
import sys
import threading
import time

import numpy as np


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def memory() -> float:
    """Resident, MB."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


THREADS, BEGIN = threads(), time.perf_counter()
import rung  # noqa: E402

IMPORT = time.perf_counter() - BEGIN
from rung import _lib  # noqa: E402


def least(call, times: int, rounds: int = 5) -> float:
    """The least processor time of a call, s."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(times):
            call()
        best = min(best, (time.process_time() - begin) / times)
    return best


def chain(n: int) -> rung.Model:
    b = rung.Builder("chain")
    last = "world"
    for i in range(n):
        b.rod(f"r{i}", 1, 0.01, (i, 0, 0), (i + 1, 0, 0))
        b.spherical(f"j{i}", last, f"r{i}", point=(i, 0, 0))
        last = f"r{i}"
    return b.build()


def calls(four_bar: str, ladder: str, rocker: str, resources: str, out: str) -> dict:
    _lib.lib.rung_nothing()
    time.sleep(0.05)  # the runtime starts its threads when it likes
    found = {"import": 1e3 * IMPORT, "threads.load": threads() - THREADS}
    found["empty.python"] = 1e9 * least(_lib.lib.rung_nothing, 200_000)
    with open(out, "wb") as f:
        for name, path, times in (("four-bar", four_bar, 20_000), ("ladder", ladder, 100)):
            s = rung.load(path).solver()
            f.write(s.accel().tobytes())
            found[f"{name}.python"] = 1e6 * least(s.accel, times)
    found["document"] = 1e6 * least(rung.load(four_bar).accel, 50)
    found["step"] = step(rung.load(rocker))
    found["exchange"] = exchange(resources)
    m = rung.load(rocker)
    for n in (1, 8, 64, 512, 4096):
        b = m.batch(n, forces=["O"], threads=1)
        b.forces[:, 0] = np.linspace(-1, 1, n)
        found[f"batch.accel.{n}"] = 1e6 * least(b.accel, max(1, 20_000 // n)) / n
        steps = 10
        found[f"batch.step.{n}"] = 1e6 * least(lambda: b.step(1e-4, steps), max(1, 5_000 // n)) / n / steps
        assert not b.failed.any()
    return found


def step(m: rung.Model) -> float:
    h, n = 1e-4, 500
    r = m.run(integrator="rk4", step=h)
    done = 0

    def on():
        nonlocal done
        done += 1
        r.to(done * h)

    return 1e6 * least(on, n)


def exchange(resources: str) -> float:
    lib = _lib.lib
    h = _lib.handle(lib.rung_unit_exchange, resources.encode(), None)
    states, gaps = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    _lib.check(lib.rung_unit_start(h, 0.0, 0.0))
    _lib.check(lib.rung_unit_sizes(h, states.ctypes.data, gaps.ctypes.data))
    n = int(states[0])
    x = np.zeros((2, n))
    dx = np.zeros(n)
    _lib.check(lib.rung_unit_states(h, x.ctypes.data, n))
    x[1] = x[0] + 1e-4
    places, to, turn = (x[0].ctypes.data, x[1].ctypes.data), dx.ctypes.data, 0

    def derivatives():
        nonlocal turn
        turn = 1 - turn
        _lib.check(lib.rung_unit_time(h, 1e-4 * turn))
        _lib.check(lib.rung_unit_set_states(h, places[turn], n))
        _lib.check(lib.rung_unit_derivatives(h, to, n))

    took = least(derivatives, 2000)
    assert (dx != 0).any()
    _lib.check(lib.rung_free(h))
    return 1e6 * took


def interrupted(call, tries: int = 9) -> float:
    """The longest time from a signal to KeyboardInterrupt, ms. Signals come at other times within a slice each."""
    longest = 0.0
    for i in range(tries):
        sent = []

        def send():
            time.sleep(0.1 + 0.007 * i)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            while True:
                call()
        except KeyboardInterrupt:
            longest = max(longest, time.perf_counter() - sent[0])
        sender.join()
    return 1e3 * longest


def refused(path: str) -> float:
    """The longest time of a call in the child of a fork, ms."""
    longest = 0.0
    for _ in range(9):
        r, w = os.pipe()
        if (pid := os.fork()) == 0:
            begin, answer = time.perf_counter(), -1.0
            try:
                rung.load(path)
            except rung.ForkError:
                answer = time.perf_counter() - begin
            finally:
                os.write(w, repr(answer).encode())
                os._exit(0)
        os.close(w)
        took = float(os.read(r, 100))
        os.close(r)
        os.waitpid(pid, 0)
        if took < 0:
            raise RuntimeError("the child of a fork was not refused")
        longest = max(longest, took)
    return 1e3 * longest


def many_threads(m: rung.Model) -> int:
    """Threads more after 5000 short ones and 500 at once."""
    before = threads()
    solver = threading.local()

    def work():
        solver.one = m.solver()
        solver.one.accel()

    for n in [10] * 500 + [500]:
        list_ = [threading.Thread(target=work) for _ in range(n)]
        for t in list_:
            t.start()
        for t in list_:
            t.join()
    gc.collect()
    return max(0, threads() - before)


def kept(ladder: str) -> float:
    """MB that stay after 300 loads and 300 solvers."""
    rung.load(ladder).solver().accel()
    gc.collect()
    before = memory()
    for _ in range(300):
        rung.load(ladder).solver().accel()
    gc.collect()
    return max(0.0, memory() - before)


def two_threads(ladder: str) -> float:
    """The time of two threads with a solver each over that of one."""
    m, n = rung.load(ladder), 400

    def work(s):
        for _ in range(n):
            s.accel()

    def took(k: int) -> float:
        list_ = [threading.Thread(target=work, args=(m.solver(),)) for _ in range(k)]
        begin = time.perf_counter()
        for t in list_:
            t.start()
        for t in list_:
            t.join()
        return time.perf_counter() - begin

    return min(took(2) for _ in range(3)) / min(took(1) for _ in range(3))


def once(four_bar: str, ladder: str, rocker: str) -> dict:
    m = rung.load(rocker)
    found = {"fork": refused(four_bar), "threads.many": many_threads(m)}
    run = m.run(tolerance=1e-10)
    found["ctrl-c.run"] = interrupted(lambda: run.to(1e6))
    b = m.batch(4096)
    found["ctrl-c.batch"] = interrupted(lambda: b.step(1e-5, 1_000_000))
    c = chain(4000)
    found["ctrl-c.document"] = interrupted(c.accel)
    state = c.initial()
    found["ctrl-c.close"] = interrupted(lambda: c.close_joints(state))
    del c, state
    found["lock"] = two_threads(ladder)
    found["memory"] = kept(ladder)
    return found


if __name__ == "__main__":
    json.dump({"calls": calls, "once": once}[sys.argv[1]](*sys.argv[2:]), sys.stdout)
