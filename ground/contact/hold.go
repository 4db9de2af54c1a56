package contact

import "math"

// bristles stores in f the friction of bent bristles, docs/ground.md (G25), and in d its derivatives, unless d is nil. internal
// has the deflections of the bristles along x and y, m.
func (l *Law) bristles(f *Force, d *Derivatives, m *PointMotion, internal []float64) {
	h := &l.Friction.Hold
	var rate [2]float64
	var by RateDerivatives
	h.bend(rate[:], &by, m, internal)
	for i, of := range [...]int{OfX, OfY} {
		mu := m.Scale * l.Friction.Coefficient[i]
		a := -mu * (internal[i]/h.Travel + h.Damping*rate[i]) // force over f.N
		force := f.N * a
		if of == OfX {
			f.X = force
		} else {
			f.Y = force
		}
		if d == nil {
			continue
		}
		d[of][ByDepth], d[of][ByN] = d[OfN][ByDepth]*a, d[OfN][ByN]*a
		for _, k := range [...]int{ByX, ByY, ByState0, ByState1} {
			d[of][k] = -f.N * mu * h.Damping * by[i][k]
		}
		d[of][ByState0+i] -= f.N * mu / h.Travel
		if m.Scale > 0 {
			d[of][ByScale] = force / m.Scale
		}
	}
}

// bend stores in rate the rates of the deflections, m/s, docs/ground.md (G26), and in d their derivatives, unless d is nil.
func (h *Hold) bend(rate []float64, d *RateDerivatives, m *PointMotion, internal []float64) {
	v := [2]float64{m.X, m.Y}
	speed := math.Hypot(v[0], v[1])
	var e [2]float64 // ∂speed/∂v; 0 at rest
	if speed > 0 {
		e = [2]float64{v[0] / speed, v[1] / speed}
	}
	for i := range rate {
		rate[i] = v[i] - internal[i]*speed/h.Travel
	}
	if d == nil {
		return
	}
	for i := range d {
		d[i][ByX], d[i][ByY] = -internal[i]*e[0]/h.Travel, -internal[i]*e[1]/h.Travel
		d[i][ByX+i]++
		d[i][ByState0+i] = -speed / h.Travel
	}
}
