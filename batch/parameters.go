package batch

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrParameter is wrapped by the errors of the setters of parameters (Options.Vary). The state has not changed then.
var ErrParameter = errors.New("batch: parameter refused")

// refuse returns err as an error of state i that wraps ErrParameter; at adds the body, joint or force.
func refuse(i int, at func(error) error, err error) error {
	return fault.Errorf("batch: %w", at(fault.Errorf("%w: state %d: %w", ErrParameter, i, err)))
}

// SetBody sets in state i mass, kg, centre of mass, m, body frame, and inertia about the centre of mass, kg m², body axes, of a
// body of Vary.Bodies. The frames of its joints stay where they are in the body.
//
// Cost: O(1), some 100 ns, no allocation. It returns an error that names body, state and value and wraps
// ErrParameter for a mass that is not positive, and an inertia that is not positive definite or breaks the triangle
// inequality (bodies.ErrMass and its kin). It panics if i is out of range or the body does not vary.
func (s *States) SetBody(i, body int, mass float64, com spatial.Vec3, inertia spatial.Sym3) error {
	s.mustHave(i)
	at := s.mustVary(s.of.at.Body, body)
	m := s.of.plan.Mechanism()
	b, err := bodies.New(mass, com, inertia)
	if err == nil {
		if _, n := b.Null(); n > 0 {
			err = fault.Errorf("batch: inertia %v is not positive definite: %w", inertia, bodies.ErrInertia)
		}
	}
	if err != nil {
		return refuse(i, func(err error) error { return m.AtBody(body, err) }, err)
	}
	s.setBody(i, at, &b)
	return nil
}

// Body returns mass, centre of mass and inertia of a body in state i, in the form of SetBody.
//
// It panics if i or the body is out of range.
func (s *States) Body(i, body int) (mass float64, com spatial.Vec3, inertia spatial.Sym3) {
	s.mustHave(i)
	b := s.bodyOf(i, body)
	return b.Mass, b.Com, b.Inertia
}

// setBody stores the constants of a body, which begin at the place at.
func (s *States) setBody(i, at int, b *bodies.Body) {
	var data [bodyData]float64
	mechanics.BodyConstantsTo(&data, b)
	s.put(i, at, data[:]...)
	s.known[i], s.held[i] = unknown, false
}

// bodyOf returns a body as it is in state i.
func (s *States) bodyOf(i, body int) bodies.Body {
	at := s.of.at.Body[body]
	if at == 0 {
		return s.of.plan.Mechanism().Bodies[body]
	}
	var com spatial.Vec3
	var I spatial.Sym3
	s.take(i, at+atInertia, I[:])
	s.take(i, at+atCom, com[:])
	b, err := bodies.New(*s.at(i, at+atOwnMass), com, I)
	if err != nil {
		panic("batch: foreign numbers") // cannot happen, as SetBody has accepted them
	}
	return b
}

// SetFrames sets in state i the frames of a joint of Vary.Joints in its two bodies, p in the predecessor and q in the successor: E has
// the axes of a frame as columns, and Origin is in m, body frames. So lengths of links change. The state may violate the joints
// afterwards (Batch.CloseJoints).
//
// Cost: O(1), no allocation. It returns an error that names joint, state and value and wraps ErrParameter for
// numbers that are not finite, and for axes that are not orthogonal unit vectors. It panics if i is out of range or
// the joint does not vary.
func (s *States) SetFrames(i, joint int, p, q mechanism.Frame) error {
	s.mustHave(i)
	at := s.mustVary(s.of.at.Joint, joint)
	for k, f := range [2]*mechanism.Frame{&p, &q} {
		if err := f.Check(); err != nil {
			err = fault.Errorf("batch: %s frame: %w", [2]string{"predecessor", "successor"}[k], err)
			return refuse(i, s.atJoint(joint), err)
		}
	}
	s.setFrames(i, at, &p, &q)
	s.known[i], s.held[i] = unknown, false
	return nil
}

