package rung_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// directionTol is the rounding of a rotation made from a direction.
const directionTol = 1e-15

// byHand is a model that uses everything the Builder offers, as a file.
const byHand = `{
  "format": "rung-model/1",
  "name": "by hand",
  "gravity": [0, -9.81, 0],
  "bodies": [
    {"name": "base", "mass": 2, "com": [0, 0.5, 0], "inertia": {"xx": 0.5, "yy": 0.25, "zz": 0.5, "xy": 0.125},
     "pose": {"position": [1, 2, 3]}},
    {"name": "rod", "mass": 3, "com": [2, 0, 0], "inertia": {"xx": 0.09375, "yy": 4, "zz": 4},
     "pose": {"position": [1, 2, 3]}, "velocity": {"linear": [1, 0, 0], "angular": [0, 0, 2]}}
  ],
  "joints": [
    {"name": "hinge", "type": "revolute", "predecessor": "world", "successor": "base",
     "predecessor_frame": {"position": [1, 2, 3]}, "force": [0.5]},
    {"name": "slide", "type": "prismatic", "predecessor": "base", "successor": "rod",
     "predecessor_frame": {"position": [1, 0, 0]}, "successor_frame": {"position": [1, 0, 0]}},
    {"name": "ball", "type": "spherical", "predecessor": "rod", "successor": "world",
     "predecessor_frame": {"position": [4, 0, 0]}, "successor_frame": {"position": [5, 2, 3]}},
    {"name": "link", "type": "distance", "predecessor": "base", "successor": "rod",
     "predecessor_frame": {"position": [0, 1, 0]}, "successor_frame": {"position": [0, 1, 2]}, "length": 2},
    {"name": "thread", "type": "helical", "predecessor": "base", "successor": "rod", "pitch": 0.25}
  ],
  "forces": [
    {"name": "spring", "type": "spring_damper", "a": {"body": "world", "point": [1, 0, 3]}, "b": {"body": "rod", "point": [0, 1, 0]},
     "stiffness": 10, "damping": 2, "rest_length": 0.5},
    {"name": "push", "type": "wrench", "body": "base", "point": [0, 0, 1], "force": [1, 2, 3], "torque": [4, 5, 6]}
  ]
}`

// TestBuilderMakesTheFile builds the model byHand and compares the documents.
func TestBuilderMakesTheFile(t *testing.T) {
	d, err := bodies.New(2, spatial.Vec3{0, 0.5, 0}, spatial.Sym3{0.5, 0.25, 0.5, 0.125})
	require.NoError(t, err)
	z, at := spatial.Vec3{0, 0, 1}, spatial.Vec3{1, 2, 3}
	b := rung.NewBuilder("by hand").Gravity(0, -9.81, 0)
	base := b.Body("base", d, rung.At(1, 2, 3))
	rod := b.Rod("rod", 3, 0.25, at, at.Add(spatial.Vec3{4}))
	b.Move(rod, spatial.Vec3{1}, spatial.Vec3{0, 0, 2})
	b.Revolute("hinge", rung.World, base, at, z).Force = []float64{0.5}
	b.Prismatic("slide", base, rod, spatial.Vec3{2, 2, 3}, z)
	b.Spherical("ball", rod, rung.World, spatial.Vec3{5, 2, 3})
	b.Distance("link", base, rod, spatial.Vec3{1, 3, 3}, spatial.Vec3{1, 3, 5})
	b.Joint("thread", model.Helical, base, rod, rung.At(1, 2, 3)).Pitch = 0.25
	b.SpringDamper("spring", rung.World, rod, spatial.Vec3{1, 0, 3}, spatial.Vec3{1, 3, 3}, 10, 2, 0.5)
	b.Wrench("push", base, spatial.Vec3{1, 2, 4}, spatial.Vec3{1, 2, 3}, spatial.Vec3{4, 5, 6})
	m, err := b.Model()
	require.NoError(t, err)
	want, err := model.Read(strings.NewReader(byHand), "by hand")
	require.NoError(t, err)
	require.Equal(t, document(t, want), document(t, m))
}

func document(t *testing.T, m *model.Model) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, model.Write(&b, m))
	return b.String()
}

// TestBuilderPlacesFrames checks frames in turned bodies: seen from the world,
// P and S of every joint are where they were put.
func TestBuilderPlacesFrames(t *testing.T) {
	rng := check.Rand(3)
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	b := rung.NewBuilder("placed")
	d, err := bodies.SolidSphere(1, 0.2)
	require.NoError(t, err)
	h := []rung.Body{rung.World}
	for i := range 4 {
		h = append(h, b.Body(string(rune('a'+i)), d, rung.Place{Origin: random(), Orientation: spatial.Exp(random())}))
	}
	var places []rung.Place
	for i := range h {
		p := rung.Place{Origin: random(), Orientation: spatial.Exp(random())}
		b.Joint(string(rune('p'+i)), model.Cylindrical, h[i], h[(i+1)%len(h)], p)
		places = append(places, p)
	}
	m, err := b.Model()
	require.NoError(t, err)
	for i, p := range places {
		j := &m.Joints[i]
		for _, f := range []struct {
			body string
			pose *model.Pose
		}{{j.Predecessor, &j.PredecessorFrame}, {j.Successor, &j.SuccessorFrame}} {
			q, x := check.Placed(m, f.body, f.pose)
			closeVec3(t, x, p.Origin, 10*directionTol, 10, "origin of %s", j.Name)
			got, want := q.Mat(), p.Orientation.Mat()
			check.CloseVec(t, got[:], want[:], 10*directionTol, 1, "axes of %s", j.Name)
		}
	}
}

