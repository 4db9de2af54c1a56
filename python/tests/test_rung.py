import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import rung
from rung import _lib
from rung._version import version_of


def test_accel(model):
    r = model.accel()
    assert r.constraints.mobility == 1
    s = model.solver()
    a = s.accel()
    for i, b in enumerate(r.bodies):
        assert np.array_equal(a[i, :3], b.angular_acceleration) and np.array_equal(a[i, 3:], b.com_acceleration)
    w = s.wrenches()
    joint = r.joints[0]
    assert "force.z" in joint.undetermined and np.allclose(w[0, 3:5], joint.total_wrench.force[:2], rtol=1e-12)


def test_no_solution_has_no_wrenches(model):
    with pytest.raises(rung.SolveError, match="no state has been solved"):
        model.solver().wrenches()


def test_state_is_views(model):
    s = model.initial()
    s.position[1, 2] = 7
    s.angular_velocity[0] = 1, 2, 3
    t = s.copy()
    assert t.position[1, 2] == 7 and list(t.angular_velocity[0]) == [1, 2, 3] and t.data is not s.data
    s.time = 4
    assert s.data[0] == 4 and t.time == 0


def test_batch_is_solver(model, hinge):
    b = model.batch(20, forces=[hinge], threads=1)
    b.forces[:, 0] = np.linspace(-3, 3, 20)
    a, s = b.accel(), model.solver()
    assert not b.failed.any()
    for i in range(20):
        s.set({f"joints[{hinge}].force[0]": b.forces[i, 0]})
        assert np.allclose(a[i], s.accel(), rtol=1e-11, atol=1e-11)


def test_batch_begins_with_forces_of_the_model():
    b = rung.Builder("pendulum")
    b.rod("rod", 1, 0.01, (0, 0, 0), (1, 0, 0))
    b.revolute("a ] b", "world", "rod", point=(0, 0, 0), axis=(0, 1, 0), force=[3.0])
    m = b.build()
    batch = m.batch(2, forces=["a ] b"], threads=1)
    assert batch.forces.tolist() == [[3.0], [3.0]]
    assert np.allclose(batch.accel()[0], m.solver().accel(), rtol=1e-12)
    assert m.batch(3).forces.shape == (3, 0)
    assert m.batch(0).accel().shape == (0, m.nbody, 6)
    none = m.batch(0, forces=["a ] b"])
    none.step(0.01, 2)
    assert none.forces.shape == (0, 1) and none.rollout(0.01, 4, every=2).shape == (2, 0, m.nstate)


def test_batch_varies(model):
    knob = f"bodies[{model.body_names[0]}].mass"
    b = model.batch(5, vary=[knob], threads=1)
    b.vary(np.linspace(1, 2, 5)[:, None])
    a, s = b.accel(), model.solver()
    for i in range(5):
        s.set({knob: 1 + i / 4})
        assert np.allclose(a[i], s.accel(), rtol=1e-11, atol=1e-11)
    with pytest.raises(rung.ModelError, match="shape"):
        b.vary(np.zeros(5))
    with pytest.raises(rung.ModelError, match="state 3.*mass"):
        b.vary(np.array([[1.0], [1], [1], [-1], [1]]))


def test_rollout(model):
    b = model.batch(3, threads=1)
    into = b.rollout(1e-3, 10, every=5)
    assert into.shape == (2, 3, model.nstate) and np.array_equal(into[1], b.states)
    assert b.state(0).time == pytest.approx(0.01)
    with pytest.raises(rung.ModelError, match="^-10 steps"):
        b.rollout(1e-3, -10)
    with pytest.raises(rung.ModelError, match="no state -1"):
        b.error(-1)
    with pytest.raises(rung.ModelError, match="from -1"):
        b.vary(np.ones((1, 0)), first=-1)
    b.states[1, 1] += 0.5
    b.step(1e-3)
    assert list(b.failed) == [False, True, False] and "joint" in b.error(1) and b.error(0) is None


