package arch_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A picture has rooms and arrows: a room points to the rooms that it needs.
type picture map[string]map[string]bool

// add draws an arrow, and both rooms.
func (p picture) add(from, to string) {
	for _, r := range []string{from, to} {
		if p[r] == nil {
			p[r] = map[string]bool{}
		}
	}
	if from != to {
		p[from][to] = true
	}
}

// rooms returns the rooms in the order of their names.
func (p picture) rooms() []string {
	var list []string
	for r := range p {
		list = append(list, r)
	}
	slices.Sort(list)
	return list
}

// floors returns the floor of every room: one above the highest that it needs, from 1. A circle fails.
func (p picture) floors(t *testing.T) map[string]int {
	t.Helper()
	floor, open := map[string]int{}, map[string]bool{}
	var visit func(room string) int
	visit = func(room string) int {
		require.False(t, open[room], "%s needs itself", room)
		if floor[room] == 0 {
			open[room] = true
			top := 0
			for to := range p[room] {
				top = max(top, visit(to))
			}
			open[room], floor[room] = false, top+1
		}
		return floor[room]
	}
	for _, r := range p.rooms() {
		visit(r)
	}
	return floor
}

// back returns the arrows that lead back up in an order of the rooms that makes them few (Eades, Lin & Smyth 1993):
// rooms that need no other go to the end, those that none needs to the front, and otherwise the one with the most
// arrows out over arrows in is next.
func (p picture) back() (list []string) {
	left := p.rooms()
	var front, end []string
	for len(left) > 0 {
		best, surplus, last := 0, -len(p)-1, false
		for i, r := range left {
			in, out := 0, 0
			for _, s := range left {
				if p[s][r] {
					in++
				}
				if p[r][s] {
					out++
				}
			}
			switch {
			case out == 0:
				best, surplus, last = i, 2*len(p), true
			case in == 0 && !last:
				best, surplus = i, len(p)
			case out-in > surplus:
				best, surplus = i, out-in
			}
		}
		if last {
			end = append(end, left[best])
		} else {
			front = append(front, left[best])
		}
		left = slices.Delete(left, best, best+1)
	}
	slices.Reverse(end)
	order := append(front, end...)
	for i, from := range order {
		for _, to := range order[:i] {
			if p[from][to] {
				list = append(list, from+" → "+to)
			}
		}
	}
	return list
}

// roomOf returns the room of a package, "" for tests and their helpers. A top-level folder is a room with all that is
// in it; a program besides the command is a room of its own, as nothing is built on it.
func roomOf(f *sourceFile) string {
	first, _, _ := strings.Cut(f.pkg, "/")
	switch {
	case f.test || strings.HasSuffix(f.pkg, "test") || f.pkg == "internal/check" || f.pkg == "internal/arch":
		return ""
	case f.ast.Name.Name == "main" && first != "cmd":
		return f.pkg
	case f.pkg == rootPackage:
		return f.path
	}
	return first
}

// packageNames returns the file of every name that the package of the files declares, functions and types by their
// names, methods that are not exported by theirs behind a point. (An exported one may be of another package.) What more
// than one file declares is left out.
func packageNames(files []*sourceFile) map[string]string {
	place := map[string]string{}
	note := func(name, file string) {
		if was, ok := place[name]; ok && was != file {
			file = ""
		}
		place[name] = file
	}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case d.Recv == nil:
					note(d.Name.Name, f.path)
				case !d.Name.IsExported():
					note("."+d.Name.Name, f.path)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						note(s.Name.Name, f.path)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							note(n.Name, f.path)
						}
					}
				}
			}
		}
	}
	return place
}

// drawFiles draws the files of one package: a file needs those whose names it uses. A selector counts as a method
// unless it follows the name of an import.
func drawFiles(p picture, files []*sourceFile) {
	place := packageNames(files)
	use := func(from, name string) {
		if to := place[name]; to != "" {
			p.add(from, to)
		}
	}
	for _, f := range files {
		p.add(f.path, f.path)
		outside := map[*ast.Ident]bool{}
		for _, id := range f.ast.Unresolved {
			outside[id] = true
			use(f.path, id.Name)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); !ok || !outside[id] || place[id.Name] != "" {
					use(f.path, "."+s.Sel.Name)
				}
			}
			return true
		})
	}
}

// ofPackage returns the files of a package without tests.
func ofPackage(files []sourceFile, pkg string) (list []*sourceFile) {
	for i := range files {
		if f := &files[i]; f.pkg == pkg && !f.test {
			list = append(list, f)
		}
	}
	return list
}

// TestFloors: the picture of imports has ten floors at the most, and no arrow back up. Its rooms are the top-level
// folders and, since the root folder should stay a front door, each file of that. The command's own picture, by file,
// has at most 15 arrows back up.
func TestFloors(t *testing.T) {
	files := sources(t)
	door := ofPackage(files, rootPackage)
	names := packageNames(door)
	p := picture{}
	drawFiles(p, door)
	for i := range files {
		f := &files[i]
		from := roomOf(f)
		if from == "" {
			continue
		}
		for _, i := range f.imports {
			own, ok := ownPackage(i)
			if !ok {
				continue
			}
			if own != rootPackage {
				first, _, _ := strings.Cut(own, "/")
				p.add(from, first)
				continue
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := s.X.(*ast.Ident); ok && id.Name == rootPackage && names[s.Sel.Name] != "" {
						p.add(from, names[s.Sel.Name])
					}
				}
				return true
			})
		}
	}
	floors := p.floors(t)
	for _, r := range p.rooms() {
		assert.LessOrEqual(t, floors[r], 10, "%s stands on floor %d", r, floors[r])
	}
	assert.Greater(t, floors["cmd"], floors["kkt"], "the command stands above the solver")
	t.Logf("%d rooms, the command on floor %d", len(p), floors["cmd"])

	inside := picture{}
	for pkg := range packages(files) {
		if within(pkg, "cmd") {
			drawFiles(inside, ofPackage(files, pkg))
		}
	}
	back := inside.back()
	assert.LessOrEqual(t, len(back), 15, "arrows back up in the command: %v", back)
	t.Logf("%d files of the command, %d arrows back up", len(inside), len(back))
}

// TestPictures draws small pictures whose floors and arrows back up are plain.
func TestPictures(t *testing.T) {
	p := picture{}
	for _, a := range []string{"d c", "c b", "b a", "d a"} {
		from, to, _ := strings.Cut(a, " ")
		p.add(from, to)
	}
	assert.Equal(t, map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}, p.floors(t))
	assert.Empty(t, p.back())
	p.add("a", "c")
	assert.Len(t, p.back(), 1)
}
