package kkt

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

// TestSpanChoices: a tolerance that leaves a wide gap ends the search. Otherwise the clearest is taken, or, if that is not clear, the
// clearest of those that give the rank which the pivots tell.
func TestSpanChoices(t *testing.T) {
	type choice struct {
		tol, smallest, dropped float64
		rank                   int
	}
	for name, c := range map[string]struct {
		tried []choice
		sure  bool
		tol   float64
		clear bool
	}{
		"sure":                  {tried: []choice{{1e-9, 2e-4, 1e-8, 5}}, sure: true, tol: 1e-9, clear: true},
		"clear":                 {tried: []choice{{1e-9, 0.9e-4, 1e-8, 5}, {1e-8, 2e-5, 1e-8, 4}}, tol: 1e-9, clear: true},
		"the later is clearer":  {tried: []choice{{1e-9, 2e-5, 1e-8, 4}, {1e-8, 0.9e-4, 1e-8, 5}}, tol: 1e-8, clear: true},
		"not clear":             {tried: []choice{{1e-9, 0.9e-5, 1e-8, 5}, {1e-8, 0.5e-5, 1e-8, 4}}, tol: 1e-8},
		"nor of that rank":      {tried: []choice{{1e-9, 0.5e-5, 1e-8, 5}, {1e-8, 0.9e-5, 1e-8, 3}}, tol: 1e-8},
		"nothing is dropped":    {tried: []choice{{1e-9, 2e-12, 0, 5}}, sure: true, tol: 1e-9, clear: true},
		"nothing, and no gap":   {tried: []choice{{1e-9, 0.5e-13, 0, 5}}, tol: 1e-9},
		"nothing, and some gap": {tried: []choice{{1e-9, 0.5e-12, 0, 5}}, tol: 1e-9, clear: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := spanChoices{rank: 4}
			for i, d := range c.tried {
				require.Equal(t, c.sure && i == len(c.tried)-1, s.add(d.tol, factor.SpanGap{Smallest: d.smallest, Dropped: d.dropped}, d.rank))
			}
			tol, clear := s.choose()
			require.Equal(t, c.tol, tol)
			require.Equal(t, c.clear, clear)
		})
	}
}

// TestIsLeast: which multipliers count as those of least norm.
func TestIsLeast(t *testing.T) {
	for _, c := range []struct {
		optimality, change, dropped float64
		want                        bool
	}{
		{0.5e-10, 0.5e-10, 0, true},
		{2e-10, 0.5e-10, 0, false},
		{0.5e-10, 2e-10, 0, false},
		{0.5e-10, 2e-10, 4e-10, true}, // a dependent column has left as much
		{0.5e-10, 6e-10, 4e-10, false},
		{0.5e-10, 0.9e-8, 1e-6, true},
		{0.5e-10, 2e-8, 1e-6, false},
		{math.NaN(), 0, 0, false}, {0, math.NaN(), 0, false},
	} {
		require.Equal(t, c.want, isLeast(factor.LeastNorm{Optimality: c.optimality, Change: c.change}, factor.SpanGap{Dropped: c.dropped}), "%+v", c)
	}
}

// TestReleased: when the corrections for bodies without inertia end.
func TestReleased(t *testing.T) {
	for _, c := range []struct {
		step      int
		off, best float64
		ends      bool
		found     bool
	}{
		{0, 0, math.Inf(1), true, true},
		{0, 0.9e-15, math.Inf(1), true, true},
		{0, 2e-15, math.Inf(1), false, false},
		{1, 1e-3, 1, false, false},
		{1, 0.6, 1, true, false},           // it shrinks too little
		{1, 0.9e-11, 1.1e-11, true, true},  // to a result
		{1, 5e-11, 0.9e-11, true, false},   // the one before is gone
		{1, 2e-11, 3e-11, true, false},     // to none
		{7, 1e-4, 1, false, false},         // one more
		{8, 1e-4, 1, true, false},          // no more
		{8, 0.9e-11, 1e-3, true, true},     // but it is good enough
		{8, math.NaN(), 1e-3, true, false}, // no number
	} {
		ends, found := released(c.step, c.off, c.best)
		require.Equal(t, []bool{c.ends, c.found}, []bool{ends, found}, "%+v", c)
	}
}

