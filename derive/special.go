package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// local returns a vector in the axes of P.
func (b *builder) local(r *relation, v chain.Vec) chain.Vec {
	c, p := &b.c, &r.P.axes
	return c.Join(c.Dot(p[0], v), c.Dot(p[1], v), c.Dot(p[2], v))
}

// world returns the vector with the components v in the axes of P.
func (b *builder) world(r *relation, v chain.Vec) chain.Vec {
	c, p := &b.c, &r.P.axes
	sum := c.Scale(c.Part(v, 0), p[0])
	for k := 1; k < 3; k++ {
		sum = c.Add(sum, c.Scale(c.Part(v, k), p[k]))
	}
	return sum
}

// unit returns v/|v| and |v|.
func (b *builder) unit(v chain.Vec) (chain.Vec, chain.Num) {
	c := &b.c
	n := c.Root(c.Dot(v, v))
	return c.Scale(c.Div(c.Num(1), n), v), n
}

// noSlip adds the row of theory.md (W6): the origin of S does not move along the z axis of S.
func (b *builder) noSlip(r *relation) {
	c, z := &b.c, r.S.axes[2]
	l := forceAlong(z)
	l.tdot = c.Dot(c.Cross(r.w, z), r.V)
	r.arm, r.slip = r.R, r.V
	b.violate(r, z, none, z, r.V)
	b.row(l, none)
}

// wheel is a wheel on its plane or sphere, theory.md (W1): the normal n, the heading t, the direction l across, the vector p from its
// centre to the contact point, and their rates nd, td, ld and pd as seen from P.
type wheel struct {
	n, t, l, p     chain.Vec
	nd, td, ld, pd chain.Vec // none for zero
	height         chain.Num // gap between wheel and plane or sphere, m
}

// rolling adds the rows of theory.md (W3), differentiated as in (W5).
func (b *builder) rolling(r *relation) {
	c, s := &b.c, &r.joint.Spec
	tyre := b.scalar(slot{kind: slotTyre}, s.Tyre)
	var w wheel
	switch {
	case s.Bowl != 0:
		b.inBowl(&w, r, tyre)
	case s.Tyre == s.Radius:
		z := r.P.axes[2]
		w = wheel{n: z, t: r.P.axes[0], l: r.P.axes[1], p: c.Times(-1, c.Scale(tyre, z)), nd: none, td: none, ld: none, pd: none}
		w.height = c.Sub1(c.Dot(z, r.R), tyre)
	default:
		b.onPlane(&w, r, tyre)
	}
	v := c.Add(r.V, c.Cross(r.w, w.p))
	r.arm, r.slip = r.R, r.V
	add := func(d, dd chain.Vec, delta chain.Num) {
		b.violate(r, d, delta, d, v)
		l := line{m: c.Cross(w.p, d), f: d, tdot: none}
		if w.pd >= 0 {
			l.tdot = c.Dot(d, c.Cross(r.w, w.pd))
		}
		if dd >= 0 {
			x := c.Dot(dd, v)
			if l.tdot >= 0 {
				x = c.Add1(x, l.tdot)
			}
			l.tdot = x
		}
		b.row(l, delta)
	}
	add(w.n, w.nd, w.height)
	slip := s.Kind.Slip()
	if slip != joints.SlipAlong && slip != joints.SlipBoth {
		add(w.t, w.td, none)
	}
	if slip != joints.SlipAcross && slip != joints.SlipBoth {
		add(w.l, w.ld, none)
	}
}