// TestWithZ turns z to all directions, the opposite and its neighbours too.
func TestWithZ(t *testing.T) {
	rng := check.Rand(4)
	axes := []spatial.Vec3{
		{1}, {-1}, {0, 1}, {0, -1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -1e-300}, {0, 0, 1e300}, {3e-200, 4e-200}, {1e-320}, {0, -1e-320, 1e-320}, {1e308, 1e308, 1e308},
		{1e-9, 0, -1}, {0, -1e-9, -1}, {1e-16, 1e-17, -1}, {1e-3, 1e-3, -1}, {1.5e-3, 0, -1}, {1e-8, 0, 1},
	}
	for range 200 {
		axes = append(axes, spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
	}
	for _, a := range axes {
		q := rung.At(1, 2, 3).WithZ(a).Orientation
		check.Close(t, q.Norm(), 1, 4*directionTol, 1, "length for %v", a)
		big := check.MaxAbs(a[:])
		unit := spatial.Vec3{a[0] / big, a[1] / big, a[2] / big}
		unit = unit.Scale(1 / unit.Norm())
		closeVec3(t, q.Rotate(spatial.Vec3{0, 0, 1}), unit, 4*directionTol, 1, "z for %v", a)
		if a[2] >= 0 { // the shortest way: the axis of the turn is across z
			require.InDelta(t, 0, q[3], directionTol, "turn about z for %v", a)
		}
	}
	for _, a := range []spatial.Vec3{{}, {math.NaN()}, {0, math.Inf(1)}, {math.Inf(-1), math.Inf(1)}} {
		require.PanicsWithValue(t, "rung: direction is zero or not finite", func() { rung.At(0, 0, 0).WithZ(a) })
	}
}

// TestRodDirections: the frame's x axis runs from one end to the other.
func TestRodDirections(t *testing.T) {
	from := spatial.Vec3{1, 2, 3}
	for _, d := range []spatial.Vec3{{1}, {-1}, {0, 2}, {0, -2}, {0, 0, 3}, {0, 0, -3}, {-1, 1e-9}, {-1, 0, 1e-4}, {1, -2, 2}} {
		b := rung.NewBuilder("rod")
		b.Rod("rod", 1, 0.01, from, from.Add(d))
		m, err := b.Model()
		require.NoError(t, err)
		q, x := check.Placed(m, "rod", &model.Pose{Position: [3]float64{2 * m.Bodies[0].Com[0]}})
		closeVec3(t, x, from.Add(d), 10*directionTol, 4, "end of %v", d)
		closeVec3(t, q.Rotate(spatial.Vec3{1}), d.Scale(1/d.Norm()), 10*directionTol, 1, "axis of %v", d)
	}
}

// TestBuilderErrors collects everything that is wrong.
func TestBuilderErrors(t *testing.T) {
	b := rung.NewBuilder("wrong")
	d, err := bodies.SolidSphere(1, 0.2)
	require.NoError(t, err)
	ball := b.Body("ball", d, rung.At(0, 0, 0))
	b.Rod("thick", 1, 9, spatial.Vec3{}, spatial.Vec3{1})
	b.Rod("short", 1, 0.1, spatial.Vec3{1}, spatial.Vec3{1})
	b.Move(7, spatial.Vec3{}, spatial.Vec3{})
	b.Move(rung.World, spatial.Vec3{}, spatial.Vec3{})
	require.NotNil(t, b.Revolute("hinge", ball, 9, spatial.Vec3{}, spatial.Vec3{1}), "a joint to go on with")
	require.NotNil(t, b.Distance("link", -5, ball, spatial.Vec3{}, spatial.Vec3{1}))
	b.SpringDamper("spring", ball, 11, spatial.Vec3{}, spatial.Vec3{1}, 1, 1, 1)
	b.Wrench("push", -2, spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{})
	b.Spherical("self", ball, ball, spatial.Vec3{})
	require.NotNil(t, b.Revolute("no axis", rung.World, ball, spatial.Vec3{}, spatial.Vec3{}))
	require.NotNil(t, b.Prismatic("no number", rung.World, ball, spatial.Vec3{}, spatial.Vec3{1, math.NaN()}))
	m, err := b.Model()
	require.Nil(t, m)
	require.ErrorIs(t, err, bodies.ErrTriangle)
	require.ErrorIs(t, err, bodies.ErrDimensions)
	var p *model.Problems
	require.ErrorAs(t, err, &p)
	for _, text := range []string{
		`rung: rod "thick": `, `rung: rod "short": `,
		`rung: "Move": no body with handle 7`, `rung: "hinge": no body with handle 9`,
		`rung: "link": no body with handle -5`, `rung: "spring": no body with handle 11`,
		`rung: "push": no body with handle -2`, `$.joints[2].successor`,
		`rung: "Move": the world does not move`,
		`rung: joint "no axis": axis [0 0 0] is zero or not finite`, `rung: joint "no number": axis [1 NaN 0] `,
	} {
		require.ErrorContains(t, err, text)
	}
}

// TestBuilderGoesOn: a model taken from a Builder does not change with it.
func TestBuilderGoesOn(t *testing.T) {
	b := rung.NewBuilder("growing")
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1}).Force = []float64{1}
	m, err := b.Model()
	require.NoError(t, err)
	want := document(t, m)
	next := b.Rod("next", 1, 0.01, spatial.Vec3{1}, spatial.Vec3{2})
	b.Revolute("elbow", rod, next, spatial.Vec3{1}, spatial.Vec3{0, 0, 1})
	b.Move(rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	b.Gravity(0, 0, 0)
	require.Equal(t, want, document(t, m))
	m, err = b.Model()
	require.NoError(t, err)
	require.Len(t, m.Joints, 2)
	require.Equal(t, [3]float64{0, 0, 1}, m.Bodies[0].Velocity.Angular)
}
