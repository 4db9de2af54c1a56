"""Models built in Python, from bodies and joints that are placed in the world."""
from __future__ import annotations


import numpy as np

from . import _lib
from ._values import array, number, numbers_of, shown, word
from .model import Model, loads

TYPE_CHECKING = False  # as typing.TYPE_CHECKING: importing typing takes longer than most of this package
if TYPE_CHECKING:
    from typing import Any


class Builder:
    """Builds a document of rung-model/1. Bodies and joints are given by their places in the world; further fields of the format are keywords.

    Parameters
    ----------
    name : str
    gravity : array_like
        m/s²

    Attributes
    ----------
    document : dict
        The document so far.

    Examples
    --------
    >>> b = rung.Builder("pendulum")
    >>> _ = b.rod("rod", 1.0, 0.01, (0, 0, 0), (1, 0, 0))
    >>> _ = b.revolute("hinge", "world", "rod", point=(0, 0, 0), axis=(0, 1, 0))
    >>> b.build().accel().bodies[0].angular_acceleration[1] > 0
    True
    """

    def __init__(self, name: str, *, gravity: Any = (0, 0, -9.81)) -> None:
        down = _vector(gravity, "gravity").tolist()
        self.document: dict[str, Any] = {"format": "rung-model/1", "name": word(name, "name"), "gravity": down, "bodies": [], "joints": []}
        self._pose = {"world": (np.zeros(3), np.array([1.0, 0, 0, 0]))}

    def body(self, name: str, mass: float, inertia: Any, *, com: Any = (0, 0, 0), position: Any = (0, 0, 0), orientation: Any = (1, 0, 0, 0),
             linear: Any = (0, 0, 0), angular: Any = (0, 0, 0)) -> str:
        """A body.

        Parameters
        ----------
        name : str
        mass : float
            kg
        inertia : array_like
            kg m², about the centre of mass in body axes: three moments or a symmetric 3×3 matrix.
        com : array_like
            The centre of mass in body axes, m.
        position, orientation : array_like
            The pose of the frame in the world: m, and a quaternion w x y z.
        linear, angular : array_like
            The velocity of the frame's origin, m/s, and the angular velocity, rad/s, world axes.

        Returns
        -------
        str
            The name.
        """
        place = f"body {word(name, 'the name of a body')!r}: "
        j = numbers_of(inertia, place + "inertia").astype(float)
        j = np.diag(j) if j.shape == (3,) else j
        if j.shape != (3, 3) or not np.array_equal(j, j.T):
            raise _lib.ModelError(f"{place}an inertia is three moments or a symmetric 3×3 matrix, and not {shown(inertia)}")
        q = _unit(orientation, place + "orientation")
        entries = {k: number(j[a], place + "inertia") for k, a in {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}.items()}
        com, position, linear, angular = (_vector(x, place + what) for x, what in (
            (com, "com"), (position, "position"), (linear, "linear"), (angular, "angular")))
        self.document["bodies"].append({
            "name": name, "mass": number(mass, place + "mass"), "com": com.tolist(), "inertia": entries,
            "pose": {"position": position.tolist(), "orientation": q.tolist()}, "velocity": {"linear": linear.tolist(), "angular": angular.tolist()},
        })
        self._pose[name] = (position, q)
        return name

    def rod(self, name: str, mass: float, radius: float, start: Any, end: Any) -> str:
        """A homogeneous cylinder between two points. Its frame is in the middle, with x along the cylinder.

        Parameters
        ----------
        name : str
        mass : float
            kg
        radius : float
            m
        start, end : array_like
            Points in the world, m.

        Returns
        -------
        str
            The name.
        """
        place = f"body {word(name, 'the name of a body')!r}: "
        a, c = _vector(start, place + "start"), _vector(end, place + "end")
        mass, radius = number(mass, place + "mass"), number(radius, place + "radius")
        length = float(np.linalg.norm(c - a))
        if not length > 0:
            raise _lib.ModelError(f"{place}a rod from a point to the same point")
        if radius < 0:
            raise _lib.ModelError(f"{place}radius is {radius}, and has to be 0 or more")
        across = mass * (radius**2 / 4 + length**2 / 12)
        return self.body(name, mass, (mass * radius**2 / 2, across, across), position=(a + c) / 2, orientation=_from_to((1, 0, 0), (c - a) / length))

    def box(self, name: str, mass: float, size: Any, *, position: Any = (0, 0, 0), orientation: Any = (1, 0, 0, 0)) -> str:
        """A homogeneous block with edges along its axes.

        Parameters
        ----------
        name : str
        mass : float
            kg
        size : array_like
            Its three edges, m.
        position, orientation : array_like
            As in `body`; the position is the middle of the block.

        Returns
        -------
        str
            The name.
        """
        place = f"body {word(name, 'the name of a body')!r}: "
        mass = number(mass, place + "mass")
        x, y, z = (float(s) ** 2 for s in _vector(size, place + "size"))
        return self.body(name, mass, (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12), position=position, orientation=orientation)

    def joint(self, kind: str, name: str, predecessor: str, successor: str, *, point: Any, axis: Any = None, orientation: Any = None,
              **fields: Any) -> dict[str, Any]:
        """A joint at a point.

        Parameters
        ----------
        kind : str
            A type of rung-model/1.
        name, predecessor, successor : str
            The names of the joint and of its bodies; "world" is one, too.
        point : array_like
            The point in the world, m.
        axis : array_like, optional
            The direction of its z axis in the world.
        orientation : array_like, optional
            The orientation of its frame in the world, in place of `axis`.
        **fields
            Further fields of the format, such as damping.

        Returns
        -------
        dict
            Its entry in the document.
        """
        place = f"joint {word(name, 'the name of a joint')!r}: "
        q = _unit(orientation, place + "orientation") if orientation is not None else _from_to((0, 0, 1), _direction(axis, place))
        at = _vector(point, place + "point")
        j = {"name": name, "type": kind, "predecessor": predecessor, "successor": successor,
             "predecessor_frame": self._frame(place, predecessor, at, q), "successor_frame": self._frame(place, successor, at, q), **fields}
        self.document["joints"].append(j)
        return j

    def _frame(self, place: str, body: str, point: np.ndarray, q: np.ndarray) -> dict[str, Any]:
        if word(body, place + "the name of a body") not in self._pose:
            raise _lib.ModelError(f"{place}no body {body!r} yet")
        position, turn = self._pose[body]
        back = turn * (1, -1, -1, -1)
        return {"position": _rotate(back, point - position).tolist(), "orientation": _multiply(back, q).tolist()}

    def revolute(self, name: str, predecessor: str, successor: str, *, point: Any, axis: Any, **fields: Any) -> dict[str, Any]:
        """A hinge about an axis through a point; parameters as for `joint`."""
        return self.joint("revolute", name, predecessor, successor, point=point, axis=axis, **fields)

    def prismatic(self, name: str, predecessor: str, successor: str, *, point: Any, axis: Any, **fields: Any) -> dict[str, Any]:
        """A slider along an axis; parameters as for `joint`."""
        return self.joint("prismatic", name, predecessor, successor, point=point, axis=axis, **fields)

    def cylindrical(self, name: str, predecessor: str, successor: str, *, point: Any, axis: Any, **fields: Any) -> dict[str, Any]:
        """A slider that may rotate about its axis; parameters as for `joint`."""
        return self.joint("cylindrical", name, predecessor, successor, point=point, axis=axis, **fields)

    def spherical(self, name: str, predecessor: str, successor: str, *, point: Any, **fields: Any) -> dict[str, Any]:
        """A ball joint; parameters as for `joint`."""
        return self.joint("spherical", name, predecessor, successor, point=point, orientation=(1, 0, 0, 0), **fields)

    def fixed(self, name: str, predecessor: str, successor: str, *, point: Any, **fields: Any) -> dict[str, Any]:
        """A weld; parameters as for `joint`."""
        return self.joint("fixed", name, predecessor, successor, point=point, orientation=(1, 0, 0, 0), **fields)

    def spring(self, name: str, first: str, second: str, *, start: Any, end: Any, stiffness: float, damping: float = 0.0,
               rest_length: float) -> dict[str, Any]:
        """A spring and damper between two points.

        Parameters
        ----------
        name, first, second : str
            The names of the spring and of its bodies.
        start, end : array_like
            Its ends on these bodies, as points in the world, m.
        stiffness, damping, rest_length : float
            N/m, N s/m, m

        Returns
        -------
        dict
            Its entry in the document.
        """
        place = f"force {word(name, 'the name of a force')!r}: "
        f: dict[str, Any] = {"name": name, "type": "spring_damper", "a": {"body": first, "point": self._point(place, first, start, "start")},
             "b": {"body": second, "point": self._point(place, second, end, "end")}}
        f.update({what: number(x, place + what) for what, x in (("stiffness", stiffness), ("damping", damping), ("rest_length", rest_length))})
        self.document.setdefault("forces", []).append(f)
        return f

    def _point(self, place: str, body: str, point: Any, what: str) -> list[float]:
        return self._frame(place, body, _vector(point, place + what), np.array([1.0, 0, 0, 0]))["position"]  # type: ignore[no-any-return]

    def build(self) -> Model:
        """The model, checked and analysed."""
        return loads(self.document, self.document["name"] + ".model.json")


