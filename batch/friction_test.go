package batch_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// rubbed gives all joints of a model that turn about one axis dry friction: constant, or that of bearings.
func rubbed(m *model.Model, bearings bool, size float64) (*model.Model, []mechanism.Freedom) {
	out, list := clone(m), []mechanism.Freedom(nil)
	for j := range out.Joints {
		if out.Joints[j].Type != model.Revolute || len(out.Joints[j].Motion) > 0 {
			continue
		}
		f := model.Friction{Force: 0.1 * size, Speed: 0.5}
		if bearings {
			f = model.Friction{Coefficient: 0.1, Radius: 0.01 * size, Speed: 0.5}
		}
		out.Joints[j].Friction = []model.Friction{f}
		list = append(list, mechanism.Freedom{Joint: j})
	}
	return out, list
}

// TestFriction: with a friction of its own, each state has the accelerations of a mechanism that is built with it, and where
// rollouts take it.
func TestFriction(t *testing.T) {
	check.Long(t)
	const n = 9
	for _, bearings := range []bool{false, true} {
		m, freedoms := rubbed(modelOf(t, "four-bar"), bearings, 1)
		if bearings { // reactions of redundant joints are not unique
			m, freedoms = rubbed(modelOf(t, "rbda-8-3"), bearings, 1)
		}
		require.NotEmpty(t, freedoms)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		b, err := batch.New(p, batch.Options{Vary: batch.Vary{Friction: freedoms}})
		require.NoError(t, err)
		s, r := b.NewStates(n), b.NewResults(n)
		list := someStates(t, p, n, 3, 0.3)
		var plans []*kkt.Plan
		for i, st := range list {
			other, _ := rubbed(m, bearings, 1+float64(i))
			q, err := rung.NewPlan(other, kkt.Options{})
			require.NoError(t, err)
			plans = append(plans, q)
			s.Set(i, st)
			for _, f := range freedoms {
				was, _ := p.Mechanism().Friction(f.Joint, f.Freedom)
				require.Equal(t, was, s.Friction(i, f))
				now := other.Joints[f.Joint].Friction[0]
				require.NoError(t, s.SetFriction(i, f, now))
				require.Equal(t, now.Force, s.Friction(i, f).Force)
			}
		}
		b.Solve(s, r)
		got := make([]float64, 6*p.Mechanism().NumBodies())
		in := p.Mechanism().NewInputs()
		for i, st := range list {
			require.NoError(t, r.Error(i))
			solver := plans[i].NewSolver()
			require.NoError(t, solver.Solve(st))
			r.To(got, i)
			compare(t, plans[i], solver, st, got, "bearings %v, state %d", bearings, i)
			require.NoError(t, s.InputsTo(in, i))
			f, _ := in.Mechanism().Friction(freedoms[0].Joint, 0)
			want, _ := plans[i].Mechanism().Friction(freedoms[0].Joint, 0)
			require.Equal(t, want, f)
		}

		// A rollout of one state of the batch is that of a batch with its friction.
		out := b.NewOutcome(n)
		how := &batch.Rollout{Step: 1e-3, Steps: 20}
		require.NoError(t, b.Rollout(s, how, out))
		for _, i := range []int{0, n - 1} {
			require.NoError(t, out.Error(i))
			one, err := batch.New(plans[i], batch.Options{})
			require.NoError(t, err)
			alone, end := one.NewStates(1), one.NewOutcome(1)
			alone.Set(0, list[i])
			require.NoError(t, one.Rollout(alone, how, end))
			x, y := p.Initial(), p.Initial()
			s.To(x, i)
			alone.To(y, 0)
			for k := range x.Bodies {
				check.CloseVec(t, x.Bodies[k].Omega[:], y.Bodies[k].Omega[:], 1e-10, 1, "bearings %v, state %d", bearings, i)
			}
		}
	}
}

// TestFrictionDefaults: what is set with zeros reads as the defaults of the format, as in a mechanism, and a ball has one friction for its
// three rotations, whichever is asked for.
func TestFrictionDefaults(t *testing.T) {
	hinged, hinges := rubbed(modelOf(t, "four-bar"), false, 1)
	ball := modelOf(t, "ball-ladder-5")
	at := slices.IndexFunc(ball.Joints, func(j model.Joint) bool { return j.Type == model.Spherical })
	of := model.Friction{Coefficient: 0.1, Radius: 0.2, Speed: 0.5}
	ball.Joints[at].Friction = []model.Friction{of, of, of}
	for name, c := range map[string]struct {
		m   *model.Model
		f   mechanism.Freedom
		n   int // rotations of the friction
		now model.Friction
	}{
		"hinge": {hinged, hinges[0], 1, model.Friction{Force: 2}},
		"ball":  {ball, mechanism.Freedom{Joint: at}, 3, model.Friction{Coefficient: 0.3, Radius: 0.2}},
	} {
		p, err := rung.NewPlan(c.m, kkt.Options{})
		require.NoError(t, err, name)
		b, err := batch.New(p, batch.Options{Vary: batch.Vary{Friction: []mechanism.Freedom{c.f}}})
		require.NoError(t, err, name)
		s, in := b.NewStates(2), p.Mechanism().NewInputs()
		require.NoError(t, s.SetFriction(1, c.f, c.now), name)
		require.NoError(t, in.SetFriction(c.f.Joint, 0, c.now), name)
		for k := range c.n {
			f := mechanism.Freedom{Joint: c.f.Joint, Freedom: k}
			was, ok := p.Mechanism().Friction(f.Joint, k)
			require.True(t, ok, name)
			require.Equal(t, was, s.Friction(0, f), name)
			now, _ := in.Mechanism().Friction(f.Joint, k)
			require.Equal(t, model.DefaultTurnSpeed, now.Speed, name)
			require.Equal(t, 1.0, now.Static, name)
			require.Equal(t, now, s.Friction(1, f), "%s, rotation %d", name, k)
		}
	}
}

// TestFrictionRefused: what is not in the model does not vary, and what a model would refuse is refused.
func TestFrictionRefused(t *testing.T) {
	m, freedoms := rubbed(modelOf(t, "four-bar"), false, 1)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := batch.New(p, batch.Options{Vary: batch.Vary{Friction: freedoms[:1]}})
	require.NoError(t, err)
	s := b.NewStates(2)
	name := p.Mechanism().JointName(freedoms[0].Joint)
	err = s.SetFriction(1, freedoms[0], model.Friction{Force: -2})
	require.ErrorIs(t, err, batch.ErrParameter)
	require.EqualError(t, err, `batch: joint "`+name+`": parameter refused: state 1: input refused: friction of freedom 0: force -2 is negative or not finite`)
	require.Equal(t, 0.1, s.Friction(1, freedoms[0]).Force)
	s.CopyParameters(0, s, 1)
	require.PanicsWithValue(t, "batch: this does not vary; use Options.Vary", func() { _ = s.SetFriction(0, freedoms[1], model.Friction{Force: 1}) })
	for _, list := range [][]mechanism.Freedom{{{Joint: 0, Freedom: 1}}, {freedoms[0], freedoms[0]}, {{Joint: 99}}} {
		_, err = batch.New(p, batch.Options{Vary: batch.Vary{Friction: list}})
		require.ErrorIs(t, err, batch.ErrOptions)
	}
	plain, err := rung.NewPlan(modelOf(t, "four-bar"), kkt.Options{})
	require.NoError(t, err)
	_, err = batch.New(plain, batch.Options{Vary: batch.Vary{Friction: freedoms[:1]}})
	require.ErrorContains(t, err, "freedom 0 has no friction in the model")
}