// onPlane sets w for a disc or a tyre on the plane, theory.md (W1), (W2), (W4).
func (b *builder) onPlane(w *wheel, r *relation, tyre chain.Num) {
	c, z, a := &b.c, r.P.axes[2], r.S.axes[2]
	rim := c.Sub1(b.scalar(slot{kind: slotRadius}, r.joint.Radius), tyre)
	var s chain.Num
	w.n = z
	w.t, s = b.unit(c.Cross(a, z))
	w.l = c.Cross(z, w.t)
	u := c.Cross(w.t, a)
	w.p = c.Times(-1, c.Add(c.Scale(tyre, z), c.Scale(rim, u)))
	turn := c.Div(c.Dot(r.w, u), s)
	w.nd = none
	w.td, w.ld = c.Scale(turn, w.l), c.Times(-1, c.Scale(turn, w.t))
	w.pd = c.Scale(rim, c.Sub(c.Scale(c.Dot(r.w, w.t), a), c.Scale(c.Mul(c.Dot(a, z), turn), w.t)))
	w.height = c.Sub1(c.Sub1(c.Dot(z, r.R), c.Mul(rim, s)), tyre)
}

// farPole is the product of pole and normal below which the opposite pole is used, as in package joints. The rows are the same for both
// poles; the directions t and l, and so the meaning of their multipliers, differ.
const farPole = -0.5

// inBowl sets w for a ball in a bowl or on a dome, theory.md (W9), (W10).
func (b *builder) inBowl(w *wheel, r *relation, tyre chain.Num) {
	c := &b.c
	side := 1.0
	if r.joint.Bowl > 0 {
		side = -1
	}
	n, far := b.unit(r.R)
	w.n = c.Times(side, n)
	pole := r.P.axes[2]
	if c.Value1(c.Dot(w.n, pole)) < farPole {
		pole = c.Times(-1, pole)
	}
	q := c.Add1(c.Num(1), c.Dot(w.n, pole))
	sum := c.Add(pole, w.n)
	w.nd = c.Scale(c.Div(c.Num(side), far), c.Sub(r.V, c.Scale(c.Dot(w.n, r.V), w.n)))
	// carry turns the axis x of P with the normal from the pole to n by the shortest way, and returns the rate, too.
	carry := func(x chain.Vec) (t, td chain.Vec) {
		a := c.Div(c.Dot(w.n, x), q)
		turn := c.Sub1(c.Div(c.Dot(w.nd, x), q), c.Mul(a, c.Div(c.Dot(w.nd, pole), q)))
		return c.Sub(x, c.Scale(a, sum)), c.Times(-1, c.Add(c.Scale(turn, sum), c.Scale(a, w.nd)))
	}
	w.t, w.td = carry(r.P.axes[0])
	w.l, w.ld = carry(r.P.axes[1])
	w.p, w.pd = c.Times(-1, c.Scale(tyre, w.n)), c.Times(-1, c.Scale(tyre, w.nd))
	w.height = c.Sub1(c.Add1(c.Times1(side, far), b.scalar(slot{kind: slotBowl}, r.joint.Bowl)), tyre)
}

// onCurve is a point of a curve with its derivatives by the parameter.
type onCurve struct{ C, D, DD chain.Vec }

// inSpace is the argument flat of at for curves whose z counts.
const inSpace = false

// at returns a curve at the parameter u, whose value is u0. With flat its z is zero.
func (b *builder) at(k *curves.Curve, u chain.Num, u0 float64, flat bool) onCurve {
	c := &b.c
	p, third := k.At(u0), k.ThirdAt(u0)
	if flat {
		p.C[2], p.D[2], p.DD[2], third[2] = 0, 0, 0, 0
	}
	du := b.shifted(u, 0)
	along := func(v, rate spatial.Vec3) chain.Vec { return c.Add(c.Vec(v), c.Scale(du, c.Vec(rate))) }
	return onCurve{along(p.C, p.D), along(p.D, p.DD), along(p.DD, third)}
}

// steep is the |z·t| above which the first normal is orthogonal to x instead of z, as in package joints.
const steep = 0.9

