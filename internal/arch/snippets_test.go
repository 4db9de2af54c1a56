package arch_test

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// standard are packages of the standard library that code in package comments uses.
var standard = map[string]string{"bytes": "bytes", "context": "context", "fmt": "fmt", "math": "math", "os": "os"}

// allowed are what a piece of a program may lack: variables that are declared before it, and uses of those it declares.
var allowed = regexp.MustCompile(`: (?:undefined: \w+|declared and not used: \w+)$`)

// TestCodeInPackageComments formats and compiles the Go code in the package comments. Variables that stand for what
// the reader has, such as a plan, need not be declared.
func TestCodeInPackageComments(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all packages")
	}
	dir, count := t.TempDir(), 0
	for pkg, p := range publicPackages(t) {
		for i, block := range p.Parser().Parse(p.Doc).Content {
			code, ok := block.(*comment.Code)
			if !ok {
				continue
			}
			text, err := format.Source([]byte(code.Text))
			if err != nil {
				assert.NotContains(t, code.Text, ":=", "the comment of package %s: %v", pkg, err)
				continue // an equation, a line for the shell
			}
			assert.Equal(t, string(text), code.Text, "code in the comment of package %s is not formatted", pkg)
			folder := filepath.Join(dir, fmt.Sprintf("%s_%d", strings.ReplaceAll(pkg, "/", "_"), i))
			require.NoError(t, os.Mkdir(folder, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "code.go"), []byte(wrapped(t, code.Text)), 0o600))
			count++
		}
	}
	require.Greater(t, count, 20)
	module(t, dir)
	cmd := exec.Command("go", "build", "-gcflags=-e", "./...")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		assert.True(t, strings.HasPrefix(line, "# ") || allowed.MatchString(line), "code in a package comment: %s", line)
	}
}

// wrapped returns a file with code as the body of a function, and with the imports that it needs.
func wrapped(t *testing.T, code string) string {
	t.Helper()
	body := "func _() error {\n" + code + "panic(0)\n}\n"
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, parser.SkipObjectResolution)
	require.NoError(t, err, "%s", code)
	folders, imports := byName(sources(t)), map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && ast.IsExported(s.Sel.Name) {
			switch folder, own := folders[x.Name]; {
			case standard[x.Name] != "":
				imports[standard[x.Name]] = true
			case own && folder == rootPackage:
				imports[modulePath] = true
			case own:
				imports[path.Join(modulePath, folder)] = true
			}
		}
		return true
	})
	var b strings.Builder
	b.WriteString("package p\n")
	for _, i := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "import %q\n", i)
	}
	return b.String() + body
}
