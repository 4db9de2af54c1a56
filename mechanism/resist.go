package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// resistor is the stops of a freedom at its limits, or the dry friction of a freedom. Inputs may change the numbers of its friction.
type resistor struct {
	joint   int32
	freedom int8
	ball    bool  // friction of a ball, about one of its three axes
	bearing int32 // index in bearings of the reaction with which friction grows; −1 if it does not
	first   int32 // index of its internal state in State.Internal; −1 if it has none

	stop         contact.Law // stops: the law of the force
	lower, upper float64     // limits, rad or m
	restitution  float64
	impact       float64 // rate above which impulses act; 0: there are none

	friction model.Friction // friction, with defaults in place of zeros
}

// Resistance is the generalized force of stops or friction along a freedom at a state, with its derivatives,
// energy and power.
type Resistance struct {
	Push
	// Secant replaces Damping in matrices of Newton's method: for sliding friction it is minus the force over the rate
	// (docs/ground.md).
	Secant float64
	// Bristle is −∂force/∂ξ for the internal state ξ of bristles, and ByRate and ByState are the derivatives of the
	// rate of ξ by the rate of the freedom and by ξ. They are 0 without bristles.
	Bristle, ByRate, ByState float64

	Depth  float64 // stops: distance of the coordinate beyond the nearer limit, rad or m; negative between the limits
	Upper  bool    // the nearer limit is the upper one
	Energy float64 // stored energy, J
	Power  float64 // power taken from the motion and not stored in Energy, W; it includes the power that bends bristles
}

// bearing is a joint whose friction grows with its reaction.
type bearing struct {
	joint int32
}

// setResistors compiles stops and friction of m. Their internal states come before the internal states of contacts.
func (m *Mechanism) setResistors(from *model.Model) {
	for j := range from.Joints {
		f := &from.Joints[j]
		for i := range f.Kind().Freedoms() {
			if i < len(f.Limits) {
				m.addStop(j, i, f.Limits[i])
			}
			if i < len(f.Friction) {
				m.addFriction(j, i, &f.Friction[i])
			}
		}
	}
}

// addStop adds the stop of freedom i of joint j, if its limit has one.
func (m *Mechanism) addStop(j, i int, l *model.Limit) {
	if l == nil || l.Stop == (model.Stop{}) {
		return
	}
	r := resistor{
		joint: int32(j), freedom: int8(i), bearing: -1, first: -1, stop: contact.Law{Normal: l.Stop.Normal},
		lower: l.Lower, upper: l.Upper, restitution: l.Stop.Restitution, impact: l.Stop.ImpactSpeed,
	}
	if r.impact > 0 {
		r.first = int32(m.internal)
		m.internal++
	}
	m.resistors = append(m.resistors, r)
}

// addFriction adds the friction of freedom i of joint j, if there is some.
func (m *Mechanism) addFriction(j, i int, f *model.Friction) {
	if *f == (model.Friction{}) {
		return
	}
	kind := m.Joints[j].Kind
	r := resistor{joint: int32(j), freedom: int8(i), ball: !kind.Scalar(i), bearing: -1, first: -1}
	r.friction = f.WithDefaults(kind.Rotational(i))
	if f.OfReaction() {
		if n := len(m.bearings); n == 0 || m.bearings[n-1].joint != int32(j) {
			m.bearings = append(m.bearings, bearing{joint: int32(j)})
		}
		r.bearing = int32(len(m.bearings) - 1)
	}
	if f.Hold.Travel > 0 {
		r.first = int32(m.internal)
		m.internal++
	}
	m.resistors = append(m.resistors, r)
}

// isStop reports whether r are stops; otherwise it is friction.
func (r *resistor) isStop() bool { return r.stop.Normal.Stiffness > 0 }

// NumResistors returns the number of freedoms with stops plus the number of freedoms
// with friction. The three rotations of a ball count separately.
func (l *Loads) NumResistors() int { return len(l.resistors) }

