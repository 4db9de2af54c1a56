package factor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// looseChain returns a chain of n bodies, each joined to the next by three rows, with
// random blocks; the last of the three is the first but for the given difference.
func looseChain(n int, difference float64) (m *sparse.Matrix, scale []float64) {
	size, sign := make([]int8, 2*n-1), make([]int8, 2*n-1)
	ptr, ind := make([]int32, 2*n), []int32{}
	for i := range size {
		size[i], sign[i] = 6, 1
		if i >= n {
			size[i], sign[i] = 3, -1
			ind = append(ind, int32(i-n), int32(i-n+1))
		}
		ptr[i+1] = int32(len(ind))
	}
	m = sparse.NewUnitMatrix(sparse.NewPattern(size, sign, ptr, ind))
	p := m.Pattern
	scale = make([]float64, p.Dim())
	rng := rand.New(rand.NewPCG(uint64(n), 71))
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			w := m.Val[p.Pos[k]:][:18]
			for c := range 12 {
				w[c] = rng.NormFloat64()
			}
			for c := range 6 {
				w[12+c] = w[c] + difference*rng.NormFloat64()
			}
			for a := range 3 {
				scale[int(p.Off[i])+a] += square(w[6*a : 6*a+6])
			}
		}
	}
	return m, scale
}

// TestEnergyOfAnError: with unit blocks the energy norm that beginCorrection returns is the
// norm of the correction that follows.
func TestEnergyOfAnError(t *testing.T) {
	for _, difference := range []float64{1, 1e-2} {
		m, scale := looseChain(30, difference)
		p := m.Pattern
		for _, o := range []order.Ordering{order.LeafFirst, order.NestedDissection} {
			f := Analyze(p, order.Of(p, o)).NewFactor()
			require.NoError(t, f.Factorize(m, scale, 1e-12, WhereWeak))
			require.Zero(t, f.Weak)
			rng := rand.New(rand.NewPCG(1, 71))
			x, r, b := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
			for i := p.Off[p.Positive()]; int(i) < len(r); i++ {
				r[i] = rng.NormFloat64()
			}
			e := f.beginCorrection(r)
			f.backward(solution{x: x, b: b, add: true})
			require.InEpsilon(t, e, f.energy(x), 1e-9)
		}
	}
}

// TestSmallPivotsAreNotTrusted: where rows are nearly dependent, the error that a solution
// without refinement reports is computed from the factor. The loads ask for no multipliers, so that such rows leave little.
func TestSmallPivotsAreNotTrusted(t *testing.T) {
	unrefined := 0
	for _, difference := range []float64{1, 1e-2, 5e-3, 3e-3, 1e-3, 1e-4} {
		m, scale := looseChain(200, difference)
		p := m.Pattern
		f := Analyze(p, order.Of(p, order.LeafFirst)).NewFactor()
		require.NoError(t, f.Factorize(m, scale, 1e-15, WhereWeak))
		require.Zero(t, f.Weak)
		rng := rand.New(rand.NewPCG(2, 71))
		b, x, r := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
		for i := range p.Off[p.Positive()] {
			x[i] = rng.NormFloat64()
		}
		m.MulVecTo(b, x)
		ref := f.SolveRefinedTo(x, r, b, m, 0)
		out := Refinement{Size: ref.Size}
		found := f.residual(r, b, x, &out)
		require.Equal(t, difference == 1, found.least >= smallPivot, "least pivot %g", found.least)
		if ref.Steps > 0 {
			require.Less(t, difference, 1.0)
			continue
		}
		require.LessOrEqual(t, ref.Error, energyError)
		if difference < 1 {
			unrefined++
			require.NotEqual(t, math.Sqrt(found.largest)/out.Size, ref.Error)
			require.Equal(t, f.beginCorrection(r)/f.energy(x), ref.Error)
		}
	}
	require.Equal(t, 3, unrefined)
}

// TestLastCorrectionNeedsNoResidual: where the residual after the last correction is not computed,
// it would have shown that all rows hold, at least as far as enoughRatio demands; with rows that are nearly
// dependent, others that repeat one, and on any number of threads with the same bits.
//
//rung:norace TestRightSideInTheFactor has the same on three goroutines, with more to share
func TestLastCorrectionNeedsNoResidual(t *testing.T) {
	unchecked, weak := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 72))
		m, scale := looseChain(100+int(seed), math.Pow(10, -5*rng.Float64()))
		repeatRows(m, scale, rng)
		p := m.Pattern
		b, want := make([]float64, p.Dim()), make([]float64, p.Dim())
		for i := range want {
			want[i] = rng.NormFloat64()
		}
		m.MulVecTo(b, want) // the repeated rows agree
		for _, o := range []order.Ordering{order.LeafFirst, order.NestedDissection} {
			s := Analyze(p, order.Of(p, o))
			var first []float64
			for threads := 1; threads <= 3; threads++ {
				f := s.NewFactorOn(team.New(threads))
				require.NoError(t, f.FactorizeFor(b, m, scale, 1e-15, WhereWeak))
				x, r, now := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
				ref := f.SolveRefinedTo(x, r, b, m, 0)
				got := append(append(append([]float64{}, x...), r...), ref.Error, ref.Size, ref.Worst.Ratio)
				if first == nil {
					first = got
				}
				require.Equal(t, first, got, "%d threads", threads)
				m.ResidualTo(now, b, x)
				if ref.Steps == 0 || ref.Worst.Ratio > 0 || f.beginCorrection(r) <= 2*f.beginCorrection(now) {
					continue // not so, or r is as small as that of x
				}
				unchecked++
				weak += f.Weak
				require.LessOrEqual(t, ref.Error, targetError)
				out := Refinement{Size: ref.Size}
				f.residual(now, b, x, &out)
				require.LessOrEqual(t, out.Worst.Ratio, enoughRatio, "seed %d", seed)
			}
		}
	}
	t.Logf("%d without a last residual, %d weak rows", unchecked, weak)
	require.Greater(t, unchecked, 20)
	require.Greater(t, weak, 100)
}