def test_run_goes_on_to_the_bit(model, hinge):
    a, b = model.run(tolerance=1e-9), model.run(tolerance=1e-9)
    a.set({f"joints[{hinge}].force[0]": 0.5})
    a.to(0.3)
    b.load(a.save())
    assert np.array_equal(a.to(0.6).data, b.to(0.6).data)


def test_simulate(model):
    t = model.simulate(0.5, every=0.1, columns=["time", "energy.*"], tolerance=1e-10)
    assert len(t) == 6 and t.units["energy.kinetic"] == "J" and np.allclose(t.time, np.arange(6) / 10)
    assert np.ptp(t["energy.kinetic"] + t["energy.potential"]) < 1e-7
    with pytest.raises(KeyError, match="did you mean 'energy.kinetic'"):
        t["energy.kinetc"]
    with pytest.raises(rung.ModelError, match="every"):
        model.run().trajectory()


def test_trajectory_files(model, tmp_path):
    t = model.simulate(0.1, every=0.05, columns=["time", "energy.*"])
    t.to_csv(tmp_path / "a.csv")
    again = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert np.array_equal(again, t.data)
    pandas = pytest.importorskip("pandas")
    assert isinstance(t.to_pandas(), pandas.DataFrame)


@pytest.mark.parametrize("bad, says", [
    (lambda m: rung.loads("{}"), r"\$\.format"),
    (lambda m: rung.load("/none.json"), "no such file"),
    (lambda m: m.solver().set({"joints[Q].force[0]": 1}), r"no knob .joints\[Q\]"),
    (lambda m: m.joint("Q"), "no joint 'Q'"),
    (lambda m: m.run(stepp=1), "stepp"),
    (lambda m: m.run(integrator="euler"), "euler"),
    (lambda m: m.accel(rung.State(m, np.zeros(5 + m.nstate))), "shape"),
    (lambda m: m.close_joints(m.initial(), hold=["nobody"]), "nobody"),
    (lambda m: m.batch(3, forces=["Q"]), "Q"),
    (lambda m: m.batch(3, vary=["gravity[0]"]), "gravity"),
    (lambda m: m.batch(-1), "-1 states"),
    (lambda m: m.svg(width=-1), "width"),
    (lambda m: m.run().load(b"nothing"), "saved run"),
    (lambda m: rung.loads({"format": "rung-model/1", "bodies": []}, threads=-1), "threads"),
])
def test_refused(model, bad, says):
    with pytest.raises(rung.ModelError, match=says):
        bad(model)


def test_details(model):
    with pytest.raises(rung.ModelError) as e:
        rung.loads({"format": "rung-model/1", "name": "x", "bodies": [{"name": "a", "mass": -1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}], "joints": []})
    assert e.value.details["problems"][0]["path"] == "$.bodies[0].mass"
    s = model.solver()
    s.state.position[1] = np.nan
    with pytest.raises(rung.SolveError, match="not finite") as e:
        s.accel()
    assert e.value.details["body"] == model.body_names[1]


def test_quaternions(model):
    s = model.solver()
    want = s.accel().copy()
    s.state.quaternion[:] *= 2
    assert np.allclose(s.accel(), want, rtol=1e-12)
    s.state.quaternion[2] = 0
    with pytest.raises(rung.SolveError, match=model.body_names[2]):
        s.accel()


def test_close(model):
    s = model.initial()
    s.position[0, 0] += 0.01
    with pytest.raises(rung.ModelError, match="joint"):
        model.run(s)
    t = model.close_joints(s)
    model.run(t).to(0.01)
    assert not np.array_equal(s.data, t.data)


def test_knobs(model, hinge):
    knobs = {k.path: k for k in model.knobs}
    assert knobs["gravity[1]"].unit == "m/s²"
    assert knobs[f"bodies[{model.body_names[0]}].mass"].geometry
    s = model.solver()
    a = s.accel().copy()
    s.set({"gravity[0]": 1.0, "gravity[1]": 0.0})
    assert not np.array_equal(a, s.accel())
    with pytest.raises(rung.ModelError, match="part of the model"):
        model.run().set({f"bodies[{model.body_names[0]}].mass": 1})
    with pytest.raises(rung.ModelError, match="did you mean"):
        s.set({f"joints[{hinge}].forc[0]": 1})


