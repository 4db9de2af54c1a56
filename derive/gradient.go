package derive

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Gradient has the derivatives of an output by all numbers that a direction has: its product with a direction is the derivative along it.
type Gradient struct {
	d        *Derivatives
	versions int
	direction
	x, y, rest []float64
	used       bool // there is more in it than zeros, x, y and rest apart
	ready      bool // it has results
}

// NewGradient allocates a gradient. Parameters are asked for before (Parameter).
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

// Time returns the derivative by time; not a number where forces of one's own may depend on it.
func (g *Gradient) Time() float64 {
	g.mustHave()
	if g.d.mech.NumOwn() > 0 {
		return math.NaN()
	}
	return g.time
}

// Frame returns the derivatives by a frame of joint j: by the predecessor's for side 0, by the successor's for side 1.
func (g *Gradient) Frame(j, side int) FrameChange {
	g.mustHave()
	return g.frames[2*j : 2*j+2][side]
}

// Of returns the derivative by a parameter, the other numbers of the model held.
//
// It panics if the gradient was allocated before the parameter was asked for.
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

// addBodies adds the derivatives by the motion of bodies and their centres of mass that h has.
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

// clear makes g zero.
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
