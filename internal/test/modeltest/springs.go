package modeltest

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// AddSprings adds force elements to a model that has bodies. They are two bushings with full matrices,
// rest pose and preload, one between two bodies and one to the world; two cables, one over up to
// five bodies and one over two; a spring-damper with laws; and laws on the first scalar freedom
// without a motion. They are not stiffer than the springs of the reference models. With one body there is only one bushing and one
// cable.
func AddSprings(m *model.Model, rng *rand.Rand) {
	r := randomSprings{m, rng}
	n := len(m.Bodies)
	name := func(i int) string { return m.Bodies[i%n].Name }
	first := rng.IntN(n)
	r.bushing("spring-bushing-world", name(first), model.World)
	var over []model.Attachment
	for i := range min(n, 5) {
		over = append(over, model.Attachment{Body: name(first + i), Point: r.vec(0.4)})
	}
	over = append(over, model.Attachment{Body: model.World, Point: r.away(first + min(n, 5) - 1)})
	r.cable("spring-cable", over, 0.1)
	law := &model.SpringLaw{At: []float64{-1, 0, 0.5, 2}, Forces: []float64{-6, 0, 1, 9}}
	damper := &model.SpringLaw{Kind: springs.Function, Expression: "0.3*tanh(2*y) + 0.1*x*y"}
	m.Forces = append(m.Forces, model.ForceElement{
		Name: "spring-tabled", Type: model.SpringDamper,
		A: model.Attachment{Body: model.World, Point: r.vec(2)}, B: model.Attachment{Body: name(first), Point: r.vec(0.3)},
		RestLength: 0.7, Spring: law, Damper: damper,
	})
	if n > 1 {
		r.bushing("spring-bushing", name(first+1), name(first))
		r.cable("spring-cable-two", []model.Attachment{
			{Body: name(first), Point: r.vec(0.4)}, {Body: model.World, Point: r.away(first)}, {Body: name(first + 1), Point: r.vec(0.4)},
		}, 0)
	}
	addLaws(m, law, damper)
}

// addLaws gives a spring and a damper to the first scalar freedom that has no motion.
func addLaws(m *model.Model, spring, damper *model.SpringLaw) {
	for j := range m.Joints {
		jt := &m.Joints[j]
		for i := range jt.Type.Freedoms() {
			if jt.Type.Scalar(i) && (i >= len(jt.Motion) || jt.Motion[i] == nil) {
				jt.Springs, jt.Dampers = make([]*model.SpringLaw, jt.Type.Freedoms()), make([]*model.SpringLaw, jt.Type.Freedoms())
				jt.Springs[i], jt.Dampers[i] = spring, damper
				return
			}
		}
	}
}

// randomSprings draws bushings and cables for a model.
type randomSprings struct {
	m   *model.Model
	rng *rand.Rand
}

// vec returns a random vector with the given standard deviation of each component.
func (r randomSprings) vec(size float64) spatial.Vec3 {
	return spatial.Vec3{r.rng.NormFloat64(), r.rng.NormFloat64(), r.rng.NormFloat64()}.Scale(size)
}

// frame returns an attachment at a random point of a body, whose orientation in the world is world.
func (r randomSprings) frame(body string, world spatial.Quat) model.Attachment {
	orientation := spatial.IdentityQuat() // of the body
	for i := range r.m.Bodies {
		if q := r.m.Bodies[i].Pose.Orientation; r.m.Bodies[i].Name == body && q != [4]float64{} {
			orientation = q
		}
	}
	return model.Attachment{Body: body, Point: r.vec(0.3), Orientation: orientation.Conj().Mul(world).Normalize()}
}

// away returns a random point of the world at a distance of 3 m from body i. A close point would let a cable turn too fast.
func (r randomSprings) away(i int) spatial.Vec3 {
	v := r.vec(1)
	return spatial.Vec3(r.m.Bodies[i%len(r.m.Bodies)].Pose.Position).Add(v.Scale(3 / v.Norm()))
}

// bushing adds a random bushing between two bodies.
func (r randomSprings) bushing(name, a, b string) {
	axes := spatial.Exp(r.vec(1)) // orientation of A; the orientation of B is close to it
	r.m.Forces = append(r.m.Forces, model.ForceElement{
		Name: name, Type: model.BushingForce, A: r.frame(a, axes), B: r.frame(b, axes.Mul(spatial.Exp(r.vec(0.4)))),
		Force: r.vec(2), Torque: r.vec(1),
		Bushing: &model.Bushing{
			Stiffness: randomMatrix(r.rng, 5), Damping: randomMatrix(r.rng, 0.3),
			Rest: model.Pose{Position: r.vec(0.2), Orientation: spatial.Exp(r.vec(0.3))},
		},
	})
}

// cable adds a cable over the points with the rest length rest.
func (r randomSprings) cable(name string, points []model.Attachment, rest float64) {
	r.m.Forces = append(r.m.Forces, model.ForceElement{
		Name: name, Type: model.CableForce, Stiffness: 20, Damping: 0.2, RestLength: rest, Cable: &model.Cable{Points: points, Tension: 1},
	})
}

// randomMatrix returns a random symmetric positive definite matrix with elements of the order of size.
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
