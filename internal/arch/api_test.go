package arch_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestPromisedAPI: whatever a program of the last release could name in a library is still there, with the same type.
func TestPromisedAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks all packages")
	}
	s := loadSurface(t)
	var now []string
	for _, pkg := range slices.Sorted(maps.Keys(s.exported)) {
		path := modulePath + "/" + pkg
		if pkg == rootPackage {
			path = modulePath
		}
		p, err := s.imports.Import(path)
		require.NoError(t, err)
		now = append(now, promises(pkg, p)...)
	}
	promised(t, "api.txt", now)
}

var cComment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// TestPromisedHeader: so with the functions, constants and types of rung.h. An edition in RUNG_ABI that is another one allows all.
func TestPromisedHeader(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "cmd", "librung", "rung.h"))
	require.NoError(t, err)
	promised(t, "rung.h.txt", headerPromises(string(text)))
}

// headerPromises returns the declarations of a header, one a line, without comments and in one spacing; members of an enumeration with their
// numbers.
func headerPromises(text string) (list []string) {
	text = cComment.ReplaceAllString(text, " ")
	var code strings.Builder
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 && f[0] == "#define" && len(f) > 2 && !strings.HasPrefix(f[1], "RUNG_API") {
			list = append(list, strings.Join(f, " "))
		} else if len(f) > 0 && !strings.HasPrefix(f[0], "#") {
			code.WriteString(strings.Join(f, " ") + " ")
		}
	}
	enum := regexp.MustCompile(`(?:typedef )?enum \{([^}]*)\} ?(\w*);`)
	for _, m := range enum.FindAllStringSubmatch(code.String(), -1) {
		value := -1
		for _, member := range strings.Split(m[1], ",") {
			name, number, fixed := strings.Cut(strings.TrimSpace(member), " = ")
			if value++; fixed {
				_, err := fmt.Sscan(number, &value)
				if err != nil {
					panic(err)
				}
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("enum %s = %d %s", name, value, m[2])))
		}
	}
	for _, d := range strings.Split(enum.ReplaceAllString(code.String(), ""), ";") {
		if d = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(d), `extern "C" {`)); d != "" && d != "}" {
			list = append(list, d)
		}
	}
	return list
}

// promised compares what there is with what was promised, line by line. New lines are fine.
func promised(t *testing.T, file string, now []string) {
	t.Helper()
	slices.Sort(now)
	now = slices.Compact(now)
	then := check.Promise(t, file, []byte(strings.Join(now, "\n")+"\n"))
	check.Broken(t, gone(strings.Split(strings.TrimSpace(string(then)), "\n"), now))
}

// gone returns the lines that are there no more.
func gone(then, now []string) (list []string) {
	have := map[string]bool{}
	for _, line := range now {
		have[line] = true
	}
	for _, line := range then {
		if !have[line] {
			list = append(list, line)
		}
	}
	return list
}

// TestCitation: CITATION.cff cites the last release, and none before the first.
func TestCitation(t *testing.T) {
	text := page(t, "CITATION.cff")
	version, date := check.Released(t)
	if version == "" {
		assert.NotRegexp(t, `(?m)^(version|date-released):`, text)
		return
	}
	assert.Contains(t, text, "\nversion: "+version+"\n")
	assert.Contains(t, text, "\ndate-released: "+date+"\n")
}

