package rung

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Builder makes a model in Go. Bodies and joints are placed where they are in
// the world; the builder works out the frames in the bodies. What it makes is
// the same model.Model that Open reads, and model.Write writes it.
//
// A Builder collects all errors; Model returns them together.
type Builder struct {
	m     *model.Model
	poses []pose
	errs  []error
}

// Body is the handle of a body of a Builder.
type Body int

// World is the handle of the fixed frame.
const World Body = -1

// Place is a frame in the world: an origin and an orientation, whose z axis is
// the axis of a revolute, prismatic, helical or cylindrical joint.
type Place struct {
	Origin      spatial.Vec3 // m
	Orientation spatial.Quat // frame → world; all zeros stand for the identity
}

// pose is a body frame in the world.
type pose struct {
	at spatial.Vec3
	q  spatial.Quat
}

// NewBuilder starts a model. Gravity is −9.81 m/s² along world z.
func NewBuilder(name string) *Builder { return &Builder{m: model.New(name)} }

// Gravity sets the gravity vector, m/s², and returns b.
func (b *Builder) Gravity(x, y, z float64) *Builder {
	b.mustBe()
	b.m.Gravity = [3]float64{x, y, z}
	return b
}

// At is a place with the world's axes.
func At(x, y, z float64) Place { return Place{Origin: spatial.Vec3{x, y, z}} }

// WithZ returns p turned by the shortest way so that its z axis has the
// direction of axis.
//
// It panics if axis is zero or not finite.
func (p Place) WithZ(axis spatial.Vec3) Place {
	p.Orientation = turnTo(spatial.Vec3{0, 0, 1}, axis)
	return p
}

// turnTo returns the shortest rotation that takes the unit vector from to the
// direction of to.
func turnTo(from, to spatial.Vec3) spatial.Quat {
	if !isDirection(to) {
		panic("rung: direction is zero or not finite")
	}
	big := max(math.Abs(to[0]), math.Abs(to[1]), math.Abs(to[2])) // whose reciprocal, or square, may be infinite
	for i := range to {
		to[i] /= big
	}
	to = to.Scale(1 / to.Norm())
	c := from.Dot(to)
	if c < -0.999999 { // nearly opposite: half a turn first, about any normal
		side := from.Cross(spatial.Vec3{1, 0, 0})
		if side.Norm() < 0.5 {
			side = from.Cross(spatial.Vec3{0, 1, 0})
		}
		half := spatial.Quat{0, side[0], side[1], side[2]}.Normalize()
		return turnTo(half.Rotate(from), to).Mul(half)
	}
	a := from.Cross(to)
	return spatial.Quat{1 + c, a[0], a[1], a[2]}.Normalize()
}

// isDirection reports whether v, which may be of any length, is finite and not zero.
func isDirection(v spatial.Vec3) bool { return v != (spatial.Vec3{}) && v.IsFinite() }

// Body adds a body whose frame is at place, with the mass distribution d in
// that frame.
func (b *Builder) Body(name string, d bodies.Body, place Place) Body {
	b.mustBe()
	q := place.Orientation
	if q == (spatial.Quat{}) {
		q = spatial.Quat{1, 0, 0, 0}
	}
	I := d.Inertia
	b.m.Bodies = append(b.m.Bodies, model.Body{
		Name: name, Mass: d.Mass, Com: d.Com,
		Inertia: model.Inertia{XX: I[0], YY: I[1], ZZ: I[2], XY: I[3], XZ: I[4], YZ: I[5]},
		Pose:    model.Pose{Position: place.Origin, Orientation: q},
	})
	b.poses = append(b.poses, pose{place.Origin, q.Normalize()})
	return Body(len(b.m.Bodies) - 1)
}

// Rod adds a uniform round rod of the given mass (kg) and radius (m) between
// two points of the world; its frame is at from, its x axis towards to.
func (b *Builder) Rod(name string, mass, radius float64, from, to spatial.Vec3) Body {
	b.mustBe()
	axis := to.Sub(from)
	length := axis.Norm()
	d, err := bodies.Rod(mass, length, radius)
	if err != nil {
		b.errs = append(b.errs, fault.Errorf("rung: rod %s: %w", fault.Name(name), err))
		return b.Body(name, d, Place{Origin: from})
	}
	d = d.WithCom(spatial.Vec3{length / 2})
	return b.Body(name, d, Place{Origin: from, Orientation: turnTo(spatial.Vec3{1, 0, 0}, axis)})
}

// Move gives a body its velocity: of its frame's origin (m/s) and angular
// (rad/s), world axes. The world does not move.
func (b *Builder) Move(body Body, linear, angular spatial.Vec3) {
	b.mustBe()
	if body == World {
		b.errs = append(b.errs, errors.New(`rung: "Move": the world does not move`))
		return
	}
	if b.known(body, "Move") {
		b.m.Bodies[body].Velocity = model.Velocity{Linear: linear, Angular: angular}
	}
}

