package factor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
)

// TestLasts: where rows have been left out, a correction is the last one if what it leaves, relative to the correction before, is as small
// as the error of a first solution may be, and if all rows hold up to rounding then.
func TestLasts(t *testing.T) {
	for _, c := range []struct {
		spare                          bool
		step, last, contraction, ratio float64
		want                           bool
	}{
		{true, 2e-7, 1, 0, 0, true}, // √(energyError) is 2.2e-7
		{false, 2e-7, 1, 0, 0, false},
		{true, 2.3e-7, 1, 0, 0, false},
		{true, 2e-7, 0.5, 0, 0, false},
		{true, 2e-7, 1, 2e-7, 0, true},
		{true, 2e-7, 1, 3e-7, 0, false},
		{true, 1e-8, 1, 0, 0.9e-6, true},
		{true, 1e-8, 1, 0, 1.1e-6, false},
		{true, math.NaN(), 1, 0, 0, false},
	} {
		v := Convergence{Refinement: Refinement{Size: 1, Worst: Worst{Ratio: c.ratio}}, spare: c.spare, last: c.last, contraction: c.contraction}
		require.Equal(t, c.want, v.lasts(c.step), "%+v", c)
	}
}

// TestMayLast: a first solution that is small because loads cancel does not tell what its error is relative to. There the multipliers of
// the correction do, for the first correction alone.
func TestMayLast(t *testing.T) {
	for _, c := range []struct {
		spare        bool
		steps        int
		step, ratio  float64
		last, cancel bool
	}{
		{true, 0, 1e-12, 0, true, false}, {true, 0, 1e-10, 0, true, true}, {true, 0, 2e-7, 0, true, true},
		{true, 0, 2.3e-7, 0, false, false},
		{true, 1, 1e-10, 0, false, false}, {false, 0, 1e-12, 0, false, false}, {false, 0, 1e-10, 0, false, false},
		{true, 0, 1e-10, 0.9e-4, true, true}, {true, 0, 1e-10, 1.1e-4, false, false}, {true, 0, math.NaN(), 0, false, false},
	} {
		v := Convergence{Refinement: Refinement{Size: 1, Worst: Worst{Ratio: c.ratio}, Steps: c.steps}, spare: c.spare, last: 1e-9}
		last, cancel := v.mayLast(c.step)
		require.Equal(t, []bool{c.last, c.cancel}, []bool{last, cancel}, "%+v", c)
	}
	v := Convergence{Refinement: Refinement{Size: 1}, spare: true, last: 1e-9}
	require.False(t, v.lasts(1e-10))
	v.fall = 4e-4
	require.True(t, v.lasts(1e-10))
	v.fall = 6e-4
	require.False(t, v.lasts(1e-10))
	v.contraction, v.fall = 6e-4, 4e-4
	require.False(t, v.lasts(1e-10))
	v.Next(1e-10, 0, false)
	require.InDelta(t, 6e-14, v.Error, 1e-20)
	require.Zero(t, v.fall)
}

