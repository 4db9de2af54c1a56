package build_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
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
	b := build.New("by hand").Gravity(0, -9.81, 0)
	base := b.Body("base", d, build.At(1, 2, 3))
	rod := b.Rod("rod", 3, 0.25, at, at.Add(spatial.Vec3{4}))
	b.Move(rod, spatial.Vec3{1}, spatial.Vec3{0, 0, 2})
	b.Revolute("hinge", build.World, base, at, z).Force = []float64{0.5}
	b.Prismatic("slide", base, rod, spatial.Vec3{2, 2, 3}, z)
	b.Spherical("ball", rod, build.World, spatial.Vec3{5, 2, 3})
	b.Distance("link", base, rod, spatial.Vec3{1, 3, 3}, spatial.Vec3{1, 3, 5})
	b.Joint("thread", model.Helical, base, rod, build.At(1, 2, 3)).Pitch = 0.25
	b.SpringDamper("spring", build.World, rod, spatial.Vec3{1, 0, 3}, spatial.Vec3{1, 3, 3}, build.Spring{Stiffness: 10, Damping: 2, RestLength: 0.5})
	b.Wrench("push", base, spatial.Vec3{1, 2, 4}, spatial.Vec3{1, 2, 3}, spatial.Vec3{4, 5, 6})
	m, err := b.Model()
	require.NoError(t, err)
	want, err := model.Read(strings.NewReader(byHand), "by hand")
	require.NoError(t, err)
	require.Equal(t, document(t, want), document(t, m))
}

func closeTo(t *testing.T, got, want spatial.Vec3, tol, scale float64, msg string, args ...any) {
	t.Helper()
	check.CloseVec(t, got[:], want[:], tol, scale, msg, args...)
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
	b := build.New("placed")
	d, err := bodies.SolidSphere(1, 0.2)
	require.NoError(t, err)
	h := []build.Body{build.World}
	for i := range 4 {
		h = append(h, b.Body(string(rune('a'+i)), d, build.Place{Origin: random(), Orientation: spatial.Exp(random())}))
	}
	var places []build.Place
	for i := range h {
		p := build.Place{Origin: random(), Orientation: spatial.Exp(random())}
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
			q, x := modeltest.Placed(m, f.body, f.pose)
			closeTo(t, x, p.Origin, 10*directionTol, 10, "origin of %s", j.Name)
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
		q := build.At(1, 2, 3).WithZ(a).Orientation
		check.Close(t, q.Norm(), 1, 4*directionTol, 1, "length for %v", a)
		big := check.MaxAbs(a[:])
		unit := spatial.Vec3{a[0] / big, a[1] / big, a[2] / big}
		unit = unit.Scale(1 / unit.Norm())
		closeTo(t, q.Rotate(spatial.Vec3{0, 0, 1}), unit, 4*directionTol, 1, "z for %v", a)
		if a[2] >= 0 { // the shortest way: the axis of the turn is across z
			require.InDelta(t, 0, q[3], directionTol, "turn about z for %v", a)
		}
	}
	for _, a := range []spatial.Vec3{{}, {math.NaN()}, {0, math.Inf(1)}, {math.Inf(-1), math.Inf(1)}} {
		refused(t, build.At(0, 0, 0).WithZ(a), fmt.Sprintf("axis %v is zero or not finite", a))
	}
}

// TestRodDirections: the frame's x axis runs from one end to the other.
func TestRodDirections(t *testing.T) {
	from := spatial.Vec3{1, 2, 3}
	for _, d := range []spatial.Vec3{{1}, {-1}, {0, 2}, {0, -2}, {0, 0, 3}, {0, 0, -3}, {-1, 1e-9}, {-1, 0, 1e-4}, {1, -2, 2}} {
		b := build.New("rod")
		b.Rod("rod", 1, 0.01, from, from.Add(d))
		m, err := b.Model()
		require.NoError(t, err)
		q, x := modeltest.Placed(m, "rod", &model.Pose{Position: [3]float64{2 * m.Bodies[0].Com[0]}})
		closeTo(t, x, from.Add(d), 10*directionTol, 4, "end of %v", d)
		closeTo(t, q.Rotate(spatial.Vec3{1}), d.Scale(1/d.Norm()), 10*directionTol, 1, "axis of %v", d)
	}
}

