package arch_test

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExportedCanBeUsed: no exported function, method, field, variable or type of the libraries has a type of a package
// under internal, which programs of other modules cannot name. An exported alias of such a type does not help, as its
// documentation shows neither fields nor methods.
func TestExportedCanBeUsed(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks all packages")
	}
	s := loadSurface(t)
	for pkg, list := range s.exported {
		for name, o := range list {
			hidden := map[string]bool{}
			eachUsed(o, func(n *types.TypeName) {
				if n.Pkg() != nil && strings.Contains("/"+n.Pkg().Path()+"/", "/internal/") {
					hidden[n.Pkg().Path()+"."+n.Name()] = true
				}
			})
			for h := range hidden {
				assert.Fail(t, "hidden type", "%s: %s has the type %s", pkg, name, h)
			}
		}
	}
}

// eachUsed calls see with the names of the types that who uses o has to do with: those of parameters, results, exported
// fields, elements and constraints, to the first that has a name.
func eachUsed(o types.Object, see func(*types.TypeName)) {
	var visit func(t types.Type)
	tuple := func(list *types.Tuple) {
		for v := range list.Variables() {
			visit(v.Type())
		}
	}
	visit = func(t types.Type) {
		if a, ok := t.(*types.Alias); ok {
			see(a.Obj())
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			see(t.Obj())
			for a := range t.TypeArgs().Types() {
				visit(a)
			}
		case *types.Signature:
			tuple(t.Params())
			tuple(t.Results())
			for p := range t.TypeParams().TypeParams() {
				visit(p.Constraint())
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					visit(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.ExplicitMethods() {
				visit(m.Type())
			}
			for e := range t.EmbeddedTypes() {
				visit(e)
			}
		case *types.Union:
			for u := range t.Terms() {
				visit(u.Type())
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			visit(t.Elem())
		}
	}
	n, isType := o.(*types.TypeName)
	if !isType {
		visit(o.Type())
		return
	}
	if named, ok := types.Unalias(o.Type()).(*types.Named); ok && !n.IsAlias() {
		visit(named.Underlying())
		for m := range types.NewMethodSet(types.NewPointer(named)).Methods() { // those of embedded types, too
			if m.Obj().Exported() {
				visit(m.Type())
			}
		}
		for p := range named.TypeParams().TypeParams() {
			visit(p.Constraint())
		}
		return
	}
	visit(o.Type())
}