def test_documents(model, path):
    assert model.document()["format"] == "rung-model/1"
    assert model.svg().startswith("<svg") or "<svg" in model.svg()
    assert "<svg" in model._repr_html_() and "srcdoc" in model.view()._repr_html_()
    assert any(c.name == "energy.kinetic" for c in model.columns)
    assert model.import_report is None
    assert model.energies().energy is not None


def test_pickle(model):
    other = pickle.loads(pickle.dumps(model))
    assert np.array_equal(other.initial().data, model.initial().data) and other.name == model.name


def test_builder():
    b = rung.Builder("pendulum", gravity=(0, 0, -9.81))
    b.rod("rod", 2.0, 0.0001, (1, 0, 0), (2, 0, 0))
    b.revolute("hinge", "world", "rod", point=(1, 0, 0), axis=(0, 1, 0))
    m = b.build()
    assert m.accel().bodies[0].angular_acceleration[1] == pytest.approx(1.5 * 9.81, rel=1e-6)
    for bad in (lambda: b.body("x", 1, (1, 2)), lambda: b.rod("y", 1, 1, (0, 0, 0), (0, 0, 0)), lambda: b.revolute("h", "world", "none", point=(0, 0, 0), axis=(1, 0, 0)),
                lambda: b.revolute("h", "world", "rod", point=(0, 0, 0), axis=(0, 0, 0)), lambda: b.body("z", 1, (1, 1, 1), orientation=(0, 0, 0, 0))):
        with pytest.raises(rung.ModelError):
            bad()


def test_builder_turns():
    """A four-bar whose bodies are turned is the one whose bodies are not."""
    accelerations = []
    for turn in ((1, 0, 0, 0), (0.5, 0.5, -0.5, 0.5)):
        b = rung.Builder("beam", gravity=(0, -9.81, 0))
        b.body("a", 1, np.eye(3), position=(1, 0, 0), orientation=turn)
        b.body("b", 2, np.eye(3), position=(2, 1, 0), orientation=turn)
        b.revolute("r", "world", "a", point=(0, 0, 0), axis=(0, 0, 1))
        b.prismatic("p", "a", "b", point=(2, 1, 0), axis=(1, 1, 0))
        b.spring("s", "world", "b", start=(0, 3, 0), end=(2, 1, 0), stiffness=10, rest_length=1)
        accelerations.append(b.build().solver().accel()[:, 3:])
    assert np.allclose(*accelerations, rtol=1e-12)


def test_handles_end(model):
    s = model.solver()
    h = s._handle
    del s
    gc.collect()
    assert _lib.lib.rung_free(h) == _lib.HANDLE
    x = np.zeros(model.nstate)
    assert _lib.lib.rung_accel(h, x.ctypes.data, x.size, x.ctypes.data, x.size) == _lib.HANDLE
    assert _lib.lib.rung_accel(model._handle, x.ctypes.data, x.size, x.ctypes.data, x.size) == _lib.HANDLE
    assert b"is a plan" in _lib.lib.rung_error()


def child(path):
    try:
        rung.load(path)
    except rung.ForkError:
        return "refused"
    return "works"


@pytest.mark.parametrize("how, what", [("fork", "refused"), ("spawn", "works"), ("forkserver", "works")])
def test_processes(path, how, what):
    with multiprocessing.get_context(how).Pool(1) as p:
        assert p.apply_async(child, (path,)).get(60) == what


def test_threads(model):
    out = {}

    def work(i):
        s = model.solver()
        out[i] = [s.accel().copy() for _ in range(100)][-1]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(out) == 8 and all(np.array_equal(out[0], v) for v in out.values())


def test_busy():
    m = rung.Builder("chain")
    last = "world"
    for i in range(400):
        m.rod(f"r{i}", 1, 0.01, (i, 0, 0), (i + 1, 0, 0))
        m.spherical(f"j{i}", last, f"r{i}", point=(i, 0, 0))
        last = f"r{i}"
    s = m.build().solver()
    seen = []

    def work():
        for _ in range(200):
            try:
                s.accel()
            except rung.BusyError:
                seen.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert seen


