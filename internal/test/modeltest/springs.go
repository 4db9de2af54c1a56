package modeltest

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// AddSprings adds springs to a model with bodies. They are two bushings with full matrices,
// rest and preload, one between random bodies and one to the world; two cables, one over up to
// five bodies and one over two; a spring-damper with laws; and laws on the first scalar freedom
// of a joint. They are not stiffer than the springs of the reference models.
func AddSprings(m *model.Model, rng *rand.Rand) {
	vec := func(size float64) spatial.Vec3 {
		return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(size)
	}
	pose := func(body string) spatial.Quat { // of a body
		for i := range m.Bodies {
			if q := m.Bodies[i].Pose.Orientation; m.Bodies[i].Name == body && q != [4]float64{} {
				return q
			}
		}
		return spatial.IdentityQuat()
	}
	n := len(m.Bodies)
	name := func(i int) string { return m.Bodies[i%n].Name }
	first := rng.IntN(n)
	frame := func(body string, world spatial.Quat) model.Attachment {
		return model.Attachment{Body: body, Point: vec(0.3), Orientation: pose(body).Conj().Mul(world).Normalize()}
	}
	bushing := func(label string, a, b string) {
		axes := spatial.Exp(vec(1)) // of A; those of B are not far from them
		m.Forces = append(m.Forces, model.ForceElement{
			Name: label, Type: model.BushingForce, A: frame(a, axes), B: frame(b, axes.Mul(spatial.Exp(vec(0.4)))), Force: vec(2), Torque: vec(1),
			Bushing: &model.Bushing{
				Stiffness: randomMatrix(rng, 5), Damping: randomMatrix(rng, 0.3),
				Rest: model.Pose{Position: vec(0.2), Orientation: spatial.Exp(vec(0.3))},
			},
		})
	}
	bushing("spring-bushing-world", name(first), model.World)
	var over []model.Attachment
	for i := range min(n, 5) {
		over = append(over, model.Attachment{Body: name(first + i), Point: vec(0.4)})
	}
	away := func(i int) spatial.Vec3 { // a point of the world 3 m from a body: near points would turn the cable too fast
		v := vec(1)
		return spatial.Vec3(m.Bodies[i%n].Pose.Position).Add(v.Scale(3 / v.Norm()))
	}
	over = append(over, model.Attachment{Body: model.World, Point: away(first + min(n, 5) - 1)})
	cable := func(label string, points []model.Attachment, rest float64) {
		m.Forces = append(m.Forces, model.ForceElement{
			Name: label, Type: model.CableForce, Stiffness: 20, Damping: 0.2, RestLength: rest, Cable: &model.Cable{Points: points, Tension: 1},
		})
	}
	cable("spring-cable", over, 0.1)
	law := &model.SpringLaw{At: []float64{-1, 0, 0.5, 2}, Forces: []float64{-6, 0, 1, 9}}
	damper := &model.SpringLaw{Kind: springs.Function, Expression: "0.3*tanh(2*y) + 0.1*x*y"}
	m.Forces = append(m.Forces, model.ForceElement{
		Name: "spring-tabled", Type: model.SpringDamper, A: model.Attachment{Body: model.World, Point: vec(2)}, B: model.Attachment{Body: name(first), Point: vec(0.3)},
		RestLength: 0.7, Spring: law, Damper: damper,
	})
	if n > 1 {
		bushing("spring-bushing", name(first+1), name(first))
		cable("spring-cable-two", []model.Attachment{{Body: name(first), Point: vec(0.4)}, {Body: model.World, Point: away(first)}, {Body: name(first + 1), Point: vec(0.4)}}, 0)
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		for i := range jt.Type.Freedoms() {
			if jt.Type.Scalar(i) && (i >= len(jt.Motion) || jt.Motion[i] == nil) {
				jt.Springs, jt.Dampers = make([]*model.SpringLaw, jt.Type.Freedoms()), make([]*model.SpringLaw, jt.Type.Freedoms())
				jt.Springs[i], jt.Dampers[i] = law, damper
				return
			}
		}
	}
}

// randomMatrix returns a symmetric positive definite matrix of a size.
func randomMatrix(rng *rand.Rand, size float64) (m [6][6]float64) {
	var g [6][6]float64
	for i := range g {
		for j := range g {
			g[i][j] = rng.NormFloat64()
		}
	}
	for i := range g {
		for j := range g {
			for k := range g {
				m[i][j] += size / 6 * g[i][k] * g[j][k]
			}
		}
	}
	return m
}
