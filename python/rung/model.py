"""Models, their states, and documents about them."""
from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from . import _lib
from ._owner import Owner, address
from ._values import array, document as as_json, encoded, meant, number, path as as_path, shown, utf8, whole, word, words, write

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any, Union

    from ._knob import Knob
    from .batch import Batch
    from .run import Run, Trajectory
    from .solver import Solver

    StateLike = Union["State", np.ndarray, Sequence[float]]

_POSE, _RATE = 7, 6  # numbers of a body in a state
_LONG = ("accel", "analyze", "inverse", "modes")  # documents that take long


class State:
    """A state of a model: one array `data` and views of its parts. Writing to a part changes `data`, and the other way round.

    An array that is assigned to a part is copied into it.

    Parameters
    ----------
    model : Model
    data : numpy.ndarray
        One contiguous array of doubles (nstate). The state uses it without a copy.

    Examples
    --------
    >>> s = m.initial()
    >>> s.position.shape, s.quaternion.shape
    ((3, 3), (3, 4))
    >>> s.velocity = 0
    """

    __slots__ = ("_model", "_data", "_position", "_quaternion", "_velocity", "_angular_velocity", "_angles", "_internal", "_bearings")

    def __init__(self, model: Model, data: np.ndarray) -> None:
        if not isinstance(data, np.ndarray) or data.dtype != np.float64 or not data.flags.c_contiguous or not data.flags.aligned:
            raise _lib.ModelError(f"the data of a state are {type(data).__name__} {getattr(data, 'dtype', '')}, "
                                  "and have to be one contiguous and aligned array of float64")
        if data.shape != (model.nstate,):
            raise _lib.ModelError(f"the data of a state have the shape {data.shape}, and have to have {(model.nstate,)}")
        self._model = model
        self._data = data = np.asarray(data)[:]  # a view cannot be resized, so that its address stays
        n = model.nbody
        poses = data[1:1 + _POSE * n].reshape(n, _POSE)
        rates = data[1 + _POSE * n:1 + (_POSE + _RATE) * n].reshape(n, _RATE)
        self._position, self._quaternion = poses[:, :3], poses[:, 3:]
        self._velocity, self._angular_velocity = rates[:, :3], rates[:, 3:]
        rest = data[1 + (_POSE + _RATE) * n:]
        a, i, b = model._parts
        self._angles, self._internal, self._bearings = rest[:a], rest[a:a + i], rest[a + i:a + i + b]

    @property
    def model(self) -> Model:
        """The model of the state."""
        return self._model

    @property
    def data(self) -> np.ndarray:
        """All numbers (nstate): time, poses of all bodies, their rates, angles, internal, bearings."""
        return self._data

    @data.setter
    def data(self, x: Any) -> None:
        write(self._data, x, "data")

    @property
    def position(self) -> np.ndarray:
        """Origins of the bodies' frames (nbody, 3), m."""
        return self._position

    @position.setter
    def position(self, x: Any) -> None:
        write(self._position, x, "position")

    @property
    def quaternion(self) -> np.ndarray:
        """Orientations (nbody, 4): w x y z."""
        return self._quaternion

    @quaternion.setter
    def quaternion(self, x: Any) -> None:
        write(self._quaternion, x, "quaternion")

    @property
    def velocity(self) -> np.ndarray:
        """Velocities of the origins (nbody, 3), m/s."""
        return self._velocity

    @velocity.setter
    def velocity(self, x: Any) -> None:
        write(self._velocity, x, "velocity")

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (nbody, 3), rad/s, world axes."""
        return self._angular_velocity

    @angular_velocity.setter
    def angular_velocity(self, x: Any) -> None:
        write(self._angular_velocity, x, "angular_velocity")

    @property
    def angles(self) -> np.ndarray:
        """Angles of the joints whose turns count, rad. The angle of a pose is the one within half a turn of the number here (`Model.read_angles`)."""
        return self._angles

    @angles.setter
    def angles(self, x: Any) -> None:
        write(self._angles, x, "angles")

    @property
    def internal(self) -> np.ndarray:
        """States of force elements and laws."""
        return self._internal

    @internal.setter
    def internal(self, x: Any) -> None:
        write(self._internal, x, "internal")

    @property
    def bearings(self) -> np.ndarray:
        """Reactions in the joints whose friction grows with them, N. They follow from the rest of the state."""
        return self._bearings

    @bearings.setter
    def bearings(self, x: Any) -> None:
        write(self._bearings, x, "bearings")

    @property
    def time(self) -> float:
        """The time, s."""
        return float(self._data[0])

    @time.setter
    def time(self, t: float) -> None:
        self._data[0] = number(t, "time")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The numbers, so that NumPy takes a state as the array `data`."""
        if copy is False and dtype not in (None, np.float64):
            raise ValueError(f"the numbers of a state are float64, and to be {dtype} they have to be copied")
        return np.array(self._data, dtype=dtype) if copy else np.asarray(self._data, dtype=dtype)

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, i: Any) -> Any:
        return self._data[i]

    def copy(self) -> State:
        """A copy of the state with its own array."""
        return State(self._model, self._data.copy())

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> State:
        return self.copy()

    def __reduce__(self) -> Any:
        return State, (self._model, self._data.copy())

    def __repr__(self) -> str:
        return f"<rung.State of {self._model.name!r} at {self.time:g} s>"


