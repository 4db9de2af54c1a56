package asmt

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Joints with few equations, or that stand for a massless link between the markers. With the markers I and J as frames:
//
//	ParallelAxesJoint      z are parallel
//	NoRotationJoint        all axes are parallel
//	AngleJoint             z have the angle theIzJz
//	PerpendicularJoint     z are perpendicular
//	LineInPlaneJoint       J's z axis is in the plane at offset above I's xy plane
//	CylSphJoint            J's origin has the distance distanceIJ from I's z axis
//	RevCylJoint            as CylSphJoint, and z are parallel
//	ConstantVelocityJoint  origins meet, and x of I · y of J + y of I · x of J = 0
// Each except CylSphJoint becomes a composite of elementary motions in a row, which leaves exactly these equations.

// slides adds translations along the given axes of I, with their initial values.
func (p *pair) slides(along ...spatial.Vec3) {
	for _, e := range along {
		p.j.Axes = append(p.j.Axes, assembly.Axis{At: p.node, Name: p.j.Name, Kind: assembly.Prismatic, Axis: e, Value: p.x.R.Dot(e)})
	}
}

// turns adds a rotation about an axis through a point, both in axes of I, with its initial angle, rad.
func (p *pair) turns(about, point spatial.Vec3, value float64) {
	p.j.Axes = append(p.j.Axes, assembly.Axis{At: p.node, Name: p.j.Name, Kind: assembly.Revolute, Axis: about, Point: point, Value: value})
}

// twist returns the angle of a rotation about z, in [−π, π].
func twist(q spatial.Quat) float64 { return math.Remainder(2*math.Atan2(q[3], q[0]), 2*math.Pi) }

// parallelAxes is a composite of three translations and a rotation about z.
func (r *reader) parallelAxes(p *pair) {
	p.parallel()
	p.slides(unitX, unitY, unitZ)
	p.turns(unitZ, spatial.Vec3{}, twist(p.x.Q))
}

// noRotation is a composite of three translations.
func (r *reader) noRotation(p *pair) {
	p.aligned()
	p.slides(unitX, unitY, unitZ)
}

// perpendicular is a composite of three translations and two rotations whose axes are perpendicular.
func (r *reader) perpendicular(p *pair) {
	p.slides(unitX, unitY, unitZ)
	p.leans(math.Pi / 2)
}

// leastLean is the smallest distance of an angle from 0 and from π, rad, at which one equation can hold it.
const leastLean = 1e-6

// angle keeps the angle between the z axes of both markers constant, which is one equation. It refuses parallel axes, which need two.
func (r *reader) angle(p *pair) {
	a := math.Abs(math.Remainder(r.number(p.node, "theIzJz", 0), 2*math.Pi))
	if a < leastLean || a > math.Pi-leastLean {
		r.report.Refuse(p.node, "joint "+fault.Name(p.j.Name),
			fmt.Sprintf("its angle is %.9g rad, where one equation does not hold axes parallel; a ParallelAxesJoint does", a))
		return
	}
	p.slides(unitX, unitY, unitZ)
	p.leans(a)
}

// lineInPlane is a composite of two translations in the plane and two rotations whose axes are perpendicular.
func (r *reader) lineInPlane(p *pair) {
	p.slides(unitX, unitY)
	r.raise(p)
	p.leans(math.Pi / 2)
}

// leans adds a rotation about z of I and then one about z of J; the angle between both axes, rad, is constant. The first rotation, by a,
// takes e, which is z of I turned towards x by the angle, to z of J.
func (p *pair) leans(angle float64) {
	e := spatial.Vec3{math.Sin(angle), 0, math.Cos(angle)}
	Q := assembly.Least(unitZ, e)
	z := p.x.Dir(unitZ)
	a := math.Atan2(z[1], z[0])
	rest := Q.Conj().Mul(spatial.FromAxisAngle(unitZ, -a)).Mul(p.x.Q)
	p.turns(unitZ, spatial.Vec3{}, a)
	p.turns(e, spatial.Vec3{}, twist(rest))
	p.turn(assembly.Pose{Q: Q.Conj()})
}

// between returns the length of the link that a joint stands for, m, and whether it is positive; else it refuses the joint.
func (r *reader) between(p *pair) (float64, bool) {
	d := math.Abs(r.number(p.node, "distanceIJ", 0))
	if d == 0 {
		r.report.Refuse(p.node, "joint "+fault.Name(p.j.Name), "its distance is 0, where its equation has no direction")
	}
	return d, d > 0
}

// cylSph is a point on a circle in the xy plane of I that may also move along z.
func (r *reader) cylSph(p *pair) {
	if d, ok := r.between(p); ok {
		p.typed(model.PointOnCurve)
		p.j.Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: d}, Planar: true}
	}
}

// revCyl is a composite: the link turns about z of I; J turns about the parallel axis at the other end of the link, and slides along it.
func (r *reader) revCyl(p *pair) {
	d, ok := r.between(p)
	if !ok {
		return
	}
	p.parallel()
	a := math.Atan2(p.x.R[1], p.x.R[0])
	p.turns(unitZ, spatial.Vec3{}, a)
	p.turns(unitZ, spatial.Vec3{d, 0, 0}, math.Remainder(twist(p.x.Q)-a, 2*math.Pi))
	p.slides(unitZ)
	p.turn(assembly.Pose{R: spatial.Vec3{-d, 0, 0}})
}

// constantVelocity turns J by half a turn, as its z axis must point against I's. For the relative rotation after that, with the
// quaternion q, the equation of the joint is q_w·q_z = 0. The half turn is about x or y of J, such that |q_z| ≤ |q_w|: then the
// equation means q_z = 0, a rotation without twist.
func (r *reader) constantVelocity(p *pair) {
	if z := p.x.Dir(unitZ)[2]; !(z < 0) {
		r.report.Refuse(p.node, "joint "+fault.Name(p.j.Name),
			"the z axes of its markers do not point against each other, where its equation holds no twist")
		return
	}
	over := 0
	if q := p.x.Q.Mul(halfTurn(0).Q); math.Abs(q[3]) > math.Abs(q[0]) {
		over = 1
	}
	p.turn(halfTurn(over))
	E := p.x.Q.Mat()
	r.a.NoTwist(&p.j, unitX, unitY)
	for k, x := range [3]float64{math.Atan2(-E[5], E[8]), math.Asin(max(-1, min(E[2], 1))), math.Atan2(-E[1], E[0])} {
		p.j.Axes[k].Value = x
	}
}
