package contact

import "math"

// Piece says which discs of a contact touch, at how many points, and by which laws their forces go on. It is comparable: where it changes,
// the force has a corner.
type Piece struct{ touching, pushing, held tally }

// tally is a number of points for each disc, up to mostLocal.
type tally [(mostDiscs + tallied - 1) / tallied]uint64

const (
	tallyBits = 2 // of the number of a disc
	tallied   = 64 / tallyBits
	_         = uint(1<<tallyBits - 1 - mostLocal) // a number fits
)

// count adds a point of a disc.
func (t *tally) count(disc int) { t[disc/tallied] += 1 << (disc % tallied * tallyBits) }

// of returns the number of points of a disc.
func (t *tally) of(disc int) uint64 {
	return t[disc/tallied] >> (disc % tallied * tallyBits) & (1<<tallyBits - 1)
}

// Piece returns the piece on which the force is that EvalTo has stored in r. It changes where a point touches or leaves, where its damping
// begins or ends to hold the normal force at zero, and where the slip on soil passes one from which on the angle of the largest pressure
// stays as it is. Points of Distributed, which touch one by one as a wheel rolls, count as one.
//
// Cost: O(points), no allocation.
func (c *Contact) Piece(r *Result) (p Piece) {
	for i := range r.Touches {
		t := &r.Touches[i]
		if c.Shape.Where == Distributed {
			p.touching.count(0)
			break
		}
		p.touching.count(t.Disc)
		if t.Force.N > 0 {
			p.pushing.count(t.Disc)
		}
		if c.Law.Friction.Type == Soil && c.Law.Friction.Soil.isHeld(t.Force.Slip) {
			p.held.count(t.Disc)
		}
	}
	return p
}

// Adds reports whether a disc touches at more points than on the piece before.
func (p *Piece) Adds(before *Piece) bool {
	for disc := range mostDiscs {
		if p.touching.of(disc) > before.touching.of(disc) {
			return true
		}
	}
	return false
}

// isHeld reports whether the angle of the largest pressure stays as it is at a slip, docs/ground.md (G31): in the way that the wheel goes,
// or in the other one, of which forces have a part at small speeds.
func (l *SoilLaw) isHeld(slip float64) bool {
	_, forth := l.peak(math.Abs(slip))
	_, back := l.peak(-math.Abs(slip))
	return l.C1 != 0 && (forth == 0 || back == 0)
}
