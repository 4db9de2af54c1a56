"""The annotations of the package, held by mypy where that is installed."""
import os
import pathlib
import subprocess
import sys

import pytest

import rung

PACKAGE = pathlib.Path(rung.__file__).parent


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of NumPy, which takes long."""
    return tmp_path_factory.mktemp("mypy")


def test_annotations_are_complete(cache):
    pytest.importorskip("mypy")
    out = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--allow-any-generics", "--ignore-missing-imports", f"--cache-dir={cache}", str(PACKAGE)],
                         capture_output=True, text=True)
    assert out.returncode == 0, out.stdout


def test_users_see_the_types(tmp_path, cache):
    """A program with wrong types is told so, as the package is marked as typed."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("import rung\nm = rung.load('a')\ns: int = m.solver()\nreveal_type(m.batch(3).states)\nm.svg(width='wide')\n")
    env = dict(os.environ, MYPYPATH=str(PACKAGE.parent))
    out = subprocess.run([sys.executable, "-m", "mypy", f"--cache-dir={cache}", str(program)], capture_output=True, text=True, env=env)
    assert "Solver" in out.stdout and "ndarray" in out.stdout and 'Argument "width"' in out.stdout, out.stdout
    assert (PACKAGE / "py.typed").exists()
