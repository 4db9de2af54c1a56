package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guards are the conditions and constants of some packages, and the packages' files with each guard replaced by a call of package
// probe.
type guards struct {
	conditions []guard           // by the number of probe.Bool
	constants  []guard           // by the number of probe.Value
	edited     map[string][]byte // texts of the changed files by their paths
}

// guard is one condition, or one constant with all its uses.
type guard struct {
	pkg, place, text string
	cost             sides // changes that cost time and change no answer
}

// sides has a bool for each of the two changes of a guard. less is for a condition that is never true or a smaller constant, more for a
// condition that is always true or a larger constant.
type sides struct{ less, more bool }

// and returns the changes that are in both s and t.
func (s sides) and(t sides) sides { return sides{s.less && t.less, s.more && t.more} }

// turned returns s with less and more exchanged.
func (s sides) turned() sides { return sides{s.more, s.less} }

// Sentences in the comment of a constant, or of its group, if no answer depends on its value.
const (
	bothCost = "Another value costs time only."
	anyTiny  = "Any value as small does."
	lessCost = "A smaller value costs time only."
	moreCost = "A larger value costs time only."
)

// edit is an insertion of text into a file.
type edit struct {
	at    int  // offset in bytes
	close bool // the text ends an expression; at the same offset it comes before a text that begins one
	text  string
}

// collector finds the guards of one package.
type collector struct {
	*guards
	fset  *token.FileSet
	info  *types.Info
	pkg   *types.Package
	known map[types.Object]int   // numbers of the constants found so far
	cost  map[types.Object]sides // by constant: changes that its comment says cost only time
	src   []byte                 // text of the current file
	file  string                 // its path
	edits []edit                 // its edits
}

// collect adds the guards of the package with the given source files.
func (g *guards) collect(path string, files []string, imports types.Importer) error {
	fset := token.NewFileSet()
	c := &collector{guards: g, fset: fset, known: map[types.Object]int{}, cost: map[types.Object]sides{}}
	c.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var parsed []*ast.File
	for _, f := range files {
		a, err := parser.ParseFile(fset, f, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, a)
	}
	var err error
	if c.pkg, err = (&types.Config{Importer: imports}).Check(path, fset, parsed, c.info); err != nil {
		return err
	}
	for _, a := range parsed {
		c.costs(a)
	}
	for k, a := range parsed {
		if err := c.fileGuards(files[k], a); err != nil {
			return err
		}
	}
	return nil
}

// costs stores, for each constant of a file, the changes that its comment says cost only time.
func (c *collector) costs(f *ast.File) {
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, s := range d.Specs {
			s := s.(*ast.ValueSpec)
			text := plain(d.Doc) + plain(s.Doc) + plain(s.Comment)
			both := strings.Contains(text, bothCost) || strings.Contains(text, anyTiny)
			for _, n := range s.Names {
				c.cost[c.info.Defs[n]] = sides{less: both || strings.Contains(text, lessCost), more: both || strings.Contains(text, moreCost)}
			}
		}
	}
}

// plain returns the text of a comment in one line.
func plain(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ") + "\n"
}

// fileGuards finds the guards of one file and stores its edited text.
func (c *collector) fileGuards(name string, f *ast.File) (err error) {
	if c.src, err = os.ReadFile(name); err != nil {
		return err
	}
	c.file, c.edits = name, nil
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			c.conditionsIn(d.Body)
			c.valuesIn(d.Body)
		}
	}
	if len(c.edits) == 0 {
		return nil
	}
	c.insert(c.offset(f.Name.End()), "; import probe_ \""+probePath+"\"", false)
	slices.SortStableFunc(c.edits, func(a, b edit) int {
		if a.at != b.at || a.close == b.close {
			return cmp.Compare(a.at, b.at)
		}
		if a.close {
			return -1
		}
		return 1
	})
	var out []byte
	at := 0
	for _, e := range c.edits {
		out = append(append(out, c.src[at:e.at]...), e.text...)
		at = e.at
	}
	c.edited[name] = append(out, c.src[at:]...)
	return nil
}