// promises returns what a package promises, one line each: a name with its type, a field, a method, the value of a constant. A method of an interface that
// others may implement is part of the line of the interface, as one more breaks them.
func promises(pkg string, p *types.Package) (list []string) {
	qualify := func(other *types.Package) string {
		if other == p {
			return ""
		}
		if other.Path() == modulePath {
			return rootPackage
		}
		return strings.TrimPrefix(other.Path(), modulePath+"/")
	}
	add := func(format string, args ...any) { list = append(list, pkg+": "+fmt.Sprintf(format, args...)) }
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		typed := typeText(o.Type(), qualify)
		switch o := o.(type) {
		case *types.Const:
			value := o.Val().ExactString()
			if o.Val().Kind() == constant.Float {
				value = o.Val().String()
			}
			add("const %s %s = %s", name, typed, value)
		case *types.Var:
			add("var %s %s", name, typed)
		case *types.Func:
			add("func %s%s%s", name, constraints(o.Signature().TypeParams(), qualify), strings.TrimPrefix(typed, "func"))
		case *types.TypeName:
			typePromises(o, qualify, add)
		}
	}
	return list
}

// typeText returns a type without the names of parameters, which nobody depends on.
func typeText(t types.Type, qualify types.Qualifier) string {
	return types.TypeString(nameless(t), qualify)
}

func nameless(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Signature:
		tuple := func(list *types.Tuple) *types.Tuple {
			var bare []*types.Var
			for v := range list.Variables() {
				bare = append(bare, types.NewParam(token.NoPos, nil, "", nameless(v.Type())))
			}
			return types.NewTuple(bare...)
		}
		// Parameters of types stay in the text of the types that have them.
		return types.NewSignatureType(nil, nil, nil, tuple(t.Params()), tuple(t.Results()), t.Variadic())
	case *types.Slice:
		return types.NewSlice(nameless(t.Elem()))
	case *types.Pointer:
		return types.NewPointer(nameless(t.Elem()))
	}
	return t
}

func typePromises(o *types.TypeName, qualify types.Qualifier, add func(string, ...any)) {
	n, ok := o.Type().(*types.Named)
	if !ok || o.IsAlias() {
		add("type %s = %s", o.Name(), types.TypeString(types.Unalias(o.Type()), qualify))
		return
	}
	parameters := constraints(n.TypeParams(), qualify)
	switch u := n.Underlying().(type) {
	case *types.Struct:
		add("type %s%s struct, comparable %t", o.Name(), parameters, types.Comparable(n))
		for f := range u.Fields() {
			if f.Exported() {
				add("type %s struct: %s %s", o.Name(), f.Name(), typeText(f.Type(), qualify))
			}
		}
	case *types.Interface:
		interfacePromises(o.Name()+parameters, u, qualify, add)
		return
	default:
		add("type %s%s %s", o.Name(), parameters, typeText(u, qualify))
	}
	of := types.NewMethodSet(n)
	for m := range types.NewMethodSet(types.NewPointer(n)).Methods() { // those of embedded types, too
		if !m.Obj().Exported() {
			continue
		}
		receiver := "*" + o.Name()
		if of.Lookup(m.Obj().Pkg(), m.Obj().Name()) != nil {
			receiver = o.Name()
		}
		add("method (%s) %s%s", receiver, m.Obj().Name(), strings.TrimPrefix(typeText(m.Type(), qualify), "func"))
	}
}

// constraints returns the parameters of a type or function with what they may be.
func constraints(list *types.TypeParamList, qualify types.Qualifier) string {
	if list.Len() == 0 {
		return ""
	}
	var each []string
	for p := range list.TypeParams() {
		each = append(each, p.Obj().Name()+" "+types.TypeString(p.Constraint(), qualify))
	}
	return "[" + strings.Join(each, ", ") + "]"
}

func interfacePromises(name string, u *types.Interface, qualify types.Qualifier, add func(string, ...any)) {
	sealed := false
	for m := range u.Methods() {
		sealed = sealed || !m.Exported()
	}
	if !sealed {
		var list []string
		for m := range u.Methods() {
			list = append(list, m.Name()+strings.TrimPrefix(typeText(m.Type(), qualify), "func"))
		}
		for e := range u.EmbeddedTypes() {
			if types.Unalias(e).Underlying() != e || !types.IsInterface(e) { // a union or comparable; methods are above
				list = append(list, types.TypeString(e, qualify))
			}
		}
		add("type %s interface {%s}", name, strings.Join(list, "; "))
		return
	}
	add("type %s interface that is implemented here only", name)
	for m := range u.Methods() {
		if m.Exported() {
			add("method (%s) %s%s", name, m.Name(), strings.TrimPrefix(typeText(m.Type(), qualify), "func"))
		}
	}
}

