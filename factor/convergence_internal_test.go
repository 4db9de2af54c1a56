package factor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
)

// solvedOnce is a refinement after its first solve, of size 1, all of whose rows hold.
func solvedOnce(policy Policy) Convergence {
	c := NewConvergence(policy, 0, 1, 0)
	c.Worst = Worst{Node: -1, Row: -1}
	return c
}

// TestFirst: which first solutions are taken for their estimates alone: the largest one, or the sum of all.
func TestFirst(t *testing.T) {
	const good = 4e-15
	for _, c := range []struct {
		error, least, ratio, sum float64
		everywhere               bool
		first, mean              bool
	}{
		{error: good, least: 1, sum: 1, first: true},
		{error: 7e-15, least: 1, sum: 1},
		{error: good, least: 4e-5, sum: 1, first: true},
		{error: good, least: 2e-5, sum: 1},
		{error: good, least: 1, ratio: 5e-13, sum: 1, first: true},
		{error: good, least: 1, ratio: 2e-12, sum: 1},
		{error: good, least: 1, sum: 1, everywhere: true},
		{error: math.NaN(), least: 1, sum: 1},
		{error: good, least: math.NaN(), sum: 1},
		{error: good, least: 1, ratio: math.NaN(), sum: 1},

		{error: 9e-15, least: 1, sum: 0.9e-15, mean: true},
		{error: 9e-15, least: 1, sum: 1.1e-15},
		{error: 1.1e-14, least: 1, sum: 0.9e-15},
		{error: 9e-15, least: 4e-5, sum: 0.9e-15, mean: true},
		{error: 9e-15, least: 2e-5, sum: 0.9e-15},
		{error: 9e-15, least: 1, ratio: 5e-13, sum: 0.9e-15, mean: true},
		{error: 9e-15, least: 1, ratio: 2e-12, sum: 0.9e-15},
		{error: 9e-15, least: 1, sum: 0.9e-15, everywhere: true},
		{error: 9e-15, least: 1, sum: math.NaN()},
	} {
		policy := WhereWeak
		if c.everywhere {
			policy = Everywhere
		}
		v := solvedOnce(policy)
		v.Worst.Ratio = c.ratio
		require.Equal(t, c.first, v.First(c.error*c.error, c.least), "%+v", c)
		if c.everywhere {
			require.Equal(t, math.Inf(1), v.Error)
		} else if c.error == c.error {
			require.InEpsilon(t, c.error, v.Error, 1e-15)
		}
		if !c.first {
			many := v.many(estimates{largest: c.error * c.error, least: c.least}) && v.mean(4*c.sum*c.sum, 2)
			require.Equal(t, c.mean, many, "%+v", c)
		}
	}
}

// TestEstimate: which first solutions are taken for the energy of their error, relative to the whole or to the floor.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		energy, norm, floor, ratio float64
		want                       bool
		error                      float64
	}{
		{energy: 8e-14, norm: 2, want: true, error: 4e-14},
		{energy: 12e-14, norm: 2, error: 6e-14},
		{energy: 12e-14, norm: 2, floor: 4, want: true, error: 3e-14},
		{energy: 8e-14, norm: 2, ratio: 5e-13, want: true, error: 4e-14},
		{energy: 8e-14, norm: 2, ratio: 2e-12, error: 4e-14},
	} {
		v := NewConvergence(WhereWeak, 0, 2, c.floor)
		v.Worst = Worst{Ratio: c.ratio, Node: -1, Row: -1}
		require.False(t, v.First(1, 0))
		require.Equal(t, c.want, v.Estimate(c.energy, c.norm), "%+v", c)
		require.InEpsilon(t, c.error, v.Error, 1e-12)
	}
	require.False(t, new(Convergence).Estimate(math.NaN(), 1))

	v := NewConvergence(WhereWeak, 0, 2, 0)
	v.enough = 1e-8
	v.First(1, 0)
	require.True(t, v.Estimate(1e-9, 2), "good enough")
	require.False(t, v.Estimate(2e-9, 2))
}