// Resistor returns the freedom of resistor i, and whether it is one with stops; otherwise it has friction.
func (l *Loads) Resistor(i int) (f Freedom, stops bool) {
	r := &l.resistors[i]
	return Freedom{int(r.joint), int(r.freedom)}, r.isStop()
}

// ResistorSettings returns all settings on which the force of resistor i depends, for comparison.
func (l *Loads) ResistorSettings(i int) (settings struct {
	Joint, Freedom                         int
	Stop                                   contact.Normal
	Lower, Upper, Restitution, ImpactSpeed float64
	Friction                               model.Friction
}) {
	r := &l.resistors[i]
	settings.Joint, settings.Freedom, settings.Stop, settings.Lower, settings.Upper = int(r.joint), int(r.freedom), r.stop.Normal, r.lower, r.upper
	settings.Restitution, settings.ImpactSpeed, settings.Friction = r.restitution, r.impact, r.friction
	return settings
}

// ImpactSpeed returns the rate, rad/s or m/s, above which an impulse reverses the motion at the stops of resistor i, and the
// coefficient of restitution. speed is 0 if there are no impulses.
func (l *Loads) ImpactSpeed(i int) (speed, restitution float64) {
	return l.resistors[i].impact, l.resistors[i].restitution
}

// Lossless reports whether resistor i dissipates no energy except by impulses.
func (l *Loads) Lossless(i int) bool {
	r := &l.resistors[i]
	return r.isStop() && r.stop.Normal.Dissipation == 0 && r.stop.Normal.Damping == 0
}

// Bristles reports whether resistor i is friction with bristles, whose deflection is an internal state.
func (l *Loads) Bristles(i int) bool { return l.resistors[i].friction.Hold.Travel > 0 }

// Turns reports whether the coordinate of f is an angle that a pose determines up to whole turns only.
func (m *Mechanism) Turns(f Freedom) bool {
	kind := m.Joints[f.Joint].Kind
	return kind.Scalar(f.Freedom) && kind.Rotational(f.Freedom) && kind != joints.Helical
}

// OfReaction reports whether the friction of resistor i grows with the reaction in its joint.
func (l *Loads) OfReaction(i int) bool { return l.resistors[i].bearing >= 0 }

// ResistorState returns the index of the internal state of resistor i in State.Internal, −1 if it has none. The state of
// bristles is their deflection. The state of a stop with impulses is 0 while its spring acts, and 1 in flight after an impulse, when
// the spring has no force.
func (l *Loads) ResistorState(i int) int { return int(l.resistors[i].first) }

// state returns the internal state of r at s.
func (r *resistor) state(s *State) float64 {
	if r.first < 0 || len(s.Internal) == 0 {
		return 0
	}
	return s.Internal[r.first]
}

// ResistanceAt returns the force of resistor i at s with its derivatives; jk is the kinematics of its joint (JointTo).
// Friction that grows with a reaction reads the reaction from State.Bearings.
//
// Cost: O(1), no allocation.
func (m *Mechanism) ResistanceAt(i int, jk *JointKinematics, s *State) (p Resistance) {
	r := &m.resistors[i]
	jt := &m.Joints[r.joint]
	var q, qd [6]float64
	if r.isStop() {
		jt.CoordinatesTo(&q, &qd, jk)
		r.stopAt(&p, q[r.freedom], qd[r.freedom], r.state(s) != 0)
		return p
	}
	jt.RatesTo(&qd, &jk.Frames)
	rate := qd[r.freedom]
	speed := math.Abs(rate)
	if r.ball {
		speed = math.Sqrt(qd[0]*qd[0] + qd[1]*qd[1] + qd[2]*qd[2])
	}
	size := r.friction.Force
	if r.bearing >= 0 {
		size = r.friction.Coefficient * r.friction.Radius * s.bearingLoad(r.bearing)
	}
	if r.first >= 0 {
		r.bristlesAt(&p, size, rate, r.state(s))
	} else {
		r.regularisedAt(&p, size, rate, speed)
	}
	return p
}

