package urdf_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
)

// read reads one of this project's own robots.
func read(t *testing.T, name string, o source.Options) (*source.Result, *source.Report) {
	t.Helper()
	r, report, err := urdf.Read(formatstest.Own(t), source.Name{Path: name}, &o)
	require.NoError(t, err)
	return r, report
}

func pos(x, y, z float64) model.Pose { return model.Pose{Position: [3]float64{x, y, z}} }

// turned is pos with a rotation about an axis.
func turned(x, y, z, angle float64, axis [3]float64) model.Pose {
	s, c := math.Sincos(angle / 2)
	return model.Pose{Position: [3]float64{x, y, z}, Orientation: [4]float64{c, s * axis[0], s * axis[1], s * axis[2]}}
}

// TestDialects compares a robot of many dialects with the same mechanism written by hand.
func TestDialects(t *testing.T) {
	r, report := read(t, "dialects.urdf", source.Options{})
	require.Zero(t, report.Counts.Dropped)
	require.Less(t, max(r.Linear, r.Angular), 1e-12)

	x, z := [3]float64{1, 0, 0}, [3]float64{0, 0, 1}
	// The foot is part of the leg: masses 1 at (0, 0, 1/2) and 1/4 at 1 m with an offset of 0.02 turned by 1/2.
	s, c := math.Sincos(0.5)
	foot := [3]float64{-0.02 * s, 0.02 * c, 1}
	com := [3]float64{foot[0] * 0.2, foot[1] * 0.2, 0.5*0.8 + 0.2}
	leg2 := model.Body{Name: "leg2", Mass: 1.25, Com: com, Pose: pos(-0.5, 0.3, 0), Inertia: model.Inertia{XX: 0.08, YY: 0.08, ZZ: 0.002}}
	add := func(I *model.Inertia, m float64, d [3]float64) {
		I.XX += m * (d[1]*d[1] + d[2]*d[2])
		I.YY += m * (d[0]*d[0] + d[2]*d[2])
		I.ZZ += m * (d[0]*d[0] + d[1]*d[1])
		I.XY -= m * d[0] * d[1]
		I.XZ -= m * d[0] * d[2]
		I.YZ -= m * d[1] * d[2]
	}
	add(&leg2.Inertia, 1, [3]float64{-com[0], -com[1], 0.5 - com[2]})
	add(&leg2.Inertia, 0.25, [3]float64{foot[0] - com[0], foot[1] - com[1], 1 - com[2]})
	leg2.Inertia.XX += 0.001*c*c + 0.002*s*s
	leg2.Inertia.YY += 0.001*s*s + 0.002*c*c
	leg2.Inertia.ZZ += 0.0025
	leg2.Inertia.XY += (0.001 - 0.002) * s * c
	// The platform's inertia is given in axes turned by 0.3 about z.
	s, c = math.Sincos(0.3)
	a, b, d, e, f := 0.2, 0.25, 0.01, 0.0, -0.02 // xx, yy, xy, xz, yz there
	plate := model.Inertia{
		XX: a*c*c + b*s*s - 2*d*s*c, YY: a*s*s + b*c*c + 2*d*s*c, ZZ: 0.4,
		XY: (a-b)*s*c + d*(c*c-s*s), XZ: e*c - f*s, YZ: e*s + f*c,
	}
	rod := model.Inertia{XX: 0.08, YY: 0.08, ZZ: 0.002}
	up := turned(0, 0, 0, math.Pi/2, z)
	want := model.New("dialects")
	want.Bodies = []model.Body{
		{Name: "platform", Mass: 4, Com: [3]float64{0, 0, 0.05}, Inertia: plate, Pose: pos(0.5, 0, 1)},
		{Name: "leg1", Mass: 1, Com: [3]float64{0, 0, 0.5}, Inertia: rod, Pose: pos(0.5, 0, 0)},
		leg2,
		{Name: "leg3", Mass: 1, Com: [3]float64{0, 0, 0.25}, Inertia: model.Inertia{XX: 0.03, YY: 0.03, ZZ: 0.002}, Pose: model.Pose{Position: [3]float64{-0.5, -0.3, 0}, Orientation: up.Orientation}},
		{Name: "rod3", Mass: 0.5, Com: [3]float64{0, 0, 0.3}, Inertia: model.Inertia{XX: 0.02, YY: 0.02, ZZ: 0.001}, Pose: model.Pose{Position: [3]float64{-0.5, -0.3, 0.5}, Orientation: up.Orientation}},
	}
	down := turned(0, 0, 0, math.Pi, x)
	// The legs hang at the world: frames of predecessors are in it.
	want.Joints = []model.Joint{
		{Name: "u", Type: model.Universal, Predecessor: "world", Successor: "leg1", PredecessorFrame: pos(0.5, 0, 0), Damping: []float64{0, 0.3}},
		{Name: "s", Type: model.Spherical, Predecessor: "leg1", Successor: "platform", PredecessorFrame: pos(0, 0, 1)},
		{Name: "b2", Type: model.Spherical, Predecessor: "world", Successor: "leg2", PredecessorFrame: pos(-0.5, 0.3, 0)},
		{Name: "l2", Type: model.Spherical, Predecessor: "leg2", Successor: "platform", PredecessorFrame: pos(0, 0, 1), SuccessorFrame: pos(-1, 0.3, 0)},
		// The axis y of the leg, which is −x of the world, along z of the joint.
		{
			Name: "b3", Type: model.Revolute, Predecessor: "world", Successor: "leg3",
			PredecessorFrame: turned(-0.5, -0.3, 0, -math.Pi/2, [3]float64{0, 1, 0}), SuccessorFrame: turned(0, 0, 0, -math.Pi/2, x),
			Limits: []*model.Limit{{Lower: -1, Upper: 1, Force: 20, Rate: 3}},
		},
		{
			Name: "p3", Type: model.Prismatic, Predecessor: "leg3", Successor: "rod3",
			PredecessorFrame: turned(0, 0, 0.5, math.Pi, x), SuccessorFrame: down, Stiffness: []float64{200}, Rest: []float64{0.1},
		},
		{Name: "l3", Type: model.Spherical, Predecessor: "rod3", Successor: "platform", PredecessorFrame: pos(0, 0, 0.5), SuccessorFrame: pos(-1, -0.3, 0)},
	}
	want.Forces = []model.ForceElement{
		{Name: "k", Type: model.SpringDamper, A: model.Attachment{Body: "world", Point: [3]float64{0.1, 0, 0}}, B: model.Attachment{Body: "platform", Point: [3]float64{0, 0.2, 0}}, Stiffness: 50, Damping: 2, RestLength: 0.8},
		{Name: "g", Type: model.Wrench, A: model.Attachment{Body: "rod3", Point: [3]float64{0, 0, 0.3}}, Force: [3]float64{0, 0, 0.5 * 9.81}},
	}
	formatstest.Same(t, r.Model, want)
	require.Equal(t, 20.0, r.Model.Joints[index(r.Model, "b3")].Limits[0].Force)
}

