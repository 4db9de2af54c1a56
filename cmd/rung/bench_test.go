package main

import (
	"encoding/csv"
	"encoding/json"
	"image/png"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
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
	out := ok(t, "bench", "--min-seconds", "0.002", "--family", "ladder,grid", "--sizes", "40,10,10", "--json", "--csv", table, "--plot", picture)
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
		assert.Len(t, f, 5)
		assert.Positive(t, f["ns_per_body"])
		assert.IsType(t, 0.0, f["exponent"], "of times of 2 ms, which may fall on a busy machine")
		assert.Contains(t, f, "exponent_error")
		assert.Nil(t, f["exponent_error"], "two sizes")
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
	out := ok(t, "bench", "--min-seconds", "0.002", "--sizes", "10,20", "--ordering", "nested-dissection")
	clitest.RequireColumns(t, out)
	assert.Regexp(t, `(?m)^ladder +20  nested-dissection +\d+ +\d+ +\d+ +\d+ +[\d.]+[kM]?$`, out)
	assert.Regexp(t, `(?m)^ladder +sparse +bodies\^-?\d\.\d{3} +\d+$`, out)
	assert.NotContains(t, out, "faster")
	assert.Regexp(t, `(?m)^ladder +sparse +one size only +\d+$`, ok(t, "bench", "--min-seconds", "0.002", "--sizes", "10"))
	checkCSV(t, ok(t, "bench", "--min-seconds", "0.002", "--sizes", "10", "--csv", "-"), []float64{10})
}

// TestBenchTreeRecords: records of the tree methods have times of their parts, and
// the counts of their factors. The parts, each a median, add up to the whole in one of a few measurements: other work on the machine
// spoils some.
func TestBenchTreeRecords(t *testing.T) {
	check.Long(t)
	var doc growth.Document
	for range 10 {
		out := ok(t, "bench", "--min-seconds", "0.002", "--family", "chain", "--sizes", "20", "--method", "all", "--json")
		doc = growth.Document{}
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		require.Len(t, doc.Records, 5)
		if !slices.ContainsFunc(doc.Records, func(r growth.Record) bool { return !addsUp(&r) }) {
			break
		}
	}
	counts := map[string][2]int64{}
	for _, r := range doc.Records {
		assert.Positive(t, r.AnalyzeNs)
		assert.Positive(t, r.FactorNonzeros, r.Method)
		assert.Positive(t, r.FactorFlops, r.Method)
		counts[r.Method] = [2]int64{r.FactorNonzeros, r.FactorFlops}
		parts := r.AssembleNs + r.FactorNs + r.SolveNs
		if r.Method == growth.Articulated {
			assert.Zero(t, parts, "not timed apart")
			continue
		}
		assert.Positive(t, r.AssembleNs)
		assert.Positive(t, r.FactorNs)
		assert.Positive(t, r.SolveNs)
		assert.True(t, addsUp(&r), "%s: %d ns of %d", r.Method, parts, r.TotalNs)
	}
	// H is full: Σ a(a + 2), a = 0 … 19.
	full := [2]int64{20 * 21 / 2, 19*20*39/6 + 19*20}
	for _, method := range shell.MethodNames()[1:] {
		assert.Equal(t, full, counts[method], method)
	}
	assert.Equal(t, [2]int64{7 * 20, 126*20 + 105*19}, counts[growth.Articulated])

	// rung accel has the same counts.
	path := filepath.Join(t.TempDir(), "chain.json")
	ok(t, "generate", "chain", "20", "-o", path)
	for _, method := range shell.MethodNames()[1:] {
		var r rung.Result
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", path, "--json", "--method", method)), &r))
		assert.Equal(t, full, [2]int64{r.Solve.FactorNonzeros, r.Solve.FactorFlops}, method)
	}
}

// addsUp reports whether the parts that are timed apart take half of the whole at least and half as much again at most.
func addsUp(r *growth.Record) bool {
	parts := r.AssembleNs + r.FactorNs + r.SolveNs
	return parts == 0 || math.Abs(float64(parts-r.TotalNs)) <= 0.5*float64(r.TotalNs)
}

// TestBenchMaxSeconds stops after the first size over the limit.
func TestBenchMaxSeconds(t *testing.T) {
	r := rungRun("bench", "--min-seconds", "0.002", "--sizes", "10,20,30", "--max-seconds", "1e-9", "--json")
	assert.Equal(t, shell.ExitDone, r.Status)
	assert.Contains(t, r.Err, "ladder, sparse: sizes from 20 left out")
	assert.Equal(t, 1, strings.Count(r.Out, `"bodies"`))
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
	requireXML(t, ok(t, "bench", "--min-seconds", "0.001", "--sizes", "10", "--plot", "-")) // and no table
	picture, err := png.Decode(strings.NewReader(plotTo("a.png")))
	require.NoError(t, err)
	assert.Greater(t, picture.Bounds().Dx(), 100)
}
