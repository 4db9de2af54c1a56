"""Models, their states, and documents about them."""
from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lib
from ._owner import Owner, address, array

if TYPE_CHECKING:
    from .batch import Batch
    from .run import Run, Trajectory
    from .solver import Solver

_POSE, _RATE = 7, 6  # numbers of a body in a state


@dataclass(frozen=True)
class Knob:
    """A number that may be set while a mechanism is computed."""

    path: str
    unit: str
    value: float
    geometry: bool = False
    """It is a number of a body or of a joint's geometry. Solvers take it, and runs only as part of the model."""


class State:
    """A state of a model: one array `data`, and views of its parts, so that what is written there is written here.

    >>> s = m.initial()
    >>> s.position.shape, s.quaternion.shape
    ((3, 3), (3, 4))
    """

    __slots__ = ("model", "data", "position", "quaternion", "velocity", "angular_velocity", "angles", "internal", "bearings")

    def __init__(self, model: "Model", data: np.ndarray):
        self.model = model
        self.data = data
        n = model.nbody
        poses = data[1:1 + _POSE * n].reshape(n, _POSE)
        rates = data[1 + _POSE * n:1 + (_POSE + _RATE) * n].reshape(n, _RATE)
        self.position, self.quaternion = poses[:, :3], poses[:, 3:]
        self.velocity, self.angular_velocity = rates[:, :3], rates[:, 3:]
        rest = data[1 + (_POSE + _RATE) * n:]
        a, i, b = model._parts
        self.angles, self.internal, self.bearings = rest[:a], rest[a:a + i], rest[a + i:a + i + b]

    @property
    def time(self) -> float:
        return float(self.data[0])

    @time.setter
    def time(self, t: float) -> None:
        self.data[0] = t

    def copy(self) -> "State":
        return State(self.model, self.data.copy())

    def __repr__(self) -> str:
        return f"<rung.State of {self.model.name!r} at {self.time:g} s>"


