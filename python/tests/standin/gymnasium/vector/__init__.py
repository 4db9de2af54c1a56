"""Vector environments of the stand-in."""
from enum import Enum

import numpy as np

from . import utils


class AutoresetMode(Enum):
    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"


class VectorEnv:
    metadata: dict = {}
    spec = None
    render_mode = None
    closed = False
    _np_random = None

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._np_random = np.random.default_rng(seed)

    def step(self, actions):
        raise NotImplementedError

    def render(self):
        raise NotImplementedError

    def close(self, **kwargs):
        if not self.closed:
            self.close_extras(**kwargs)
            self.closed = True

    def close_extras(self, **kwargs):
        pass

    @property
    def np_random(self):
        if self._np_random is None:
            self._np_random = np.random.default_rng()
        return self._np_random

    @property
    def unwrapped(self):
        return self

    def __del__(self):
        if not getattr(self, "closed", True):
            self.close()


__all__ = ["AutoresetMode", "VectorEnv", "utils"]
