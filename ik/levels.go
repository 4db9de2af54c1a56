package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Priorities are strict. The levels are treated one after the other. A step of a level leaves the rows of those before as they are to
// first order, docs/inverse-kinematics.md (L5) (Siciliano & Slotine 1991, with orthogonal factors of the rows in place of pseudoinverses), and what it changes of
// them to second order is taken back before the step is judged. The posture is the last level.

const (
	// restoreSteps is the largest number of steps that take back a change of finished levels.
	restoreSteps = 8
	// restoreTol is the change that is left, of the length of the problem: exact is where no step follows, loose what is taken.
	restoreExact, restoreLoose = 1e-15, 1e-12
)

// restore brings the rows of the levels before v back to their errors, from s.try, and reports whether they are.
func (s *Solver) restore(v *level) bool {
	n, rows, b := len(s.q), v.first, s.fix
	last := math.Inf(1)
	for range restoreSteps {
		s.errorsTo(s.tried)
		for r := range rows {
			s.tried[r] -= s.want[r]
		}
		off := algebra.MaxAbs(s.tried[:rows]) / s.p.length
		if off <= restoreExact {
			return true
		}
		if !(off < last/2) {
			break
		}
		last = off
		s.J, s.fixJ = s.fixJ, s.J
		s.refresh()
		s.J, s.fixJ = s.fixJ, s.J
		for i, q := range s.try {
			b.lower[i], b.upper[i] = (s.low[i]-q)/s.size[i], (s.high[i]-q)/s.size[i]
		}
		clear(b.side)
		b.step(s.fixJ[:rows*n], s.tried[:rows], nil, 0)
		for i, u := range b.u {
			s.try[i] = min(max(s.try[i]+s.size[i]*u, s.low[i]), s.high[i])
		}
		if s.eng.moveTo(s.try) != nil {
			return false
		}
	}
	return last <= restoreLoose
}
