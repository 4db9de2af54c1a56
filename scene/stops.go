package scene

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

var (
	stopColor   = Color{170, 30, 40}
	rangeColor  = Color{150, 120, 120}
	needleColor = Color{235, 160, 30}
)

// stops adds the stops of joint j: marks at both limits and the range between them, fixed in the predecessor, and a needle at
// the present coordinate, fixed in the successor. The range of a rotation is an arc on both sides of the joint's mark; a
// translation has plates and a bar. Only revolute, prismatic and cylindrical joints have such marks.
func (b *builder) stops(j int) {
	jt := &b.Mechanism.Joints[j]
	switch jt.Kind {
	case joints.Revolute, joints.Prismatic, joints.Cylindrical:
	default:
		return
	}
	for i := range jt.Kind.Freedoms() {
		l := b.Mechanism.Limit(mechanism.Freedom{Joint: j, Freedom: i})
		if l.Stop == (model.Stop{}) {
			continue
		}
		if jt.Kind.Rotational(i) {
			b.arc(j, l.Lower, l.Upper)
		} else {
			b.plates(j, l.Lower, l.Upper)
		}
	}
}

// part adds a box of joint j with half edges half, m. Its axes are the joint's frame in the predecessor or, if moving, in the
// successor, turned about z by an angle, rad; its centre at is in the turned axes.
func (b *builder) part(j int, moving bool, angle float64, at, half spatial.Vec3, c Color) {
	jt := &b.Mechanism.Joints[j]
	body, frame := jt.Pred, jt.P
	if moving {
		body, frame = jt.Succ, jt.S
	}
	sine, cosine := math.Sincos(angle)
	E := frame.E.Mul(spatial.Mat3{cosine, -sine, 0, sine, cosine, 0, 0, 0, 1})
	b.Shapes = append(b.Shapes, Shape{Kind: Box, Color: c, Body: body, Joint: int32(j), Size: half,
		At: mechanism.Frame{E: E, Origin: frame.Origin.Add(E.MulVec(at))}})
}

// arc adds the stops of a rotation, in front of and behind the mark of the joint. lower and upper are in rad and may be infinite. A
// range of more than a turn is a circle.
func (b *builder) arc(j int, lower, upper float64) {
	const step = 0.2 // rad, at most
	r := 1.2 * b.held(&b.Mechanism.Joints[j]).thick
	for _, z := range [2]float64{-1.45 * r, 1.45 * r} {
		for _, end := range [2]float64{lower, upper} {
			if !math.IsInf(end, 0) {
				b.part(j, false, end, spatial.Vec3{2.2 * r, 0, z}, spatial.Vec3{0.9 * r, 0.09 * r, 0.09 * r}, stopColor)
			}
		}
		if width := upper - lower; !math.IsInf(width, 0) {
			width = min(width, 2*math.Pi)
			n := int(math.Ceil(width / step))
			half, radius := width/float64(n)/2, 2.4*r
			for k := range n {
				b.part(j, false, lower+float64(2*k+1)*half, spatial.Vec3{radius * math.Cos(half), 0, z}, spatial.Vec3{0.06 * r, radius * math.Sin(half), 0.05 * r}, rangeColor)
			}
		}
		b.part(j, true, 0, spatial.Vec3{1.4 * r, 0, 1.1 * z}, spatial.Vec3{1.4 * r, 0.09 * r, 0.07 * r}, needleColor)
	}
}

// plates adds the stops of a translation along the axis. lower and upper are in m and may be infinite.
func (b *builder) plates(j int, lower, upper float64) {
	r := 1.2 * b.held(&b.Mechanism.Joints[j]).thick
	for _, end := range [2]float64{lower, upper} {
		if !math.IsInf(end, 0) {
			b.part(j, false, 0, spatial.Vec3{0, 0, end}, spatial.Vec3{1.5 * r, 1.5 * r, 0.12 * r}, stopColor)
		}
	}
	if width := upper - lower; !math.IsInf(width, 0) {
		b.part(j, false, 0, spatial.Vec3{1.35 * r, 0, (lower + upper) / 2}, spatial.Vec3{0.08 * r, 0.08 * r, width / 2}, rangeColor)
	}
	b.part(j, true, 0, spatial.Vec3{}, spatial.Vec3{1.25 * r, 1.25 * r, 0.1 * r}, needleColor)
}
