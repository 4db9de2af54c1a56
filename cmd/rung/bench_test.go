package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordFields are those of docs/cli.md.
var recordFields = []string{
	"family", "bodies", "joints", "unknowns", "method", "ordering", "threads",
	"analyze_ns", "assemble_ns", "factor_ns", "solve_ns", "total_ns",
	"factor_nonzeros", "factor_flops", "peak_bytes", "residual",
}

// residualTol is far above the residual of a refined solution.
const residualTol = 1e-13

func TestBenchJSON(t *testing.T) {
	dir := t.TempDir()
	table, picture := filepath.Join(dir, "b.csv"), filepath.Join(dir, "b.svg")
	out := ok(t, "bench", "--family", "ladder,grid", "--sizes", "40,10,10", "--json", "--csv", table, "--plot", picture)
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
	out := ok(t, "bench", "--sizes", "10,20", "--ordering", "nested-dissection")
	requireColumns(t, out)
	assert.Regexp(t, `(?m)^ladder +20  nested-dissection +\d+ +\d+ +\d+ +\d+ +[\d.]+[kM]?$`, out)
	assert.Regexp(t, `(?m)^ladder +sparse: time ~ bodies\^-?\d\.\d+; \d+ ns a body at the largest size$`, out)
	assert.Contains(t, ok(t, "bench", "--sizes", "10"), "one size, so no growth")
	checkCSV(t, ok(t, "bench", "--sizes", "10", "--csv", "-"), []float64{10})
}

// TestBenchMaxSeconds stops after the first size over the limit.
func TestBenchMaxSeconds(t *testing.T) {
	r := rungRun("bench", "--sizes", "10,20,30", "--max-seconds", "1e-9", "--json")
	assert.Equal(t, exitDone, r.status)
	assert.Contains(t, r.err, "ladder, sparse: sizes from 20 left out")
	assert.Equal(t, 1, strings.Count(r.out, `"bodies"`))
}

// TestBenchHopeless leaves a size out before its memory is allocated.
func TestBenchHopeless(t *testing.T) {
	s := &series{flags: &benchFlags{maxSeconds: 1}, family: "ladder", method: sparseMethod, p: &progress{}}
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

func TestMedians(t *testing.T) {
	a, f, s, all := medians([]timing{{5, 1, 9, 15}, {3, 2, 8, 13}, {4, 3, 1, 8}})
	assert.Equal(t, []int64{4, 2, 8, 13}, []int64{a, f, s, all})
	assert.True(t, more(0, time.Hour))
	assert.True(t, more(1, time.Second))
	assert.True(t, more(100, minTime/2))
	assert.False(t, more(minRuns, minTime))
	assert.False(t, more(1, enoughRun))
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

func TestPlotNeedsRecords(t *testing.T) {
	require.Error(t, writePlot(nil, nil))
}
