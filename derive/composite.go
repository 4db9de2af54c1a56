package derive

import (
	"math"

	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// twist is a motion or a wrench as two vectors: angular and linear part, or moment and force.
type twist struct{ a, b chain.Vec }

// axis is an elementary motion of a composite joint with its numbers.
type axis struct {
	kind   joints.Kind
	u, at  chain.Vec // direction and point, at zero coordinates
	pitch  chain.Num
	q      chain.Num
	column twist     // its column of S, theory.md (C2)
	place  chain.Vec // its point at the coordinates
}

// posture is a composite joint at given coordinates, in the axes of P, theory.md (C1), (C2).
type posture struct {
	n    int
	axes [joints.MaxAxes]axis
	E    [3]chain.Vec // axes of S
	r    chain.Vec    // origin of S
}

// composite adds the rows of a composite joint, theory.md (C6), and its freedoms, which setFreedoms reads.
func (b *builder) composite(r *relation) {
	c, s := &b.c, &r.joint.Spec
	n := s.Axes.Len()
	var rows, duals joints.Rows
	_ = s.EvalTo(&rows, &b.kin.Frames, b.d.st.Time) // the system has been filled, so it has rows
	s.FreedomRowsTo(&duals, &b.kin.Frames)
	fixed := b.fixed
	var D [joints.MaxAxes]twist
	for i := range n {
		D[i] = fixed(&duals.T[i])
	}
	// The posture at the present coordinates, and the deviation of S from it.
	var at posture
	b.settle(&at, r, nil)
	e := b.apart(&at, r)
	var now posture
	q := b.nearest(r, &at, e)
	b.settle(&now, r, q[:n])
	qd := b.rates(r, &now, &D)
	bias, v := b.bias(&now, &qd)
	if b.want&(wantForce|wantSecond) != 0 {
		r.arm, r.slip = b.world(r, now.r), b.world(r, v)
	}
	outward := func(t twist) line {
		return line{m: b.world(r, t.a), f: b.world(r, t.b), tdot: c.Times1(-1, b.dot(t, bias))}
	}
	for k := range 6 - n { // rows T, with Tᵀ·S = 0 also where S changes
		T := fixed(&rows.T[k])
		t := T
		for i := range n {
			t = b.less(t, b.dot(T, now.axes[i].column), D[i])
		}
		b.row(outward(t), b.dot(T, e))
	}
	for i := range n { // duals D, with DᵀS = 1 also where S changes
		t := D[i]
		for k := range n {
			x := b.dot(D[i], now.axes[k].column)
			if i == k {
				x = c.Sub1(x, c.Num(1))
			}
			t = b.less(t, x, D[k])
		}
		if b.d.held.active || b.isActedOn(r.number) {
			t = b.across(t, &now, i, &duals, rows.T[:6-n])
		}
		r.freedoms[i] = freedom{line: outward(t), q: b.shifted(q[i], r.q[i]), qd: qd[i]}
	}
	r.settled = true
}

// isActedOn reports whether forces act along the freedoms of a joint. They act at the origin of S. If the joint is open, the multipliers
// that cancel the rotation of duals among the rows act elsewhere.
func (b *builder) isActedOn(j int) bool {
	d := b.d
	return d.carried.acting[j] || len(d.motors[j]) > 0 || len(d.resisted[j]) > 0
}

// nearest returns the coordinates of a composite joint by one step of Newton's method for Sᵀe = 0, theory.md (C4), from the coordinates of
// the state. at is the posture there, and e the deviation of S from it. nearest sets r.focal if the coordinates have no derivative.
func (b *builder) nearest(r *relation, at *posture, e twist) (q [joints.MaxAxes]chain.Num) {
	c := &b.c
	n := at.n
	phi, d := vecAt(c, e.a), vecAt(c, e.b)
	theta := phi.dot(phi) // square of the angle
	kappa := 1. / 12      // κ of dexp⁻¹, theory.md (46), and its limit below a milliradian
	if theta > 1e-6 {
		half := math.Sqrt(theta) / 2
		kappa = (1 - half/math.Tan(half)) / theta
	}
	// As axis j turns axis i, column i·e changes by a_j·g_i; as the origin of S moves by s_j relative to axis i, it changes by s_j·h_i.
	var a, s, moved, g, h [joints.MaxAxes]vec
	for i := range n {
		a[i], s[i] = vecAt(c, at.axes[i].column.a), vecAt(c, at.axes[i].column.b)
		turn := phi.cross(a[i]) // a rotation about axis i changes φ by −a − φ×a/2 − κ φ×(φ×a)
		moved[i] = a[i].add(turn.scale(0.5)).add(phi.cross(turn).scale(kappa))
		g[i], h[i] = a[i].cross(phi).add(s[i].cross(d)), d.cross(a[i])
	}
	var A [joints.MaxAxes][joints.MaxAxes]float64 // −∂(Sᵀe)/∂q
	for i := range n {
		for j := range n {
			A[i][j] = a[i].dot(moved[j]) + s[i].dot(s[j])
			if j < i { // axis j moves axis i
				A[i][j] -= a[j].dot(g[i])
			} else {
				A[i][j] -= s[j].dot(h[i])
			}
		}
	}
	var f [joints.MaxAxes]chain.Num
	for i := range n {
		f[i] = b.dot(at.axes[i].column, e)
	}
	inverse, ok := inverted(&A, n)
	r.focal = !ok
	for i := range n {
		q[i] = c.Num(r.near[i])
		for j := range n {
			q[i] = c.Add1(q[i], c.Times1(inverse[i][j], f[j]))
		}
		q[i] = b.shifted(q[i], r.near[i])
	}
	return q
}

// focalPivot is the least pivot of inverted, relative to its diagonal entry. Where S nearly loses its rank, in a joint that holds, pivots
// are 1e-12 and more: with less package joints finds no rows.
const focalPivot = 1e-14

// inverted returns the inverse of the first n rows and columns of A by Gauss's and Jordan's method, and overwrites A. ok is false, and X
// has no meaning, if a pivot is below focalPivot.
//
// The method chooses no pivots. A is the second derivative of |e|²/2 by the coordinates, so it is symmetric: A = SᵀS − C, where C has the
// terms with φ and d, the parts of e. Each pivot is at least the least eigenvalue of A, and so at least σ² − |C|, with the least singular
// value σ of S. |C| ≤ n(1.6|φ| + |s||d|) for |φ| ≤ 1, with the largest linear part s of a column, m. At the coordinates of a state |e| is
// least, so the eigenvalue is not negative, however wide the joint is open. It is zero where neighbouring poses are equally near: in a
// joint that turns about z and then slides along x, for an opening of 1 m along y. The coordinates have no derivative there.
func inverted(A *[joints.MaxAxes][joints.MaxAxes]float64, n int) (X [joints.MaxAxes][joints.MaxAxes]float64, ok bool) {
	var least [joints.MaxAxes]float64
	for i := range n {
		X[i][i], least[i] = 1, focalPivot*A[i][i]
	}
	for k := range n {
		if !(A[k][k] > least[k]) {
			return X, false
		}
		pivot := 1 / A[k][k]
		for j := range n {
			A[k][j], X[k][j] = A[k][j]*pivot, X[k][j]*pivot
		}
		for i := range n {
			t := A[i][k]
			if i == k {
				continue
			}
			for j := range n {
				A[i][j], X[i][j] = A[i][j]-t*A[k][j], X[i][j]-t*X[k][j]
			}
		}
	}
	return X, true
}

// vecAt returns the value of v.
func vecAt(c *chain.Chain, v chain.Vec) vec {
	x := c.Value(v)
	return vecOf(&x)
}

// rates returns the rates of the coordinates, q̇ = Dᵀ·V̂. As DᵀS = 1, they change by Dᵀ·(δV̂ − δS·q̇) and, with the part v of V̂ that
// violates the joint, by DᵀD·δSᵀv.
func (b *builder) rates(r *relation, now *posture, D *[joints.MaxAxes]twist) (qd [joints.MaxAxes]chain.Num) {
	c := &b.c
	rest := twist{b.local(r, r.w), b.local(r, r.V)}
	for k := range now.n {
		column := now.axes[k].column
		rest = twist{c.Sub(rest.a, c.Times(r.qd[k], column.a)), c.Sub(rest.b, c.Times(r.qd[k], column.b))}
	}
	v := twist{c.Vec(c.Value(rest.a)), c.Vec(c.Value(rest.b))} // the part of V̂ that violates the joint, held
	for k := range now.n {
		x := b.dot(now.axes[k].column, v)
		rest = twist{c.Add(rest.a, c.Scale(x, D[k].a)), c.Add(rest.b, c.Scale(x, D[k].b))}
	}
	for i := range now.n {
		qd[i] = b.shifted(b.dot(D[i], rest), r.qd[i])
	}
	return qd
}

// fixed returns a wrench of the joint as constants, in the axes of P.
func (b *builder) fixed(f *spatial.Force) twist {
	EP := &b.kin.EP
	return twist{b.c.Vec(EP.TMulVec(f.Moment())), b.c.Vec(EP.TMulVec(f.Linear()))}
}

// across adds to t, the dual of freedom i, its change by the rows T of the type: T·Tᵀ·δS·(DᵀD), theory.md (C5). Where the joint holds,
// multipliers cancel this term. It matters for the changes of velocities that close the joint, which lie across its rows, and for armature,
// which uses the dual as it is.
func (b *builder) across(t twist, at *posture, i int, duals *joints.Rows, rows []spatial.Force) twist {
	c := &b.c
	for k := range rows {
		T := b.fixed(&rows[k])
		for j := range at.n {
			x := c.Times1(-algebra.Dot(duals.T[j][:], duals.T[i][:]), b.dot(T, at.axes[j].column))
			t = b.less(t, x, T)
		}
	}
	return t
}

// dot returns the product of a motion and a wrench.
func (b *builder) dot(x, y twist) chain.Num { return b.c.Add1(b.c.Dot(x.a, y.a), b.c.Dot(x.b, y.b)) }

// less returns t − x·y.
func (b *builder) less(t twist, x chain.Num, y twist) twist {
	c := &b.c
	return twist{c.Sub(t.a, c.Scale(x, y.a)), c.Sub(t.b, c.Scale(x, y.b))}
}

// axisOf returns axis k of the joint r, with its numbers as leaves where parameters change numbers of the joint.
func (b *builder) axisOf(r *relation, k int) (a axis) {
	c, x := &b.c, r.joint.Axes.At(k)
	a.kind = x.Kind
	if !b.d.hasScalars(b.number) {
		a.u, a.at, a.pitch = c.Vec(x.Axis), c.Vec(x.Point), c.Num(x.Pitch)
		return a
	}
	raw := b.d.doc.Joints[r.number].Axes[k].Axis
	vector := func(kind uint8, v spatial.Vec3) chain.Vec {
		at := func(i int32) chain.Num { return b.scalar(slot{kind: kind, freedom: uint8(k), index: i}, v[i]) }
		return c.Join(at(0), at(1), at(2))
	}
	most := max(math.Abs(raw[0]), math.Abs(raw[1]), math.Abs(raw[2]))
	a.u, _ = b.unit(c.Times(1/most, vector(slotAxis, raw)))
	a.at = vector(slotAxisPoint, x.Point)
	a.pitch = b.scalar(slot{kind: slotAxisPitch, freedom: uint8(k)}, x.Pitch)
	return a
}

// settle computes the posture at the coordinates q; nil: at the coordinates of the state, as constants.
func (b *builder) settle(p *posture, r *relation, q []chain.Num) {
	c := &b.c
	p.n = r.joint.Axes.Len()
	for k := range p.E {
		var e spatial.Vec3
		e[k] = 1
		p.E[k] = c.Vec(e)
	}
	p.r = c.Vec(spatial.Vec3{})
	for k := range p.n {
		p.axes[k] = b.axisOf(r, k)
		a := &p.axes[k]
		if a.q = c.Num(r.near[k]); q != nil {
			a.q = q[k]
		}
		u := b.turnedBy(&p.E, a.u)
		if a.kind == joints.Prismatic {
			p.r = c.Add(p.r, c.Scale(a.q, u))
			a.column = twist{c.Vec(spatial.Vec3{}), u}
			continue
		}
		a.column.a = u
		a.place = c.Add(p.r, b.turnedBy(&p.E, a.at))
		b.rotate(&p.E, u, a.q)
		p.r = c.Sub(a.place, b.turnedBy(&p.E, a.at))
		if a.kind == joints.Helical {
			p.r = c.Add(p.r, c.Scale(c.Mul(a.pitch, a.q), u))
		}
	}
	for k := range p.n {
		a := &p.axes[k]
		if a.kind == joints.Prismatic {
			continue
		}
		a.column.b = c.Cross(a.column.a, c.Sub(p.r, a.place))
		if a.kind == joints.Helical {
			a.column.b = c.Add(a.column.b, c.Scale(a.pitch, a.column.a))
		}
	}
}

// turnedBy returns E·v.
func (b *builder) turnedBy(E *[3]chain.Vec, v chain.Vec) chain.Vec {
	c := &b.c
	sum := c.Scale(c.Part(v, 0), E[0])
	for k := 1; k < 3; k++ {
		sum = c.Add(sum, c.Scale(c.Part(v, k), E[k]))
	}
	return sum
}

// rotate rotates the axes E by the angle q about u.
func (b *builder) rotate(E *[3]chain.Vec, u chain.Vec, q chain.Num) {
	c := &b.c
	s, k := math.Sincos(c.Value1(q))
	sin, cos := c.Of(q, s, k), c.Of(q, k, -s)
	rest := c.Sub1(c.Num(1), cos)
	for i, e := range E {
		E[i] = c.Add(c.Add(c.Scale(cos, e), c.Scale(sin, c.Cross(u, e))), c.Scale(c.Mul(rest, c.Dot(u, e)), u))
	}
}

// apart returns the deviation of S from a posture: a rotation vector, of less than a right angle, and a translation.
func (b *builder) apart(p *posture, r *relation) twist {
	c := &b.c
	turn := c.Vec(spatial.Vec3{})
	for k := range p.E {
		turn = c.Add(turn, c.Cross(p.E[k], b.local(r, r.S.axes[k])))
	}
	turn = c.Times(0.5, turn) // the sine of the angle along its axis
	square := c.Dot(turn, turn)
	x := c.Value1(square)
	f, slope := 1+x/6, 1./6 // of angle/sine, by the square of the sine
	if x > 1e-8 {
		sine := math.Sqrt(x)
		f = math.Asin(min(sine, 1)) / sine
		slope = (1/math.Sqrt(max(1-x, 1e-16)) - f) / (2 * x)
	}
	return twist{c.Scale(c.Of(square, f, slope), turn), c.Sub(b.local(r, r.R), p.r)}
}

// bias returns Σ q̇·S˚ with the rates q̇, theory.md (C3), and the velocity v of the origin of S by these rates.
func (b *builder) bias(p *posture, qd *[joints.MaxAxes]chain.Num) (sum twist, v chain.Vec) {
	c := &b.c
	v = c.Vec(spatial.Vec3{})
	for k := range p.n {
		v = c.Add(v, c.Scale(qd[k], p.axes[k].column.b))
	}
	sum = twist{c.Vec(spatial.Vec3{}), c.Vec(spatial.Vec3{})}
	// w and carried are the angular velocity of the link that carries axis k, and the velocity of its point at P's origin.
	w, carried := sum.a, sum.a
	for k := range p.n {
		a := &p.axes[k]
		u := a.column.a
		if a.kind == joints.Prismatic {
			sum.b = c.Add(sum.b, c.Scale(qd[k], c.Cross(w, a.column.b)))
			carried = c.Add(carried, c.Scale(qd[k], a.column.b))
			continue
		}
		ud := c.Cross(w, u)
		slide := c.Cross(ud, c.Sub(p.r, a.place))
		slide = c.Add(slide, c.Cross(u, c.Sub(v, c.Add(carried, c.Cross(w, a.place)))))
		step := c.Cross(a.place, u)
		if a.kind == joints.Helical {
			slide = c.Add(slide, c.Scale(a.pitch, ud))
			step = c.Add(step, c.Scale(a.pitch, u))
		}
		sum = twist{c.Add(sum.a, c.Scale(qd[k], ud)), c.Add(sum.b, c.Scale(qd[k], slide))}
		carried = c.Add(carried, c.Scale(qd[k], step))
		w = c.Add(w, c.Scale(qd[k], u))
	}
	return sum, v
}
