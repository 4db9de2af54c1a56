package batch

import (
	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// SetFriction sets in state i the dry friction of a freedom of Vary.Friction, as mechanism.Inputs.SetFriction does: force,
// N m or N, or coefficient and radius, m, of a bearing; speed, static and stribeck. Zeros stand for the defaults of the format.
// Friction.Hold stays as in the model.
//
// For a value that mechanism.Inputs.SetFriction refuses, it returns an error that names joint, state and value and wraps ErrParameter. It
// panics if i is out of range or the freedom does not vary.
func (s *States) SetFriction(i int, f mechanism.Freedom, friction model.Friction) error {
	s.mustHave(i)
	s.mustVaryFreedom(s.of.at.Rub, f)
	m := s.of.plan.Mechanism()
	if err := m.CheckFriction(f.Joint, f.Freedom, &friction); err != nil {
		return refuse(i, s.atJoint(f.Joint), err)
	}
	friction = friction.WithDefaults(m.Joints[f.Joint].Kind.Rotational(f.Freedom))
	s.setFriction(i, f, &friction)
	return nil
}

// Friction returns the dry friction of a freedom in state i, with the defaults of the format in the place of zeros. The rotations of a
// ball have one friction.
//
// It panics if i or the joint is out of range.
func (s *States) Friction(i int, f mechanism.Freedom) model.Friction {
	s.mustHave(i)
	m := s.of.plan.Mechanism()
	out, ok := m.Friction(f.Joint, f.Freedom)
	if ok && !m.Joints[f.Joint].Kind.Scalar(f.Freedom) {
		f.Freedom = 0 // the first rotation of a ball, which has the numbers of all three
	}
	if uint(f.Freedom) >= 6 || s.of.at.Rub[6*f.Joint+f.Freedom] == 0 {
		return out
	}
	var x [mechanics.FrictionPlaces]float64
	s.take(i, s.of.at.Rub[6*f.Joint+f.Freedom], x[:])
	out.Force, out.Coefficient, out.Radius, out.Speed, out.Static, out.Stribeck = x[0], x[1], x[2], x[3], x[4], x[5]
	return out
}

// setFriction stores the numbers of a friction in state i, which may stand behind the last one.
func (s *States) setFriction(i int, f mechanism.Freedom, x *model.Friction) {
	s.put(i, s.of.at.Rub[6*f.Joint+f.Freedom], x.Force, x.Coefficient, x.Radius, x.Speed, x.Static, x.Stribeck)
}
