package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// actuator is a motor on a freedom of a joint (model.Actuator).
type actuator struct {
	index, joint            int32 // numbers of the force element and of the joint
	freedom                 int32
	law                     model.ActuatorLaw
	value                   *joints.Motion
	gain, integral, damping float64
	limit                   float64 // 0: none

	// The integral of u − q̇ over time is ∫u − q − start, as the integral of q̇ is q. So it needs no internal state.
	start float64
}

func newActuator(a *model.Actuator, index, joint int) actuator {
	return actuator{
		index: int32(index), joint: int32(joint), freedom: int32(a.Freedom), law: a.Law, value: a.Value.Prepared(),
		gain: a.Gain, integral: a.Integral, damping: a.Damping, limit: a.Limit,
	}
}

// winds reports whether the force depends on the coordinate, so that whole turns of an angle have to be counted.
func (a *actuator) winds() bool {
	return a.law == model.ActuatorPosition || a.law == model.ActuatorSpeed && a.integral != 0
}

// startActuators sets start of all actuators so that their integrals are zero in the state of the model.
func (m *Mechanism) startActuators() {
	var jk JointKinematics
	var q, qd [6]float64
	k := &Kinematics{}
	for i := range m.actuators {
		a := &m.actuators[i]
		if a.law != model.ActuatorSpeed || a.integral == 0 {
			continue
		}
		if k.Bodies == nil {
			k.Bodies = make([]BodyKinematics, len(m.Bodies))
		}
		jt := m.sprungTo(&jk, a.joint, k, &m.initial)
		jt.CoordinatesTo(&q, &qd, &jk)
		a.start = a.value.Integral(m.initial.Time) - q[a.freedom]
	}
}

// Push is the generalized force of an actuator at a state, N m or N. Stiffness and Damping are minus the derivatives of the force by the
// coordinate and the rate of the freedom; they are positive for the force of a spring or a damper.
type Push struct {
	Force, Stiffness, Damping float64
}

// at returns the force of the actuator, with its derivatives, at the coordinate q, the rate qd and the time t.
func (a *actuator) at(q, qd, t float64) (p Push) {
	p, _ = a.both(q, qd, t)
	return p
}

// both returns the force of the actuator with its derivatives, and the same force with secants in place of the derivatives. If x is
// the force without the limit over the limit, the limit multiplies the force and the secants by tanh(x)/x, and the derivatives by
// 1 − tanh²x.
func (a *actuator) both(q, qd, t float64) (p, secant Push) {
	u, _, _ := a.value.At(t)
	switch a.law {
	case model.ActuatorTorque:
		return Push{Force: u}, Push{Force: u}
	case model.ActuatorSpeed:
		p = Push{a.gain * (u - qd), 0, a.gain}
		if a.integral != 0 {
			p.Force += a.integral * (a.value.Integral(t) - q - a.start)
			p.Stiffness = a.integral
		}
	case model.ActuatorPosition:
		p = Push{a.gain*(u-q) - a.damping*qd, a.gain, a.damping}
	}
	if a.limit > 0 {
		x := p.Force / a.limit
		s, part := math.Tanh(x), 1.0
		if x != 0 {
			part = s / x
		}
		slope := 1 - s*s
		return Push{a.limit * s, p.Stiffness * slope, p.Damping * slope}, Push{a.limit * s, p.Stiffness * part, p.Damping * part}
	}
	return p, p
}

// NumActuators returns the number of actuators.
func (l *Loads) NumActuators() int { return len(l.actuators) }

// Actuator returns the freedom of actuator i, and the number of its force element.
func (l *Loads) Actuator(i int) (f Freedom, element int) {
	a := &l.actuators[i]
	return Freedom{int(a.joint), int(a.freedom)}, int(a.index)
}

// ActuatorPulls reports whether the force of actuator i depends on the motion of its freedom.
func (l *Loads) ActuatorPulls(i int) bool { return l.actuators[i].law != model.ActuatorTorque }

// ActuatorSettings returns all settings on which the force of actuator i depends, for comparison.
func (l *Loads) ActuatorSettings(i int) (settings struct {
	Joint, Freedom, Law                   int
	Value                                 joints.Motion
	Gain, Integral, Damping, Limit, Start float64
}) {
	a := &l.actuators[i]
	settings.Joint, settings.Freedom, settings.Law, settings.Value = int(a.joint), int(a.freedom), int(a.law), *a.value
	settings.Gain, settings.Integral, settings.Damping, settings.Limit, settings.Start = a.gain, a.integral, a.damping, a.limit, a.start
	return settings
}

// ActuatorAt returns the force of actuator i at s, and its derivatives. jk is the motion of the actuator's joint at s (JointTo).
//
// Units: as in Push. Cost: O(1), with a spline O(log times), no allocation. It panics if i is out of range.
func (m *Mechanism) ActuatorAt(i int, jk *JointKinematics, s *State) Push {
	a := &m.actuators[i]
	if a.law == model.ActuatorTorque {
		return a.at(0, 0, s.Time)
	}
	var q, qd [6]float64
	m.Joints[a.joint].CoordinatesTo(&q, &qd, jk)
	return a.at(q[a.freedom], qd[a.freedom], s.Time)
}

// ActuatorSecant is ActuatorAt with secants of a limited force in place of its derivatives.
// They are for matrices of Newton's method: at the limit the derivatives are nearly zero, and an
// iteration that begins there would jump from one limit to the other.
//
// Cost: as ActuatorAt.
func (m *Mechanism) ActuatorSecant(i int, jk *JointKinematics, s *State) Push {
	a := &m.actuators[i]
	var q, qd [6]float64
	m.Joints[a.joint].CoordinatesTo(&q, &qd, jk)
	_, p := a.both(q[a.freedom], qd[a.freedom], s.Time)
	return p
}

// ActuatorForce returns the generalized force of actuator i at s, N m or N. It stores in k the kinematics of the bodies at the
// actuator's joint.
//
// Cost: as ActuatorAt.
func (m *Mechanism) ActuatorForce(i int, k *Kinematics, s *State) float64 {
	var jk JointKinematics
	m.sprungTo(&jk, m.actuators[i].joint, k, s)
	return m.ActuatorAt(i, &jk, s).Force
}

// addActuators adds to f the wrenches of the actuators on the bodies, about their centres of mass, world axes.
func (m *Mechanism) addActuators(f []spatial.Force, k *Kinematics, s *State) {
	var jk JointKinematics
	for i := range m.actuators {
		a := &m.actuators[i]
		m.JointTo(&jk, int(a.joint), k, s)
		var tau [6]float64
		var w spatial.Force
		tau[a.freedom] = m.ActuatorAt(i, &jk, s).Force
		m.Joints[a.joint].WrenchTo(&w, &tau, &jk.Frames)
		m.addJointWrench(f, int(a.joint), &jk, &w, k)
	}
}
