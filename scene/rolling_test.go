package scene_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// Each wheel of a rolling joint is drawn where it is and as large as it is: a ball, or with its spoke and along the axle a
// cylinder or a torus. Planes of bodies and blades have marks.
func TestWheelsOfRollingJoints(t *testing.T) {
	m := modeltest.Rolling(0)
	s := scene.New(made(t, m), scene.Options{})
	mech := s.Mechanism
	for j := range mech.Joints {
		jt := &mech.Joints[j]
		var round, marks []scene.Shape
		for _, sh := range s.Shapes {
			if sh.Joint == int32(j) && sh.Body >= 0 {
				marks = append(marks, sh)
			}
			if sh.Joint < 0 && sh.Body == jt.Succ && sh.Kind != scene.Box {
				round = append(round, sh)
			}
		}
		if jt.Kind == joints.NoSlip {
			require.Len(t, marks, 1)
			continue
		}
		require.Len(t, round, 1, mech.JointName(j))
		require.Equal(t, jt.S, round[0].At)
		switch jt.Tyre {
		case 0, jt.Radius:
			require.Equal(t, jt.Radius, round[0].Size[0])
			require.Equal(t, jt.Tyre == 0, round[0].Kind == scene.Cylinder)
		default:
			isTorus(t, s.Mesh(&round[0], nil), jt.Radius, jt.Tyre)
		}
		if jt.Pred >= 0 {
			require.Len(t, marks, 1)
			require.Equal(t, jt.Pred, marks[0].Body)
			require.InDelta(t, 0, spatial.Vec3(marks[0].At.Origin).Sub(jt.P.Origin).Norm(), 1e-15)
		}
	}
}

// isTorus holds a mesh to a wheel with a round tyre: its outermost points are where the wheel ends, those of the tube are as
// far from its middle as the tyre is thick, normals point outwards as the triangles do, and the surface is closed.
func isTorus(t *testing.T, m *scene.Mesh, radius, tyre float64) {
	t.Helper()
	far, high := 0.0, 0.0
	for i, p := range m.Points {
		r := math.Hypot(p[0], p[1])
		far, high = max(far, r), max(high, math.Abs(p[2]))
		if n := m.Normals[i]; math.Hypot(n[0], n[1]) > 0 {
			require.InDelta(t, tyre, math.Hypot(r-(radius-tyre), p[2]), 1e-12)
		}
		require.InDelta(t, 1, m.Normals[i].Norm(), 1e-12)
	}
	require.InDelta(t, radius, far, 1e-12)
	require.InDelta(t, tyre, high, 1e-12)
	require.InDelta(t, radius, m.Radius, 0.01*radius)
	volume := 0.0
	for _, k := range m.Triangles {
		a, b, c := m.Points[k[0]], m.Points[k[1]], m.Points[k[2]]
		n := b.Sub(a).Cross(c.Sub(a))
		require.GreaterOrEqual(t, n.Dot(m.Normals[k[0]].Add(m.Normals[k[1]]).Add(m.Normals[k[2]])), 0.0)
		volume += a.Dot(b.Cross(c)) / 6
	}
	require.InEpsilon(t, volumeOfWheel(radius, tyre), volume, facets)
}

// facets is the part of its volume that a wheel of 36 corners, with some 22° between the rings of its tube, is without.
const facets = 0.04

// volumeOfWheel is the volume of a torus with a web of 0.4 of the tyre's thickness, or of one that closes itself: 2π∫r·2z(r) dr.
func volumeOfWheel(radius, tyre float64) float64 {
	const n = 4000
	sum := 0.0
	for i := range n {
		r := (float64(i) + 0.5) / n * radius
		z := 0.0
		if d := r - (radius - tyre); math.Abs(d) < tyre {
			z = math.Sqrt(tyre*tyre - d*d)
		}
		if inner := radius - tyre - tyre*math.Sqrt(1-0.16); inner > 0 && r < radius-tyre {
			z = max(z, 0.4*tyre)
		}
		sum += 4 * math.Pi * r * z * radius / n
	}
	return sum
}

// TestTyres: wheels of one size have one mesh, whatever touches the ground, and others their own; a tyre that closes over the
// axle has no web.
func TestTyres(t *testing.T) {
	b := rung.NewBuilder("tyres")
	x := spatial.Vec3{1}
	for i, size := range [][2]float64{{0.5, 0.1}, {0.5, 0.1}, {0.5, 0.4}, {0.6, 0.1}} {
		at := spatial.Vec3{0, 2 * float64(i), size[0]}
		body, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(1, 1, 1))
		require.NoError(t, err)
		wheel := b.Body(fmt.Sprint("wheel ", i), body, rung.At(at[0], at[1], at[2]))
		round := build.Wheel{Center: at, Axle: x, Radius: size[0], TyreRadius: size[1]}
		b.Rolling(fmt.Sprint("contact ", i), rung.World, wheel, spatial.Vec3{}, spatial.Vec3{0, 0, 1}, round)
	}
	doc, err := b.Model()
	require.NoError(t, err)
	s := scene.New(made(t, doc), scene.Options{})
	require.Empty(t, s.Faults)
	require.Len(t, s.Meshes, 3)
	var of []int32
	for _, sh := range s.Shapes {
		if sh.Kind == scene.Surface {
			of = append(of, sh.Mesh)
		}
	}
	require.Equal(t, []int32{0, 0, 1, 2}, of)
	for k, size := range [][2]float64{{0.5, 0.1}, {0.5, 0.4}, {0.6, 0.1}} {
		isTorus(t, s.Meshes[k], size[0], size[1])
	}
}
