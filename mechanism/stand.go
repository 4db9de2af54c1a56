package mechanism

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
)

// ErrStand is wrapped by the error that names a joint, and the place, where a wheel does not touch its terrain at exactly one point.
var ErrStand = errors.New("mechanism: the wheel does not stand on its terrain")

// standClose is the magnitude of the gap between wheel and foot, relative to the radius of the wheel, up to which the joint counts as
// closed: then the wheel may not be deeper in the ground elsewhere. With a larger gap the joint is still being closed.
const standClose = 1e-3

// checkStand is checkCurves for the wheel of joint j on its terrain: it returns an error that wraps ErrStand if the wheel has no foot, or
// is deeper in the ground at another point.
func (m *Mechanism) checkStand(j int, jk *JointKinematics) error {
	jt := &m.Joints[j]
	var at joints.Stand
	jt.StandTo(&at, &jk.Frames)
	x, y := at.Foot[0], at.Foot[1]
	switch {
	case at.Holds && (!at.Deeper || max(at.Gap, -at.Gap) > standClose*jt.Radius):
		return nil
	case at.Holds:
		return m.AtJoint(j, -1, fault.Errorf("%w in one place: it touches at (%.6g, %.6g), and is in the ground at (%.6g, %.6g, %.6g)",
			ErrStand, x, y, at.Other[0], at.Other[1], at.Other[2]))
	case at.Err != nil:
		return m.AtJoint(j, -1, fault.Errorf("%w: %w at (%.6g, %.6g)", ErrStand, at.Err, x, y))
	case at.Flat:
		return m.AtJoint(j, -1, fault.Errorf("%w: it lies flat at (%.6g, %.6g)", ErrStand, x, y))
	}
	return m.AtJoint(j, -1, fault.Errorf("%w: near (%.6g, %.6g) the ground is as hollow as the wheel is round, or more: "+
		"%.3g is left of its curvature", ErrStand, x, y, at.Hollow))
}
