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
	out, err := together(t)("outside").Output()
	require.NoError(t, err)
	assert.Equal(t, `job 7: lower turns at 13.67 rad/s²
{"problems":[{"file":"model","path":"$.bodies[0].inertia","rule":"missing field"},{"file":"model","path":"$.bodies[0].mass","value":"-1","rule":"is not positive"}]}
joint 2, "rail": axis [0 0 0] is zero or not finite
blocks of 4 nodes factored
`, string(out))
}

// outsideProgram returns the program of TestFromOutside.
func outsideProgram(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "outside.go.txt"))
	require.NoError(t, err)
	return map[string]string{"outside": string(text)}
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

// linkedIn is the folder of the program that together has linked, which TestMain removes.
var linkedIn string

func TestMain(m *testing.M) {
	status := m.Run()
	if linkedIn != "" {
		_ = os.RemoveAll(linkedIn)
	}
	os.Exit(status)
}

// together returns the programs of examples, those in pages and the one of TestFromOutside, by name. They are linked into one, as linking is
// most of the time that a program takes, when the first is wanted.
func together(t *testing.T) func(name string) *exec.Cmd {
	t.Helper()
	if linkedIn == "" {
		all := map[string]string{}
		for _, programs := range []map[string]string{examplePrograms(t), pagePrograms(t), outsideProgram(t)} {
			for name, text := range programs {
				require.NotContains(t, all, name)
				all[name] = text
			}
		}
		dir, err := os.MkdirTemp("", "together")
		require.NoError(t, err)
		linkedIn = dir
		linkAll(t, dir, all)
	}
	return func(name string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(linkedIn, linkedName))
		cmd.Env = append(os.Environ(), "PROGRAM="+name)
		return cmd
	}
}

// linkedName is the file of the program that linkAll writes.
const linkedName = "together.exe"

// linkAll writes to a folder one program that has all others, by name. Each is a package that is looked at by go vet as the program that it is;
// only then its main function gets another name.
func linkAll(t *testing.T, dir string, programs map[string]string) {
	t.Helper()
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
	run(t, dir, "build", "-o", linkedName, "-ldflags=-s -w", ".")
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