// TestNext: what a correction leaves, and when it is the last one.
func TestNext(t *testing.T) {
	for name, c := range map[string]struct {
		step, q, last, contraction float64
		steps                      int
		ends                       bool
		done, stalls               bool
		error                      float64
	}{
		"nothing to correct":          {step: 0, last: 1, done: true},
		"rounding":                    {step: 1.5e-15, last: 1, done: true},
		"as small as the one before":  {step: 4e-15, last: 4e-15, error: 2e-15},
		"the next would be rounding":  {step: 4e-8, last: 2, done: true, error: 4e-16},
		"the next would be larger":    {step: 1e-7, last: 2, error: 2.5e-15},
		"but for slow ones":           {step: 4e-8, last: 2, contraction: 0.25, error: 5e-9},
		"known to be the last":        {step: 1e-3, last: 2, ends: true, done: true, error: 2.5e-7},
		"half":                        {step: 0.9e-3, last: 2e-3, steps: 1, error: 0.45e-3 * 0.45},
		"less than half":              {step: 1.1e-3, last: 2e-3, steps: 1, stalls: true, error: 0.55e-3 * 0.55},
		"less than half, but at once": {step: 1.1e-3, last: 2e-3, error: 0.55e-3 * 0.55},
		"larger":                      {step: 4e-3, last: 2e-3, steps: 1, stalls: true, error: 2e-3},
		"squares too large":           {step: 1, q: math.NaN(), last: 2, done: true, error: math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			v := NewConvergence(WhereWeak, c.contraction, c.last, 0)
			v.Size, v.Steps = 2, c.steps
			done, stalls := v.Next(c.step, c.q, c.ends)
			require.Equal(t, []bool{c.done, c.stalls}, []bool{done, stalls})
			require.Equal(t, c.steps+1, v.Steps)
			if c.error == 0 || c.error != c.error {
				require.Equal(t, math.IsNaN(c.error), math.IsNaN(v.Error))
				require.False(t, v.Error > 0)
			} else {
				require.InEpsilon(t, c.error, v.Error, 1e-12)
			}
			if !done {
				require.Equal(t, c.step, v.last)
			}
		})
	}
	v := NewConvergence(WhereWeak, 0, 1, 0)
	v.Size = math.Inf(1)
	done, _ := v.Next(1, 0, false)
	require.True(t, done && math.IsNaN(v.Error))
}

// TestRough: twice the digits begin after a large first correction, and nowhere else.
func TestRough(t *testing.T) {
	for name, c := range map[string]struct {
		step   float64
		policy Policy
		steps  int
		plain  bool // no more than SolveRefinedTo
		want   bool
	}{
		"large":             {step: 4e-11, steps: 1, want: true},
		"small":             {step: 1e-11, steps: 1},
		"second":            {step: 4e-11, steps: 2},
		"with terms":        {step: 4e-11, steps: 1, policy: Everywhere},
		"nobody asked":      {step: 4e-11, steps: 1, plain: true},
		"not a number":      {step: math.NaN(), steps: 1},
		"with small errors": {step: 1e-8, steps: 1, want: true},
	} {
		v := NewConvergence(c.policy, 0, 2, 0)
		v.Steps, v.exact = c.steps, !c.plain
		require.Equal(t, c.want, v.Rough(c.step), name)
		require.Equal(t, c.want, v.twice, name)
	}
}

