package live

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// Springs and dampers are soft if k·h²·w and c·h·w are no more than soft, with w the inverse of the mass that the
	// bodies at their ends have alone, which joints only make smaller.
	soft = 0.5
	// softAlong is the same for the motions that the joints allow at one pose. At others springs may be stiffer, and the estimate
	// is one from below: both by a factor of a few. Steps of RATTLE are stable up to 4.
	softAlong = 0.1
	// softSteps is how many steps of the power method find that. Of n motions they find at least 1 − ln(n)/softSteps of the largest
	// eigenvalue on average (Kuczyński & Woźniakowski 1992).
	softSteps = 16
	// softMove is the largest motion of a body, rad or typical lengths, over which forces are compared.
	softMove = 1e-6
)

// firmness is how quickly the forces of a mechanism settle, beside some step.
type firmness int

const (
	slack   firmness = iota // slowly, even if bodies had no joints
	between                 // slowly only if joints see to that
	firm                    // quickly, or in a way that one pose says nothing of
)

// stiff reports whether springs, dampers, contacts, stops, friction or actuators may settle in less time than some steps of h seconds, in
// a run from st.
//
// In a large mechanism a spring of a light body is soft if joints hold the body to a heavy one: the spring of a valve swings with the
// shaft that its cam is on. Whether it is soft is judged at st. Where it is not later, the energy of the steps shows that (motion.Rattle),
// and they are damped. In a small mechanism bodies count as if they were alone: error control costs little there, and follows a shaft at
// any speed.
func stiff(p *kkt.Plan, st *mechanism.State, h float64, large bool) bool {
	of := firmnessOf(p.Mechanism(), h)
	return of == firm || of == between && !(large && softMotions(p, st, h))
}

// softMotions reports whether springs and dampers are soft along all motions that the joints allow at st. With Φ the map from loads to
// accelerations these have the eigenvalues of ΦK and ΦD, K and D the derivatives of the forces.
func softMotions(p *kkt.Plan, st *mechanism.State, h float64) bool {
	s := newSwings(p, st)
	if s == nil {
		return false
	}
	stiffness, ok := s.largest(s.displace)
	if !ok || !(stiffness*h*h <= softAlong) {
		return false
	}
	damping, ok := s.largest(s.change)
	return ok && damping*h <= softAlong
}

// swings is the power method for the motions that springs and dampers make.
type swings struct {
	response      *kkt.Response
	mech          *mechanism.Mechanism
	st, moved     *mechanism.State
	kin           *mechanism.Kinematics
	before, after []spatial.Force
	f, x          []float64 // loads, and motions by them
}

// newSwings returns nil where the mechanism has no accelerations or forces at st.
func newSwings(p *kkt.Plan, st *mechanism.State) *swings {
	s := &swings{response: p.NewResponse(), mech: p.Mechanism(), st: st, moved: st.Clone(), kin: p.Mechanism().NewKinematics()}
	n := s.mech.NumBodies()
	s.before, s.after, s.f, s.x = make([]spatial.Force, n), make([]spatial.Force, n), make([]float64, 6*n), make([]float64, 6*n)
	if s.response.At(st) != nil || !s.forcesTo(s.before, st) {
		return nil
	}
	return s
}

// forcesTo stores in f the forces at st. It reports whether there are such.
func (s *swings) forcesTo(f []spatial.Force, st *mechanism.State) bool {
	clear(f)
	return s.mech.KinematicsTo(s.kin, st) == nil && s.mech.AddAppliedTo(f, s.kin, st) == nil
}

// largest returns an estimate, from below, of the largest eigenvalue of Φ·A, with A·x the difference of the forces after a move by x:
// that of Rayleigh, fᵀΦAΦf/fᵀΦf.
func (s *swings) largest(move func(size float64)) (value float64, ok bool) {
	rng := rand.New(rand.NewPCG(9, uint64(len(s.f))))
	for i := range s.f {
		s.f[i] = rng.Float64() - 0.5
	}
	for range softSteps {
		if s.response.AccelerationsTo(s.x, s.f) != nil {
			return 0, false
		}
		energy, work := 0.0, 0.0
		for i, x := range s.x {
			energy += s.f[i] * x
		}
		size := softMove / s.size()
		if math.IsInf(size, 0) {
			return value, true // no motion is left
		}
		move(size)
		if !s.forcesTo(s.after, s.moved) {
			return 0, false
		}
		for i := range s.f {
			s.f[i] = (s.before[i/6][i%6] - s.after[i/6][i%6]) / size
			work += s.f[i] * s.x[i]
		}
		if value = max(value, math.Abs(work)/energy); !(work != 0) {
			return value, true
		}
	}
	return value, true
}

