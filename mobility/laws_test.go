package mobility_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// lawModels returns mechanisms of all kinds with at most 40 bodies: random composite joints with springs and couplings, and the small
// sizes of all families. Those with armature are left out, as its inertia is none of a body.
func lawModels(t testing.TB) map[string]*model.Model {
	out := map[string]*model.Model{}
	for seed := range uint64(60) {
		if testing.Short() && seed%5 > 0 {
			continue
		}
		rng := check.Rand(seed)
		m := modeltest.Composites(seed, 3+int(seed%8), int(seed%3))
		if seed%2 == 0 {
			modeltest.AddSprings(m, rng)
		}
		if seed%3 == 0 {
			m = modeltest.Couple(t, m, rng, 2)
		}
		out[fmt.Sprintf("composites %d", seed)] = m
	}
	for _, family := range bench.Families() {
		for _, n := range []int{1, 2, 3, 5, 8} {
			if m, err := bench.Generate(family, n, 1); err == nil && len(m.Bodies) <= 40 && (!testing.Short() || n%5 == 3) {
				out[fmt.Sprintf("%s %d", family, n)] = m
			}
		}
	}
	for name, m := range out {
		for j := range m.Joints {
			if m.Joints[j].Armature != nil {
				delete(out, name)
			}
		}
	}
	return out
}

// projection returns Φ·M at the initial state, by columns.
func projection(t testing.TB, p *kkt.Plan) []float64 {
	m := p.Mechanism()
	k, n := m.NewKinematics(), 6*m.NumBodies()
	require.NoError(t, m.KinematicsTo(k, p.Initial()))
	out := make([]float64, n*n)
	for i := range n {
		if b := i / 6; i%6 < 3 {
			var e spatial.Vec3
			e[i%6] = 1
			w := k.I[b].MulVec(e)
			copy(out[i*n+6*b:], w[:])
		} else {
			out[i*n+i] = m.Bodies[b].Mass
		}
	}
	r := p.NewResponse()
	require.NoError(t, r.At(p.Initial()))
	require.NoError(t, r.AccelerationsTo(out, out))
	return out
}

// accelerations returns the accelerations of all bodies at the initial state.
func accelerations(t testing.TB, p *kkt.Plan) []float64 {
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	a := make([]float64, 6*p.Mechanism().NumBodies())
	s.AccelerationsTo(a)
	return a
}

// TestLaws holds what is computed by different ways against each other: the number of motions by the rank, by the trace of the projection
// on the motions, by Independent and by Inverse; the basis of the motions against the projection; and the accelerations in an
// elimination order of one's own and under the second rates that the independent freedoms have anyway.
func TestLaws(t *testing.T) {
	check.Long(t)
	for name, m := range lawModels(t) {
		t.Run(name, func(t *testing.T) {
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			a := accelerations(t, p)
			tol := 1e-9 * (1 + check.MaxAbs(a))

			bodies := make([]int32, len(m.Bodies))
			for i, k := range check.Rand(uint64(len(name))).Perm(len(bodies)) {
				bodies[i] = int32(k)
			}
			own, err := rung.NewPlan(m, kkt.Options{Order: order.OfBodies(p.Layout().Pattern, bodies)})
			require.NoError(t, err)
			require.InDeltaSlice(t, a, accelerations(t, own), tol, "by an order of one's own")

			in, err := mobility.Independent(p, p.Initial(), nil)
			require.NoError(t, err)
			holdMotions(t, p, in)
			if len(in.Freedoms) == in.Mobility && in.Mobility > 0 && in.Condition < 1e6 {
				holdInverse(t, p, in, a, 10*tol*in.Condition)
			}
		})
	}
}

// holdMotions holds the motions of in against the projection and the rank.
func holdMotions(t *testing.T, p *kkt.Plan, in *mobility.Independents) {
	rank, err := p.NewSolver().RankAt(p.Initial())
	require.NoError(t, err)
	project, n := projection(t, p), 6*p.Mechanism().NumBodies()
	trace := 0.0
	for i := range n {
		trace += project[i*n+i]
	}
	require.Equal(t, n-rank.Rank, in.Mobility)
	require.InDelta(t, in.Mobility, trace, 1e-7)
	for k := range in.Mobility {
		v, back := in.Basis[k*n:][:n], make([]float64, n)
		for j, x := range v {
			for i := range n {
				back[i] += project[j*n+i] * x
			}
		}
		require.InDeltaSlice(t, v, back, 1e-7*check.MaxAbs(v), "motion %d", k)
	}
}

// holdInverse asks for the second rates that the freedoms have under the accelerations a: they need no forces.
func holdInverse(t *testing.T, p *kkt.Plan, in *mobility.Independents, a []float64, tol float64) {
	m, st := p.Mechanism(), p.Initial()
	k, second := m.NewKinematics(), make([]float64, len(in.Freedoms))
	require.NoError(t, m.KinematicsTo(k, st))
	for i, f := range in.Freedoms {
		var q [6]float64
		require.NoError(t, m.SecondRatesTo(&q, f.Joint, a, k, st))
		second[i] = q[f.Freedom]
	}
	v, err := p.NewInverse(in.Freedoms)
	require.NoError(t, err)
	require.NoError(t, v.SolveFreedoms(st, second))
	require.InDeltaSlice(t, a, v.Accelerations(), tol)
	require.Equal(t, [2]int{in.Mobility, in.Mobility}, [2]int{v.Mobility(), v.Controlled()})
}
