package joints

import (
	"math"

	"github.com/rung-mbd/rung/internal/spline"
)

// A spline and a table consist of pieces with a linear second derivative. Values and rates are its exact integrals.

// along is At of a spline or a table. It panics if m is not Prepared.
func (m *Motion) along(t float64) (q, qd, qdd float64) {
	if len(m.pieces) == 0 {
		panic("joints: motion not prepared")
	}
	if last := m.Times[len(m.Times)-1]; m.Hold && (t < m.Times[0] || t > last) {
		q, _, _ = m.pieces[len(m.pieces)-1].At(last)
		if t < m.Times[0] {
			q = m.pieces[0].Q
		}
		return q, 0, 0
	}
	return spline.At(m.pieces, t)
}

// Integral returns the integral of the value over time, to t from 0, or for a spline or a table from the first of its times.
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
	if math.Abs(x) < 1e-8 { // 1 − x²/6 rounds to 1
		return 1
	}
	return math.Sin(x) / x
}

// integralAlong is Integral of a spline or a table.
func (m *Motion) integralAlong(t float64) (sum float64) {
	if len(m.pieces) == 0 {
		panic("joints: motion not prepared")
	}
	first, last := m.Times[0], m.Times[len(m.Times)-1]
	if m.Hold && t < first {
		return (t - first) * m.pieces[0].Q
	}
	for i := range m.pieces {
		p := &m.pieces[i]
		end := t
		if i+1 < len(m.pieces) {
			end = min(t, m.pieces[i+1].T)
		} else if m.Hold {
			end = min(t, last)
		}
		if i > 0 && end <= p.T {
			return sum
		}
		sum += p.Integral(end)
	}
	if m.Hold && t > last {
		q, _, _ := m.along(last)
		sum += (t - last) * q
	}
	return sum
}

// table makes the pieces of a table: the accelerations, steps or linear between the times, integrated twice from Value and Rate.
func (m *Motion) table() {
	q, v := m.Value, m.Rate
	for i, t := range m.Times[:len(m.Times)-1] {
		p := spline.Piece{T: t, Q: q, V: v, A: m.Accelerations[i]}
		if !m.Steps {
			p.Jerk = (m.Accelerations[i+1] - p.A) / (m.Times[i+1] - t)
		}
		m.pieces = append(m.pieces, p)
		q, v, _ = p.At(m.Times[i+1])
	}
}
