package contact

import "math"

// Piece names a smooth piece of the force of a contact: for each disc, the numbers of points that touch, that push, and that
// have, on soil, a fixed angle of the largest pressure. Pieces are comparable. Where the piece changes, the force may have a kink.
type Piece struct{ touching, pushing, held tally }

// tally has for each disc a number of points, up to mostLocal, in tallyBits bits.
type tally [(mostDiscs + tallied - 1) / tallied]uint64

const (
	tallyBits = 2                                  // bits for each disc
	tallied   = 64 / tallyBits                     // discs for each word
	_         = uint(1<<tallyBits - 1 - mostLocal) // does not compile if mostLocal needs more bits
)

// count adds a point of a disc.
func (t *tally) count(disc int) { t[disc/tallied] += 1 << (disc % tallied * tallyBits) }

// of returns the number of points of a disc.
func (t *tally) of(disc int) uint64 {
	return t[disc/tallied] >> (disc % tallied * tallyBits) & (1<<tallyBits - 1)
}

// Piece returns the piece to which the force belongs that EvalTo has stored in r. The piece changes where a point touches or leaves,
// where damping starts or stops to hold a normal force at zero, and where the slip on soil reaches a bound of the angle of the
// largest pressure (isHeld). All points of Distributed count as one, as they touch one by one while a wheel rolls.
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

// isHeld reports whether the angle of the largest pressure is at a bound at the given slip, where it does not depend on the slip,
// docs/ground.md (G31). It looks at both directions of travel, as at small speeds the force has parts of both.
func (l *SoilLaw) isHeld(slip float64) bool {
	_, forth := l.peak(math.Abs(slip))
	_, back := l.peak(-math.Abs(slip))
	return l.C1 != 0 && (forth == 0 || back == 0)
}