def _vector(x: Any, what: str) -> np.ndarray:
    """Three finite numbers."""
    v = array(x, (3,), what).copy()
    for i in range(3):
        number(v[i], f"{what}[{i}]")
    return v


def _unit(q: Any, what: str) -> np.ndarray:
    a = numbers_of(q, what).astype(float)
    n = float(np.linalg.norm(a)) if a.shape == (4,) else 0.0
    if not 1e-8 < n < np.inf:
        raise _lib.ModelError(f"{what}: {q} is no quaternion")
    return a / n


def _direction(axis: Any, place: str) -> np.ndarray:
    a = np.zeros(3) if axis is None else numbers_of(axis, place + "axis").astype(float)
    n = float(np.linalg.norm(a)) if a.shape == (3,) else 0.0
    if not 0 < n < np.inf:
        raise _lib.ModelError(f"{place}{axis} is no direction")
    return a / n


def _multiply(p: Any, q: Any) -> np.ndarray:
    w, v, u, r = p[0], np.asarray(p[1:]), q[0], np.asarray(q[1:])
    return np.concatenate(([w * u - v @ r], w * r + u * v + np.cross(v, r)))


def _rotate(q: Any, v: Any) -> np.ndarray:
    return _multiply(_multiply(q, np.concatenate(([0.0], v))), q * (1, -1, -1, -1))[1:]


def _from_to(a: Any, b: Any) -> np.ndarray:
    """The shortest rotation from one unit vector to another."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    w = 1 + a @ b
    if w < 1e-9:  # half a turn about any axis orthogonal to a
        across = np.cross(a, (1, 0, 0) if abs(a[0]) < 0.9 else (0, 1, 0))
        return np.concatenate(([0.0], across / np.linalg.norm(across)))
    q: np.ndarray = np.concatenate(([w], np.cross(a, b)))
    return q / float(np.linalg.norm(q))