// bead adds the rows of a point on a curve, theory.md (U3), (U5), and its freedoms.
func (b *builder) bead(r *relation) {
	c, k, rows := &b.c, r.joint.Curve, r.joint.Kind.Constraints()
	flat := rows == 1
	p, v := b.local(r, r.R), b.local(r, r.V)
	if flat {
		p = c.Join(c.Part(p, 0), c.Part(p, 1), c.Num(0))
	}
	// One step of Newton's method for c′·(p − c) = 0, (U2).
	u0 := r.near[0]
	at := k.At(u0)
	if flat {
		at.C[2], at.D[2], at.DD[2] = 0, 0, 0
	}
	left0 := at.D.Dot(at.D) - c.Value(p).Sub(at.C).Dot(at.DD)
	u := c.Times1(1/left0, c.Dot(c.Vec(at.D), p))
	x := b.at(k, u, u0, flat)
	d := c.Sub(p, x.C)
	t, speed := b.unit(x.D)
	left := c.Sub1(c.Dot(x.D, x.D), c.Dot(d, x.DD))
	rate := c.Div(c.Div(c.Dot(x.D, v), left), speed)
	td := c.Scale(rate, c.Sub(x.DD, c.Scale(c.Dot(t, x.DD), t)))
	a := spatial.Vec3{0, 0, 1}
	if z := c.Value(t)[2]; z > steep || z < -steep {
		a = spatial.Vec3{1}
	}
	n0, size := b.unit(c.Cross(c.Vec(a), t))
	nd := c.Cross(c.Vec(a), td)
	nd = c.Scale(c.Div(c.Num(1), size), c.Sub(nd, c.Scale(c.Dot(nd, n0), n0)))
	r.arm, r.slip = r.R, r.V
	b.onNormal(r, n0, nd, d, v)
	if !flat {
		b.onNormal(r, c.Cross(t, n0), c.Add(c.Cross(td, n0), c.Cross(t, nd)), d, v)
	}
	for i, e := range r.P.axes {
		r.freedoms[i] = freedom{line: momentAbout(e), q: none}
	}
	way := forceAlong(b.world(r, t)) // freedom along the curve, (U11)
	way.tdot = c.Dot(td, v)
	r.freedoms[3] = freedom{line: way, q: b.shifted(c.Times1(c.Value1(speed), u), r.q[3])}
	if flat {
		r.freedoms[4] = freedom{line: forceAlong(r.P.axes[2]), q: b.shifted(c.Dot(r.P.axes[2], r.R), r.q[4])}
	}
	r.settled = true
}

// onNormal adds the row along the normal n of a curve with the rate nd. d is the vector from the curve to the point, and v the velocity of
// the point, all in the axes of P.
func (b *builder) onNormal(r *relation, n, nd, d, v chain.Vec) {
	l, delta := forceAlong(b.world(r, n)), b.c.Dot(n, d)
	l.tdot = b.c.Dot(nd, v)
	b.violate(r, l.f, delta, n, v)
	b.row(l, delta)
}

// sight is a pair of curves that touch, theory.md (U7), in the axes of P.
type sight struct {
	t, n, x        chain.Vec    // unit tangent and normal of P's curve, and tangent of S's, of length 1 in the plane
	p              chain.Vec    // from the origin of S to the point of its curve
	bend           [2]chain.Num // curvatures of the curves, 1/m
	along, gap     chain.Num    // t·d and n·d, m, with d from the point of P's curve to the point of S's curve
	sine, tau      chain.Num    // n·x and t·x
	speed0, speed1 chain.Num    // lengths of the derivatives by the parameters of the curves in the plane, m
}