// TestPromisesSeeChanges: what breaks programs changes a line, and what does not only adds some.
func TestPromisesSeeChanges(t *testing.T) {
	const before = `package p
type T struct { A int; hidden int }
func (t *T) M(n int) error { return nil }
func (t T) V() {}
type Open interface { F() }
type Closed interface { F(); own() }
type E uint8
const C E = 1
const X = 0.5
var G func(int)
func F[K comparable](k K, s ...string) (n int, err error) { return }
type Alias = T
`
	read := func(code string) []string {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", code, 0)
		require.NoError(t, err)
		p, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{f}, nil)
		require.NoError(t, err)
		return promises("p", p)
	}
	for _, c := range []struct {
		old, new string
		breaks   bool
	}{
		{"A int;", "A int64;", true}, {"A int;", "", true}, {"A int;", "A int; B string;", false}, {"hidden int", "hidden []int", true}, // not comparable
		{"M(n int) error", "M(n int, m int) error", true}, {"M(n int) error", "M(k int) error", false}, {"M(n int) error", "m(n int) error", true},
		{"(t T) V", "(t *T) V", true}, {"Open interface { F() }", "Open interface { F(); G() }", true}, {"F(); own()", "F(); G(); own()", false},
		{"E uint8", "E int", true}, {"C E = 1", "C E = 2", true}, {"X = 0.5", "X = 0.25", true}, {"G func(int)", "G func(int) error", true},
		{"K comparable", "K ~int", true}, {"s ...string", "s []string", true}, {"n int, err error", "n int", true}, {"Alias = T", "Alias = E", true},
		{"type Alias = T", "type Alias T", true}, {"type Alias = T", "type Alias = T\ntype More int\nfunc New() {}", false},
	} {
		require.Contains(t, before, c.old)
		lost := gone(read(before), read(strings.Replace(before, c.old, c.new, 1)))
		assert.Equal(t, c.breaks, len(lost) > 0, "%s → %s: %q", c.old, c.new, lost)
	}
}

func TestHeaderPromises(t *testing.T) {
	const before = "/* text */\n#ifndef H\n#define H\n#include <x.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n#define RUNG_ABI 1\ntypedef enum {\n  A = 0, /* a */\n  B\n} status;\nenum { N, M = 16 };\n" +
		"RUNG_API int32_t f(double *x,\n  size_t n); /* f */\nRUNG_API void g(void);\n#ifdef __cplusplus\n}\n#endif\n"
	require.Equal(t, []string{"#define RUNG_ABI 1", "enum A = 0 status", "enum B = 1 status", "enum N = 0", "enum M = 16", "RUNG_API int32_t f(double *x, size_t n)", "RUNG_API void g(void)"},
		headerPromises(before))
	for _, c := range []struct {
		old, new string
		breaks   bool
	}{
		{"/* f */", "/* another word */", false}, {"x,\n  size_t", "x, size_t", false}, {"double *x", "const double *x", true}, {"  B\n", "  X,\n  B\n", true}, {"  B\n", "  B,\n  X\n", false},
		{"ABI 1", "ABI 2", true}, {"M = 16", "M = 17", true}, {"RUNG_API void g(void);\n", "", true}, {"RUNG_API void g(void);\n", "RUNG_API void g(void);\nRUNG_API int32_t h(void);\n", false},
	} {
		require.Contains(t, before, c.old)
		assert.Equal(t, c.breaks, len(gone(headerPromises(before), headerPromises(strings.Replace(before, c.old, c.new, 1)))) > 0, "%s → %s", c.old, c.new)
	}
}
