package arch_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// traced are numbers of README.md that another place has: the words around them, with {} for each and {*} for a name, and what has to stand there.
type traced struct {
	words  string
	values []string
}

// pattern returns what finds the numbers, in lines that may be broken anywhere between words.
func (f *traced) pattern() *regexp.Regexp {
	words := strings.Fields(f.words)
	for i, w := range words {
		words[i] = strings.NewReplacer(`\{\}`, `([^\s|]+(?: \d{3})*)`, `\{\*\}`, `([^()\n]+)`).Replace(regexp.QuoteMeta(w))
	}
	return regexp.MustCompile(strings.Join(words, `\s+`))
}

// set returns the text with the values in their places, and the text without them and the words around them. ok reports whether the words stand there once.
func (f *traced) set(text string) (with, without string, ok bool) {
	all := f.pattern().FindAllStringSubmatchIndex(text, -1)
	if len(all) != 1 || len(all[0]) != 2+2*len(f.values) {
		return text, text, false
	}
	at, from := all[0], 0
	for i, v := range f.values {
		with += text[from:at[2+2*i]] + v
		from = at[3+2*i]
	}
	return with + text[from:], text[:at[0]] + text[at[1]:], true
}

// readmeFigures lists the numbers of README.md with what the records have.
func readmeFigures(t *testing.T) []traced {
	benchmarks, drawn := page(t, "docs/benchmarks.md"), countsOf(t, "excavator 1", "")
	return append(besideMuJoCo(t, benchmarks),
		traced{"factors and solves a ladder in {} to {} of the time of SuiteSparse LDL", figureSpan(t, benchmarks, "factor + solve / SuiteSparse LDL")},
		traced{"factors a net in {} to {} of the time of the fastest of CHOLMOD", figureSpan(t, benchmarks, "factor / fastest of all solvers")},
		traced{"drawn by rung: {} bodies, {} closed loops, {} redundant constraints", []string{word(drawn.bodies), word(drawn.loops), word(drawn.redundant)}},
		traced{"{} types of joints", []string{strconv.Itoa(int(joints.NumKinds))}},
		traced{"Go {} or later", []string{submatch(t, page(t, "go.mod"), `(?m)^go (\S+)$`)}},
		traced{"Rung steps {} states in lanes", []string{submatch(t, page(t, "bench/rollout/main.go"), `\tstates += (\d+) `)}},
	)
}

// submatch returns what the one group of a pattern finds.
func submatch(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.Len(t, m, 2, pattern)
	return m[1]
}

// word returns a number as it stands in a sentence.
func word(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// besideMuJoCo lists what README.md has of the steps that bench/peers/run.sh -rollouts measures.
func besideMuJoCo(t *testing.T, benchmarks string) (list []traced) {
	_, region, ok := strings.Cut(benchmarks, "\n<!-- rollouts -->\n")
	region, _, closed := strings.Cut(region, "\n<!-- end of rollouts -->\n")
	require.True(t, ok && closed)
	measured, mechanism := map[string][]string{}, "" // by mechanism, method and step
	for _, cells := range tableRows(t, benchmarks, "### Beside MuJoCo") {
		if cells[0] != "" {
			mechanism = cells[0]
		}
		measured[mechanism+", "+cells[1]] = cells[2:]
	}
	for _, row := range []struct{ name, method, step, after string }{
		{"four-bar", "four-bar, RK4", "1 ms", "1 s"}, {"Andrews' mechanism", "Andrews, RK4", "30 µs", "0.03 s"}, {"Stewart platform", "Stewart, RK4", "1 ms", "0.5 s"},
	} {
		m := measured[row.method+", "+row.step]
		require.Len(t, m, 5, row.name)
		require.Contains(t, region, "\n| "+strings.TrimSuffix(row.method, "RK4")+row.after+", Euler |")
		list = append(list,
			traced{fmt.Sprintf("| %s, step of %s: time | {} ns | – | {} ns | – | – | – |", row.name, row.step), []string{thousands(m[2]), thousands(m[0])}},
			traced{fmt.Sprintf("| – error after %s | {} m | – | {} m | – | – | – |", row.after), []string{decimal(m[3]), decimal(m[1])}})
	}
	processor := submatch(t, region, `(?m)^- Processor: ([^;]+);`)
	processor = regexp.MustCompile(`, \d+ cores$|\((R|TM)\)`).ReplaceAllString(processor, "")
	return append(list, traced{"RK4 step on one core ({*}):", []string{processor}},
		traced{"MuJoCo {} one `mjData`", []string{submatch(t, region, `libmujoco-dev (\d+\.\d+\.\d+)`)}})
}

// thousands sets a space where a number of five digits and more is read more easily.
func thousands(digits string) string {
	if n := len(digits); n > 4 {
		return digits[:n-3] + " " + digits[n-3:]
	}
	return digits
}

// decimal returns 3e-9 as 3·10⁻⁹.
func decimal(x string) string {
	digit, power, ok := strings.Cut(x, "e")
	if !ok {
		return x
	}
	return digit + "·10" + strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(power)
}

// figureSpan returns the least and the most of a figure over all that it is measured of.
func figureSpan(t *testing.T, benchmarks, figure string) []string {
	var least, most float64
	for _, cells := range tableRows(t, benchmarks, "## Figures") {
		if name, _, _ := strings.Cut(cells[0], ":"); name != figure {
			continue
		}
		v, err := strconv.ParseFloat(cells[2], 64)
		require.NoError(t, err)
		if least == 0 {
			least, most = v, v
		}
		least, most = min(least, v), max(most, v)
	}
	require.Positive(t, least, figure)
	return []string{fmt.Sprintf("%.2f", least), fmt.Sprintf("%.2f", most)}
}

// counts are numbers of a mechanism.
type counts struct{ bodies, loops, redundant int }

// countsOf counts a mechanism: "FAMILY N" or a file.
func countsOf(t *testing.T, generated, file string) counts {
	t.Helper()
	var m *model.Model
	var err error
	if family, size, ok := strings.Cut(generated, " "); ok {
		var n int
		n, err = strconv.Atoi(size)
		require.NoError(t, err)
		m, err = bench.Generate(family, n, 1)
	} else {
		m, err = model.ReadFile(filepath.Join(root(t), file))
	}
	require.NoError(t, err, generated+file)
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err, generated+file)
	return counts{len(m.Bodies), len(m.Joints) - len(m.Bodies), int(r.Constraints.Redundant)}
}

