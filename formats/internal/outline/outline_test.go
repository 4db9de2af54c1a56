package outline_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// tol is a few roundings of poses of size 1.
const tol = 1e-13

// TestNames: names are as XML can have them, and no two are the same, also where they become so, or where one looks
// like another that was changed.
func TestNames(t *testing.T) {
	d := outline.New(model.New("m"), "urdf", "")
	n := d.NewNames(func(s string) string { return strings.ReplaceAll(s, "::", "_") }, outline.Ground)
	want := [][2]string{
		{"a", "a"}, {"world", "world_2"}, {"b\x01", "b_"}, {"b\x02", "b__2"}, {"b__2", "b__2_2"}, {"c::d", "c_d"}, {"c_d", "c_d_2"}, {`"<&>'`, `"<&>'`},
		{"\ufffe", "_"}, {"é\n", "é_"},
	}
	for _, w := range want {
		assert.Equal(t, w[1], n.Add("body", w[0]), "%q", w[0])
	}
	assert.Len(t, d.Report.Entries, 8)
	for _, e := range d.Report.Entries {
		assert.Equal(t, source.Change, e.Severity)
		assert.NotContains(t, e.String(), "\n")
	}
	assert.Equal(t, "&#34;&lt;&amp;&gt;&#39;&#xA;", outline.Escaped("\"<&>'\n"))
}

// two returns a model of two bodies with a joint of a type between them, at a pose that the joint allows.
func two(kind model.JointType) *model.Model {
	r := check.Rand(uint64(kind) + 1)
	pose := func() model.Pose {
		q := spatial.Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize()
		return model.Pose{Position: [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, Orientation: q}
	}
	m := model.New("m")
	for _, name := range []string{"a", "b"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: pose()})
	}
	j := model.Joint{Name: "j", Type: kind, Predecessor: "a", Successor: "b", PredecessorFrame: pose(), SuccessorFrame: pose()}
	turn := func(axis spatial.Vec3, q float64) assembly.Pose {
		return assembly.Pose{Q: spatial.FromAxisAngle(axis, q)}
	}
	at := func(x, y, z float64) assembly.Pose { return assembly.Pose{R: spatial.Vec3{x, y, z}} }
	X, Y, Z := spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1}
	var x assembly.Pose // S in P
	switch kind {
	case model.Fixed:
	case model.Revolute:
		x = turn(Z, 0.7)
	case model.Prismatic:
		x = at(0, 0, 0.7)
	case model.Helical:
		j.Pitch = 0.3
		x = at(0, 0, 0.21).Mul(turn(Z, 0.7))
	case model.Cylindrical:
		x = at(0, 0, 0.4).Mul(turn(Z, 0.7))
	case model.Universal:
		x = turn(X, 0.7).Mul(turn(Y, 0.4))
	case model.Planar:
		x = at(0.4, -0.3, 0).Mul(turn(Z, 0.7))
	case model.Spherical:
		x = turn(X, 0.7).Mul(turn(Y, 0.4))
	case model.SphereInCylinder:
		x = at(0, 0, 0.4).Mul(turn(X, 0.7))
	case model.PointOnPlane:
		x = at(0.4, 0.2, 0).Mul(turn(X, 0.7))
	case model.Composite:
		j.Axes = []model.Axis{{Kind: joints.Prismatic, Axis: Y}, {Kind: joints.Revolute, Axis: Z, Point: spatial.Vec3{0.3, 0, 0}}, {Kind: joints.Helical, Axis: X, Point: spatial.Vec3{0, 0.1, 0.2}, Pitch: 0.1}}
		p := spatial.Vec3{0.3, 0, 0}
		h := spatial.Vec3{0, 0.1, 0.2}
		x = at(0, 0.4, 0).Mul(at(p[0], p[1], p[2])).Mul(turn(Z, 0.7)).Mul(at(-p[0], -p[1], -p[2]))
		x = x.Mul(at(h[0]-0.05, h[1], h[2])).Mul(turn(X, -0.5)).Mul(at(-h[0], -h[1], -h[2]))
	}
	b := outline.Of(m.Bodies[0].Pose).Mul(outline.Of(j.PredecessorFrame)).Mul(x).Mul(outline.Of(j.SuccessorFrame).Inverse())
	m.Bodies[1].Pose = model.Pose{Position: b.R, Orientation: b.Q}
	m.Joints = append(m.Joints, j)
	return m
}

