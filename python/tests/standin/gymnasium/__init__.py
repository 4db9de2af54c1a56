"""A stand-in for the tests of rung.vector: the names, signatures and rules of Gymnasium's documentation that it uses, and nothing more. Written for these
tests, as the real package cannot be had everywhere."""
from . import spaces, vector
from .spaces import Space

__version__ = "0-stand-in"
__all__ = ["Space", "spaces", "vector"]