// TestGoesOn: by the energy norm of the error alone, a correction is needed if that is above the norm of a solution that does. Rows are not
// judged one by one if they hold afterwards by a bound, or if another correction has to follow.
func TestGoesOn(t *testing.T) {
	for _, c := range []struct {
		spare               bool
		steps               int
		e, norm, floor, row float64
		want                bool
	}{
		{true, 0, 1e-11, 1, 0, 1e-11, true}, {true, 0, 4.9e-14, 1, 0, 0, false}, {true, 0, 5.1e-14, 1, 0, 0, true},
		{true, 0, 5.1e-14, 1, 1.1, 0, false}, {false, 0, 1e-11, 1, 0, 0, false}, {true, 0, math.NaN(), 1, 0, 0, false},
		{true, 0, 1e-7, 1, 0, 0.9e-9, true}, {true, 0, 1e-7, 1, 0, 1.1e-9, false}, // enoughRatio after a fall by 1e-7
		{true, 0, 1e-11, 1, 0, math.Inf(1), false}, {true, 0, 1e-11, 1, 0, math.NaN(), false},
		{true, 0, 2.2e-7, 1, 0, 0, true}, {true, 0, 2.3e-7, 1, 0, 0, false}, // √energyError is 2.2e-7
		{true, 0, 0.85e-6, 1, 0, 0, false}, {true, 0, 0.95e-6, 1, 0, 1, true}, // √(16·energyError) is 8.9e-7
		{true, 1, 1.9e-12, 1, 0, 0, false}, {true, 1, 2.1e-12, 1, 0, 0, true},
		{true, 1, 1.1e-8, 1, 0, 1.1e-8, false}, {true, 1, 1e-6, 1, 0, 1, true},
	} {
		v := Convergence{Refinement: Refinement{Size: 1, Steps: c.steps}, spare: c.spare, last: 1, size: 1, floor: c.floor}
		require.Equal(t, c.want, v.goesOn(c.e, c.norm, c.row), "%+v", c)
	}
	// Where loads cancel, the size of the first solution does not tell that one correction is not enough.
	v := Convergence{Refinement: Refinement{Size: 1}, spare: true, last: 1e-9, size: 1e-9, floor: 1}
	require.False(t, v.goesOn(3e-7, 1e-9, 0))
	require.True(t, v.goesOn(3e-6, 1e-9, 0))
	// Rows that have been judged hold up to rounding.
	v = Convergence{Refinement: Refinement{Size: 1, Worst: Worst{Ratio: 1e-6}}, spare: true, last: 1, bounded: true}
	require.True(t, v.lasts(1e-7))
	v.bounded = false
	require.False(t, v.lasts(1e-7))
}

// TestComplete: residuals that nobody judges are those that are judged, also where bodies are eliminated behind a joint: all but the
// first, every other one beside leaves, and nodes of less than six unknowns.
func TestComplete(t *testing.T) {
	const rounding = 1e-13 // of terms, relative to the largest unknown
	chain, scale := looseChain(30, 0.1)
	rng := rand.New(rand.NewPCG(4, 71))
	narrow := sparse.NewUnitMatrix(narrowPattern([]int8{2, 6, 1, 3}, 14, 3, rng))
	for i := range narrow.Val {
		narrow.Val[i] = rng.NormFloat64()
	}
	tens := make([]float64, narrow.Pattern.Dim())
	for i := range tens {
		tens[i] = 10
	}
	for name, c := range map[string]struct {
		m     *sparse.Matrix
		scale []float64
		late  func(body int32) bool
	}{
		"leaves": {chain, scale, func(int32) bool { return false }},
		"behind": {chain, scale, func(i int32) bool { return i > 0 }},
		"mixed":  {chain, scale, func(i int32) bool { return i%2 == 0 }},
		"narrow": {narrow, tens, func(i int32) bool { return i%2 == 0 || i > 8 }},
	} {
		m, p := c.m, c.m.Pattern
		f := Analyze(p, behindJoints(p, c.late)).NewFactor()
		require.Equal(t, name != "leaves", slices.Contains(f.Symbolic.sign, 1), name)
		b, x, want, full := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
		for i := range b {
			b[i] = math.Sin(float64(i))
		}
		require.NoError(t, f.Factorize(m, c.scale, 1e-15, WhereWeak), name)
		f.solve(x, b, want)
		f.residual(want, b, x, new(Refinement))
		got := slices.Clone(want)
		for _, i := range f.Symbolic.opened {
			got[p.Off[i]] = math.NaN()
		}
		f.check.r = got
		f.complete()
		m.ResidualTo(full, b, x)
		limit, most := rounding*algebra.MaxAbs(x), 0.0
		for node := range p.Len() {
			for i := p.Off[node]; i < p.Off[node+1] && !f.Symbolic.leaf[node]; i++ {
				require.InDelta(t, full[i], got[i], limit, "%s: %d", name, i)
				require.InDelta(t, want[i], got[i], limit, "%s: %d", name, i)
				if node >= p.Positive() {
					most = max(most, math.Abs(got[i])/math.Sqrt(c.scale[i]))
				}
			}
		}
		require.NotZero(t, most, name)
		require.InEpsilon(t, most, f.largestRow(got), 1e-14, name)
	}
}

