package motion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// TestErrorsApart: errors of poses and of velocities have the same bits when they are measured separately and together.
func TestErrorsApart(t *testing.T) {
	for family, n := range map[string]int{"cam-train": 3, "scissor": 4, "stewart": 1, "gear-train": 5} {
		d := newDrifted(t, family, n, 1e-6, kkt.Options{})
		r := d.dyn.drift
		both, err := r.measure(d.off)
		require.NoError(t, err)
		delta, rate := append([]float64(nil), r.delta...), append([]float64(nil), r.rate...)
		clear(r.delta)
		fit, err := r.measureBy(deltaPass, d.off)
		require.NoError(t, err)
		require.Equal(t, delta, r.delta, family)
		require.Equal(t, both.position, fit.position, family)
		clear(r.rate)
		fit, err = r.measureRates(d.off)
		require.NoError(t, err)
		require.Equal(t, rate, r.rate, family)
		require.Equal(t, both, fit, family)
	}
}

// TestEndViolation: the violations that steps of RATTLE report for their ends are right, and no violation is reported that they have not
// measured.
func TestEndViolation(t *testing.T) {
	p := planOf(t, "cam-train", 3)
	r, err := NewRattle(p, RattleOptions{Tolerance: 1e-6, Damp: true})
	require.NoError(t, err)
	_, known := r.EndViolation()
	require.False(t, known)
	k := p.Mechanism().NewKinematics()
	st := p.Initial()
	for range 20 {
		_, err := r.Try(st, st.Time+1e-3)
		require.NoError(t, err)
		v, known := r.EndViolation()
		require.True(t, known)
		r.AtTo(st, 1)
		require.NoError(t, p.Mechanism().KinematicsTo(k, st))
		_, position, velocity := p.Mechanism().WorstJoint(k, st)
		length, rate := v.In(1)
		require.InDelta(t, position, length, 1e-15)
		require.InDelta(t, velocity, rate, 1e-12)
		r.Accept()
		_, known = r.EndViolation()
		require.False(t, known)
		p.Mechanism().FollowAngles(k, st)
	}
	r.opts.Turn = 1e-9 // all steps are damped
	_, err = r.Try(st, st.Time+1e-3)
	require.NoError(t, err)
	_, known = r.EndViolation()
	require.False(t, known)
}

// TestSearchesAreShared: accelerations and errors at poses between which others have searched have the bits of those that search alone.
func TestSearchesAreShared(t *testing.T) {
	p := planOf(t, "cam-train", 2)
	m := p.Mechanism()
	run := sim.New(m, sim.NewRungeKutta(m, NewDynamics(p), sim.DormandPrince(), sim.Tolerance{}), p.Initial(), sim.Options{Projector: NewDynamics(p)})
	states := []*mechanism.State{p.Initial()}
	for k := range 3 {
		require.NoError(t, run.Run(0.01*float64(k+1)))
		states = append(states, run.State().Clone())
	}
	d, k := NewDynamics(p), m.NewKinematics()
	d.ShareSearches(k)
	n := 6 * m.NumBodies()
	for i := range 12 {
		st, other := states[i%4], states[i*i%3]
		require.NoError(t, m.KinematicsTo(k, other))
		a, alone := make([]float64, n), make([]float64, n)
		require.NoError(t, d.Accelerations(a, st))
		require.NoError(t, NewDynamics(p).Accelerations(alone, st))
		require.Equal(t, alone, a)
		fit, err := d.drift.measure(other)
		require.NoError(t, err)
		single, err := NewDynamics(p).drift.measure(other)
		require.NoError(t, err)
		require.Equal(t, single, fit)
	}
}

func planOf(t *testing.T, family string, n int) *kkt.Plan {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// TestLostDirection: a pose that leaves a distance joint without a direction shows where errors of poses alone are measured.
func TestLostDirection(t *testing.T) {
	one := model.Pose{Orientation: [4]float64{1}}
	p, err := newPlan(&model.Model{
		Name:   "rod",
		Bodies: []model.Body{{Name: "ball", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: [3]float64{0.5}, Orientation: [4]float64{1}}}},
		Joints: []model.Joint{{Name: "rod", Type: model.Distance, Predecessor: model.World, Successor: "ball", Length: 0.5, PredecessorFrame: one, SuccessorFrame: one}},
	}, kkt.Options{})
	require.NoError(t, err)
	r, st := NewDynamics(p).drift, p.Initial()
	fit, err := r.measureBy(deltaPass, st)
	require.NoError(t, err)
	require.False(t, fit.lost)
	r.x[3] = 0.5
	_, ok := r.moveBy(deltaPass, st, -1)
	require.False(t, ok)
}

// TestLeftRatesAreBounds: the error that a correction of velocities returns, at a pose that is off, is at least the error of the joints.
func TestLeftRatesAreBounds(t *testing.T) {
	const off, push = 1e-4, 0.5 // m, and rad/s or m/s
	for family, n := range map[string]int{"cam-train": 3, "stewart": 1, "gear-train": 5, "ladder": 4, "grid": 4} {
		p := planOf(t, family, n)
		r, err := NewRattle(p, RattleOptions{})
		require.NoError(t, err)
		r.end = *p.Initial()
		rng := check.Rand(7)
		for i := range r.end.Bodies {
			b := &r.end.Bodies[i]
			for k := range 3 {
				b.Position[k] += off * rng.Float64()
				b.Velocity[k] += push * rng.Float64()
				b.Omega[k] += push * rng.Float64()
			}
		}
		d := r.dyn.drift
		_, err = d.measure(&r.end)
		require.NoError(t, err, family)
		require.NoError(t, r.evaluate(r.next, &r.end), family)
		said, err := r.correctRates(true)
		require.NoError(t, err, family)
		is, err := d.measureRates(&r.end)
		require.NoError(t, err, family)
		require.GreaterOrEqual(t, said.velocity, is.velocity, family)
	}
}
