package mjcf_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// at returns a frame turned about an axis.
func at(x, y, z, angle float64, axis spatial.Vec3) model.Pose {
	return model.Pose{Position: [3]float64{x, y, z}, Orientation: spatial.FromAxisAngle(axis, angle)}
}

func pos(x, y, z float64) model.Pose { return model.Pose{Position: [3]float64{x, y, z}} }

// TestMechanisms compares joints in a row, a loop and equalities with the same mechanisms written by hand.
func TestMechanisms(t *testing.T) {
	r, report := read(t, "mechanisms.xml", source.Options{})
	require.Zero(t, report.Counts.Dropped)
	require.Less(t, max(r.Linear, r.Angular), 1e-12)

	x, y := spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 1, 0}
	const quarter, degree = math.Pi / 2, math.Pi / 180
	diag := func(a, b, c float64) model.Inertia { return model.Inertia{XX: a, YY: b, ZZ: c} }
	low := (-0.1 - 0.4*0.3) / 1.4 // the ball's centre of mass with its weight
	hang := 1*(low+0.1)*(low+0.1) + 0.4*(low+0.3)*(low+0.3)
	want := model.New("mechanisms")
	want.Gravity = [3]float64{0, 0, -9.8}
	want.Bodies = []model.Body{
		{Name: "crank", Mass: 1, Com: [3]float64{0, 0.2, 0}, Inertia: diag(0.02, 0.001, 0.02), Pose: at(0, 0, 1, quarter, y)},
		{Name: "rod", Mass: 0.6, Com: [3]float64{0, 0.3, 0}, Inertia: model.Inertia{XX: 0.03, YY: 0.001, ZZ: 0.03, YZ: 0.0002}, Pose: at(0, 0.4, 1, quarter, y)},
		{Name: "slider", Mass: 0.5, Inertia: diag(0.001, 0.001, 0.001), Pose: pos(0, 1, 1)},
		{Name: "screw", Mass: 2, Com: [3]float64{0.01, 0, 0}, Inertia: diag(0.03, 0.02, 0.04), Pose: at(2, 0, 0, -quarter, x)},
		{Name: "cardan", Mass: 1, Com: [3]float64{0.1, 0, 0}, Inertia: diag(0.02, 0.02, 0.02), Pose: pos(3, 0, 0)},
		{Name: "puck", Mass: 1, Com: [3]float64{0, 0, 0.1}, Inertia: diag(0.02, 0.02, 0.02), Pose: pos(4, 0, 0)},
		{Name: "ball", Mass: 1.4, Com: [3]float64{0, 0, low}, Inertia: diag(0.021+hang, 0.011+hang, 0.016), Pose: pos(5, 0, 0)},
		{Name: "kite", Mass: 0.3, Inertia: diag(0.002, 0.003, 0.004), Pose: pos(6, 0, 1)},
	}
	want.Joints = []model.Joint{
		{
			Name: "crank", Type: model.Revolute, Predecessor: "world", Successor: "crank",
			PredecessorFrame: at(0, 0, 1, math.Pi, y), SuccessorFrame: at(0, 0, 0, quarter, y),
			Stiffness: []float64{4}, Rest: []float64{20 * degree}, Damping: []float64{0.2}, Armature: []float64{0.02},
		},
		{
			Name: "rod", Type: model.Revolute, Predecessor: "crank", Successor: "rod",
			PredecessorFrame: at(0, 0.4, 0, quarter, y), SuccessorFrame: at(0, 0, 0, quarter, y), Damping: []float64{0.2},
		},
		{
			Name: "slider", Type: model.Prismatic, Predecessor: "world", Successor: "slider",
			PredecessorFrame: at(0, 1, 1, -quarter, x), SuccessorFrame: at(0, 0, 0, -quarter, x), Damping: []float64{0.5},
		},
		{Name: "wrist", Type: model.Spherical, Predecessor: "rod", Successor: "slider", PredecessorFrame: pos(0, 0.6, 0)},
		{Name: "screw", Type: model.Cylindrical, Predecessor: "world", Successor: "screw", PredecessorFrame: at(2, 0, 0, -quarter, x), Damping: []float64{0.01, 0}},
		{
			Name: "cardan", Type: model.Universal, Predecessor: "world", Successor: "cardan",
			PredecessorFrame: at(3, 0, 0.5, quarter, x), SuccessorFrame: at(0, 0, 0.5, quarter, x), Stiffness: []float64{0, 3},
		},
		{
			Name: "puck", Type: model.Planar, Predecessor: "world", Successor: "puck",
			PredecessorFrame: at(4.1, 0, 0, -quarter, x), SuccessorFrame: at(0.1, 0, 0, -quarter, x), Stiffness: []float64{0, 5, 0},
		},
		{Name: "ball", Type: model.Spherical, Predecessor: "world", Successor: "ball", PredecessorFrame: pos(5, 0, 0.2), SuccessorFrame: pos(0, 0, 0.2)},
	}
	want.Couplings = []model.Coupling{
		{
			Name: "cam", Terms: []model.CouplingTerm{{Coupled: model.Coupled{Joint: "screw", Freedom: 1}, Factor: -1}},
			Polynomial: &model.CouplingPolynomial{Of: model.Coupled{Joint: "screw"}, Coefficients: []float64{0, 0.1, 0.02}},
		},
		{Name: "line", Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: "puck", Freedom: 1}, Factor: 2}, {Coupled: model.Coupled{Joint: "puck"}, Factor: 0.5},
		}},
	}
	want.Forces = []model.ForceElement{{
		Name: "up", Type: model.Wrench, A: model.Attachment{Body: "ball", Point: [3]float64{0, 0, -0.3}}, Force: [3]float64{0, 0, 0.5 * 0.4 * 9.8},
	}}
	formatstest.Same(t, r.Model, want)
	for _, j := range r.Model.Joints {
		if j.Name == "crank" {
			check.CloseVec(t, []float64{j.Limits[0].Lower, j.Limits[0].Upper}, []float64{-100 * degree, 160 * degree}, 1e-15, 1, "limits")
		}
	}
}