def test_ctrl_c(model):
    r = model.run(tolerance=1e-10)
    r.to(0.001)
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.2, send).start()
    with pytest.raises(KeyboardInterrupt):
        r.to(1e6)
    assert time.monotonic() - sent[0] < 0.5  # 0.05 s where the machine is idle
    assert r.state.time > 0  # and it may go on from there


def test_ctrl_c_in_documents():
    """Long calls without slices end, too."""
    b = rung.Builder("chain")
    last = "world"
    for i in range(4000):
        b.rod(f"r{i}", 1, 0.01, (i, 0, 0), (i + 1, 0, 0))
        b.spherical(f"j{i}", last, f"r{i}", point=(i, 0, 0))
        last = f"r{i}"
    m = b.build()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            m.accel()
    m.close_joints(m.initial())


def test_ctrl_c_in_rollouts(model):
    """A rollout that would take hours ends within some steps; the batch goes on."""
    b = model.batch(512)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.time()
    with pytest.raises(KeyboardInterrupt):
        b.step(1e-4, 1_000_000_000)
    assert time.time() - begin < 5
    assert (b.states[:, 0] > 0).any()  # groups of states go one after the other
    b.step(1e-4, 10)
    assert not b.failed.any()


def test_rows_that_are_no_states(model):
    """A row without a rotation fails alone, and stays as it was."""
    b = model.batch(20)
    b.states[3, 4:8] = 0
    b.accel()
    assert b.failed.tolist() == [i == 3 for i in range(20)]
    assert "crank" in b.error(3) and b.error(4) is None
    assert (b.accelerations[3] == 0).all() and (b.accelerations[4] != 0).any()
    row = b.states[3].copy()
    b.step(0.001, 2)
    assert b.failed.tolist() == [i == 3 for i in range(20)] and (b.states[3] == row).all()


def test_broken_pipe():
    """The handlers of Go's runtime leave Python's errors alone."""
    r, w = os.pipe()
    os.close(r)
    with pytest.raises(BrokenPipeError):
        os.write(w, b"x")
    os.close(w)


def test_stop(model):
    r = model.run(tolerance=1e-10)
    for after in np.linspace(0, 0.1, 20):  # within a slice and between two
        done = threading.Event()

        def stop():
            time.sleep(after)
            while not done.is_set():  # a stop before the call has begun stops nothing
                _lib.lib.rung_stop(r._handle)
                time.sleep(0.2)

        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(rung.Stopped):
            r.to(1e6)
        done.set()
        stopper.join()
    r.to(r.state.time + 0.01)


def test_another_library(tmp_path):
    def run(library):
        code = "import rung"
        env = dict(os.environ, RUNG_LIBRARY=str(library), PYTHONPATH=os.pathsep.join(sys.path))
        return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)

    missing = run(tmp_path / "none.so")
    assert missing.returncode != 0 and "none.so" in missing.stderr and "ImportError" in missing.stderr


@pytest.mark.parametrize("go, python", [
    ("v0.1.0", "0.1.0"), ("v1.12.3-rc.1", "1.12.3rc1"), ("v0.1.0-alpha.2", "0.1.0a2"), ("(devel)", "0.0.0.dev0"), ("v0.1.0+dirty", "0.1.0+dirty"),
    ("v0.0.0-20261129121247-eb7d7b33abcd", "0.0.0.dev20261129121247+eb7d7b33abcd"),
    ("v0.1.1-0.20261129121247-eb7d7b33abcd+dirty", "0.1.1.dev20261129121247+eb7d7b33abcd.dirty"),
    ("v0.2.0-rc.1.0.20261129121247-eb7d7b33abcd", "0.2.0.dev20261129121247+eb7d7b33abcd"),
])
def test_version(go, python):
    assert version_of(go) == python


@pytest.mark.parametrize("text", ["", "0.1.0", "v0.1", "v0.1.0-rc1", "v0.1.0-next.1", "devel"])
def test_no_version(text):
    with pytest.raises(ValueError, match="is no version"):
        version_of(text)


