package contact

import "math"

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

// wheelForce are N, F_x, F_y and the moment about the axle, each with its derivatives by the sinkage, the slip, the
// sideways slip and the scale of the shear.
type wheelForce [4][5]float64

// arcOf returns acos(1 − h/r), the angle of a wheel of radius r at a depth h, and its derivative by h.
func arcOf(h, r float64) (angle, slope float64) {
	x := min(h/r, 2)
	if x <= 0 {
		return 0, 0
	}
	return 2 * math.Asin(math.Sqrt(x/2)), 1 / (r * math.Sqrt(x*(2-x)))
}

// edge is an angle of the arc, with its derivatives by the sinkage and the slip.
type edge [3]float64

// mix returns a + x (b − a).
func (a *edge) mix(x float64, b *edge) (c edge) {
	for i := range c {
		c[i] = a[i] + x*(b[i]-a[i])
	}
	return c
}

// soilArc has the numbers that all places along an arc share: docs/ground.md (G30), (G31).
type soilArc struct {
	law                *SoilLaw
	front, peak, back  edge
	sinFront, cosFront float64
	r, k, tan          float64
	slip, side, scale  float64
	derivatives        bool
	sum                wheelForce
}

// arcForce stores in w.sum the forces of soil along the arc of a wheel of radius r that moves forwards with the slips
// in w, and their derivatives if w wants them, docs/ground.md (G30) to (G36).
func (l *SoilLaw) arcForce(w *soilArc, depth, r float64) {
	w.law, w.r = l, r
	slip := w.slip
	w.tan = math.Tan(l.Angle)
	w.k = (l.Cohesive/l.Width + l.Friction) * math.Pow(r, l.Exponent)
	w.front[0], w.front[1] = arcOf(depth, r)
	back, slope := arcOf(l.Recovery*depth, r)
	w.back = edge{-back, -l.Recovery * slope}
	w.sinFront, w.cosFront = math.Sincos(w.front[0])
	part, bySlip := l.peak(slip)
	w.peak = edge{part * w.front[0], part * w.front[1], bySlip * w.front[0]}
	for _, g := range l.rule() {
		// ξ = x² keeps fractional powers at both ends from mattering.
		xi := g.x * g.x
		p := w.pressure(xi)
		w.at(&p, &p.angle, p.sin, p.cos, &w.peak, &w.front, 2*g.x*g.w)
		theta := w.back.mix(xi, &w.peak)
		sin, cos := math.Sincos(theta[0])
		w.at(&p, &theta, sin, cos, &w.back, &w.peak, 2*g.x*g.w)
	}
	b := r * l.Width
	for i, c := range [...]float64{b, b, -b, -r * b} {
		for k := range w.sum[i] {
			w.sum[i][k] *= c
		}
	}
}

// peak returns the angle of the largest pressure as a part of the angle of the front, docs/ground.md (G31), and its derivative by the slip.
func (l *SoilLaw) peak(slip float64) (part, bySlip float64) {
	part, bySlip = l.C0+l.C1*slip, l.C1
	if lo, hi := max(l.C0-math.Abs(l.C1), 0), l.C0+math.Abs(l.C1); part < lo || part > hi {
		part, bySlip = min(max(part, lo), hi), 0
	}
	return part, bySlip
}

// pressure is σ at an angle ahead of θ_m, which is that of one angle behind too.
type pressure struct {
	angle    edge
	sin, cos float64
	base     float64 // cos θ_e − cos θ_f
	sigma    float64 // Pa
}

// pressure returns σ = k rⁿ (cos θ_e − cos θ_f)ⁿ at the part ξ of the way from θ_f to θ_m, docs/ground.md (G32).
func (w *soilArc) pressure(xi float64) (p pressure) {
	p.angle = w.front.mix(xi, &w.peak)
	p.sin, p.cos = math.Sincos(p.angle[0])
	if p.base = p.cos - w.cosFront; p.base > 0 {
		p.sigma = w.k * math.Exp(w.law.Exponent*math.Log(p.base)) // a third of the time of math.Pow
	}
	return p
}

