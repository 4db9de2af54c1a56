package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// has fails where a text lacks one of some parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("lacks %q:\n%s", p, text)
		}
	}
}

func TestReadIndex(t *testing.T) {
	list := readIndex("# D\n\n## Start\n\n| Page | For |\n|---|---|\n| [README](../README.md) | what |\n| [Go](go.md) | calls of `rung` |\n\n## Contracts\n\n| [Changes](../CHANGELOG.md) | what changes |\n" +
		"| [Packages](https://pkg.go.dev/x) | names |\n| [CLI](cli.md) | flags |\n\n## Packages\n\n| [model](../model/x.md) | the format |\n")
	want := []entry{{"start", "README", "README.md", "what"}, {"start", "Go", "docs/go.md", "calls of rung"}, {"contracts", "Changes", "CHANGELOG.md", "what changes"}, {"contracts", "CLI", "docs/cli.md", "flags"}}
	if len(list) != len(want) {
		t.Fatalf("%v", list)
	}
	places := []string{"_index.md", "start/go.md", "project/changelog.md", "reference/cli.md"}
	for i, e := range list {
		if e != want[i] || e.place() != places[i] {
			t.Errorf("%d: %v at %s", i, e, e.place())
		}
	}
	for place, want := range map[string]string{"_index.md": "/index.html", "gallery/_index.md": "/gallery.html", "start/go.md": "/start/go.html"} {
		if got := address(place); got != want {
			t.Errorf("%s is at %s", place, got)
		}
	}
}

// TestDocs: the index, README.md, docs/gallery.md and docs/benchmarks.md of the repository have what the site takes from them.
// TestLeadBack: the playground leads to the first page of the site, also where that is made twice; without a link the site is not made.
func TestLeadBack(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "playground", "index.html")
	if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../cmd/rungwasm/page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := leadBack(dir); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = os.ReadFile(name); err != nil || !strings.Contains(string(text), `<h1><a id="home" href="../index.html">Rung</a> playground</h1>`) {
		t.Errorf("%s %v", text, err)
	}
	if err := os.WriteFile(name, []byte("<h1>Rung</h1>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if leadBack(dir) == nil {
		t.Error("a playground without a link is taken")
	}
}