def test_version_is_of_the_library():
    assert rung.__version__ == version_of(_lib.lib.rung_version().decode())
    with pytest.raises(AttributeError, match="no attribute 'nix'"):
        rung.nix
    fresh = "import rung; assert '__version__' not in vars(rung); rung.__version__; assert '__version__' in vars(rung)"  # no call of Go at an import
    subprocess.run([sys.executable, "-c", fresh], check=True, env={**os.environ, "PYTHONPATH": str(pathlib.Path(rung.__file__).parents[1])})


def test_documents(model):
    assert json.loads(json.dumps(model.document()))["name"] == model.name


def test_decimal_comma(path, tmp_path):
    """Numbers are written and read with a point in a locale with a comma."""
    if not shutil.which("localedef") or subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"],
                                                       capture_output=True).returncode > 1:
        pytest.skip("no locale with a comma can be made")
    code = """if True:
        import ctypes, locale, sys
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        assert locale.str(1.5) == "1,5"
        import rung
        m = rung.load(sys.argv[1])
        again = rung.loads(m.document())
        assert again.initial().data.tolist() == m.initial().data.tolist()
        assert again.accel().bodies[0].angular_acceleration[2] == m.solver().accel()[0, 2]
        print(m.simulate(0.5, every=0.25, tolerance=1e-6).data[-1].tolist() == again.simulate(0.5, every=0.25, tolerance=1e-6).data[-1].tolist())
    """
    env = {**os.environ, "LOCPATH": str(tmp_path), "PYTHONPATH": str(pathlib.Path(rung.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, env=env)
    assert done.stdout == "True\n", done.stderr


WOUND = pathlib.Path(__file__).resolve().parents[2] / "cmd/librung/fmi/check/wound.model.json"


def test_angles_over_turns():
    """States carry the angles of joints whose turns matter, and no way through Python loses them."""
    m = rung.load(WOUND)
    turns = [3, -2, 1, -4]
    s = m.initial()
    assert s.angles == pytest.approx([2 * np.pi * n for n in turns])
    want = [b.angular_acceleration for b in m.accel().bodies]
    assert np.array_equal(m.solver().accel(s.copy())[:, :3], want)
    b = m.batch(2)
    assert b.accel()[1, :, :3] == pytest.approx(np.array(want), abs=1e-9)
    run = m.run(integrator="rk4", step=2**-10, stabilize="none", start="as-it-is")
    x = run.to(0.75)
    assert abs(x.angles[0] - 6 * np.pi) > np.pi
    again = m.run(x.copy(), integrator="rk4", step=2**-10, stabilize="none", start="as-it-is").to(1.5)
    assert np.array_equal(run.to(1.5).data, again.data)
    assert [j["turns"] for j in m.document()["joints"]] == [[n] for n in turns]
    assert rung.loads(m.document(s)).initial().angles == pytest.approx(s.angles)
    assert m.close_joints(s).angles == pytest.approx(s.angles)

    s.angles = 0
    s.quaternion[2] = [np.cos(1), 0, 0, np.sin(1)]
    m.read_angles(s)
    turned = [6 * np.pi, -4 * np.pi, 2 * np.pi + 2, -8 * np.pi]
    assert s.angles == pytest.approx(turned)
    b.states[:] = s.data
    b.state(1).angles = 0
    m.read_angles(b.states)
    assert b.state(1).angles == pytest.approx(turned)
    some = np.stack([s.data, s.data])[:, None, :]
    some[..., -4:] = 0
    m.read_angles(some[::2])
    assert some[0, 0, -4:] == pytest.approx(turned) and not some[1, 0, -4:].any()
    fixed = s.data.copy()
    fixed.flags.writeable = False
    for wrong in [s.data[:-1], s.data.tolist(), s.data.astype(np.float32), None, fixed]:
        with pytest.raises(rung.ModelError, match="states are"):
            m.read_angles(wrong)
    s.quaternion[0] = 0
    with pytest.raises(rung.SolveError, match="tells no rotation"):
        m.read_angles(s)
