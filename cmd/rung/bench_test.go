package main

import (
	"encoding/csv"
	"encoding/json"
	"image/png"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordFields are those of docs/cli.md.
var recordFields = []string{
	"family", "bodies", "joints", "unknowns", "method", "ordering", "threads",
	"analyze_ns", "assemble_ns", "factor_ns", "solve_ns", "total_ns",
	"factor_nonzeros", "factor_flops", "peak_bytes", "residual", "solve_once_ns",
	"wall_ns", "cpu_ns", "waited_ns", "others", "busy",
}

// residualTol is far above the residual of a refined solution.
const residualTol = 1e-13

func TestBenchJSON(t *testing.T) {
	dir := t.TempDir()
	table, picture := filepath.Join(dir, "b.csv"), filepath.Join(dir, "b.svg")
	out := ok(t, "bench", "--min-seconds", "0.01", "--family", "ladder,grid", "--sizes", "40,10,10", "--json", "--csv", table, "--plot", picture)
	var doc struct {
		Records []map[string]any
		Fits    []map[string]any
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&doc))

	require.Len(t, doc.Records, 4)
	bodies := []float64{10, 40, 9, 36}
	for i, r := range doc.Records {
		var fields []string
		for name := range r {
			fields = append(fields, name)
		}
		assert.ElementsMatch(t, recordFields, fields)
		assert.Equal(t, []string{"ladder", "ladder", "grid", "grid"}[i], r["family"])
		assert.Equal(t, bodies[i], r["bodies"])
		assert.Equal(t, 1.0, r["threads"])
		assert.Equal(t, "sparse", r["method"])
		assert.Less(t, r["residual"], residualTol)
		for _, name := range recordFields[7:14] {
			assert.Positive(t, r[name], name)
		}
		assert.GreaterOrEqual(t, r["total_ns"], r["factor_ns"])
		assert.Positive(t, r["solve_once_ns"])
	}
	require.Len(t, doc.Fits, 2)
	for _, f := range doc.Fits {
		assert.Len(t, f, 4)
		assert.Positive(t, f["ns_per_body"])
		assert.Positive(t, f["exponent"])
	}
	requireXML(t, readFile(t, picture))
	checkCSV(t, readFile(t, table), bodies)
}

func checkCSV(t *testing.T, text string, bodies []float64) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+len(bodies))
	assert.Equal(t, recordFields, lines[0])
	for i, n := range bodies {
		assert.Equal(t, strconv.Itoa(int(n)), lines[1+i][1])
	}
}

func TestBenchTable(t *testing.T) {
	out := ok(t, "bench", "--min-seconds", "0.01", "--sizes", "10,20", "--ordering", "nested-dissection")
	requireColumns(t, out)
	assert.Regexp(t, `(?m)^ladder +20  nested-dissection +\d+ +\d+ +\d+ +\d+ +[\d.]+[kM]?$`, out)
	assert.Regexp(t, `(?m)^ladder +sparse +bodies\^-?\d\.\d{3} +\d+$`, out)
	assert.NotContains(t, out, "faster")
	assert.Regexp(t, `(?m)^ladder +sparse +one size only +\d+$`, ok(t, "bench", "--min-seconds", "0.01", "--sizes", "10"))
	checkCSV(t, ok(t, "bench", "--min-seconds", "0.01", "--sizes", "10", "--csv", "-"), []float64{10})
}

// TestBenchTreeRecords: records of the tree methods have times of their parts, and
// the counts of their factors.
func TestBenchTreeRecords(t *testing.T) {
	var doc benchDocument
	out := ok(t, "bench", "--min-seconds", "0.01", "--family", "chain", "--sizes", "20", "--method", "all", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Records, 5)
	counts := map[string][2]int64{}
	for _, r := range doc.Records {
		assert.Positive(t, r.AnalyzeNs)
		assert.Positive(t, r.FactorNonzeros, r.Method)
		assert.Positive(t, r.FactorFlops, r.Method)
		counts[r.Method] = [2]int64{r.FactorNonzeros, r.FactorFlops}
		parts := r.AssembleNs + r.FactorNs + r.SolveNs
		if r.Method == treeABA {
			assert.Zero(t, parts, "not timed apart")
			continue
		}
		assert.Positive(t, r.AssembleNs)
		assert.Positive(t, r.FactorNs)
		assert.Positive(t, r.SolveNs)
		assert.InEpsilon(t, r.TotalNs, parts, 0.5, "each a median")
	}
	// H is full: Σ a(a + 2), a = 0 … 19.
	full := [2]int64{20 * 21 / 2, 19*20*39/6 + 19*20}
	for _, method := range methodNames()[1:] {
		assert.Equal(t, full, counts[method], method)
	}
	assert.Equal(t, [2]int64{7 * 20, 126*20 + 105*19}, counts[treeABA])

	// rung accel has the same counts.
	path := filepath.Join(t.TempDir(), "chain.json")
	ok(t, "generate", "chain", "20", "-o", path)
	for _, method := range methodNames()[1:] {
		var r rung.Result
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", path, "--json", "--method", method)), &r))
		assert.Equal(t, full, [2]int64{r.Solve.FactorNonzeros, r.Solve.FactorFlops}, method)
	}
}