// behindJoints returns an order of p in which the bodies that are late come right behind the first of their joints, and the others before
// all joints.
func behindJoints(p *sparse.Pattern, late func(body int32) bool) (perm []int32) {
	n := int32(p.Positive())
	placed := make([]bool, n)
	for b := range n {
		if !late(b) {
			perm, placed[b] = append(perm, b), true
		}
	}
	for i := n; i < int32(p.Len()); i++ {
		perm = append(perm, i)
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			if !placed[b] {
				perm, placed[b] = append(perm, b), true
			}
		}
	}
	for b, done := range placed {
		if !done { // without joints
			perm = append(perm, int32(b))
		}
	}
	return perm
}

// TestRounds: an error is rounding of the rows where rows have been left out and all hold up to rounding.
func TestRounds(t *testing.T) {
	holds := Worst{Node: -1, Row: -1}
	for _, c := range []struct {
		spare          bool
		worst          Worst
		e, norm, floor float64
		want           bool
	}{
		{true, holds, spareError, 1, 0, true}, {true, holds, 1.01 * spareError, 1, 0, false}, {true, holds, spareError, 0.5, 1, true},
		{false, holds, 0, 1, 0, false}, {true, Worst{Ratio: 2e-14}, 0, 1, 0, false}, {true, holds, math.NaN(), 1, 0, false},
	} {
		v := Convergence{Refinement: Refinement{Worst: c.worst}, spare: c.spare, floor: c.floor}
		require.Equal(t, c.want, v.rounds(c.e, c.norm), "%+v", c)
	}
}

// TestMayBeRough: the residual after a first correction is kept where that may be rough, and residuals with twice the digits may follow.
func TestMayBeRough(t *testing.T) {
	v := Convergence{Refinement: Refinement{Size: 2}, exact: true}
	require.True(t, v.mayBeRough(2*roughError))
	require.False(t, v.mayBeRough(roughError))
	v.Steps = 1
	require.False(t, v.mayBeRough(1))
	v.Steps, v.exact = 0, false
	require.False(t, v.mayBeRough(1))
}

// TestSpareRowsGoOn: a solution is not the last one while rows that have been left out do not hold, as long as corrections halve what they
// are off by. They are asked where a solution may be the last one alone; with an error that is good enough, of each.
func TestSpareRowsGoOn(t *testing.T) {
	m, scale := looseChain(100, 1e-3)
	b, want := make([]float64, m.Pattern.Dim()), make([]float64, m.Pattern.Dim())
	for i := range want {
		want[i] = math.Sin(float64(i))
	}
	m.MulVecTo(b, want)
	f := Analyze(m.Pattern, order.Of(m.Pattern, order.LeafFirst)).NewFactor()
	require.NoError(t, f.Factorize(m, scale, 1e-15, WhereWeak))
	require.Zero(t, f.Weak)
	x, r := make([]float64, len(b)), make([]float64, len(b))
	solve := func(off ...float64) (ref Refinement, asked int) {
		f.SetSpare(func([]float64, float64) Worst {
			w := Worst{Ratio: RoundingRatio, Node: -1, Row: -1}
			if asked < len(off) && off[asked] > RoundingRatio {
				w = Worst{Ratio: off[asked], Node: 7, Row: 1}
			}
			asked++
			return w
		}, false)
		ref = f.SolveExactTo(x, r, b, m, 0)
		return ref, asked
	}
	ref, asked := solve()
	steps := ref.Steps
	require.Equal(t, 1, asked)
	require.Equal(t, Worst{Node: -1, Row: -1}, ref.Worst)
	for _, c := range []struct {
		off   []float64
		more  int
		worst float64
	}{
		{[]float64{1e-12}, 0, 1e-12}, {[]float64{1e-11}, 1, 0}, {[]float64{1e-9, 4e-10, 1e-10}, 3, 0}, {[]float64{1e-9, 6e-10}, 1, 6e-10},
	} {
		ref, asked := solve(c.off...)
		require.Equal(t, steps+c.more, ref.Steps, "%v", c.off)
		require.Equal(t, 1+c.more, asked, "%v", c.off)
		require.Equal(t, c.worst, ref.Worst.Ratio, "%v", c.off)
		require.Equal(t, c.worst > 0, ref.Worst.Spare, "%v", c.off)
	}
}

