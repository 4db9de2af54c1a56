"""Accelerations of mechanisms with loops in joint coordinates, for truth.py.

A mechanism is a tree of bodies and loops between them. Velocities and accelerations are spatial ones about the origin of the
world. A joint adds a column to those of its body. With M the inertia in joint coordinates, G the rows of the loops, c and
gamma what depends on velocities, and tau the forces, accelerations follow from

    M a + c = tau + G^T lambda,   G a + gamma = 0,

where rows that depend on others are found by singular values. Nothing of the library is used: neither its coordinates,
which are those of all bodies, nor its factors.
"""
import numpy as np


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation(v):
    """The rotation by a vector."""
    a = np.linalg.norm(v)
    if a == 0:
        return np.eye(3)
    K = cross(v / a)
    return np.eye(3) + np.sin(a) * K + (1 - np.cos(a)) * K @ K


def logarithm(E):
    w = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2
    s, c = np.linalg.norm(w), (np.trace(E) - 1) / 2
    return w if s < 1e-12 else w / s * np.arctan2(s, c)


def rpy(r, p, y):
    """Angles about the fixed axes x, y, z."""
    return rotation(np.array([0, 0, y])) @ rotation(np.array([0, p, 0])) @ rotation(np.array([r, 0, 0]))


def quaternion(E):
    w = np.sqrt(max(0, 1 + np.trace(E))) / 2
    if w > 0.1:
        return np.array([w, E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / [1, 4 * w, 4 * w, 4 * w]
    k = int(np.argmax(np.diag(E)))
    i, j = (k + 1) % 3, (k + 2) % 3
    x = np.sqrt(1 + E[k, k] - E[i, i] - E[j, j]) / 2
    q = np.zeros(4)
    q[0], q[1 + k], q[1 + i], q[1 + j] = (E[j, i] - E[i, j]) / (4 * x), x, (E[i, k] + E[k, i]) / (4 * x), (E[j, k] + E[k, j]) / (4 * x)
    return q


def motion_cross(a, b):
    return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])


def force_cross(a, f):
    return np.concatenate([np.cross(a[:3], f[:3]) + np.cross(a[3:], f[3:]), np.cross(a[:3], f[3:])])


FREEDOMS = {"hinge": 1, "slide": 1, "ball": 3}


class Joint:
    """A hinge or slide along axis, or a ball, at point; both in the frame of the body with all coordinates zero."""

    def __init__(self, kind, name="", axis=(0, 0, 1), point=(0, 0, 0), stiffness=0, rest=0, damping=0, armature=0):
        self.kind, self.name, self.axis, self.point = kind, name, np.array(axis, float), np.array(point, float)
        self.axis /= np.linalg.norm(self.axis)
        self.stiffness, self.rest, self.damping, self.armature = stiffness, rest, damping, armature


def free():
    """The joints of a body that floats."""
    return [Joint("slide", axis=e) for e in np.eye(3)] + [Joint("ball")]