// TestOrthogonalHolds: which solutions by an orthogonal factorization are results.
func TestOrthogonalHolds(t *testing.T) {
	const good, bad = 0.9e-10, 2e-10
	require.True(t, orthogonalHolds(good, good, good))
	for _, wrong := range []float64{bad, math.NaN()} {
		require.False(t, orthogonalHolds(wrong, good, good))
		require.False(t, orthogonalHolds(good, wrong, good))
		require.False(t, orthogonalHolds(good, good, wrong))
	}
}

// TestWorstOf: residuals are relative to the terms of their row and to a part of the whole; rounding is none.
func TestWorstOf(t *testing.T) {
	p := sparse.NewPattern([]int8{2, 2, 2, 1}, []int8{1, 1, -1, -1}, []int32{0, 0, 0, 2, 3}, []int32{0, 1, 1})
	x := []float64{3, 4, 0, 12, 0, 0, 0}
	scale := []float64{0, 0, 0, 0, 4, 1, 1}
	const size = 100
	for name, c := range map[string]struct {
		r, b [3]float64 // by row
		want factor.Worst
	}{
		"none":           {want: factor.Worst{Node: -1, Row: -1}},
		"one":            {r: [3]float64{0, -1, 0}, b: [3]float64{0, -3, 0}, want: factor.Worst{Ratio: 1 / (3 + 17.01), Node: 2, Row: 1}},
		"by scale":       {r: [3]float64{1, 0, 0}, want: factor.Worst{Ratio: 1 / (2 * 17.01), Node: 2, Row: 0}},
		"the larger":     {r: [3]float64{1, 0, 1}, want: factor.Worst{Ratio: 1 / 12.01, Node: 3, Row: 0}},
		"the first":      {r: [3]float64{0, 1, 1e-3}, want: factor.Worst{Ratio: 1 / 17.01, Node: 2, Row: 1}},
		"rounding":       {r: [3]float64{0, 0, 0.9e-14 * 12.01}, want: factor.Worst{Node: -1, Row: -1}},
		"not rounding":   {r: [3]float64{0, 0, 1.1e-14 * 12.01}, want: factor.Worst{Ratio: 1.1e-14, Node: 3, Row: 0}},
		"not a number":   {r: [3]float64{1, math.NaN(), 0}, want: factor.Worst{Ratio: math.NaN(), Node: 2, Row: 1}},
		"nor afterwards": {r: [3]float64{math.NaN(), 1, 0}, want: factor.Worst{Ratio: math.NaN(), Node: 2, Row: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			r, b := make([]float64, 7), make([]float64, 7)
			copy(r[4:], c.r[:])
			copy(b[4:], c.b[:])
			got := worstOf(p, r, b, x, scale, size)
			require.Equal(t, c.want.Node, got.Node)
			require.Equal(t, c.want.Row, got.Row)
			if math.IsNaN(c.want.Ratio) {
				require.True(t, math.IsNaN(got.Ratio))
			} else {
				require.InDelta(t, c.want.Ratio, got.Ratio, 1e-12*c.want.Ratio)
			}
		})
	}
}

// TestToleratedInconsistency: weak rows that are redundant hold up to rounding. Other ways find least squares of rows that
// an imperfect state makes contradict each other.
func TestToleratedInconsistency(t *testing.T) {
	require.Greater(t, DropWeak.tol(), 5e-13)
	require.Less(t, DropWeak.tol(), 2e-12)
	require.Greater(t, KeepAll.tol(), 5e-5)
	require.Less(t, KeepAll.tol(), 2e-4)
}

// TestDoubtful: in a reduced system a weak pivot above rounding may belong to a true row.
func TestDoubtful(t *testing.T) {
	whole, reduced := &system{}, &system{}
	for _, c := range []struct {
		now   *system
		doubt float64
		want  bool
	}{
		{reduced, 0, false}, {reduced, 0.9e-12, false}, {reduced, 2e-12, true}, {reduced, math.NaN(), true},
		{whole, 1, false},
	} {
		s := &core{whole: whole, now: c.now, ref: factor.Refinement{Doubt: c.doubt}}
		require.Equal(t, c.want, s.doubtful(), "%g", c.doubt)
	}
}

