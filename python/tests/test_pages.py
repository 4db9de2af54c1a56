"""The programs of the pages and the examples run."""
import ast
import json
import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_page():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) > 5
    exec(compile("\n".join(blocks), "docs/python.md", "exec"), {})


def test_examples(capsys):
    for path in sorted((ROOT / "examples" / "python").glob("*.py")):
        runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_notebook():
    """Cell by cell; what a cell shows in the end has its form for notebooks."""
    cells = json.loads((ROOT / "examples" / "python" / "tutorial.ipynb").read_text())["cells"]
    names: dict = {}
    shown = 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, cell["id"], "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
            if hasattr(value, "_repr_html_"):
                shown += 1
                assert value._repr_html_()
    assert shown == 2
