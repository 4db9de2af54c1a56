"""The public names of the package and their parameters, held against those of the last release (docs/compatibility.md)."""
import inspect
import os
import pathlib

import rung

FILE = pathlib.Path(__file__).with_name("released.txt")


def signature(f) -> str:
    """Parameters by name; an asterisk for those that have a default, as calls may leave them out."""
    return ", ".join(p.name + ("*" if p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) else "")
                     for p in inspect.signature(f).parameters.values())


def names() -> list[str]:
    lines = []
    for name in sorted(rung.__all__):
        value = getattr(rung, name)
        if not callable(value):
            lines.append(name)
            continue
        if not inspect.isclass(value):
            lines.append(f"{name}({signature(value)})")
            continue
        lines.append(f"class {name}({signature(value.__init__)})" if "__init__" in vars(value) else f"class {name}")
        for member, of in sorted(vars(value).items()):
            if not member.startswith("_"):
                lines.append(f"{name}.{member}({signature(of)})" if inspect.isfunction(of) else f"{name}.{member}")
    return lines


def promised(line: str, now: dict[str, list[str]]) -> bool:
    """A name is there with its parameters in their order; more may follow that have a default."""
    name, _, rest = line.partition("(")
    if name not in now:
        return False
    then = [p for p in rest.rstrip(")").split(", ") if p]
    have = now[name]
    kept = [p.rstrip("*") for p in then] == [p.rstrip("*") for p in have[:len(then)]]
    free = all(p.endswith("*") for p in have[len(then):])
    return kept and free and all(h.endswith("*") for t, h in zip(then, have) if t.endswith("*"))


def split(lines: list[str]) -> dict[str, list[str]]:
    return {line.partition("(")[0]: [p for p in line.partition("(")[2].rstrip(")").split(", ") if p] for line in lines}


def test_promised_names():
    if os.environ.get("RUNG_UPDATE"):
        FILE.write_text("\n".join(names()) + "\n")
    now = split(names())
    lost = [line for line in FILE.read_text().splitlines() if not promised(line, now)]
    assert not lost, "the last release promised these; RUNG_UPDATE=1 writes them anew before the first release"


def test_what_breaks_a_promise():
    now = split(["f(a, b*, c*)"])
    assert promised("f(a, b*)", now) and promised("f(a, b)", now)
    for gone in ("g()", "f(b, a)", "f(a*, b*)", "f(a, b*, c*, d*)"):
        assert not promised(gone, now), gone
    assert not promised("f(a)", split(["f(a, b)"]))
