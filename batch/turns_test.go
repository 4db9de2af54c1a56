package batch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestTurns: with Options.Angles rollouts count the turns of wheels without springs, in lanes and in steps that states make
// alone; without, states carry none of them.
func TestTurns(t *testing.T) {
	const step, steps = 0.05, 400
	m := model.New("wheels")
	m.Gravity = [3]float64{}
	for i, omega := range []float64{10, -10} {
		name := []string{"a", "b"}[i]
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
			Pose: model.Pose{Position: [3]float64{3 * float64(i)}}, Velocity: model.Velocity{Angular: [3]float64{0, 0, omega}},
		})
		m.Joints = append(m.Joints, model.Joint{
			Name: "pin " + name, Type: model.Revolute, Predecessor: model.World, Successor: name, Turns: []int64{int64(i)},
			PredecessorFrame: m.Bodies[i].Pose,
		})
	}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	for _, long := range []bool{false, true} {
		b, err := batch.New(p, batch.Options{Angles: true})
		require.NoError(t, err)
		how := batch.Rollout{Step: step, Steps: steps}
		if long { // a radian and more: states go alone
			how.Step, how.Steps = 5*step, steps/5
		}
		s, out := b.NewStates(3), b.NewOutcome(3)
		for i := range s.Len() {
			s.Set(i, p.Initial())
		}
		require.NoError(t, b.Rollout(s, &how, out))
		st := p.Initial()
		s.To(st, 2)
		require.NoError(t, out.Error(2))
		require.Equal(t, long, out.OneByOne(2) > 0)
		for j, want := range []float64{10 * step * steps, 2*math.Pi - 10*step*steps} {
			q, _ := p.Mechanism().Coordinate(mechanism.Freedom{Joint: j}, st)
			check.Close(t, q, want, 10*step*steps, 1e-9, "joint %d, long %v", j, long)
		}
	}
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	st := p.Initial()
	b.NewStates(1).To(st, 0)
	require.Empty(t, st.Angles)
}
