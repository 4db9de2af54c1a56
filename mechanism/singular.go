package mechanism

import (
	"errors"

	"github.com/rung-mbd/rung/spatial"
)

// ErrUndetermined is wrapped by errors about undetermined accelerations: neither inertia nor a joint resists a
// rotation of a body.
var ErrUndetermined = errors.New("mechanism: acceleration not determined: no inertia and no joint resists it")

// Singular is a body that has no inertia in some direction: a slender rod or a point mass.
type Singular struct {
	Body int32
	Axes []spatial.Vec3 // one or three directions, unit vectors in body axes
	Hold float64        // inertia that its Weight has there (bodies.Body.Hold), kg m²
}

// Singular returns the bodies without inertia in some direction, in increasing order. The list must not be changed.
func (m *Mechanism) Singular() []Singular { return m.singular }

// holdPart is the inertia Hold of a body in directions without inertia, relative to its mass times its square length
// (SquareLengthsTo). Solvers correct for it. A larger value makes better pivots, a smaller one a smaller correction. It is small
// beside the inertia that joints add to such a direction.
const holdPart = 1e-4

// leastHold and mostHold bound Hold, so that neither it nor its inverse overflows.
const leastHold, mostHold = 1e-290, 1e290

// findSingular lists the bodies without inertia in some direction, and sets Hold of their weights there.
func (m *Mechanism) findSingular() {
	for i := range m.Bodies {
		if axes, n := m.Bodies[i].Null(); n > 0 {
			m.singular = append(m.singular, Singular{Body: int32(i), Axes: append([]spatial.Vec3(nil), axes[:n]...)})
		}
	}
	if m.singular == nil {
		return
	}
	length2 := make([]float64, len(m.Bodies))
	m.SquareLengthsTo(length2)
	for k := range m.singular {
		s := &m.singular[k]
		b := &m.Bodies[s.Body]
		s.Hold = leastHold
		if h := holdPart * b.Mass * length2[s.Body]; h > leastHold { // else it is too small, or NaN
			s.Hold = min(h, mostHold)
		}
		b.Hold(s.Hold)
	}
}

// lengthsOfPoints gives point masses whose joints are all at their centres, which have the length zero, another length:
// the largest length of the bodies to which joints join them, or 1 m.
func (m *Mechanism) lengthsOfPoints(length2 []float64) {
	if m.singular == nil {
		return
	}
	near := make(map[int32]float64)
	for i := range m.singular {
		if b := m.singular[i].Body; length2[b] == 0 {
			near[b] = 0
		}
	}
	if len(near) == 0 {
		return
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		for _, e := range [2][2]int32{{jt.Pred, jt.Succ}, {jt.Succ, jt.Pred}} {
			if x, ok := near[e[0]]; ok && e[1] >= 0 {
				near[e[0]] = max(x, length2[e[1]])
			}
		}
	}
	for i := range m.singular {
		if x, ok := near[m.singular[i].Body]; ok {
			if x == 0 {
				x = 1
			}
			length2[m.singular[i].Body] = x
		}
	}
}

// HeldInertia returns the inertia from which the Weight of body i is computed:
// the inertia of the body, plus Hold in directions without inertia.
//
// Frame: body axes. Units: kg m². Cost: O(singular bodies).
func (m *Mechanism) HeldInertia(i int) spatial.Sym3 {
	for k := range m.singular {
		if s := &m.singular[k]; int(s.Body) == i {
			return m.Bodies[i].HeldInertia(s.Axes, s.Hold)
		}
	}
	return m.Bodies[i].Inertia
}
