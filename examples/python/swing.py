"""A pendulum on a cart: how its period grows with the amplitude, from one batch.

Each of 64 states begins at another angle. All are moved on together, and each is looked at for the time at which it is at rest again. The exact period is that of
the complete elliptic integral by the arithmetic–geometric mean.
"""
import math

import numpy as np

import rung


def model() -> rung.Model:
    b = rung.Builder("pendulum", gravity=(0, 0, -9.81))
    b.body("bob", 1.0, (1e-9, 1e-9, 1e-9), position=(0, 0, -1))
    b.revolute("pivot", "world", "bob", point=(0, 0, 0), axis=(0, 1, 0))
    return b.build()


def periods(m: rung.Model, angles: np.ndarray, step: float = 0.002, steps: int = 2500) -> np.ndarray:
    b = m.batch(len(angles))
    for i, a in enumerate(angles):
        s = b.state(i)
        s.position[0] = -math.sin(a), 0, -math.cos(a)
        s.quaternion[0] = math.cos(a / 2), 0, math.sin(a / 2), 0
    path = b.rollout(step, steps)
    assert not b.failed.any()
    n = m.nbody
    rate = path[:, :, 1 + 7 * n + 4]           # the angular velocity about y
    out = np.empty(len(angles))
    for i in range(len(angles)):
        w = rate[:, i]
        k = np.flatnonzero((w[:-1] < 0) != (w[1:] < 0))[1]  # at rest on the way out, then back where it began
        out[i] = step * (k + 1 + w[k] / (w[k] - w[k + 1]))
    return out


def exact(angle: float) -> float:
    a, g = 1.0, math.cos(angle / 2)
    while abs(a - g) > 1e-15:
        a, g = (a + g) / 2, math.sqrt(a * g)
    return 2 * math.pi / math.sqrt(9.81) / a


def main() -> None:
    angles = np.linspace(0.05, 2.8, 64)
    found = periods(model(), angles)
    worst = max(abs(f / exact(a) - 1) for f, a in zip(found, angles))
    print(f"periods from {found[0]:.4f} to {found[-1]:.4f} s, off by {worst:.0e} at most")
    assert worst < 1e-5


if __name__ == "__main__":
    main()
