package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module3 has a package that passes, one that fails, one that panics, one that does not build and one without tests.
var module3 = map[string]string{
	"go.mod":           "module m\n\ngo 1.24\n",
	"good/a_test.go":   "package good\nimport (\"fmt\"; \"testing\")\nfunc TestA(t *testing.T) { t.Log(\"loud\"); fmt.Println(\"louder\") }\nfunc TestB(t *testing.T) { for _, n := range []string{\"x\", \"y\"} { t.Run(n, func(t *testing.T) { t.Skip(\"no \\t\" + \"moon\") }) } }\nfunc TestC(t *testing.T) { t.SkipNow() }\nfunc TestD(t *testing.T) { if testing.Short() { t.Skip(\"long\") } }\nfunc FuzzE(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, x int) {}) }\n",
	"bad/a_test.go":    "package bad\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Log(\"quiet\") }\nfunc TestB(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Log(\"quiet\") }); t.Run(\"y\", func(t *testing.T) { t.Error(\"not so\") }) }\n",
	"panics/a_test.go": "package panics\nimport \"testing\"\nfunc TestA(t *testing.T) { panic(\"help\") }\n",
	"broken/a_test.go": "package broken\nfunc f() { undefined() }\n",
	"none/a.go":        "package none\n",
}

var took = regexp.MustCompile(`\(?\b[0-9.]+s\)?|\(cached\)|0x[0-9a-f?]+|goroutine \d+`)

// TestPass: the lines are those of go test, whatever becomes of the packages.
func TestPass(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	dir := t.TempDir()
	for name, text := range module3 {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	file := filepath.Join(t.TempDir(), "notrun")
	goTest := func(args ...string) string {
		cmd := exec.Command("go", append([]string{"test"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		out, _ := cmd.CombinedOutput() // packages fail
		return string(out)
	}
	plain, stream := goTest("./..."), goTest("-json", "./...")
	var got bytes.Buffer
	require.NoError(t, run(file, false, false, strings.NewReader(stream), &got))
	sorted := func(text string) []string {
		var list []string
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(took.ReplaceAllString(line, ""))
			if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "ok") || strings.HasPrefix(line, "?") || strings.HasPrefix(line, "FAIL") || strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic:") {
				list = append(list, line)
			}
		}
		return list
	}
	assert.ElementsMatch(t, sorted(plain), sorted(got.String()))
	assert.NotContains(t, got.String(), "loud")
	assert.NotContains(t, got.String(), "quiet")
	assert.Contains(t, got.String(), "not so")
	assert.Contains(t, got.String(), "panic: help")

	var report bytes.Buffer
	require.NoError(t, run(file, true, false, nil, &report))
	assert.Equal(t, "no  moon\n    m/good TestB (2 parts)\nno reason is given\n    m/good TestC\n", report.String())

	// What is skipped in one run and passes in another has run.
	short := filepath.Join(t.TempDir(), "notrun")
	require.NoError(t, run(short, false, true, strings.NewReader(goTest("-json", "-short", "-run", "TestD", "./good")), &got))
	assert.Contains(t, got.String(), "--- SKIP: TestD")
	report.Reset()
	require.NoError(t, run(short, true, false, nil, &report))
	assert.Equal(t, "long\n    m/good TestD\n", report.String())
	require.NoError(t, run(short, false, false, strings.NewReader(stream), &got))
	report.Reset()
	require.NoError(t, run(short, true, false, nil, &report))
	assert.NotContains(t, report.String(), "TestD")
}

// TestList: steps that are no tests stand among the tests; a file that is none of this program is an error.
func TestList(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, list(&out, "step\t\tmake browser\tit takes Chromium\nskip\tgithub.com/rung-mbd/rung\tTestA/b\tlong\nskip\tgithub.com/rung-mbd/rung/sim\tTestB\tlong\npass\tgithub.com/rung-mbd/rung/kkt\tTestB\t\n"))
	assert.Equal(t, "it takes Chromium\n    make browser\nlong\n    TestA/b\n    sim TestB\n", out.String())
	out.Reset()
	require.NoError(t, list(&out, "pass\tgithub.com/rung-mbd/rung/kkt\tTestB\t\n"))
	assert.Equal(t, "nothing; all tests ran\n", out.String())
	require.Error(t, list(&out, "hello\n"))
	require.EqualError(t, list(&out, ""), "notrun: no test is noted")
}

// TestUnended: a stream that breaks off, as go test has been killed, is an error with the package, and what its tests printed is not lost.
func TestUnended(t *testing.T) {
	var out bytes.Buffer
	_, err := pass(strings.NewReader(`{"Action":"start","Package":"p/a"}
{"Action":"output","Package":"p/a","Test":"TestA","Output":"    a_test.go:7: so far\n"}
`), &out, false)
	require.EqualError(t, err, "notrun: the tests of p/a have not ended")
	assert.Contains(t, out.String(), "a_test.go:7: so far")
}