// stopAt stores in p the force of stops at the coordinate q and the given rate, docs/stops-and-friction.md (J1), (J2). In flight, after
// an impulse, they have no force.
func (r *resistor) stopAt(p *Resistance, q, rate float64, flight bool) {
	sign, apart := 1.0, rate
	p.Depth = r.lower - q
	if up := q - r.upper; up > p.Depth {
		sign, apart, p.Depth, p.Upper = -1, -rate, up, true
	}
	if flight || p.Depth <= 0 {
		return
	}
	var f contact.Force
	var d contact.Derivatives
	r.stop.ForceTo(&f, &d, &contact.PointMotion{Depth: p.Depth, N: apart}, 1, 1, nil)
	p.Force, p.Stiffness, p.Damping = sign*f.N, d[contact.OfN][contact.ByDepth], -d[contact.OfN][contact.ByN]
	p.Secant, p.Energy, p.Power = p.Damping, f.Energy, (f.Elastic-f.N)*apart
}

// StopBy returns the derivatives of the force of resistor i, stops, by the fields of its law; p is its Resistance at the given rate of
// the freedom.
func (l *Loads) StopBy(i int, p *Resistance, rate float64) (by contact.NormalBy) {
	r, sign := &l.resistors[i], 1.0
	if p.Upper {
		sign = -1
	}
	by = r.stop.NormalBy(&contact.PointMotion{Depth: p.Depth, N: sign * rate})
	return contact.NormalBy{
		Stiffness: sign * by.Stiffness, Exponent: sign * by.Exponent, Dissipation: sign * by.Dissipation, Damping: sign * by.Damping,
	}
}

// stribeck returns the ratio of friction at a speed to friction at high speeds, docs/stops-and-friction.md (J6), and the derivative of
// the ratio by the speed.
func (r *resistor) stribeck(speed float64) (s, slope float64) {
	f := &r.friction
	if f.Static == 1 {
		return 1, 0
	}
	x := speed / f.Stribeck
	e := (f.Static - 1) * math.Exp(-x*x)
	return 1 + e, -2 * x / f.Stribeck * e
}

// regularisedAt stores in p regularised friction, docs/stops-and-friction.md (J5). size is the friction at high speeds, N or N m. speed
// is the magnitude of rate, or for a ball of the vector of its three rates.
func (r *resistor) regularisedAt(p *Resistance, size, rate, speed float64) {
	s, slope := r.stribeck(speed)
	v := r.friction.Speed
	rho := math.Sqrt(speed*speed + v*v)
	p.Secant = size * s / rho
	p.Force, p.Power = -p.Secant*rate, p.Secant*rate*rate
	// −∂force/∂rate. For a ball the rates about its other axes are constant.
	p.Damping = p.Secant - size*s*rate*rate/(rho*rho*rho)
	if speed > 0 {
		p.Damping += size * slope * rate * rate / (speed * rho)
	}
}

// bristlesAt stores in p the friction of bristles with the deflection xi, docs/stops-and-friction.md (J7), (J8). size is as in
// regularisedAt.
func (r *resistor) bristlesAt(p *Resistance, size, rate, xi float64) {
	h := &r.friction.Hold
	s, slope := r.stribeck(math.Abs(rate))
	speed := math.Abs(rate)
	p.ByState = -speed / (h.Travel * s)
	p.ByRate = 1
	if rate != 0 {
		p.ByRate -= xi * math.Copysign(1, rate) / (h.Travel * s) * (1 - speed*slope/s)
	}
	bend := rate + p.ByState*xi // rate of xi
	p.Force = -size * (xi/h.Travel + h.Damping*bend)
	p.Damping = size * h.Damping * p.ByRate
	p.Bristle = size * (1/h.Travel + h.Damping*p.ByState)
	p.Secant, p.Power = p.Damping, -p.Force*rate
}

