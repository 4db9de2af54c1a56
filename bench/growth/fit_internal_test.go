package growth

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFits(t *testing.T) {
	const tol = 1e-7 // times are whole nanoseconds of at least 1e7
	var records []Record
	for _, n := range []int{100, 1000, 10000} {
		x := float64(n)
		records = append(records, Record{Family: "a", Method: "m", Bodies: n, TotalNs: int64(1e5 * x)})
		records = append(records, Record{Family: "b", Method: "m", Bodies: n, TotalNs: int64(1e3 * x * x)})
	}
	records = append(records, Record{Family: "c", Method: "m", Bodies: 10, TotalNs: 500})
	list := Fits(records, Time)
	require.Len(t, list, 3)
	assert.Equal(t, "a", list[0].Family)
	assert.InDelta(t, 1, *list[0].Exponent, tol)
	assert.InEpsilon(t, 1e5, list[0].PerBody, tol)
	assert.InDelta(t, 2, *list[1].Exponent, tol)
	assert.InEpsilon(t, 1e7, list[1].PerBody, tol)
	assert.InDelta(t, 0, *list[1].ExponentError, tol)
	assert.Nil(t, list[2].Exponent)
	assert.Nil(t, list[2].ExponentError)
	assert.InEpsilon(t, 50, list[2].PerBody, tol)
}

// TestFitsUpperSizes leaves out the small sizes, where the linear part rules.
func TestFitsUpperSizes(t *testing.T) {
	series := func(sizes ...int) (list []Record) {
		for _, n := range sizes {
			ns := 1000 * int64(n)
			if n >= 100 {
				ns = int64(n) * int64(n) * int64(n)
			}
			list = append(list, Record{Family: "a", Method: "m", Bodies: n, TotalNs: ns})
		}
		return list
	}
	for _, c := range []struct {
		records []Record
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
		assert.InDelta(t, 3, *fitOf(c.records, Time).Exponent, 1e-9)
	}
}

func TestCrossover(t *testing.T) {
	series := func(method string, ns ...int64) (list []Record) {
		for i, n := range ns {
			list = append(list, Record{Family: "f", Method: method, Bodies: []int{10, 100, 1000}[i], TotalNs: n})
		}
		return list
	}
	sparse := series(sparseMethod, 100, 1000, 10000)
	for _, c := range []struct {
		other  []Record
		bodies float64 // 0: none
		always bool
	}{
		{series("a", 10, 1000, 100000), 100, false},
		{series("a", 200, 3000, 40000), 10, true},
		{series("a", 10, 100, 1000), 0, false},
		{series("a", 10, 10000), 31.622776601683793, false},
	} {
		list := crossovers(append(append([]Record(nil), sparse...), c.other...))
		require.Len(t, list, 1)
		assert.Equal(t, c.always, list[0].Always)
		if c.bodies == 0 {
			assert.Nil(t, list[0].Bodies)
			continue
		}
		require.NotNil(t, list[0].Bodies)
		assert.InEpsilon(t, c.bodies, *list[0].Bodies, 1e-12)
	}
}

// TestExponentError: of the points (0, 0), (1, 1 + e), (2, 2) in logarithms, the slope is 1 and its standard error
// √(6e²/9/(3 − 2)/2) = e/√3.
func TestExponentError(t *testing.T) {
	const e, tol = 0.1, 1e-12
	work := []float64{1, math.Exp(1 + e), math.Exp(2)}
	var records []Record
	for i, n := range []int{1000, 2000, 4000} { // logarithms at distances of ln 2
		records = append(records, Record{Family: "a", Method: "m", Bodies: n, Unknowns: i})
	}
	at := func(r *Record) float64 { return work[r.Unknowns] }
	f := Fits(records, at)[0]
	assert.InEpsilon(t, 1/math.Ln2, *f.Exponent, tol)
	assert.InEpsilon(t, e/math.Sqrt(3)/math.Ln2, *f.ExponentError, tol)
	f = Fits(records[:2], at)[0]
	assert.InEpsilon(t, (1+e)/math.Ln2, *f.Exponent, tol)
	assert.Nil(t, f.ExponentError, "two points are on a line")
}
