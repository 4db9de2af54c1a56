package model

import (
	"fmt"

	"github.com/rung-mbd/rung/ground/contact"
)

// Contact is the contact of the body of a ForceElement with a terrain (docs/ground.md). Shape and Law are as in package
// contact; zeros of the law stand for the defaults of the format (Fill).
type Contact struct {
	Terrain string
	Map     string // terrain whose height scales the friction; "": none
	Shape   contact.Shape
	Law     contact.Law
}

// Actuator is a motor on a freedom of a joint. Its generalized force τ, N m or N, is, with the value u and the coordinate q,
//
//	ActuatorTorque    τ = u
//	ActuatorSpeed     τ = Gain·(u − q̇) + Integral·∫(u − q̇)dt
//	ActuatorPosition  τ = Gain·(u − q) − Damping·q̇
//
// With a Limit, the last two become Limit·tanh(τ/Limit). The integral is 0 in the initial state of the model.
type Actuator struct {
	Joint   string
	Freedom int
	Law     ActuatorLaw
	Value   *Motion // u as a function of time; its derivatives are not used

	Gain, Integral, Damping float64
	Limit                   float64 // 0: none
}

// ActuatorLaw is the quantity that an actuator controls.
type ActuatorLaw uint8

// The laws of rung-model/1.
const (
	ActuatorTorque ActuatorLaw = iota
	ActuatorSpeed
	ActuatorPosition
)

var lawNames = []string{"torque", "speed", "position"}

// String returns the name of rung-model/1.
func (l ActuatorLaw) String() string {
	if int(l) < len(lawNames) {
		return lawNames[l]
	}
	return fmt.Sprintf("ActuatorLaw(%d)", uint8(l))
}

// Defaults of the format.
const (
	DefaultSlipSpeed = 1e-3 // m/s; friction of sliding is regularised below it
	DefaultTurnSpeed = 1e-2 // rad/s; friction of rotations is regularised below it
)

// Fill replaces zeros of the law by the defaults of the format: the exponent 1, and the speeds below which
// friction is regularised.
func (c *Contact) Fill() { fillLaw(&c.Law) }

// fillLaw is Contact.Fill for a law.
func fillLaw(l *contact.Law) {
	if l.Normal.Exponent == 0 {
		l.Normal.Exponent = 1
	}
	if l.Friction.Type == contact.Coulomb && l.Friction.SlipSpeed == 0 {
		l.Friction.SlipSpeed = DefaultSlipSpeed
	}
	if f := &l.Friction; f.Type == contact.Tyre && f.Tyre.LowSpeed == 0 {
		f.Tyre.LowSpeed = contact.DefaultLowSpeed
	} else if f.Type == contact.Soil && f.Soil.LowSpeed == 0 {
		f.Soil.LowSpeed = contact.DefaultLowSpeed
	}
	for _, r := range [2]*contact.Resistance{&l.Rolling, &l.Drilling} {
		if r.Coefficient != 0 && r.Speed == 0 {
			r.Speed = DefaultTurnSpeed
		}
	}
}

// defaultAxis is the axis of a shape, in body axes, unless the document gives one.
var defaultAxis = [3]float64{0, 1, 0}
