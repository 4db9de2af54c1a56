package arch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/rung-mbd/rung/internal/check" // the flag -update
)

var surfaceList = flag.String("surface", "", "package whose exported names that nobody outside uses are printed")

// listing is what go list says of a package.
type listing struct {
	ImportPath, Dir, Export string
	GoFiles, XTestGoFiles   []string
	DepOnly                 bool
}

// surface is the module, type-checked.
type surface struct {
	fset     *token.FileSet
	pkgs     []listing
	exports  map[string]string
	imports  types.Importer
	exported map[string]map[string]types.Object // by package and name; methods as Type.Method
}

func (l *listing) own() string {
	if l.ImportPath == modulePath {
		return rootPackage
	}
	return strings.TrimPrefix(l.ImportPath, modulePath+"/")
}

// library reports whether the package is for programs of other modules.
func library(pkg string) bool {
	return !strings.Contains("/"+pkg+"/", "/internal/") && !strings.HasPrefix(pkg, "cmd/") && !strings.HasPrefix(pkg, "examples/")
}

// loaded is what loadSurface has loaded: several tests look at it, one after the other.
var loaded *surface

func loadSurface(t *testing.T) *surface {
	t.Helper()
	if loaded != nil {
		return loaded
	}
	// What tests import is named one by one: -test would compile every test, which takes a minute.
	imports := slices.Collect(maps.Keys(testImports(t)))
	out := goList(t, append([]string{"-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,XTestGoFiles,DepOnly", "./..."}, imports...)...)
	s := &surface{fset: token.NewFileSet(), exports: map[string]string{}, exported: map[string]map[string]types.Object{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listing
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		s.exports[l.ImportPath] = l.Export
		if !l.DepOnly && strings.HasPrefix(l.ImportPath+"/", modulePath+"/") {
			s.pkgs = append(s.pkgs, l)
		}
	}
	s.imports = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(s.exports[path])
	})
	for _, l := range s.pkgs {
		if pkg := l.own(); library(pkg) && len(l.GoFiles) > 0 {
			p, err := s.imports.Import(l.ImportPath)
			require.NoError(t, err)
			if p.Name() != "main" {
				s.exported[pkg] = exportedOf(p)
			}
		}
	}
	loaded = s
	return s
}

// testImports returns what the tests of the module import.
func testImports(t *testing.T) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(goList(t, "-json=TestImports,XTestImports", "./..."))); d.More(); {
		var l struct{ TestImports, XTestImports []string }
		require.NoError(t, d.Decode(&l))
		for _, path := range slices.Concat(l.TestImports, l.XTestImports) {
			list[path] = path != "C"
		}
	}
	maps.DeleteFunc(list, func(_ string, ok bool) bool { return !ok })
	return list
}

// goList returns what go list says in the root of the module.
func goList(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = root(t), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return out
}

// exportedOf returns the exported names of a package, with the methods of its types. Methods that a type has of an interface of the
// standard library (String, Error, Unwrap and those of documents) are called by nobody by name, and are not counted.
func exportedOf(p *types.Package) map[string]types.Object {
	list := map[string]types.Object{}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		list[name] = o
		n, ok := types.Unalias(o.Type()).(*types.Named)
		if _, isType := o.(*types.TypeName); !ok || !isType || n.Obj().Pkg() != p {
			continue
		}
		for m := range n.Methods() {
			if m.Exported() && !slices.Contains(implicit, m.Name()) {
				list[name+"."+m.Name()] = m
			}
		}
		if face, ok := n.Underlying().(*types.Interface); ok {
			for m := range face.ExplicitMethods() {
				if m.Exported() {
					list[name+"."+m.Name()] = m
				}
			}
		}
	}
	return list
}

var implicit = []string{"String", "Error", "Unwrap", "Is", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"}

// used returns the exported names that commands, examples and Example functions use, as pkg.Name, and in siblings those that the other packages use,
// too.
func (s *surface) used(t *testing.T) (direct, siblings map[string]bool) {
	direct, siblings = map[string]bool{}, map[string]bool{}
	for _, l := range s.pkgs {
		pkg := l.own()
		program := strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/")
		see := func(from string, o types.Object) {
			if name := ownName(from, o); name != "" {
				siblings[name] = true
				direct[name] = direct[name] || program || from == ""
			}
		}
		if program || !strings.Contains("/"+pkg+"/", "/internal/test/") {
			s.resolve(t, l.ImportPath, l.Dir, l.GoFiles, nil, func(o types.Object) { see(l.ImportPath, o) })
		}
		s.examples(t, &l, func(o types.Object) { see("", o) })
	}
	s.through(direct)
	s.through(siblings)
	return direct, siblings
}

// ownName returns pkg.Name or pkg.Type.Method of an object of this module that package from does not declare itself, and nothing of others.
func ownName(from string, o types.Object) string {
	if o == nil || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), modulePath) || o.Pkg().Path() == from {
		return ""
	}
	pkg := strings.TrimPrefix(strings.TrimPrefix(o.Pkg().Path(), modulePath), "/")
	if pkg == "" {
		pkg = rootPackage
	}
	name := o.Name()
	if f, ok := o.(*types.Func); ok {
		if r := f.Signature().Recv(); r != nil {
			of := types.Unalias(r.Type())
			if p, ok := of.(*types.Pointer); ok {
				of = types.Unalias(p.Elem())
			}
			if n, ok := of.(*types.Named); ok {
				name = n.Obj().Name() + "." + name
			}
		}
	}
	return pkg + "." + name
}