func index(m *model.Model, joint string) int {
	for k := range m.Joints {
		if m.Joints[k].Name == joint {
			return k
		}
	}
	return -1
}

// TestGripper compares a gripper with mimicked fingers, a rotor, a
// rack and a parallel bar with the same one written by hand.
func TestGripper(t *testing.T) {
	r, _ := read(t, "gripper.urdf", source.Options{})
	x, y := [3]float64{1, 0, 0}, [3]float64{0, 1, 0}
	diag := func(a, b, c float64) model.Inertia { return model.Inertia{XX: a, YY: b, ZZ: c} }
	along := func(px, py, pz float64) model.Pose { return turned(px, py, pz, math.Pi/2, y) }   // z of the frame along x
	across := func(px, py, pz float64) model.Pose { return turned(px, py, pz, -math.Pi/2, x) } // z along y
	want := model.New("gripper")
	want.Bodies = []model.Body{
		{Name: "palm", Mass: 0.8, Com: [3]float64{0, 0, 0.03}, Inertia: diag(0.002, 0.001, 0.0015), Pose: pos(0, 0, 1)},
		{Name: "motor", Mass: 0.1, Inertia: diag(0.0001, 0.0001, 0.00015), Pose: pos(0, 0, 1.02)},
		{Name: "left", Mass: 0.2, Com: [3]float64{0, 0, 0.04}, Inertia: diag(0.0003, 0.0003, 0.00005), Pose: pos(0, 0.03, 1.06)},
		{Name: "right", Mass: 0.2, Com: [3]float64{0, 0, 0.04}, Inertia: diag(0.0003, 0.0003, 0.00005), Pose: pos(0, -0.03, 1.06)},
		{Name: "rack", Mass: 0.15, Inertia: diag(0.0001, 0.0001, 0.0001), Pose: pos(0.05, 0, 1.02)},
		{Name: "tip", Mass: 0.05, Com: [3]float64{0, -0.01, 0.01}, Inertia: diag(0.00002, 0.00002, 0.00002), Pose: pos(0, 0.03, 1.14)},
		{Name: "bar", Mass: 0.04, Com: [3]float64{0, 0, 0.04}, Inertia: diag(0.00003, 0.00003, 0.000004), Pose: pos(0, 0.05, 1.06)},
	}
	want.Joints = []model.Joint{
		{Name: "wrist", Type: model.Revolute, Predecessor: "world", Successor: "palm", PredecessorFrame: across(0, 0, 1), SuccessorFrame: across(0, 0, 0)},
		{Name: "drive", Type: model.Revolute, Predecessor: "palm", Successor: "motor", PredecessorFrame: pos(0, 0, 0.02), Armature: []float64{0.002}},
		{Name: "l", Type: model.Revolute, Predecessor: "palm", Successor: "left", PredecessorFrame: along(0, 0.03, 0.06), SuccessorFrame: along(0, 0, 0)},
		{Name: "r", Type: model.Revolute, Predecessor: "palm", Successor: "right", PredecessorFrame: along(0, -0.03, 0.06), SuccessorFrame: along(0, 0, 0)},
		{Name: "slide", Type: model.Prismatic, Predecessor: "palm", Successor: "rack", PredecessorFrame: across(0.05, 0, 0.02), SuccessorFrame: across(0, 0, 0)},
		{Name: "knuckle", Type: model.Revolute, Predecessor: "left", Successor: "tip", PredecessorFrame: along(0, 0, 0.08), SuccessorFrame: along(0, 0, 0)},
		{Name: "pivot", Type: model.Revolute, Predecessor: "palm", Successor: "bar", PredecessorFrame: along(0, 0.05, 0.06), SuccessorFrame: along(0, 0, 0)},
		{Name: "closing", Type: model.Revolute, Predecessor: "bar", Successor: "tip", PredecessorFrame: along(0, 0, 0.08), SuccessorFrame: along(0, 0.02, 0)},
	}
	term := func(joint string, factor float64) model.CouplingTerm {
		return model.CouplingTerm{Coupled: model.Coupled{Joint: joint}, Factor: factor}
	}
	want.Couplings = []model.Coupling{
		{Name: "l", Terms: []model.CouplingTerm{term("l", 1), term("drive", -0.5)}},
		{Name: "r", Terms: []model.CouplingTerm{term("r", 1), term("drive", 0.5)}},
		{Name: "rack", Terms: []model.CouplingTerm{term("slide", 1), term("drive", -0.02)}},
	}
	formatstest.Same(t, r.Model, want)
	require.Equal(t, 3, len(r.Model.Couplings))
	require.Zero(t, r.Linear)
}