// Joint adds a joint of type t between two bodies, both frames at place. It
// returns the joint, to be given forces, springs, motions or a pitch; the
// pointer is valid until the next Joint.
func (b *Builder) Joint(name string, t model.JointType, predecessor, successor Body, place Place) *model.Joint {
	b.mustBe()
	j := model.Joint{Name: name, Type: t}
	if b.known(predecessor, name) && b.known(successor, name) {
		j.Predecessor, j.PredecessorFrame = b.local(predecessor, place)
		j.Successor, j.SuccessorFrame = b.local(successor, place)
	}
	b.m.Joints = append(b.m.Joints, j)
	return &b.m.Joints[len(b.m.Joints)-1]
}

// along returns the place of a joint at a point with its z axis along axis. It books an
// error for an axis that is no direction.
func (b *Builder) along(name string, point, axis spatial.Vec3) Place {
	p := Place{Origin: point}
	if !isDirection(axis) {
		b.errs = append(b.errs, fmt.Errorf("rung: joint %s: axis %v is zero or not finite", fault.Name(name), axis))
		return p
	}
	return p.WithZ(axis)
}

// Revolute adds a revolute joint through a point, turning about axis (world).
func (b *Builder) Revolute(name string, predecessor, successor Body, point, axis spatial.Vec3) *model.Joint {
	b.mustBe()
	return b.Joint(name, model.Revolute, predecessor, successor, b.along(name, point, axis))
}

// Prismatic adds a prismatic joint through a point, sliding along axis (world).
func (b *Builder) Prismatic(name string, predecessor, successor Body, point, axis spatial.Vec3) *model.Joint {
	b.mustBe()
	return b.Joint(name, model.Prismatic, predecessor, successor, b.along(name, point, axis))
}

// Spherical adds a ball joint at a point (world).
func (b *Builder) Spherical(name string, predecessor, successor Body, point spatial.Vec3) *model.Joint {
	b.mustBe()
	return b.Joint(name, model.Spherical, predecessor, successor, Place{Origin: point})
}

// Distance adds a massless rod between a point of each body, both given in the
// world; its length is their distance now.
func (b *Builder) Distance(name string, predecessor, successor Body, from, to spatial.Vec3) *model.Joint {
	b.mustBe()
	j := b.Joint(name, model.Distance, predecessor, successor, Place{Origin: from})
	if b.known(successor, name) {
		_, j.SuccessorFrame = b.local(successor, Place{Origin: to})
	}
	j.Length = to.Sub(from).Norm()
	return j
}

// SpringDamper adds a spring-damper between a point of each body, both given in
// the world (stiffness N/m, damping N s/m, rest length m).
func (b *Builder) SpringDamper(name string, a, c Body, from, to spatial.Vec3, stiffness, damping, rest float64) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.SpringDamper, Stiffness: stiffness, Damping: damping, RestLength: rest}
	if b.known(a, name) && b.known(c, name) {
		var p model.Pose
		f.A.Body, p = b.local(a, Place{Origin: from})
		f.A.Point = p.Position
		f.B.Body, p = b.local(c, Place{Origin: to})
		f.B.Point = p.Position
	}
	b.m.Forces = append(b.m.Forces, f)
}

// Wrench adds a constant force (N) and torque (N m), world axes, on a point of
// a body given in the world.
func (b *Builder) Wrench(name string, body Body, point, force, torque spatial.Vec3) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.Wrench, Force: force, Torque: torque}
	if b.known(body, name) {
		var p model.Pose
		f.A.Body, p = b.local(body, Place{Origin: point})
		f.A.Point = p.Position
	}
	b.m.Forces = append(b.m.Forces, f)
}

// known books an error for a handle that is not of this builder.
func (b *Builder) known(body Body, name string) bool {
	if body < World || int(body) >= len(b.m.Bodies) {
		b.errs = append(b.errs, fmt.Errorf("rung: %s: no body with handle %d", fault.Name(name), body))
		return false
	}
	return true
}

// local returns the name of a body and a place of the world in its frame.
func (b *Builder) local(body Body, place Place) (string, model.Pose) {
	q := place.Orientation
	if q == (spatial.Quat{}) {
		q = spatial.Quat{1, 0, 0, 0}
	}
	if body == World {
		return model.World, model.Pose{Position: place.Origin, Orientation: q}
	}
	p := b.poses[body]
	inv := p.q.Conj()
	return b.m.Bodies[body].Name, model.Pose{
		Position:    inv.Rotate(place.Origin.Sub(p.at)),
		Orientation: inv.Mul(q).Normalize(),
	}
}

// Model returns a copy of what has been built, checked as a model file is.
//
// It returns all problems together.
func (b *Builder) Model() (*model.Model, error) {
	b.mustBe()
	errs := append([]error(nil), b.errs...)
	if err := model.Check(b.m); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	m := *b.m
	m.Bodies = append([]model.Body(nil), m.Bodies...)
	m.Joints = append([]model.Joint(nil), m.Joints...)
	for i := range m.Joints {
		j := &m.Joints[i]
		for _, list := range []*[]float64{&j.Force, &j.Stiffness, &j.Damping, &j.Rest} {
			*list = slices.Clone(*list)
		}
		j.Turns, j.Motion = slices.Clone(j.Turns), slices.Clone(j.Motion)
	}
	m.Forces = append([]model.ForceElement(nil), m.Forces...)
	return &m, nil
}

func (b *Builder) mustBe() {
	if b == nil || b.m == nil {
		panic("rung: zero Builder; use NewBuilder")
	}
}
