"""Spaces of the stand-in."""
import numpy as np


class Space:
    def __init__(self, shape=None, dtype=None, seed=None):
        self._shape, self.dtype = shape, np.dtype(dtype)
        self._np_random = np.random.default_rng(seed)

    @property
    def shape(self):
        return self._shape

    def seed(self, seed=None):
        self._np_random = np.random.default_rng(seed)
        return seed


class Box(Space):
    """A box in so many dimensions; low and high are numbers or arrays of its shape."""

    def __init__(self, low, high, shape=None, dtype=np.float32, seed=None):
        if shape is None:
            shape = np.broadcast_shapes(np.shape(low), np.shape(high))
        super().__init__(tuple(shape), dtype, seed)
        self.low, self.high = np.broadcast_to(low, shape).astype(dtype), np.broadcast_to(high, shape).astype(dtype)

    def sample(self):
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, -1), np.where(bounded, self.high, 1)
        return self._np_random.uniform(low, high).astype(self.dtype)

    def contains(self, x):
        return isinstance(x, np.ndarray) and np.can_cast(x.dtype, self.dtype) and x.shape == self.shape and bool(((x >= self.low) & (x <= self.high)).all())
