package contact

import "math"

// DefaultNodes is Nodes of a SoilLaw where it is 0.
const DefaultNodes = 16

// gauss are the nodes and weights of Gauss and Legendre on (0, 1), of 8, 16 and 32 nodes.
var gauss = [...][]gaussNode{legendre(8), legendre(16), legendre(32)}

type gaussNode struct{ x, w float64 }

// legendre returns the nodes of a rule, the zeros of the Legendre polynomial by Newton's method.
func legendre(n int) []gaussNode {
	rule := make([]gaussNode, n)
	for i := range rule {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 10 {
			p, before := x, 1.0
			for k := 2; k <= n; k++ {
				p, before = (float64(2*k-1)*x*p-float64(k-1)*before)/float64(k), p
			}
			slope = float64(n) * (x*p - before) / (x*x - 1)
			x -= p / slope
		}
		rule[n-1-i] = gaussNode{(1 + x) / 2, 1 / ((1 - x*x) * slope * slope)}
	}
	return rule
}

// rule returns the nodes of the law.
func (s *SoilLaw) rule() []gaussNode {
	switch s.Nodes {
	case 8:
		return gauss[0]
	case 32:
		return gauss[2]
	}
	return gauss[1]
}

// dual is a number with its derivatives by the sinkage, the slip, the sideways slip and the scale of the shear.
type dual [5]float64

// add returns a + s b.
func (a *dual) add(s float64, b *dual) (c dual) {
	for i := range c {
		c[i] = a[i] + s*b[i]
	}
	return c
}

// mul returns a b.
func (a *dual) mul(b *dual) (c dual) {
	c[0] = a[0] * b[0]
	for i := 1; i < len(c); i++ {
		c[i] = a[i]*b[0] + a[0]*b[i]
	}
	return c
}

// of returns g(a) from its value and its derivative at a.
func (a *dual) of(g, slope float64) (c dual) {
	c[0] = g
	for i := 1; i < len(c); i++ {
		c[i] = slope * a[i]
	}
	return c
}

func (a *dual) sin() dual {
	s, c := math.Sincos(a[0])
	return a.of(s, c)
}

func (a *dual) cos() dual {
	s, c := math.Sincos(a[0])
	return a.of(c, -s)
}

// arc returns acos(1 − h/r), the angle of a wheel of radius r at a depth h.
func arc(h *dual, r float64) dual {
	x := min(h[0]/r, 2)
	if x <= 0 {
		return dual{}
	}
	s := math.Sqrt(x * (2 - x)) // the sine
	return h.of(2*math.Asin(math.Sqrt(x/2)), 1/(r*s))
}

// wheelForce are N, F_x, F_y and the moment about the axle.
type wheelForce [4]dual

// arcForce has the forces of soil along the arc of a wheel that moves forwards, with the slip s and the sideways slip t,
// docs/ground.md (G30) to (G36).
func (l *SoilLaw) arcForce(depth, slip, side, scale, r float64) (sum wheelForce) {
	h := dual{depth, 1}
	s := dual{slip, 0, 1}
	t := dual{side, 0, 0, 1}
	shear := dual{scale, 0, 0, 0, 1}
	front := arc(&h, r)
	back := h.of(l.Recovery*depth, l.Recovery)
	back = arc(&back, r)
	back = back.of(-back[0], -1)
	part := s.of(l.C0+l.C1*slip, l.C1)
	if lo, hi := max(l.C0-math.Abs(l.C1), 0), l.C0+math.Abs(l.C1); part[0] < lo || part[0] > hi {
		part = dual{min(max(part[0], lo), hi)}
	}
	peak := part.mul(&front)
	w := soilArc{law: l, r: r, front: front, sinFront: front.sin(), cosFront: front.cos(), side: t, shear: shear}
	w.ratio = s.of(1-slip, -1) // V/U
	w.k = (l.Cohesive/l.Width + l.Friction) * math.Pow(r, l.Exponent)
	ahead, behind := front.add(-1, &peak), peak.add(-1, &back)
	for _, g := range l.rule() {
		// θ = θ_f − ξ (θ_f − θ_m) and θ_r + ξ (θ_m − θ_r) with ξ = x², so that fractional powers at the ends do not matter.
		xi := g.x * g.x
		pressed := front.add(-xi, &ahead)
		w.at(&sum, &pressed, &pressed, &ahead, 2*g.x*g.w)
		theta := back.add(xi, &behind)
		w.at(&sum, &theta, &pressed, &behind, 2*g.x*g.w)
	}
	b := r * l.Width
	for i, c := range [...]float64{b, b, -b, -r * b} {
		sum[i] = sum[i].of(c*sum[i][0], c)
	}
	return sum
}

// soilArc is what the places along an arc share.
type soilArc struct {
	law                                           *SoilLaw
	r, k                                          float64
	front, sinFront, cosFront, ratio, side, shear dual
}

