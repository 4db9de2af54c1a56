package mechanism

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// axesTol is the largest magnitude of an entry of EᵀE − 1 that counts as rounding of the axes E of a frame.
const axesTol = 1e-12

// Vary gives the inputs copies of the bodies and joints. SetBody,
// SetFrames, SetLength, SetPitch and SetArmature can then change the copies.
//
// Call it before a workspace is made for Mechanism. Solvers of kkt, their closers and the systems of package assemble
// read the numbers of bodies and joints whenever they compute. All others read them when they are made; package tree does not accept
// such inputs. Reset restores the numbers of the model.
//
// Cost: O(bodies + joints).
func (in *Inputs) Vary() {
	v := &in.view
	if v.edition != nil {
		return
	}
	v.edition = new(uint64)
	*v.edition = 1
	v.Bodies = slices.Clone(v.Bodies)
	if len(v.driven) == 0 { // else NewInputs has copied them
		v.Joints = slices.Clone(v.Joints)
	}
	own := make([]JointSpec, len(v.Joints))
	for j := range v.Joints {
		own[j] = *v.Joints[j].JointSpec
		if a := own[j].Armature; a != nil {
			armature := *a
			own[j].Armature = &armature
		}
		v.Joints[j].JointSpec = &own[j]
	}
}

// Varies reports whether Vary has been called.
func (in *Inputs) Varies() bool { return in.view.edition != nil }

// Edition returns a number that grows with each change of the bodies and joints by Inputs. It is zero without Inputs.Vary.
func (m *Mechanism) Edition() uint64 {
	if m.edition == nil {
		return 0
	}
	return *m.edition
}

// SetBody sets the mass, centre of mass and inertia of body i. The inertia must be regular before and after.
//
// It returns an error that names the body and wraps ErrInput if an inertia has directions without inertia. It panics without Vary, or
// if b is nil or was not made by package bodies.
func (in *Inputs) SetBody(i int, b *bodies.Body) error {
	v := in.varied()
	if b == nil {
		panic("mechanism: no body")
	}
	b.Weight() // panics for a body that bodies.New has not made
	if uint(i) >= uint(len(v.Bodies)) {
		panic("mechanism: body out of range")
	}
	if v.Bodies[i] == *b {
		return nil
	}
	for _, x := range [2]*bodies.Body{b, &v.Bodies[i]} {
		if _, n := x.Null(); n > 0 {
			return v.AtBody(i, fault.Errorf("%w: inertia %v has none in some direction, which inputs cannot change", ErrInput, x.Inertia))
		}
	}
	v.Bodies[i] = *b
	*v.edition++
	return nil
}

// SetFrames sets the frames of joint j: p in the predecessor, s in the successor.
//
// It returns an error that names the joint and wraps ErrInput for numbers that are not finite, and for axes that
// are not right-handed orthogonal unit vectors. It panics without Vary, or if a frame is nil.
func (in *Inputs) SetFrames(j int, p, s *Frame) error {
	v := in.varied()
	v.mustJoint(j)
	jt := &v.Joints[j]
	if p == nil || s == nil {
		panic("mechanism: no frame")
	}
	if jt.P == *p && jt.S == *s {
		return nil
	}
	for k, f := range [2]*Frame{p, s} {
		if err := f.Check(); err != nil {
			return v.AtJoint(j, -1, fault.Errorf("%w: %s frame: %w", ErrInput, [2]string{"predecessor", "successor"}[k], err))
		}
	}
	jt.P, jt.S = *p, *s
	*v.edition++
	return nil
}