// TestKeeps: which backward errors multipliers of least norm may have.
func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		e, was float64
		want   bool
	}{
		{0.9e-11, 0, true}, {2e-11, 0, false}, {math.NaN(), 0, false},
		{1.9e-6, 1e-6, true}, {2.1e-6, 1e-6, false},
	} {
		require.Equal(t, c.want, keeps(c.e, c.was), "%+v", c)
	}
}

// TestClassify: what the pivots of a row under a proximal term and under ten times that tell.
func TestClassify(t *testing.T) {
	const term = 1e-12
	for name, c := range map[string]struct {
		p1, p2    float64
		redundant bool
		near      bool
		distance  float64
	}{
		"true":                           {p1: 0.04 + term, p2: 0.04 + 10*term, distance: 0.2},
		"true, and it pushes far":        {p1: 1e-6 + 25*term, p2: 1e-6 + 250*term, distance: 25e-3},
		"true, and it pushes too little": {p1: 1e-6 + term/4, p2: 1e-6 + 2.5*term, distance: 1e-3},
		"alone":                          {p1: 4, p2: 4, distance: 1},
		"redundant":                      {p1: term, p2: 10 * term, redundant: true, distance: 1},
		"nearly redundant":               {p1: term, p2: 8 * term, redundant: true, near: true, distance: 1},
		"redundant up to rounding":       {p1: term, p2: 9.3 * term, redundant: true, distance: 1},
		"next to redundant":              {p1: 9 * term, p2: 18 * term, near: true, distance: math.Sqrt(8 * term)},
		"hardly moved by the term":       {p1: 9 * term, p2: 9.5 * term, distance: math.Sqrt((90 - 9.5) / 9 * term)},
		"more than redundant":            {p1: term, p2: 3.4 * term, redundant: true, near: true, distance: 1},
		"less than redundant":            {p1: term, p2: 3.2 * term, near: true, distance: math.Sqrt((10 - 3.2) / 9 * term)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, scale := range []float64{1, 100} {
				r := &Report{Distance: 1, WeakestJoint: -1}
				require.Equal(t, c.redundant, classify(r, 3, scale*c.p1, scale*c.p2, scale))
				require.Equal(t, c.near, r.NearSingular)
				require.InEpsilon(t, c.distance, r.Distance, 1e-6)
				require.Equal(t, !c.redundant, r.WeakestJoint == 3)
			}
		})
	}
	r := &Report{Distance: 0.1, WeakestJoint: 1}
	require.False(t, classify(r, 3, 0.04+term, 0.04+10*term, 1))
	require.Equal(t, 1, r.WeakestJoint, "the nearer one stays")
	require.False(t, classify(r, 3, 0.0004+term, 0.0004+10*term, 1))
	require.Equal(t, 3, r.WeakestJoint)
}

// TestVerifies: small mechanisms are verified with twice the digits, larger ones for a reason, and the largest not at all.
func TestVerifies(t *testing.T) {
	const small, medium, large = 9e6, 1.8e9, 3e9
	for name, c := range map[string]struct {
		flops    int64
		spread   float64
		backward float64
		error    float64
		way      Way
		want     bool
	}{
		"small":             {flops: small, want: true},
		"not small":         {flops: 2e7},
		"no reason":         {flops: medium, spread: 0.9, backward: 0.9e-13, error: 0.9e-11},
		"inertias":          {flops: medium, spread: 1.1, want: true},
		"residuals":         {flops: medium, backward: 2e-13, want: true},
		"lost digits":       {flops: medium, error: 2e-11, want: true},
		"it has been done":  {flops: medium, way: TwiceTheDigits, want: true},
		"inertias, large":   {flops: large, spread: 1.1},
		"residuals, large":  {flops: large, backward: 1},
		"all, and larger":   {flops: 1e12, spread: 1e3, backward: 1, error: 1, way: TwiceTheDigits},
		"reasons, if small": {flops: small, spread: 1.1, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &core{way: c.way, ref: factor.Refinement{Error: c.error}, plan: &Plan{
				spread: spread{excess: c.spread}, symbolic: &factor.Symbolic{Counts: factor.Counts{Flops: c.flops}},
			}}
			require.Equal(t, c.want, s.explainer().verifies(&Report{BackwardError: c.backward}))
		})
	}
}

