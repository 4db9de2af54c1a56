package assemble

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// FeedBack adds −2α·δ̇ − β²·δ to the right side of the constraints' rows, theory.md (47), with δ and δ̇ their errors at
// position and velocity level at s. y has been filled at s. alpha and beta are in 1/s.
//
// Cost: O(joints), no allocation. It returns joints.ErrNoDirection with the name of the joint, as FillTo does.
func (y *Weighted) FeedBack(s *mechanism.State, alpha, beta float64) error {
	p, mech := y.Layout.Pattern, y.Layout.Mech
	var jk mechanism.JointKinematics
	var delta, rate [6]float64
	for node := p.Positive(); node < p.Len(); node++ {
		rows := int32(1)
		if j := y.Layout.NodeJoint(node); j >= 0 {
			jt := &mech.Joints[j]
			rows = jt.Rows
			mech.JointTo(&jk, j, y.Kin, s)
			jt.PositionErrorTo(&delta, &jk.Frames, s.Time)
			if err := jt.VelocityErrorTo(&rate, &jk.Frames, s.Time); err != nil {
				return fault.Errorf("assemble: %w", mech.AtJoint(j, -1, err))
			}
		} else {
			delta[0], rate[0] = mech.CouplingErrors(y.Layout.NodeConstraint(node)-mech.NumJoints(), y.Kin, s)
		}
		b := y.Right[p.Off[node]:][:rows]
		for k := range b {
			b[k] -= 2*alpha*rate[k] + beta*beta*delta[k]
		}
	}
	return nil
}
