package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// TypicalLength returns a typical size of the bodies, m: the root mean square,
// over the bodies, of the larger of the largest distance of a joint from the centre
// of mass and the root mean square distance of the mass from there.
//
// Cost: O(bodies + joints). It returns 1 for a mechanism without bodies.
func (m *Mechanism) TypicalLength() float64 {
	if len(m.Bodies) == 0 {
		return 1
	}
	squares := make([]float64, len(m.Bodies))
	m.SquareLengthsTo(squares)
	sum := 0.0
	for _, l2 := range squares {
		sum += l2
	}
	return math.Sqrt(sum / float64(len(squares)))
}

// SquareLengthsTo stores the square length of each body, m²: the larger of the mean square
// distance of its mass from the centre of mass and the largest square distance of a joint from there.
//
// Shapes: length2 has one entry for each body. Cost: O(bodies + joints), no allocation.
func (m *Mechanism) SquareLengthsTo(length2 []float64) {
	for i := range m.Bodies {
		b := &m.Bodies[i]
		length2[i] = b.Inertia.Trace() / (2 * b.Mass)
	}
	raise := func(body int32, p *spatial.Vec3) {
		if body >= 0 {
			arm := p.Sub(m.Bodies[body].Com)
			length2[body] = max(length2[body], arm.Dot(arm))
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		raise(jt.Pred, &jt.P.Origin)
		raise(jt.Succ, &jt.S.Origin)
	}
	m.lengthsOfPoints(length2)
}

// MassRatio returns the ratio of the largest mass of a body to the smallest effective mass. Effective masses of a body are its mass, and
// its moments of inertia over its square length. MassRatio is 0 without bodies.
//
// Cost: O(bodies + joints).
func (m *Mechanism) MassRatio() float64 {
	squares := make([]float64, len(m.Bodies))
	m.SquareLengthsTo(squares)
	heaviest, lightest := 0.0, math.Inf(1)
	for i := range m.Bodies {
		b := &m.Bodies[i]
		heaviest, lightest = max(heaviest, b.Mass), min(lightest, b.Mass)
		if _, null := b.Null(); null > 0 {
			continue // directions without inertia do not count
		}
		inverse := 0.0 // trace of I⁻¹, from 1 to 3 over the least moment
		for _, x := range b.Weight().Inertia {
			inverse += x * x
		}
		lightest = min(lightest, 1/(squares[i]*inverse))
	}
	return heaviest / lightest
}

// DriftUnit returns the unit, m, in which lengths are compared with angles, rad: the typical
// length, but at most 1 m. A bound of drift in this unit means as much for a small mechanism as
// the same bound in metres for a mechanism of ordinary size.
//
// Cost: O(bodies + joints).
func (m *Mechanism) DriftUnit() float64 { return min(1, m.TypicalLength()) }