// offset returns the offset of p in its file, in bytes.
func (c *collector) offset(p token.Pos) int { return c.fset.Position(p).Offset }

// insert adds an edit.
func (c *collector) insert(at int, text string, close bool) {
	c.edits = append(c.edits, edit{at: at, text: text, close: close})
}

// guardAt returns the guard for the expression n, without its cost.
func (c *collector) guardAt(n ast.Node) guard {
	p := c.fset.Position(n.Pos())
	text := strings.Join(strings.Fields(string(c.src[p.Offset:c.offset(n.End())])), " ")
	return guard{pkg: c.pkg.Path(), place: fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(c.file)), filepath.Base(c.file), p.Line), text: text}
}

// conditionsIn adds the conditions of a body: each comparison with a tolerance, and the conditions joined to it by && and ||.
func (c *collector) conditionsIn(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.FuncLit:
			return true
		case ast.Expr:
			if !isLogical(e) {
				return true
			}
			if c.guarded(e) {
				c.join(e, sides{})
			}
			for _, p := range operands(e, nil) { // function literals inside
				ast.Inspect(p, func(n ast.Node) bool {
					f, ok := n.(*ast.FuncLit)
					if ok {
						c.conditionsIn(f.Body)
					}
					return !ok
				})
			}
			return false
		}
		return true
	})
}

// guarded reports whether an operand of e is a comparison with a tolerance.
func (c *collector) guarded(e ast.Expr) bool {
	return slices.ContainsFunc(operands(e, nil), func(p ast.Expr) bool { _, ok := c.compares(p); return ok })
}

// join adds the operands of e as conditions. cost are the changes of e that cost only time because of the conditions that e is joined
// to.
func (c *collector) join(e ast.Expr, cost sides) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		c.join(x.X, cost)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			c.join(x.X, cost.turned())
			return
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			break
		}
		// If one operand of && is false, the whole is false. If one operand of || is true, the whole is true.
		own := c.costsOf(x)
		if x.Op == token.LAND {
			cost.less = cost.less || own.less
		} else {
			cost.more = cost.more || own.more
		}
		c.join(x.X, sides{cost.less && x.Op == token.LAND, cost.more && x.Op == token.LOR})
		c.join(x.Y, sides{cost.less && x.Op == token.LAND, cost.more && x.Op == token.LOR})
		return
	}
	if c.info.Types[e].Value != nil {
		return
	}
	own, _ := c.compares(e)
	cost = sides{cost.less || own.less, cost.more || own.more}
	g := c.guardAt(e)
	g.cost = cost
	c.insert(c.offset(e.Pos()), fmt.Sprintf("probe_.Bool(%d, ", len(c.conditions)), false)
	c.insert(c.offset(e.End()), ")", true)
	c.conditions = append(c.conditions, g)
}

// costsOf returns the changes of e that cost only time. It is the union of the changes that cost only time for one of the comparisons
// with tolerances that e joins.
func (c *collector) costsOf(e *ast.BinaryExpr) (cost sides) {
	for _, p := range []ast.Expr{e.X, e.Y} {
		turn := false
		for {
			if x, ok := p.(*ast.ParenExpr); ok {
				p = x.X
			} else if x, ok := p.(*ast.UnaryExpr); ok && x.Op == token.NOT {
				p, turn = x.X, !turn
			} else {
				break
			}
		}
		var own sides
		if x, ok := p.(*ast.BinaryExpr); ok && (x.Op == token.LAND || x.Op == token.LOR) {
			own = c.costsOf(x)
		} else {
			own, _ = c.compares(p)
		}
		if turn {
			own = own.turned()
		}
		cost = sides{cost.less || own.less, cost.more || own.more}
	}
	return cost
}

// isLogical reports whether e is a comparison or joins conditions.
func isLogical(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			return true
		}
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	}
	return false
}

// operands appends the conditions that e joins by && and ||, without !.
func operands(e ast.Expr, to []ast.Expr) []ast.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return operands(x.X, to)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return operands(x.X, to)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return operands(x.Y, operands(x.X, to))
		}
	}
	return append(to, e)
}

