package mechanism

import (
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	driveValues   = 1 + 4*6 // number of values of a drive, with the number of its joint
	elementValues = 9       // number of values of a force element
	bushingValues = 2 * 36  // number of values of a bushing, besides the values of its element
)

// Values returns gravity, the parameters of the force elements, the friction and the drives of the joints as
// numbers for SetValues. Motions, laws and user-defined forces are not included. Drives that have only zeros are left
// out, as a drive that was never set is.
//
// Cost: O(joints + force elements); allocates.
func (in *Inputs) Values() []float64 {
	v := &in.view
	out := append(make([]float64, 0, 3+len(v.drives)*driveValues+len(v.Forces)*elementValues), v.Gravity[:]...)
	for i := range v.Forces {
		e := &v.Forces[i]
		out = append(out, e.Stiffness, e.Damping, e.RestLength)
		out = append(append(out, e.Force[:]...), e.Torque[:]...)
	}
	for i := range v.bushings {
		out = append(append(out, v.bushings[i].K[:]...), v.bushings[i].D[:]...)
	}
	for i := range v.cables {
		out = append(out, v.cables[i].tension)
	}
	out = v.appendFrictions(out)
	for j := range v.driveOf {
		d := v.Drive(j)
		if !d.Acts() {
			continue
		}
		out = append(out, float64(j))
		for _, part := range [4]*[6]float64{&d.Force, &d.Stiffness, &d.Damping, &d.Rest} {
			out = append(out, part[:]...)
		}
	}
	return out
}

// CheckValues returns an error that wraps ErrInput unless values are possible values of Values for inputs of the same mechanism:
// values that the setters accept.
func (in *Inputs) CheckValues(values []float64) error {
	v := &in.view
	frictions := 3 + len(v.Forces)*elementValues + len(v.bushings)*bushingValues + len(v.cables)
	drives := frictions + frictionValues*v.numFrictions()
	if len(values) < drives || (len(values)-drives)%driveValues != 0 {
		return fault.Errorf("%w: %d values", ErrInput, len(values))
	}
	if i := slices.IndexFunc(values, func(x float64) bool { return !algebra.Finite(x) }); i >= 0 {
		return fault.Errorf("%w: value %d is %v", ErrInput, i, values[i])
	}
	if err := v.checkSprings(values[3:frictions]); err != nil {
		return err
	}
	if err := v.checkFrictions(values[frictions:drives]); err != nil {
		return err
	}
	last := -1.0
	for i := drives; i < len(values); i += driveValues {
		j := values[i]
		if !(j > last && j < float64(len(v.Joints))) || j != float64(int(j)) {
			return fault.Errorf("%w: value %d is joint %v", ErrInput, i, j)
		}
		last = j
		for k := range 6 {
			for part, what := range [...]string{"force", "stiffness", "damping", "rest"} {
				check := in.check
				if what == "stiffness" || what == "damping" {
					check = in.checkSpring
				}
				if x := values[i+1+6*part+k]; x != 0 {
					if err := check(int(j), k, what, x); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// SetValues sets values that Values has returned, for inputs of the same mechanism. It panics if CheckValues
// returns an error.
//
// Cost: O(joints + force elements).
func (in *Inputs) SetValues(values []float64) {
	if in.CheckValues(values) != nil {
		panic("mechanism: foreign values")
	}
	v := &in.view
	copy(v.Gravity[:], values)
	values = values[3:]
	for i := range v.Forces {
		e := &v.Forces[i]
		e.Stiffness, e.Damping, e.RestLength = values[0], values[1], values[2]
		copy(e.Force[:], values[3:])
		copy(e.Torque[:], values[6:])
		values = values[elementValues:]
	}
	for i := range v.bushings {
		b := &v.bushings[i]
		copy(b.K[:], values)
		copy(b.D[:], values[36:])
		values = values[bushingValues:]
	}
	for i := range v.cables {
		v.cables[i].tension = values[0]
		values = values[1:]
	}
	values = v.setFrictions(values)
	for i := range v.drives {
		v.drives[i] = Drive{laws: v.drives[i].laws}
	}
	for ; len(values) > 0; values = values[driveValues:] {
		d := in.drive(int(values[0]))
		for k, part := range [4]*[6]float64{&d.Force, &d.Stiffness, &d.Damping, &d.Rest} {
			copy(part[:], values[1+6*k:])
		}
	}
}