class Mechanism:
    def __init__(self, gravity=(0, 0, 0)):
        self.gravity, self.bodies, self.loops, self.couplings, self.motions = np.array(gravity, float), [], [], [], {}
        self.number, self.nv = {"world": -1}, 0

    def body(self, name, parent, E, r, joints, mass=0, com=(0, 0, 0), inertia=(0, 0, 0), weightless=False):
        """A body whose frame is at r, E in its parent. The inertia is about com, as three moments or a matrix."""
        I = np.array(inertia, float)
        self.number[name] = len(self.bodies)
        for j in joints:
            j.at = self.nv
            self.nv += FREEDOMS[j.kind]
        self.bodies.append(dict(name=name, parent=self.number[parent], E=np.array(E, float), r=np.array(r, float), joints=joints,
                                mass=mass, com=np.array(com, float), I=np.diag(I) if I.ndim == 1 else I, weightless=weightless))

    def loop(self, kind, a, Ea, ra, b, Eb, rb):
        """A joint between frames of two bodies: ball, weld, hinge about z or cylinder along z."""
        self.loops.append((kind, self.number[a], np.array(Ea, float), np.array(ra, float), self.number[b], np.array(Eb, float), np.array(rb, float)))

    def joint(self, name):
        return next(j for b in self.bodies for j in b["joints"] if j.name == name)

    def start(self):
        """All coordinates zero: numbers, and rotations of balls."""
        return np.zeros(self.nv), {j.at: np.eye(3) for b in self.bodies for j in b["joints"] if j.kind == "ball"}

    def moved(self, q, d):
        """Coordinates q moved by d: of a ball by a rotation in axes of its body."""
        x, turns = q
        return x + d, {k: E @ rotation(d[k:k + 3]) for k, E in turns.items()}

    def forward(self, q, v):
        """Poses E, r of the bodies, Jacobians, velocities and the accelerations without those of coordinates."""
        x, turns = q
        out = []
        for b in self.bodies:
            if b["parent"] < 0:
                E, r, J, V, A = np.eye(3), np.zeros(3), np.zeros((6, self.nv)), np.zeros(6), np.zeros(6)
            else:
                E, r, J, V, A = out[b["parent"]]
            J = J.copy()
            r, E = r + E @ b["r"], E @ b["E"]
            for j in b["joints"]:
                c = r + E @ j.point
                before = V
                if j.kind == "slide":
                    a = E @ j.axis
                    S = np.concatenate([np.zeros(3), a])[:, None]
                    r = r + a * x[j.at]
                else:
                    T = turns[j.at] if j.kind == "ball" else rotation(j.axis * x[j.at])
                    E = E @ T
                    r = c - E @ j.point
                    axes = E.T if j.kind == "ball" else [E @ j.axis]
                    S = np.array([np.concatenate([a, np.cross(c, a)]) for a in axes]).T
                at = slice(j.at, j.at + S.shape[1])
                J[:, at] = S
                V = V + S @ v[at]
                A = A + motion_cross(before, S @ v[at])  # axes that turn with the body add nothing: a vector times itself
            out.append((E, r, J, V, A))
        return out

    def end(self, state, body, E, r):
        """Frame, Jacobian, velocity and acceleration of a frame of a body: of its point, as a clock there sees them."""
        if body < 0:
            return E, r, np.zeros((6, self.nv)), np.zeros(6), np.zeros(6)
        Eb, rb, J, V, A = state[body]
        p = rb + Eb @ r
        at = lambda X: np.concatenate([X[:3], X[3:] + np.cross(X[:3], p)])
        Jp = np.vstack([J[:3], J[3:] - cross(p) @ J[:3]])
        v = at(V)
        a = at(A)
        a[3:] += np.cross(V[:3], v[3:])
        return Eb @ E, p, Jp, v, a

    def rows(self, q, v, t):
        """Rows G, what they lack at acceleration level, and errors of position and velocity."""
        state = self.forward(q, v)
        G, gamma, delta, rate = [], [], [], []
        for kind, a, Ea, ra, b, Eb, rb in self.loops:
            E, p, Ja, va, aa = self.end(state, a, Ea, ra)
            F, s, Jb, vb, ab = self.end(state, b, Eb, rb)
            w = va[:3]
            J, vr = Jb - Ja, vb - va
            d = s - p
            # What the frame of a sees: it turns, and its point under that of b is not its origin.
            J = J.copy()
            J[3:] += cross(d) @ Ja[:3]
            vr = vr.copy()
            vr[3:] -= np.cross(w, d)
            acc = ab - aa
            acc[3:] -= np.cross(aa[:3], d) + np.cross(w, np.cross(w, d)) + 2 * np.cross(w, vr[3:])
            acc[:3] -= np.cross(w, vr[:3])
            turn = E @ logarithm(E.T @ F)
            lines = {"ball": "xyz", "weld": "XYZxyz", "hinge": "XYxyz", "cylinder": "XYxy"}[kind]
            if kind in ("hinge", "cylinder"):
                turn = np.cross(E[:, 2], F[:, 2])
            for c in lines:
                e = E[:, "xyz".index(c.lower())]
                h = slice(0, 3) if c.isupper() else slice(3, 6)
                G.append(e @ J[h])
                gamma.append(e @ acc[h])
                rate.append(e @ vr[h])
                delta.append(e @ (turn if c.isupper() else d))
        for j, f in self.motions.items():
            row = np.zeros(self.nv)
            row[j.at] = 1
            G.append(row)
            value, speed, acceleration = f(t)
            gamma.append(-acceleration)
            delta.append(q[0][j.at] - value)
            rate.append(v[j.at] - speed)
        shape = (len(G), self.nv)
        return np.array(G).reshape(shape), np.array(gamma), np.array(delta), np.array(rate)

    def close(self, q, t=0):
        """Coordinates near q that close the loops."""
        for _ in range(50):
            G, _, delta, _ = self.rows(q, np.zeros(self.nv), t)
            if not len(delta) or np.abs(delta).max() < 1e-15:
                break
            q = self.moved(q, -np.linalg.pinv(G, rcond=1e-8) @ delta)
        assert not len(delta) or np.abs(delta).max() < 1e-13, np.abs(delta).max()
        return q

    def allowed(self, q, v, t=0):
        """The velocities nearest to v that the loops allow."""
        G, _, _, rate = self.rows(q, v, t)
        return v - np.linalg.pinv(G, rcond=1e-8) @ rate if len(rate) else v

    def accelerate(self, q, v, tau, t=0, full=False):
        """Accelerations of coordinates, number of rows and rank."""
        M, c = np.zeros((self.nv, self.nv)), -np.array(tau, float)
        state = self.forward(q, v)
        for b, (E, r, J, V, A) in zip(self.bodies, state):
            p = r + E @ b["com"]
            m, X = b["mass"], cross(p)
            I = np.block([[E @ b["I"] @ E.T - m * X @ X, m * X], [-m * X, m * np.eye(3)]])
            g = np.zeros(3) if b["weightless"] else self.gravity
            M += J.T @ I @ J
            c += J.T @ (I @ A + force_cross(V, I @ V) - np.concatenate([np.cross(p, m * g), m * g]))
            for j in b["joints"]:
                if full:
                    M[j.at, j.at] += j.armature
                    c[j.at] += j.stiffness * (q[0][j.at] - j.rest) + j.damping * v[j.at]
        L = np.linalg.cholesky(M)
        y = np.linalg.solve(L, -c)
        G, gamma, _, _ = self.rows(q, v, t)
        rank = 0
        if len(gamma):
            B = np.linalg.solve(L, G.T).T
            size = np.linalg.norm(B, axis=1)
            size[size < 1e-10 * size.max()] = 1  # rows of zeros, rounded
            U, s, W = np.linalg.svd(B / size[:, None])
            rank = int((s > 1e-8).sum())
            assert rank == len(s) or s[rank] < 1e-11, s
            z = U.T @ ((-gamma - B @ y) / size)
            y = y + W[:rank].T @ (z[:rank] / s[:rank])
            assert np.abs(z[rank:]).max(initial=0) < 1e-9 * (1 + np.abs(gamma).max()), "the rows contradict each other"
        return np.linalg.solve(L.T, y), len(gamma), rank

    def report(self, q, v, a):
        """What a case of a truth file has of each body."""
        out = []
        for b, (E, r, J, V, A) in zip(self.bodies, self.forward(q, v)):
            A = A + J @ a
            w, al = V[:3], A[:3]
            point = lambda p: (V[3:] + np.cross(w, p), A[3:] + np.cross(al, p) + np.cross(w, V[3:] + np.cross(w, p)))
            speed, origin = point(r)
            out.append(dict(name=b["name"], position=list(r), orientation=list(quaternion(E)), linear_velocity=list(speed), angular_velocity=list(w),
                            origin_acceleration=list(origin), com_acceleration=list(point(r + E @ b["com"])[1]), angular_acceleration=list(al)))
        return out

    def differences(self, q, v, a):
        """By how much accelerations differ from the change of velocities along the motion, relative to the largest."""
        h = 1e-5
        speeds = []
        for s in (-h, h):
            x = self.moved(q, s * v + s * s / 2 * a)
            speeds.append([np.concatenate([b["angular_velocity"], b["linear_velocity"]]) for b in self.report(x, v + s * a, a)])
        want = np.array([np.concatenate([b["angular_acceleration"], b["origin_acceleration"]]) for b in self.report(q, v, a)])
        got = (np.array(speeds[1]) - np.array(speeds[0])) / (2 * h)
        return np.abs(got - want).max() / (1 + np.abs(want).max())
