package sitetest

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// dir returns the folder of the site, which make site-check names.
func dir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RUNG_SITE")
	if dir == "" {
		t.Skip("NOT RUN: make site-check makes the site, and says where it is by RUNG_SITE")
	}
	return dir
}

// repository is where links to files of the repository lead; root is its folder.
const (
	repository = "https://github.com/rung-mbd/rung/"
	root       = "../.."
)

// document is a page of the site, and what is asked of it.
type document struct {
	name    string // within the site, with slashes
	tree    *html.Node
	anchors map[string]bool
}

// foreign reports whether a page is made by other parts of the repository, which have tests of their own in a browser: of them links are
// checked, and what is in their heads.
func (d *document) foreign() bool {
	return strings.HasPrefix(d.name, "live/") || strings.HasPrefix(d.name, "playground/")
}

func parse(name, text string) (*document, error) {
	tree, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &document{name, tree, map[string]bool{"": true, "top": true}}
	for n := range elements(tree) {
		for _, key := range []string{"id", "name"} {
			if v, ok := attribute(n, key); ok && (key == "id" || n.Data == "a") {
				d.anchors[v] = true
			}
		}
	}
	return d, nil
}

// site reads all pages.
func site(t *testing.T, top string) map[string]*document {
	t.Helper()
	pages := map[string]*document{}
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".html" || strings.Contains(name, "/playground/view/") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		pages[rel], err = parse(rel, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 100 {
		t.Fatalf("%s has %d pages only", top, len(pages))
	}
	return pages
}

// elements are those of a tree, in the order of the page.
func elements(tree *html.Node) func(func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range tree.Descendants() {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// references returns the addresses of a page: those it leads to, and those it loads.
func (d *document) references() (leads, loads []string) {
	for n := range elements(d.tree) {
		for _, key := range []string{"href", "src", "xlink:href", "poster", "action", "srcset"} {
			v, ok := attribute(n, key)
			switch {
			case !ok || strings.HasPrefix(v, "data:"):
			case n.Data == "a" || n.Data == "area":
				leads = append(leads, v)
			default:
				loads = append(loads, v)
			}
		}
	}
	return leads, loads
}

// broken lists what is wrong with the references of a page. exists tells about files of the site, inRepository about those of the repository.
func (d *document) broken(pages map[string]*document, exists, inRepository func(string) bool) (list []string) {
	leads, loads := d.references()
	for _, to := range loads {
		if u, err := url.Parse(to); err != nil || u.Host != "" || u.Scheme != "" {
			list = append(list, "loads from elsewhere: "+to)
		}
	}
	for _, to := range append(leads, loads...) {
		u, err := url.Parse(to)
		switch {
		case err != nil:
			list = append(list, "no address: "+to)
		case strings.HasPrefix(to, repository):
			file, ok := strings.CutPrefix(u.Path, "/rung-mbd/rung/blob/main/")
			if !ok {
				file, ok = strings.CutPrefix(u.Path, "/rung-mbd/rung/tree/main/")
			}
			if ok && !inRepository(file) {
				list = append(list, "not in the repository: "+to)
			}
		case u.Scheme != "":
			if u.Scheme != "https" && u.Scheme != "mailto" {
				list = append(list, "neither https nor mailto: "+to)
			}
		case strings.HasPrefix(to, "/"):
			list = append(list, "not relative: "+to)
		default:
			file := path.Join(path.Dir(d.name), u.Path)
			if u.Path == "" {
				file = d.name
			}
			if p := pages[file]; p == nil && !exists(file) {
				list = append(list, "leads nowhere: "+to)
			} else if p != nil && !p.anchors[u.Fragment] {
				list = append(list, "no such place in the page: "+to)
			}
		}
	}
	return list
}

// TestLinks: every address of every page leads to a file of the site, and its place in it, or to a file of the repository; nothing is loaded
// from elsewhere.
func TestLinks(t *testing.T) {
	top := dir(t)
	pages := site(t, top)
	there := func(folder string) func(string) bool {
		return func(file string) bool {
			info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(file)))
			return err == nil && (folder != top || !info.IsDir())
		}
	}
	count := 0
	for name, d := range pages {
		for _, what := range d.broken(pages, there(top), there(root)) {
			t.Errorf("%s: %s", name, what)
		}
		leads, loads := d.references()
		count += len(leads) + len(loads)
	}
	t.Logf("%d pages, %d links", len(pages), count)
}

// TestPlaygroundLeadsBack: the playground of the site leads to its first page, and not away from it as the playground by itself does.
func TestPlaygroundLeadsBack(t *testing.T) {
	d := site(t, dir(t))["playground/index.html"]
	if d == nil {
		t.Fatal("no playground")
	}
	if leads, _ := d.references(); !slices.Contains(leads, "../index.html") {
		t.Errorf("the playground leads to %q", leads)
	}
}

// TestBrokenLinks: each kind of broken link is seen.
func TestBrokenLinks(t *testing.T) {
	d, err := parse("a/b.html", `<p id="here"><a href="#here">1</a><a href="#gone">2</a><a href="c.html">3</a><a href="../d.html#x">4</a><a href="/d.html">5</a>
		<a href="http://example.org">6</a><script src="https://example.org/x.js"></script><a href="https://github.com/rung-mbd/rung/blob/main/none.go">7</a><img src="i.png"><a href="../d.html">8</a>`)
	if err != nil {
		t.Fatal(err)
	}
	other, err := parse("d.html", "<p>")
	if err != nil {
		t.Fatal(err)
	}
	no := func(string) bool { return false }
	got := d.broken(map[string]*document{"a/b.html": d, "d.html": other}, no, no)
	want := []string{"loads from elsewhere: https://example.org/x.js", "no such place in the page: #gone", "leads nowhere: c.html", "no such place in the page: ../d.html#x",
		"not relative: /d.html", "neither https nor mailto: http://example.org", "not in the repository: https://github.com/rung-mbd/rung/blob/main/none.go", "leads nowhere: i.png"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// faults lists what is wrong with the structure of a page.
func (d *document) faults() (list []string) {
	bad := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	found, level, ids := map[string]string{}, 0, map[string]bool{}
	for n := range elements(d.tree) {
		if id, ok := attribute(n, "id"); ok {
			if ids[id] {
				bad("two elements have the id %s", id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "html":
			found["lang"], _ = attribute(n, "lang")
		case "title":
			if n.Namespace == "" {
				found["title"] = text(n)
			}
		case "meta":
			if name, _ := attribute(n, "name"); name != "" {
				found[name], _ = attribute(n, "content")
			}
		case "main":
			found["main"] = "there"
		case "img":
			if _, ok := attribute(n, "alt"); !ok {
				bad("a picture without alt")
			}
		case "iframe", "svg":
			if _, hidden := attribute(n, "aria-hidden"); n.Data == "svg" && !hidden && find(n, "title") == nil {
				bad("a drawing without title")
			}
		case "h1", "h2", "h3", "h4", "h5", "h6":
			next := int(n.Data[1] - '0')
			if !d.foreign() && (next > level+1 || next == 1 && level > 0) {
				bad("a heading of level %d after one of %d: %s", next, level, text(n))
			}
			if text(n) == "" && !d.foreign() {
				bad("an empty heading")
			}
			level = next
			if next == 1 {
				found["h1"] = "there"
			}
		case "a", "button":
			_, labelled := attribute(n, "aria-label")
			_, hidden := attribute(n, "aria-hidden")
			if text(n) == "" && !labelled && !hidden && find(n, "img") == nil && !d.foreign() {
				bad("a link or button without a name")
			}
		}
	}
	want := []string{"lang", "title", "description", "viewport", "h1", "main"}
	if strings.HasPrefix(d.name, "playground/") {
		want = want[:5]
	}
	for _, what := range want {
		if found[what] == "" {
			bad("no %s", what)
		}
	}
	return list
}

func find(n *html.Node, tag string) *html.Node {
	for c := range elements(n) {
		if c.Data == tag {
			return c
		}
	}
	return nil
}

// TestStructure: each page has a language, a title of its own, a description, one heading of the first level and the others in order, and
// alternatives for its pictures.
func TestStructure(t *testing.T) {
	titles := map[string]string{}
	for name, d := range site(t, dir(t)) {
		for _, what := range d.faults() {
			t.Errorf("%s: %s", name, what)
		}
		title := text(find(d.tree, "title"))
		if other := titles[title]; other != "" && !d.foreign() {
			t.Errorf("%s and %s have the same title %q", name, other, title)
		}
		if !d.foreign() {
			titles[title] = name
		}
	}
}

// TestFaults: each fault of the structure is seen.
func TestFaults(t *testing.T) {
	d, err := parse("x.html", `<h2 id="a">x</h2><h1></h1><h1>y</h1><img src="x.png"><p id="a"><a href="#a"></a><svg></svg>`)
	if err != nil {
		t.Fatal(err)
	}
	got, want := d.faults(), []string{"a heading of level 2 after one of 0: x", "a heading of level 1 after one of 2: ", "an empty heading",
		"a heading of level 1 after one of 1: y", "a picture without alt", "two elements have the id a", "a link or button without a name", "a drawing without title",
		"no lang", "no title", "no description", "no viewport", "no main"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
