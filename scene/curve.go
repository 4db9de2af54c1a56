package scene

import (
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// wireParts is the number of bars that a curve is drawn with.
const wireParts = 96

// curve adds the curves of joint j as wires.
func (b *builder) curve(j int) {
	jt := &b.Mechanism.Joints[j]
	if jt.Curve != nil {
		b.wire(j, jt.Curve, jt.Pred, &jt.P)
	}
	if jt.SuccessorCurve != nil {
		b.wire(j, jt.SuccessorCurve, jt.Succ, &jt.S)
	}
}

// wire adds a curve in a frame of a body.
func (b *builder) wire(j int, c *curves.Curve, body int32, frame *mechanism.Frame) {
	r := 0.4 * b.held(&b.Mechanism.Joints[j]).thin
	from, to := c.Span()
	place := func(i int) spatial.Vec3 {
		at := c.At(from + (to-from)*float64(i)/wireParts)
		return frame.Origin.Add(frame.E.MulVec(at.C))
	}
	last := place(0)
	for i := range wireParts {
		next := place(i + 1)
		d := next.Sub(last)
		b.Shapes = append(b.Shapes, Shape{
			Kind: Cylinder, Color: rodColor, Body: body, Joint: int32(j), Size: spatial.Vec3{r, r, d.Norm() / 2},
			At: mechanism.Frame{E: Along(d), Origin: last.Add(next).Scale(0.5)},
		})
		last = next
	}
}
