package arch_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numberedPages are the pages with numbered equations, and the letters before
// the numbers in each: (1), (R1), (C1) and (K1) in theory.md, (S1), (F1) and so on in the others.
var numberedPages = map[string][]string{
	"theory.md":             {"", "R", "C", "K", "O", "A", "H", "W", "U", "D", "V", "I"},
	"statics-and-modes.md":  {"S"},
	"inverse-kinematics.md": {"F", "T", "D", "S", "L", "P"},
	"ground.md":             {"G"},
	"stops-and-friction.md": {"J"},
	"springs.md":            {"E"},
}

// numbered is a line of a displayed equation with a number at its end.
var numbered = regexp.MustCompile(`(?m)^    .*\s\(([A-Z]?)(\d+)\)$`)

// equations returns the numbers of the equations of a page, such as "8" or
// "R8". Those with the same letter have to be 1, 2, 3, … in their order.
func equations(t *testing.T, name string) map[string]bool {
	t.Helper()
	set, next := map[string]bool{}, map[string]int{}
	for _, m := range numbered.FindAllStringSubmatch(page(t, "docs/"+name), -1) {
		assert.Contains(t, numberedPages[name], m[1], "letter of (%s%s) in %s", m[1], m[2], name)
		next[m[1]]++
		assert.Equal(t, strconv.Itoa(next[m[1]]), m[2], "number of an equation %q in %s", m[0], name)
		set[m[1]+m[2]] = true
	}
	return set
}

// equationCitation finds "theory.md (8)", "theory.md (8), (9)", "theory.md (36)–(39)"
// and the like.
var equationCitation = regexp.MustCompile(
	`(theory|statics-and-modes|inverse-kinematics|ground|stops-and-friction|springs)\.md (\([A-Z]?\d+\)(?:(?:, | and |, and | to |–)\([A-Z]?\d+\))*)`)

// reduced finds the number of an equation of the reduced system, which needs no
// name of the page before it.
var reduced = regexp.MustCompile(`\(R\d+\)(?:–\(R\d+\))?`)

// parenthesized finds a number of an equation, and one more after a dash if it
// begins a range.
var parenthesized = regexp.MustCompile(`\(([A-Z]?)(\d+)\)(?:(?:–| to )\([A-Z]?(\d+)\))?`)

// equationsIn returns the numbers in a list such as "(8), (10)–(12)".
func equationsIn(list string) (out []string) {
	for _, m := range parenthesized.FindAllStringSubmatch(list, -1) {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		for n := first; n <= last; n++ {
			out = append(out, m[1]+strconv.Itoa(n))
		}
	}
	return out
}

// TestEquations requires that every number of an equation that a comment cites
// exists, and that every numbered equation is cited by a comment or is in the
// table of equations and functions.
func TestEquations(t *testing.T) {
	exist, cited := map[string]map[string]bool{}, map[string]bool{}
	for name := range numberedPages {
		exist[name] = equations(t, name)
		require.NotEmpty(t, exist[name], "%s", name)
	}
	for _, f := range sources(t) {
		if f.pkg == "internal/arch" {
			continue // its examples
		}
		for _, c := range f.ast.Comments {
			text := strings.Join(strings.Fields(c.Text()), " ")
			if !strings.Contains(text, ".md (") && !strings.Contains(text, "(R") {
				continue // as most
			}
			for _, m := range equationCitation.FindAllStringSubmatch(text, -1) {
				for _, n := range equationsIn(m[2]) {
					assert.True(t, exist[m[1]+".md"][n], "%s cites %s.md (%s), which does not exist", f.path, m[1], n)
					cited[n] = true
				}
			}
			for _, m := range reduced.FindAllString(text, -1) {
				for _, n := range equationsIn(m) {
					assert.True(t, exist["theory.md"][n], "%s cites (%s), which does not exist", f.path, n)
					cited[n] = true
				}
			}
		}
	}
	for _, cells := range tableRows(t, page(t, "docs/theory.md"), "## Equations and functions") {
		for _, n := range equationsIn(cells[0]) {
			found := false
			for _, numbers := range exist {
				found = found || numbers[n]
			}
			assert.True(t, found, "the table names (%s), which does not exist", n)
			cited[n] = true
		}
	}
	for name, numbers := range exist {
		for n := range numbers {
			assert.True(t, cited[n], "(%s) of %s is neither in the table nor cited", n, name)
		}
	}
}

func TestEquationsIn(t *testing.T) {
	text := "as in docs/theory.md (8), (10)–(12) and (R3), see RBDA (4)"
	m := equationCitation.FindStringSubmatch(text)
	require.NotNil(t, m)
	assert.Equal(t, []string{"8", "10", "11", "12", "R3"}, equationsIn(m[2]))
	assert.Nil(t, equationCitation.FindStringSubmatch("docs/theory.md explains (8)"))
}
