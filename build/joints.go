package build

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Joint adds a joint of type t between two bodies, both frames at place. The methods below, one for
// each type, take the points and axes of the type in the world. All return the joint, whose forces,
// springs and motions may then be set.
func (b *Builder) Joint(name string, t joints.Kind, predecessor, successor Body, place Place) *Joint {
	b.mustBe()
	at, j := b.jointPlace(name), &Joint{index: len(b.joints)}
	b.check(at, place.wrong)
	j.Name, j.Type = name, t
	if b.known(at, predecessor) && b.known(at, successor) {
		j.Predecessor, j.PredecessorFrame = b.local(predecessor, place)
		j.Successor, j.SuccessorFrame = b.local(successor, place)
	}
	b.joints = append(b.joints, j)
	return j
}

// on is the place at a point with its z axis along axis.
func on(point, axis spatial.Vec3) Place { return Place{Origin: point}.WithZ(axis) }

// Fixed adds a joint that holds two bodies together, with its frame at a point.
func (b *Builder) Fixed(name string, predecessor, successor Body, point spatial.Vec3) *Joint {
	return b.Joint(name, joints.Fixed, predecessor, successor, Place{Origin: point})
}

// Revolute adds a hinge through a point, turning about axis.
func (b *Builder) Revolute(name string, predecessor, successor Body, point, axis spatial.Vec3) *Joint {
	return b.Joint(name, joints.Revolute, predecessor, successor, on(point, axis))
}

// Prismatic adds a slider through a point, along axis.
func (b *Builder) Prismatic(name string, predecessor, successor Body, point, axis spatial.Vec3) *Joint {
	return b.Joint(name, joints.Prismatic, predecessor, successor, on(point, axis))
}

// Helical adds a screw through a point, turning about axis and sliding along it by pitch, m/rad.
func (b *Builder) Helical(name string, predecessor, successor Body, point, axis spatial.Vec3, pitch float64) *Joint {
	j := b.Joint(name, joints.Helical, predecessor, successor, on(point, axis))
	j.Pitch = pitch
	return j
}

// Cylindrical adds a joint through a point that turns about axis and slides along it.
func (b *Builder) Cylindrical(name string, predecessor, successor Body, point, axis spatial.Vec3) *Joint {
	return b.Joint(name, joints.Cylindrical, predecessor, successor, on(point, axis))
}

// rightCosine is the cosine of the angle between the axes of a universal joint up to which the
// angle counts as right: the error of an orientation that the reader of models takes for rounding.
const rightCosine = 1e-6

// Universal adds a cross at a point: first is its axis in the predecessor and second its axis in
// the successor. They are at right angles.
func (b *Builder) Universal(name string, predecessor, successor Body, point, first, second spatial.Vec3) *Joint {
	place := Place{Origin: point}.WithXY(first, second)
	if place.wrong == nil {
		x, _ := direction(first) // no error, as WithXY had none
		y, _ := direction(second)
		if c := x.Dot(y); math.Abs(c) > rightCosine {
			place.wrong = fmt.Errorf("axes %v and %v are not at right angles (cosine %.3g)", first, second, c)
		}
	}
	return b.Joint(name, joints.Universal, predecessor, successor, place)
}

// Planar adds a joint that slides and turns in the plane through a point across normal.
func (b *Builder) Planar(name string, predecessor, successor Body, point, normal spatial.Vec3) *Joint {
	return b.Joint(name, joints.Planar, predecessor, successor, on(point, normal))
}

// Spherical adds a ball joint at a point.
func (b *Builder) Spherical(name string, predecessor, successor Body, point spatial.Vec3) *Joint {
	return b.Joint(name, joints.Spherical, predecessor, successor, Place{Origin: point})
}

// SphereInCylinder adds a ball of the successor at centre in a tube of the predecessor along
// axis.
func (b *Builder) SphereInCylinder(name string, predecessor, successor Body, centre, axis spatial.Vec3) *Joint {
	return b.Joint(name, joints.SphereInCylinder, predecessor, successor, on(centre, axis))
}

// PointOnPlane adds a joint that keeps a point of the successor in the plane of the
// predecessor across normal.
func (b *Builder) PointOnPlane(name string, predecessor, successor Body, point, normal spatial.Vec3) *Joint {
	return b.Joint(name, joints.PointOnPlane, predecessor, successor, on(point, normal))
}

// Distance adds a massless rod between a point of each body; its length is their distance now.
func (b *Builder) Distance(name string, predecessor, successor Body, from, to spatial.Vec3) *Joint {
	j := b.Joint(name, joints.Distance, predecessor, successor, Place{Origin: from})
	if j.Successor != "" { // both bodies are known
		_, j.SuccessorFrame = b.local(successor, Place{Origin: to})
	}
	j.Length = to.Sub(from).Norm()
	return j
}