// at adds a place θ of the part of the arc between two edges, with the
// pressure p. The place counts for weight times their distance.
func (w *soilArc) at(p *pressure, theta *edge, sin, cos float64, from, to *edge, weight float64) {
	l, sigma := w.law, p.sigma
	// The shear of the soil, (G34)
	turned := w.front[0] - theta[0]
	jx, jy := w.r*(turned-(1-w.slip)*(w.sinFront-sin)), w.r*turned*w.side
	// τ/j, (G35)
	limit := l.Cohesion + sigma*w.tan
	rise, fall := riseOf(math.Sqrt(jx*jx+jy*jy), l.Shear)
	tau := w.scale * limit * rise
	tx, ty := tau*jx, tau*jy
	// N, F_x, F_y and M over r b
	v := [4]float64{sigma*cos + tx*sin, tx*cos - sigma*sin, ty, tx}
	length := to[0] - from[0]
	for i := range v {
		w.sum[i][0] += weight * length * v[i]
	}
	if !w.derivatives {
		return
	}
	for k := 1; k < 5; k++ {
		var dFront, dTheta, dPressed, dLength, dSlip, dSide, dScale float64
		switch k {
		case 1, 2:
			dFront, dTheta, dPressed, dLength = w.front[k], theta[k], p.angle[k], to[k]-from[k]
			dSlip = float64(k - 1)
		case 3:
			dSide = 1
		case 4:
			dScale = 1
		}
		dSigma := 0.0
		if p.base > 0 {
			dSigma = sigma * l.Exponent / p.base * (w.sinFront*dFront - p.sin*dPressed)
		}
		dTurned := dFront - dTheta
		dx := w.r * (dTurned - (1-w.slip)*(w.cosFront*dFront-cos*dTheta) + dSlip*(w.sinFront-sin))
		dy := w.r * (dTurned*w.side + turned*dSide)
		dTau := dScale*limit*rise + w.scale*(dSigma*w.tan*rise+limit*fall*(jx*dx+jy*dy))
		dtx, dty := dTau*jx+tau*dx, dTau*jy+tau*dy
		d := [4]float64{
			dSigma*cos + dtx*sin + (tx*cos-sigma*sin)*dTheta,
			dtx*cos - dSigma*sin - (tx*sin+sigma*cos)*dTheta,
			dty, dtx,
		}
		for i := range d {
			w.sum[i][k] += weight * (length*d[i] + dLength*v[i])
		}
	}
}

// riseOf returns (1 − e^(−j/K))/j and its derivative by j²/2, which is the one by j over j. Near j = 0 they are series, as the formulas
// cancel there.
func riseOf(j, K float64) (rise, fall float64) {
	const small = 1e-4
	x := j / K
	switch {
	case j == 0:
		return 1 / K, 0 // the derivative is multiplied by j
	case x < small:
		return (1 - x/2 + x*x/6) / K, (-0.5 + x/3) / (K * K * j)
	}
	e := math.Expm1(-x)
	rise = -e / j
	return rise, ((1+e)/K - rise) / (j * j)
}

// soil stores all forces of soft soil, docs/ground.md (G31) and (G37), and their derivatives unless d is nil.
func (l *Law) soil(f *Force, d *Derivatives, m *PointMotion, r, share float64) {
	s := &l.Friction.Soil
	low := l.lowSpeed()
	u := m.Roll - m.X
	q := 1 / math.Sqrt(u*u+low*low)
	slip, side := -m.X*q, m.Y*q
	way, byWay := wayOf((m.Roll - m.X/2) / (2 * low))
	byWay /= 2 * low
	var w wheelForce // of both ways
	var turn [4]float64
	for _, sign := range [...]float64{1, -1} {
		weight := (1 + sign*way) / 2
		if weight == 0 {
			continue
		}
		arc := soilArc{slip: sign * slip, side: side, scale: m.Scale, derivatives: d != nil}
		s.arcForce(&arc, m.Depth, r)
		a := &arc.sum
		for i, c := range [...]float64{share, sign * share, share, sign * share} {
			a[i][2] *= sign // by the slip
			for k := range a[i] {
				w[i][k] += c * weight * a[i][k]
			}
			turn[i] += c * sign / 2 * a[i][0]
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

// wayOf returns a polynomial p that goes from −1 at −1 to 1 at 1,
// level at both ends up to the second derivative, and its slope.
func wayOf(x float64) (p, slope float64) {
	if x <= -1 || x >= 1 {
		return math.Copysign(1, x), 0
	}
	q := 1 - x*x
	return x * (15 - 10*x*x + 3*x*x*x*x) / 8, 15 * q * q / 8
}
