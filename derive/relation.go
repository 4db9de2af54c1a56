package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// relation is the motion of a successor frame S seen from a predecessor frame P, theory.md (4), (7).
type relation struct {
	P, S     *port
	R, V     chain.Vec // from the origin of P to the origin of S, and its rate as P sees it
	w        chain.Vec // ω_S − ω_P
	wd, Vd   chain.Vec // the derivatives of w and V as P sees them, in the form of the rows (allow)
	arm      chain.Vec // the part of R that the joint allows, theory.md (9); none for nothing
	slip     chain.Vec // the part of V that the joint allows; none for nothing
	allows   bool      // arm, slip and Vd are recorded
	joint    *mechanism.Joint
	number   int
	load     chain.Vec  // force of the type's rows, for friction that grows with it; none for nothing
	near     [6]float64 // parameters of curves and the like, of joints.Spec.NearTo
	settled  bool       // freedoms of a composite joint are recorded, with its rows
	focal    bool       // the coordinates of a composite joint have no derivative (inverted)
	q, qd    [6]float64 // coordinates and rates, turns included
	freedoms [6]freedom
}

// line is a wrench T on S about its origin, of a row or of a freedom.
type line struct {
	m, f chain.Vec // moment and force, none for zero
	tdot chain.Num // T˚·V̂ with the relative velocity V̂ and T˚ as P sees it, none for zero
}

// row is a line along which motion is forbidden.
type row struct {
	line
	delta chain.Num // position error; only its derivative is used. none for a row of velocities alone
}

// freedom is a line along which a joint moves.
type freedom struct {
	line
	q        chain.Num // coordinate; none for rotations of a ball
	qd, qdd  chain.Num
	rotation bool
	force    chain.Num // generalized force of drives, stops and friction; none for zero
}

// relate records the motion of S seen from P.
func (b *builder) relate(r *relation, P, S *port) {
	c := &b.c
	r.P, r.S = P, S
	r.R = c.Sub(S.p, P.p)
	r.V, r.w, r.wd, r.Vd, r.arm, r.slip = none, none, none, none, none, none
	if b.want == wantDelta && !r.joint.Kind.Bends() {
		return
	}
	r.V = c.Sub(c.Sub(S.v, P.v), c.Cross(P.w, r.R))
	r.w = c.Sub(S.w, P.w)
	if b.want&wantSecond == 0 {
		return
	}
	r.wd = c.Sub(c.Sub(S.al, P.al), c.Cross(P.w, r.w))
}

// allow records the parts of R and V that the joint allows, and with them the acceleration of S's origin as P sees it, theory.md (7).
// Types that slide otherwise than along or across z of P have recorded arm and slip with their rows.
//
// The rows of a joint use only the parts of R and V that it allows, theory.md (9), as do their derivatives: if a joint is open, the
// derivatives with all of R and V belong to another function. Forces along freedoms act at the origin of S, wherever it is.
func (b *builder) allow(r *relation) {
	if r.allows {
		return
	}
	r.allows = true
	c, P := &b.c, r.P
	part := b.alongAxis
	onZ, offZ := r.joint.Kind.Slides()
	if offZ {
		part = b.acrossAxis
	}
	switch {
	case r.joint.Kind == joints.Free:
		r.arm, r.slip = r.R, r.V
	case onZ != offZ:
		r.arm = part(r.R, P.axes[2])
		if r.wd >= 0 {
			r.slip = part(r.V, P.axes[2])
		}
	}
	if r.wd < 0 {
		return
	}
	r.Vd = c.Sub(r.S.a, P.a)
	if r.arm >= 0 {
		r.Vd = c.Sub(c.Sub(r.Vd, c.Cross(P.al, r.arm)), c.Cross(P.w, c.Cross(P.w, r.arm)))
	}
	if r.slip >= 0 {
		r.Vd = c.Sub(r.Vd, c.Times(2, c.Cross(P.w, r.slip)))
	}
}

// alongAxis returns the part of v along the axis z.
func (b *builder) alongAxis(v, z chain.Vec) chain.Vec { return b.c.Scale(b.c.Dot(z, v), z) }

// acrossAxis returns the part of v across the axis z.
func (b *builder) acrossAxis(v, z chain.Vec) chain.Vec { return b.c.Sub(v, b.alongAxis(v, z)) }

// violate removes from arm and slip the components that violate a row along d, world axes. delta is the displacement along d, none for
// none. The velocity along d is e·v, with the same direction e and the velocity v in any common axes.
func (b *builder) violate(r *relation, d chain.Vec, delta chain.Num, e, v chain.Vec) {
	c := &b.c
	if delta >= 0 && b.want&(wantForce|wantSecond) != 0 {
		r.arm = c.Sub(r.arm, c.Scale(delta, d))
	}
	if b.want&wantSecond != 0 {
		r.slip = c.Sub(r.slip, c.Scale(c.Dot(e, v), d))
	}
}

// along returns the product of a line with a motion (turn, slide). Either part of the line may be none.
func (b *builder) along(l *line, turn, slide chain.Vec) chain.Num {
	c := &b.c
	switch {
	case l.m >= 0 && l.f >= 0:
		return c.Add1(c.Dot(l.m, turn), c.Dot(l.f, slide))
	case l.m >= 0:
		return c.Dot(l.m, turn)
	}
	return c.Dot(l.f, slide)
}