// TestFirstWithTwiceTheDigits: what the first correction with twice the digits is relative to the one before it predicts nothing, and the
// second one's ratio does, unless one before was slower.
func TestFirstWithTwiceTheDigits(t *testing.T) {
	v := NewConvergence(WhereWeak, 0, 1, 0)
	v.twice = true
	done, _ := v.Next(1e-11, 1, false)
	require.False(t, done)
	require.Equal(t, 1e-11, v.Error)
	done, _ = v.Next(1e-13, 1, false)
	require.True(t, done)
	require.InEpsilon(t, 1e-15, v.Error, 1e-9)
	v = NewConvergence(WhereWeak, 0, 1, 0)
	v.twice = true
	for _, step := range []float64{1e-9, 1e-10, 1e-13} {
		done, _ = v.Next(step, 1, false)
	}
	require.False(t, done, "a tenth of 1e-13 may follow")
}

// TestGivesUp: three slow steps in a row are needed where residuals have twice the digits, and one elsewhere.
func TestGivesUp(t *testing.T) {
	var v Convergence
	require.False(t, v.GivesUp(false))
	require.True(t, v.GivesUp(true))
	v = Convergence{twice: true}
	for _, slow := range []bool{true, true, false, true, true} {
		require.False(t, v.GivesUp(slow))
	}
	require.True(t, v.GivesUp(true))
	for _, c := range []struct {
		steps       int
		twice, want bool
	}{{11, false, true}, {12, false, false}, {12, true, true}, {39, true, true}, {40, true, false}} {
		v := Convergence{twice: c.twice}
		v.Steps = c.steps
		require.Equal(t, c.want, v.More(), "%+v", c)
	}
}

// TestDirectionsOfConjugateGradients: a direction counts if it belongs to the residual and is curved by more than rounding, relative
// to the proximal term.
func TestDirectionsOfConjugateGradients(t *testing.T) {
	const eps = 1e-12 // so that the least curvature is 1e-8 of the metric
	for _, c := range []struct {
		rho, curvature, metric float64
		want                   bool
	}{
		{1, 1, 1, true},
		{1, 4e-8, 2, true}, {1, 1e-8, 2, false},
		{0, 1, 1, false}, {-1, 1, 1, false},
		{1, 0, 1, false}, {1, -1, 1, false},
		{math.NaN(), 1, 1, false}, {1, math.NaN(), 1, false},
	} {
		require.Equal(t, c.want, resolved(c.rho, c.curvature, c.metric, eps), "%+v", c)
	}
	for _, c := range []struct {
		error, best float64
		want        bool
	}{
		{0.6e-8, 1e-8, true}, {0.4e-8, 1e-8, false}, {2e-8, 1e-8, true}, // more than one half is left
		{0.6e-7, 0.9e-7, true}, {0.6e-6, 0.9e-6, false}, // but while little is gained
	} {
		require.Equal(t, c.want, idles(c.error, c.best), "%+v", c)
	}
}

// TestLeastNormGoesOn: corrections of multipliers of least norm end at rounding, where they gain little, and after some steps.
func TestLeastNormGoesOn(t *testing.T) {
	for _, c := range []struct {
		step      int
		size, was float64
		dependent bool
		want      bool
	}{
		{step: 0, size: math.Inf(1), was: math.Inf(1), want: true},
		{step: 1, size: 1e-3, was: 1e-3, want: true}, // too early to judge
		{step: 1, size: 2e-15, was: 1e-3, want: true},
		{step: 1, size: 0.5e-15, was: 1e-3},
		{step: 1, size: 0.5e-15, was: 1e-3, dependent: true, want: true},
		{step: 2, size: 0.5e-15, was: 1e-3, dependent: true},
		{step: 2, size: 2.5e-4, was: 1e-3, want: true},
		{step: 2, size: 3.5e-4, was: 1e-3},
		{step: 7, size: 2.5e-4, was: 1e-3, want: true},
		{step: 8, size: 2.5e-4, was: 1e-3},
		{step: 0, size: math.NaN(), was: math.Inf(1)},
	} {
		r := refining{dependent: c.dependent}
		require.Equal(t, c.want, r.goesOn(c.step, c.size, c.was), "%+v", c)
	}
}

