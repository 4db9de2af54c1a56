package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoDifferenceWithItself: whether x is finite is algebra.Finite's to say. The difference x − x does not tell on processors with fused
// multiply-adds, where compilers make it x·y − round(x·y) if x is a product. Processors of tests need not have such instructions.
func TestNoDifferenceWithItself(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, n := range withItself(f.ast) {
			assert.Fail(t, "difference with itself", "%v: %s", f.fset.Position(n.Pos()), types.ExprString(n))
		}
	}
	seen, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nvar _ = v[i].a-v[i].a == 0 || a.Sub(a) == 0 || x-y == 0 || s-(a-b)-(a-b) == 0", 0)
	require.NoError(t, err)
	var texts []string
	for _, n := range withItself(seen) {
		texts = append(texts, types.ExprString(n))
	}
	require.Equal(t, "v[i].a - v[i].a, a.Sub(a)", strings.Join(texts, ", "))
}

// withItself returns the differences of a file whose sides are the same text, and are not calls.
func withItself(f *ast.File) (found []ast.Expr) {
	ast.Inspect(f, func(n ast.Node) bool {
		var a, b, whole ast.Expr
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.SUB {
				a, b, whole = n.X, n.Y, n
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sub" && len(n.Args) == 1 {
				a, b, whole = s.X, n.Args[0], n
			}
		}
		if whole != nil && types.ExprString(a) == types.ExprString(b) && !strings.Contains(types.ExprString(a), "(") {
			found = append(found, whole)
		}
		return true
	})
	return found
}