// TestPreciseFor: a Solve goes on with twice the digits where inertias differ much, or refinement has not got there, unless that takes
// long or numbers overflow.
func TestPreciseFor(t *testing.T) {
	const small, large = 0.9e8, 2e8
	inaccurate := fmt.Errorf("%w: why", ErrInaccurate)
	for name, c := range map[string]struct {
		err           error
		spread        float64
		flops         int64
		error         float64
		inconsistency float64
		want          bool
	}{
		"no reason":               {spread: 0.9, flops: small},
		"inertias":                {spread: 1.1, flops: small, want: true},
		"inertias, large":         {spread: 1.1, flops: large},
		"inaccurate":              {err: inaccurate, flops: small, error: 1, want: true},
		"inaccurate, large":       {err: inaccurate, flops: large, error: 1},
		"overflow":                {err: inaccurate, flops: small, error: math.NaN()},
		"overflow of residuals":   {err: inaccurate, flops: small, inconsistency: math.NaN()},
		"contradictions":          {err: ErrInconsistent, flops: small, spread: 1.1},
		"another error, no error": {err: errors.New("x"), flops: small},
	} {
		t.Run(name, func(t *testing.T) {
			s := &core{ref: factor.Refinement{Error: c.error}, inconsistency: c.inconsistency, plan: &Plan{
				spread: spread{excess: c.spread}, symbolic: &factor.Symbolic{Counts: factor.Counts{Flops: c.flops}},
			}}
			require.Equal(t, c.want, s.preciseFor(c.err))
		})
	}
}

// TestMayBeOrthogonal: orthogonal factors are for systems that doubles solve badly, and not for overflow or contradictions.
func TestMayBeOrthogonal(t *testing.T) {
	for _, c := range []struct {
		err   error
		right float64
		want  bool
	}{
		{ErrInaccurate, 1, true}, {fmt.Errorf("kkt: %w", ErrInaccurate), 1, true},
		{ErrInaccurate, math.Inf(1), false}, {ErrInconsistent, 1, false}, {ErrLostPivot, 1, false}, {nil, 1, false},
	} {
		s := &core{sys: &assemble.Weighted{Right: []float64{0, c.right}}}
		require.Equal(t, c.want, s.mayBeOrthogonal(c.err), "%+v", c)
	}
}

// TestPreciseDecisions: what twice the digits take for redundant, for found, and for doubtful.
func TestPreciseDecisions(t *testing.T) {
	// Rows that differ by 2e-12 rad are redundant, unless the state is worse.
	require.Greater(t, tauOf(0), 2e-12*2e-12)
	require.Less(t, tauOf(0), 5e-12*5e-12)
	require.Equal(t, tauOf(0), tauOf(1e-14))
	require.Greater(t, tauOf(1e-10), 0.9e-8*0.9e-8)
	require.Less(t, tauOf(1e-10), 2e-8*2e-8)

	for _, c := range []struct {
		error, ratio float64
		settled      bool
		found        bool
	}{
		{0.9e-10, 0, true, true}, {2e-10, 0, false, false}, {math.NaN(), 0, false, false},
		{0, 0.9e-12, true, true}, {0, 2e-12, true, false}, {0, math.NaN(), true, false},
	} {
		p := &precise{error: c.error, worst: factor.Worst{Ratio: c.ratio}}
		require.Equal(t, c.settled, p.settled(), "%+v", c)
		require.Equal(t, c.found, p.found(1e-12), "%+v", c)
	}

	for _, c := range []struct {
		least, most float64
		want        bool
	}{{1e-6, 0.9e-9, true}, {1e-6, 2e-9, false}, {1e-20, 0, true}, {math.NaN(), 0, false}} {
		require.Equal(t, c.want, apart(c.least, c.most), "%+v", c)
	}

	// The middle of the widest gap that has its lower end below the limit.
	for _, c := range []struct {
		pivots []float64
		want   float64
	}{
		{[]float64{1e-24, 1e-20, 1e-10, 1e-2}, 1e-15},
		{[]float64{1e-60, 1e-26, 1e-13, 1e-2}, math.Sqrt(1e-26 * 1e-13)}, // what is below rounding is at rounding
		{[]float64{0.5e-10, 1e-9, 2e-8, 1}, math.Sqrt(0.5e-10 * 1e-9)},
		{[]float64{2e-8, 1}, 0},
		{[]float64{1}, 0},
		{nil, 0},
	} {
		got := widestGap(c.pivots)
		require.InDelta(t, c.want, got, 1e-9*c.want, "%v", c.pivots)
	}

	require.True(t, isLate(0.5e-8))
	require.True(t, isLate(-1))
	require.True(t, isLate(math.NaN()))
	require.False(t, isLate(2e-8))
}

