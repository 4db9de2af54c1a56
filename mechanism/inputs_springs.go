package mechanism

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// SetBushing sets the stiffness and damping of force element i, a bushing, as in model.Bushing, and its preload: force, N, and
// torque, N m. It panics if a matrix is nil.
func (in *Inputs) SetBushing(i int, stiffness, damping *[6][6]float64, force, torque spatial.Vec3) error {
	v := &in.view
	e := in.element(i)
	if stiffness == nil || damping == nil {
		panic("mechanism: no matrix")
	}
	if e.Kind != model.BushingForce {
		return v.AtForce(i, fault.Errorf("%w: it is a %v and no bushing", ErrInput, e.Kind))
	}
	if !finiteVec(&force) || !finiteVec(&torque) {
		return v.AtForce(i, fault.Errorf("%w: force %v or torque %v is not finite", ErrInput, force, torque))
	}
	for k, m := range [2]*[6][6]float64{stiffness, damping} {
		if err := matrixError([2]string{"stiffness", "damping"}[k], m); err != nil {
			return v.AtForce(i, err)
		}
	}
	b := &v.bushings[placeOf(len(v.bushings), func(n int) int32 { return v.bushings[n].index }, i)]
	b.K, b.D = springs.NewMatrix(stiffness), springs.NewMatrix(damping)
	e.Force, e.Torque = force, torque
	return nil
}

// SetSpringLaw sets the laws of force element i, a spring-damper that
// has a law in the model; spring or damper may be nil. Values does not include laws.
//
// Cost: O(points) or O(length); allocates.
func (in *Inputs) SetSpringLaw(i int, spring, damper *springs.Law) error {
	v := &in.view
	in.element(i)
	if v.SpringLaw(i) == nil {
		return v.AtForce(i, fault.Errorf("%w: it has no law in the model", ErrInput))
	}
	l, err := checkedLaws(spring, damper)
	if err != nil {
		return v.AtForce(i, err)
	}
	v.laws[i] = l
	return nil
}

// SetLaw sets the laws of freedom i of joint j, which has a law in the model; spring or damper may be nil. Values does not include laws.
//
// Cost: O(points) or O(length); allocates.
func (in *Inputs) SetLaw(j, i int, spring, damper *springs.Law) error {
	if err := in.check(j, i, "law", 0); err != nil {
		return err
	}
	v := &in.view
	d := v.Drive(j)
	if d == nil || d.Law(i) == nil {
		return v.AtJoint(j, -1, fault.Errorf("%w: freedom %d has no law in the model", ErrInput, i))
	}
	l, err := checkedLaws(spring, damper)
	if err != nil {
		return v.AtJoint(j, -1, err)
	}
	own := *d.laws
	own[i] = l
	d.laws = &own
	return nil
}

// checkedLaws returns prepared copies of the laws of a spring and a damper, not nil unless there is an error. The error wraps
// ErrInput and names a fault of a law.
func checkedLaws(spring, damper *springs.Law) (_ *springs.Laws, err error) {
	for k, l := range [2]*springs.Law{spring, damper} {
		if l != nil {
			l.Faults(func(field, value, rule string) {
				err = fault.Errorf("%w: %s.%s %s %s", ErrInput, [2]string{"spring", "damper"}[k], field, value, rule)
			})
		}
	}
	if err != nil {
		return nil, err
	}
	if l := prepared(spring, damper); l != nil {
		return l, nil
	}
	return new(springs.Laws), nil
}

// matrixError returns an error that wraps ErrInput if m is no valid matrix of a bushing; what names the matrix.
func matrixError(what string, m *[6][6]float64) (err error) {
	springs.MatrixFaults(m, func(entry, value, rule string) {
		err = fault.Errorf("%w: %s%s %s %s", ErrInput, what, entry, value, rule)
	})
	return err
}

// SetCable sets the stiffness, N/m, damping, N s/m, rest length, m, and constant tension, N, of force
// element i, a cable. None may be negative.
func (in *Inputs) SetCable(i int, stiffness, damping, restLength, tension float64) error {
	v := &in.view
	e := in.element(i)
	if e.Kind != model.CableForce {
		return v.AtForce(i, fault.Errorf("%w: it is a %v and no cable", ErrInput, e.Kind))
	}
	for k, x := range [...]float64{stiffness, damping, restLength, tension} {
		if !algebra.Finite(x) || x < 0 {
			return v.AtForce(i, fault.Errorf("%w: %s %v is negative or not finite", ErrInput, [...]string{"stiffness", "damping", "rest length", "tension"}[k], x))
		}
	}
	e.Stiffness, e.Damping, e.RestLength = stiffness, damping, restLength
	v.cables[placeOf(len(v.cables), func(n int) int32 { return v.cables[n].index }, i)].tension = tension
	return nil
}

// checkSprings is CheckValues for the values of force elements, bushings and cables, which follow each other in values.
func (m *Mechanism) checkSprings(values []float64) error {
	for i := range m.Forces {
		e := values[i*elementValues:]
		if m.Forces[i].Kind == model.CableForce && !(e[0] >= 0 && e[1] >= 0 && e[2] >= 0) {
			return m.AtForce(i, fault.Errorf("%w: stiffness %v, damping %v or rest length %v is negative", ErrInput, e[0], e[1], e[2]))
		}
	}
	values = values[len(m.Forces)*elementValues:]
	for i := range m.bushings {
		for k, what := range [2]string{"stiffness", "damping"} {
			var a [6][6]float64
			for r := range a {
				copy(a[r][:], values[36*k+6*r:])
			}
			if err := matrixError(what, &a); err != nil {
				return m.AtForce(int(m.bushings[i].index), err)
			}
		}
		values = values[bushingValues:]
	}
	for i, x := range values {
		if x < 0 {
			return m.AtForce(int(m.cables[i].index), fault.Errorf("%w: tension %v is negative", ErrInput, x))
		}
	}
	return nil
}
