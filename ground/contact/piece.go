package contact

import "math"

// lawBase is more than the points that a contact has.
const lawBase = 1 << 12

// Piece returns how many points touch, by what EvalTo has stored in r, and by which laws their forces go on. Where either changes, the
// force has a corner: a point touches or leaves, its damping begins or ends to hold the normal force at zero, or the slip on soil passes
// one from which on the angle of the largest pressure stays as it is. Points of Distributed, which touch one by one as a wheel rolls,
// count as one.
//
// Cost: O(points), no allocation.
func (c *Contact) Piece(r *Result) (touching, law int) {
	if c.Shape.Where == Distributed {
		return min(len(r.Touches), 1), 0
	}
	pushing, held := 0, 0
	for i := range r.Touches {
		f := &r.Touches[i].Force
		if f.N > 0 {
			pushing++
		}
		if c.Law.Friction.Type == Soil && c.Law.Friction.Soil.isHeld(f.Slip) {
			held++
		}
	}
	return len(r.Touches), pushing + lawBase*held
}

// isHeld reports whether the angle of the largest pressure stays as it is at a slip, docs/ground.md (G31): in the way that the wheel goes,
// or in the other one, of which forces have a part at small speeds.
func (l *SoilLaw) isHeld(slip float64) bool {
	_, forth := l.peak(math.Abs(slip))
	_, back := l.peak(-math.Abs(slip))
	return l.C1 != 0 && (forth == 0 || back == 0)
}
