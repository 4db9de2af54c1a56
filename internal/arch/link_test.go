package arch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// solves is a program that reads a model and solves it.
const solves = `package main

import (
	"fmt"
	"log"
	"os"

	"github.com/rung-mbd/rung"
)

func main() {
	m, err := rung.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Bodies)
}
`

// TestLinked: of what the root package compiles for runs, the linker leaves nothing in a program that only solves: dense matrices, locks of
// files, and regular expressions, which packages hold by variables that are set before main.
func TestLinked(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(source, []byte(solves), 0o600))
	run(t, root(t), "build", "-ldflags=-w", "-o", binary, source)
	symbols := run(t, root(t), "tool", "nm", binary)
	require.Contains(t, symbols, modulePath+"/kkt.")
	for line := range strings.Lines(symbols) {
		for _, without := range []string{"gonum.org/", "github.com/gofrs/flock", " regexp.", modulePath + "/tree."} {
			assert.NotContains(t, line, without)
		}
	}
}