// compares reports whether e is a comparison with a tolerance: a constant of a package with a floating-point type, or a number
// that is not whole. cost are the changes of e that cost only time by the comments of all its constants, also of
// whole numbers.
func (c *collector) compares(e ast.Expr) (cost sides, ok bool) {
	b, isBinary := e.(*ast.BinaryExpr)
	if !isBinary || b.Op == token.LAND || b.Op == token.LOR {
		return sides{}, false
	}
	if !isLogical(b) {
		return sides{}, false
	}
	cost = sides{true, true}
	known := false
	found := func(side ast.Expr, up bool) { // up: a larger side can only turn the comparison from false to true
		c.constantsIn(side, up, func(own sides, up, tolerance bool) {
			if !up {
				own = own.turned()
			}
			cost, known, ok = cost.and(own), true, ok || tolerance
		})
	}
	up := b.Op == token.GTR || b.Op == token.GEQ
	found(b.X, up)
	found(b.Y, !up)
	if !known || b.Op == token.EQL || b.Op == token.NEQ {
		cost = sides{}
	}
	return cost, ok
}

// constantsIn calls found for each constant of a package in e, and for each number that is not whole. up reports whether the expression
// that contains e grows with e.
func (c *collector) constantsIn(e ast.Node, up bool, found func(cost sides, up, tolerance bool)) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.SUB {
				c.constantsIn(n.X, !up, found)
				return false
			}
		case *ast.BinaryExpr:
			if n.Op == token.SUB || n.Op == token.QUO {
				c.constantsIn(n.X, up, found)
				c.constantsIn(n.Y, !up, found)
				return false
			}
		case *ast.Ident:
			if o, tolerance := c.tolerance(n); o != nil {
				found(c.cost[o], up, tolerance)
			}
		case *ast.BasicLit:
			if v := c.info.Types[n].Value; n.Kind == token.FLOAT && v != nil && constant.ToInt(v).Kind() != constant.Int {
				found(sides{}, up, true)
			}
		}
		return true
	})
}

// tolerance returns the constant of a package of the module that n names, or nil if n names none. It reports whether the constant has a
// floating-point type.
func (c *collector) tolerance(n *ast.Ident) (types.Object, bool) {
	o, ok := c.info.Uses[n].(*types.Const)
	if !ok || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() || !strings.HasPrefix(o.Pkg().Path(), modulePath) {
		return nil, false
	}
	t, ok := o.Type().Underlying().(*types.Basic)
	return o, ok && t.Info()&types.IsFloat != 0
}

// valuesIn replaces the uses of this package's own constants in a body.
func (c *collector) valuesIn(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.ArrayType:
			return false
		case ast.Expr:
			// The parts of a constant expression have no types of their own.
			if v := c.info.Types[n]; v.Value != nil {
				c.valuesOf(n, v.Type)
				return false
			}
		}
		return true
	})
}

// valuesOf replaces the tolerances in e, a constant expression of type t.
func (c *collector) valuesOf(e ast.Expr, t types.Type) {
	b, ok := t.(*types.Basic)
	if !ok {
		return
	}
	switch b.Kind() {
	case types.Int, types.Int32, types.Int64, types.Float64:
	default:
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if n, isName := n.(*ast.Ident); isName {
			if o, ok := c.tolerance(n); ok && o.Pkg() == c.pkg {
				c.insert(c.offset(n.Pos()), fmt.Sprintf("probe_.Value[%s](%d, ", b.Name(), c.number(o)), false)
				c.insert(c.offset(n.End()), ")", true)
			}
		}
		return true
	})
}

// number returns the number of a constant, a new one at its first use.
func (c *collector) number(o types.Object) int {
	k, ok := c.known[o]
	if !ok {
		k = len(c.constants)
		c.known[o] = k
		p := c.fset.Position(o.Pos())
		c.constants = append(c.constants, guard{pkg: c.pkg.Path(), text: o.Name() + " = " + o.(*types.Const).Val().String(), cost: c.cost[o],
			place: fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(p.Filename)), filepath.Base(p.Filename), p.Line)})
	}
	return k
}