// TestRatioOf: a residual is compared with the terms of its row and with a part of the whole, and rounding is zero.
func TestRatioOf(t *testing.T) {
	for _, c := range []struct{ r, b, scale, terms, size, y, want float64 }{
		{r: 0, want: 0},
		{r: -1, b: -2, scale: 4, terms: 3, y: 5, want: 1.0 / (2 + 2*3 + 4*5)},
		{r: 1, scale: 1, size: 2, want: 1 / (2 * 1e-4)},
		{r: 0.9e-14, b: 1, want: 0},
		{r: 1.1e-14, b: 1, want: 1.1e-14},
	} {
		require.InDelta(t, c.want, RatioOf(c.r, c.b, c.scale, c.terms, c.size, c.y), 1e-12*c.want, "%+v", c)
	}
	require.True(t, math.IsNaN(RatioOf(math.NaN(), 1, 1, 1, 1, 1)))
}

// TestJointPivot: which pivots stand by themselves and which get their term.
func TestJointPivot(t *testing.T) {
	const eps, scale = 1e-12, 4.0
	for name, c := range map[string]struct {
		policy      Policy
		pivot       float64
		want        float64
		weak        int
		corrected   int
		contraction float64
	}{
		"true":                 {pivot: -8e-9, want: -8e-9},
		"weak":                 {pivot: -3e-9, want: -3e-9 - scale, weak: 1},
		"zero":                 {pivot: 0, want: -scale, weak: 1},
		"positive":             {pivot: 1.9, want: 1.9 - scale, weak: 1},
		"lost":                 {pivot: 2.1, want: -scale, weak: 1, corrected: 1},
		"with a term":          {policy: Everywhere, pivot: -8e-9, want: -8e-9 - eps*scale, weak: 1, contraction: eps * scale / (8e-9 + eps*scale)},
		"redundant":            {policy: Everywhere, pivot: -8e-12, want: -8e-12 - eps*scale, weak: 1},
		"redundant and lost":   {policy: Everywhere, pivot: 3e-12, want: -eps * scale, weak: 1, corrected: 1},
		"redundant and rounds": {policy: Everywhere, pivot: 1e-12, want: 1e-12 - eps*scale, weak: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := &worker{f: &Factor{eps: eps, policy: c.policy}}
			require.Equal(t, c.want, w.jointPivot(c.pivot, scale))
			require.Equal(t, c.weak, w.Weak)
			require.Equal(t, c.corrected, w.Corrected)
			require.InDelta(t, c.contraction, w.Contraction, 1e-15)
		})
	}
	w := &worker{f: &Factor{eps: eps}}
	require.Equal(t, -1e-200, w.jointPivot(-1e-200, 0))
	require.Zero(t, w.jointPivot(0, 0))
	require.Zero(t, w.Weak)
}

// TestContradictionsBoundConjugateGradients: two rows near each other and two that contradict each other. The error that conjugate
// gradients predict is that of the contradiction over the angle of the first two, relative to the size of the solution. If it is above
// conjugateFair, the solution is that of plain refinement, and so is the error, which is no better.
func TestContradictionsBoundConjugateGradients(t *testing.T) {
	const angle = 1e-6
	p := sparse.NewPattern([]int8{2, 2, 2, 2}, []int8{1, 1, -1, -1}, []int32{0, 0, 0, 1, 2}, []int32{0, 1})
	m, scale := sparse.NewUnitMatrix(p), []float64{0, 0, 0, 0, 1, 1, 1, 1}
	sin, cos := math.Sincos(angle)
	copy(m.Val, []float64{1, 0, cos, sin, 1, 0, 1, 0})
	f := Analyze(p, order.Of(p, order.Natural)).NewFactor()
	require.NoError(t, f.Factorize(m, scale, 1e-12, Everywhere))
	for _, c := range []struct {
		contradiction float64
		better        bool
	}{{1e-12, true}, {1e-11, false}, {1e-10, false}} {
		x, r, b := make([]float64, p.Dim()), make([]float64, p.Dim()), []float64{2, 5, 1, 2, 1, cos, 1, 1 + c.contradiction}
		ref := f.SolveRefinedTo(x, r, b, m, 0)
		if !c.better {
			require.Greater(t, ref.Error, conjugateFair)
			require.Equal(t, 2, ref.Steps)
			continue
		}
		require.InDelta(t, c.contradiction/angle/ref.Size, ref.Error, 0.5*ref.Error)
		require.InDelta(t, 0, x[1], 1e-9)
	}
}

