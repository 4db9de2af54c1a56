package derive

import (
	"errors"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Errors for numbers of stops, friction and controls that the model does not have. Their derivative would need a record of a part that does
// not act yet.
var (
	errNoStop     = errors.New("derive: there is no derivative by numbers of a stop that is not there")
	errNoFriction = errors.New("derive: there is no derivative by numbers of friction that is not there")
	errNoIntegral = errors.New("derive: an integral of zero has no derivative: nothing says when it began")
	errNoLimit    = errors.New("derive: a limit of zero has no derivative: there is none")
)

// freedomFields adds the numbers of forces, springs, friction, stops, armature and motions along freedoms.
func freedomFields(list map[string]field) {
	list["joints[].force[]"] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
		if !within(i, 1, d.mech.Joints[i[0]].Kind.Freedoms()) {
			return nil, errNone
		}
		return one(partForce, i[0], i[1]), nil
	}}
	for name, kind := range map[string]uint8{
		"stiffness[]": slotStiffness, "damping[]": slotDamping, "rest[]": slotRest,
		"friction[]": slotFrictionForce, "friction[].force": slotFrictionForce, "friction[].coefficient": slotFrictionCoefficient,
		"friction[].radius": slotFrictionRadius, "friction[].speed": slotFrictionSpeed, "friction[].static": slotFrictionStatic,
		"friction[].stribeck": slotFrictionStribeck, "friction[].hold.travel": slotHoldTravel, "friction[].hold.damping": slotHoldDamping,
		"limits[].lower": slotLower, "limits[].upper": slotUpper, "limits[].stop.stiffness": slotStopStiffness,
		"limits[].stop.exponent": slotStopExponent, "limits[].stop.dissipation": slotStopDissipation, "limits[].stop.damping": slotStopDamping,
		"limits[].stop.restitution": slotStopRestitution,
	} {
		list["joints[]."+name] = ofFreedom(kind, 0)
	}
	list["joints[].armature[]"] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
		if !within(i, 1, d.mech.Joints[i[0]].Kind.Freedoms()) {
			return nil, errNone
		}
		if jt := &d.mech.Joints[i[0]]; !jt.Geared(i[1]) && !jt.Prescribed(i[1]) {
			return nil, errors.New("derive: armature that is zero has no derivative: the freedom has no flywheel")
		}
		return d.scalarPart(i[0], slot{kind: slotArmature, freedom: uint8(i[1])}), nil
	}}
	forces := func(kind uint8, of func(j *model.Joint) []*model.SpringLaw) field {
		return field{parts: func(d *Derivatives, i []int) ([]part, error) {
			l := of(&d.doc.Joints[i[0]])
			if !within(i, 1, len(l)) || l[i[1]] == nil || !within(i, 2, len(l[i[1]].Forces)) {
				return nil, errNone
			}
			return d.scalarPart(i[0], slot{kind: kind, freedom: uint8(i[1]), index: int32(i[2])}), nil
		}}
	}
	list["joints[].springs[].forces[]"] = forces(slotSpringForces, func(j *model.Joint) []*model.SpringLaw { return j.Springs })
	list["joints[].dampers[].forces[]"] = forces(slotDamperForces, func(j *model.Joint) []*model.SpringLaw { return j.Dampers })
	ofMotion(list, "joints[].motion[]", func(d *Derivatives, i []int) (int, int, *model.Motion) {
		if l := d.doc.Joints[i[0]].Motion; within(i, 1, len(l)) {
			return i[0], i[1], l[i[1]]
		}
		return 0, 0, nil
	})
}

// ofFreedom returns the field of a number of a freedom of a joint; the freedom is the second index of the path. index is the index of the
// number in its law.
func ofFreedom(kind uint8, index int32) field {
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		k := d.mech.Joints[i[0]].Kind
		if !within(i, 1, k.Freedoms()) {
			return nil, errNone
		}
		if kind != slotDamping && !k.Scalar(i[1]) { // freedoms of a ball have damping only
			return nil, errBall
		}
		if err := d.absent(mechanism.Freedom{Joint: i[0], Freedom: i[1]}, kind); err != nil {
			return nil, err
		}
		return d.scalarPart(i[0], slot{kind: kind, freedom: uint8(i[1]), index: index}), nil
	}}
}

// ofActuator returns the field of a number of an actuator that does nothing at zero: then none is the error.
func ofActuator(kind uint8, none error, number func(a *model.Actuator) float64) field {
	of := ofElement(kind, 1, model.ActuatorForce)
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		if a := d.doc.Forces[i[0]].Actuator; a != nil && number(a) == 0 {
			return nil, none
		}
		return of.parts(d, i)
	}}
}

// absent returns an error if freedom f has no stop or friction with a number of this kind.
func (d *Derivatives) absent(f mechanism.Freedom, kind uint8) error {
	stop, friction := -1, -1
	for _, i := range d.resisted[f.Joint] {
		of, stops := d.mech.Resistor(int(i))
		switch {
		case of != f:
		case stops:
			stop = int(i)
		default:
			friction = int(i)
		}
	}
	switch kind {
	case slotLower, slotUpper:
		if list := d.doc.Joints[f.Joint].Limits; f.Freedom >= len(list) || list[f.Freedom] == nil {
			return errNone
		}
	case slotStopStiffness, slotStopExponent, slotStopDissipation, slotStopDamping, slotStopRestitution:
		if stop < 0 {
			return errNoStop
		}
	case slotFrictionForce, slotFrictionCoefficient, slotFrictionRadius, slotFrictionSpeed, slotFrictionStatic, slotFrictionStribeck,
		slotHoldTravel, slotHoldDamping:
		if friction < 0 || !d.hasFriction(friction, kind) {
			return errNoFriction
		}
	}
	return nil
}

// hasFriction reports whether the friction of resistor i depends on the number of this kind.
func (d *Derivatives) hasFriction(i int, kind uint8) bool {
	switch kind {
	case slotFrictionForce:
		return !d.mech.OfReaction(i)
	case slotFrictionCoefficient, slotFrictionRadius:
		return d.mech.OfReaction(i)
	case slotFrictionStatic, slotFrictionStribeck:
		return d.mech.ResistorSettings(i).Friction.Stribeck > 0
	case slotHoldTravel, slotHoldDamping:
		return d.mech.Bristles(i)
	}
	return true
}