// Check returns an error if a number of f is not finite, or its axes are not right-handed orthogonal unit vectors.
func (f *Frame) Check() error {
	if !finiteVec(&f.Origin) {
		return fault.Errorf("mechanism: origin %v is not finite", f.Origin)
	}
	unit := spatial.Identity3()
	for k, x := range f.E.TMul(f.E) {
		if !(math.Abs(x-unit[k]) <= axesTol) {
			return fault.Errorf("mechanism: axes %v are not orthogonal unit vectors", f.E)
		}
	}
	if z := f.E.Col(0).Cross(f.E.Col(1)); z.Dot(f.E.Col(2)) < 0 {
		return fault.Errorf("mechanism: axes %v are left-handed", f.E)
	}
	return nil
}

// SetLength sets the length of distance joint j, m.
//
// It returns an error that names the joint and wraps ErrInput if the joint is of another type, or the length is not
// positive and finite. It panics without Vary.
func (in *Inputs) SetLength(j int, length float64) error {
	v := in.varied()
	v.mustJoint(j)
	jt := &v.Joints[j]
	switch {
	case jt.Length == 0:
		return v.AtJoint(j, -1, fault.Errorf("%w: length %v of a %v joint", ErrInput, length, jt.Kind))
	case !(length > 0) || !algebra.Finite(length):
		return v.AtJoint(j, -1, fault.Errorf("%w: length %v is not positive and finite", ErrInput, length))
	}
	if jt.Length != length {
		jt.Length = length
		*v.edition++
	}
	return nil
}

// SetPitch sets the pitch of helical joint j, m/rad.
//
// It returns an error that names the joint and wraps ErrInput if the joint is of another type, or the pitch is zero
// or not finite. It panics without Vary.
func (in *Inputs) SetPitch(j int, pitch float64) error {
	v := in.varied()
	v.mustJoint(j)
	jt := &v.Joints[j]
	switch {
	case jt.Pitch == 0:
		return v.AtJoint(j, -1, fault.Errorf("%w: pitch %v of a %v joint", ErrInput, pitch, jt.Kind))
	case pitch == 0 || !algebra.Finite(pitch):
		return v.AtJoint(j, -1, fault.Errorf("%w: pitch %v is zero or not finite", ErrInput, pitch))
	}
	if jt.Pitch != pitch {
		jt.Pitch = pitch
		*v.edition++
	}
	return nil
}

// SetArmature sets the armature of freedom i of joint j, kg m² or kg. The freedom must have armature in the
// model and may not be prescribed.
//
// It returns an error that names the joint and wraps ErrInput if the freedom is not such, or the armature is not positive
// and finite, or is so small that its inverse overflows. It panics without Vary.
func (in *Inputs) SetArmature(j, i int, armature float64) error {
	v := in.varied()
	if err := in.check(j, i, "armature", armature); err != nil {
		return err
	}
	jt := &v.Joints[j]
	switch {
	case !jt.Geared(i):
		return v.AtJoint(j, -1, fault.Errorf("%w: armature %v of freedom %d, which has none in the model or is prescribed", ErrInput, armature, i))
	case !(armature > 0) || math.IsInf(1/armature, 0):
		return v.AtJoint(j, -1, fault.Errorf("%w: armature %v of freedom %d is not positive, or too small", ErrInput, armature, i))
	}
	if jt.Armature[i] != armature {
		jt.Armature[i] = armature
		*v.edition++
	}
	return nil
}

// varied returns the mechanism of the inputs, with copies of bodies and joints. It panics without Vary.
func (in *Inputs) varied() *Mechanism {
	if in.view.edition == nil {
		panic("mechanism: inputs without bodies of their own; use Inputs.Vary")
	}
	return &in.view
}

// resetVaried restores the bodies and joints of the model, if Vary has been called.
func (in *Inputs) resetVaried() {
	v, m := &in.view, in.model
	if v.edition == nil {
		return
	}
	copy(v.Bodies, m.Bodies)
	for j := range v.Joints {
		to, from := &v.Joints[j], &m.Joints[j]
		to.P, to.S, to.Length, to.Pitch = from.P, from.S, from.Length, from.Pitch
		if from.Armature != nil {
			*to.Armature = *from.Armature
		}
	}
	*v.edition++
}
