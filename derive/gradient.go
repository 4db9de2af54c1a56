package derive

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Gradient holds the derivatives of an output by all numbers of a direction: its product with a direction is the derivative along it.
type Gradient struct {
	d        *Derivatives
	versions int
	direction
	x, y, rest []float64 // x̄ and y of (D2); x̄ with the parts of reactions (answerAdjoint)
	used       bool      // direction may have entries other than zero
	ready      bool      // it has results
}

// NewGradient allocates a gradient. Call Parameter for all parameters before.
func (d *Derivatives) NewGradient() *Gradient {
	n := len(d.x)
	return &Gradient{
		d: d, versions: d.versions, direction: d.newDirection(), x: make([]float64, n), y: make([]float64, n), rest: make([]float64, n),
	}
}

// mustHave panics without results.
func (g *Gradient) mustHave() {
	if !g.ready {
		panic("derive: no results")
	}
}

// Body returns the derivatives by the numbers of body i. It panics without results, as the other methods do.
func (g *Gradient) Body(i int) BodyDirection {
	g.mustHave()
	return g.bodies[i]
}

// Force returns the derivative by the generalized force of freedom i of joint j.
func (g *Gradient) Force(j, i int) float64 {
	g.mustHave()
	return g.forces[j][i]
}

// Time returns the derivative by time; NaN if there are forces of the caller's own, which may depend on time.
func (g *Gradient) Time() float64 {
	g.mustHave()
	if g.d.mech.NumOwn() > 0 {
		return math.NaN()
	}
	return g.time
}

// Frame returns the derivatives by a frame of joint j: in the predecessor for side 0, in the successor for side 1.
func (g *Gradient) Frame(j, side int) FrameChange {
	g.mustHave()
	return g.frames[2*j : 2*j+2][side]
}

// Of returns the derivative by p with the other numbers of the model held.
//
// It panics without results, or if the gradient was allocated before the call of Derivatives.Parameter for p.
func (g *Gradient) Of(p *Parameter) (x float64) {
	if g.versions != g.d.versions {
		panic("derive: gradient from before a parameter")
	}
	g.mustHave()
	for i := range p.parts {
		x += p.parts[i].of(&g.direction, g.d)
	}
	return x
}

// addBodies adds the derivatives of h by the motions of bodies and by their centres of mass.
func (g *Gradient) addBodies(h *Gradient) {
	for i := range g.bodies {
		a, b := &g.bodies[i], &h.bodies[i]
		for _, v := range [5][2]*spatial.Vec3{
			{&a.Rotation, &b.Rotation}, {&a.Position, &b.Position}, {&a.Angular, &b.Angular}, {&a.Linear, &b.Linear}, {&a.Com, &b.Com},
		} {
			*v[0] = v[0].Add(*v[1])
		}
	}
}

// clear sets g to zero.
func (g *Gradient) clear() {
	clear(g.x)
	if !g.used {
		return
	}
	g.used = false
	clear(g.bodies)
	clear(g.frames)
	clear(g.forces)
	clear(g.scalars)
	clear(g.bearings)
	g.gravity, g.time = spatial.Vec3{}, 0
}
