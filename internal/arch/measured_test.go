package arch_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// figure is a number with a unit of time, of memory or of speed, a ratio, or a column of times.
	figure = regexp.MustCompile(`[\d⁰-⁹²³][ \x{a0}]?(ns|µs|ms|s|seconds?|minutes?|hours?|[kMG]i?B|Gflop/s)([^\w/²]|$)|\d (times|of the time)\b|\d ?%|\bns a (body|joint|wheel|step)\b|\| *(ns|µs|ms) *\|`)
	// source is what measures: a command, a benchmark, a test, or the page that has them.
	source = regexp.MustCompile(`go test |(?m:^    |\x60)make [a-z]|rung bench|bench/peers/run\.sh|go run \./bench|\b(Test|Benchmark)[A-Z]\w+|benchmarks\.md|#figures`)
	// written are the regions that programs write; their records have tests of their own.
	written   = regexp.MustCompile(`(?s)<!-- (figures|rollouts|precision) -->\n.*?<!-- end of (figures|rollouts|precision) -->\n`)
	titleLine = regexp.MustCompile(`^(#+) (.*)$`)
)

// unmeasured are sections with such numbers that nobody has measured, or that nobody can measure again.
var unmeasured = map[string]string{
	"docs/cluster.md # In a program":                "the length of a run",
	"docs/examples.md # Programs":                   "a setting",
	"docs/gallery.md # Coaster":                     "the length of a run",
	"docs/ground.md # Soft soil":                    "water in soil, from the sources of the table",
	"docs/ground.md # Ruts":                         "a limit",
	"docs/ground.md # Force-balance steps":          "a setting",
	"docs/inverse-kinematics.md # Stability":        "a setting",
	"docs/inverse-kinematics.md # Designs":          "a setting",
	"docs/model-format.md # Terrains":               "a limit",
	"docs/sweeps.md # Tolerances of a four-bar":     "a setting",
	"docs/theory.md # Stiff springs: generalized-α": "a setting",
	"docs/theory.md # Gradients of implicit steps":  "a setting",
	"docs/tutorial-ground.md # The drive":           "a setting",
	"docs/tutorial-ground.md # How exact is that?":  "the length of a run",
	"docs/validation.md # By package":               "the length of a run",
}

// section is a part of a page up to the next heading.
type section struct {
	title string
	level int
	text  string
}

// parts returns the parts of a page, that above the first heading first.
func parts(text string) []section {
	list, code := []section{{}}, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if m := titleLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && !code {
			list = append(list, section{title: m[2], level: len(m[1])})
		} else {
			list[len(list)-1].text += line
		}
	}
	return list
}

// unexplained returns the titles of sections that have figures, and no source in themselves or in what stands directly below a heading above them.
func unexplained(text string) (list []string) {
	var above []section
	for _, s := range parts(written.ReplaceAllString(text, "")) {
		for len(above) > 0 && above[len(above)-1].level >= s.level {
			above = above[:len(above)-1]
		}
		above = append(above, s)
		said := false
		for _, a := range above {
			said = said || source.MatchString(a.text)
		}
		if !said && figure.MatchString(sentences(s.text)) {
			list = append(list, s.title)
		}
	}
	return list
}

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	indented = regexp.MustCompile("(?m)^    .*$")
)

// sentences returns a text without its code.
func sentences(text string) string {
	return codeSpan.ReplaceAllString(indented.ReplaceAllString(fenced.ReplaceAllString(text, ""), ""), "")
}

// TestFiguresSayHow: sections of pages with times, sizes and ratios name what measures them.
func TestFiguresSayHow(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	found := map[string]bool{}
	for _, p := range pages {
		name := "docs/" + filepath.Base(p)
		for _, title := range unexplained(page(t, name)) {
			found[name+" # "+title] = true
			assert.NotEmpty(t, unmeasured[name+" # "+title], "%s, %q: a figure, and not what measures it: a command, a benchmark or a test", name, title)
		}
	}
	for name := range unmeasured {
		assert.True(t, found[name], "%s needs no reason any more", name)
	}
	const text = "# P\n\nAs 1 in 2.\n\n## A\n\nIt takes 3 ms.\n\n```\ngo test ./x\n```\n\n### B\n\nIt has 12 MB.\n\n## C\n\nIt is 4 times as fast.\n\n" +
		"## D\n\n<!-- figures -->\n7 ms\n<!-- end of figures -->\n\n## E\n\n```\n8 ms\n```\n\n## F\n\n| n | µs |\n|---|---|\n| 3 | 1 |\n"
	require.Equal(t, []string{"C", "F"}, unexplained(text))
}
