package kkt_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

const (
	// mirrorTol is the difference between reactions that are equal by symmetry, relative to the largest: the axes of the
	// hinges are rounded, which a mast of n stages enlarges with its strains.
	mirrorTol = 1e-9
	// tallTol is the same for masts of some thousand stages.
	tallTol = 1e-7
	// mastTol is the error of the acceleration of a mast, relative to it.
	mastTol = 1e-6
)

// TestScissorShares has the hinges ahead and behind of every pin of a mast carry the same, and counts what is redundant
// and undetermined: all but the moments about the hinges.
func TestScissorShares(t *testing.T) {
	check.Long(t)
	sizes := []int{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000}
	for _, n := range sizes {
		for _, o := range []order.Ordering{order.Auto, order.LeafFirst, order.MinDegree} {
			if n > 200 && o != order.Auto && check.More() == 1 {
				continue // every night
			}
			t.Run(fmt.Sprintf("n=%d/%v", n, o), func(t *testing.T) { requireMast(t, n, o) })
		}
	}
}

// TestScissorTall has masts whose smallest pivots are below rounding: they are solved by orthogonal factorization.
func TestScissorTall(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	for _, n := range []int{2000, 5000} {
		if n > 2000 && check.More() == 1 {
			continue
		}
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) { requireMast(t, n, order.Auto) })
	}
}

func requireMast(t *testing.T, n int, o order.Ordering) {
	t.Helper()
	m := generate(t, "scissor", n, 1)
	p := newPlan(t, m, o)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	r := report(t, s)
	require.Equal(t, 30*n-8, r.Rows)
	require.Equal(t, 12*n-1, r.Rank)
	require.Equal(t, 18*n-7, r.Redundant)
	require.Equal(t, 1, r.Mobility)
	sum := 0
	for _, k := range r.RedundantRows {
		sum += k
	}
	require.Equal(t, r.Redundant, sum)
	require.True(t, r.LeastNorm)
	require.Less(t, r.NormResidual, 1e-14)
	require.InEpsilon(t, bench.ScissorAcceleration(n, m.Bodies[0].Velocity.Angular[2]), s.AngularAcceleration(0)[2], mastTol)
	largest, worst := 0.0, 0.0
	for j := 0; j < len(m.Joints); j += 2 {
		a, b := s.ConstraintWrench(j), s.ConstraintWrench(j+1)
		f, g := a.Linear(), b.Linear()
		largest = max(largest, f.Norm())
		worst = max(worst, math.Abs(f[0]-g[0]), math.Abs(f[1]-g[1]), math.Abs(f[2]+g[2]))
		want := uint8(0b011111) // all but moment.z
		if m.Joints[j].Type == model.PointOnPlane {
			want = 0b000010 // force.y
		}
		require.Equal(t, [2]uint8{want, want}, [2]uint8(r.Undetermined[j:j+2]), m.Joints[j].Name)
	}
	if n <= 1000 {
		require.LessOrEqual(t, worst, mirrorTol*largest)
	}
	require.LessOrEqual(t, worst, tallTol*largest)
	t.Logf("ahead and behind differ by %.2g of the largest force", worst/largest)
}

// TestLeastNormDense compares reactions with the dense ones on redundant models whose masses are 1e-3 to 1e3 times as
// large.
func TestLeastNormDense(t *testing.T) {
	check.Long(t)
	for _, c := range []struct {
		family string
		n      int
	}{{"scissor", 1}, {"scissor", 5}, {"nfourbar", 1}, {"nfourbar", 10}, {"revolute-net", 2}, {"revolute-net", 3}, {"random", 10}, {"random", 25}} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/n=%d/seed=%d", c.family, c.n, seed), func(t *testing.T) {
				m := generate(t, c.family, c.n, seed)
				scaleMasses(m, seed, 1e3)
				p := newPlan(t, m, order.Auto)
				s := p.NewSolver()
				require.NoError(t, s.Solve(p.Initial()))
				want := newOracle(t, s)
				r := report(t, s)
				require.Equal(t, want.rank, r.Rank)
				require.True(t, r.LeastNorm)
				check.CloseVec(t, multipliers(s, r), want.lambda, normTol, check.MaxAbs(want.lambda), "multipliers")
			})
		}
	}
}

// scaleMasses multiplies masses and inertias by numbers from 1/spread to spread.
func scaleMasses(m *model.Model, seed uint64, spread float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	for i := range m.Bodies {
		b := &m.Bodies[i]
		k := math.Pow(spread, 2*rng.Float64()-1)
		b.Mass *= k
		g := &b.Inertia
		*g = model.Inertia{XX: k * g.XX, YY: k * g.YY, ZZ: k * g.ZZ, XY: k * g.XY, XZ: k * g.XZ, YZ: k * g.YZ}
	}
}

// TestLeastNormReported is true, and exactly so, where nothing is undetermined.
func TestLeastNormReported(t *testing.T) {
	for _, family := range []string{"ladder", "chain", "grid"} {
		p := newPlan(t, generate(t, family, 5, 1), order.Auto)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		r := report(t, s)
		require.True(t, r.LeastNorm)
		require.Zero(t, r.NormResidual)
	}
}

// TestInverseShares drives a mast by all hinges of its crossings: of two on one pin, each does half.
func TestInverseShares(t *testing.T) {
	check.Long(t)
	for _, n := range []int{1, 4, 30, 100} {
		m := generate(t, "scissor", n, 1)
		var list []mechanism.Freedom
		for j := range m.Joints {
			if m.Joints[j].Name[0] == 'c' {
				list = append(list, mechanism.Freedom{Joint: j})
			}
		}
		v, err := inverse(t, m, nil, list...)
		require.NoError(t, err)
		require.True(t, v.LeastNorm())
		require.Equal(t, 1, v.Controlled())
		force := v.Forces()
		for i := range force {
			check.Close(t, force[i], force[0], 1e-9, math.Abs(force[0]), "actuator %d of %d stages", i, n)
		}
	}
}

// TestLeastNormBesideFreeBodies: a body that no joint holds, and directions in which none holds a body, are columns of zeros. Two equal
// rods on another body carry half of its weight each all the same.
func TestLeastNormBesideFreeBodies(t *testing.T) {
	rod := func(name string) model.Joint {
		return model.Joint{Name: name, Type: model.Distance, Predecessor: model.World, Successor: "ball", Length: 2}
	}
	ball := func(name string) model.Body {
		return model.Body{Name: name, Mass: 3, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: [3]float64{0, 0, -2}}}
	}
	m := &model.Model{
		Name: "two rods", Gravity: [3]float64{0, 0, -10}, Bodies: []model.Body{ball("free"), ball("ball")},
		Joints: []model.Joint{rod("a"), rod("b")},
	}
	s := newPlan(t, m, order.Auto).NewSolver()
	require.NoError(t, s.Solve(s.Plan().Initial()))
	r := report(t, s)
	require.True(t, r.LeastNorm)
	require.Less(t, r.NormResidual, 1e-14)
	for j := range m.Joints {
		w := s.ConstraintWrench(j)
		require.InDelta(t, 15, w.Linear()[2], 1e-12)
	}
}
