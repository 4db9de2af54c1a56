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

// ErrParameter is wrapped by the errors of the setters of what varies (Options.Vary). Nothing has changed then.
var ErrParameter = errors.New("batch: parameter refused")

// What lanes know of a state's parameters: whether they are within what doubles solve (kkt.Plan.WhyOneByOne).
const (
	unknown uint8 = iota
	together
	apart
)

// refuse returns an error at a place of the model, in a state.
func refuse(i int, at func(error) error, err error) error {
	return fault.Errorf("batch: %w", at(fault.Errorf("%w: state %d: %w", ErrParameter, i, err)))
}

// SetBody sets in state i mass, kg, centre of mass, m, body frame, and inertia about it, kg m², body axes, of a
// body of Vary.Bodies. The joints stay where they are in the body.
//
// Cost: O(1), some 100 ns, no allocation. It returns an error that names body, state and value and wraps
// ErrParameter for a mass that is not positive, and an inertia that is not positive definite or breaks the triangle
// inequality (bodies.ErrMass and its kin). It panics if i is out of range or the body does not vary.
func (s *States) SetBody(i, body int, mass float64, com spatial.Vec3, inertia spatial.Sym3) error {
	s.mustHave(i)
	at := s.mustVary(s.batch.at.Body, body)
	m := s.batch.plan.Mechanism()
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

// Body returns mass, centre of mass and inertia of a body in state i, as those of SetBody.
//
// It panics if i or the body is out of range.
func (s *States) Body(i, body int) (mass float64, com spatial.Vec3, inertia spatial.Sym3) {
	s.mustHave(i)
	b := s.bodyOf(i, body)
	return b.Mass, b.Com, b.Inertia
}

func (s *States) setBody(i, at int, b *bodies.Body) {
	var data [bodyData]float64
	mechanics.BodyConstantsTo(&data, b)
	s.put(i, at, data[:]...)
	s.known[i], s.held[i] = unknown, false
}

// bodyOf returns a body as it is in state i.
func (s *States) bodyOf(i, body int) bodies.Body {
	at := s.batch.at.Body[body]
	if at == 0 {
		return s.batch.plan.Mechanism().Bodies[body]
	}
	var com spatial.Vec3
	var I spatial.Sym3
	s.take(i, at+atInertia, I[:])
	s.take(i, at+atCom, com[:])
	b, err := bodies.New(*s.at(i, at+atOwnMass), com, I)
	if err != nil {
		panic("batch: foreign numbers") // as SetBody has let them pass
	}
	return b
}

// SetFrames places in state i a joint of Vary.Joints in its two bodies, the predecessor and the successor: E has
// the axes of a frame as columns, and Origin is in m, body frames. So links have other lengths. The state is to
// satisfy the joints then (CloseJoints).
//
// Cost: O(1), no allocation. It returns an error that names joint, state and value and wraps ErrParameter for
// numbers that are not finite, and for axes that are not orthogonal unit vectors. It panics if i is out of range or
// the joint does not vary.
func (s *States) SetFrames(i, joint int, p, q mechanism.Frame) error {
	s.mustHave(i)
	at := s.mustVary(s.batch.at.Joint, joint)
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
	at, jt := s.batch.at.Joint[joint], &s.batch.plan.Mechanism().Joints[joint]
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
	at := s.mustVary(s.batch.at.Joint, joint)
	jt := &s.batch.plan.Mechanism().Joints[joint]
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
	at := s.mustVary(s.batch.at.Joint, joint)
	jt := &s.batch.plan.Mechanism().Joints[joint]
	switch {
	case !hasPitch(jt):
		return refuse(i, s.atJoint(joint), fault.Errorf("batch: pitch %v of a %v joint", pitch, jt.Kind))
	case pitch == 0 || !algebra.Finite(pitch):
		return refuse(i, s.atJoint(joint), fault.Errorf("batch: pitch %v is zero or not finite", pitch))
	}
	*s.at(i, at+atPitch) = -pitch
	return nil
}

// SetArmature sets in state i the armature, kg m² or kg, of a freedom of Vary.Armature.
//
// It returns an error that names joint, state and value and wraps ErrParameter if the armature is not positive and
// finite. It panics if i is out of range or the freedom does not vary.
func (s *States) SetArmature(i int, f mechanism.Freedom, armature float64) error {
	s.mustHave(i)
	at := s.mustVaryFreedom(s.batch.at.Gear, f)
	if !(armature > 0) || !algebra.Finite(armature) || !algebra.Finite(1/armature) {
		return refuse(i, s.atJoint(f.Joint), fault.Errorf("batch: armature %v of freedom %d is not positive and finite, or too small", armature, f.Freedom))
	}
	s.setArmature(i, at, armature)
	return nil
}

func (s *States) setArmature(i, at int, armature float64) {
	s.put(i, at, mechanics.InverseRoot(armature), 1/armature, armature)
}

// SetDrive sets in state i stiffness, N/m or N m/rad, damping, N s/m or N m s/rad, and rest, m or rad, of a freedom
// of Vary.Drives.
//
// It returns an error that names joint, state and value and wraps ErrParameter for numbers that are not finite, and
// for a stiffness of an angle that has none in the model, as its turns are not counted. It panics if i is out of
// range or the freedom does not vary.
func (s *States) SetDrive(i int, f mechanism.Freedom, stiffness, damping, rest float64) error {
	s.mustHave(i)
	at := s.mustVaryFreedom(s.batch.at.Drive, f)
	m := s.batch.plan.Mechanism()
	jt := &m.Joints[f.Joint]
	switch d := m.Drive(f.Joint); {
	case !algebra.Finite(stiffness) || !algebra.Finite(damping) || !algebra.Finite(rest) || math.IsInf(stiffness*rest, 0):
		return refuse(i, s.atJoint(f.Joint), fault.Errorf("batch: stiffness %v, damping %v or rest %v of freedom %d is not finite", stiffness, damping, rest, f.Freedom))
	case stiffness != 0 && d.Stiffness[f.Freedom] == 0 && (jt.Kind.Rotational(f.Freedom) || !jt.Kind.Scalar(f.Freedom)):
		return refuse(i, s.atJoint(f.Joint), fault.Errorf("batch: stiffness %v of freedom %d, an angle without stiffness in the model", stiffness, f.Freedom))
	}
	s.setDrive(i, at, stiffness, damping, rest)
	return nil
}

func (s *States) setDrive(i, at int, stiffness, damping, rest float64) {
	s.put(i, at, stiffness, stiffness*rest, damping, rest)
}

// SetSpring sets in state i stiffness, N/m, damping, N s/m, and rest length, m, of a force element of Vary.Springs.
//
// It returns an error that names force, state and value and wraps ErrParameter for numbers that are not finite. It
// panics if i is out of range or the element does not vary.
func (s *States) SetSpring(i, force int, stiffness, damping, restLength float64) error {
	s.mustHave(i)
	at := s.mustVary(s.batch.at.Spring, force)
	if !algebra.Finite(stiffness) || !algebra.Finite(damping) || !algebra.Finite(restLength) {
		m := s.batch.plan.Mechanism()
		err := fault.Errorf("batch: stiffness %v, damping %v or rest length %v is not finite", stiffness, damping, restLength)
		return refuse(i, func(err error) error { return m.AtForce(force, err) }, err)
	}
	s.put(i, at, stiffness, damping, restLength)
	return nil
}

// InputsTo gives in what acts in state i, but for wrenches, and its parameters, so that a solver, a closer or a
// simulation of a plan under in (kkt.Plan.With) has the mechanism of that state.
//
// Cost: O(what varies), no allocation. It returns an error that wraps mechanism.ErrInput for gravity or forces that
// are not finite. It panics if i is out of range, if in is of another mechanism, and if bodies, joints or armature
// vary and in has none of its own (mechanism.Inputs.Vary).
func (s *States) InputsTo(in *mechanism.Inputs, i int) error {
	s.mustHave(i)
	if in == nil || !in.Are(s.batch.plan.Mechanism()) {
		panic("batch: foreign inputs")
	}
	return s.inputsTo(in, i)
}

func (s *States) inputsTo(in *mechanism.Inputs, i int) error {
	g := spatial.Vec3{*s.at(i, 1), *s.at(i, 2), *s.at(i, 3)}
	if err := in.SetGravity(g); err != nil {
		return err
	}
	b := s.batch
	for k, f := range b.options.Forces {
		if err := in.SetForce(f.Joint, f.Freedom, *s.at(i, b.forcePlace(k))); err != nil {
			return err
		}
	}
	if !b.at.any {
		return nil
	}
	vary := &b.options.Vary
	for _, k := range vary.Bodies {
		x := s.bodyOf(i, k)
		if err := in.SetBody(k, &x); err != nil {
			return err
		}
	}
	for _, j := range vary.Joints {
		if err := s.jointTo(in, i, j); err != nil {
			return err
		}
	}
	for _, f := range vary.Armature {
		if err := in.SetArmature(f.Joint, f.Freedom, *s.at(i, b.at.Gear[6*f.Joint+f.Freedom]+atArmature)); err != nil {
			return err
		}
	}
	for _, f := range vary.Drives {
		if err := s.driveTo(in, i, f); err != nil {
			return err
		}
	}
	for _, k := range vary.Springs {
		var x [mechanics.SpringPlaces]float64
		s.take(i, b.at.Spring[k], x[:])
		if err := in.SetSpringDamper(k, x[0], x[1], x[2]); err != nil {
			return err
		}
	}
	for _, f := range vary.Friction {
		if err := in.SetFriction(f.Joint, f.Freedom, s.Friction(i, f)); err != nil {
			return err
		}
	}
	return nil
}

// jointTo gives in the numbers of joint j in state i.
func (s *States) jointTo(in *mechanism.Inputs, i, j int) error {
	p, q := s.Frames(i, j)
	if err := in.SetFrames(j, &p, &q); err != nil {
		return err
	}
	at, jt := s.batch.at.Joint[j], &s.batch.plan.Mechanism().Joints[j]
	switch {
	case hasLength(jt):
		return in.SetLength(j, *s.at(i, at+atLength))
	case hasPitch(jt):
		return in.SetPitch(j, -*s.at(i, at+atPitch))
	}
	return nil
}

// driveTo gives in the spring and damper of a freedom in state i.
func (s *States) driveTo(in *mechanism.Inputs, i int, f mechanism.Freedom) error {
	var x [mechanics.DrivePlaces]float64
	s.take(i, s.batch.at.Drive[6*f.Joint+f.Freedom], x[:])
	if err := in.SetDamping(f.Joint, f.Freedom, x[atDamping]); err != nil {
		return err
	}
	if !s.batch.plan.Mechanism().Joints[f.Joint].Kind.Scalar(f.Freedom) || x[atStiffness] == 0 && s.batch.plan.Mechanism().Drive(f.Joint).Stiffness[f.Freedom] == 0 {
		return nil
	}
	if err := in.SetStiffness(f.Joint, f.Freedom, x[atStiffness]); err != nil {
		return err
	}
	return in.SetRest(f.Joint, f.Freedom, x[atRest])
}

// setParameters gives state i, which may stand behind the last one, the numbers of the model.
func (s *States) setParameters(i int) {
	b, m := s.batch, s.batch.plan.Mechanism()
	vary := &b.options.Vary
	for _, k := range vary.Bodies {
		s.setBody(i, b.at.Body[k], &m.Bodies[k])
	}
	for _, j := range vary.Joints {
		at, jt := b.at.Joint[j], &m.Joints[j]
		s.setFrames(i, at, &jt.P, &jt.S)
		s.put(i, at+atLength, jt.Length, -jt.Pitch)
	}
	for _, f := range vary.Armature {
		s.setArmature(i, b.at.Gear[6*f.Joint+f.Freedom], m.Joints[f.Joint].Armature[f.Freedom])
	}
	for _, f := range vary.Drives {
		d := m.Drive(f.Joint)
		s.setDrive(i, b.at.Drive[6*f.Joint+f.Freedom], d.Stiffness[f.Freedom], d.Damping[f.Freedom], d.Rest[f.Freedom])
	}
	for _, k := range vary.Springs {
		e := &m.Forces[k]
		s.put(i, b.at.Spring[k], e.Stiffness, e.Damping, e.RestLength)
	}
	for _, f := range vary.Friction {
		x, _ := m.Friction(f.Joint, f.Freedom)
		s.setFriction(i, f, &x)
	}
}

// CopyParameters gives state i the parameters of state k of from, which is of the same batch.
//
// It panics if i or k is out of range or from is of another batch.
func (s *States) CopyParameters(i int, from *States, k int) {
	s.mustHave(i)
	if from == nil || from.batch != s.batch {
		panic("batch: foreign states")
	}
	from.mustHave(k)
	for at := s.batch.at.first; at < s.batch.at.Length; at++ {
		*s.at(i, at) = *from.at(k, at)
	}
	s.known[i], s.held[i] = from.known[k], false
}

// put stores numbers of state i from a place on, and take reads them.
func (s *States) put(i, at int, list ...float64) {
	for k, x := range list {
		*s.at(i, at+k) = x
	}
}

func (s *States) take(i, at int, list []float64) {
	for k := range list {
		list[k] = *s.at(i, at+k)
	}
}

// mustVary returns the place of what varies, and panics if it does not.
func (s *States) mustVary(list []int, k int) int {
	if uint(k) >= uint(len(list)) || list[k] == 0 {
		panic("batch: this does not vary; use Options.Vary")
	}
	return list[k]
}

func (s *States) mustVaryFreedom(list []int, f mechanism.Freedom) int {
	if uint(f.Freedom) >= 6 || f.Joint < 0 {
		panic("batch: this does not vary; use Options.Vary")
	}
	return s.mustVary(list, 6*f.Joint+f.Freedom)
}

func (s *States) atJoint(j int) func(error) error {
	m := s.batch.plan.Mechanism()
	return func(err error) error { return m.AtJoint(j, -1, err) }
}