// rate returns T·V̂ of a line, none without rates.
func (b *builder) rate(r *relation, l *line) chain.Num {
	if r.w < 0 {
		return none
	}
	return b.along(l, r.w, r.V)
}

// second returns T·V̂˚ + T˚·V̂ of a line, none without accelerations.
func (b *builder) second(r *relation, l *line) chain.Num {
	if r.wd < 0 {
		return none
	}
	b.allow(r)
	x := b.along(l, r.wd, r.Vd)
	if l.tdot >= 0 {
		x = b.c.Add1(x, l.tdot)
	}
	return x
}

// push adds the wrench x·l on S, and its opposite on P, both at the origin of S, as loads along freedoms act.
func (b *builder) push(r *relation, l *line, x chain.Num) { b.pushAt(r, l, x, r.R) }

// bear is push for a multiplier x: its load on P acts at the end of the arm of the rows.
func (b *builder) bear(r *relation, l *line, x chain.Num) {
	if b.want&wantForce != 0 {
		b.allow(r)
		b.pushAt(r, l, x, r.arm)
	}
}

// pushAt adds the wrench x·l on S about its origin, and its opposite on P at an arm, none for zero, from the origin of P.
func (b *builder) pushAt(r *relation, l *line, x chain.Num, arm chain.Vec) {
	if b.want&wantForce == 0 {
		return
	}
	c := &b.c
	var m, f chain.Vec = none, none
	if l.m >= 0 {
		m = c.Scale(x, l.m)
	}
	if l.f >= 0 {
		f = c.Scale(x, l.f)
	}
	b.act(r.S, m, f)
	if m >= 0 {
		m = c.Times(-1, m)
	}
	if f >= 0 {
		if arm >= 0 {
			b.sum(&m, c.Times(-1, c.Cross(arm, f)))
		}
		f = c.Times(-1, f)
	}
	b.act(r.P, m, f)
}

// forceAlong is a unit force along e, and momentAbout a unit moment about e.
func forceAlong(e chain.Vec) line  { return line{m: none, f: e, tdot: none} }
func momentAbout(e chain.Vec) line { return line{m: e, f: none, tdot: none} }

func (b *builder) row(l line, delta chain.Num) { b.list = append(b.list, row{l, delta}) }

// turned adds the moments about all axes of P.
func (b *builder) turned(r *relation) {
	c := &b.c
	h := c.Cross(r.P.axes[0], r.S.axes[0])
	for k := 1; k < 3; k++ {
		h = c.Add(h, c.Cross(r.P.axes[k], r.S.axes[k]))
	}
	for _, e := range r.P.axes {
		b.row(momentAbout(e), c.Times1(0.5, c.Dot(e, h)))
	}
}

// screw adds the last row of a helical joint.
func (b *builder) screw(r *relation) {
	c, z := &b.c, r.P.axes[2]
	pitch := b.scalar(slot{kind: slotPitch}, r.joint.Pitch)
	l := line{m: c.Times(-1, c.Scale(pitch, z)), f: z, tdot: none}
	b.row(l, c.Sub1(c.Dot(z, r.R), c.Mul(pitch, b.angle(r, r.q[0]))))
}

// rightAngle adds the last row of a universal joint, a moment about n = y_S×x_P. As P sees it, n changes by n˚ = (ω_r×y_S)×x_P.
func (b *builder) rightAngle(r *relation) {
	c, x, y := &b.c, r.P.axes[0], r.S.axes[1]
	l := momentAbout(c.Cross(y, x))
	if r.wd >= 0 {
		l.tdot = c.Dot(c.Cross(c.Cross(r.w, y), x), r.w)
	}
	b.row(l, c.Dot(x, y))
}

// distance adds the row of a distance joint, with n˚·V = |V − n(n·V)|²/|R|.
func (b *builder) distance(r *relation) {
	c := &b.c
	size := c.Root(c.Dot(r.R, r.R))
	n := c.Scale(c.Div(c.Num(1), size), r.R)
	l, length := forceAlong(n), b.scalar(slot{kind: slotLength}, r.joint.Length)
	r.arm = c.Scale(length, n)
	if r.wd >= 0 {
		r.slip = c.Sub(r.V, c.Scale(c.Dot(n, r.V), n))
		l.tdot = c.Div(c.Dot(r.slip, r.slip), size)
	}
	b.row(l, c.Sub1(size, length))
}

// angle returns the angle about z of P of the nearest rotation about z to the rotation from P to S. Its value is q.
func (b *builder) angle(r *relation, q float64) chain.Num {
	c, p, s := &b.c, &r.P.axes, &r.S.axes
	return b.turn(q, c.Sub1(c.Dot(s[0], p[1]), c.Dot(s[1], p[0])), c.Add1(c.Dot(s[0], p[0]), c.Dot(s[1], p[1])))
}

// turn returns the angle with the value q whose sine and cosine are s and c times a common factor.
func (b *builder) turn(q float64, s, c chain.Num) chain.Num {
	x, y := b.c.Value1(c), b.c.Value1(s)
	n := x*x + y*y
	return b.c.Of2(s, c, q, x/n, -y/n)
}

// shifted returns a number with the value q and the derivative of x.
func (b *builder) shifted(x chain.Num, q float64) chain.Num { return b.c.Of(x, q, 1) }