// at adds a place θ of the arc, where the pressure is that of the angle pressed: weight times length.
func (w *soilArc) at(sum *wheelForce, theta, pressed, length *dual, weight float64) {
	l := w.law
	// σ = k rⁿ (cos θ_e − cos θ_f)ⁿ
	c := pressed.cos()
	c = c.add(-1, &w.cosFront)
	sigma := dual{}
	if x := max(c[0], 0); x > 0 {
		p := w.k * math.Pow(x, l.Exponent)
		sigma = c.of(p, l.Exponent*p/x)
	}
	// j, the shear of the soil
	sin, cos := theta.sin(), theta.cos()
	turned := w.front.add(-1, theta)
	moved := w.sinFront.add(-1, &sin)
	moved = moved.mul(&w.ratio)
	jx := turned.add(-1, &moved)
	jy := turned.mul(&w.side)
	jx, jy = jx.of(w.r*jx[0], w.r), jy.of(w.r*jy[0], w.r)
	// τ/j = (c + σ tan φ) (1 − e^(−j/K))/j
	limit := sigma.of(l.Cohesion+sigma[0]*math.Tan(l.Angle), math.Tan(l.Angle))
	j2 := jx.mul(&jx)
	q := jy.mul(&jy)
	j2 = j2.add(1, &q)
	rise := riseOf(&j2, l.Shear)
	tau := limit.mul(&rise)
	tau = tau.mul(&w.shear)
	tx, ty := tau.mul(&jx), tau.mul(&jy)
	// N, F_x, F_y and M over r b
	n, x := sigma.mul(&cos), tx.mul(&cos)
	ns, xs := tx.mul(&sin), sigma.mul(&sin)
	n, x = n.add(1, &ns), x.add(-1, &xs)
	for i, v := range [...]*dual{&n, &x, &ty, &tx} {
		v := v.mul(length)
		sum[i] = sum[i].add(weight, &v)
	}
}

// riseOf returns (1 − e^(−j/K))/j for j² = j2.
func riseOf(j2 *dual, K float64) dual {
	j := math.Sqrt(j2[0])
	x := j / K
	if x < 1e-4 {
		// 1 − x/2 + x²/6, whose first derivative by j² is as −1/(4 K² x): it multiplies j.
		g := (1 - x/2 + x*x/6) / K
		if j == 0 {
			return dual{g}
		}
		return j2.of(g, (-0.5+x/3)/(2*K*K*j))
	}
	e := math.Exp(-x)
	g := -math.Expm1(-x) / j
	return j2.of(g, (e/K-g)/(2*j*j))
}

// soil has all forces of soft soil, docs/ground.md (G31) and (G37).
func (l *Law) soil(f *Force, d *Derivatives, m *Motion, r, share float64) {
	s := &l.Friction.Soil
	low := l.lowSpeed()
	u := m.Roll - m.X
	q := 1 / math.Sqrt(u*u+low*low)
	slip, side := -m.X*q, m.Y*q
	way := math.Tanh((m.Roll - m.X/2) / low)
	var w [4]dual // N, F_x, F_y, M of both ways
	var turn [4]float64
	for _, sign := range [...]float64{1, -1} {
		weight := (1 + sign*way) / 2
		if weight < wayLeast {
			continue
		}
		a := s.arcForce(m.Depth, sign*slip, side, m.Scale, r)
		for i, c := range [...]float64{1, sign, 1, sign} {
			a[i][2] *= sign // by the slip
			w[i] = w[i].add(c*weight*share, &a[i])
			turn[i] += c * share * sign / 2 * a[i][0]
		}
	}
	damping := l.Normal.Damping * share
	f.N, f.X, f.Y, f.Axle = max(0, w[0][0]-damping*m.N), w[1][0], w[2][0], w[3][0]
	f.AtCenter = true
	if d == nil {
		return
	}
	// slip and side by v_x, v_y and V; U = V − v_x
	fall := u * q * q
	bySlip := [3]float64{slip*fall - q, 0, -slip * fall}
	bySide := [3]float64{side * fall, q, -side * fall}
	byWay := (1 - way*way) / low
	ways := [3]float64{-byWay / 2, 0, byWay}
	for i, of := range [...]int{OfN, OfX, OfY, OfAxle} {
		if of == OfN && f.N == 0 {
			continue
		}
		d[of][ByDepth], d[of][ByScale] = w[i][1], w[i][4]
		for k, by := range [...]int{ByX, ByY, ByRoll} {
			d[of][by] = w[i][2]*bySlip[k] + w[i][3]*bySide[k] + turn[i]*ways[k]
		}
	}
	if f.N > 0 {
		d[OfN][ByN] = -damping
	}
}

// wayLeast is the weight below which the other way of rolling is left out.
const wayLeast = 1e-13
