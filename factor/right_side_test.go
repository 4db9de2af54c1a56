package factor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// groundedPattern has a closed chain of n bodies with some chords, where the even bodies
// have a joint of one to six rows to the world, some of them two, and one more body that
// has nothing but such a joint. There are fewer rows than freedoms everywhere.
func groundedPattern(n int, rng *rand.Rand) *sparse.Pattern {
	var js []sparsetest.Joint
	for b := range int32(n) {
		js = append(js, sparsetest.Link(int8(1+rng.IntN(2)), b, (b+1)%int32(n)))
		c := int8(1 + b/2%6)
		if b%2 == 0 {
			js = append(js, sparsetest.Link(c, sparsetest.World, b))
		}
		if b%4 == 0 && c < 4 {
			js = append(js, sparsetest.Link(1, b))
		}
		if b%5 == 0 {
			js = append(js, sparsetest.Link(1, b, (b+int32(n)/2)%int32(n)))
		}
	}
	js = append(js, sparsetest.Link(5, int32(n)))
	return sparsetest.New(n+1, js)
}

// normalMatrix returns a matrix of p with unit +1 blocks and random rows.
func normalMatrix(p *sparse.Pattern, rng *rand.Rand) *sparse.Matrix {
	m := sparse.NewUnitMatrix(p)
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	return m
}

// A right side that is eliminated with the matrix, refinement, and teams; +1 blocks are
// units, as those of mechanisms.
//
//rung:race
func TestRightSideInTheFactor(t *testing.T) {
	for _, n := range []int{6, 50, 3000} {
		rng := rand.New(rand.NewPCG(uint64(n), 62))
		p := groundedPattern(n, rng)
		m := normalMatrix(p, rng)
		s := factor.Analyze(p, order.Of(p, order.NestedDissection))
		scale := rowSquares(m)
		b := consistentSide(stored(m), rng)
		var first []float64
		for _, workers := range []int{1, 3} {
			f := s.NewFactorOn(team.New(workers))
			x, y, r := make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b))
			require.NoError(t, f.FactorizeFor(b, m, scale, epsilon, factor.WhereWeak))
			ref := f.SolveRefinedTo(x, r, b, m, 0)
			require.Less(t, ref.Error, 1e-12)
			left, _ := scaledResidual(stored(m), make([]float64, len(b)), x, b)
			require.Less(t, left, 1e-14)
			require.NoError(t, f.Factorize(m, scale, epsilon, factor.WhereWeak))
			f.SolveRefinedTo(y, r, b, m, 0)
			for i := range x {
				require.InDelta(t, x[i], y[i], 1e-8*(1+math.Abs(x[i])))
			}
			if first == nil {
				first = x
			}
			require.Equal(t, first, x)
			// Under Everywhere the proximal terms are refined away.
			require.NoError(t, f.FactorizeFor(b, m, scale, 1e-6, factor.Everywhere))
			ref = f.SolveRefinedTo(y, r, b, m, 0)
			require.Positive(t, ref.Steps)
			for i := range positiveRows(p) {
				require.InDelta(t, x[i], y[i], 1e-7*(1+math.Abs(x[i])))
			}
		}
	}
}

// rowSquares returns the squared norms of the rows of W.
func rowSquares(m *sparse.Matrix) []float64 {
	p := m.Pattern
	scale := make([]float64, p.Dim())
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			for a := range int(p.Size[i]) {
				for _, v := range m.Val[int(p.Pos[k])+6*a:][:6] {
					scale[int(p.Off[i])+a] += v * v
				}
			}
		}
	}
	return scale
}

// stored returns m with its unit blocks stored.
func stored(m *sparse.Matrix) *sparse.Matrix {
	out := sparse.NewMatrix(m.Pattern)
	out.Val = m.Val
	for i := range m.Pattern.Positive() {
		n := int(m.Pattern.Size[i])
		for k := range n {
			out.Dia[int(m.Pattern.Dia[i])+k*n+k] = 1
		}
	}
	return out
}

// A bad row is named by node and row, whichever worker has met it.
//
//rung:race
func TestPivotErrorOfTeams(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 61))
	p := groundedPattern(check.Few(2000, 700), rng)
	m := normalMatrix(p, rng)
	scale := rowSquares(m)
	s := factor.Analyze(p, order.Of(p, order.LeafFirst))
	times := 20
	if testing.Short() {
		times = 1
	}
	for _, workers := range []int{1, 2} {
		f := s.NewFactorOn(team.New(workers))
		for range times {
			node := p.Positive() + rng.IntN(p.Len()-p.Positive())
			row := rng.IntN(int(p.Size[node]))
			at := &m.Val[int(p.Pos[p.Ptr[node]])+6*row]
			kept := *at
			*at = math.NaN()
			var pivot *factor.PivotError
			require.ErrorAs(t, f.Factorize(m, scale, epsilon, factor.WhereWeak), &pivot)
			require.Equal(t, node, pivot.Node)
			require.Equal(t, row, pivot.Row)
			requireInvalid(t, f, m)
			*at = kept
			require.NoError(t, f.Factorize(m, scale, epsilon, factor.WhereWeak))
		}
	}
}