// Step returns the effective damping of p over an implicit step of length 2·half, s (sim.GeneralizedAlpha). Bristles bend with the
// freedom during the step: they add Bristle times half, reduced by the decay of the deflection during the step.
func (p *Resistance) Step(half float64) float64 {
	z, part := 2*half*p.ByState, half
	if z < 0 {
		part *= math.Expm1(z) / z
	}
	return max(p.Secant+p.Bristle*part*p.ByRate, 0)
}

// addResistances adds to f the wrenches of stops and friction on the bodies, about their centres of mass, world axes.
func (m *Mechanism) addResistances(f []spatial.Force, k *Kinematics, s *State) {
	var jk JointKinematics
	last := int32(-1)
	for i := range m.resistors {
		r := &m.resistors[i]
		if r.joint != last {
			m.JointTo(&jk, int(r.joint), k, s)
			last = r.joint
		}
		if force := m.ResistanceAt(i, &jk, s).Force; force != 0 {
			var tau [6]float64
			var w spatial.Force
			tau[r.freedom] = force
			m.Joints[r.joint].WrenchTo(&w, &tau, &jk.Frames)
			m.addJointWrench(f, int(r.joint), &jk, &w, k)
		}
	}
}

// AddResistanceTo adds to w the wrench of stops and friction of joint
// j on the successor, about the origin of S, world axes.
//
// Cost: the logarithm of the number of resistors, no allocation.
func (m *Mechanism) AddResistanceTo(w *spatial.Force, j int, jk *JointKinematics, s *State) {
	first, _ := slices.BinarySearchFunc(m.resistors, j, func(r resistor, j int) int { return int(r.joint) - j })
	for i := first; i < len(m.resistors) && int(m.resistors[i].joint) == j; i++ {
		r := &m.resistors[i]
		var tau [6]float64
		var one spatial.Force
		tau[r.freedom] = m.ResistanceAt(i, jk, s).Force
		m.Joints[j].WrenchTo(&one, &tau, &jk.Frames)
		*w = w.Add(one)
	}
}

// resistorRates is InternalTo for the internal states of stops and friction.
func (m *Mechanism) resistorRates(a, b, scale []float64, k *Kinematics, s *State) {
	var jk JointKinematics
	var qd [6]float64
	for i := range m.resistors {
		r := &m.resistors[i]
		if r.first < 0 {
			continue
		}
		size := 1.0
		a[r.first], b[r.first] = 0, 0 // events alone change the state of stops
		if !r.isStop() {
			m.JointTo(&jk, int(r.joint), k, s)
			m.Joints[r.joint].RatesTo(&qd, &jk.Frames)
			rate := qd[r.freedom]
			ratio, _ := r.stribeck(math.Abs(rate))
			size = r.friction.Hold.Travel
			a[r.first], b[r.first] = rate, -math.Abs(rate)/(size*ratio)
		}
		if scale != nil {
			scale[r.first] = size
		}
	}
}

// Bearings: friction that grows with the reaction in its joint depends on the multipliers, and these depend on the friction. Solvers
// iterate (kkt.Solver.Solve), with the latest reactions in State.Bearings.

// NumBearings returns the number of joints whose friction grows with their reaction: the length of State.Bearings.
func (l *Loads) NumBearings() int { return len(l.bearings) }

// Bearing returns the joint of bearing i.
func (l *Loads) Bearing(i int) int { return int(l.bearings[i].joint) }

// HasBearing reports whether the friction of joint j grows with its reaction.
func (l *Loads) HasBearing(j int) bool {
	_, has := slices.BinarySearchFunc(l.bearings, j, func(b bearing, j int) int { return int(b.joint) - j })
	return has
}

// bearingLoad returns the reaction of bearing i, N; 0 if s has none.
func (s *State) bearingLoad(i int32) float64 {
	if len(s.Bearings) == 0 {
		return 0
	}
	return s.Bearings[i]
}