// TestBenchMaxSeconds stops after the first size over the limit.
func TestBenchMaxSeconds(t *testing.T) {
	r := rungRun("bench", "--min-seconds", "0.01", "--sizes", "10,20,30", "--max-seconds", "1e-9", "--json")
	assert.Equal(t, exitDone, r.status)
	assert.Contains(t, r.err, "ladder, sparse: sizes from 20 left out")
	assert.Equal(t, 1, strings.Count(r.out, `"bodies"`))
}

// TestBenchHopeless leaves a size out before its memory is allocated.
func TestBenchHopeless(t *testing.T) {
	s := &series{flags: &benchFlags{maxSeconds: 1}, problem: problem{name: "ladder"}, method: sparseMethod, p: &progress{}}
	assert.False(t, s.hopeless(math.MaxInt64), "nothing measured yet")
	s.last = &record{Bodies: 10, FactorFlops: 1000, FactorNs: 1000}
	assert.False(t, s.hopeless(sureOver*1e9))
	assert.True(t, s.hopeless(sureOver*1e9+10))
	s.last.FactorNs = math.MaxInt64
	rec, err := s.next(20)
	require.NoError(t, err)
	assert.Nil(t, rec)
	assert.Equal(t, 20, s.over)
	s.flags.maxSeconds = 0
	assert.False(t, s.hopeless(math.MaxInt64), "no limit")
}

func TestLargest(t *testing.T) {
	for _, family := range bench.Families() {
		for _, size := range []int{1, 2, 7, 100, 12345, bench.MaxBodies} {
			n := largest(family, size)
			at, err := bench.Bodies(family, n)
			require.NoError(t, err)
			if n > 1 {
				assert.LessOrEqual(t, at, size, family)
			}
			if next, err := bench.Bodies(family, n+1); err == nil {
				assert.Greater(t, next, size, family)
			}
		}
	}
}

func TestFits(t *testing.T) {
	const tol = 1e-7 // times are whole nanoseconds of at least 1e7
	var records []record
	for _, n := range []int{100, 1000, 10000} {
		x := float64(n)
		records = append(records, record{Family: "a", Method: "m", Bodies: n, TotalNs: int64(1e5 * x)})
		records = append(records, record{Family: "b", Method: "m", Bodies: n, TotalNs: int64(1e3 * x * x)})
	}
	records = append(records, record{Family: "c", Method: "m", Bodies: 10, TotalNs: 500})
	list := fits(records)
	require.Len(t, list, 3)
	assert.Equal(t, "a", list[0].Family)
	assert.InDelta(t, 1, *list[0].Exponent, tol)
	assert.InEpsilon(t, 1e5, list[0].NsPerBody, tol)
	assert.InDelta(t, 2, *list[1].Exponent, tol)
	assert.InEpsilon(t, 1e7, list[1].NsPerBody, tol)
	assert.Nil(t, list[2].Exponent)
	assert.InEpsilon(t, 50, list[2].NsPerBody, tol)
}

// TestFitTable fills all columns of the lines after the records.
func TestFitTable(t *testing.T) {
	exponent, bodies := 2.8334, 26.7
	var out strings.Builder
	require.NoError(t, printFits(&out, &benchDocument{
		Fits: []fit{
			{"ladder", sparseMethod, &exponent, 1883.4}, {"ladder", "tree-direct", &exponent, 17609941},
			{"revolute-net", "tree-projection", &exponent, 123456.7}, {"chain", treeABA, nil, 203},
		},
		Crossovers: []crossover{
			{"ladder", "tree-direct", &bodies, true}, {"revolute-net", "tree-projection", &bodies, false}, {"chain", treeABA, nil, false},
		},
	}))
	requireColumns(t, out.String())
	assert.Equal(t, []string{
		"",
		"family       method          growth        ns a body   sparse is faster",
		"ladder       sparse          bodies^2.833       1883",
		"ladder       tree-direct     bodies^2.833      17.6M   at all sizes from 27",
		"revolute-net tree-projection bodies^2.833     123457   from about 27 bodies",
		"chain        tree-aba        one size only       203   not at the largest size",
		"",
	}, strings.Split(out.String(), "\n"))
}

