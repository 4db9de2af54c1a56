package arch_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestFromOutside runs a program that uses what a program of another module may want: all of it
// is exported and has exported types.
func TestFromOutside(t *testing.T) {
	check.Long(t)
	text, err := os.ReadFile(filepath.Join("testdata", "outside.go.txt"))
	require.NoError(t, err)
	assert.Equal(t, `job 7: lower turns at 13.67 rad/s²
{"problems":[{"file":"model","path":"$.bodies[0].inertia","rule":"missing field"},{"file":"model","path":"$.bodies[0].mass","value":"-1","rule":"is not positive"}]}
joint 2, "rail": axis [0 0 0] is zero or not finite
blocks of 4 nodes factored
`, outside(t, string(text)))
}

// outside runs a program in a module of its own and returns what it prints.
func outside(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	module(t, dir)
	return run(t, dir, "run", ".")
}

// module makes dir a module of its own, which takes this one from its folder, and its go.sum, so that no network is needed once the
// modules of this one are there.
func module(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), []byte(page(t, "go.sum")), 0o600))
	for _, args := range [][]string{
		{"mod", "init", "example.com/program"},
		{"mod", "edit", "-require", modulePath + "@v0.0.0", "-replace", modulePath + "=" + root(t)},
		{"mod", "tidy"},
	} {
		run(t, dir, args...)
	}
}

// mainOf matches the package clause and the main function of a program.
var mainOf = regexp.MustCompile(`(?m)^package main$|^func main\(\)`)

// together links programs, by name, into one, as linking is most of the time that a program takes, and returns it. Each is a package that
// is looked at by go vet as the program that it is; only then its main function gets another name.
func together(t *testing.T, programs map[string]string) func(name string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name, "main.go")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for name, text := range programs {
		write(name, text)
	}
	module(t, dir)
	run(t, dir, "test", "-vet=all", "./...") // no package has tests; what vet knows of others it has from the tests of this repository
	imports, mains := "", ""
	for name, text := range programs {
		require.Len(t, mainOf.FindAllString(text, -1), 2, name)
		write(name, mainOf.ReplaceAllStringFunc(text, func(s string) string {
			return map[string]string{"package main": "package " + name, "func main()": "func Main()"}[s]
		}))
		imports += fmt.Sprintf("import %q\n", "example.com/program/"+name)
		mains += fmt.Sprintf("%q: %s.Main,\n", name, name)
	}
	write("", "package main\nimport \"os\"\n"+imports+"func main() {\nmap[string]func(){\n"+mains+"}[os.Getenv(\"PROGRAM\")]()\n}\n")
	bin := filepath.Join(dir, "together.exe")
	run(t, dir, "build", "-o", bin, "-ldflags=-s -w", ".")
	return func(name string) *exec.Cmd {
		cmd := exec.Command(bin)
		cmd.Env = append(os.Environ(), "PROGRAM="+name)
		return cmd
	}
}

// run runs go in dir and returns what it wrote to standard output.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	require.NoError(t, cmd.Run(), "go %v: %s", args, &stderr)
	return stdout.String()
}
