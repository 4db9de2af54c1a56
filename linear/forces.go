package linear

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// fillElement adds force element i, a wrench or a spring, to K and C. A wrench has a force F at an arm r that rotates
// with its body, so that its moment changes by (φ×r)×F; its torque is constant. Other elements are added elsewhere.
func (s *System) fillElement(i int) error {
	e := &s.mech.Forces[i]
	switch e.Kind {
	case model.ContactForce, model.ActuatorForce, model.BushingForce, model.CableForce:
		return nil // fillContact, fillJoint, fillBushing and fillCable add these
	case model.Wrench:
		s.addArmStiffness(e.A.Body, s.arm(&e.A), e.Force)
		s.addLoadSize(e.A.Body, e.Torque, e.Force)
		return nil
	}
	var q mechanism.SpringState
	if err := s.mech.SpringAt(&q, i, s.y.Kin, s.st); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	l := link{body: q.Body, arm: q.Arm, line: q.Line, tension: q.Tension, k: q.Stiffness, d: q.Damping}
	if q.Length == 0 {
		return s.fillPoint(i, &l)
	}
	for _, b := range l.body {
		s.addLoadSize(b, spatial.Vec3{}, q.Unit.Linear().Scale(l.tension))
		s.addRounding(b, 0, math.Abs(l.k)*(q.Length+e.RestLength))
	}
	s.fillLink(&l)
	return nil
}

// link is a pair of opposite forces between two points of bodies along the line through them.
type link struct {
	body    [2]int32        // −1 is the world
	arm     [2]spatial.Vec3 // of the points from the centres of mass, m
	line    spatial.Vec3    // from the first point to the second, m, not zero
	tension float64         // N
	k, d    float64         // derivatives of the tension by the length, N/m, and by its rate, N s/m
}

// fillLink adds a link to K and C: along its line n the spring k and damper d, across it the
// stiffness tension/length, and the rotation of the arms in the force (addArmStiffness). With u the
// displacement of the second point relative to the first, the tension F = n·tension changes by
//
//	δF = n·(k·n·u + d·(n·u)˙) + tension/length·(u − n·(n·u)).
func (s *System) fillLink(l *link) {
	length := l.line.Norm()
	n := l.line.Scale(1 / length)
	F := n.Scale(l.tension)
	s.addArmStiffness(l.body[0], l.arm[0], F)
	s.addArmStiffness(l.body[1], l.arm[1], F.Neg())
	if l.k != 0 || l.d != 0 {
		r := row{body: l.body, k: l.k, d: l.d}
		pointRow(&r.v, &l.arm, n)
		if l.d != 0 && !s.rest {
			s.linkRate(&r.rate, l, n, length)
		}
		s.rows = append(s.rows, r)
	}
	if l.tension != 0 {
		a, b := across(n)
		for _, e := range [2]spatial.Vec3{a, b} {
			r := row{body: l.body, k: l.tension / length}
			pointRow(&r.v, &l.arm, e)
			s.rows = append(s.rows, r)
		}
	}
}

// linkRate stores in rate the derivative by time of the row n·u of l, u the displacement of its second point relative to the first, as
// the unit vector n of the line and the arms change with the velocities of the bodies. length is the length of the line.
func (s *System) linkRate(rate *[12]float64, l *link, n spatial.Vec3, length float64) {
	u := s.pointVelocity(l.body[1], l.arm[1]).Sub(s.pointVelocity(l.body[0], l.arm[0]))
	nd := u.Sub(n.Scale(n.Dot(u))).Scale(1 / length)
	pointRow(rate, &l.arm, nd)
	for i, sign := range [2]float64{-1, 1} {
		if b := l.body[i]; b >= 0 {
			m := s.st.Bodies[b].Omega.Cross(l.arm[i]).Cross(n).Scale(sign)
			for k := range 3 {
				rate[6*i+k] += m[k]
			}
		}
	}
}

// fillPoint adds a spring whose ends coincide: it has the same stiffness in all directions (mechanism.Mechanism.IsPointSpring). It
// returns mechanism.ErrNoDirection with the name of the element for other springs.
func (s *System) fillPoint(i int, l *link) error {
	e := &s.mech.Forces[i]
	if !s.mech.IsPointSpring(i) {
		return fault.Errorf("linear: %w", s.mech.AtForce(i, mechanism.ErrNoDirection))
	}
	if e.Stiffness == 0 {
		return nil
	}
	for i := range 3 {
		r := row{body: l.body, k: e.Stiffness}
		var n spatial.Vec3
		n[i] = 1
		pointRow(&r.v, &l.arm, n)
		s.rows = append(s.rows, r)
	}
	return nil
}

// pointRow stores in v the row of n·u, with u the displacement of the second point relative to the first. arm has the arms of the points
// from the centres of mass, m.
func pointRow(v *[12]float64, arm *[2]spatial.Vec3, n spatial.Vec3) {
	a := mechanism.Along{Arm: *arm, Unit: spatial.NewForce(spatial.Vec3{}, n)}
	a.RowTo(v)
}

// addArmStiffness adds the stiffness of a force F, constant in world axes, at an arm r that rotates with body b:
// −(φ×r)×F = φ·(r·F) − r·(F·φ).
func (s *System) addArmStiffness(b int32, r, F spatial.Vec3) {
	if b < 0 {
		return
	}
	K := &s.stiff[b]
	rF := r.Dot(F)
	for i := range 3 {
		K[7*i] += rF
		for j := range 3 {
			K[6*i+j] -= r[i] * F[j]
		}
	}
}

// across returns two unit vectors at right angles to the unit vector n and to each
// other.
func across(n spatial.Vec3) (a, b spatial.Vec3) {
	k := 0
	for i := 1; i < 3; i++ {
		if math.Abs(n[i]) < math.Abs(n[k]) {
			k = i
		}
	}
	var e spatial.Vec3
	e[k] = 1
	a = n.Cross(e)
	a = a.Scale(1 / a.Norm())
	return a, n.Cross(a)
}

// arm returns the arm of an attachment from the centre of mass of its body, m, world axes; zero for the world.
func (s *System) arm(a *mechanism.Attachment) (r spatial.Vec3) {
	if a.Body < 0 {
		return r
	}
	k := &s.y.Kin.Bodies[a.Body]
	return k.E.MulVec(a.Point).Sub(k.Com)
}

// pointVelocity returns the velocity of the point of body b at the arm r from its
// centre of mass, m/s, world axes; zero for the world, −1.
func (s *System) pointVelocity(b int32, r spatial.Vec3) spatial.Vec3 {
	if b < 0 {
		return spatial.Vec3{}
	}
	var u [6]float64
	s.velocity(u[:], b)
	return spatial.Vec3(u[3:]).Add(spatial.Vec3(u[:3]).Cross(r))
}