// Frames returns the frames of a joint in state i.
//
// It panics if i or the joint is out of range.
func (s *States) Frames(i, joint int) (p, q mechanism.Frame) {
	s.mustHave(i)
	at, jt := s.of.at.Joint[joint], &s.of.plan.Mechanism().Joints[joint]
	if at == 0 {
		return jt.P, jt.S
	}
	for k, f := range [2]*mechanism.Frame{&p, &q} {
		o := at + 12*k
		s.take(i, o, f.E[:])
		s.take(i, o+9, f.Origin[:])
	}
	return p, q
}

// setFrames stores the frames p and q of a joint, whose numbers begin at the place at.
func (s *States) setFrames(i, at int, p, q *mechanism.Frame) {
	for k, f := range [2]*mechanism.Frame{p, q} {
		s.put(i, at+12*k, f.E[:]...)
		s.put(i, at+12*k+9, f.Origin[:]...)
	}
	turn := mechanics.TurnOf(p, q)
	s.put(i, at+atTurn, turn[:]...)
}

// SetLength sets in state i the length, m, of a distance joint of Vary.Joints.
//
// It returns an error that names joint, state and value and wraps ErrParameter if the length is not positive and
// finite, or the joint of another type. It panics if i is out of range or the joint does not vary.
func (s *States) SetLength(i, joint int, length float64) error {
	s.mustHave(i)
	at := s.mustVary(s.of.at.Joint, joint)
	jt := &s.of.plan.Mechanism().Joints[joint]
	switch {
	case !hasLength(jt):
		return refuse(i, s.atJoint(joint), fault.Errorf("batch: length %v of a %v joint", length, jt.Kind))
	case !(length > 0) || !algebra.Finite(length):
		return refuse(i, s.atJoint(joint), fault.Errorf("batch: length %v is not positive and finite", length))
	}
	*s.at(i, at+atLength) = length
	s.known[i], s.held[i] = unknown, false
	return nil
}

// SetPitch sets in state i the pitch, m/rad, of a helical joint of Vary.Joints.
//
// It returns an error that names joint, state and value and wraps ErrParameter if the pitch is zero or not finite,
// or the joint of another type. It panics if i is out of range or the joint does not vary.
func (s *States) SetPitch(i, joint int, pitch float64) error {
	s.mustHave(i)
	at := s.mustVary(s.of.at.Joint, joint)
	jt := &s.of.plan.Mechanism().Joints[joint]
	switch {
	case !hasPitch(jt):
		return refuse(i, s.atJoint(joint), fault.Errorf("batch: pitch %v of a %v joint", pitch, jt.Kind))
	case pitch == 0 || !algebra.Finite(pitch):
		return refuse(i, s.atJoint(joint), fault.Errorf("batch: pitch %v is zero or not finite", pitch))
	}
	*s.at(i, at+atPitch) = -pitch // with the sign of mechanics.Pitch
	s.known[i], s.held[i] = unknown, false
	return nil
}

// SetArmature sets in state i the armature, kg m² or kg, of a freedom of Vary.Armature.
//
// It returns an error that names joint, state and value and wraps ErrParameter if the armature is not positive and
// finite. It panics if i is out of range or the freedom does not vary.
func (s *States) SetArmature(i int, f mechanism.Freedom, armature float64) error {
	s.mustHave(i)
	at := s.mustVaryFreedom(s.of.at.Gear, f)
	if !(armature > 0) || !algebra.Finite(armature) || !algebra.Finite(1/armature) {
		return refuse(i, s.atJoint(f.Joint), fault.Errorf("batch: armature %v of freedom %d is not positive and finite, or too small", armature, f.Freedom))
	}
	s.setArmature(i, at, armature)
	return nil
}