// TestBuilderErrors collects everything that is wrong.
func TestBuilderErrors(t *testing.T) {
	b := build.New("wrong")
	d, err := bodies.SolidSphere(1, 0.2)
	require.NoError(t, err)
	ball := b.Body("ball", d, build.At(0, 0, 0))
	b.Rod("thick", 1, 9, spatial.Vec3{}, spatial.Vec3{1})
	b.Rod("short", 1, 0.1, spatial.Vec3{1}, spatial.Vec3{1})
	var forgotten build.Body
	other := build.New("other")
	theirs := other.Body("theirs", d, build.At(0, 0, 0))
	b.Move(theirs, spatial.Vec3{}, spatial.Vec3{})
	b.Move(build.World, spatial.Vec3{}, spatial.Vec3{})
	require.NotNil(t, b.Revolute("hinge", ball, theirs, spatial.Vec3{}, spatial.Vec3{1}), "a joint to go on with")
	require.NotNil(t, b.Distance("link", forgotten, ball, spatial.Vec3{}, spatial.Vec3{1}))
	b.SpringDamper("spring", ball, theirs, spatial.Vec3{}, spatial.Vec3{1}, build.Spring{Stiffness: 1, Damping: 1, RestLength: 1})
	b.Wrench("push", forgotten, spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{})
	b.Spherical("self", ball, ball, spatial.Vec3{})
	require.NotNil(t, b.Revolute("no axis", build.World, ball, spatial.Vec3{}, spatial.Vec3{}))
	require.NotNil(t, b.Prismatic("no number", build.World, ball, spatial.Vec3{}, spatial.Vec3{1, math.NaN()}))
	m, err := b.Model()
	require.Nil(t, m)
	require.ErrorIs(t, err, bodies.ErrTriangle)
	require.ErrorIs(t, err, bodies.ErrDimensions)
	var p *model.Problems
	require.ErrorAs(t, err, &p)
	for _, text := range []string{
		`build: body "thick": `, `build: body "short": `,
		`build: Move: body "theirs" is of another builder ("other")`, `build: joint "hinge": body "theirs" is of another builder`,
		`build: joint "link": the handle of the body is the zero value`, `build: force "spring": body "theirs" is of another builder`,
		`build: force "push": the handle of the body is the zero value`, `$.joints[2].successor`,
		`build: Move: the world does not move`,
		`build: joint "no axis": axis [0 0 0] is zero or not finite`, `build: joint "no number": axis [1 NaN 0] `,
	} {
		require.ErrorContains(t, err, text)
	}
	require.Len(t, p.List, 1, "what a call has told is not told again: %v", p)
}

// TestBuilderGoesOn: a model taken from a Builder does not change with it.
func TestBuilderGoesOn(t *testing.T) {
	b := build.New("growing")
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1})
	b.Revolute("hinge", build.World, rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1}).Force = []float64{1}
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

// refused requires the builder to refuse a place, for a body and for a joint, with the reason.
func refused(t *testing.T, place build.Place, reason string) {
	t.Helper()
	d, err := bodies.SolidSphere(1, 0.2)
	require.NoError(t, err)
	b := build.New("refused")
	ball := b.Body("ball", d, place)
	b.Joint("pin", model.Spherical, build.World, ball, place)
	_, err = b.Model()
	require.ErrorContains(t, err, `build: body "ball": `+reason)
	require.ErrorContains(t, err, `build: joint "pin": `+reason)
}

// TestTwoAxes: the first axis is exact, the second turns about it.
func TestTwoAxes(t *testing.T) {
	rng := check.Rand(5)
	for range 100 {
		a := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		c := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		unit := a.Scale(1 / a.Norm())
		across := c.Sub(unit.Scale(c.Dot(unit)))
		across = across.Scale(1 / across.Norm())
		E := build.At(1, 2, 3).WithZX(a, c).Orientation.Mat()
		closeTo(t, E.Col(2), unit, 8*directionTol, 1, "z")
		closeTo(t, E.Col(0), across, 100*directionTol, 1, "x")
		E = build.At(1, 2, 3).WithXY(a, c).Orientation.Mat()
		closeTo(t, E.Col(0), unit, 8*directionTol, 1, "x")
		closeTo(t, E.Col(1), across, 100*directionTol, 1, "y")
		E = build.At(1, 2, 3).WithX(a).Orientation.Mat()
		closeTo(t, E.Col(0), unit, 8*directionTol, 1, "x alone")
	}
	refused(t, build.At(0, 0, 0).WithZX(spatial.Vec3{1, 2, 3}, spatial.Vec3{-2, -4, -6}), "axes [")
	refused(t, build.At(0, 0, 0).WithZX(spatial.Vec3{}, spatial.Vec3{1}), "axis [0 0 0] is zero or not finite")
	refused(t, build.At(0, 0, 0).WithXY(spatial.Vec3{1}, spatial.Vec3{}), "axis [0 0 0] is zero or not finite")
	refused(t, build.At(0, 0, 0).WithX(spatial.Vec3{0, math.NaN()}), "axis [0 NaN 0] is zero or not finite")
}