def flat(model: Model, state: StateLike) -> np.ndarray:
    """The numbers of a state, for reading."""
    return array(state.data if isinstance(state, State) else state, (model.nstate,), "a state")


class Model(Owner):
    """A mechanism that has been checked and analysed. It never changes, and threads may share it. `load` and `loads` make one.

    A copy of a model is the model itself. A model is pickled as its document with the options of `load`.

    Attributes
    ----------
    name : str
    nbody, njoint, ncoupling, nforce : int
        The numbers of bodies, joints, couplings and force elements.
    nstate : int
        The length of a state.
    nrow : int
        The number of rows of constraints.
    body_names, joint_names, coupling_names, force_names : tuple of str
    """

    def __init__(self, handle: int, made: Mapping[str, Any] | None = None) -> None:
        super().__init__(handle)
        self._made = dict(made or {})  # arguments with which loads makes it from its document
        sizes = np.zeros(16, dtype=np.int64)
        _lib.check(_lib.lib.rung_sizes(handle, sizes.ctypes.data, sizes.size))
        self.nbody, self.njoint, self.ncoupling, self.nforce, self.nstate = (int(x) for x in sizes[:5])
        self._parts = tuple(int(x) for x in sizes[5:8])
        self.nrow = int(sizes[8])
        names = json.loads(self._text("names"))
        self.name: str = names["name"]
        self.body_names: tuple[str, ...] = tuple(names["bodies"])
        self.joint_names: tuple[str, ...] = tuple(names["joints"])
        self.coupling_names: tuple[str, ...] = tuple(names["couplings"])
        self.force_names: tuple[str, ...] = tuple(names["forces"])
        self._places = {kind: {name: i for i, name in enumerate(list_)} for kind, list_ in (("body", self.body_names), ("joint", self.joint_names))}
        self._knobs: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<rung.Model {self.name!r}: {self.nbody} bodies, {self.njoint} joints>"

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: Any) -> Model:
        return self

    def __reduce__(self) -> Any:
        return _again, (self.document(), self._made)

    @property
    def _large(self) -> bool:
        return self.nbody >= _lib.LARGE

    def _text(self, what: str, state: StateLike | None = None, **options: Any) -> bytes:
        x = None if state is None else flat(self, state)
        given = encoded(options) if any(v is not None for v in options.values()) else None

        def ask() -> bytes:
            return _lib.text(_lib.lib.rung_document, self._handle, what.encode(), given, address(x), 0 if x is None else x.size)

        return _lib.stoppable(self._handle, ask, writes=False) if self._large or what in _LONG else ask()

    def body(self, name: str) -> int:
        """The number of a body.

        Parameters
        ----------
        name : str

        Returns
        -------
        int
        """
        return self._place("body", name)

    def joint(self, name: str) -> int:
        """The number of a joint.

        Parameters
        ----------
        name : str

        Returns
        -------
        int
        """
        return self._place("joint", name)

    def _place(self, kind: str, name: str) -> int:
        places = self._places[kind]
        if (known := word(name, f"the name of a {kind}")) in places:
            return places[known]
        raise _lib.ModelError(f"no {kind} {name!r}{meant(known, places)}")

    @property
    def knobs(self) -> list[Knob]:
        """The numbers that can be set between calls (`Solver.set`, `Run.set`)."""
        from ._knob import Knob

        return [Knob(**k) for k in json.loads(self._text("knobs"))]

    def knob(self, path: str) -> int:
        """The number of a knob.

        Parameters
        ----------
        path : str
            Such as joints[crank].force[0].

        Returns
        -------
        int
        """
        if word(path, "the path of a knob") not in self._knobs:
            k = ctypes.c_int64()
            _lib.check(_lib.lib.rung_knob(self._handle, path.encode(), ctypes.addressof(k)))
            self._knobs[path] = k.value
        return self._knobs[path]

    @property
    def columns(self) -> list[SimpleNamespace]:
        """Names and units of the columns that a run can record."""
        return json.loads(  # type: ignore[no-any-return]
            self._text("columns"), object_hook=lambda d: SimpleNamespace(name=d["name"], unit=d.get("unit", "")))

    @property
    def import_report(self) -> dict[str, Any] | None:
        """How each element of a file of another format was imported; None for rung-model/1, and for a model that was pickled."""
        return json.loads(self._text("import"))  # type: ignore[no-any-return]

    def document(self, state: StateLike | None = None) -> dict[str, Any]:
        """The model as a document of rung-model/1.

        Parameters
        ----------
        state : State or array_like, optional
            The state of the document; the default is the state of the model.

        Returns
        -------
        dict
        """
        return json.loads(self._text("model", state))  # type: ignore[no-any-return]

    def initial(self) -> State:
        """The state of the model."""
        x = np.empty(self.nstate)
        _lib.check(_lib.lib.rung_initial(self._handle, x.ctypes.data, x.size))
        return State(self, x)

    def read_angles(self, states: State | np.ndarray) -> None:
        """Sets the angles of states, in place, by their poses: within half a turn, plus the turns of the model.

        Call it after writing other poses. Otherwise the angle of a joint whose turns count, such as a joint with a torsion spring, a stop or
        gears, is taken within half a turn of the old one in `State.angles`.

        Parameters
        ----------
        states : State or numpy.ndarray
            A state, or an array of states (…, nstate) such as `Batch.states`.

        Examples
        --------
        >>> s = m.initial()
        >>> s.quaternion[0] = [0, 0, 0, 1]
        >>> m.read_angles(s)
        """
        x = states.data if isinstance(states, State) else states
        if not isinstance(x, np.ndarray) or x.dtype != np.float64 or x.shape[-1:] != (self.nstate,) or not x.flags.writeable:
            raise _lib.ModelError(f"states are {shown(states)}, and have to be a State or an array of float64 with rows of {self.nstate} numbers "
                                  "that can be written")
        rows = np.require(x, requirements=["C", "ALIGNED"])
        _lib.check(_lib.lib.rung_angles(self._handle, rows.ctypes.data, rows.size // self.nstate, self.nstate))
        if rows is not x:
            x[...] = rows

    def close_joints(self, state: StateLike, *, hold: Sequence[str] | None = None, nearest: bool | None = None, tolerance: float | None = None,
                     poses: bool | None = None, velocities: bool | None = None) -> State:
        """A state near this one whose poses and velocities satisfy the joints.

        Parameters
        ----------
        state : State or array_like
        hold : sequence of str, optional
            Bodies that do not move.
        nearest : bool, optional
            If true, the nearest pose in the norm of masses, which takes longer.
        tolerance : float, optional
            The tolerance of the joints, relative to the size of the mechanism.
        poses, velocities : bool, optional
            Whether poses and velocities are changed; the default is both.

        Returns
        -------
        State

        Raises
        ------
        SolveError
            The joints cannot be closed from there.

        Examples
        --------
        >>> s = m.initial()
        >>> s.position[0] += 0.001
        >>> m.accel(m.close_joints(s)).constraints.mobility
        1
        """
        x = flat(self, state).copy()
        options = encoded({"hold": _names(hold, "hold"), "nearest": nearest, "tolerance": tolerance, "poses": poses, "velocities": velocities})
        _lib.stoppable(self._handle, lambda: _lib.check(_lib.lib.rung_close(self._handle, x.ctypes.data, x.size, options)), writes=False)
        return State(self, x)

    def _move(self, what: str, state: StateLike | None, **options: Any) -> tuple[SimpleNamespace, State]:
        x = flat(self, self.initial() if state is None else state).copy()
        given = encoded(options)
        text = _lib.stoppable(
            self._handle, lambda: _lib.text(_lib.lib.rung_move, self._handle, what.encode(), given, x.ctypes.data, x.size), writes=False)
        return _attributes(text), State(self, x)

    def assemble(self, state: StateLike | None = None, *, hold: Sequence[str] | None = None,
                 tolerance: float | None = None) -> tuple[SimpleNamespace, State]:
        """The state moved to the nearest pose on the joints.

        Parameters
        ----------
        state : State or array_like, optional
            The default is the state of the model.
        hold : sequence of str, optional
            Bodies that do not move.
        tolerance : float, optional

        Returns
        -------
        SimpleNamespace
            rung-assembly/1, with the change at each level.
        State

        Examples
        --------
        >>> done, s = m.assemble()
        >>> done.closed
        True
        """
        return self._move("assemble", state, hold=_names(hold, "hold"), tolerance=tolerance)

    def equilibrium(self, state: StateLike | None = None, *, stationary: bool | None = None,
                    steps: int | None = None) -> tuple[SimpleNamespace, State]:
        """The equilibrium at rest that is found downhill from a state.

        Parameters
        ----------
        state : State or array_like, optional
            The default is the state of the model.
        stationary : bool, optional
            If true, any pose in equilibrium, also an unstable one.
        steps : int, optional
            The largest number of steps of the search.

        Returns
        -------
        SimpleNamespace
            rung-equilibrium/1
        State

        Examples
        --------
        >>> found, s = m.equilibrium()
        >>> found.stability
        'stable'
        """
        return self._move("equilibrium", state, stationary=stationary, steps=steps)

    def ik(self, task: Mapping[str, Any], state: StateLike | None = None, *, partial: bool | None = None) -> tuple[SimpleNamespace, State]:
        """The state moved to the targets of a task, at rest.

        Parameters
        ----------
        task : dict
            An object of rung-ik/1 without a path.
        state : State or array_like, optional
            The default is the state of the model.
        partial : bool, optional
            If true, targets that are not reached are no error: `status` gives the reason, and the state is the end of the search.

        Returns
        -------
        SimpleNamespace
            rung-ik-result/1
        State
        """
        return self._move("ik", state, task=task, partial=partial)

    def analyze(self, state: StateLike | None = None) -> SimpleNamespace:
        """Loops, mobility, redundant rows by joint, joints to release, orderings: rung-analysis/1.

        Parameters
        ----------
        state : State or array_like, optional

        Returns
        -------
        SimpleNamespace

        Examples
        --------
        >>> m.analyze().constraints.redundant
        3
        """
        return self._answer("analyze", state)

    def inverse(self, state: StateLike | None = None, *, actuators: Sequence[str] | None = None, accelerations: Any = None) -> SimpleNamespace:
        """Forces of actuators that make wanted accelerations: rung-inverse/1.

        Parameters
        ----------
        state : State or array_like, optional
        actuators : sequence of str, optional
            Names of joints, or JOINT.I; the default are the freedoms that the model prescribes. An empty list is refused.
        accelerations : array_like, optional
            Six numbers a body, angular and of the centre of mass: (nbody, 6), or the same as a vector. The default is zero, or the
            accelerations of the prescribed motions.

        Returns
        -------
        SimpleNamespace

        Examples
        --------
        >>> m.inverse(actuators=["O"]).status
        'proper'
        """
        if accelerations is not None:
            shape = (6 * self.nbody,) if np.ndim(accelerations) == 1 else (self.nbody, 6)
            accelerations = array(accelerations, shape, "accelerations").ravel()
        return self._answer("inverse", state, actuators=_names(actuators, "actuators"), accelerations=accelerations)

    def modes(self, count: int | None = None, state: StateLike | None = None, *, method: str | None = None, equilibrium: bool | None = None,
              moving: bool | None = None, steady: bool | None = None, undamped: bool | None = None) -> SimpleNamespace:
        """The lowest modes of vibration about a pose at rest, or about a motion: rung-modes/1. `warnings` gives reasons why they may not
        describe small vibrations.

        Parameters
        ----------
        count : int, optional
            The number of modes; the default is ten.
        state : State or array_like, optional
        method : str, optional
            auto, dense or sparse
        equilibrium : bool, optional
            If true, the state is first moved to the equilibrium.
        moving, steady, undamped : bool, optional
            As the flags of `rung modes`.

        Returns
        -------
        SimpleNamespace

        Examples
        --------
        >>> m.modes(equilibrium=True).modes[0].kind
        'vibration'
        """
        return self._answer("modes", state, count=count, method=method, equilibrium=equilibrium, moving=moving, steady=steady, undamped=undamped)

    def matrix(self, state: StateLike | None = None, *, right: bool | None = None) -> str:
        """The matrix K of RBDA eq. 8.64 as a MatrixMarket text.

        Parameters
        ----------
        state : State or array_like, optional
        right : bool, optional
            If true, the right side in place of the matrix.

        Returns
        -------
        str
        """
        return self._text("matrix", state, right=right).decode()

    def glb(self, state: StateLike | None = None, *, joints: bool | None = None) -> bytes:
        """The mechanism as glTF 2.0, binary.

        Parameters
        ----------
        state : State or array_like, optional
        joints : bool, optional
            Whether joints are drawn; the default is true.

        Returns
        -------
        bytes
        """
        return self._text("glb", state, joints=joints)

    def _answer(self, what: str, state: StateLike | None, **options: Any) -> SimpleNamespace:
        return _attributes(self._text(what, state, **options))

    def accel(self, state: StateLike | None = None) -> SimpleNamespace:
        """Accelerations, reactions and redundant constraints: the document rung-result/1, with attributes.

        It makes a new solver for each call; use a `Solver` in loops.

        Parameters
        ----------
        state : State or array_like, optional

        Returns
        -------
        SimpleNamespace

        Raises
        ------
        SolveError
            There is no solution at this state.
        """
        return self._answer("accel", state)

    def energies(self, state: StateLike | None = None) -> SimpleNamespace:
        """Energies, force elements and violations at a state: rung-result/1 without the parts that need a solution.

        Parameters
        ----------
        state : State or array_like, optional

        Returns
        -------
        SimpleNamespace
        """
        return _attributes(self._text("state", state))

    def solver(self) -> Solver:
        """A solver with its own memory and knobs."""
        from .solver import Solver

        return Solver(self)

    def run(self, state: StateLike | None = None, **options: Any) -> Run:
        """A motion in time.

        Parameters
        ----------
        state : State or array_like, optional
            Where it begins.
        **options
            The fields of rung-run/1: integrator, step, tolerance, every, columns, start, …

        Returns
        -------
        Run
        """
        from .run import Run

        return Run(self, state, options)

    def simulate(self, until: float, *, every: float | None = None, state: StateLike | None = None, **options: Any) -> Trajectory:
        """The motion up to a time.

        Parameters
        ----------
        until : float
            s
        every : float, optional
            The time between rows, s; the default is a hundredth of the whole time.
        state : State or array_like, optional
            Where it begins.
        **options
            As in `run`.

        Returns
        -------
        Trajectory

        Examples
        --------
        >>> t = m.simulate(0.5, columns=["energy.kinetic"])
        >>> t.time.size
        101
        """
        until = number(until, "until")
        begin = float((self.initial().data if state is None else flat(self, state))[0])
        if every is None:
            if not until > begin:
                raise _lib.ModelError(f"until is {until}, and has to be after the time of the state, {begin}")
            every = (until - begin) / 100
        r = self.run(state, until=until, every=every, **options)
        r.to(until)
        return r.trajectory()

    def batch(self, num: int, *, forces: Sequence[str] = (), vary: Sequence[str] = (), threads: int | None = None) -> Batch:
        """Many states at once.

        Parameters
        ----------
        num, forces, vary, threads
            As in `Batch`.

        Returns
        -------
        Batch
        """
        from .batch import Batch

        return Batch(self, num, forces=forces, vary=vary, threads=threads)

    def svg(self, state: StateLike | None = None, *, azimuth: float | None = None, elevation: float | None = None, width: int | None = None,
            height: int | None = None, joints: bool | None = None) -> str:
        """A picture.

        Parameters
        ----------
        state : State or array_like, optional
        azimuth, elevation : float, optional
            The direction of view, rad.
        width, height : int, optional
            Pixels.
        joints : bool, optional
            Whether joints are drawn; the default is true.

        Returns
        -------
        str
        """
        return self._text("svg", state, azimuth=azimuth, elevation=elevation, width=width, height=height, joints=joints).decode()

    def page(self, state: StateLike | None = None) -> str:
        """A page of HTML that shows the mechanism and needs nothing else.

        Parameters
        ----------
        state : State or array_like, optional

        Returns
        -------
        str
        """
        return self._text("page", state).decode()

    def view(self, state: StateLike | None = None, height: int = 480) -> Any:
        """The page in a notebook.

        Parameters
        ----------
        state : State or array_like, optional
        height : int
            Pixels.
        """
        return _Page(self.page(state), whole(height, "height", 1))

    def _repr_html_(self) -> str:
        counts = f"{self.nbody} bodies, {self.njoint} joints, {self.nrow} rows"
        return f"<div><b>{_escape(self.name)}</b>: {counts}</div>{self.svg(width=480, height=360)}"


def _attributes(text: bytes) -> SimpleNamespace:
    """A document with attributes in place of keys."""
    return json.loads(text, object_hook=lambda d: SimpleNamespace(**d))  # type: ignore[no-any-return]


def _names(x: Any, what: str) -> list[str] | None:
    return None if x is None else words(x, what)


class _Page:
    """A page in a frame of a notebook."""

    def __init__(self, text: str, height: int) -> None:
        self.text, self.height = text, height

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{_escape(self.text)}" width="100%" height="{self.height}" style="border:0"></iframe>'


def _escape(text: str) -> str:
    import html

    return html.escape(text)


_LARGE_TEXT = 100_000
"""Size of a text in bytes from which its model takes long to read."""


def load(path: str | os.PathLike[str], *, packages: Mapping[str, str] | None = None, threads: int | None = None, ordering: str | None = None,
         max_flops: int | None = None, max_nonzeros: int | None = None) -> Model:
    """The model of a file.

    Parameters
    ----------
    path : str or path
        rung-model/1, URDF, MJCF, SDF, FreeCAD, USD as text, by its ending.
    packages : dict, optional
        Folders by the NAME in package://NAME/FILE.
    threads : int, optional
        Threads of a solution; the default is one.
    ordering : str, optional
        The elimination order; the default is auto.
    max_flops, max_nonzeros : int, optional
        Limits: models whose solution needs more are refused.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        The file is refused; the text lists every problem with its place.

    Examples
    --------
    >>> rung.load("four-bar.model.json")
    <rung.Model 'four-bar of docs/theory.md': 3 bodies, 4 joints>
    """
    given: dict[str, Any] = {"packages": packages, "threads": threads, "ordering": ordering, "max_flops": max_flops, "max_nonzeros": max_nonzeros}
    name = as_path(path, "path")
    made = {**given, "folder": os.path.abspath(os.path.dirname(os.fsdecode(name)))}
    try:
        large = os.stat(name).st_size > _LARGE_TEXT or not name.lower().endswith(b".json")  # other formats may name more files
    except OSError:
        large = False
    return Model(_lib.made(large, _lib.lib.rung_plan, name, None, 0, encoded(given)), made)


def loads(document: str | bytes | Mapping[str, Any], name: str = "document", *, folder: str | os.PathLike[str] | None = None,
          packages: Mapping[str, str] | None = None, threads: int | None = None, ordering: str | None = None, max_flops: int | None = None,
          max_nonzeros: int | None = None) -> Model:
    """The model of a text, or of the dict that json.loads returns for it.

    Parameters
    ----------
    document : str, bytes or dict
        A dict may contain numbers and arrays of NumPy.
    name : str
        Its ending gives the format, as the name of a file does.
    folder : str or path, optional
        The folder of the files that the document names.
    packages, threads, ordering, max_flops, max_nonzeros
        As in `load`.

    Returns
    -------
    Model
    """
    if isinstance(document, (bytes, bytearray, memoryview)):
        text = bytes(document)
    elif isinstance(document, str):
        text = utf8(document, "document")
    elif isinstance(document, Mapping):
        text = as_json(document, "$")
    else:
        raise _lib.ModelError(f"document is {shown(document)}, and has to be a text, bytes or a dict")
    made = {"folder": folder, "packages": packages, "threads": threads, "ordering": ordering, "max_flops": max_flops, "max_nonzeros": max_nonzeros}
    return Model(_lib.made(len(text) > _LARGE_TEXT, _lib.lib.rung_plan, word(name, "name").encode(), text, len(text), encoded(made)), made)


def _again(document: Mapping[str, Any], made: Mapping[str, Any]) -> Model:
    """The model of its pickled parts. The document is rung-model/1 whatever the name of the model."""
    return loads(document, **made)