// setArmature stores an armature in state i, which may stand behind the last one; its numbers begin at the place at.
func (s *States) setArmature(i, at int, armature float64) {
	s.put(i, at, mechanics.InverseRoot(armature), 1/armature, armature)
}

// SetDrive sets in state i stiffness, N/m or N m/rad, damping, N s/m or N m s/rad, and rest, m or rad, of a freedom
// of Vary.Drives.
//
// It returns an error that names joint, state and value and wraps ErrParameter for numbers that are not finite, and
// for a stiffness of an angle without stiffness in the model, as the turns of such angles are not counted. It panics if i is out of
// range or the freedom does not vary.
func (s *States) SetDrive(i int, f mechanism.Freedom, stiffness, damping, rest float64) error {
	s.mustHave(i)
	at := s.mustVaryFreedom(s.of.at.Drive, f)
	switch {
	case !algebra.Finite(stiffness) || !algebra.Finite(damping) || !algebra.Finite(rest) || math.IsInf(stiffness*rest, 0):
		return refuse(i, s.atJoint(f.Joint), fault.Errorf("batch: stiffness %v, damping %v or rest %v of freedom %d is not finite", stiffness, damping, rest, f.Freedom))
	case stiffness != 0 && !takesStiffness(s.of.plan.Mechanism(), f):
		return refuse(i, s.atJoint(f.Joint), fault.Errorf("batch: stiffness %v of freedom %d, an angle without stiffness in the model", stiffness, f.Freedom))
	}
	s.setDrive(i, at, stiffness, damping, rest)
	return nil
}

// takesStiffness reports whether a freedom may have stiffness in a state: a displacement always, an angle where it has some in the model,
// as its turns are counted then.
func takesStiffness(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	k := m.Joints[f.Joint].Kind
	return k.Scalar(f.Freedom) && (!k.Rotational(f.Freedom) || m.Drive(f.Joint).Stiffness[f.Freedom] != 0)
}

// setDrive stores a spring and damper in state i, which may stand behind the last one; its numbers begin at the place at.
func (s *States) setDrive(i, at int, stiffness, damping, rest float64) {
	s.put(i, at, stiffness, stiffness*rest, damping, rest)
}

// SetSpring sets in state i stiffness, N/m, damping, N s/m, and rest length, m, of a force element of Vary.Springs.
//
// It returns an error that names force, state and value and wraps ErrParameter for numbers that are not finite. It
// panics if i is out of range or the element does not vary.
func (s *States) SetSpring(i, force int, stiffness, damping, restLength float64) error {
	s.mustHave(i)
	at := s.mustVary(s.of.at.Spring, force)
	if !algebra.Finite(stiffness) || !algebra.Finite(damping) || !algebra.Finite(restLength) {
		m := s.of.plan.Mechanism()
		err := fault.Errorf("batch: stiffness %v, damping %v or rest length %v is not finite", stiffness, damping, restLength)
		return refuse(i, func(err error) error { return m.AtForce(force, err) }, err)
	}
	s.put(i, at, stiffness, damping, restLength)
	return nil
}

// mustVary returns entry k of a list of places in a state. It panics if there is none, as the parameter does not vary.
func (s *States) mustVary(list []int, k int) int {
	if uint(k) >= uint(len(list)) || list[k] == 0 {
		panic("batch: this does not vary; use Options.Vary")
	}
	return list[k]
}

// mustVaryFreedom is mustVary for a list by freedoms.
func (s *States) mustVaryFreedom(list []int, f mechanism.Freedom) int {
	if uint(f.Freedom) >= 6 || f.Joint < 0 {
		panic("batch: this does not vary; use Options.Vary")
	}
	return s.mustVary(list, 6*f.Joint+f.Freedom)
}

// atJoint returns the function that adds joint j to an error.
func (s *States) atJoint(j int) func(error) error {
	m := s.of.plan.Mechanism()
	return func(err error) error { return m.AtJoint(j, -1, err) }
}
