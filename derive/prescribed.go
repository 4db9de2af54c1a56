package derive

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// Prescribed returns the coordinate at which mechanism.Mechanism.Prescribe holds a freedom, as a parameter, rad or m.
//
// It returns an error that wraps ErrParameter, with the joint, for a freedom that is not held at a coordinate. It panics on a joint out of
// range.
func (d *Derivatives) Prescribed(f mechanism.Freedom) (*Parameter, error) {
	jt := &d.mech.Joints[f.Joint]
	if f.Freedom < 0 || f.Freedom >= jt.Kind.Freedoms() || !jt.Prescribed(f.Freedom) || jt.Motion[f.Freedom].Kind != joints.Polynomial {
		return nil, d.mech.AtJoint(f.Joint, -1, fault.Errorf("%w: freedom %d: %w", ErrParameter, f.Freedom, errNotHeld))
	}
	s := slot{kind: slotMotion, freedom: uint8(f.Freedom), index: motionList}
	return &Parameter{path: d.mech.JointName(f.Joint), place: []int{f.Joint}, field: new(field), parts: d.scalarPart(f.Joint, s)}, nil
}

var errNotHeld = errors.New("derive: it is not held at a coordinate")