// through marks methods that are called through an interface of the module.
func (s *surface) through(used map[string]bool) {
	var faces []*types.Interface
	for _, l := range s.pkgs {
		if p, err := s.imports.Import(l.ImportPath); err == nil && p.Name() != "main" {
			for _, name := range p.Scope().Names() {
				if o, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
					if f, ok := o.Type().Underlying().(*types.Interface); ok && f.NumMethods() > 0 {
						faces = append(faces, f)
					}
				}
			}
		}
	}
	for pkg, list := range s.exported {
		for name, o := range list {
			n, ok := types.Unalias(o.Type()).(*types.Named)
			if _, isType := o.(*types.TypeName); !ok || !isType || n.TypeParams().Len() > 0 {
				continue
			}
			for _, f := range faces {
				if types.IsInterface(n) || !types.Implements(types.NewPointer(n), f) {
					continue
				}
				for m := range f.Methods() {
					used[pkg+"."+name+"."+m.Name()] = true
				}
			}
		}
	}
}

// examples shows what the names in the examples of a package are: in files that begin with example, and in Example
// functions of the others.
func (s *surface) examples(t *testing.T, l *listing, see func(types.Object)) {
	var own, others []string
	for _, f := range l.XTestGoFiles {
		if strings.HasPrefix(f, "example") {
			own = append(own, f)
			continue
		}
		text, err := os.ReadFile(filepath.Join(l.Dir, f))
		require.NoError(t, err)
		if bytes.Contains(text, []byte("\nfunc Example")) {
			others = append(others, f)
		}
	}
	s.resolve(t, l.ImportPath+"_test", l.Dir, own, nil, see)
	s.resolve(t, l.ImportPath+"_test", l.Dir, others, func(f *ast.FuncDecl) bool {
		return strings.HasPrefix(f.Name.Name, "Example")
	}, see)
}

// resolve type-checks files and shows what their names are; with within, those in the functions for which it is true.
func (s *surface) resolve(t *testing.T, path, dir string, files []string, within func(*ast.FuncDecl) bool, see func(types.Object)) {
	if len(files) == 0 {
		return
	}
	var list []*ast.File
	for _, f := range files {
		a, err := parser.ParseFile(s.fset, filepath.Join(dir, f), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		list = append(list, a)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}}
	conf := types.Config{Importer: s.imports, Error: func(error) {}}
	_, _ = conf.Check(path, s.fset, list, info) // names that other test files declare are missing
	if within == nil {
		for _, o := range info.Uses {
			see(o)
		}
		return
	}
	for _, f := range list {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && within(fn) {
				ast.Inspect(fn, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && info.Uses[id] != nil {
						see(info.Uses[id])
					}
					return true
				})
			}
		}
	}
}

// TestSurfaceShrinks: no package exports more names than testdata/surface.txt says, nor more that neither a command, nor an example, nor
// a page uses. The numbers only fall: -update writes smaller ones.
func TestSurfaceShrinks(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks all packages")
	}
	s := loadSurface(t)
	direct, siblings := s.used(t)
	pages := pageWords(t)
	total, now := [3]int{}, map[string]int{}
	for pkg, list := range s.exported {
		n := [3]int{len(list)}
		for name := range list {
			if direct[pkg+"."+name] || pages[name[strings.LastIndexByte(name, '.')+1:]] {
				continue
			}
			n[1]++
			if !siblings[pkg+"."+name] {
				n[2]++
			}
			if *surfaceList == pkg || *surfaceList == "all" {
				fmt.Println(pkg, name, siblings[pkg+"."+name])
			}
		}
		for i, what := range []string{"exported by", "not on a page or in a program:", "used by nobody:"} {
			now[what+" "+pkg], total[i] = n[i], total[i]+n[i]
		}
	}
	t.Log("exported, not on a page or in a program, used by nobody:", total)
	ratchet(t, "testdata/surface.txt", now)
}

// pageWords are the words in the Go code of README and docs.
func pageWords(t *testing.T) map[string]bool {
	words := map[string]bool{}
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	for _, name := range append(pages, filepath.Join(root(t), "README.md")) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		code := false
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "```"):
				code = strings.HasPrefix(line, "```go")
			case code:
				for _, w := range strings.FieldsFunc(line, func(r rune) bool {
					return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
				}) {
					words[w] = true
				}
			}
		}
	}
	return words
}
