package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// shaken is a crank on a hinge with a rod on its end. The hinge moves with the frequency given, Hz, so that its rate is up to 6 rad/s.
// If that is zero, a spring shakes the crank.
func shaken(frequency float64) *model.Model {
	m := model.New("shaken")
	I := model.Inertia{XX: 0.01, YY: 0.01, ZZ: 0.01}
	m.Bodies = []model.Body{{Name: "crank", Mass: 1, Inertia: I}, {Name: "rod", Mass: 1, Inertia: I}}
	m.Bodies[1].Pose.Position[0] = 1
	hinge := model.Joint{Name: "hinge", Type: joints.Revolute, Predecessor: model.World, Successor: "crank"}
	if frequency > 0 {
		hinge.Motion = []*model.Motion{{Kind: joints.Harmonic, Amplitude: 1 / frequency, Frequency: frequency, Phase: math.Pi / 2}}
	} else {
		hinge.Stiffness, hinge.Rest = []float64{1e8}, []float64{1e-5}
	}
	pin := model.Joint{Name: "pin", Type: joints.Revolute, Predecessor: "crank", Successor: "rod"}
	pin.PredecessorFrame.Position[0], pin.SuccessorFrame.Position[0] = 0.5, -0.5
	m.Joints = []model.Joint{hinge, pin}
	return m
}

// TestShortStepsAreBlamed: error control that gives up, at a step that is too short or a pace that is too slow, names the joint whose
// motion demands the error, and where a force makes it the body that has it.
func TestShortStepsAreBlamed(t *testing.T) {
	for _, c := range []struct {
		frequency, least float64
		joint, body      string
		text             string
	}{
		{1e6, 1e-4, "hinge", "", "step too small: this row demands"},
		{1e12, 0, "hinge", "", "steps away: this row demands"},
		{0, 1e-4, "", "crank", "step too small: the estimated error is that of this body"},
	} {
		r := dynamicsOf(t, shaken(c.frequency))
		s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj, Start: sim.Close, MinStep: c.least})
		err := s.Run(1)
		t.Log(err)
		require.ErrorIs(t, err, sim.ErrStepTooSmall)
		var at *mechanism.Error
		require.ErrorAs(t, err, &at)
		require.Equal(t, c.joint, at.Joint)
		require.Equal(t, c.body, at.Body)
		require.ErrorContains(t, err, c.text)
	}
}
