package arch_test

import (
	"bytes"
	"fmt"
	"go/format"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fence is a block of a page between ``` and ```.
type fence struct{ language, text string }

// fences returns the blocks of a page, those in lists too.
func fences(text string) (list []fence) {
	open := false
	var body strings.Builder
	for line := range strings.Lines(text) {
		language, ok := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case ok && open:
			list[len(list)-1].text = body.String()
			open = false
		case ok:
			list = append(list, fence{language: language})
			body.Reset()
			open = true
		case open:
			body.WriteString(line)
		}
	}
	return list
}

// program is a Go block of a page, and what the page says that it prints.
type program struct{ code, output string }

// programsIn returns the programs of a page. Every Go block is a whole one with its output behind it.
func programsIn(t *testing.T, name string) (list []program) {
	t.Helper()
	blocks := fences(page(t, name))
	for i, b := range blocks {
		if b.language != "go" {
			continue
		}
		require.True(t, strings.HasPrefix(b.text, "package main\n"), "%s: a Go block is no program:\n%s", name, b.text)
		formatted, err := format.Source([]byte(b.text))
		require.NoError(t, err, "%s", name)
		assert.Equal(t, string(formatted), b.text, "%s: a program is not formatted", name)
		require.True(t, i+1 < len(blocks) && blocks[i+1].language == "text", "%s: a program without its output:\n%s", name, b.text)
		list = append(list, program{b.text, blocks[i+1].text})
	}
	return list
}

// shown are pages that have to show a program.
var shown = []string{
	"README.md", "docs/go.md", "docs/tutorial.md", "docs/tutorial-ik.md", "docs/tutorial-ground.md", "docs/batch.md", "docs/cluster.md", "docs/sweeps.md",
	"docs/inverse-kinematics.md", "docs/statics-and-modes.md", "docs/springs.md", "docs/stops-and-friction.md", "docs/ground.md", "docs/play.md",
}

// TestProgramsInPages builds the programs in README.md and docs as their readers do, in a module outside of the
// repository, and runs them: those of one page one after the other, in a folder of its own that is empty at first. What
// they print is what the page says.
//
//rung:norace the goroutines run processes that are built without the detector
func TestProgramsInPages(t *testing.T) {
	pages := pagesWithPrograms(t)
	for _, name := range shown {
		assert.Contains(t, pages, name)
	}
	if testing.Short() {
		t.Skip("links the programs")
	}
	program := together(t)
	for name, list := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := t.TempDir()
			for i, p := range list {
				var stdout, stderr bytes.Buffer
				cmd := program(programName(name, i))
				cmd.Dir, cmd.Stdout, cmd.Stderr = fresh, &stdout, &stderr
				require.NoError(t, cmd.Run(), "program %d of the page: %s", i+1, &stderr)
				assert.Equal(t, p.output, stdout.String(), "program %d of the page", i+1)
			}
		})
	}
}

// pagesWithPrograms returns the programs in README.md and docs, by page.
func pagesWithPrograms(t *testing.T) map[string][]program {
	t.Helper()
	pages := map[string][]program{}
	for _, name := range append(ownPages(t), contracts...) {
		if name != "README.md" && !strings.HasPrefix(name, "docs/") {
			continue // pages for those who write this repository
		}
		if list := programsIn(t, name); len(list) > 0 {
			pages[name] = list
		}
	}
	return pages
}

// programName returns the name of the i-th program of a page, as that of a package.
func programName(page string, i int) string {
	return fmt.Sprintf("%s_%d", strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(filepath.Base(page)), ".md"), "-", "_"), i)
}

// pagePrograms returns all these programs by their names.
func pagePrograms(t *testing.T) map[string]string {
	t.Helper()
	programs := map[string]string{}
	for page, list := range pagesWithPrograms(t) {
		for i, p := range list {
			require.NotContains(t, programs, programName(page, i))
			programs[programName(page, i)] = p.code
		}
	}
	return programs
}

func TestFences(t *testing.T) {
	text := "a\n```go\nx\n\ny\n```\nb\n```\nz\n```\n"
	assert.Equal(t, []fence{{"go", "x\n\ny\n"}, {"", "z\n"}}, fences(text))
}
