"""Prints, as JSON, what the package in a folder exports: signatures and docstrings of classes and functions. It reads and runs nothing."""
import ast
import json
import pathlib
import sys


def signature(f, bound):
    a = ast.unparse(f.args)
    if bound:
        a = a.removeprefix("self").removeprefix("cls").removeprefix(", ")
    return f"{f.name}({a})" + (f" -> {ast.unparse(f.returns)}" if f.returns else "")


def decorated(f):
    return [ast.unparse(d) for d in f.decorator_list]


def members(c):
    fields = [(s, s.target.id) for s in c.body if isinstance(s, ast.AnnAssign)]
    for s, name in fields:
        after = c.body[c.body.index(s) + 1:c.body.index(s) + 2]
        doc = after[0].value.value if after and isinstance(after[0], ast.Expr) and isinstance(after[0].value, ast.Constant) else ""
        if not name.startswith("_"):
            yield {"kind": "attribute", "name": name, "signature": f"{name}: {ast.unparse(s.annotation)}", "doc": doc}
    for f in c.body:
        if not isinstance(f, ast.FunctionDef) or f.name.startswith("_") and f.name != "__init__" or any(".setter" in d for d in decorated(f)):
            continue
        prop = "property" in decorated(f)
        shown = f.name + (f": {ast.unparse(f.returns)}" if f.returns else "") if prop else signature(f, True)
        if f.name != "__init__":
            yield {"kind": "property" if prop else "method", "name": f.name, "signature": shown, "doc": ast.get_docstring(f) or ""}


def entry(node):
    doc = ast.get_docstring(node) or ""
    if isinstance(node, ast.FunctionDef):
        return {"kind": "function", "name": node.name, "signature": signature(node, False), "doc": doc, "members": []}
    init = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
    shown = signature(init, True).replace("__init__", node.name, 1).removesuffix(" -> None") if init else node.name
    bases = [ast.unparse(b) for b in node.bases if not ast.unparse(b).startswith(("_", "Owner"))]
    return {"kind": "class", "name": node.name, "signature": shown, "doc": doc, "bases": bases, "members": list(members(node))}


folder = pathlib.Path(sys.argv[1])
found = {}
for path in sorted(folder.glob("*.py")):
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found[node.name] = node
init = ast.parse((folder / "__init__.py").read_text("utf-8"))
names = next(ast.literal_eval(s.value) for s in init.body if isinstance(s, ast.Assign) and s.targets[0].id == "__all__")
json.dump({"doc": ast.get_docstring(init), "entries": [entry(found[n]) for n in names]}, sys.stdout)