// BearingLoad returns the reaction, N, with which the friction of joint j grows; w is the constraint wrench of the joint.
// The reaction is the magnitude of the force, for a revolute joint of its part at right angles to the axis.
func (m *Mechanism) BearingLoad(j int, w *spatial.Force, jk *JointKinematics) float64 {
	f := w.Linear()
	if m.Joints[j].Kind == joints.Revolute {
		z := jk.EP.Col(2)
		f = f.Sub(z.Scale(z.Dot(f)))
	}
	return f.Norm()
}

// BeyondLimit is a freedom whose coordinate is beyond a bound of its limit.
type BeyondLimit struct {
	Freedom
	Coordinate float64 // rad or m
	Bound      float64 // the bound that is exceeded, rad or m
	Stop       bool    // there is a stop, which pushes back
}

// Text returns a sentence about b; joint is the name of its joint.
func (b *BeyondLimit) Text(joint string) string {
	text := fmt.Sprintf("freedom %d of joint %s is at %.6g, beyond its limit %.6g", b.Freedom.Freedom, fault.Text(joint, textColumns), b.Coordinate, b.Bound)
	if !b.Stop {
		text += ", where it has no stop"
	}
	return text
}

// textColumns is the largest length of a name in Text.
const textColumns = 60

// BeyondLimits returns the freedoms that are beyond a bound of their limits at s by more than rounding, in the order of the joints.
// Coordinates are as in Coordinate.
//
// Cost: O(freedoms with limits); allocates. k was computed at s.
func (m *Mechanism) BeyondLimits(k *Kinematics, s *State) (list []BeyondLimit) {
	if len(m.limits) == 0 {
		return nil
	}
	var jk JointKinematics
	var q, qd [6]float64
	for j := range m.Joints {
		jt, there := &m.Joints[j], false
		for i := range jt.Kind.Freedoms() {
			l, ok := m.limits[Freedom{j, i}]
			if !ok {
				continue
			}
			if !there {
				m.JointTo(&jk, j, k, s)
				m.CoordinatesTo(&q, &qd, j, &jk, s)
				there = true
			}
			b := BeyondLimit{Freedom: Freedom{j, i}, Coordinate: q[i], Stop: l.Stop != (model.Stop{})}
			switch slack := 1e-9 * max(1, math.Abs(q[i])); {
			case q[i] < l.Lower-slack:
				b.Bound = l.Lower
			case q[i] > l.Upper+slack:
				b.Bound = l.Upper
			default:
				continue
			}
			list = append(list, b)
		}
	}
	return list
}

// AtLower reports whether the lower limit of resistor i, stops, is the nearer one at the kinematics jk of its joint.
func (m *Mechanism) AtLower(i int, jk *JointKinematics) bool {
	r := &m.resistors[i]
	var q, qd [6]float64
	m.Joints[r.joint].CoordinatesTo(&q, &qd, jk)
	return !(q[r.freedom]-r.upper > r.lower-q[r.freedom])
}

// stopEdge is the magnitude of the depth of a stop, rad or m, up to which the stop is at the edge of touching.
const stopEdge = 1e-9

// StopsAtEdge returns the freedoms whose stops are at the edge of touching at s, and whose stiffness jumps there, as
// the exponent is 1. A linearization at s then holds on one side only.
//
// Cost: O(resistors); allocates. k was computed at s.
func (m *Mechanism) StopsAtEdge(k *Kinematics, s *State) (list []Freedom) {
	var jk JointKinematics
	for i := range m.resistors {
		r := &m.resistors[i]
		if !r.isStop() || r.stop.Normal.Exponent > 1 {
			continue
		}
		m.JointTo(&jk, int(r.joint), k, s)
		if math.Abs(m.ResistanceAt(i, &jk, s).Depth) <= stopEdge {
			list = append(list, Freedom{int(r.joint), int(r.freedom)})
		}
	}
	return list
}
