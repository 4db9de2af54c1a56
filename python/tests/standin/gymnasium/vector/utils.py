"""Spaces of many environments at once."""
import numpy as np

from ..spaces import Box


def batch_space(space, n=1):
    return Box(np.broadcast_to(space.low, (n, *space.shape)), np.broadcast_to(space.high, (n, *space.shape)), dtype=space.dtype)
