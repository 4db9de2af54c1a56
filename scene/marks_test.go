package scene_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// crossed is two bars of lengths a and b with a joint in the middle of both, and one at each end to the world. Of the
// first bar the joint in the middle comes first, of the second the one at its end.
func crossed(kind joints.Kind, a, b float64) *model.Model {
	m := model.New("crossed")
	for _, name := range []string{"a", "b"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	at := func(x float64) model.Pose { return model.Pose{Position: spatial.Vec3{x}} }
	m.Joints = []model.Joint{
		{Name: "end", Type: model.Revolute, Predecessor: model.World, Successor: "b", PredecessorFrame: at(-b / 2), SuccessorFrame: at(-b / 2)},
		{Name: "middle", Type: kind, Predecessor: "a", Successor: "b", PredecessorFrame: at(0), SuccessorFrame: at(0)},
		{Name: "p", Type: model.Revolute, Predecessor: model.World, Successor: "a", PredecessorFrame: at(-a / 2), SuccessorFrame: at(-a / 2)},
		{Name: "q", Type: model.Revolute, Predecessor: model.World, Successor: "a", PredecessorFrame: at(a / 2), SuccessorFrame: at(a / 2)},
		{Name: "r", Type: model.Revolute, Predecessor: model.World, Successor: "b", PredecessorFrame: at(b / 2), SuccessorFrame: at(b / 2)},
	}
	m.Canonicalize()
	return m
}

// rods returns the radii of the rods of a scene, by body.
func rods(s *scene.Scene) map[int32]float64 {
	out := map[int32]float64{}
	for _, sh := range s.Shapes {
		if sh.Kind == scene.Capsule && sh.Joint < 0 {
			out[sh.Body] = sh.Size[0]
		}
	}
	return out
}

// A pin is thinner than both rods that it holds, and longer than the thicker is thick, so that it is seen. A collar and a ball
// are as thick as the thicker rod, and a tenth.
func TestMarksAreNoThicker(t *testing.T) {
	const tenth = 1.1 + 1e-12
	for _, kind := range []joints.Kind{joints.Revolute, joints.Prismatic, joints.Cylindrical, joints.Helical, joints.Universal, joints.Spherical, joints.SphereInCylinder, joints.Fixed} {
		m := crossed(kind, 2, 1.2)
		if kind == joints.Helical {
			m.Joints[1].Pitch = 0.1
		}
		s := scene.New(made(t, m), scene.Options{})
		r := rods(s)
		require.Len(t, r, 2)
		thin, thick := min(r[0], r[1]), max(r[0], r[1])
		require.Less(t, thin, 0.8*thick)
		marks := 0
		for _, sh := range s.Shapes {
			if sh.Joint != 1 {
				continue
			}
			marks++
			across := sh.Size[0]
			assert.LessOrEqual(t, across, tenth*thick, "%v", kind)
			if kind == joints.Revolute || kind == joints.Universal {
				assert.Less(t, across, thin, "%v: a pin", kind)
				assert.Greater(t, sh.Size[2], 1.2*thick, "%v: a pin is seen", kind)
			}
		}
		assert.NotZero(t, marks, "%v", kind)
	}
}

// A block at a joint does not count: the mark is that of the rod. Bars of one length are of one thickness, whatever joint comes
// first in each.
func TestBarsOfOneLength(t *testing.T) {
	s := scene.New(made(t, crossed(joints.Revolute, 2, 2)), scene.Options{})
	r := rods(s)
	assert.InDelta(t, r[0], r[1], 1e-12)
	assert.InDelta(t, 0.045*2, r[0], 1e-12)

	m := crossed(joints.Revolute, 2, 2)
	m.Bodies = append(m.Bodies, model.Body{Name: "block", Mass: 1, Inertia: model.Inertia{XX: 4, YY: 4, ZZ: 4}})
	m.Joints = append(m.Joints, model.Joint{Name: "on", Type: model.Revolute, Predecessor: "a", Successor: "block"})
	m.Canonicalize()
	s = scene.New(made(t, m), scene.Options{})
	for _, sh := range s.Shapes {
		if sh.Joint == 5 && sh.Body != mechanism.World {
			assert.Less(t, sh.Size[0], rods(s)[0])
			assert.False(t, math.IsInf(sh.Size[0], 0))
		}
	}
}
