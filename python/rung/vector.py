"""Environments for reinforcement learning: the states of a `Batch` as a vector environment of Gymnasium (1.1 or later).

The module can be imported without Gymnasium, but an environment needs it. It has been tested with a stand-in that has the documented signatures of
Gymnasium, and not with the real package."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._lib import ModelError
from ._values import array, number, numbers_of, shown, whole
from .batch import Batch
from .model import Model

try:
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as _Base
    from gymnasium.vector.utils import batch_space

    _MISSING: ImportError | None = None
except ImportError as e:
    _Base, _MISSING = object, e

__all__ = ["VectorEnv"]


class VectorEnv(_Base):  # type: ignore[misc]
    """Many mechanisms that move at once. The actions of each are forces that are constant over a step.

    A mechanism whose state cannot be advanced ends its episode: it is terminated, and `infos` has "failed" and "error" with their masks. Its reward and
    observation are then those of its last state.

    Parameters
    ----------
    model : Model
    num_envs : int
    forces : sequence of str
        The forces that are the actions: names of joints with one freedom, or paths such as joints[A].force[1] (`Batch`).
    limits : float or array_like
        The largest forces, N or N m: one for all, or one for each. Larger actions are clipped.
    reward : callable
        Called with the batch and the actions (num_envs, number of forces), neither of which it may change; returns rewards (num_envs).
    observation : callable, optional
        Called with the batch; returns observations (num_envs, any number). The default are the states without their time.
    terminated : callable, optional
        Called with the batch; returns which episodes have ended (num_envs).
    start : callable, optional
        Called with a generator of random numbers and a number; returns so many states (number, nstate) that satisfy the joints. The default is
        the state of the model for all.
    step : float
        The time for which an action is held, s.
    substeps : int
        The number of steps of the integrator in that time.
    episode : int, optional
        The number of steps after which an episode is truncated.
    autoreset_mode : str or gymnasium.vector.AutoresetMode
        How episodes that have ended begin again: NextStep, SameStep or Disabled, with the meanings of Gymnasium.
    integrator : str
        rk4 or semi-implicit
    threads : int, optional
        The default is the number of processors of the process.

    Raises
    ------
    ImportError
        Gymnasium is not installed, or is older than 1.1.
    """

    def __init__(self, model: Model, num_envs: int, *, forces: Sequence[str], limits: Any, reward: Callable[[Batch, np.ndarray], Any],
                 observation: Callable[[Batch], Any] | None = None, terminated: Callable[[Batch], Any] | None = None,
                 start: Callable[[np.random.Generator, int], Any] | None = None, step: float = 0.01, substeps: int = 10, episode: int | None = None,
                 autoreset_mode: Any = "NextStep", integrator: str = "rk4", threads: int | None = None) -> None:
        self.closed = True  # until it is made
        if _MISSING is not None:
            raise ImportError(f"rung.vector takes Gymnasium 1.1 or later, which is not installed ({_MISSING})") from _MISSING
        super().__init__()
        self.num_envs = whole(num_envs, "num_envs", 1)
        self._h = number(step, "step") / whole(substeps, "substeps", 1)
        if not self._h > 0:
            raise ModelError(f"step is {step}, and has to be above 0")
        self._substeps, self._integrator = int(substeps), integrator
        self._episode = None if episode is None else whole(episode, "episode", 1)
        try:
            self._mode = AutoresetMode(autoreset_mode)
        except ValueError:
            raise ModelError(f"autoreset_mode is {autoreset_mode!r}, and has to be one of {[m.value for m in AutoresetMode]}") from None
        self._reward, self._look, self._ended, self._start = reward, observation, terminated, start
        self.batch = Batch(model, self.num_envs, forces=forces, threads=threads)
        n = self.batch.forces.shape[1]
        most = numbers_of(limits, "limits").astype(np.float64)
        if most.shape not in ((), (n,)) or not (np.isfinite(most) & (most > 0)).all():
            raise ModelError(f"limits are {shown(limits)}, and have to be {n} numbers above 0, or one")
        self._most = np.broadcast_to(most, (n,))
        self.single_action_space = Box(-self._most, self._most, dtype=np.float64)
        self.single_observation_space = Box(-np.inf, np.inf, shape=self._observe().shape[1:], dtype=np.float64)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self._steps = np.zeros(self.num_envs, dtype=np.int64)  # steps of each episode
        self._done = np.ones(self.num_envs, dtype=np.bool_)  # an episode has not begun, or has ended
        self.closed = False

    def _observe(self) -> np.ndarray:
        x = self.batch.states[:, 1:] if self._look is None else numbers_of(self._look(self.batch), "observation")
        if x.ndim != 2 or len(x) != self.num_envs:
            raise ModelError(f"observation has the shape {x.shape}, and has to have ({self.num_envs}, any number)")
        return np.array(x, dtype=np.float64)

    def _begin(self, which: np.ndarray) -> None:
        """Begins the episodes of a mask."""
        n = int(which.sum())
        if n == 0:
            return
        model = self.batch.model
        first = model.initial().data if self._start is None else array(self._start(self.np_random, n), (n, model.nstate), "start")
        self.batch.states[which], self.batch.forces[which] = first, 0
        self._steps[which], self._done[which] = 0, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins all episodes, or the episodes of a mask.

        Parameters
        ----------
        seed : int, optional
            Seed of the generator that `start` gets.
        options : dict, optional
            "reset_mask": which episodes begin, an array of bools (num_envs).

        Returns
        -------
        observations : numpy.ndarray
        infos : dict
        """
        super().reset(seed=None if seed is None else whole(seed, "seed", 0, 2**64 - 1), options=options)
        which = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            which = np.asarray(options["reset_mask"])
            if which.dtype != np.bool_ or which.shape != (self.num_envs,) or not which.any():
                raise ModelError(f"reset_mask is {shown(which)}, and has to be an array of {self.num_envs} bools, of which one is true")
        self._begin(which)
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advances all mechanisms by a step.

        Parameters
        ----------
        actions : array_like
            Forces (num_envs, number of forces).

        Returns
        -------
        observations : numpy.ndarray
        rewards : numpy.ndarray
        terminations, truncations : numpy.ndarray
            The episodes that have ended by themselves, and by their number of steps.
        infos : dict
        """
        b = self.batch
        forces = array(actions, b.forces.shape, "actions")
        if not np.isfinite(forces).all():
            i, k = np.argwhere(~np.isfinite(forces))[0]
            raise ModelError(f"actions[{i}, {k}] is {forces[i, k]}, and has to be finite")
        if self._done.any() and self._mode is not AutoresetMode.NEXT_STEP:
            raise ModelError(f"episode {int(np.argmax(self._done))} has not begun: reset it")
        fresh = self._done.copy()  # these episodes begin, and their actions are ignored
        b.forces[:] = np.clip(forces, -self._most, self._most)
        b.step(self._h, self._substeps, integrator=self._integrator)
        self._steps += 1
        terminations, infos = b.failed & ~fresh, self._failures(fresh)
        self._begin(fresh)
        if self._ended is not None:
            ended = np.asarray(self._ended(b))
            if ended.shape != (self.num_envs,) or ended.dtype != np.bool_:
                raise ModelError(f"terminated gives {ended.dtype} of the shape {ended.shape}, and has to give {self.num_envs} bools")
            terminations = (terminations | ended) & ~fresh
        truncations = np.zeros(self.num_envs, dtype=np.bool_) if self._episode is None else (self._steps >= self._episode) & ~terminations
        rewards = np.where(fresh, 0.0, array(self._reward(b, b.forces), (self.num_envs,), "reward"))
        observations = self._observe()
        self._done = terminations | truncations
        if self._mode is AutoresetMode.SAME_STEP and self._done.any():
            observations = self._same(observations, infos)
        return observations, rewards, terminations, truncations, infos

    def _failures(self, fresh: np.ndarray) -> dict[str, Any]:
        """The entries of infos for states that have failed."""
        failed = self.batch.failed & ~fresh
        if not failed.any():
            return {}
        errors = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(failed):
            errors[i] = self.batch.error(int(i))
        return {"failed": failed, "_failed": failed.copy(), "error": errors, "_error": failed.copy()}

    def _same(self, last: np.ndarray, infos: dict[str, Any]) -> np.ndarray:
        """Begins the episodes that have ended again, and stores their last observations and infos in infos."""
        done = self._done.copy()
        final = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(done):
            final[i] = last[i]
        ended = dict(infos)
        infos.clear()
        infos.update({"final_obs": final, "_final_obs": done, "final_info": ended, "_final_info": done.copy()})
        self._begin(done)
        return self._observe()

    def close_extras(self, **kwargs: Any) -> None:
        """Frees the batch."""
        self.batch.close()
