package live

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// hand is the force of the users on a mechanism: springs with dampers by which pages pull bodies, one each, and air
// that slows all bodies down,
//
//	f = −rate·m·ċ,   n = −rate·I·ω.
type hand struct {
	mech  *mechanism.Mechanism
	air   float64 // rate, 1/s
	pulls [mostPages]pull
	mass  float64 // of all bodies

	all    []int          // bodies
	pulled [mostPages]int // bodies that are pulled, each once, in the first places
}

// pull is a spring with a damper from a point of a body to a place in
// the world, which moves to its next one within a frame.
type pull struct {
	on                 bool
	of                 *page
	body               int
	point              spatial.Vec3 // body frame
	from, to           spatial.Vec3 // world, m
	begun, until       float64      // time of the mechanism at from, and at to, s
	stiffness, damping float64
}

// The spring of a hand is as stiff as steps of RATTLE bear: handStiffness and handDamping are k·h²·w and c·h·w, with w the inverse of the
// mass that the body alone has at the point, which joints only make smaller. But it is never stiffer than a spring on which all bodies
// together would swing with handRate, rad/s.
const (
	handStiffness = 0.05
	handDamping   = 0.05
	handRate      = 10.
	// thinnest is the part of the largest moment of inertia that the others count as at least.
	thinnest = 0.02
)

// hold makes p pull at a point of body i, in its frame, as steps of h seconds bear.
func (f *hand) hold(p *pull, i int, point spatial.Vec3, h float64) {
	b := &f.mech.Bodies[i]
	w := inverseMass(b.Mass, b.Inertia, point.Sub(b.Com))
	p.on, p.body, p.point = true, i, point
	p.stiffness = min(handStiffness/(h*h*w), f.mass*handRate*handRate)
	p.damping = min(handDamping/(h*w), 2*math.Sqrt(p.stiffness*f.mass))
}

// inverseMass bounds the velocity that a unit impulse at an arm from the centre of mass gives the point there, 1/kg. Body axes.
func inverseMass(mass float64, I spatial.Sym3, arm spatial.Vec3) float64 {
	most := max(I[0], I[1], I[2])
	for k := range 3 {
		I[k] += thinnest * most
	}
	w := 1 / mass
	inv, err := I.Inverse()
	if most <= 0 || err != nil {
		return w
	}
	worst := 0.0
	for k := range 3 {
		var e spatial.Vec3
		e[k] = 1
		v := inv.MulVec(arm.Cross(e)).Cross(arm)
		worst = max(worst, math.Abs(v[0])+math.Abs(v[1])+math.Abs(v[2])) // the sum of a row bounds the eigenvalues
	}
	return w + worst
}

// place returns where a hand is at a time.
func (p *pull) place(t float64) spatial.Vec3 {
	if t >= p.until || p.until <= p.begun {
		return p.to
	}
	part := max(0, (t-p.begun)/(p.until-p.begun))
	return p.from.Add(p.to.Sub(p.from).Scale(part))
}

// move sends a hand to a place, from where it is at the time t, within d.
func (p *pull) move(to spatial.Vec3, t, d float64) {
	p.from = p.place(t)
	p.to, p.begun, p.until = to, t, t+d
}

// ActsOn returns the bodies on which f acts: all in air, else those that are pulled.
func (f *hand) ActsOn(float64) []int {
	if f.air > 0 {
		return f.all
	}
	list := f.pulled[:0]
	for k := range f.pulls {
		if p := &f.pulls[k]; p.on && !slices.Contains(list, p.body) {
			list = append(list, p.body)
		}
	}
	return list
}

// WrenchesTo implements mechanism.OwnForce.
func (f *hand) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, t float64) error {
	if f.air > 0 {
		for i := range at {
			b, body := &at[i], &f.mech.Bodies[i]
			u := [6]float64(spatial.NewMotion(b.Omega, b.Velocity))
			body.AddMomentumTo((*[6]float64)(&w[i]), &b.E, &u, -f.air)
		}
	}
	for k := range f.pulls {
		p := &f.pulls[k]
		if !p.on {
			continue
		}
		b := &at[p.body]
		arm, v := b.Point(p.point)
		x := b.Position.Add(b.Com).Add(arm)
		force := p.place(t).Sub(x).Scale(p.stiffness).Sub(v.Scale(p.damping))
		pulled := spatial.NewForce(arm.Cross(force), force)
		for j := range pulled {
			w[p.body][j] += pulled[j]
		}
	}
	return nil
}
