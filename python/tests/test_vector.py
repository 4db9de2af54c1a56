"""rung.vector, with Gymnasium where it is installed and with the stand-in beside this file elsewhere."""
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rung

STANDIN = str(Path(__file__).with_name("standin"))


@pytest.fixture(scope="module")
def vector():
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        sys.path.insert(0, STANDIN)
    sys.modules.pop("rung.vector", None)
    module = importlib.import_module("rung.vector")
    yield module
    if STANDIN in sys.path:
        sys.path.remove(STANDIN)
        for name in [n for n in sys.modules if n == "gymnasium" or n.startswith("gymnasium.")]:
            del sys.modules[name]
    sys.modules.pop("rung.vector", None)


def tip(b):
    return b.states[:, [1, 2, 8]]


def make(vector, model, n=4, **options):
    given = dict(forces=["O"], limits=5.0, reward=lambda b, actions: -(actions**2).sum(axis=1), observation=tip, step=0.01, substeps=5, threads=1)
    return vector.VectorEnv(model, n, **{**given, **options})


def test_without_gymnasium(tmp_path):
    """The module can be imported; to make an environment says what is missing."""
    (tmp_path / "gymnasium.py").write_text("raise ImportError('none here')\n")
    code = f"""import sys; sys.path.insert(0, {str(tmp_path)!r})
import rung, rung.vector
try:
    rung.vector.VectorEnv(None, 1, forces=[], limits=1, reward=None)
except ImportError as e:
    print(e)
"""
    out = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path), "RUNG_LIBRARY": _library()}, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert "Gymnasium 1.1 or later" in out.stdout and "none here" in out.stdout


def _library():
    from rung import _lib

    return str(_lib._path())


def test_signatures(vector):
    """The methods are called as those of the base are."""
    base = vector.VectorEnv.__mro__[1]
    for name in ("reset", "step", "close", "close_extras"):
        ours, theirs = inspect.signature(getattr(vector.VectorEnv, name)), inspect.signature(getattr(base, name))
        assert [(p.name, p.kind) for p in ours.parameters.values()] == [(p.name, p.kind) for p in theirs.parameters.values()], name


def test_spaces(vector, model):
    e = make(vector, model, limits=[3])
    assert e.single_action_space.shape == (1,) and e.action_space.shape == (4, 1) and e.single_observation_space.shape == (3,)
    assert e.action_space.high[2, 0] == 3 and e.metadata["autoreset_mode"].value == "NextStep"
    o, infos = e.reset(seed=3)
    assert e.observation_space.contains(o) and infos == {}
    o, r, terminated, truncated, infos = e.step(e.action_space.sample())
    assert e.observation_space.contains(o) and r.shape == (4,) and r.dtype == np.float64
    assert terminated.dtype == truncated.dtype == np.bool_ and not terminated.any() and infos == {}
    assert make(vector, model, observation=None).single_observation_space.shape == (model.nstate - 1,)


def test_motion(vector, model):
    """An environment moves as a batch does, and cuts actions at the limits."""
    e, b = make(vector, model), model.batch(4, forces=["O"], threads=1)
    e.reset()
    for actions in ([[1.0], [2], [3], [4]], [[-9], [9], [0], [1]]):
        b.forces[:] = np.clip(actions, -5, 5)
        b.step(0.002, 5)
        o, r, *_ = e.step(np.array(actions))
        assert np.array_equal(o, tip(b)) and np.array_equal(r, -b.forces[:, 0]**2)
    o[:] = 0
    assert e.batch.states[0, 1:].any(), "observations are copies"


def test_next_step(vector, model):
    """The step after the last one begins an episode, without reward and action."""
    e = make(vector, model, episode=2, reward=lambda b, a: np.ones(4))
    first, _ = e.reset()
    e.step(np.ones((4, 1)))
    last, r, terminated, truncated, _ = e.step(np.ones((4, 1)))
    assert truncated.all() and not terminated.any() and not np.array_equal(last, first)
    o, r, terminated, truncated, _ = e.step(np.ones((4, 1)))
    assert np.array_equal(o, first) and not r.any() and not truncated.any() and not terminated.any()
    o, r, *_ = e.step(np.ones((4, 1)))
    assert r.all() and not np.array_equal(o, first)