class Model(Owner):
    """A mechanism that is checked and analysed. It never changes, and threads may share it. `load` and `loads` make one."""

    def __init__(self, handle: int):
        super().__init__(handle)
        sizes = np.zeros(16, dtype=np.int64)
        _lib.check(_lib.lib.rung_sizes(handle, sizes.ctypes.data, sizes.size))
        self.nbody, self.njoint, self.ncoupling, self.nforce, self.nstate = (int(x) for x in sizes[:5])
        self._parts = tuple(int(x) for x in sizes[5:8])
        self.nrow = int(sizes[8])
        names = json.loads(self._text("names"))
        self.name: str = names["name"]
        self.body_names, self.joint_names = tuple(names["bodies"]), tuple(names["joints"])
        self.coupling_names, self.force_names = tuple(names["couplings"]), tuple(names["forces"])
        self._places = {kind: {name: i for i, name in enumerate(list_)} for kind, list_ in (("body", self.body_names), ("joint", self.joint_names))}
        self._knobs: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<rung.Model {self.name!r}: {self.nbody} bodies, {self.njoint} joints>"

    def __reduce__(self):
        return loads, (self.document(), self.name)

    def _text(self, what: str, state: State | None = None, **options: Any) -> bytes:
        x = None if state is None else array(state.data, (self.nstate,), "a state")
        given = {k: v for k, v in options.items() if v is not None}
        return _lib.text(
            _lib.lib.rung_document, self._handle, what.encode(), json.dumps(given).encode() if given else None, address(x), 0 if x is None else x.size)

    def body(self, name: str) -> int:
        """The number of a body."""
        return self._place("body", name)

    def joint(self, name: str) -> int:
        """The number of a joint."""
        return self._place("joint", name)

    def _place(self, kind: str, name: str) -> int:
        try:
            return self._places[kind][name]
        except KeyError:
            import difflib

            near = difflib.get_close_matches(name, self._places[kind], 1)
            raise _lib.ModelError(f"no {kind} {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")) from None

    @property
    def knobs(self) -> list[Knob]:
        """What may be set while the mechanism is computed (`Solver.set`, `Run.set`)."""
        return [Knob(**k) for k in json.loads(self._text("knobs"))]

    def knob(self, path: str) -> int:
        """The number of a knob, such as joints[crank].force[0]."""
        if path not in self._knobs:
            k = ctypes.c_int64()
            _lib.check(_lib.lib.rung_knob(self._handle, path.encode(), ctypes.addressof(k)))
            self._knobs[path] = k.value
        return self._knobs[path]

    @property
    def columns(self) -> list[SimpleNamespace]:
        """Names and units of what a run can record."""
        return json.loads(self._text("columns"), object_hook=lambda d: SimpleNamespace(name=d["name"], unit=d.get("unit", "")))

    @property
    def import_report(self) -> dict | None:
        """What became of each element of a file of a foreign format; None of a model of the own one."""
        return json.loads(self._text("import"))

    def document(self, state: State | None = None) -> dict:
        """The model as a document of rung-model/1, in a state."""
        return json.loads(self._text("model", state))

    def initial(self) -> State:
        """The state of the model."""
        x = np.empty(self.nstate)
        _lib.check(_lib.lib.rung_initial(self._handle, x.ctypes.data, x.size))
        return State(self, x)

    def close_joints(self, state: State, *, hold: list[str] | None = None, nearest: bool | None = None, tolerance: float | None = None,
                     poses: bool | None = None, velocities: bool | None = None) -> State:
        """The state next to this one that satisfies the joints, poses and velocities. `hold` are bodies that stay.

        >>> s = m.initial()
        >>> s.position[0] += 0.001
        >>> m.accel(m.close_joints(s)).constraints.mobility
        1
        """
        x = array(state.data, (self.nstate,), "a state").copy()
        given = {"hold": hold, "nearest": nearest, "tolerance": tolerance, "poses": poses, "velocities": velocities}
        options = json.dumps({k: v for k, v in given.items() if v is not None}).encode()
        _lib.stoppable(self._handle, lambda: _lib.check(_lib.lib.rung_close(self._handle, x.ctypes.data, x.size, options)))
        return State(self, x)

    def _move(self, what: str, state: State | None, **options: Any) -> tuple[SimpleNamespace, State]:
        x = (self.initial() if state is None else state).data
        x = array(x, (self.nstate,), "a state").copy()
        given = json.dumps({k: v for k, v in options.items() if v is not None}).encode()
        text = _lib.stoppable(
            self._handle, lambda: _lib.text(_lib.lib.rung_move, self._handle, what.encode(), given, x.ctypes.data, x.size))
        return _attributes(text), State(self, x)

    def assemble(self, state: State | None = None, *, hold: list[str] | None = None,
                 tolerance: float | None = None) -> tuple[SimpleNamespace, State]:
        """The state put onto the joints at the nearest pose, and rung-assembly/1, which says how far each level was moved.

        >>> done, s = m.assemble()
        >>> done.closed
        True
        """
        return self._move("assemble", state, hold=hold, tolerance=tolerance)

    def equilibrium(self, state: State | None = None, *, stationary: bool | None = None,
                    steps: int | None = None) -> tuple[SimpleNamespace, State]:
        """The equilibrium at rest that is found downhill from a state: rung-equilibrium/1, and the state.

        >>> found, s = m.equilibrium()
        >>> found.stability
        'stable'
        """
        return self._move("equilibrium", state, stationary=stationary, steps=steps)

    def ik(self, task: dict, state: State | None = None, *, partial: bool | None = None) -> tuple[SimpleNamespace, State]:
        """The state moved to the targets of a task (an object of rung-ik/1 without a path), at rest, and rung-ik-result/1.

        Targets that are not reached raise, unless `partial` is true: then `status` says why, and the state is where the search ended.
        """
        return self._move("ik", state, task=task, partial=partial)

    def analyze(self, state: State | None = None) -> SimpleNamespace:
        """Loops, mobility, redundant rows by joint, joints to release, orderings: rung-analysis/1.

        >>> m.analyze().constraints.redundant
        3
        """
        return self._answer("analyze", state)

    def inverse(self, state: State | None = None, *, actuators: list[str] | None = None, accelerations: Any = None) -> SimpleNamespace:
        """Forces of actuators that make wanted accelerations: rung-inverse/1.

        Actuators are joints or JOINT.I; those that the model prescribes if none are given. Accelerations are six numbers a body,
        angular and of the centre of mass; without them bodies hold still, or move as prescribed motions say.

        >>> m.inverse(actuators=["O"]).status
        'proper'
        """
        if accelerations is not None:
            accelerations = np.asarray(accelerations, dtype=float).ravel().tolist()
        return self._answer("inverse", state, actuators=actuators, accelerations=accelerations)

    def modes(self, count: int | None = None, state: State | None = None, *, method: str | None = None, equilibrium: bool | None = None,
              moving: bool | None = None, steady: bool | None = None, undamped: bool | None = None) -> SimpleNamespace:
        """The lowest modes of vibration about a pose at rest, or a motion: rung-modes/1. `warnings` says why they may not be those of
        small vibrations, if there is a reason.

        >>> m.modes(equilibrium=True).modes[0].kind
        'vibration'
        """
        return self._answer("modes", state, count=count, method=method, equilibrium=equilibrium, moving=moving, steady=steady, undamped=undamped)

    def matrix(self, state: State | None = None, *, right: bool | None = None) -> str:
        """The matrix K of RBDA eq. 8.64 as a MatrixMarket text, or its right side."""
        return self._text("matrix", state, right=right).decode()

    def glb(self, state: State | None = None, *, joints: bool | None = None) -> bytes:
        """The mechanism as glTF 2.0, binary."""
        return self._text("glb", state, joints=joints)

    def _answer(self, what: str, state: State | None, **options: Any) -> SimpleNamespace:
        return _attributes(_lib.stoppable(self._handle, lambda: self._text(what, state, **options)))

    def accel(self, state: State | None = None) -> SimpleNamespace:
        """Accelerations, reactions and what is redundant: the document rung-result/1, with attributes.

        It is for people and makes a solver each time; loops take a `Solver`.
        """
        return self._answer("accel", state)

    def energies(self, state: State | None = None) -> SimpleNamespace:
        """Energies, force elements and violations at a state: rung-result/1 without what takes a solution."""
        return _attributes(self._text("state", state))

    def solver(self) -> "Solver":
        """A solver of its own memory and knobs."""
        from .solver import Solver

        return Solver(self)

    def run(self, state: State | None = None, **options: Any) -> "Run":
        """A motion in time. Options are the fields of rung-run/1: integrator, step, tolerance, every, columns, start, …"""
        from .run import Run

        return Run(self, state, options)

    def simulate(self, until: float, *, every: float | None = None, state: State | None = None, **options: Any) -> "Trajectory":
        """The motion up to a time, recorded each `every` seconds; a hundredth of the time if it is missing.

        >>> t = m.simulate(0.5, columns=["energy.kinetic"])
        >>> t.time.size
        101
        """
        begin = self.initial().time if state is None else state.time
        r = self.run(state, until=until, every=(until - begin) / 100 if every is None else every, **options)
        r.to(until)
        return r.trajectory()

    def batch(self, num: int, *, forces=(), vary=(), threads: int | None = None) -> "Batch":
        """Many states at once."""
        from .batch import Batch

        return Batch(self, num, forces=forces, vary=vary, threads=threads)

    def svg(self, state: State | None = None, *, azimuth: float | None = None, elevation: float | None = None, width: int | None = None,
            height: int | None = None, joints: bool | None = None) -> str:
        """A picture."""
        return self._text("svg", state, azimuth=azimuth, elevation=elevation, width=width, height=height, joints=joints).decode()

    def page(self, state: State | None = None) -> str:
        """A page of HTML that shows the mechanism and needs nothing else."""
        return self._text("page", state).decode()

    def view(self, state: State | None = None, height: int = 480):
        """The page in a notebook."""
        return _Page(self.page(state), height)

    def _repr_html_(self) -> str:
        counts = f"{self.nbody} bodies, {self.njoint} joints, {self.nrow} rows"
        return f"<div><b>{_escape(self.name)}</b>: {counts}</div>{self.svg(width=480, height=360)}"


