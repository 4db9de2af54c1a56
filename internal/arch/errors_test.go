package arch_test

import (
	"errors"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/fault"
)

// TestErrorsNameTheirPackage holds the rule of CONTRIBUTING.md for the texts of errors: each
// exported error and each format of the libraries begins with the name of its package, or
// with another error. internal/fault takes inner names out of a chain. Programs, and what they alone import, have no such name.
func TestErrorsNameTheirPackage(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || f.ast.Name.Name == "main" || within(f.pkg, "cmd") || within(f.pkg, "internal") || within(f.pkg, "bench/internal") {
			continue
		}
		prefix := f.pkg + ": "
		if f.pkg == "factor/order" {
			prefix = "order: "
		}
		exported := map[ast.Node]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, v := range n.Values {
					exported[v] = n.Names[i].IsExported()
				}
			case *ast.CallExpr:
				called, text := call(n)
				if called == "errors.New" && !exported[n] {
					break
				}
				if strings.HasPrefix(called, "errors.") || called == "fault.Errorf" {
					assert.EqualError(t, fault.Plain(errors.New(prefix+"why")), "why", "internal/fault does not know %q", prefix)
					ok := strings.HasPrefix(text, prefix) || strings.HasPrefix(text, "%w")
					assert.True(t, ok, "%s: error %q does not begin with %q", f.path, text, prefix)
				}
			}
			return true
		})
	}
}

// call returns what makes an error from a text, and the text.
func call(n *ast.CallExpr) (called, text string) {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) == 0 {
		return "", ""
	}
	pkg, ok := s.X.(*ast.Ident)
	lit, isText := n.Args[0].(*ast.BasicLit)
	if !ok || !isText || lit.Kind != token.STRING {
		return "", ""
	}
	text, _ = strconv.Unquote(lit.Value)
	return pkg.Name + "." + s.Sel.Name, text
}
