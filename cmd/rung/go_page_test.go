package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSubcommandsFromGo: docs/go.md says for each subcommand, and for nothing else, which package and call does the same.
func TestSubcommandsFromGo(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "go.md"))
	require.NoError(t, err)
	var rows, commands []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| .+ \\|$").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, m[1])
	}
	for _, c := range newRoot().Commands() {
		commands = append(commands, c.Name())
	}
	assert.ElementsMatch(t, commands, rows)
}
