package model

import (
	"fmt"

	"github.com/rung-mbd/rung/ground/contact"
)

// Contact is how the body of a ForceElement stands on a terrain (docs/ground.md). Shape and Law are those of package
// contact, with the defaults of the format filled in.
type Contact struct {
	Terrain string
	Map     string // terrain whose height scales the friction; "": none
	Shape   contact.Shape
	Law     contact.Law
}

// Actuator is a motor on a freedom of a joint. Its generalized force is, with the value u and the coordinate q,
//
//	ActuatorTorque    τ = u
//	ActuatorSpeed     τ = Gain·(u − q̇) + Integral·∫(u − q̇)dt
//	ActuatorPosition  τ = Gain·(u − q) − Damping·q̇
//
// and with a Limit, of the last two, Limit·tanh(τ/Limit). The integral is 0 in the state that is written in the model.
type Actuator struct {
	Joint   string
	Freedom int
	Law     ActuatorLaw
	Value   *Motion // its value alone counts: of a speed, the speed

	Gain, Integral, Damping float64
	Limit                   float64 // 0: none
}

// ActuatorLaw is what an actuator holds to its value.
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

// What documents need not say.
const (
	DefaultSlipSpeed = 1e-3 // m/s
	DefaultTurnSpeed = 1e-2 // rad/s
)

// Fill puts the defaults of the format in the place of zeros of the
// law: the exponent 1, and speeds below which friction is damped.
func (c *Contact) Fill() { fillLaw(&c.Law) }

// fillLaw puts the defaults of the format in the place of zeros.
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

// defaultAxis is the axis of wheels.
var defaultAxis = [3]float64{0, 1, 0}
