package build

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Builder makes a model. It collects all errors, each with the name of the body, joint, coupling or
// force element (mechanism.Error); Model returns them together.
type Builder struct {
	m      *model.Model // without joints
	joints []*Joint
	poses  []Place // of the body frames
	errs   []error

	couplings []*Coupling
}

// Body is the handle of a body of one Builder. Other builders refuse it, and every builder refuses the zero value.
type Body struct {
	of    *Builder // nil for the world
	index int
}

// World is the handle of the fixed frame, for all builders.
var World = Body{index: mechanism.World}

// Index returns the number of the body in the model and in all that is made of it, −1 for the world.
func (b Body) Index() int { return b.index }

// Joint is a joint of a Builder. Its forces, springs and motions may be set at any time: each call of Model copies
// the present fields. The pointer stays valid.
type Joint struct {
	model.Joint

	index int
}

// Index returns the number of the joint in the model and in all that is made of it.
func (j *Joint) Index() int { return j.index }

// New starts a model. Gravity is −9.81 m/s² along world z.
func New(name string) *Builder { return &Builder{m: model.New(name)} }

// mustBe panics unless b was made by New.
func (b *Builder) mustBe() {
	if b == nil || b.m == nil {
		panic("build: zero Builder; use New")
	}
}

// Gravity sets the gravity vector, m/s², and returns b.
func (b *Builder) Gravity(x, y, z float64) *Builder {
	b.mustBe()
	b.m.Gravity = [3]float64{x, y, z}
	return b
}

// Body adds a body whose frame is at place, with the mass distribution d in
// that frame.
func (b *Builder) Body(name string, d bodies.Body, place Place) Body {
	b.mustBe()
	b.check(b.bodyPlace(name), place.wrong)
	I, q := d.Inertia, place.quat()
	b.m.Bodies = append(b.m.Bodies, model.Body{
		Name: name, Mass: d.Mass, Com: d.Com,
		Inertia: model.Inertia{XX: I[0], YY: I[1], ZZ: I[2], XY: I[3], XZ: I[4], YZ: I[5]},
		Pose:    model.Pose{Position: place.Origin, Orientation: q},
	})
	b.poses = append(b.poses, Place{Origin: place.Origin, Orientation: q.Normalize()})
	return Body{b, len(b.m.Bodies) - 1}
}

// Rod adds a uniform round rod of the given mass (kg) and radius (m) between
// two points of the world; its frame is at from, its x axis towards to.
func (b *Builder) Rod(name string, mass, radius float64, from, to spatial.Vec3) Body {
	b.mustBe()
	axis := to.Sub(from)
	length := axis.Norm()
	d, err := bodies.Rod(mass, length, radius)
	place := Place{Origin: from}
	if b.check(b.bodyPlace(name), err); err == nil {
		place = place.WithX(axis)
	}
	return b.Body(name, d.WithCom(spatial.Vec3{length / 2}), place)
}

// Composite adds the body that the parts make when they are welded together, each placed in
// the body's frame (bodies.Composite).
func (b *Builder) Composite(name string, place Place, parts ...bodies.Part) Body {
	b.mustBe()
	d, err := bodies.Composite(parts...)
	b.check(b.bodyPlace(name), err)
	return b.Body(name, d, place)
}

// Extrude adds the body that a polygon in the xy plane of place sweeps by height (m) along z,
// half of it to each side, less its holes (bodies.Extrude). The density is in kg/m³, corners
// are in m.
func (b *Builder) Extrude(name string, place Place, density, height float64, outline [][2]float64, holes ...[][2]float64) Body {
	b.mustBe()
	d, err := bodies.Extrude(density, height, outline, holes...)
	b.check(b.bodyPlace(name), err)
	return b.Body(name, d, place)
}

// Move sets the velocity of a body in world axes: linear is the velocity of the origin of its frame, m/s, and angular is in
// rad/s. Model returns an error if body is the World, which does not move, or of another builder.
func (b *Builder) Move(body Body, linear, angular spatial.Vec3) {
	b.mustBe()
	switch {
	case body == World:
		b.errs = append(b.errs, errors.New("build: Move: the world does not move"))
	case !b.has(body):
		b.errs = append(b.errs, fault.Errorf("build: Move: %w", body.foreign()))
	default:
		b.m.Bodies[body.index].Velocity = model.Velocity{Linear: linear, Angular: angular}
	}
}

// Spring holds the parameters of a SpringDamper.
type Spring struct {
	Stiffness  float64 // N/m
	Damping    float64 // N s/m
	RestLength float64 // m
}

// SpringDamper adds a spring-damper between the point a of body from and the point c of body to. Both points are given in the world's
// axes, m.
func (b *Builder) SpringDamper(name string, from, to Body, a, c spatial.Vec3, s Spring) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.SpringDamper, Stiffness: s.Stiffness, Damping: s.Damping, RestLength: s.RestLength}
	if at := b.forcePlace(name); b.known(at, from) && b.known(at, to) {
		f.A, f.B = b.attachment(from, a), b.attachment(to, c)
	}
	b.m.Forces = append(b.m.Forces, f)
}