// TestFitsUpperSizes leaves out the small sizes, where the linear part rules.
func TestFitsUpperSizes(t *testing.T) {
	series := func(sizes ...int) (list []record) {
		for _, n := range sizes {
			ns := 1000 * int64(n)
			if n >= 100 {
				ns = int64(n) * int64(n) * int64(n)
			}
			list = append(list, record{Family: "a", Method: "m", Bodies: n, TotalNs: ns})
		}
		return list
	}
	for _, c := range []struct {
		records []record
		used    []int
	}{
		{series(1000, 10, 30, 100, 300), []int{1000, 300, 100}},
		{series(1, 10, 100, 1000, 10000), []int{10000, 1000, 100}},
		{series(99, 100, 150, 250, 500, 800, 1000), []int{1000, 800, 500, 250, 150, 100}},
		{series(500, 1000), []int{1000, 500}},
	} {
		var used []int
		for _, r := range upperSizes(c.records) {
			used = append(used, r.Bodies)
		}
		assert.Equal(t, c.used, used)
		assert.InDelta(t, 3, *fitOf(c.records).Exponent, 1e-9)
	}
}

// TestShare fits the columns of the table.
func TestShare(t *testing.T) {
	assert.Equal(t, "", share(0, 10))
	assert.Equal(t, "12", share(125, 10))
	assert.Equal(t, "999999", share(9999990, 10))
	assert.Equal(t, "16.7M", share(167063520, 10))
	assert.Equal(t, "3.2G", share(3200000000, 1))
}

func TestMedians(t *testing.T) {
	assert.Equal(t, timing{4, 2, 8, 13}, medians([]timing{{5, 1, 9, 15}, {3, 2, 8, 13}, {4, 3, 1, 8}}))
	const least = time.Second
	assert.True(t, more(0, time.Hour, least))
	assert.True(t, more(1, time.Second, least))
	assert.True(t, more(100, least/2, least))
	assert.False(t, more(minRuns, least, least))
	assert.False(t, more(1, enoughRun, least))
	assert.True(t, more(1, enoughRun, time.Hour))
}

// TestPeakBytes sees memory that is touched, and forgets what is reset.
func TestPeakBytes(t *testing.T) {
	const size = 64 << 20
	resetPeak()
	base := peakBytes()
	b := make([]byte, size)
	for i := range b {
		b[i] = 1
	}
	assert.Greater(t, peakBytes()-base, int64(size/2))
	assert.Positive(t, residentBytes())
	assert.Greater(t, heldBytes(), int64(size/2))
	assert.Equal(t, size, len(b)-slices.Index(b, 1))
}

// TestLooks: no two lines look alike, as far as there are colours.
func TestLooks(t *testing.T) {
	group := func(family, method string) []record { return []record{{Family: family, Method: method}} }
	all := [][]record{
		group("ladder", sparseMethod), group("ladder", "tree-direct"), group("chain", sparseMethod), group("chain", treeABA),
	}
	list := looks(all)
	assert.Equal(t, list[0].color, list[1].color, "a colour a family")
	assert.Equal(t, list[0].glyph, list[2].glyph, "a glyph a method")
	for _, lines := range [][][]record{all, all[:2], {all[0], all[2]}} {
		list := looks(lines)
		for i := range list {
			for j := range i {
				assert.False(t, list[i].color == list[j].color && list[i].glyph == list[j].glyph)
			}
			assert.Equal(t, lines[i][0].Method != sparseMethod, list[i].thin)
		}
	}
	var families [][]record
	for i := range 2 * len(plotColors) {
		families = append(families, group(strconv.Itoa(i), treeABA))
	}
	list = looks(families)
	assert.Equal(t, list[0].color, list[len(plotColors)].color)
	assert.NotEqual(t, list[0].glyph, list[len(plotColors)].glyph)
	assert.False(t, list[0].thin, "one method")
}

// TestPlotLegendBeside: many lines have their legend beside the plot.
func TestPlotLegendBeside(t *testing.T) {
	var few, many []record
	for i := range legendLines {
		many = append(many, record{Family: strconv.Itoa(i), Method: sparseMethod, Bodies: 10, TotalNs: 1000})
	}
	few = many[1:]
	width := func(records []record) string {
		var out strings.Builder
		require.NoError(t, writePlot(&out, records, "svg"))
		requireXML(t, out.String())
		return regexp.MustCompile(`width="[^"]*"`).FindString(out.String())
	}
	require.NotEmpty(t, width(few))
	assert.NotEqual(t, width(few), width(many))
}

// TestPlotFormats: the ending says what a picture is.
func TestPlotFormats(t *testing.T) {
	dir := t.TempDir()
	plotTo := func(name string) string {
		path := filepath.Join(dir, name)
		ok(t, "bench", "--min-seconds", "0.001", "--sizes", "10", "--plot", path)
		return readFile(t, path)
	}
	requireXML(t, plotTo("a.SVG"))
	picture, err := png.Decode(strings.NewReader(plotTo("a.png")))
	require.NoError(t, err)
	assert.Greater(t, picture.Bounds().Dx(), 100)
}

func TestPlotNeedsRecords(t *testing.T) {
	require.Error(t, writePlot(nil, nil, "svg"))
}
