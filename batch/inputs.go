package batch

import (
	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// InputsTo sets in to the gravity, forces and parameters of state i, but not its wrenches. A solver, a closer or a
// simulation of a plan under in (kkt.Plan.With) then has the mechanism of that state.
//
// Cost: O(parameters that vary), no allocation. It returns an error that wraps mechanism.ErrInput for gravity or forces that
// are not finite. It panics if i is out of range, if in is of another mechanism, and if bodies, joints or armature
// vary and in has none of its own (mechanism.Inputs.Vary).
func (s *States) InputsTo(in *mechanism.Inputs, i int) error {
	s.mustHave(i)
	if in == nil || !in.Are(s.of.plan.Mechanism()) {
		panic("batch: foreign inputs")
	}
	return s.inputsTo(in, i)
}

// inputsTo is InputsTo without its checks.
func (s *States) inputsTo(in *mechanism.Inputs, i int) error {
	g := spatial.Vec3{*s.at(i, 1), *s.at(i, 2), *s.at(i, 3)}
	if err := in.SetGravity(g); err != nil {
		return err
	}
	b := s.of
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

// jointTo copies frames, length and pitch of joint j from state i to in.
func (s *States) jointTo(in *mechanism.Inputs, i, j int) error {
	p, q := s.Frames(i, j)
	if err := in.SetFrames(j, &p, &q); err != nil {
		return err
	}
	at, jt := s.of.at.Joint[j], &s.of.plan.Mechanism().Joints[j]
	switch {
	case hasLength(jt):
		return in.SetLength(j, *s.at(i, at+atLength))
	case hasPitch(jt):
		return in.SetPitch(j, -*s.at(i, at+atPitch))
	}
	return nil
}

// driveTo copies spring and damper of a freedom from state i to in.
func (s *States) driveTo(in *mechanism.Inputs, i int, f mechanism.Freedom) error {
	var x [mechanics.DrivePlaces]float64
	s.take(i, s.of.at.Drive[6*f.Joint+f.Freedom], x[:])
	if err := in.SetDamping(f.Joint, f.Freedom, x[atDamping]); err != nil {
		return err
	}
	if !takesStiffness(s.of.plan.Mechanism(), f) {
		return nil
	}
	if err := in.SetStiffness(f.Joint, f.Freedom, x[atStiffness]); err != nil {
		return err
	}
	return in.SetRest(f.Joint, f.Freedom, x[atRest])
}

// setParameters sets the parameters of state i to the values of the model. i may be behind the last state.
func (s *States) setParameters(i int) {
	b, m := s.of, s.of.plan.Mechanism()
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

// CopyParameters copies the parameters of state k of from to state i. from is of the same batch.
//
// It panics if i or k is out of range or from is of another batch.
func (s *States) CopyParameters(i int, from *States, k int) {
	s.mustHave(i)
	if from == nil || from.of != s.of {
		panic("batch: foreign states")
	}
	from.mustHave(k)
	for at := s.of.at.first; at < s.of.at.Length; at++ {
		*s.at(i, at) = *from.at(k, at)
	}
	s.known[i], s.held[i] = from.known[k], false
}
