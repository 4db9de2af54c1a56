"""Builds the wheel of rung from its package and a shared library, with the standard library alone.

    python3 python/build_wheel.py --version v0.1.0 --library librung.so --tag manylinux_2_34_x86_64 -o dist

A wheel is a zip file with the package and METADATA, WHEEL and RECORD (PEP 427). Equal input gives equal bytes. Prints the path of the wheel."""
import argparse
import base64
import hashlib
import runpy
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
METADATA = """Metadata-Version: 2.1
Name: rung
Version: {version}
Summary: Dynamics of mechanisms with many kinematic loops
License: BSD-3-Clause
Author: The Rung Authors
Project-URL: Source, https://github.com/rung-mbd/rung
Requires-Python: >=3.9
Requires-Dist: numpy>=1.23
Provides-Extra: frames
Requires-Dist: pandas; extra == "frames"
Description-Content-Type: text/markdown

{readme}"""
NAMES = {".dll": "rung.dll", ".dylib": "librung.dylib", ".so": "librung.so"}


version_of = runpy.run_path(str(HERE / "rung" / "_version.py"))["version_of"]


def build(version: str, library: Path, tag: str, out: Path, licenses: list[Path]) -> Path:
    info = f"rung-{version}.dist-info"
    files = {f"rung/{p.relative_to(HERE / 'rung').as_posix()}": p.read_bytes() for p in sorted((HERE / "rung").rglob("*"))
             if p.suffix == ".py" or p.name == "py.typed"}
    files[f"rung/{NAMES[library.suffix]}"] = library.read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version, readme=(HERE / "README.md").read_text()).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rung\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode()
    for name in ("LICENSE", "NOTICE"):
        files[f"{info}/{name}"] = (HERE.parent / name).read_bytes()
    for path in licenses:
        files[f"{info}/{path.name}"] = path.read_bytes()
    lines = [f"{n},sha256={base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b'=').decode()},{len(b)}" for n, b in files.items()]
    files[f"{info}/RECORD"] = ("\n".join(lines) + f"\n{info}/RECORD,,\n").encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"rung-{version}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w") as z:
        for n, b in files.items():
            entry = zipfile.ZipInfo(n, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, b, compresslevel=9)
    return path


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--version", required=True, help="version of the Go module, such as v0.1.0")
    a.add_argument("--library", required=True, type=Path)
    a.add_argument("--tag", required=True, help="tag of the platform, such as manylinux_2_34_x86_64")
    a.add_argument("-o", dest="out", default="dist", type=Path)
    a.add_argument("--license", action="append", default=[], type=Path, help="a license file of code that the library contains")
    o = a.parse_args()
    print(build(version_of(o.version), o.library, o.tag, o.out, o.license))
