package arch_test

import (
	"go/ast"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExportedCanBeUsed: no exported function, method or field of the libraries has a type of a
// package under internal, which programs of other modules cannot name, unless an exported type
// is another name of it.
func TestExportedCanBeUsed(t *testing.T) {
	files := sources(t)
	named := otherNames(files)
	for _, f := range files {
		if f.test || f.ast.Name.Name == "main" || strings.Contains("/"+f.pkg+"/", "/internal/") {
			continue
		}
		hidden := map[string]bool{}
		for _, i := range f.imports {
			if own, ok := ownPackage(i); ok && strings.HasPrefix(own, "internal/") {
				hidden[path.Base(own)] = true
			}
		}
		uses := func(name string, types ast.Node) {
			ast.Inspect(types, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					pkg, ok := s.X.(*ast.Ident)
					if ok && hidden[pkg.Name] {
						assert.True(t, named[pkg.Name+"."+s.Sel.Name], "%s: %s has the type %s.%s of internal", f.path, name, pkg.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d)) {
					uses(d.Name.Name, d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() && !s.Assign.IsValid() {
						exportedFields(s, uses)
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether a method is of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Recv, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			found = true
		}
		return true
	})
	return found
}

// exportedFields calls visit with the types of the exported fields of a struct, and with all of
// another type.
func exportedFields(s *ast.TypeSpec, visit func(name string, types ast.Node)) {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		visit(s.Name.Name, s.Type)
		return
	}
	for _, field := range st.Fields.List {
		for _, n := range field.Names {
			if n.IsExported() {
				visit(s.Name.Name+"."+n.Name, field.Type)
			}
		}
	}
}

// otherNames returns the types of other packages that exported types are other names of.
func otherNames(files []sourceFile) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		if f.test || strings.HasPrefix(f.pkg, "internal/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() && s.Assign.IsValid() {
				if of, ok := s.Type.(*ast.SelectorExpr); ok {
					if pkg, ok := of.X.(*ast.Ident); ok {
						names[pkg.Name+"."+of.Sel.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
}