// TestStand: from the pose of the model on, the child moves along the motions of a standing joint in a way that the
// joint allows, forwards and back, and the coordinates grow by as much.
func TestStand(t *testing.T) {
	for kind := model.Fixed; kind <= model.Composite; kind++ {
		if kind == model.Distance || kind == model.Free || kind == model.Rolling || kind == model.NoSlip || kind == model.PointOnCurve || kind == model.CurveOnCurve {
			_, ok := outline.New(two(kind), "urdf", "").Stand(0, false)
			require.False(t, ok, kind)
			continue
		}
		for _, back := range []bool{false, true} {
			m := two(kind)
			d := outline.New(m, "urdf", "")
			s, ok := d.Stand(0, back)
			require.True(t, ok, kind)
			require.Less(t, max(s.Linear, s.Angular), tol, "%v", kind)
			child := &m.Bodies[d.Bodies[s.Child]]
			x := outline.Of(child.Pose).Mul(s.At)
			moved := x
			for k, a := range s.Row {
				q := 0.1 * float64(k+1)
				turn, shift := spatial.IdentityQuat(), spatial.Vec3{}
				switch a.Kind {
				case assembly.Prismatic:
					shift = a.Axis.Scale(q)
				case assembly.Helical:
					turn, shift = spatial.FromAxisAngle(a.Axis, q), a.Axis.Scale(a.Pitch*q)
				default:
					turn = spatial.FromAxisAngle(a.Axis, q)
				}
				moved = moved.Mul(assembly.Pose{R: a.Point.Sub(turn.Rotate(a.Point)).Add(shift), Q: turn})
			}
			y := moved.Mul(s.At.Inverse())
			child.Pose = model.Pose{Position: y.R, Orientation: y.Q}
			after, ok := outline.New(m, "urdf", "").Stand(0, back)
			require.True(t, ok)
			require.Less(t, max(after.Linear, after.Angular), tol, "%v, back %v", kind, back)
			for k, a := range s.Row {
				if a.Freedom >= 0 {
					check.Close(t, after.Row[k].Zero-a.Zero, 0.1*float64(k+1), tol, 1, "%v, back %v, motion %d", kind, back, k)
				}
			}
		}
	}
}

// TestOpen: a joint that is open is so by as much, and turns count.
func TestOpen(t *testing.T) {
	m := two(model.Revolute)
	m.Bodies[1].Pose.Position[0] += 0.25
	m.Joints[0].Turns = []int64{-2}
	d := outline.New(m, "urdf", "")
	s, ok := d.Stand(0, false)
	require.True(t, ok)
	check.Close(t, s.Linear, 0.25, tol, 1, "gap")
	check.Close(t, s.Row[0].Zero, 0.7-4*math.Pi, tol, 1, "coordinate")
	d.TellOpen(0, s)
	require.Contains(t, d.Report.Entries[0].String(), "is open by 0.25 m")
}

// TestSpread: the tree takes joints of lower classes before it takes others, and hangs all from the world.
func TestSpread(t *testing.T) {
	m := model.New("ring")
	for _, name := range []string{"a", "b", "c", "lone"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	add := func(name, p, s string) {
		m.Joints = append(m.Joints, model.Joint{Name: name, Type: model.Revolute, Predecessor: p, Successor: s})
	}
	add("wa", "world", "a")
	add("ab", "a", "b")
	add("bc", "b", "c")
	add("cw", "c", "world")
	for loop := range m.Joints {
		d := outline.New(m, "urdf", "")
		tree := d.Spread(func(i int) int {
			if i == loop {
				return 1
			}
			return 0
		})
		for i := range m.Joints {
			assert.Equal(t, i != loop, tree.In[i], "loop %d, joint %d", loop, i)
			assert.NotEqual(t, model.World, tree.Standing[i].Child)
		}
		assert.Equal(t, []int{3}, tree.Roots)
		assert.Equal(t, -1, tree.Placed[3])
		place := map[int]int{4: -1}
		for k, b := range tree.Order {
			place[b] = k
			if i := tree.Placed[b]; i >= 0 {
				assert.Less(t, place[d.Number(tree.Standing[i].Parent)], k)
			}
		}
		assert.Len(t, tree.Order, 4)
	}
}