// TestEveryJointType: each constructor makes its type, with both frames where they were put,
// so that the joint holds; handles are the numbers of the mechanism.
func TestEveryJointType(t *testing.T) {
	d, err := bodies.Box(1, spatial.Vec3{1, 2, 3})
	require.NoError(t, err)
	at, axis, other := spatial.Vec3{0.5, -1, 2}, spatial.Vec3{1, 2, 2}, spatial.Vec3{2, 1, -2}
	type maker func(b *build.Builder, name string, p, s build.Body) *build.Joint
	for kind, make := range map[joints.Kind]maker{
		joints.Fixed:     func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Fixed(n, p, s, at) },
		joints.Revolute:  func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Revolute(n, p, s, at, axis) },
		joints.Prismatic: func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Prismatic(n, p, s, at, axis) },
		joints.Helical: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.Helical(n, p, s, at, axis, 0.01)
		},
		joints.Cylindrical: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.Cylindrical(n, p, s, at, axis)
		},
		joints.Universal: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.Universal(n, p, s, at, axis, other)
		},
		joints.Planar:    func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Planar(n, p, s, at, axis) },
		joints.Spherical: func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Spherical(n, p, s, at) },
		joints.SphereInCylinder: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.SphereInCylinder(n, p, s, at, axis)
		},
		joints.PointOnPlane: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.PointOnPlane(n, p, s, at, axis)
		},
		joints.Distance: func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Distance(n, p, s, at, other) },
		joints.Composite: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.CompositeJoint(n, p, s, joints.Axis{Kind: joints.Revolute, Axis: axis, Point: at}, joints.Axis{Kind: joints.Prismatic, Axis: other})
		},
		joints.Rolling: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.Rolling(n, p, s, at, axis, build.Wheel{Center: at.Add(axis.Scale(0.1)), Axle: other, Radius: 0.3, TyreRadius: 0.3})
		},
		joints.PointOnCurve: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			return b.PointOnCurve(n, p, s, build.Place{Origin: other}.WithX(at.Sub(other)), at, &curves.Curve{Ends: [2]spatial.Vec3{{-1}, {9}}})
		},
		joints.CurveOnCurve: func(b *build.Builder, n string, p, s build.Body) *build.Joint {
			beside := at.Add(spatial.Vec3{0, 0.2, -0.2}.Scale(1.5 / math.Hypot(0.2, 0.2)))
			return b.CurveOnCurve(n, p, s, build.Place{Origin: at}.WithZ(spatial.Vec3{1}), build.Place{Origin: beside}.WithZ(spatial.Vec3{1}),
				&curves.Curve{Kind: curves.Circle, Radius: 1}, &curves.Curve{Kind: curves.Circle, Radius: 0.5})
		},
		joints.NoSlip: func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.NoSlip(n, p, s, at, axis) },
		joints.Free:   func(b *build.Builder, n string, p, s build.Body) *build.Joint { return b.Free(n, p, s, at) },
	} {
		t.Run(kind.String(), func(t *testing.T) {
			b := build.New("one")
			first := b.Body("first", d, build.At(1, 2, 3).WithZ(other))
			second := b.Body("second", d, build.At(-1, 0, 4).WithX(axis))
			b.Fixed("ground", build.World, first, spatial.Vec3{})
			j := make(b, "joint", first, second)
			require.Equal(t, 1, j.Index())
			m, err := b.Model()
			require.NoError(t, err)
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			require.Equal(t, kind, mech.Joints[j.Index()].Kind.Type())
			require.Equal(t, "joint", mech.JointName(j.Index()))
			require.Equal(t, "second", mech.BodyName(second.Index()))
			require.Equal(t, mechanism.World, build.World.Index())
			st, k := mech.Initial(), mech.NewKinematics()
			require.NoError(t, mech.KinematicsTo(k, st))
			position, _ := mech.Residuals(j.Index(), k, st)
			require.LessOrEqual(t, position, 1e-14)
		})
	}
	b := build.New("skew")
	body := b.Body("body", d, build.At(0, 0, 0))
	b.Universal("cross", build.World, body, at, axis, spatial.Vec3{2, 1, -1})
	b.Universal("flat", build.World, body, at, axis, axis)
	_, err = b.Model()
	require.ErrorContains(t, err, `build: joint "cross": axes [1 2 2] and [2 1 -1] are not at right angles (cosine 0.272)`)
	require.ErrorContains(t, err, `build: joint "flat": axes `)
}

