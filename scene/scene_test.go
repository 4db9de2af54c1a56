package scene_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// The shapes are rotations and lengths: rounding of some products.
const rounding = 1e-12

// Of every mechanism the shapes are solids: right-handed axes, sizes above zero, bodies that are there.
func TestShapes(t *testing.T) {
	var list []*mechanism.Mechanism
	for _, name := range check.GoldenModels(t) {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		list = append(list, made(t, m))
	}
	for _, family := range bench.Families() {
		m, err := bench.Generate(family, 4, 1)
		require.NoError(t, err, family)
		list = append(list, made(t, m))
	}
	for _, m := range list {
		s := scene.New(m, scene.Options{})
		shown := make([]bool, m.NumBodies())
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			require.InDelta(t, 1, sh.At.E.Det(), rounding, m.Name)
			require.Greater(t, sh.Size[0], 0.0, m.Name)
			if sh.Body != mechanism.World {
				shown[sh.Body] = true
			}
		}
		for i := range shown {
			assert.True(t, shown[i], "%s: body %s is not drawn", m.Name, m.BodyName(i))
		}
		center, radius := s.Bounds(m.Initial())
		s.Balls(m.Initial(), func(p spatial.Vec3, r float64) {
			require.LessOrEqual(t, p.Sub(center).Norm()+r, radius*(1+rounding), m.Name)
		})
		for i, sh := range scene.New(m, scene.Options{NoJoints: true}).Shapes {
			curved := sh.Joint >= 0 && m.Joints[sh.Joint].Curve != nil && sh.Kind == scene.Cylinder // part of a wire
			require.True(t, curved || sh.Joint == -1, "%s: shape %d", m.Name, i)
		}
	}
}

func made(t *testing.T, m *model.Model) *mechanism.Mechanism {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// A body between two joints is a rod between them.
func TestRod(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	mech := made(t, m)
	rods := 0
	for _, sh := range scene.New(mech, scene.Options{}).Shapes {
		if sh.Kind != scene.Capsule {
			continue
		}
		rods++
		z := sh.At.E.Col(2)
		ends := [2]spatial.Vec3{sh.At.Origin.Add(z.Scale(sh.Size[2])), sh.At.Origin.Sub(z.Scale(sh.Size[2]))}
		for _, end := range ends {
			least := math.Inf(1)
			for j := range mech.Joints {
				jt := &mech.Joints[j]
				if jt.Pred == sh.Body {
					least = min(least, jt.P.Origin.Sub(end).Norm())
				}
				if jt.Succ == sh.Body {
					least = min(least, jt.S.Origin.Sub(end).Norm())
				}
			}
			assert.Less(t, least, rounding, "end of the rod of %s", mech.BodyName(int(sh.Body)))
		}
	}
	assert.Equal(t, 3, rods)
}

// The block of a body without joints has its mass and inertia: m/3·(b² + c²) about x with half edges a, b, c.
func TestBlock(t *testing.T) {
	r := check.Rand(1)
	for range 50 {
		half := spatial.Vec3{0.1 + r.Float64(), 0.1 + r.Float64(), 0.1 + r.Float64()}
		const mass = 3
		moment := func(a, b float64) float64 { return mass / 3.0 * (a*a + b*b) }
		E := spatial.Exp(spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}).Mat()
		I := spatial.Diag3(moment(half[1], half[2]), moment(half[0], half[2]), moment(half[0], half[1])).Rotate(E)
		m := model.New("block")
		m.Bodies = []model.Body{{Name: "b", Mass: mass, Inertia: model.Inertia{XX: I[0], YY: I[1], ZZ: I[2], XY: I[3], XZ: I[4], YZ: I[5]}}}
		m.Canonicalize()
		s := scene.New(made(t, m), scene.Options{})
		require.Len(t, s.Shapes, 1)
		sh := &s.Shapes[0]
		again := spatial.Diag3(moment(sh.Size[1], sh.Size[2]), moment(sh.Size[0], sh.Size[2]), moment(sh.Size[0], sh.Size[1])).Rotate(sh.At.E)
		check.CloseVec(t, again[:], I[:], 1e-10, I.Trace(), "inertia of the block")
	}
}

// A mesh is closed, and seen from outside anticlockwise: by the divergence theorem its volume is that of the solid,
// less what its corners cut off.
func TestMesh(t *testing.T) {
	size := spatial.Vec3{0.5, 0.5, 2}
	ball := 4.0 / 3 * math.Pi * 0.125
	for kind, volume := range map[scene.Kind]float64{scene.Box: 8 * 0.5 * 0.5 * 2, scene.Sphere: ball, scene.Cylinder: math.Pi * 0.25 * 4, scene.Capsule: ball + math.Pi*0.25*4} {
		m := scene.NewMesh(kind, 96)
		sh := &scene.Shape{Kind: kind, Size: size}
		sum := 0.0
		for _, tri := range m.Triangles {
			var p [3]spatial.Vec3
			for k := range p {
				m.PointTo(&p[k], sh, int(tri[k]))
			}
			sum += p[0].Dot(p[1].Cross(p[2])) / 6
			n := p[1].Sub(p[0]).Cross(p[2].Sub(p[0]))
			assert.GreaterOrEqual(t, n.Dot(m.Normals[tri[0]]), 0.0, "%v: a normal points inwards", kind)
		}
		check.Close(t, sum, volume, 2e-3, volume, "volume of a %v", kind)
	}
}

// A body with two equal moments and a larger one is a disc of its inertia: m/2·r² about its axis, m/12·(3r² + h²) across.
func TestDisc(t *testing.T) {
	const mass, r, thick = 2.0, 0.7, 0.1
	across, along := mass/12*(3*r*r+thick*thick), mass/2*r*r
	E := spatial.Exp(spatial.Vec3{0.3, -0.8, 0.5}).Mat()
	I := spatial.Diag3(across, across, along).Rotate(E)
	m := model.New("disc")
	m.Bodies = []model.Body{{Name: "b", Mass: mass, Inertia: model.Inertia{XX: I[0], YY: I[1], ZZ: I[2], XY: I[3], XZ: I[4], YZ: I[5]}}}
	m.Canonicalize()
	s := scene.New(made(t, m), scene.Options{})
	require.Len(t, s.Shapes, 2, "the disc and its spoke")
	sh := &s.Shapes[0]
	require.Equal(t, scene.Cylinder, sh.Kind)
	check.CloseVec(t, sh.Size[:], []float64{r, r, thick / 2}, 1e-10, r, "radius and half the thickness")
	assert.InDelta(t, 1, math.Abs(sh.At.E.Col(2).Dot(E.Col(2))), 1e-10, "axis")
}
