package scene

import (
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// wireParts is the number of bars that a curve is drawn with.
const wireParts = 96

// hubPart bounds the half edges of the block of a body that has curves, as a part of the size of its smallest curve.
const hubPart = 0.08

// measureCurves finds the size of the smallest curve of each body, 0 for none.
func (b *builder) measureCurves() {
	b.curved = make([]float64, len(b.Mechanism.Bodies))
	see := func(c *curves.Curve, body int32) {
		if c == nil || body == mechanism.World {
			return
		}
		if was := &b.curved[body]; *was == 0 || c.Size() < *was {
			*was = c.Size()
		}
	}
	for j := range b.Mechanism.Joints {
		jt := &b.Mechanism.Joints[j]
		see(jt.Curve, jt.Pred)
		see(jt.SuccessorCurve, jt.Succ)
	}
}

// makeHub shrinks a block so that it does not hide a curve of the given size. The shapes from first on are the block, and half has its
// half edges. The curve then is the body's shape, and the block shows where its mass is. makeHub returns the new half edges.
func (b *builder) makeHub(first int, half spatial.Vec3, size float64) spatial.Vec3 {
	scale := min(1, hubPart*size/max(half[0], half[1], half[2]))
	for k := range b.Shapes[first:] {
		s := &b.Shapes[first+k]
		s.Size = s.Size.Scale(scale)
	}
	return half.Scale(scale)
}

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

// wire adds a curve of joint j, which is given in a frame of a body, as thin bars in the colour of the body.
func (b *builder) wire(j int, c *curves.Curve, body int32, frame *mechanism.Frame) {
	r := 0.4 * b.held(&b.Mechanism.Joints[j]).thin
	color := rodColor
	if body != mechanism.World {
		color = BodyColor(int(body))
	}
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
			Kind: Cylinder, Color: color, Body: body, Joint: int32(j), Size: spatial.Vec3{r, r, d.Norm() / 2},
			At: mechanism.Frame{E: Along(d), Origin: last.Add(next).Scale(0.5)},
		})
		last = next
	}
}