// TestJointPointersStayValid: a joint that is kept takes forces after many others have been
// added.
func TestJointPointersStayValid(t *testing.T) {
	b := build.New("chain")
	last, kept := build.World, []*build.Joint{}
	for i := range 100 {
		x := float64(i)
		link := b.Rod(fmt.Sprint("link", i), 1, 0.01, spatial.Vec3{x}, spatial.Vec3{x + 1})
		kept = append(kept, b.Revolute(fmt.Sprint("joint", i), last, link, spatial.Vec3{x}, spatial.Vec3{0, 0, 1}))
		last = link
	}
	for i, j := range kept {
		j.Force = []float64{float64(i + 1)}
	}
	m, err := b.Model()
	require.NoError(t, err)
	kept[0].Force[0] = 99 // the model is a copy
	for i := range m.Joints {
		require.Equal(t, []float64{float64(i + 1)}, m.Joints[i].Force)
	}
	m, err = b.Model()
	require.NoError(t, err)
	require.Equal(t, []float64{99}, m.Joints[0].Force)
}

// TestBuilderErrorsByField: what is wrong can be found by program.
func TestBuilderErrorsByField(t *testing.T) {
	b := build.New("wrong")
	d, err := bodies.SolidSphere(1, 0.2)
	require.NoError(t, err)
	ball := b.Body("ball", d, build.At(0, 0, 0))
	b.Revolute("good", build.World, ball, spatial.Vec3{}, spatial.Vec3{1})
	b.Revolute("bad", build.World, ball, spatial.Vec3{}, spatial.Vec3{})
	_, err = b.Model()
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, "bad", at.Joint)
	require.Equal(t, 1, at.JointIndex)
	require.Equal(t, -1, at.BodyIndex)

	b = build.New("wrong")
	b.Composite("frame", build.At(0, 0, 0), bodies.Part{Body: d}, bodies.Part{})
	b.Extrude("plate", build.At(0, 0, 0), 7850, 0.01, [][2]float64{{0, 0}, {1, 1}, {1, 0}, {0, 1}})
	_, err = b.Model()
	require.ErrorContains(t, err, `build: body "frame": part 1: mass 0: mass is not positive and finite`)
	require.ErrorContains(t, err, `build: body "plate": outline: not a simple polygon: its edge 0 meets edge 2 (outline)`)
}

func ExampleBuilder_Extrude() {
	// A rocker cut from sheet, with a bore, welded to nothing and hung on a pin.
	b := build.New("rocker")
	sheet := [][2]float64{{-0.05, -0.02}, {0.25, -0.02}, {0.25, 0.02}, {-0.05, 0.02}}
	bore := [][2]float64{{0.2, -0.01}, {0.22, -0.01}, {0.22, 0.01}, {0.2, 0.01}}
	rocker := b.Extrude("rocker", build.At(0, 0, 0).WithZX(spatial.Vec3{0, 1, 0}, spatial.Vec3{1, 0, 0}), 7850, 0.008, sheet, bore)
	pin := b.Revolute("pin", build.World, rocker, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	pin.Force = []float64{0.5}
	m, err := b.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4g kg, joint %d is %q\n", m.Bodies[rocker.Index()].Mass, pin.Index(), m.Joints[pin.Index()].Name)
	// Output: 0.7285 kg, joint 0 is "pin"
}