func TestDocs(t *testing.T) {
	s := &site{root: "../.."}
	text := func(name string) string {
		text, err := s.read(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if list := readIndex(text("docs/README.md")); len(list) < 30 {
		t.Errorf("%d pages in docs/README.md", len(list))
	}
	f, err := readFront(text("README.md"))
	if err != nil || !strings.HasSuffix(f.Picture, ".gif") {
		t.Errorf("%+v, %v", f, err)
	}
	for _, name := range homeSections {
		if _, ok := cut(text("README.md"), name); !ok {
			t.Errorf("README.md has no section %q", name)
		}
	}
	var list []exhibit
	if err := json.Unmarshal(galleryList, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if _, err := e.body(text("docs/gallery.md")); err != nil {
			t.Error(err)
		}
	}
	all, err := charts(text("docs/benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(all[0].bars); n < 8 || len(all[2].bars) != 9 {
		t.Errorf("%d bars of evaluations, %d of steps", n, len(all[2].bars))
	}
	if body, n := header(text("cmd/librung/rung.h")); n != 3+strings.Count(text("cmd/librung/rung.h"), "RUNG_API int32_t") {
		t.Errorf("%d functions in\n%s", n, body)
	}
}

func TestManual(t *testing.T) {
	short, body := manual(".TH RUNG\\-X 1 \"\" \"rung 1\" \"Rung\"\n.SH NAME\nrung\\-x \\- Does <it>\n.SH SYNOPSIS\n\\fBrung x MODEL [flags]\\fR\n.SH DESCRIPTION\nTakes *any* --tol or\nmore.\n.PP\n.nf\n  table   of *it*\n.fi\n.PP\nEnd.\n" +
		".SH OPTIONS\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIstring\\fR\nfile; \"\\-\" is <standard>\n.TP\n\\fB\\-\\-json\\fR\n\\&.dot\n.SH EXAMPLES\n.PP\n.nf\n  rung x \\-o y\n.fi\n.SH SEE ALSO\n\\fBrung\\fR(1)\n")
	if short != "Does <it>" {
		t.Errorf("short: %q", short)
	}
	has(t, body, "```text\nrung x MODEL [flags]\n```", "Takes &#42;any&#42; <code>--tol</code> or", "```text\ntable   of *it*\n```", `<dt id="flag-output"><code>-o</code>, <code>--output</code> <var>string</var></dt>`,
		"<dd>file; \"-\" is &lt;standard&gt;", `<dt id="flag-json"><code>--json</code></dt>`, "<dd>.dot", "</dd></dl>", "## Examples\n\n\n\n```text\nrung x -o y\n```")
	if strings.Contains(body, "SEE ALSO") || strings.Contains(body, `\f`) {
		t.Errorf("left over:\n%s", body)
	}
}

func TestSchemas(t *testing.T) {
	o, err := parse(`{"title": "t/1", "description": "What.", "properties": {"b": {"$ref": "#/$defs/a_b", "description": "one|two."}, "a": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number", "minimum": 0, "default": [1, 2]}}}},
		"e": {"enum": ["p", null]}, "o": {"oneOf": [{"type": "string"}, {"const": 1}]}}, "required": ["b"], "$defs": {"a_b": {"type": ["number", "null"]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	has(t, schemaPage(o), "| `b` | [a b](#def-a-b), required | one&#124;two |\n| `a` | array of object |  |\n| `a[].x` | number | ≥ 0; default `[1, 2]` |\n| `e` | `p` or `null` |  |\n| `o` | string or `1` |  |", "### a\\_b {#def-a-b}\n\nnumber or null.")
	if _, err := parse("[1]"); err == nil {
		t.Error("an array is taken for an object")
	}
	if got := strings.Join(documents("\"model\" is, \"ik\" a\n\n  result       rung accel         inverse        rung inverse\n\nUsage:\n  rung schema [DOCUMENT]\n"), " "); got != "model ik result inverse" {
		t.Errorf("documents: %s", got)
	}
}

func TestHeader(t *testing.T) {
	body, n := header("/* rung.h: the *interface*.\n *\n * Second. */\n#ifndef X\n\n/* A plan: a model\n * that is checked. */\nRUNG_API int32_t rung_plan(void);\nRUNG_API int32_t rung_sizes(void); /* so */\n\n/* About it. */\nRUNG_API int x(void);\n")
	if n != 3 {
		t.Errorf("%d functions", n)
	}
	has(t, body, "rung.h: the &#42;interface&#42;.\n\nSecond.", "## Plan\n\nA plan: a model that is checked.\n\n```c\nint32_t rung_plan(void);\nint32_t rung_sizes(void); /* so */\n```", "## About it\n\n\n\n```c\nint x(void);")
}

// TestPython reads docstrings of a package that is not run.
func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("NOT RUN: it takes python3")
	}
	s := &site{root: t.TempDir(), out: t.TempDir(), python: "python3"}
	folder := filepath.Join(s.root, "python", "rung")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"__init__.py": "\"\"\"The package.\n\n>>> x\n1\n\"\"\"\nfrom .a import A, f\nraise SystemExit\n__all__ = ['A', 'f']\n",
		"a.py": "class A(Base):\n  \"\"\"An A.\"\"\"\n  n: int\n  \"\"\"Number.\"\"\"\n  def __init__(self, n: int): ...\n  def _no(self): ...\n  @property\n  def p(self) -> int:\n    \"\"\"A p.\"\"\"\ndef f(x, *, y=1) -> A:\n  \"\"\"An f.\n\n  Parameters\n  ----------\n  x, y : int\n      Numbers.\n  **more\n\n  Raises\n  ------\n  E\n\n  Examples\n  --------\n  >>> f(1)\n  \"\"\"\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := writePython(s); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.out, "content/reference/python-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(text), "The package.\n\n\n```python\n>>> x\n1\n```\n", "## A {#A}\n\n```python\nclass A(Base)\n```\n\nAn A.", "### A.n {#A.n}\n\n```python\nn: int\n```\n\nNumber.", "### A.p {#A.p}\n\n```python\np: int\n```", "f(x, *, y=1) -> A",
		"An f.\n\n**Parameters**\n\n- `x, y`: int\n    Numbers.\n- `**more`\n\n**Raises**\n\n- `E`\n\n**Examples**\n\n\n```python\n>>> f(1)\n```\n")
	if strings.Contains(string(text), "_no") {
		t.Error("private members are shown")
	}
}

func TestEquations(t *testing.T) {
	got := equations("Text\n\n    ⎡ a<b ⎤\n    ⎣ c ⎦      (12)\n\n    x = y (G3)\n\nmore\n\n    rung x   # sin (1)\n\n```go\n\n    a      (1)\n```\n")
	want := "Text\n\n<pre class=\"equation\" tabindex=\"0\"><code>⎡ a&lt;b ⎤\n<span><span>⎣ c ⎦</span><b>(12)</b></span>\n\n<span><span>x = y</span><b>(G3)</b></span>\n</code></pre>\n\nmore\n\n    rung x   # sin (1)\n\n```go\n\n    a      (1)\n```\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCharts(t *testing.T) {
	c := chart{id: "c", title: "Time", line: 1, lineName: "equal", bars: []bar{{"<a>", []float64{0.5}, []string{"0.50"}}, {"b", []float64{2}, []string{"2.0"}}}}
	has(t, c.table(), `<table class="chart" aria-labelledby="chart-c" style="--line: 41.0%"><tbody>`,
		`<tr><th scope="row">&lt;a&gt;</th><td><div><i class="b0" style="width: 20.5%"></i>0.50</div></td></tr>`, `<i class="b1" style="width: 82.0%"></i>2.0</div>`, `</i>equal</span>`)
	for _, text := range []string{"", "\n## Figures\n", "\n## Figures\n\n| a | b | c |\n|---|---|---|\n| evaluation, ns a body | x | fast |\n"} {
		if _, err := charts(text); err == nil || !strings.Contains(err.Error(), "docs/benchmarks.md") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestIndex(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<p>no</p><main data-search="Page"><h1>Page</h1><p>First words.</p><h2 id="b">Second<a aria-hidden="true">#</a></h2><p>Redundant rows, redundant.</p><p data-search-not="1">not</p></main>`))
	if err != nil {
		t.Fatal(err)
	}
	got := indexPage(root, "x.html")
	want := []record{{"Page", "Page", "x.html", "First words.", "first words"}, {"Page", "Second", "x.html#b", "Redundant rows, redundant.", "redundant rows"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v", got)
	}
}

// TestBadInput: what a page lacks is said with its place, before Hugo sees it.
func TestBadInput(t *testing.T) {
	s := &site{root: t.TempDir(), out: t.TempDir(), rung: "false", pages: map[string]string{}}
	if err := s.page("a.md", matter{Title: "x"}, ""); err == nil || !strings.Contains(err.Error(), "a.md") {
		t.Errorf("a page without description: %v", err)
	}
	if _, _, err := heading("text\n"); err == nil {
		t.Error("a page without heading")
	}
	if err := os.MkdirAll(filepath.Join(s.root, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "docs", "README.md"), []byte("## Start\n| [X](x.md) | y |\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writePages(s); err == nil || !strings.Contains(err.Error(), "x.md") {
		t.Errorf("a page that is not there: %v", err)
	}
	if _, err := nameLive("<title>Other</title>", &exhibit{}); err == nil {
		t.Error("a live page with another title")
	}
	if err := writeIndex(t.TempDir()); err == nil {
		t.Error("an index of no pages")
	}
}

// TestPictures: pictures of docs are copied, and files without an ending are not.
func TestPictures(t *testing.T) {
	s := &site{root: t.TempDir(), out: t.TempDir()}
	docs := filepath.Join(s.root, "docs")
	if err := os.Mkdir(docs, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.svg", "b.png", "LICENSE", "c.md", "d.", "e.s"} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.pictures(); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadDir(filepath.Join(s.out, "static", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	if len(copied) != 2 || copied[0].Name() != "a.svg" || copied[1].Name() != "b.png" {
		t.Errorf("copied %v", copied)
	}
}