// TestKey compares a keyframe with the motion that it says.
func TestKey(t *testing.T) {
	r, _ := read(t, "mechanisms.xml", source.Options{Key: "go", Pose: map[string]float64{"cardan1": 4}})
	kite := body(t, r.Model, "kite")
	require.Equal(t, [3]float64{6, 0, 1.5}, kite.Pose.Position)
	require.Equal(t, model.Velocity{Linear: [3]float64{0.1, 0.2, 0.3}, Angular: [3]float64{1, 2, 3}}, kite.Velocity)

	ball := body(t, r.Model, "ball")
	s, c := math.Sincos(math.Pi / 4)
	omega := spatial.Vec3{0.4, 0.5*c - 0.6*s, 0.5*s + 0.6*c}
	from := spatial.Vec3{0, 0.2 * s, -0.2 * c} // of the origin from the ball's centre
	check.CloseVec(t, ball.Velocity.Angular[:], omega[:], 1e-15, 1, "angular velocity")
	v := omega.Cross(from)
	check.CloseVec(t, ball.Velocity.Linear[:], v[:], 1e-14, 1, "velocity")
	check.CloseVec(t, ball.Pose.Position[:], []float64{5, from[1], 0.2 + from[2]}, 1e-15, 5, "position")

	puck := body(t, r.Model, "puck")
	check.CloseVec(t, puck.Pose.Position[:], []float64{4.2, 0, 0}, 1e-15, 5, "position of the puck")
	// An angle of 4 is 4 − 2π and a turn.
	for _, j := range r.Model.Joints {
		if j.Type == model.Universal {
			require.Equal(t, []int64{1, 0}, j.Turns)
		}
	}
}