// TestWithin: an error that is good enough ends a refinement by a margin, and if rows hold, or do not come nearer.
func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		energy, enough float64
		ratio, before  float64
		steps          int
		want           bool
	}{
		"good enough":                  {energy: 1e-9, enough: 1e-8, want: true},
		"nearly":                       {energy: 1.5e-9, enough: 1e-8},
		"nobody asked":                 {energy: 0},
		"up to rounding":               {energy: 1e-9, enough: 1e-8, ratio: 0.9e-12, want: true},
		"a row does not hold":          {energy: 1e-9, enough: 1e-8, ratio: 2e-12},
		"it has come nearer":           {energy: 1e-9, enough: 1e-8, ratio: 2e-12, before: 5e-12, steps: 1},
		"it comes no nearer":           {energy: 1e-9, enough: 1e-8, ratio: 2e-12, before: 3e-12, steps: 1, want: true},
		"which the first cannot tell":  {energy: 1e-9, enough: 1e-8, ratio: 2e-12, before: 3e-12},
		"no nearer, and not good":      {energy: 1.5e-9, enough: 1e-8, ratio: 2e-12, before: 3e-12, steps: 1},
		"not a number":                 {energy: math.NaN(), enough: 1e-8},
		"a row that is not a number":   {energy: 1e-9, enough: 1e-8, ratio: math.NaN(), before: 1, steps: 1},
		"afterwards, and it is enough": {energy: 1e-9, enough: 1e-8, steps: 3, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := NewConvergence(WhereWeak, 0, 2, 10) // the floor does not count
			v.Worst, v.Steps, v.before, v.enough = Worst{Ratio: c.ratio, Node: -1, Row: -1}, c.steps, c.before, c.enough
			require.Equal(t, c.want, v.Within(c.energy))
			if c.want {
				require.InEpsilon(t, 8e-9, v.Error, 1e-12)
			} else {
				require.Equal(t, math.Inf(1), v.Error)
			}
		})
	}
}

// TestSettled: after a rough correction a solution is taken where its error is as small as that of a first solution has to be and all rows
// hold; and a further correction with doubles follows where the last has brought the error down by 1e3.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		e, norm, floor, ratio float64
		want                  bool
	}{
		{energyError, 1, 0, 0, true}, {1.01 * energyError, 1, 0, 0, false}, {2 * energyError, 1, 2, 0, true}, {0, 1, 0, 2 * enoughRatio, false},
		{0, 1, 0, enoughRatio, true}, {math.NaN(), 1, 0, 0, false},
	} {
		v := NewConvergence(WhereWeak, 0, 1, c.floor)
		v.Steps, v.Worst.Ratio, v.before = 1, c.ratio, 1
		require.Equal(t, c.want, v.Settled(c.e, c.norm), "%+v", c)
		if c.want {
			require.Equal(t, c.e/max(c.norm, c.floor), v.Error)
		}
	}
	require.True(t, falls(1e-3, 1))
	require.False(t, falls(2e-3, 1))
	require.False(t, falls(math.NaN(), 1))
}

// TestNormOfTheSolution: the norm of a solution is not that of the one after a correction.
func TestNormOfTheSolution(t *testing.T) {
	c := Convergence{Refinement: Refinement{Size: 1}, last: 1, norm: 3}
	c.Next(0.1, 0, false)
	require.Zero(t, c.norm)
}
