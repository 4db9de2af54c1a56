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

	all    []int          // all bodies
	pulled [mostPages]int // memory for the bodies that are pulled, each once
}

// pull is a spring with a damper from a point of a body to the cursor of a page, which
// moves in the world from one position to the next within a frame.
type pull struct {
	on                 bool
	of                 *page
	body               int
	point              spatial.Vec3 // body frame, m
	from, to           spatial.Vec3 // positions of the cursor, world, m
	begun, until       float64      // simulated times at which the cursor is at from, and at to, s
	stiffness, damping float64      // N/m, N s/m
}

// A pull is as stiff as steps of RATTLE bear: handStiffness and handDamping are k·h²·w and c·h·w, with k and c the stiffness and
// the damping, h the step and w the inverse effective mass of the body alone at the point, which joints only make smaller. But it is never
// stiffer than a spring on which all bodies together would oscillate with handRate, rad/s.
const (
	handStiffness = 0.05
	handDamping   = 0.05
	handRate      = 10.
	// thinnest times the largest moment of inertia is added to all three, so that a thin rod has a bound too.
	thinnest = 0.02
)

// hold makes p pull at a point of body i, in its frame, with a stiffness and a damping that steps of h seconds bear.
func (f *hand) hold(p *pull, i int, point spatial.Vec3, h float64) {
	b := &f.mech.Bodies[i]
	w := inverseMass(b.Mass, b.Inertia, point.Sub(b.Com))
	p.on, p.body, p.point = true, i, point
	p.stiffness = min(handStiffness/(h*h*w), f.mass*handRate*handRate)
	p.damping = min(handDamping/(h*w), 2*math.Sqrt(p.stiffness*f.mass))
}

// inverseMass bounds the inverse effective mass, 1/kg, of a free body at the point that is off its centre of mass by arm: the velocity
// of the point after a unit impulse there, in any direction. I and arm are in body axes.
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
		worst = max(worst, math.Abs(v[0])+math.Abs(v[1])+math.Abs(v[2])) // the largest sum of a row bounds the eigenvalues
	}
	return w + worst
}

// place returns the position of the cursor at the time t, world, m.
func (p *pull) place(t float64) spatial.Vec3 {
	if t >= p.until || p.until <= p.begun {
		return p.to
	}
	part := max(0, (t-p.begun)/(p.until-p.begun))
	return p.from.Add(p.to.Sub(p.from).Scale(part))
}

// move sends the cursor from its position at the time t to another one, within d seconds.
func (p *pull) move(to spatial.Vec3, t, d float64) {
	p.from = p.place(t)
	p.to, p.begun, p.until = to, t, t+d
}

// ActsOn implements mechanism.OwnForce: in air f acts on all bodies, else on the bodies that are pulled.
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
