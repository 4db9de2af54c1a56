package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// screwAndSlider has a slider with a damper and a screw that is out by its thread. States of it are stepped one by one, as it has a
// helical joint.
func screwAndSlider(t *testing.T) *kkt.Plan {
	m := model.New("screw and slider")
	unit := model.Inertia{XX: 1, YY: 1, ZZ: 1}
	m.Bodies = append(m.Bodies, model.Body{Name: "slide", Mass: 1, Inertia: unit},
		model.Body{Name: "nut", Mass: 1, Inertia: unit, Pose: model.Pose{Position: [3]float64{0, 0, 0.01}, Orientation: [4]float64{0.8, 0, 0, 0.6}}})
	pitch := 0.01 / 1.2870022175866587 // displacement over the angle 2·asin(0.6)
	m.Joints = append(m.Joints,
		model.Joint{Name: "guide", Type: model.Prismatic, Predecessor: model.World, Successor: "slide", Damping: []float64{0.5}},
		model.Joint{Name: "thread", Type: model.Helical, Predecessor: model.World, Successor: "nut", Pitch: pitch})
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// TestNoStiffnessLeftOver: the stiffness of a slider in one state is not that of the next, which has none.
func TestNoStiffnessLeftOver(t *testing.T) {
	p := screwAndSlider(t)
	slide := mechanism.Freedom{}
	b, err := batch.New(p, batch.Options{Vary: batch.Vary{Drives: []mechanism.Freedom{slide}}})
	require.NoError(t, err)
	require.NotEmpty(t, b.SteppedOneByOne())
	s, out := b.NewStates(2), b.NewOutcome(2)
	require.NoError(t, s.SetDrive(0, slide, 1000, 0.5, 0.25))

	in := p.Mechanism().NewInputs()
	for i, want := range []float64{1000, 0} {
		require.NoError(t, s.InputsTo(in, i))
		require.Equal(t, want, in.Mechanism().Drive(0).Stiffness[0])
	}

	require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 10}, out))
	end := p.Initial()
	var q [2]float64
	for i := range q {
		require.NoError(t, out.Error(i))
		s.To(end, i)
		q[i], _ = p.Mechanism().Coordinate(slide, end)
	}
	alone, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	one := alone.NewStates(1)
	require.NoError(t, alone.Rollout(one, &batch.Rollout{Step: 1e-3, Steps: 10}, alone.NewOutcome(1)))
	one.To(end, 0)
	without, _ := p.Mechanism().Coordinate(slide, end)
	require.NotEqual(t, without, q[0])
	require.Equal(t, without, q[1])
}

// TestPitchViolates: a state that has held its joints is looked at again once its pitch is another.
func TestPitchViolates(t *testing.T) {
	p := screwAndSlider(t)
	b, err := batch.New(p, batch.Options{Vary: batch.Vary{Joints: []int{1}}})
	require.NoError(t, err)
	s, out := b.NewStates(1), b.NewOutcome(1)
	how := &batch.Rollout{Step: 1e-3, Steps: 1}
	require.NoError(t, b.Rollout(s, how, out))
	require.NoError(t, out.Error(0))
	require.NoError(t, s.SetPitch(0, 1, 0.02))
	require.NoError(t, b.Rollout(s, how, out))
	violated := new(mechanism.ViolationError)
	require.ErrorAs(t, out.Error(0), &violated)
	require.Zero(t, out.Steps(0))
	require.ErrorAs(t, b.Holds(s, 0), &violated)
}