// TestReadmeFigures: README.md says what the records say: the tables that bench/peers/run.sh writes into docs/benchmarks.md, and what the code counts.
// -update writes it.
func TestReadmeFigures(t *testing.T) {
	text := page(t, "README.md")
	want := text
	for _, f := range readmeFigures(t) {
		var ok bool
		want, _, ok = f.set(want)
		assert.True(t, ok, "README.md does not say once: %s", f.words)
	}
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(filepath.Join(root(t), "README.md"), []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, text, "go test ./internal/arch -run TestReadmeFigures -update writes what the records have")
}

// settled are words of README.md with numbers that nobody measures: names, definitions, what one chooses.
var settled = []string{
	"Licence: BSD 3-Clause", "[BSD 3-Clause licence]", "2008, §8.13", "bodies^1.5", "AVX2 and AVX-512", "of 32 and 64 bits", "on amd64 and arm64",
}

// TestReadmeIsTraced: README.md has no number in its sentences and tables that is neither compared with a record nor settled.
func TestReadmeIsTraced(t *testing.T) {
	text := page(t, "README.md")
	for _, f := range readmeFigures(t) {
		_, text, _ = f.set(text)
	}
	assert.Empty(t, untraced(text), "a figure of README.md needs a record, and a line in readmeFigures")
	for _, s := range settled {
		assert.Regexp(t, (&traced{words: s}).pattern(), text, "README.md no longer says it")
	}
	assert.Equal(t, []string{"The wheel takes 12 MB."}, untraced("# R\n\nAVX2 and AVX-512 help. The wheel takes 12 MB.\n\n    rung 12\n\n```\n12\n```\n\nSee `x 12` and [y](z12.md).\n"))
}

// untraced returns the sentences of a page with numbers in them that are not settled, code and addresses left aside.
func untraced(text string) (list []string) {
	text = regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(sentences(text), "]")
	for _, s := range settled {
		text = (&traced{words: s}).pattern().ReplaceAllString(text, "")
	}
	for _, s := range regexp.MustCompile(`[^.\n]*\d[^\n]*`).FindAllString(text, -1) {
		list = append(list, strings.TrimSpace(s))
	}
	return list
}

var galleryCount = regexp.MustCompile(`(?i)(\w+) (bodies|redundant rows?|closed loops?)\b`)

// numeral returns the number that a word is.
func numeral(w string) (int, bool) {
	w = strings.ToLower(w)
	for n := range 12 {
		if w == word(n) {
			return n, true
		}
	}
	if n := map[string]int{"a": 1, "twelve": 12}[w]; n > 0 {
		return n, true
	}
	n, err := strconv.Atoi(w)
	return n, err == nil
}

// TestGalleryCounts: what the site says of exhibits is what the solver counts.
func TestGalleryCounts(t *testing.T) {
	var list []struct{ Name, Family, Model, About string }
	require.NoError(t, json.Unmarshal([]byte(page(t, "site/gen/gallery.json")), &list))
	compared := 0
	for _, e := range list {
		for _, m := range galleryCount.FindAllStringSubmatch(e.About, -1) {
			said, ok := numeral(m[1])
			if !ok {
				continue
			}
			c := countsOf(t, e.Family, e.Model)
			n := map[byte]int{'b': c.bodies, 'r': c.redundant, 'c': c.loops}[m[2][0]]
			assert.Equal(t, n, said, "%s: %s", e.Name, m[0])
			compared++
		}
	}
	assert.GreaterOrEqual(t, compared, 8)
}
