package derive

import (
	"cmp"
	"math"
	"slices"

	"github.com/rung-mbd/rung/joints"
)

// slot identifies a number of a part of the mechanism.
type slot struct {
	kind    uint8
	freedom uint8 // freedom of the joint, or axis of a composite joint; 0 for others
	index   int32 // index of the number in a list or a vector
}

// Kinds of numbers.
const (
	slotPitch uint8 = iota
	slotLength
	slotStiffness
	slotDamping
	slotRest
	slotArmature
	slotMotion
	slotSpringForces
	slotDamperForces
	slotLower
	slotUpper
	slotStopStiffness
	slotStopExponent
	slotStopDissipation
	slotStopDamping
	slotStopRestitution
	slotFrictionForce
	slotFrictionCoefficient
	slotFrictionRadius
	slotFrictionSpeed
	slotFrictionStatic
	slotFrictionStribeck
	slotHoldTravel
	slotHoldDamping
	slotGain
	slotIntegral
	slotLimit
	slotForceVector
	slotTorqueVector
	slotTension
	slotOffset
	slotFactor
	slotLawValue
	slotRadius
	slotTyre
	slotBowl
	slotAxis
	slotAxisPoint
	slotAxisPitch
	slotCurve
	slotSuccessorCurve
	slotContact
	slotTerrain
)

// activeScalar is a number of a part that a parameter changes.
type activeScalar struct {
	part int
	slot slot
	at   int32 // index in direction.scalars
}

// scalarsOf returns the numbers of a part that parameters change.
func (d *Derivatives) scalarsOf(part int) []activeScalar {
	if len(d.active) == 0 {
		return nil
	}
	from, _ := slices.BinarySearchFunc(d.active, part, func(a activeScalar, p int) int { return cmp.Compare(a.part, p) })
	to := from
	for to < len(d.active) && d.active[to].part == part {
		to++
	}
	return d.active[from:to]
}

func (d *Derivatives) hasScalars(part int) bool { return len(d.scalarsOf(part)) > 0 }

// scalarAt returns the index in direction.scalars of a number of a part, −1 if no parameter changes it.
func (d *Derivatives) scalarAt(part int, s slot) int32 {
	for _, a := range d.scalarsOf(part) {
		if a.slot == s {
			return a.at
		}
	}
	return -1
}

// varies reports whether a parameter changes a number of this kind and freedom.
func (d *Derivatives) varies(part int, kind uint8, freedom int) bool {
	for _, a := range d.scalarsOf(part) {
		if a.slot.kind == kind && int(a.slot.freedom) == freedom {
			return true
		}
	}
	return false
}

// activate returns the index in direction.scalars of a number of a part, and adds it if no parameter has changed it before.
func (d *Derivatives) activate(part int, s slot) int32 {
	if at := d.scalarAt(part, s); at >= 0 {
		return at
	}
	at := int32(len(d.active))
	i, _ := slices.BinarySearchFunc(d.active, part, func(a activeScalar, p int) int { return cmp.Compare(a.part, p) })
	d.active = slices.Insert(d.active, i, activeScalar{part, s, at})
	d.versions++
	return at
}

// Numbers of motions, by their index in a slot. From motionList on they are the entries of the motion's list: coefficients, values or
// accelerations. Rates of a spline are from motionRates on.
const (
	motionOffset = iota
	motionAmplitude
	motionFrequency
	motionPhase
	motionValue
	motionRate
	motionRates
	motionList = 16
)

// motionBy returns the derivatives of the value, rate and second derivative of a motion at time t by its number index.
func motionBy(m *joints.Motion, index int32, t float64) (q, qd, qdd float64) {
	one := joints.Motion{Kind: m.Kind, Times: m.Times, Ends: m.Ends, Steps: m.Steps, Hold: m.Hold}
	k := int(index) - motionList
	switch m.Kind {
	case joints.Harmonic:
		return harmonicBy(m, index, t)
	case joints.Polynomial:
		power := func(n int) float64 {
			if n < 0 {
				return 0
			}
			return math.Pow(t, float64(n))
		}
		return power(k), float64(k) * power(k-1), float64(k*(k-1)) * power(k-2)
	case joints.Spline:
		one.Values = make([]float64, len(m.Values))
		if k >= 0 {
			one.Values[k] = 1
		} else {
			one.Rates[index-motionRates] = 1
		}
	case joints.Table:
		one.Accelerations = make([]float64, len(m.Accelerations))
		switch {
		case k >= 0:
			one.Accelerations[k] = 1
		case index == motionValue:
			one.Value = 1
		default:
			one.Rate = 1
		}
	}
	return one.Prepared().At(t) // the motion is linear in these numbers
}

// harmonicBy is motionBy for offset + amplitude·sin(2π·frequency·t + phase).
func harmonicBy(m *joints.Motion, index int32, t float64) (q, qd, qdd float64) {
	w := 2 * math.Pi * m.Frequency
	s, c := math.Sincos(w*t + m.Phase)
	A := m.Amplitude
	switch index {
	case motionOffset:
		return 1, 0, 0
	case motionAmplitude:
		return s, w * c, -w * w * s
	case motionPhase:
		return A * c, -A * w * s, -A * w * w * c
	}
	T := 2 * math.Pi // dw/df
	return A * t * T * c, A*T*c - A*w*t*T*s, -2*A*w*T*s - A*w*w*t*T*c
}
