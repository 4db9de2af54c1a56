package joints

import "math"

// A spline and a table are pieces on which the second derivative is linear, so that value and
// rate are its exact integrals.

// piece is the part of a motion from its time on.
type piece struct {
	t             float64 // s
	q, v, a, jerk float64 // value and derivatives there; the third one is constant
}

// at returns value, rate and second derivative at t.
func (p *piece) at(t float64) (q, qd, qdd float64) {
	x := t - p.t
	return p.q + x*(p.v+x*(p.a/2+x*p.jerk/6)), p.v + x*(p.a+x*p.jerk/2), p.a + x*p.jerk
}

// along is At for pieces.
func (m *Motion) along(t float64) (q, qd, qdd float64) {
	if len(m.pieces) == 0 {
		panic("joints: motion not prepared")
	}
	if last := m.Times[len(m.Times)-1]; m.Hold && (t < m.Times[0] || t > last) {
		q, _, _ = m.pieces[len(m.pieces)-1].at(last)
		if t < m.Times[0] {
			q = m.pieces[0].q
		}
		return q, 0, 0
	}
	lo, hi := 0, len(m.pieces) // the piece is one of lo … hi−1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; t < m.pieces[mid].t {
			hi = mid
		} else {
			lo = mid
		}
	}
	return m.pieces[lo].at(t)
}

// Integral returns the integral of the value from 0, or for a spline or a table from the first of its times, to t.
//
// Cost: O(1), for a polynomial O(coefficients), for a spline or a table O(times); no allocation.
// It panics if a spline or a table is not Prepared.
func (m *Motion) Integral(t float64) float64 {
	switch m.Kind {
	case Harmonic:
		// (cos φ − cos(φ + wt))/w = sin(φ + wt/2)·sin(wt/2)·2/w
		half := math.Pi * m.Frequency * t
		return m.Offset*t + m.Amplitude*math.Sin(m.Phase+half)*sinc(half)*t
	case Polynomial:
		sum := 0.0
		for i := len(m.Coefficients) - 1; i >= 0; i-- {
			sum = sum*t + m.Coefficients[i]/float64(i+1)
		}
		return sum * t
	case Spline, Table:
		return m.integralAlong(t)
	}
	return 0
}

// sinc is sin(x)/x.
func sinc(x float64) float64 {
	if math.Abs(x) < 1e-8 {
		return 1
	}
	return math.Sin(x) / x
}

// integralAlong is Integral for pieces.
func (m *Motion) integralAlong(t float64) (sum float64) {
	if len(m.pieces) == 0 {
		panic("joints: motion not prepared")
	}
	first, last := m.Times[0], m.Times[len(m.Times)-1]
	if m.Hold && t < first {
		return (t - first) * m.pieces[0].q
	}
	for i := range m.pieces {
		p := &m.pieces[i]
		end := t
		if i+1 < len(m.pieces) {
			end = min(t, m.pieces[i+1].t)
		} else if m.Hold {
			end = min(t, last)
		}
		if i > 0 && end <= p.t {
			return sum
		}
		x := end - p.t
		sum += x * (p.q + x*(p.v/2+x*(p.a/6+x*p.jerk/24)))
	}
	if m.Hold && t > last {
		q, _, _ := m.along(last)
		sum += (t - last) * q
	}
	return sum
}

// table integrates the accelerations.
func (m *Motion) table() {
	q, v := m.Value, m.Rate
	for i, t := range m.Times[:len(m.Times)-1] {
		p := piece{t: t, q: q, v: v, a: m.Accelerations[i]}
		if !m.Steps {
			p.jerk = (m.Accelerations[i+1] - p.a) / (m.Times[i+1] - t)
		}
		m.pieces = append(m.pieces, p)
		q, v, _ = p.at(m.Times[i+1])
	}
}

// spline computes the pieces from the second derivatives M at the points (de Boor 1978, ch. IV). At an inner point i,
// with h the lengths of the intervals and s the slopes of the chords,
//
//	h[i−1]·M[i−1] + 2(h[i−1] + h[i])·M[i] + h[i]·M[i+1] = 6(s[i] − s[i−1]).
func (m *Motion) spline() {
	n := len(m.Times)
	for i := range n - 1 {
		h := m.Times[i+1] - m.Times[i]
		m.pieces = append(m.pieces, piece{q: m.Values[i], jerk: h, v: (m.Values[i+1] - m.Values[i]) / h})
	}
	last := m.curvatures()
	for i := range m.pieces {
		p, next := &m.pieces[i], last
		if i+1 < len(m.pieces) {
			next = m.pieces[i+1].a
		}
		h := p.jerk
		p.t, p.v, p.jerk = m.Times[i], p.v-h*(2*p.a+next)/6, (next-p.a)/h
	}
}

// curvatures stores in a of each piece the second derivative at its start, and returns that at the end.
// jerk is the length of the interval and v the slope of the chord; t is scratch.
func (m *Motion) curvatures() (last float64) {
	p, n := m.pieces, len(m.pieces)
	switch {
	case m.Ends == NotAKnot && n == 1:
		return 0
	case m.Ends == NotAKnot && n == 2:
		M := 2 * (p[1].v - p[0].v) / (p[0].jerk + p[1].jerk)
		p[0].a, p[1].a = M, M
		return M
	}
	// Elimination from the front: M[i] = a[i] − t[i]·M[i+1].
	p[0].t, p[0].a = 0, 0
	if m.Ends == Clamped { // 2h·M[0] + h·M[1] = 6(slope − rate)
		p[0].t, p[0].a = 0.5, 3*(p[0].v-m.Rates[0])/p[0].jerk
	}
	for i := 1; i < n; i++ {
		low, dia, high := p[i-1].jerk, 2*(p[i-1].jerk+p[i].jerk), p[i].jerk
		if m.Ends == NotAKnot && i == 1 { // M[0] = (1 + r)·M[1] − r·M[2]
			r := p[0].jerk / p[1].jerk
			low, dia, high = 0, dia+low*(1+r), high-low*r
		}
		if m.Ends == NotAKnot && i == n-1 { // M[n] = (1 + r)·M[n−1] − r·M[n−2]
			r := p[i].jerk / p[i-1].jerk
			low, dia, high = low-high*r, dia+high*(1+r), 0
		}
		dia -= low * p[i-1].t
		p[i].t, p[i].a = high/dia, (6*(p[i].v-p[i-1].v)-low*p[i-1].a)/dia
	}
	if m.Ends == Clamped { // h·M[n−1] + 2h·M[n] = 6(rate − slope)
		e := &p[n-1]
		last = (6*(m.Rates[1]-e.v)/e.jerk - e.a) / (2 - e.t)
	}
	for i, next := n-1, last; i >= 0; i-- {
		p[i].a -= p[i].t * next
		next = p[i].a
	}
	if m.Ends == NotAKnot {
		r := p[0].jerk / p[1].jerk
		p[0].a = (1+r)*p[1].a - r*p[2].a
		r = p[n-1].jerk / p[n-2].jerk
		last = (1+r)*p[n-1].a - r*p[n-2].a
	}
	return last
}
