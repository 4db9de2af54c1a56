package kkt_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse/interop"
)

const (
	// exactTol is the error against an exact solution of the assembled system,
	// relative to the largest acceleration, where masses differ by 1e6.
	exactTol = 1e-8
	// chainTol is the difference of two orderings on a chain of 1e4 bodies.
	chainTol = 1e-8
	// residualTol is the scaled residual of a refined solution.
	residualTol = 1e-14
	// distanceTol is the rounding of Report.Distance, which divides the
	// difference of two pivots by 1e-12.
	distanceTol = 1e-3
	// precision of the exact solution, bits: masses, stiff joints and
	// cancellation together lose far fewer than the 150 to spare.
	precision = 200
)

// heavyAndLight scales the masses of m by 1e3 and 1e-3 in turn.
func heavyAndLight(m *model.Model) *model.Model {
	c := cloned(m)
	for i := range c.Bodies {
		f := 1e3
		if i%2 == 0 {
			f = 1e-3
		}
		b := &c.Bodies[i]
		b.Mass *= f
		I := &b.Inertia
		for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
			*x *= f
		}
	}
	return c
}

// TestMassRatios compares with a solution in extended precision. The models
// are not redundant, so that the system is regular.
func TestMassRatios(t *testing.T) {
	check.Long(t)
	for _, c := range []struct {
		family string
		n      int
	}{{"chain", 14}, {"tree", 12}, {"ladder", 10}, {"grid", 3}, {"ball-net", 3}, {"stewart", 1}} {
		even := generate(t, c.family, c.n, 1)
		m := heavyAndLight(even)
		got := make([]float64, 6*len(m.Bodies))
		want := exact(systemOf(t, solve(t, m, order.Natural)))[:len(got)]
		for _, o := range orderings {
			t.Run(fmt.Sprintf("%s/%v", c.family, o), func(t *testing.T) {
				s := solve(t, m, o)
				s.AccelerationsTo(got)
				check.CloseVec(t, got, want, exactTol, check.MaxAbs(want), "accelerations")
				r := report(t, s)
				require.Zero(t, r.Redundant)
				require.Less(t, r.BackwardError, residualTol)
				check.Close(t, r.Distance, report(t, solve(t, even, o)).Distance, distanceTol, 1, "distance, of the geometry alone")
			})
		}
	}
}

// TestMassRatiosRedundant keeps rank and undetermined components of redundant
// mechanisms when masses change.
func TestMassRatiosRedundant(t *testing.T) {
	check.Long(t)
	for _, name := range []string{"four-bar", "n-four-bar-40", "type-universal", "type-helical-loop", "bricard-6r", "random-30"} {
		t.Run(name, func(t *testing.T) {
			m := golden(t, name)
			want, got := explain(t, m, order.Auto), explain(t, heavyAndLight(m), order.Auto)
			requireSameCounts(t, want, got)
			require.Equal(t, want.rep.Undetermined, got.rep.Undetermined)
		})
	}
}

// exact solves the system in extended precision by Gaussian elimination with
// partial pivoting.
func exact(y *assemble.System) []float64 {
	n := len(y.Right)
	A := make([][]*big.Float, n)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	K := interop.Dense(y.Matrix, nil)
	for i := range A {
		A[i] = make([]*big.Float, n+1)
		for j := range n {
			A[i][j] = number(K.At(i, j))
		}
		A[i][n] = number(y.Right[i])
	}
	var f, p big.Float
	f.SetPrec(precision)
	p.SetPrec(precision)
	subtract := func(dst, src []*big.Float, pivot *big.Float, from int) {
		f.Quo(dst[from], pivot)
		for j := from; j <= n; j++ {
			if src[j].Sign() != 0 {
				dst[j].Sub(dst[j], p.Mul(&f, src[j]))
			}
		}
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if new(big.Float).Abs(A[i][k]).Cmp(new(big.Float).Abs(A[best][k])) > 0 {
				best = i
			}
		}
		A[k], A[best] = A[best], A[k]
		for i := range n {
			if i != k && A[i][k].Sign() != 0 {
				subtract(A[i], A[k], A[k][k], k)
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i], _ = f.Quo(A[i][n], A[i][i]).Float64()
	}
	return x
}

// TestLongChain: the residual of 1e4 bodies in a row stays at rounding, and two
// orderings agree.
func TestLongChain(t *testing.T) {
	check.Long(t)
	size := 10000
	m := generate(t, "chain", size, 1)
	n := 6 * len(m.Bodies)
	want, got := make([]float64, n), make([]float64, n)
	for i, o := range []order.Ordering{order.LeafFirst, order.NestedDissection} {
		s := solve(t, m, o)
		s.AccelerationsTo(got)
		r := report(t, s)
		require.Less(t, r.BackwardError, residualTol, "%v", o)
		require.Zero(t, r.Redundant)
		require.Equal(t, len(m.Bodies), r.Mobility)
		if i == 0 {
			copy(want, got)
		}
	}
	check.CloseVec(t, got, want, chainTol, check.MaxAbs(want), "accelerations")
}

// TestEpsilons: the proximal term leaves no trace in the result.
func TestEpsilons(t *testing.T) {
	for _, name := range []string{"four-bar", "n-four-bar-40", "ball-net-4x4", "random-30"} {
		m := golden(t, name)
		want := accelerations(t, m, kkt.DefaultEpsilon)
		for _, eps := range []float64{1e-14, 1e-10, 1e-8} {
			check.CloseVec(t, accelerations(t, m, eps), want, sameTol, check.MaxAbs(want), "%s with %g", name, eps)
		}
	}
}

func accelerations(t testing.TB, m *model.Model, eps float64) []float64 {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{Epsilon: eps})
	require.NoError(t, err)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	a := make([]float64, 6*len(m.Bodies))
	s.AccelerationsTo(a)
	return a
}

// TestImperfectStates moves every body by 1e-7 at position and velocity level:
// the accelerations move by as much and the contradiction of the redundant rows
// is reported.
func TestImperfectStates(t *testing.T) {
	const off = 1e-7
	for _, name := range []string{"four-bar", "n-four-bar-40", "slider-crank-planar", "type-fixed", "rbda-8-3"} {
		t.Run(name, func(t *testing.T) {
			p := newPlan(t, golden(t, name), order.Auto)
			s, st := p.NewSolver(), p.Initial()
			n := 6 * p.Mechanism().NumBodies()
			want, got := make([]float64, n), make([]float64, n)
			require.NoError(t, s.Solve(st))
			s.AccelerationsTo(want)
			before := s.Inconsistency()
			rng := check.Rand(9)
			for i := range st.Bodies {
				b := &st.Bodies[i]
				for k := range 3 {
					b.Position[k] += off * rng.NormFloat64()
					b.Velocity[k] += off * rng.NormFloat64()
					b.Omega[k] += off * rng.NormFloat64()
				}
			}
			require.NoError(t, s.Solve(st))
			s.AccelerationsTo(got)
			// A thousand times: the condition of these models and their speeds.
			check.CloseVec(t, got, want, 1e3*off, math.Max(1, check.MaxAbs(want)), "accelerations")
			require.Greater(t, s.Inconsistency(), before)
		})
	}
}