// Wheel is the wheel of a rolling joint, in the world.
type Wheel struct {
	Center, Axle spatial.Vec3 // m; a direction
	Radius       float64      // of the whole wheel, m
	TyreRadius   float64      // of its round tyre, m: 0 of a disc, Radius of a sphere
	BowlRadius   float64      // of the sphere that a ball rolls in, m; negative: it rolls on one; 0: on a plane
	Slip         joints.Slip  // where it may slip
}

// Rolling adds a wheel of the successor on the plane of the predecessor through a point across normal, which points to the side
// of the wheel. With a BowlRadius the point is the middle of the sphere.
func (b *Builder) Rolling(name string, predecessor, successor Body, point, normal spatial.Vec3, w Wheel) *Joint {
	at, axle := b.jointPlace(name), on(w.Center, w.Axle)
	j := b.Joint(name, joints.Rolling, predecessor, successor, on(point, normal))
	b.check(at, axle.wrong)
	if j.Successor != "" { // both bodies are known
		_, j.SuccessorFrame = b.local(successor, axle)
	}
	j.Radius, j.TyreRadius, j.BowlRadius, j.Slip = w.Radius, w.TyreRadius, w.BowlRadius, w.Slip
	return j
}

// RollingOn adds a wheel of a body on a terrain of the builder, which has two continuous derivatives. w has no BowlRadius.
func (b *Builder) RollingOn(name string, body Body, g Ground, w Wheel) *Joint {
	at := b.jointPlace(name)
	j := b.Rolling(name, World, body, spatial.Vec3{}, spatial.Vec3{0, 0, 1}, w)
	if g.of != b {
		b.check(at, errForeignGround)
	} else {
		j.Terrain = b.m.Terrains[g.index].Name
	}
	return j
}

// NoSlip adds an edge: a point of the successor does not move along a direction of the successor, as seen from the predecessor.
func (b *Builder) NoSlip(name string, predecessor, successor Body, point, direction spatial.Vec3) *Joint {
	return b.Joint(name, joints.NoSlip, predecessor, successor, on(point, direction))
}

// PointOnCurve adds a bead: a point of the successor, in the world, lies on a curve of the predecessor, which is given in a frame at
// place, and turns freely there. The curve is copied. With Joint.Curve.Planar it may leave the curve along z of that frame.
func (b *Builder) PointOnCurve(name string, predecessor, successor Body, place Place, point spatial.Vec3, curve *curves.Curve) *Joint {
	at := b.jointPlace(name)
	j := b.Joint(name, joints.PointOnCurve, predecessor, successor, place)
	if curve == nil {
		b.check(at, errNoCurve)
		return j
	}
	if j.Successor != "" { // both bodies are known
		_, j.SuccessorFrame = b.local(successor, Place{Origin: point})
	}
	j.Curve = &model.PointCurve{Curve: *curve.Clone()}
	return j
}

// CurveOnCurve adds two curves that touch in the xy plane of place: curve of the predecessor, which is given in a frame at place, and
// successors of the successor, which is given in a frame at other. The curves are copied.
func (b *Builder) CurveOnCurve(name string, predecessor, successor Body, place, other Place, curve, successors *curves.Curve) *Joint {
	at := b.jointPlace(name)
	j := b.Joint(name, joints.CurveOnCurve, predecessor, successor, place)
	b.check(at, other.wrong)
	if curve == nil || successors == nil {
		b.check(at, errNoCurve)
		return j
	}
	if j.Successor != "" { // both bodies are known
		_, j.SuccessorFrame = b.local(successor, other)
	}
	j.Curve, j.SuccessorCurve = &model.PointCurve{Curve: *curve.Clone()}, &model.PointCurve{Curve: *successors.Clone()}
	return j
}

var errNoCurve = errors.New("a joint has no curve")

// CompositeJoint adds one to five elementary motions in a row, the first next to the predecessor, with axes and points
// in the world. All coordinates are zero at the present poses of the bodies.
func (b *Builder) CompositeJoint(name string, predecessor, successor Body, axes ...joints.Axis) *Joint {
	place := Place{}
	if len(axes) > 0 {
		place.Origin = axes[0].Point
	}
	j := b.Joint(name, joints.Composite, predecessor, successor, place)
	for _, a := range axes {
		a.Point = a.Point.Sub(place.Origin)
		j.Axes = append(j.Axes, a)
	}
	return j
}

// Free adds a joint that allows everything and places a floating base, with its frame at a
// point.
func (b *Builder) Free(name string, predecessor, successor Body, point spatial.Vec3) *Joint {
	return b.Joint(name, joints.Free, predecessor, successor, Place{Origin: point})
}
