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

// Joints that take few freedoms, or that stand for a link between the markers, with the markers I and J as frames:
//
//	ParallelAxesJoint      z are parallel
//	NoRotationJoint        all axes are parallel
//	AngleJoint             z have the angle theIzJz
//	PerpendicularJoint     z are perpendicular
//	LineInPlaneJoint       J's z axis is in the plane at offset above I's xy plane
//	CylSphJoint            J's origin has the distance distanceIJ from I's z axis
//	RevCylJoint            that, and z are parallel
//	ConstantVelocityJoint  origins meet, and x of I · y of J + y of I · x of J = 0
//
// Each but CylSphJoint becomes its freedoms in a row, which leave exactly these rows.

// slides adds translations along the axes of I, with their values at the beginning.
func (p *pair) slides(along ...spatial.Vec3) {
	for _, e := range along {
		p.j.Axes = append(p.j.Axes, assembly.Axis{At: p.node, Name: p.j.Name, Kind: assembly.Prismatic, Axis: e, Value: p.x.R.Dot(e)})
	}
}

// turns adds a rotation about an axis through a point of I.
func (p *pair) turns(about, point spatial.Vec3, value float64) {
	p.j.Axes = append(p.j.Axes, assembly.Axis{At: p.node, Name: p.j.Name, Kind: assembly.Revolute, Axis: about, Point: point, Value: value})
}

// twist returns the angle of a rotation about z, in [−π, π].
func twist(q spatial.Quat) float64 { return math.Remainder(2*math.Atan2(q[3], q[0]), 2*math.Pi) }

func (r *reader) parallelAxes(p *pair) {
	p.parallel()
	p.slides(unitX, unitY, unitZ)
	p.turns(unitZ, spatial.Vec3{}, twist(p.x.Q))
}

func (r *reader) noRotation(p *pair) {
	p.aligned()
	p.slides(unitX, unitY, unitZ)
}

func (r *reader) perpendicular(p *pair) {
	p.slides(unitX, unitY, unitZ)
	p.leans(math.Pi / 2)
}

// leastLean is the angle, and how far an angle has to be from π, that still says in which direction an axis leans, rad.
const leastLean = 1e-6

// angle holds the angle between the z axes of both markers by one equation. It refuses parallel axes, which take two.
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

func (r *reader) lineInPlane(p *pair) {
	p.slides(unitX, unitY)
	r.raise(p)
	p.leans(math.Pi / 2)
}

// leans adds rotations about z of I and of J, which have an angle in between: Rz(a) takes z, leant by the angle to x, to
// z of J.
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

// between returns the length of the link that a joint stands for, and reports whether it has one.
func (r *reader) between(p *pair) (float64, bool) {
	d := math.Abs(r.number(p.node, "distanceIJ", 0))
	if d == 0 {
		r.report.Refuse(p.node, "joint "+fault.Name(p.j.Name), "its distance is 0, where its equation has no direction")
	}
	return d, d > 0
}

func (r *reader) cylSph(p *pair) {
	if d, ok := r.between(p); ok {
		p.typed(model.PointOnCurve)
		p.j.Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: d}, Planar: true}
	}
}

// revCyl lets the link turn about z of I, and J turn about the other end of the link and slide along it.
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

// constantVelocity turns J over, whose z axis points against that of I: then the equation says that the rotation has no
// twist. With the quaternion q of the rotation it is q_w q_z = 0, of which q_z is small if J is turned over about the
// right one of its axes.
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