// TestExplains: a state that violates its joints explains rows that contradict each other by some hundred times as much.
func TestExplains(t *testing.T) {
	for _, c := range []struct {
		noise, inconsistency float64
		want                 bool
	}{
		{1e-10, 0.9e-8, true}, {1e-10, 2e-8, false}, {0, 0, true}, {0, 1e-300, false},
		{1e-2, 0.9e-4, true}, {1e-2, 2e-4, false}, // whatever the state
		{math.NaN(), 0, false}, {1e-10, math.NaN(), false},
	} {
		require.Equal(t, c.want, explains(c.noise, c.inconsistency), "%+v", c)
	}
}

// TestDoubts: twice the digits that end without a solution make a pose doubtful if refinement has not settled, or the factorization has
// failed. Rows that contradict each other, and a state that is too rough, do not.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		err        error
		correction float64
		want       bool
	}{
		{errImprecise, 0.9e-10, false}, {errImprecise, 1.1e-10, true}, {errImprecise, math.NaN(), true},
		{errRough, 0, false}, {fmt.Errorf("%w: why", errRough), 0, false},
		{&factor.PivotError{}, 0, true},
	} {
		require.Equal(t, c.want, doubts(c.err, c.correction), "%+v", c)
	}
}

// TestDecisionsNextToSingularPoses: what counts as motion, as work of a null reaction, as small, as falling, and as found.
func TestDecisionsNextToSingularPoses(t *testing.T) {
	v, length := []float64{0, 0.9e-6, 2e-6, 0, 0, -0.5, 0.8, 0, 0, math.NaN(), 0, 0}, []float64{2, 4}
	require.True(t, toUnitSpeed(v, length))
	require.Equal(t, []float64{0, 0, 8e-6, 0, 0, -2, 3.2, 0, 0, 0, 0, 0}, v) // the first body moves by 0.25 of its length
	v = []float64{0.9e-6, 0, 0, 0, 0, 0, 0, -0.9e-6, 0, 0, 0, 0}
	require.False(t, toUnitSpeed(v, length), "rounding is no motion")

	for _, c := range []struct {
		worst, reaction float64
		want            bool
	}{{0.9e-6 * 3, 3, false}, {1.1e-6 * 3, 3, true}, {0, 0, false}} {
		require.Equal(t, c.want, turns(c.worst, c.reaction), "%+v", c)
	}

	require.True(t, isSmall(0.049))
	require.False(t, isSmall(0.051))
	require.False(t, isSmall(math.NaN()))

	// By its own size within 0.05 rad, seen between poses 2e-4 rad apart.
	for _, c := range []struct {
		d, change float64
		want      bool
	}{
		{1e-3, 1e-3 * 2e-4 / 0.049, true}, {1e-3, -1e-3 * 2e-4 / 0.049, true},
		{1e-3, 1e-3 * 2e-4 / 0.051, false}, {1e-3, 0, false}, {1e-3, math.NaN(), true},
		{0.049, 1, true}, {0.051, 1, false}, // which is not small
	} {
		require.Equal(t, c.want, isFalling(c.d, c.change), "%+v", c)
	}

	for _, c := range []struct {
		change, size float64
		want         bool
	}{{0.018, 2, true}, {-0.018, 2, true}, {0.022, 2, false}, {-0.022, 2, false}, {2, 2, false}, {math.NaN(), 2, false}} {
		require.Equal(t, c.want, converges(c.change, c.size), "%+v", c)
	}
}
