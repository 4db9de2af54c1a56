package arch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestIntsOf32Bits type-checks every package and its tests as a machine with ints of 32 bits sees them. Constants beyond an int are
// errors there. Nothing is compiled, and so it takes seconds; make platforms compiles for such machines.
func TestIntsOf32Bits(t *testing.T) {
	check.Long(t)
	n := newNarrow(t)
	for path, l := range n.list {
		if !strings.HasPrefix(path+"/", modulePath+"/") {
			continue
		}
		n.check(path, l.Dir, slices.Concat(l.GoFiles, l.TestGoFiles), false)
		n.check(path+"_test", l.Dir, l.XTestGoFiles, false)
	}
	require.Greater(t, n.files, 1000)
	for _, err := range n.faults {
		assert.Fail(t, "with ints of 32 bits", "%v", err)
	}
}

// TestIntsOf32BitsAreSeen: such a constant is a fault, in a function too, and what another package says of the size of an int counts.
func TestIntsOf32BitsAreSeen(t *testing.T) {
	n := newNarrow(t, "math")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\nimport \"math\"\nfunc f() []int { return []int{1 << 40, math.MaxInt, 1 << 20} }\n"), 0o600))
	n.check("x", dir, []string{"x.go"}, false)
	require.Len(t, n.faults, 1)
	require.ErrorContains(t, n.faults[0], "1 << 40")
}

// narrow type-checks packages from their sources, as linux/386 sees them. It imports packages for itself.
type narrow struct {
	fset   *token.FileSet
	list   map[string]*narrowListing
	known  map[string]*types.Package
	parsed map[string]*ast.File // a package is checked as others see it and as a whole
	files  int
	faults []error // constants that do not fit
}

type narrowListing struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func newNarrow(t *testing.T, packages ...string) *narrow {
	t.Helper()
	if len(packages) == 0 {
		packages = []string{"-test", "./..."}
	}
	cmd := exec.Command("go", append([]string{"list", "-buildmode=default", "-deps", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles"}, packages...)...)
	cmd.Dir, cmd.Stderr, cmd.Env = root(t), os.Stderr, append(os.Environ(), "GOOS=linux", "GOARCH=386", "CGO_ENABLED=0")
	out, err := cmd.Output()
	require.NoError(t, err)
	n := &narrow{fset: token.NewFileSet(), list: map[string]*narrowListing{}, known: map[string]*types.Package{"unsafe": types.Unsafe}, parsed: map[string]*ast.File{}}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		l := new(narrowListing)
		require.NoError(t, d.Decode(l))
		if !strings.Contains(l.ImportPath, " ") && !strings.HasSuffix(l.ImportPath, ".test") { // of a test
			n.list[l.ImportPath] = l
		}
	}
	return n
}

// check type-checks files; with surface it leaves out the bodies of functions. Constants that do not fit
// become faults. Other errors are the compiler's to find. Some of them are none: a name that only tests of another package have.
func (n *narrow) check(path, dir string, names []string, surface bool) *types.Package {
	var files []*ast.File
	for _, name := range names {
		name = filepath.Join(dir, name)
		if n.parsed[name] == nil {
			f, err := parser.ParseFile(n.fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			n.parsed[name] = f
		}
		files = append(files, n.parsed[name])
	}
	n.files += len(files)
	c := types.Config{Importer: n, Sizes: types.SizesFor("gc", "386"), FakeImportC: true, IgnoreFuncBodies: surface, Error: func(err error) {
		if text := err.Error(); strings.Contains(text, "overflows") || strings.Contains(text, "invalid array length") {
			n.faults = append(n.faults, err)
		}
	}}
	p, _ := c.Check(path, n.fset, files, nil)
	return p
}

// Import returns a package as other packages see it: without the bodies of its functions.
func (n *narrow) Import(path string) (*types.Package, error) {
	if p := n.known[path]; p != nil {
		return p, nil
	}
	l := n.list[path]
	if l == nil {
		l = n.list["vendor/"+path]
	}
	if l == nil {
		return nil, fmt.Errorf("arch: no package %s", path)
	}
	p := n.check(path, l.Dir, l.GoFiles, true)
	n.known[path] = p
	return p, nil
}
