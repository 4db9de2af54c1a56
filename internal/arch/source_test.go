package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// modulePath is the module's path in go.mod.
const modulePath = "github.com/rung-mbd/rung"

// rootPackage is how the pages call the package in the root folder.
const rootPackage = "rung"

// sourceFile is one parsed Go file.
type sourceFile struct {
	path    string // in the repository, with slashes
	pkg     string // folder, rootPackage for the root
	test    bool
	ast     *ast.File
	fset    *token.FileSet // of ast
	imports []string
}

// root returns the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(t, up, dir, "no go.mod above the test")
		dir = up
	}
}

// page returns the text of a file of the repository.
func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), name))
	require.NoError(t, err)
	return string(b)
}

// hidden reports whether the go tool passes a folder over.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}

// parsed is every Go file of the module, by its folder. Most tests want them.
var parsed = map[string][]sourceFile{}

// sources parses every Go file of the module, comments included.
func sources(t *testing.T) []sourceFile {
	t.Helper()
	top := root(t)
	if files, ok := parsed[top]; ok {
		return files
	}
	fset := token.NewFileSet()
	var files []sourceFile
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != top && hidden(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		f := sourceFile{path: filepath.ToSlash(rel), fset: fset, test: strings.HasSuffix(name, "_test.go")}
		if f.pkg = path.Dir(f.path); f.pkg == "." {
			f.pkg = rootPackage
		}
		mode := parser.ParseComments
		if f.test {
			mode |= parser.SkipObjectResolution // TestFloors alone wants it, of packages
		}
		if f.ast, err = parser.ParseFile(fset, name, nil, mode); err != nil {
			return err
		}
		for _, i := range f.ast.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, p)
		}
		files = append(files, f)
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	parsed[top] = files
	return files
}

// packages returns the folders with Go files.
func packages(files []sourceFile) map[string]bool {
	set := map[string]bool{}
	for _, f := range files {
		set[f.pkg] = true
	}
	return set
}

// ownPackage returns the folder of an import of this module.
func ownPackage(importPath string) (string, bool) {
	if importPath == modulePath {
		return rootPackage, true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// foreign reports whether an import is neither of this module nor of the
// standard library, whose first element has no dot.
func foreign(importPath string) bool {
	_, own := ownPackage(importPath)
	first, _, _ := strings.Cut(importPath, "/")
	return !own && strings.Contains(first, ".")
}

// declared returns the names declared at package level outside tests:
// "pkg.Name" for all, and "pkg.Type.Name" for methods, fields and methods of
// interfaces. The value tells functions and methods.
func declared(files []sourceFile) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				names[f.pkg+"."+name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					declaredSpec(names, f.pkg, s)
				}
			}
		}
	}
	return names
}

// declaredSpec adds the names of one type, constant or variable.
func declaredSpec(names map[string]bool, pkg string, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[pkg+"."+n.Name] = false
		}
	case *ast.TypeSpec:
		typ := pkg + "." + s.Name.Name
		names[typ] = false
		var fields *ast.FieldList
		switch u := s.Type.(type) {
		case *ast.StructType:
			fields = u.Fields
		case *ast.InterfaceType:
			fields = u.Methods
		default:
			return
		}
		for _, f := range fields.List {
			_, method := f.Type.(*ast.FuncType)
			for _, n := range f.Names {
				names[typ+"."+n.Name] = method && isInterface(s)
			}
		}
	}
}

func isInterface(s *ast.TypeSpec) bool {
	_, ok := s.Type.(*ast.InterfaceType)
	return ok
}

// receiver returns the type name of a receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// TestFuzzTargetsWalk: every fuzz target takes the walk by which a commit is judged.
func TestFuzzTargetsWalk(t *testing.T) {
	count := 0
	for _, f := range sources(t) {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !f.test || !strings.HasPrefix(fn.Name.Name, "Fuzz") || fn.Recv != nil {
				continue
			}
			count++
			walks := false
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "NewFuzz" {
					walks = true
				}
				return true
			})
			require.True(t, walks, "%s: %s has to begin with check.NewFuzz", f.path, fn.Name.Name)
		}
	}
	require.Greater(t, count, 10)
}