// Wrench adds a constant force (N) and torque (N m), in world axes, that act on a body. The force acts at the point of the
// body that is at point in the world now.
func (b *Builder) Wrench(name string, body Body, point, force, torque spatial.Vec3) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.Wrench, Force: force, Torque: torque}
	if b.known(b.forcePlace(name), body) {
		f.A = b.attachment(body, point)
	}
	b.m.Forces = append(b.m.Forces, f)
}

// attachment returns a point of the world in a body's frame.
func (b *Builder) attachment(body Body, point spatial.Vec3) model.Attachment {
	name, p := b.local(body, Place{Origin: point})
	return model.Attachment{Body: name, Point: p.Position}
}

// local returns the name of a body and a place of the world in its frame.
func (b *Builder) local(body Body, place Place) (string, model.Pose) {
	q := place.quat()
	if body == World {
		return model.World, model.Pose{Position: place.Origin, Orientation: q}
	}
	p := &b.poses[body.index]
	inv := p.Orientation.Conj()
	return b.m.Bodies[body.index].Name, model.Pose{
		Position:    inv.Rotate(place.Origin.Sub(p.Origin)),
		Orientation: inv.Mul(q).Normalize(),
	}
}

// bodyPlace is the place of errors of the body that is added next.
func (b *Builder) bodyPlace(name string) mechanism.Error {
	return mechanism.Error{Body: name, BodyIndex: len(b.m.Bodies), JointIndex: -1, ForceIndex: -1, CouplingIndex: -1, Row: -1}
}

// jointPlace is the place of errors of the joint that is added next.
func (b *Builder) jointPlace(name string) mechanism.Error {
	return mechanism.Error{Joint: name, JointIndex: len(b.joints), BodyIndex: -1, ForceIndex: -1, CouplingIndex: -1, Row: -1}
}

// forcePlace is the place of errors of the force element that is added next.
func (b *Builder) forcePlace(name string) mechanism.Error {
	return mechanism.Error{Force: name, ForceIndex: len(b.m.Forces), JointIndex: -1, BodyIndex: -1, CouplingIndex: -1, Row: -1}
}

// check keeps err, unless it is nil, as an error at a place.
func (b *Builder) check(at mechanism.Error, err error) {
	if err != nil {
		at.Err = err
		b.errs = append(b.errs, fault.Errorf("build: %w", &at))
	}
}

// known reports whether body is the world or a body of b. If it is neither, known keeps an error at a place.
func (b *Builder) known(at mechanism.Error, body Body) bool {
	if body != World && !b.has(body) {
		b.check(at, body.foreign())
		return false
	}
	return true
}

// has reports whether body is a handle of a body of b.
func (b *Builder) has(body Body) bool { return body.of == b }

// foreign returns the error for the zero handle, or for a body of another builder.
func (b Body) foreign() error {
	if b.of == nil {
		return fault.Errorf("build: the handle of the body is the zero value")
	}
	return fault.Errorf("build: body %s is of another builder (%s)", fault.Name(b.of.m.Bodies[b.index].Name), fault.Name(b.of.m.Name))
}

// Model returns a copy of what has been built, checked as a model file is.
//
// It returns all problems together: errors of single calls, each a *mechanism.Error with the
// name and the number, and the *model.Problems of the whole.
func (b *Builder) Model() (*model.Model, error) {
	b.mustBe()
	m := *b.m
	for _, j := range b.joints {
		m.Joints = append(m.Joints, j.Joint)
	}
	errs := slices.Clone(b.errs)
	for _, c := range b.couplings {
		m.Couplings = append(m.Couplings, b.coupling(c, &errs))
	}
	own(reflect.ValueOf(&m).Elem())
	if err := errors.Join(append(errs, untold(errs, model.Check(&m)))...); err != nil {
		return nil, err
	}
	return &m, nil
}

// untold returns err, the problems of a model, without the problems of bodies, joints, couplings and force elements for which
// known has an error already; nil if none is left.
func untold(known []error, err error) error {
	var p *model.Problems
	if !errors.As(err, &p) {
		return err
	}
	told := map[string]bool{}
	for _, err := range known {
		if at := new(mechanism.Error); errors.As(err, &at) {
			told[elementPath(at)] = true
		}
	}
	p.List = slices.DeleteFunc(p.List, func(q *model.Problem) bool {
		element, _, _ := strings.Cut(q.Path, "].") // as elementPath writes it, without the bracket
		return told[element]
	})
	if len(p.List) == 0 {
		return nil
	}
	return p
}

// elementPath returns the JSON path of the body, joint, coupling or force element at fault, up to its index and without the bracket
// behind it: "$.bodies[3".
func elementPath(at *mechanism.Error) string {
	switch {
	case at.BodyIndex >= 0:
		return fmt.Sprintf("$.bodies[%d", at.BodyIndex)
	case at.JointIndex >= 0:
		return fmt.Sprintf("$.joints[%d", at.JointIndex)
	}
	if at.ForceIndex < 0 {
		return fmt.Sprintf("$.couplings[%d", at.CouplingIndex)
	}
	return fmt.Sprintf("$.forces[%d", at.ForceIndex)
}
