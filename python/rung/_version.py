"""How Python writes the version of the module of Go. It needs nothing of the package, as build_wheel.py reads it, too."""
import re

_RELEASE = re.compile(r"v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?")
_COMMIT = re.compile(r"v(\d+\.\d+\.\d+)-(?:(?:alpha|beta|rc)\.\d+\.)?(?:0\.)?(\d{14})-([0-9a-f]{12})(\+dirty)?")


def version_of(text: str) -> str:
    """The version as PEP 440 has it: v0.1.0-rc.1 is 0.1.0rc1, a commit between releases 0.1.1.dev20261129121247+eb7d7b33abcd, and a build that
    knows no commit 0.0.0.dev0."""
    if m := _RELEASE.fullmatch(text):
        return m[1] + ({"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3] if m[2] else "")
    if m := _COMMIT.fullmatch(text):
        return f"{m[1]}.dev{m[2]}+{m[3]}" + (".dirty" if m[4] else "")
    if text.startswith("v") and text.endswith("+dirty"):  # a release with changes that are in no commit
        return version_of(text.removesuffix("+dirty")) + "+dirty"
    if text != "(devel)":
        raise ValueError(f"rung: {text!r} is no version of a module of Go")
    return "0.0.0.dev0"