// size returns the largest motion of a body in s.x, rad or typical lengths.
func (s *swings) size() (size float64) {
	length := s.mech.TypicalLength()
	for i := 0; i < len(s.x); i += 6 {
		turn, travel := spatial.Vec3(s.x[i:i+3]), spatial.Vec3(s.x[i+3:i+6])
		size = max(size, turn.Norm(), travel.Norm()/length)
	}
	return size
}

// displace moves the poses by size·x.
func (s *swings) displace(size float64) {
	s.mech.DisplaceTo(s.moved, s.st, size, s.x)
}

// change changes the velocities by size·x.
func (s *swings) change(size float64) {
	for i := range s.moved.Bodies {
		s.moved.Bodies[i] = s.st.Bodies[i]
		b, x := &s.moved.Bodies[i], s.x[6*i:]
		turn := spatial.Vec3{size * x[0], size * x[1], size * x[2]}
		arm := b.Rotation.Rotate(s.mech.Bodies[i].Com)
		b.Velocity = b.Velocity.Add(spatial.Vec3{size * x[3], size * x[4], size * x[5]}).Sub(turn.Cross(arm))
		b.Omega = b.Omega.Add(turn)
	}
}

// firmnessOf returns how quickly the forces of m settle beside steps h.
func firmnessOf(m *mechanism.Mechanism, h float64) firmness {
	if m.NumInternal() > 0 || m.NumContacts() > 0 || m.NumResistors() > 0 || m.NumActuators() > 0 {
		return firm
	}
	of := slack
	note := func(k, c, w float64) {
		if !(math.Abs(k)*h*h*w <= soft && math.Abs(c)*h*w <= soft) {
			of = between
		}
	}
	alone := func(body int32, point spatial.Vec3) float64 {
		if body == mechanism.World {
			return 0
		}
		b := &m.Bodies[body]
		return inverseMass(b.Mass, b.Inertia, point.Sub(b.Com))
	}
	for i := range m.Forces {
		switch f := &m.Forces[i]; f.Kind {
		case model.Wrench:
		case model.SpringDamper:
			if m.SpringLaw(i) != nil {
				return firm
			}
			note(f.Stiffness, f.Damping, alone(f.A.Body, f.A.Point)+alone(f.B.Body, f.B.Point))
		default:
			return firm
		}
	}
	for j := range m.Joints {
		jt, d := &m.Joints[j], m.Drive(j)
		for i := range jt.Kind.Freedoms() {
			if !m.Sprung(j, i) {
				continue
			}
			if d.Law(i) != nil || jt.Axes != nil {
				return firm
			}
			w := alone(jt.Pred, jt.P.Origin) + alone(jt.Succ, jt.S.Origin)
			if jt.Kind.Rotational(i) {
				w = turning(m, jt.Pred, jt.P.E.Col(2)) + turning(m, jt.Succ, jt.S.E.Col(2))
				if jt.Kind != joints.Revolute && jt.Kind != joints.Cylindrical { // about other axes too
					w = math.Inf(1)
				}
			}
			note(d.Stiffness[i], d.Damping[i], w)
		}
	}
	return of
}

// turning returns the angular velocity about an axis, body frame, that a unit angular impulse about it gives a body that is alone,
// 1/(kg m²).
func turning(m *mechanism.Mechanism, body int32, axis spatial.Vec3) float64 {
	if body == mechanism.World {
		return 0
	}
	I := m.Bodies[body].Inertia
	most := max(I[0], I[1], I[2])
	for k := range 3 {
		I[k] += thinnest * most
	}
	inv, err := I.Inverse()
	if err != nil {
		return math.Inf(1)
	}
	return axis.Dot(inv.MulVec(axis))
}
