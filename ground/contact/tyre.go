package contact

import "math"

// value returns sin(C atan(x − E (x − atan x)))/x of a curve and its derivative by x, for x ≥ 0.
func (c *Curve) value(x float64) (g, slope float64) {
	if x < tinySlip {
		return c.C, 0 // the next term is of order x²
	}
	a := math.Atan(x)
	inner := x - c.E*(x-a)
	s, cos := math.Sincos(c.C * math.Atan(inner))
	g = s / x
	byInner := c.C * cos / (1 + inner*inner)
	q := 1 / (1 + x*x)
	return g, (byInner*(1-c.E*(1-q)) - g) / x
}

// tinySlip is the slip below which its square is below rounding.
const tinySlip = 1e-8

// slips returns the slips of a tyre, κ and tan α, and their derivatives by v_x, v_y and V (ByX, ByY and ByRoll), docs/ground.md (G27).
func (t *TyreLaw) slips(m *PointMotion) (slip [2]float64, by [2][3]float64) {
	low := t.LowSpeed
	q := 1 / math.Sqrt(m.Roll*m.Roll+low*low)
	fall := -m.Roll * q * q // (dq/dV)/q
	slip = [2]float64{-m.X * q, m.Y * q}
	by = [2][3]float64{{-q, 0, slip[0] * fall}, {0, q, slip[1] * fall}}
	return slip, by
}

// tyre stores in f the forces of a tyre, docs/ground.md (G28): curves of the total slip, divided between x and y. It stores in d their
// derivatives, unless d is nil. With relaxation, internal holds the slips.
func (l *Law) tyre(f *Force, d *Derivatives, m *PointMotion, internal []float64) {
	t := &l.Friction.Tyre
	slip, bySpeed := t.slips(m)
	f.Slip, f.SlipAngle = slip[0], math.Atan(slip[1])
	states := t.Relaxation > 0
	if states {
		slip = [2]float64{internal[0], internal[1]}
	}
	x, y := t.Long.B*slip[0], t.Lat.B*slip[1]
	rho := math.Hypot(x, y)
	gx, dgx := t.Long.value(rho)
	gy, dgy := t.Lat.value(rho)
	mx, my := m.Scale*l.Friction.Coefficient[0], m.Scale*l.Friction.Coefficient[1]
	ax, ay := mx*gx*x, -my*gy*y // forces over f.N
	f.X, f.Y = f.N*ax, f.N*ay
	if d == nil {
		return
	}
	for _, by := range [...]int{ByDepth, ByN} {
		d[OfX][by], d[OfY][by] = d[OfN][by]*ax, d[OfN][by]*ay
	}
	if rho > 0 {
		dgx, dgy = dgx/rho, dgy/rho
	}
	// J has the derivatives of the forces by the two slips.
	J := [2][2]float64{
		{f.N * mx * (gx + dgx*x*x) * t.Long.B, f.N * mx * dgx * x * y * t.Lat.B},
		{-f.N * my * dgy * x * y * t.Long.B, -f.N * my * (gy + dgy*y*y) * t.Lat.B},
	}
	for i, of := range [...]int{OfX, OfY} {
		if states {
			d[of][ByState0], d[of][ByState1] = J[i][0], J[i][1]
		} else {
			for k, by := range [...]int{ByX, ByY, ByRoll} {
				d[of][by] = J[i][0]*bySpeed[0][k] + J[i][1]*bySpeed[1][k]
			}
		}
	}
	if m.Scale > 0 {
		d[OfX][ByScale], d[OfY][ByScale] = f.X/m.Scale, f.Y/m.Scale
	}
}

// relaxation stores in rate the rates of the slips in internal, 1/s, docs/ground.md (G29), and in d their derivatives, unless d is nil.
func (t *TyreLaw) relaxation(rate []float64, d *RateDerivatives, m *PointMotion, internal []float64) {
	slip, bySpeed := t.slips(m)
	v := math.Sqrt(m.Roll*m.Roll + t.LowSpeed*t.LowSpeed)
	p := v / t.Relaxation
	for i := range rate {
		rate[i] = p * (slip[i] - internal[i])
	}
	if d == nil {
		return
	}
	for i := range d {
		for k, by := range [...]int{ByX, ByY, ByRoll} {
			d[i][by] = p * bySpeed[i][k]
		}
		d[i][ByRoll] += m.Roll / (v * t.Relaxation) * (slip[i] - internal[i])
		d[i][ByState0+i] = -p
	}
}
