package mechanism

import (
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// frictionValues is the number of Values for a friction: all numbers of model.Friction but the bristles.
const frictionValues = 6

// Friction returns the dry friction of freedom i of joint j, with the defaults of the format in place of zeros. ok is false if the
// freedom has no friction in the model.
//
// It panics if the joint is out of range.
func (m *Mechanism) Friction(j, i int) (f model.Friction, ok bool) {
	m.mustJoint(j)
	if k := m.frictionOf(j, i); k >= 0 {
		return m.resistors[k].friction, true
	}
	return model.Friction{}, false
}

// frictionOf returns the index of the resistor with the friction of freedom i of joint j, −1 if there is none.
func (m *Mechanism) frictionOf(j, i int) int {
	k, _ := slices.BinarySearchFunc(m.resistors, j, func(r resistor, j int) int { return int(r.joint) - j })
	for ; k < len(m.resistors) && int(m.resistors[k].joint) == j; k++ {
		if r := &m.resistors[k]; int(r.freedom) == i && !r.isStop() {
			return k
		}
	}
	return -1
}

// SetFriction sets the dry friction of freedom i of joint j, which has friction in the model. For a ball it sets the friction of all
// three rotations. Zeros stand for the defaults of the format. Force, or the coefficient of a bearing, may be zero: then there is no
// friction.
//
// The kind of friction cannot change: a constant force, or a force that grows with the reaction. Hold, the bristles, has to equal the
// model's.
func (in *Inputs) SetFriction(j, i int, f model.Friction) error {
	v := &in.view
	if err := v.CheckFriction(j, i, &f); err != nil {
		return v.AtJoint(j, -1, err)
	}
	r := &v.resistors[v.frictionOf(j, i)]
	f = f.WithDefaults(v.Joints[j].Kind.Rotational(i))
	if !r.ball {
		r.friction = f
		return nil
	}
	for k := range v.resistors {
		if o := &v.resistors[k]; int(o.joint) == j && o.ball {
			o.friction = f
		}
	}
	return nil
}

// CheckFriction returns the error of Inputs.SetFriction for the friction f of freedom i of joint j, without the name of the joint, or
// nil.
//
// It panics if the joint is out of range.
func (m *Mechanism) CheckFriction(j, i int, f *model.Friction) error {
	m.mustJoint(j)
	k := m.frictionOf(j, i)
	if k < 0 {
		return fault.Errorf("%w: freedom %d has no friction in the model", ErrInput, i)
	}
	if err := m.resistors[k].checkFriction(f); err != nil {
		return fault.Errorf("%w: friction of freedom %d: %w", ErrInput, i, err)
	}
	return nil
}

// checkFriction returns an error if f cannot replace the friction of r.
func (r *resistor) checkFriction(f *model.Friction) error {
	for k, x := range frictionNumbers(f) {
		if !algebra.Finite(x) || x < 0 {
			return fault.Errorf("mechanism: %s %v is negative or not finite", [...]string{"force", "coefficient", "radius", "speed", "static", "stribeck"}[k], x)
		}
	}
	switch {
	case r.bearing >= 0 && (f.Force != 0 || f.Radius == 0):
		return fault.Errorf("mechanism: force %v or radius %v is not of a friction that grows with the reaction, as that of the model", f.Force, f.Radius)
	case r.bearing < 0 && (f.Coefficient != 0 || f.Radius != 0):
		return fault.Errorf("mechanism: coefficient %v or radius %v is not of a constant friction, as that of the model", f.Coefficient, f.Radius)
	case f.Static != 0 && f.Static < 1:
		return fault.Errorf("mechanism: static %v is below 1", f.Static)
	case f.Static > 1 && f.Stribeck == 0:
		return fault.Errorf("mechanism: stribeck 0 with static %v", f.Static)
	case f.Hold != r.friction.Hold:
		return fault.Errorf("mechanism: hold %v is not that of the model, %v", f.Hold, r.friction.Hold)
	}
	return nil
}

func frictionNumbers(f *model.Friction) [frictionValues]float64 {
	return [...]float64{f.Force, f.Coefficient, f.Radius, f.Speed, f.Static, f.Stribeck}
}

// withNumbers returns f with the numbers x, in the order of frictionNumbers.
func withNumbers(f model.Friction, x []float64) model.Friction {
	f.Force, f.Coefficient, f.Radius, f.Speed, f.Static, f.Stribeck = x[0], x[1], x[2], x[3], x[4], x[5]
	return f
}

// numFrictions returns the number of resistors that are friction.
func (l *Loads) numFrictions() (n int) {
	for i := range l.resistors {
		if !l.resistors[i].isStop() {
			n++
		}
	}
	return n
}

// appendFrictions appends the values of all friction.
func (l *Loads) appendFrictions(out []float64) []float64 {
	for i := range l.resistors {
		if r := &l.resistors[i]; !r.isStop() {
			numbers := frictionNumbers(&r.friction)
			out = append(out, numbers[:]...)
		}
	}
	return out
}

// checkFrictions returns an error if appendFrictions cannot have made the first of values.
func (m *Mechanism) checkFrictions(values []float64) error {
	for i := range m.resistors {
		r := &m.resistors[i]
		if r.isStop() {
			continue
		}
		f := withNumbers(r.friction, values)
		if err := r.checkFriction(&f); err != nil {
			return m.AtJoint(int(r.joint), -1, fault.Errorf("%w: friction of freedom %d: %w", ErrInput, r.freedom, err))
		}
		if f.Speed == 0 || f.Static == 0 {
			return m.AtJoint(int(r.joint), -1, fault.Errorf("%w: friction of freedom %d: speed %v, static %v", ErrInput, r.freedom, f.Speed, f.Static))
		}
		values = values[frictionValues:]
	}
	return nil
}

// setFrictions sets values that checkFrictions has accepted, and returns the values after them.
func (l *Loads) setFrictions(values []float64) []float64 {
	for i := range l.resistors {
		if r := &l.resistors[i]; !r.isStop() {
			r.friction = withNumbers(r.friction, values)
			values = values[frictionValues:]
		}
	}
	return values
}
