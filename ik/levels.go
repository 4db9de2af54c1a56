package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Priorities are strict: the levels are treated one after the other, and the posture is the last
// level. To first order a step of a level does not change the levels before it,
// docs/inverse-kinematics.md (L5) (Siciliano & Slotine 1991, with orthogonal factors of the rows in
// place of pseudoinverses). Of a level that is reached it keeps the rows, of another the gradient
// (curb.go). Changes of second order are removed before the step is judged.

const (
	// restoreSteps is the largest number of steps that remove a change of finished levels.
	restoreSteps = 8
	// Changes relative to the length of the problem: below restoreExact no step
	// follows, and a change of at most restoreLoose is accepted in the end.
	restoreExact, restoreLoose = 1e-15, 1e-12
)

// restore brings the rows of the levels before v back to their errors, from s.try, and reports whether they are.
func (s *denseMethod) restore(v *levelState) bool {
	n, b := len(s.q), s.fix
	last := math.Inf(1)
	for range restoreSteps {
		s.errorsTo(s.tried)
		rows, C, off := v.first, s.fixJ, 0.0
		if s.bent {
			s.jacobianTo(s.fixJ)
			off = s.lackTo(s.lack, v)
			C = s.fixC
			rows = s.gatherTo(C, s.fixJ, s.indexOf(v))
		} else {
			for r := range rows {
				s.lack[r] = s.tried[r] - s.want[r]
			}
			off = algebra.MaxAbs(s.lack[:rows]) / s.p.length
		}
		if off <= restoreExact {
			return true
		}
		if !(off < last/2) {
			break
		}
		last = off
		if !s.bent {
			s.jacobianTo(s.fixJ)
		}
		for i, q := range s.try {
			b.lower[i], b.upper[i] = (s.low[i]-q)/s.size[i], (s.high[i]-q)/s.size[i]
		}
		clear(b.side)
		b.step(C[:rows*n], s.lack[:rows], nil, 0)
		for i, u := range b.u {
			s.try[i] = min(max(s.try[i]+s.size[i]*u, s.low[i]), s.high[i])
		}
		if s.eng.moveTo(s.try) != nil {
			return false
		}
	}
	return last <= restoreLoose
}