def test_same_step(vector, model):
    """The last step begins the next episode, and infos have the end of the old one."""
    ends = lambda b: np.array([False, True, False, False])  # noqa: E731
    e = make(vector, model, terminated=ends, autoreset_mode="SameStep")
    first, _ = e.reset()
    o, r, terminated, truncated, infos = e.step(np.ones((4, 1)))
    assert terminated.tolist() == [False, True, False, False] and not truncated.any()
    assert np.array_equal(o[1], first[1]) and not np.array_equal(o[0], first[0])
    assert infos["_final_obs"].tolist() == terminated.tolist() == infos["_final_info"].tolist()
    assert infos["final_obs"][0] is None and np.array_equal(infos["final_obs"][1], o[0]), "all had the same action"
    e.step(np.ones((4, 1)))


def test_disabled(vector, model):
    """Nothing begins by itself; a mask begins some."""
    e = make(vector, model, episode=1, autoreset_mode="Disabled")
    with pytest.raises(rung.ModelError, match="episode 0 has not begun"):
        e.step(np.zeros((4, 1)))
    first, _ = e.reset()
    last, *_ = e.step(np.ones((4, 1)))
    with pytest.raises(rung.ModelError, match="episode 0 has not begun"):
        e.step(np.zeros((4, 1)))
    o, _ = e.reset(options={"reset_mask": np.array([True, True, False, True])})
    assert np.array_equal(o[0], first[0]) and np.array_equal(o[2], last[2])
    with pytest.raises(rung.ModelError, match="episode 2"):
        e.step(np.zeros((4, 1)))
    for bad in (np.ones(4), np.ones(3, dtype=bool), np.zeros(4, dtype=bool)):
        with pytest.raises(rung.ModelError, match="reset_mask"):
            e.reset(options={"reset_mask": bad})


def test_start(vector, model):
    """Episodes begin where start says, by the seed."""
    def start(rng, n):
        x = np.tile(model.initial().data, (n, 1))
        x[:, 0] = rng.uniform(size=n)
        return x

    e = make(vector, model, start=start, observation=lambda b: b.states[:, :1], autoreset_mode="Disabled", episode=1)
    a, _ = e.reset(seed=5)
    b, _ = e.reset(seed=5)
    c, _ = e.reset()
    assert np.array_equal(a, b) and not np.array_equal(b, c) and len(set(a[:, 0])) == 4
    e = make(vector, model, start=lambda rng, n: np.zeros((n, 3)))
    with pytest.raises(rung.ModelError, match="start has the shape"):
        e.reset()


def test_failures(vector, model):
    """A state that cannot be moved on ends its episode, and the next one begins."""
    e = make(vector, model)
    first, _ = e.reset()
    e.batch.states[2, 1] += 0.5
    o, r, terminated, truncated, infos = e.step(np.zeros((4, 1)))
    assert terminated.tolist() == [False, False, True, False] and infos["failed"].tolist() == terminated.tolist() == infos["_error"].tolist()
    assert "joint" in infos["error"][2] and infos["error"][0] is None
    o, r, terminated, _, infos = e.step(np.zeros((4, 1)))
    assert np.array_equal(o[2], first[2]) and not terminated.any() and infos == {}


@pytest.mark.parametrize("options, says", [
    ({"n": 0}, "num_envs is 0"), ({"limits": -1}, "limits"), ({"limits": [1, 2]}, "limits"), ({"limits": np.nan}, "limits"), ({"step": 0.0}, "step"),
    ({"substeps": 0}, "substeps"), ({"episode": 0}, "episode"), ({"autoreset_mode": "Never"}, "NextStep"), ({"forces": ["Q"]}, "Q"),
    ({"observation": lambda b: np.zeros(3)}, "observation has the shape"),
])
def test_refused(vector, model, options, says):
    with pytest.raises(rung.ModelError, match=says):
        make(vector, model, **options)


def test_refused_later(vector, model):
    e = make(vector, model)
    e.reset()
    for actions, says in ((np.zeros(4), "actions has the shape"), ([[1], [np.nan], [0], [0]], r"actions\[1, 0\] is nan")):
        with pytest.raises(rung.ModelError, match=says):
            e.step(actions)
    for options, says in (({"reward": lambda b, a: 1.0}, "reward has the shape"), ({"terminated": lambda b: np.zeros(4)}, "terminated gives float64"),
                          ({"integrator": "euler"}, "euler")):
        e = make(vector, model, **options)
        e.reset()
        with pytest.raises(rung.ModelError, match=says):
            e.step(np.zeros((4, 1)))
    with pytest.raises(rung.ModelError, match="seed"):
        e.reset(seed=-1)


def test_close(vector, model):
    e = make(vector, model)
    e.reset()
    e.close()
    assert e.closed
    e.close()
    with pytest.raises(rung.RungError, match="closed"):
        e.step(np.zeros((4, 1)))
