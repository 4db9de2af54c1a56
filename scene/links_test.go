package scene_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// hanging is a body on a turned hinge with stops at −1 and 0.5, and force elements of all looks.
func hanging(t *testing.T) *mechanism.Mechanism {
	m := model.New("hanging")
	m.Bodies = []model.Body{{Name: "arm", Mass: 1, Com: [3]float64{0.5}, Inertia: model.Inertia{XX: 0.01, YY: 0.02, ZZ: 0.02}, Pose: model.Pose{Orientation: [4]float64{1}}}}
	turned := model.Pose{Orientation: [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0, 0}}
	l := model.Limit{Lower: -1, Upper: 0.5}
	l.Stop.Stiffness = 100
	m.Joints = []model.Joint{{Name: "hinge", Type: model.Revolute, Predecessor: "world", Successor: "arm", PredecessorFrame: turned, SuccessorFrame: turned, Limits: []*model.Limit{&l}}}
	for i, f := range []model.ForceElement{{Name: "line"}, {Name: "coil", Stiffness: 1}, {Name: "dashpot", Damping: 1}, {Name: "strut", Stiffness: 1, Damping: 1}} {
		f.Type, f.A, f.B = model.SpringDamper, model.Attachment{Body: "world", Point: [3]float64{float64(i), 0, -2}}, model.Attachment{Body: "arm", Point: [3]float64{1, 0, 0}}
		m.Forces = append(m.Forces, f)
	}
	m.Canonicalize()
	return made(t, m)
}

// Stiffness makes a coil, damping a dashpot, both a strut. What they are made of begins and ends where the bodies hold
// it, at every state, and lies within the radius about the line between.
func TestLooks(t *testing.T) {
	m := hanging(t)
	s := scene.New(m, scene.Options{})
	require.Len(t, s.Links, 4)
	for turn, st := range []*mechanism.State{m.Initial(), m.Initial()} {
		if turn > 0 { // another length
			st.Bodies[0].Rotation = spatial.Exp(spatial.Vec3{0, 0.7, 0})
		}
		for i := range s.Links {
			l := &s.Links[i]
			require.Equal(t, scene.Look(i), l.Look)
			require.Equal(t, m.ForceName(i), l.Look.String())
			from, to := l.Ends(st)
			d := to.Sub(from)
			length := d.Norm()
			axis, low, high := d.Scale(1/length), math.Inf(1), math.Inf(-1)
			for _, sh := range l.AppendShapes(nil, st) {
				for _, side := range [2]float64{-1, 1} {
					end := sh.At.Origin.Add(sh.At.E.Col(2).Scale(side * sh.Size[2])).Sub(from)
					along := axis.Dot(end)
					low, high = min(low, along), max(high, along)
					assert.LessOrEqual(t, end.Sub(axis.Scale(along)).Norm(), l.Radius*(1+rounding), l.Look)
				}
			}
			check.Close(t, low, 0, rounding, length, "%v: beginning", l.Look)
			check.Close(t, high, length, rounding, length, "%v: end", l.Look)
		}
	}
}

// The wire of the mesh of a coil has the volume π·w²·l of a wire of that length, seen from outside, and the meshes of
// all looks reach from end to end.
func TestLinkMesh(t *testing.T) {
	const half = 4.0 // of the length; the radius is 1
	for look := range scene.Look(scene.NumLooks) {
		m, second := scene.LinkMesh(look, 24)
		volume, low, high := [2]float64{}, math.Inf(1), math.Inf(-1)
		at := func(i int32) spatial.Vec3 {
			p := m.Points[i]
			p[2] += half * m.Shifts[i]
			low, high = min(low, m.Shifts[i]), max(high, m.Shifts[i])
			return p
		}
		for k, tri := range m.Triangles {
			v := at(tri[0]).Dot(at(tri[1]).Cross(at(tri[2]))) / 6
			if k < second {
				volume[0] += v
			} else {
				volume[1] += v
			}
		}
		assert.Equal(t, [2]float64{-1, 1}, [2]float64{low, high}, look.String())
		damper := math.Pi * half * (0.5*0.5*0.9 + 0.2*0.2*(0.4+0.7))
		wire := math.Pi * 0.16 * 0.16 * (2*math.Pi*(8-0.5) + 2*0.18*half)
		want := map[scene.Look][2]float64{scene.Line: {math.Pi * 2 * half, 0}, scene.Coil: {wire, 0}, scene.Dashpot: {0, damper}, scene.Strut: {wire, damper}}[look]
		const polygons = 0.2 // eight sides around the wire, six around rods, and the slope of the coil
		for k := range want {
			check.Close(t, volume[k], want[k], polygons, want[k], "%v: volume %d", look, k)
		}
	}
}

// Marks of a hinge's stops point, in the predecessor, where the successor's x axis is at the limits; the needle is
// fixed in the successor along that axis.
func TestStops(t *testing.T) {
	m := hanging(t)
	jt := &m.Joints[0]
	s := scene.New(m, scene.Options{})
	var ends []spatial.Vec3
	needles, longest := 0, 0.0
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if sh.Joint != 0 || sh.Kind != scene.Box || sh.Size[0] < 3*sh.Size[1] {
			continue
		}
		x := jt.P.E.TMulVec(sh.At.E.Col(0)) // in the axes of the joint
		if sh.Body == mechanism.World {
			ends = append(ends, x)
			longest = max(longest, sh.At.Origin.Norm())
			continue
		}
		needles++
		check.CloseVec(t, x[:], []float64{1, 0, 0}, rounding, 1, "needle")
	}
	require.Len(t, ends, 4, "two ends, before and behind")
	require.Equal(t, 2, needles)
	for k, q := range []float64{-1, 0.5, -1, 0.5} {
		sine, cosine := math.Sincos(q)
		check.CloseVec(t, ends[k][:], []float64{cosine, sine, 0}, rounding, 1, "end at %g rad", q)
	}
	assert.Less(t, longest, s.Unit, "marks are no longer than bodies")
	for _, sh := range scene.New(m, scene.Options{NoJoints: true}).Shapes {
		assert.Equal(t, int32(-1), sh.Joint)
	}
}