def _attributes(text: bytes) -> SimpleNamespace:
    """A document with attributes in place of keys."""
    return json.loads(text, object_hook=lambda d: SimpleNamespace(**d))


class _Page:
    """A page in a frame of a notebook."""

    def __init__(self, text: str, height: int):
        self.text, self.height = text, height

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{_escape(self.text)}" width="100%" height="{int(self.height)}" style="border:0"></iframe>'


def _escape(text: str) -> str:
    import html

    return html.escape(text)


def _options(options: dict) -> bytes | None:
    given = {k: v for k, v in options.items() if v is not None}
    return json.dumps(given).encode() if given else None


def load(path: str | os.PathLike, *, packages: dict[str, str] | None = None, threads: int | None = None, ordering: str | None = None,
         max_flops: int | None = None, max_nonzeros: int | None = None) -> Model:
    """The model of a file: rung-model/1, URDF, MJCF, SDF, FreeCAD, by its ending. `packages` are folders of package://NAME/FILE by name.

    >>> rung.load("four-bar.model.json")
    <rung.Model 'four-bar of docs/theory.md': 3 bodies, 4 joints>
    """
    options = _options({"packages": packages, "threads": threads, "ordering": ordering, "max_flops": max_flops, "max_nonzeros": max_nonzeros})
    return Model(_lib.handle(_lib.lib.rung_plan, os.fsencode(os.fspath(path)), None, 0, options))


def loads(document: str | bytes | dict, name: str = "document", *, folder: str | None = None, packages: dict[str, str] | None = None,
          threads: int | None = None, ordering: str | None = None, max_flops: int | None = None, max_nonzeros: int | None = None) -> Model:
    """The model of a text, or of what json.loads makes of it. The ending of the name says the format, as that of a file does; `folder` has the files
    that it names."""
    if isinstance(document, dict):
        document = json.dumps(document)
    text = document.encode() if isinstance(document, str) else bytes(document)
    options = _options({"folder": folder, "packages": packages, "threads": threads, "ordering": ordering, "max_flops": max_flops,
                        "max_nonzeros": max_nonzeros})
    return Model(_lib.handle(_lib.lib.rung_plan, name.encode(), text, len(text), options))