// repeatRows makes the last row of some joints of a looseChain the first one.
func repeatRows(m *sparse.Matrix, scale []float64, rng *rand.Rand) {
	p := m.Pattern
	for i := p.Positive(); i < p.Len(); i++ {
		if rng.IntN(2) == 0 {
			continue
		}
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			w := m.Val[p.Pos[k]:][:18]
			copy(w[12:], w[:6])
		}
		scale[p.Off[i]+2] = scale[p.Off[i]]
	}
}

// TestUncheckedCorrectionsAreSmall: e of beginCorrection bounds the correction, as ends takes for granted,
// with residuals of +1 rows of the core too.
func TestUncheckedCorrectionsAreSmall(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 73))
		m, scale := looseChain(40, math.Pow(10, -3*rng.Float64()))
		p := m.Pattern
		perm := make([]int32, p.Len())
		for i, v := range rng.Perm(p.Len()) {
			perm[i] = int32(v)
		}
		f := Analyze(p, perm).NewFactor()
		require.NoError(t, f.Factorize(m, scale, 1e-13, WhereWeak))
		x, r, b := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
		for c, o := range f.Symbolic.oldOff {
			for k := o; k < o+f.Symbolic.off[c+1]-f.Symbolic.off[c]; k++ {
				r[k] = rng.NormFloat64()
			}
		}
		e := f.beginCorrection(r)
		f.backward(solution{x: x, b: b, add: true})
		require.LessOrEqual(t, f.energy(x), math.Sqrt2*e*(1+1e-9), "seed %d", seed)
	}
}

// TestEnds: what takes a residual after a correction.
func TestEnds(t *testing.T) {
	holds := Refinement{Size: 2, Worst: Worst{Node: -1, Row: -1}}
	off := Refinement{Size: 2, Worst: Worst{Ratio: 2e-14, Node: 3}}
	ends := func(policy Policy, contraction, e, last float64, out Refinement) bool {
		c := Convergence{Refinement: out, policy: policy, contraction: contraction, last: last}
		return c.Ends(e)
	}
	const small = 1.5e-8 // below √(targetError·size·last)/2
	require.True(t, ends(WhereWeak, 0, small, 1, holds))
	require.True(t, ends(WhereWeak, 0, 0, 0, Refinement{Worst: holds.Worst}))
	require.False(t, ends(WhereWeak, 0, 2*small, 1, holds))
	require.False(t, ends(WhereWeak, 0, small, 0.25, holds))
	require.False(t, ends(WhereWeak, 0, small, 1, off))
	require.False(t, ends(WhereWeak, 0, math.NaN(), 1, holds))
	require.False(t, ends(WhereWeak, 1e-6, small, 1, holds))
	require.False(t, ends(Everywhere, 0, small, 1, holds))
}

// TestManyRows: in a long chain some estimate is above enoughError where each is rounding. The solution is taken without a
// solve for its error, which a correction shows to be some three times the estimate. Estimates that amount to more are
// not rounding.
func TestManyRows(t *testing.T) {
	m, scale := looseChain(20000, 1)
	p := m.Pattern
	f := Analyze(p, order.Of(p, order.LeafFirst)).NewFactor()
	require.NoError(t, f.Factorize(m, scale, 1e-15, WhereWeak))
	require.Zero(t, f.Weak)
	rng := rand.New(rand.NewPCG(3, 71))
	b, x, r := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	ref := f.SolveRefinedTo(x, r, b, m, 0)
	require.Zero(t, ref.Steps)
	c := NewConvergence(WhereWeak, f.Contraction, ref.Size, f.freeSize(x))
	e := f.residual(r, b, x, &c.Refinement)
	norm := f.energy(x)
	require.False(t, c.First(e.largest, e.least))
	require.Equal(t, ref.Error, c.Error, "the estimate, and not what the factor makes of it")
	require.True(t, c.many(e) && c.mean(e.sum, norm))
	require.False(t, c.mean(4*e.sum, norm))

	f.beginCorrection(r)
	step, size := f.backward(solution{x: x, b: b, add: true})
	require.Less(t, step, 4*ref.Error*size)

	for _, worse := range []estimates{{largest: 4 * e.largest, least: e.least}, {largest: e.largest, least: smallPivot / 2}} {
		require.False(t, c.First(worse.largest, worse.least) || c.many(worse))
	}
}

// TestFirstWithTwiceTheDigitsAfterDoubles: where a rough correction has been followed by others with doubles, the first one with twice the
// digits is compared with none of them either.
func TestFirstWithTwiceTheDigitsAfterDoubles(t *testing.T) {
	const off = 1e-9
	m, scale := looseChain(20, 1)
	p := m.Pattern
	f := Analyze(p, order.Of(p, order.LeafFirst)).NewFactor()
	require.NoError(t, f.Factorize(m, scale, 1e-15, WhereWeak))
	rng := rand.New(rand.NewPCG(3, 72))
	b, x, r := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	size := f.solve(x, b, nil)
	x[0] += off * size
	c := NewConvergence(WhereWeak, f.Contraction, size, f.freeSize(x))
	c.Steps, c.twice, c.compared, c.last = 2, true, true, 1e6*size
	f.refineTwice(x, r, b, &c)
	require.Greater(t, c.Steps, 3)
}
