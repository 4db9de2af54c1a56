package scene

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// wireParts is the number of bars that a curve is drawn with.
const wireParts = 96

// curve adds the curve of joint j as a wire of the predecessor.
func (b *builder) curve(j int) {
	jt := &b.Mechanism.Joints[j]
	if jt.Kind.Type() != joints.PointOnCurve {
		return
	}
	c, r := jt.Curve, 0.4*b.held(jt).thin
	from, to := c.Span()
	place := func(i int) spatial.Vec3 {
		at := c.At(from + (to-from)*float64(i)/wireParts)
		return jt.P.Origin.Add(jt.P.E.MulVec(at.C))
	}
	last := place(0)
	for i := range wireParts {
		next := place(i + 1)
		d := next.Sub(last)
		b.Shapes = append(b.Shapes, Shape{
			Kind: Cylinder, Color: rodColor, Body: jt.Pred, Joint: int32(j), Size: spatial.Vec3{r, r, d.Norm() / 2},
			At: mechanism.Frame{E: Along(d), Origin: last.Add(next).Scale(0.5)},
		})
		last = next
	}
}
