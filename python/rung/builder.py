"""Models made in Python: bodies and joints placed in the world."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib
from .model import Model, loads


class Builder:
    """Makes a document of rung-model/1. Bodies and joints are placed where they are in the world; further fields of the format are keywords.

    >>> b = rung.Builder("pendulum")
    >>> _ = b.rod("rod", 1.0, 0.01, (0, 0, 0), (1, 0, 0))
    >>> _ = b.revolute("hinge", "world", "rod", point=(0, 0, 0), axis=(0, 1, 0))
    >>> b.build().accel().bodies[0].angular_acceleration[1] > 0
    True
    """

    def __init__(self, name: str, *, gravity=(0, 0, -9.81)):
        self.document: dict[str, Any] = {"format": "rung-model/1", "name": name, "gravity": _list(gravity), "bodies": [], "joints": []}
        self._pose = {"world": (np.zeros(3), np.array([1.0, 0, 0, 0]))}

    def body(self, name: str, mass: float, inertia, *, com=(0, 0, 0), position=(0, 0, 0), orientation=(1, 0, 0, 0), linear=(0, 0, 0), angular=(0, 0, 0)) -> str:
        """A body; `inertia` about the centre of mass in body axes: three moments or a symmetric 3×3 matrix. Returns its name."""
        j = np.asarray(inertia, float)
        j = np.diag(j) if j.shape == (3,) else j
        if j.shape != (3, 3) or not np.array_equal(j, j.T):
            raise _lib.ModelError(f"body {name!r}: an inertia is three moments or a symmetric 3×3 matrix")
        q = _unit(orientation, f"body {name!r}: orientation")
        self._pose[name] = (np.asarray(position, float), q)
        self.document["bodies"].append({
            "name": name, "mass": float(mass), "com": _list(com),
            "inertia": {k: float(j[a]) for k, a in {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}.items()},
            "pose": {"position": _list(position), "orientation": _list(q)}, "velocity": {"linear": _list(linear), "angular": _list(angular)},
        })
        return name

    def rod(self, name: str, mass: float, radius: float, start, end) -> str:
        """A homogeneous cylinder from a point to another one; its frame is in the middle, x along it."""
        a, c = np.asarray(start, float), np.asarray(end, float)
        length = float(np.linalg.norm(c - a))
        if not length > 0:
            raise _lib.ModelError(f"body {name!r}: a rod from a point to the same point")
        across = mass * (radius**2 / 4 + length**2 / 12)
        return self.body(name, mass, (mass * radius**2 / 2, across, across), position=(a + c) / 2, orientation=_from_to((1, 0, 0), (c - a) / length))

    def box(self, name: str, mass: float, size, *, position=(0, 0, 0), orientation=(1, 0, 0, 0)) -> str:
        """A homogeneous block with edges along its axes."""
        x, y, z = (float(s) ** 2 for s in size)
        return self.body(name, mass, (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12), position=position, orientation=orientation)

    def joint(self, kind: str, name: str, predecessor: str, successor: str, *, point, axis=None, orientation=None, **fields: Any) -> dict:
        """A joint of a type of rung-model/1 at a point, with its z axis along `axis`, or with an orientation. Returns its part of the document."""
        q = _unit(orientation, f"joint {name!r}: orientation") if orientation is not None else _from_to((0, 0, 1), _direction(axis, name))
        j = {"name": name, "type": kind, "predecessor": predecessor, "successor": successor,
             "predecessor_frame": self._frame(name, predecessor, point, q), "successor_frame": self._frame(name, successor, point, q), **fields}
        self.document["joints"].append(j)
        return j

    def _frame(self, joint: str, body: str, point, q: np.ndarray) -> dict:
        if body not in self._pose:
            raise _lib.ModelError(f"joint {joint!r}: no body {body!r} yet")
        position, turn = self._pose[body]
        back = turn * (1, -1, -1, -1)
        return {"position": _list(_rotate(back, np.asarray(point, float) - position)), "orientation": _list(_multiply(back, q))}

    def revolute(self, name: str, predecessor: str, successor: str, *, point, axis, **fields: Any) -> dict:
        """A hinge about an axis through a point."""
        return self.joint("revolute", name, predecessor, successor, point=point, axis=axis, **fields)

    def prismatic(self, name: str, predecessor: str, successor: str, *, point, axis, **fields: Any) -> dict:
        """A slider along an axis."""
        return self.joint("prismatic", name, predecessor, successor, point=point, axis=axis, **fields)

    def cylindrical(self, name: str, predecessor: str, successor: str, *, point, axis, **fields: Any) -> dict:
        """A slider that may turn about its axis."""
        return self.joint("cylindrical", name, predecessor, successor, point=point, axis=axis, **fields)

    def spherical(self, name: str, predecessor: str, successor: str, *, point, **fields: Any) -> dict:
        """A ball joint."""
        return self.joint("spherical", name, predecessor, successor, point=point, orientation=(1, 0, 0, 0), **fields)

    def fixed(self, name: str, predecessor: str, successor: str, *, point, **fields: Any) -> dict:
        """A weld."""
        return self.joint("fixed", name, predecessor, successor, point=point, orientation=(1, 0, 0, 0), **fields)

    def spring(self, name: str, first: str, second: str, *, start, end, stiffness: float, damping: float = 0.0, rest_length: float) -> dict:
        """A spring and damper between two points, given in the world."""
        f = {"name": name, "type": "spring_damper", "a": {"body": first, "point": self._point(name, first, start)},
             "b": {"body": second, "point": self._point(name, second, end)}, "stiffness": stiffness, "damping": damping, "rest_length": rest_length}
        self.document.setdefault("forces", []).append(f)
        return f

    def _point(self, element: str, body: str, point) -> list[float]:
        return self._frame(element, body, point, np.array([1.0, 0, 0, 0]))["position"]

    def build(self) -> Model:
        """The model, checked and analysed."""
        return loads(self.document, self.document["name"])


def _list(x) -> list[float]:
    return [float(v) for v in np.asarray(x, float).ravel()]


def _unit(q, what: str) -> np.ndarray:
    q = np.asarray(q, float)
    n = float(np.linalg.norm(q)) if q.shape == (4,) else 0.0
    if not n > 1e-8:
        raise _lib.ModelError(f"{what}: {q} is no quaternion")
    return q / n


def _direction(axis, joint: str) -> np.ndarray:
    a = np.zeros(3) if axis is None else np.asarray(axis, float)
    n = float(np.linalg.norm(a)) if a.shape == (3,) else 0.0
    if not n > 0:
        raise _lib.ModelError(f"joint {joint!r}: {axis} is no direction")
    return a / n


def _multiply(p, q) -> np.ndarray:
    w, v, u, r = p[0], np.asarray(p[1:]), q[0], np.asarray(q[1:])
    return np.concatenate(([w * u - v @ r], w * r + u * v + np.cross(v, r)))


def _rotate(q, v) -> np.ndarray:
    return _multiply(_multiply(q, np.concatenate(([0.0], v))), q * (1, -1, -1, -1))[1:]


def _from_to(a, b) -> np.ndarray:
    """The shortest rotation from one unit vector to another."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    w = 1 + a @ b
    if w < 1e-9:  # half a turn, about any axis across
        across = np.cross(a, (1, 0, 0) if abs(a[0]) < 0.9 else (0, 1, 0))
        return np.concatenate(([0.0], across / np.linalg.norm(across)))
    q = np.concatenate(([w], np.cross(a, b)))
    return q / np.linalg.norm(q)