// TestRoughCorrectionsKeepTheirResidual: a correction that may be rough is judged by the residual after it, also where it would do as the
// last one. Where its error is as small as that of a first solution has to be, no other follows.
func TestRoughCorrectionsKeepTheirResidual(t *testing.T) {
	rough := 0
	for seed := range 60 {
		m, scale := looseChain(40+seed, math.Pow(10, -float64(seed%5)/2))
		n := m.Pattern.Dim()
		x, r, b := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			if x[i] = math.Cos(float64(i)); i >= int(m.Pattern.Off[m.Pattern.Positive()]) {
				x[i] *= 1e3 // forces that nearly cancel
			}
		}
		m.MulVecTo(b, x)
		f := Analyze(m.Pattern, order.Of(m.Pattern, order.LeafFirst)).NewFactor()
		require.NoError(t, f.Factorize(m, scale, 1e-18, WhereWeak))
		f.unit = m
		c := NewConvergence(f.policy, f.Contraction, f.solve(x, b, r), f.freeSize(x))
		first := f.residual(r, b, x, &c.Refinement)
		e := f.beginCorrection(r)
		if c.First(first.largest, first.least) || c.Estimate(e, f.energy(x)) || !c.mayBeRough(e) || !c.Ends(e) {
			continue
		}
		ref := f.SolveExactTo(x, r, b, m, 0)
		m.ResidualTo(r, b, x)
		left := f.beginCorrection(r) / f.energy(x)
		if left <= energyError/3 {
			require.Equal(t, 1, ref.Steps, "seed %d", seed)
			rough++
		}
	}
	require.NotZero(t, rough)
}

// TestRoundingEnds: where rows have been left out and all rows hold up to rounding, a rough refinement ends with an error that doubles
// bring down no further. It goes on where a row is above rounding.
func TestRoundingEnds(t *testing.T) {
	ended := 0
	for seed := range 40 {
		m, scale := looseChain(40+seed, 0.001)
		n := m.Pattern.Dim()
		x, r, b := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			if x[i] = math.Cos(float64(i)); i >= int(m.Pattern.Off[m.Pattern.Positive()]) {
				x[i] *= 1e8
			}
		}
		m.MulVecTo(b, x)
		f := Analyze(m.Pattern, order.Of(m.Pattern, order.LeafFirst)).NewFactor()
		require.NoError(t, f.Factorize(m, scale, 1e-18, WhereWeak))
		solve := func(w Worst) Refinement {
			f.SetSpare(func([]float64, float64) Worst { return w }, false)
			return f.SolveExactTo(x, r, b, m, 0)
		}
		ref := solve(Worst{Ratio: RoundingRatio, Node: -1, Row: -1})
		if !(ref.Error > energyError) {
			continue
		}
		ended++
		require.LessOrEqual(t, ref.Error, spareError)
		require.Greater(t, solve(Worst{Ratio: 1.5 * RoundingRatio, Node: 1, Row: 1}).Steps, ref.Steps, "seed %d", seed)
	}
	require.NotZero(t, ended)
}
