package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// TypicalLength returns the size of a mechanism's bodies: the root mean square,
// over the bodies, of the largest distance of a joint from the centre of mass,
// or of the radius of gyration where that is larger.
//
// Cost: O(bodies + joints). It returns 1 for a mechanism without bodies.
func (m *Mechanism) TypicalLength() float64 {
	if len(m.Bodies) == 0 {
		return 1
	}
	reach := make([]float64, len(m.Bodies)) // squared
	for i := range m.Bodies {
		I := &m.Bodies[i].Inertia
		reach[i] = (I[0] + I[1] + I[2]) / (2 * m.Bodies[i].Mass)
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		lengthen(reach, m, jt.Pred, &jt.P.Origin)
		lengthen(reach, m, jt.Succ, &jt.S.Origin)
	}
	sum := 0.0
	for _, r := range reach {
		sum += r
	}
	return math.Sqrt(sum / float64(len(reach)))
}

func lengthen(reach []float64, m *Mechanism, body int32, p *spatial.Vec3) {
	if body >= 0 {
		d := p.Sub(m.Bodies[body].Com)
		reach[body] = max(reach[body], d.Dot(d))
	}
}

// DriftUnit returns what a length, m, is compared with where it is compared with angles, rad:
// the typical length, at most 1 m. With lengths in this unit, a bound for the drift of small
// mechanisms means as much as one of metres for those of ordinary size.
//
// Cost: O(bodies + joints).
func (m *Mechanism) DriftUnit() float64 { return min(1, m.TypicalLength()) }
