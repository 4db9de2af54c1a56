package contact

import "math"

// gauss has the Gauss–Legendre rules on (0, 1) with 8, 16 and 32 nodes.
var gauss = [...][]gaussNode{legendre(8), legendre(16), legendre(32)}

type gaussNode struct{ x, w float64 }

// legendre returns the rule of n nodes: the zeros of the Legendre polynomial, found by ten steps of Newton's method, with their weights,
// both for the interval (0, 1).
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

// rule returns the quadrature rule with the number of nodes of the law.
func (s *SoilLaw) rule() []gaussNode {
	switch s.Nodes {
	case 8:
		return gauss[0]
	case 32:
		return gauss[2]
	}
	return gauss[1]
}

// wheelForce has a row for each of N, F_x, F_y and the moment about the axle: the value, and its derivatives by the sinkage, the
// slip, the sideways slip and the scale of the shear.
type wheelForce [4][5]float64

// arcOf returns the angle acos(1 − h/r), rad, from the lowest point of a wheel of radius r to the surface of the soil, for the
// sinkage h, and the derivative of the angle by h. Both are 0 where h is not positive.
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

// soilArc has the values that all points along an arc share, docs/ground.md (G30), (G31), and the forces summed up over them.
type soilArc struct {
	law                *SoilLaw
	front, peak, back  edge       // θ_f, θ_m and −θ_r, rad
	sinFront, cosFront float64    // of θ_f
	r, k, tan          float64    // radius, m; k of the pressure, Pa; tan φ
	slip, side, scale  float64    // slip, sideways slip, and scale of the shear
	derivatives        bool       // whether the derivatives are wanted
	sum                wheelForce // sum over the points
}

// arcForce stores in w.sum the forces of soil along the arc of a wheel of radius r, m, that moves forwards with the slips
// of w, and their derivatives if w.derivatives is set, docs/ground.md (G30) to (G36). depth is the sinkage, m.
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
		// With ξ = x² as variable, fractional powers at the ends of the arc hardly reduce the accuracy of the rule.
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

// pressure is σ at an angle θ_e ahead of θ_m. One angle behind θ_m has the same pressure.
type pressure struct {
	angle    edge    // θ_e
	sin, cos float64 // of θ_e
	base     float64 // cos θ_e − cos θ_f
	sigma    float64 // Pa
}

// pressure returns σ = k rⁿ (cos θ_e − cos θ_f)ⁿ at θ_e = θ_f + ξ·(θ_m − θ_f), docs/ground.md (G32).
func (w *soilArc) pressure(xi float64) (p pressure) {
	p.angle = w.front.mix(xi, &w.peak)
	p.sin, p.cos = math.Sincos(p.angle[0])
	if p.base = p.cos - w.cosFront; p.base > 0 {
		p.sigma = w.k * math.Exp(w.law.Exponent*math.Log(p.base)) // a third of the time of math.Pow
	}
	return p
}

// at adds to w.sum the forces at the angle theta, with its sine and cosine and the pressure p. They count with the factor
// weight·(to − from), where from and to are the ends of the part of the arc.
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
	for k := 1; k < 5; k++ { // the columns of wheelForce
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

// riseOf returns (1 − e^(−j/K))/j, 1/m, for the shear displacement j and the shear modulus K, m, and its derivative by j²/2, which is the
// derivative by j divided by j. For small j both are computed by series, as the formulas lose digits.
func riseOf(j, K float64) (rise, fall float64) {
	const small = 1e-4
	x := j / K
	switch {
	case j == 0:
		return 1 / K, 0 // the derivative does not matter, as it is multiplied by j
	case x < small:
		return (1 - x/2 + x*x/6) / K, (-0.5 + x/3) / (K * K * j)
	}
	e := math.Expm1(-x)
	rise = -e / j
	return rise, ((1+e)/K - rise) / (j * j)
}

// soil stores in f all forces of soft soil, docs/ground.md (G31) and (G37), and in d their derivatives, unless d is nil. They are
// a mean of the forces for forward and backward travel, weighted by wayOf.
func (l *Law) soil(f *Force, d *Derivatives, m *PointMotion, r, share float64) {
	s := &l.Friction.Soil
	low := l.lowSpeed()
	u := m.Roll - m.X
	q := 1 / math.Sqrt(u*u+low*low)
	slip, side := -m.X*q, m.Y*q
	way, byWay := wayOf((m.Roll - m.X/2) / (2 * low))
	byWay /= 2 * low
	var w wheelForce    // weighted sum over both directions of travel
	var turn [4]float64 // derivative of the values of w by way
	for _, sign := range [...]float64{1, -1} {
		weight := (1 + sign*way) / 2
		if weight == 0 {
			continue
		}
		arc := soilArc{slip: sign * slip, side: side, scale: m.Scale, derivatives: d != nil}
		s.arcForce(&arc, m.Depth, r)
		a := &arc.sum
		for i, c := range [...]float64{share, sign * share, share, sign * share} {
			a[i][2] *= sign // the arc has sign·slip
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
	// Derivatives of slip, side and way by v_x, v_y and V; u = V − v_x.
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

// wayOf returns p(x) and its slope: p is −1 up to x = −1 and 1 from x = 1 on, and between them the polynomial
// of degree five that makes p twice continuously differentiable.
func wayOf(x float64) (p, slope float64) {
	if x <= -1 || x >= 1 {
		return math.Copysign(1, x), 0
	}
	q := 1 - x*x
	return x * (15 - 10*x*x + 3*x*x*x*x) / 8, 15 * q * q / 8
}