// see returns the sight of the curves k of P and m of S. e are the axes of S, and r the position of its origin.
func (b *builder) see(e [3]chain.Vec, r chain.Vec, k, m onCurve) (s sight) {
	c := &b.c
	flat := func(v chain.Vec) chain.Vec { return c.Join(c.Part(v, 0), c.Part(v, 1), c.Num(0)) }
	turn := func(v chain.Vec) chain.Vec {
		sum := c.Scale(c.Part(v, 0), e[0])
		for i := 1; i < 3; i++ {
			sum = c.Add(sum, c.Scale(c.Part(v, i), e[i]))
		}
		return sum
	}
	s.p = turn(m.C)
	x1, x2 := turn(m.D), turn(m.DD)
	D := flat(k.D)
	s.t, s.speed0 = b.unit(D)
	s.n = c.Cross(c.Vec(spatial.Vec3{0, 0, 1}), s.t)
	flat1 := flat(x1)
	s.speed1 = c.Root(c.Dot(flat1, flat1))
	s.x = c.Scale(c.Div(c.Num(1), s.speed1), x1)
	off := flat(c.Sub(c.Add(r, s.p), k.C))
	s.along, s.gap = c.Dot(s.t, off), c.Dot(s.n, off)
	s.sine, s.tau = c.Dot(s.n, s.x), c.Dot(s.t, s.x)
	s.bend[0] = c.Div(c.Dot(s.n, k.DD), c.Mul(s.speed0, s.speed0))
	bent := c.Dot(flat(s.x), x2)
	s.bend[1] = c.Div(c.Sub1(c.Dot(s.n, x2), c.Mul(s.sine, bent)), c.Mul(s.speed1, s.speed1))
	return s
}

// lengths returns the solution of (U8) for the right sides y: the travel of the contact point along both curves.
func (b *builder) lengths(s *sight, y [2]chain.Num) [2]chain.Num {
	c := &b.c
	A := [4]chain.Num{
		c.Sub1(c.Mul(s.bend[0], s.gap), c.Num(1)), s.tau, c.Times1(-1, c.Mul(s.bend[0], s.tau)), s.bend[1],
	}
	det := c.Sub1(c.Mul(A[0], A[3]), c.Mul(A[1], A[2]))
	return [2]chain.Num{
		c.Div(c.Sub1(c.Mul(y[0], A[3]), c.Mul(A[1], y[1])), det), c.Div(c.Sub1(c.Mul(A[0], y[1]), c.Mul(y[0], A[2])), det),
	}
}

// touch adds the row of two curves that touch, theory.md (U9).
func (b *builder) touch(r *relation) {
	c, s := &b.c, &r.joint.Spec
	var e [3]chain.Vec
	for k := range e {
		e[k] = b.local(r, r.S.axes[k])
	}
	p := b.local(r, r.R)
	// One step of Newton's method for both parameters.
	u0, w0 := r.near[0], r.near[1]
	zero := c.Num(0)
	first := b.see(e, p, b.at(s.Curve, zero, u0, inSpace), b.at(s.SuccessorCurve, zero, w0, inSpace))
	step := b.lengths(&first, [2]chain.Num{c.Times1(-1, first.along), c.Times1(-1, first.sine)})
	u, w1 := c.Div(step[0], first.speed0), c.Div(step[1], first.speed1)
	now := b.see(e, p, b.at(s.Curve, u, u0, inSpace), b.at(s.SuccessorCurve, w1, w0, inSpace))
	// The rates of the parameters, and the row.
	w, v := b.local(r, r.w), b.local(r, r.V)
	v = c.Add(v, c.Cross(w, now.p))
	along := c.Dot(now.t, v)
	rate := b.lengths(&now, [2]chain.Num{c.Times1(-1, along), c.Times1(-1, c.Dot(now.n, c.Cross(w, now.x)))})
	pd := c.Add(c.Cross(w, now.p), c.Scale(rate[1], now.x))
	n := b.world(r, now.n)
	l := line{m: c.Cross(b.world(r, now.p), n), f: n}
	l.tdot = c.Sub1(c.Dot(now.n, c.Cross(w, pd)), c.Mul(c.Mul(now.bend[0], rate[0]), along))
	r.arm, r.slip = r.R, r.V
	if r.joint.Kind.Freedoms() > 0 { // the curves may part: the gap is a freedom
		r.freedoms[0] = freedom{line: l, q: b.shifted(now.gap, r.q[0])}
		r.settled = true
		return
	}
	b.violate(r, n, now.gap, now.n, v)
	b.row(l, now.gap)
}
