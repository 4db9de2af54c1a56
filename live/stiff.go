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
	// Springs and dampers are soft if k·h²·w and c·h·w are no more than soft, with k and c the stiffness and the damping, h the
	// step and w the inverse effective mass of the free bodies at their ends, which joints only make smaller.
	soft = 0.5
	// softAlong is the same bound for the motions that the joints allow at one pose. Steps of RATTLE are stable up to 4. At other poses
	// springs may be stiffer, and the estimate is a lower bound: each by a factor of a few.
	softAlong = 0.1
	// softSteps is the number of steps of the power method. Of n motions they find on average at least 1 − ln(n)/softSteps of the
	// largest eigenvalue (Kuczyński & Woźniakowski 1992).
	softSteps = 16
	// softMove is the largest motion of a body, rad or typical lengths, over which forces are compared.
	softMove = 1e-6
)

// stiffness says how quickly the forces of a mechanism settle, relative to a step.
type stiffness int

const (
	notStiff    stiffness = iota // slowly, even if all bodies were free
	maybeStiff                   // slowly only if joints tie light bodies to heavy ones
	mustBeStiff                  // quickly, or in a way that cannot be judged at one pose
)

// stiff reports whether springs, dampers, contacts, stops, friction or actuators may settle in less time than some steps of h seconds, in
// a run from st.
//
// In a large mechanism a spring of a light body is soft if joints tie the body to a heavy one, as the spring of a valve that a cam on a
// shaft moves. It is judged at st alone. If it is stiff in a later pose, the energy of the steps shows that, and they are damped
// (motion.Rattle). In a small mechanism bodies count as if they were free: error control costs little there, and follows a shaft at any
// speed.
func stiff(p *kkt.Plan, st *mechanism.State, h float64, large bool) bool {
	of := stiffnessOf(p.Mechanism(), h)
	return of == mustBeStiff || of == maybeStiff && !(large && softMotions(p, st, h))
}

// softMotions reports whether springs and dampers are soft along all motions that the joints allow at st: whether the largest eigenvalues
// of h²·ΦK and h·ΦD are no more than softAlong. Φ is the map from loads to accelerations, and K and D are the derivatives of the forces
// by displacements and velocities. It reports false where the mechanism has no accelerations or forces.
func softMotions(p *kkt.Plan, st *mechanism.State, h float64) bool {
	s := newPowerMethod(p, st)
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

// powerMethod finds the largest eigenvalues of ΦK and ΦD (softMotions) by differences of the forces.
type powerMethod struct {
	response      *kkt.Response
	mech          *mechanism.Mechanism
	st, moved     *mechanism.State
	kin           *mechanism.Kinematics
	before, after []spatial.Force // forces at st and at moved
	f, x          []float64       // loads, and the accelerations by them
}

// newPowerMethod returns a power method for a state, nil if the mechanism has no accelerations or forces there.
func newPowerMethod(p *kkt.Plan, st *mechanism.State) *powerMethod {
	s := &powerMethod{response: p.NewResponse(), mech: p.Mechanism(), st: st, moved: st.Clone(), kin: p.Mechanism().NewKinematics()}
	n := s.mech.NumBodies()
	s.before, s.after, s.f, s.x = make([]spatial.Force, n), make([]spatial.Force, n), make([]float64, 6*n), make([]float64, 6*n)
	if s.response.At(st) != nil || !s.forcesTo(s.before, st) {
		return nil
	}
	return s
}

// forcesTo stores in f the forces at st. It reports whether they are defined there.
func (s *powerMethod) forcesTo(f []spatial.Force, st *mechanism.State) bool {
	clear(f)
	return s.mech.KinematicsTo(s.kin, st) == nil && s.mech.AddAppliedTo(f, s.kin, st) == nil
}

// largest returns a lower bound of the largest eigenvalue of Φ·A, with A·x the difference of the forces after a move by x: the Rayleigh
// quotient fᵀΦAΦf/fᵀΦf. ok is false where accelerations or forces are not defined. move moves the state by size·x.
func (s *powerMethod) largest(move func(size float64)) (value float64, ok bool) {
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
			return value, true // the joints allow no motion
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
func (s *powerMethod) size() (size float64) {
	length := s.mech.TypicalLength()
	for i := 0; i < len(s.x); i += 6 {
		turn, travel := spatial.Vec3(s.x[i:i+3]), spatial.Vec3(s.x[i+3:i+6])
		size = max(size, turn.Norm(), travel.Norm()/length)
	}
	return size
}

// displace stores in moved the poses of st, displaced by size·x.
func (s *powerMethod) displace(size float64) {
	s.mech.DisplaceTo(s.moved, s.st, size, s.x)
}

// change stores in moved the velocities of st, changed by size·x. x is about the centres of mass, in world axes.
func (s *powerMethod) change(size float64) {
	for i := range s.moved.Bodies {
		s.moved.Bodies[i] = s.st.Bodies[i]
		b, x := &s.moved.Bodies[i], s.x[6*i:]
		turn := spatial.Vec3{size * x[0], size * x[1], size * x[2]}
		arm := b.Rotation.Rotate(s.mech.Bodies[i].Com)
		b.Velocity = b.Velocity.Add(spatial.Vec3{size * x[3], size * x[4], size * x[5]}).Sub(turn.Cross(arm))
		b.Omega = b.Omega.Add(turn)
	}
}

// stiffnessOf returns how quickly the forces of m settle relative to steps of h seconds.
func stiffnessOf(m *mechanism.Mechanism, h float64) stiffness {
	if m.NumInternal() > 0 || m.NumContacts() > 0 || m.NumResistors() > 0 || m.NumActuators() > 0 {
		return mustBeStiff
	}
	of := notStiff
	note := func(k, c, w float64) {
		if !(math.Abs(k)*h*h*w <= soft && math.Abs(c)*h*w <= soft) {
			of = maybeStiff
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
				return mustBeStiff
			}
			note(f.Stiffness, f.Damping, alone(f.A.Body, f.A.Point)+alone(f.B.Body, f.B.Point))
		default:
			return mustBeStiff
		}
	}
	for j := range m.Joints {
		jt, d := &m.Joints[j], m.Drive(j)
		for i := range jt.Kind.Freedoms() {
			if !m.Sprung(j, i) {
				continue
			}
			if d.Law(i) != nil || jt.Axes != nil {
				return mustBeStiff
			}
			w := alone(jt.Pred, jt.P.Origin) + alone(jt.Succ, jt.S.Origin)
			if jt.Kind.Rotational(i) {
				w = turning(m, jt.Pred, jt.P.E.Col(2)) + turning(m, jt.Succ, jt.S.E.Col(2))
				if jt.Kind != joints.Revolute && jt.Kind != joints.Cylindrical { // their axes are not z alone: never soft
					w = math.Inf(1)
				}
			}
			note(d.Stiffness[i], d.Damping[i], w)
		}
	}
	return of
}

// turning returns the inverse moment of inertia of a free body about an axis, 1/(kg m²): the angular velocity after a unit angular
// impulse. axis is a unit vector in the body frame.
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
