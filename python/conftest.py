"""Fixtures of the tests. Their models are in docs."""
import os
from pathlib import Path

import pytest

import rung

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture
def path():
    return str(DOCS / "four-bar.model.json")


@pytest.fixture
def model(path):
    return rung.load(path)


@pytest.fixture
def hinge(model):
    """A joint with one freedom and no motion."""
    return model.joint_names[0]


@pytest.fixture(autouse=True)
def names_of_doctests(doctest_namespace):
    os.chdir(DOCS)
    doctest_namespace["rung"] = rung
    doctest_namespace["m"] = rung.load("four-bar.model.json")
