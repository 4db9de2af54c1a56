package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
)

// A level that is reached holds its errors at zero. A level that cannot be reached holds its merit at the minimum: the gradient of the
// merit stays zero. The second derivative H of the merit then tells which directions later levels may take: directions in which H is zero,
// and none in which the merit is curved, docs/inverse-kinematics.md (L6).

const (
	// hessianStep is the step of the differences of gradients that give H, rad or lengths of the problem.
	hessianStep = 1e-5
	// Curvature below flatOfErrors·‖𝒥‖·‖e‖ + flatOfRows·‖𝒥‖² counts as zero. The errors of differences over hessianStep are smaller.
	flatOfErrors, flatOfRows = 1e-7, 1e-9
	// gradientLoose·restoreLoose is the largest step towards a zero gradient that may be left undone, in units of a step.
	gradientLoose = 1e3
	// meritRounding is the rounding of errors, relative to the length of the problem.
	meritRounding = 1e-13
)

// holdsMerit reports whether level l, which has ended, is not reached and so holds its merit at the minimum.
func (s *denseMethod) holdsMerit(l int) bool {
	return s.heldMerits != nil && s.list[l].targets != nil && s.list[l].status != Reached
}

// endUnreached ends level l, which is not reached: from now on its merit must not grow, and driven freedoms that a limit holds back against
// the gradient stay at this limit.
func (s *denseMethod) endUnreached(l int) {
	v, n := &s.list[l], len(s.q)
	scale := s.scaleOf(s.J[v.first*n:v.end*n], s.e[v.first:v.end])
	for i, g := range s.slope {
		s.stay[0][i], s.stay[1][i] = s.low[i], s.high[i]
		if s.bounded.onLimit(i) && math.Abs(g) > pullPart*scale {
			s.stay[0][i], s.stay[1][i] = s.q[i], s.q[i]
		}
	}
	s.low, s.high = s.stay[0], s.stay[1]
	s.heldMerits[l].merit = v.merit(s.e)
	s.meritsHeld = true
}

// tighten reduces the errors of the levels before v down to rounding, as their searches have ended at a tolerance. Where it fails, all
// stays.
func (s *denseMethod) tighten(v *levelState) {
	copy(s.try, s.q)
	ok := s.restore(v)
	if s.errorsTo(s.tried); !ok || !s.keepsMerits(v, s.tried) {
		s.back()
		return
	}
	s.take()
	for l := range s.list[:s.level] {
		if s.holdsMerit(l) {
			s.heldMerits[l].merit = min(s.heldMerits[l].merit, s.list[l].merit(s.e))
		}
	}
}

// keepsMerits reports whether the errors e leave the merits held by levels before v as small as they are, but for rounding.
func (s *denseMethod) keepsMerits(v *levelState, e []float64) bool {
	for l := range s.list {
		w := &s.list[l]
		if w.first >= v.first {
			break
		}
		if s.holdsMerit(l) {
			most := s.heldMerits[l].merit
			if !(w.merit(e) <= most*(1+meritSeen)+meritRounding*s.p.length*math.Sqrt(2*most)) {
				return false
			}
		}
	}
	return true
}

// constraints returns the rows that the levels before v hold to first order at s.q: rows of targets, or directions of held merits.
func (s *denseMethod) constraints(v *levelState) []float64 {
	if !s.meritsHeld {
		return s.J[:v.first*len(s.q)]
	}
	return s.gathered[:s.gatherTo(s.gathered, s.J, s.indexOf(v))*len(s.q)]
}

// indexOf returns the number of a level, by its first row. For rows that are no level it returns the number of levels.
func (s *denseMethod) indexOf(v *levelState) int {
	for l := range s.list {
		if s.list[l].first == v.first {
			return l
		}
	}
	return len(s.list)
}

// gatherTo stores in C the rows that the levels before l hold at a pose, where J is 𝒥 at this pose and held merits are known there. It
// returns the number of rows.
func (s *denseMethod) gatherTo(C, J []float64, l int) (rows int) {
	n := len(s.q)
	for j := range l {
		v := &s.list[j]
		from, count := J[v.first*n:v.end*n], v.end-v.first
		if s.holdsMerit(j) {
			from, count = s.heldMerits[j].Y[:s.heldMerits[j].rows*n], s.heldMerits[j].rows
		}
		copy(C[rows*n:], from)
		rows += count
	}
	return rows
}

// heldMeritsAt computes the held merits of the levels before l at q, and reports whether all poses for it could be reached. It leaves the
// engine at another pose.
//
// Cost: 2n poses for each held merit. At each of these poses the held merits of earlier levels are computed too.
func (s *denseMethod) heldMeritsAt(l int, q []float64) bool {
	others := false
	for j := range l {
		if !s.holdsMerit(j) {
			continue
		}
		if !s.heldMeritAt(j, q, others) {
			return false
		}
		if others && !s.heldMeritsAt(j, q) { // heldMeritAt has computed those before j at poses near q
			return false
		}
		others = true
	}
	return true
}

// heldMeritAt computes the held merit of level l at the coordinates q, from central differences of its gradient (gradientAt) along
// directions that the levels before leave free. others says that levels before l hold merits too, which are known at q. It reports
// whether all poses for it could be reached, and leaves the engine at another pose.
func (s *denseMethod) heldMeritAt(l int, q []float64, others bool) bool {
	c, n, v := s.heldMerits[l], len(s.q), &s.list[l]
	copy(c.q, q)
	if s.eng.moveTo(c.q) != nil {
		return false
	}
	s.evaluateFor(c)
	c.held = s.orthonormalTo(c.normal, c.J, l)
	A, e := c.J[v.first*n:v.end*n], c.e[v.first:v.end]
	flat := flatOfErrors*s.scaleOf(A, e) + flatOfRows*algebra.Dot(A, A)
	clear(c.H)
	for i := range n {
		clear(c.way)
		if c.way[i] = 1; !s.movable(i) {
			continue
		}
		s.strip(c.way, c.normal, c.held)
		s.strip(c.way, c.normal, c.held) // once more, against rounding
		for _, size := range [2]float64{hessianStep, -hessianStep} {
			for k, x := range c.way {
				s.aside[k] = c.q[k] + size*s.size[k]*x
			}
			if !s.gradientAt(l, s.aside, others) {
				return false
			}
			add(c.H[i*n:i*n+n], 0.5/size, c.g)
		}
		s.strip(c.H[i*n:i*n+n], c.normal, c.held)
	}
	return c.findCurved(n, flat)
}

// evaluateFor stores in c the errors and 𝒥 at the pose of the engine.
func (s *denseMethod) evaluateFor(c *heldMerit) {
	s.jacobianTo(c.J)
	s.errorsOfTargetsTo(c.e)
}

// gradientAt stores in the held merit's g the gradient of level l at q, projected on the directions that the levels before leave free
// there. It reports false if the pose cannot be reached or the search has ended.
func (s *denseMethod) gradientAt(l int, q []float64, others bool) bool {
	c, n, v := s.heldMerits[l], len(s.q), &s.list[l]
	if s.hasEnded() {
		return false
	}
	if others {
		copy(c.g, q) // q is s.aside, which heldMeritsAt overwrites
		if !s.heldMeritsAt(l, c.g) {
			return false
		}
		q = c.g
	}
	if s.eng.moveTo(q) != nil {
		return false
	}
	s.evaluateFor(c)
	clear(c.g)
	for r := v.first; r < v.end; r++ {
		add(c.g, -c.e[r], c.J[r*n:r*n+n])
	}
	for i := range c.g {
		if !s.movable(i) {
			c.g[i] = 0
		}
	}
	rows := s.orthonormalTo(c.near, c.J, l)
	s.strip(c.g, c.near, rows)
	return true
}

// movable reports whether the limits in force, settle's among them, let driven freedom i move.
func (s *denseMethod) movable(i int) bool { return s.low[i] < s.high[i] }

// orthonormalTo stores in N an orthonormal basis of the rows of gatherTo on the movable coordinates, and returns its number of rows.
func (s *denseMethod) orthonormalTo(N, J []float64, l int) (rows int) {
	n := len(s.q)
	all := s.gatherTo(N, J, l)
	for r := range all {
		row := N[rows*n : rows*n+n]
		copy(row, N[r*n:r*n+n])
		before := math.Sqrt(algebra.Dot(row, row))
		for i := range row {
			if !s.movable(i) {
				row[i] = 0
			}
		}
		s.strip(row, N, rows)
		s.strip(row, N, rows)
		if left := math.Sqrt(algebra.Dot(row, row)); left > dependent*before {
			scaleVector(row, 1/left)
			rows++
		}
	}
	return rows
}

// strip subtracts from v its part in the span of the first rows of N, which are orthonormal. rows is their number.
func (s *denseMethod) strip(v, N []float64, rows int) {
	n := len(v)
	for r := range rows {
		add(v, -algebra.Dot(v, N[r*n:r*n+n]), N[r*n:r*n+n])
	}
}

// lackTo stores, by row that the levels before v hold (gatherTo), the correction along this row that the pose of the engine needs: the
// change of error of a target, or the step to a zero gradient of a held merit. s.tried has the errors and s.fixJ has 𝒥 at this pose. It
// returns the largest correction: of a target in lengths of the problem, of a held merit divided by gradientLoose.
func (s *denseMethod) lackTo(dst []float64, v *levelState) (off float64) {
	n, at := len(s.q), 0
	for l := range s.indexOf(v) {
		w := &s.list[l]
		if !s.holdsMerit(l) {
			for r := w.first; r < w.end; r++ {
				dst[at] = s.tried[r] - s.want[r]
				off = max(off, math.Abs(dst[at])/s.p.length)
				at++
			}
			continue
		}
		c := s.heldMerits[l]
		clear(c.g)
		for r := w.first; r < w.end; r++ {
			add(c.g, -s.tried[r], s.fixJ[r*n:r*n+n])
		}
		rows := s.orthonormalTo(c.near, s.fixJ, l)
		for i := range c.g {
			if !s.movable(i) {
				c.g[i] = 0
			}
		}
		s.strip(c.g, c.near, rows)
		for k := range c.rows {
			dst[at] = -algebra.Dot(c.Y[k*n:k*n+n], c.g) / c.lambda[k]
			off = max(off, math.Abs(dst[at])/gradientLoose)
			at++
		}
	}
	return off
}

// Priorities are strict: the levels are treated one after the other, and the posture is the last level. To first order a step of a level
// does not change the levels before it, docs/inverse-kinematics.md (L5) (Siciliano & Slotine 1991, with orthogonal factors of the rows
// in place of pseudoinverses): it keeps the rows of a level that is reached, and the gradient of another one. Changes of second
// order are removed before the step is judged.

const (
	// restoreSteps is the largest number of steps that remove a change of finished levels.
	restoreSteps = 8
	// Changes relative to the length of the problem: below restoreExact no step follows; up to restoreLoose they are accepted after the
	// last step.
	restoreExact, restoreLoose = 1e-15, 1e-12
)

// restore corrects s.try, where the engine is, until the levels before v are back at their held errors and gradients, and reports whether
// that has succeeded. It overwrites s.tried.
func (s *denseMethod) restore(v *levelState) bool {
	n, b := len(s.q), s.fix
	last := math.Inf(1)
	for range restoreSteps {
		s.errorsTo(s.tried)
		rows, C, off := v.first, s.fixJ, 0.0
		if s.meritsHeld {
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
		if !s.meritsHeld {
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

// heldMerit is the merit that a level which is not reached holds at its minimum, and its curvature at one pose.
type heldMerit struct {
	Y      []float64 // orthonormal rows: the directions in which the merit is curved
	lambda []float64 // by row of Y: its eigenvalue of H
	rows   int       // of Y
	merit  float64   // the minimum

	normal, near []float64 // orthonormal bases of the rows that the levels before hold, at this pose and at one nearby
	held         int       // number of rows of normal
	J, e         []float64 // 𝒥 and errors at the pose nearby
	H, q, way, g []float64 // H, coordinates of this pose, direction of a difference, gradient
	work         []float64
}

// newHeldMerit allocates a heldMerit for n driven freedoms and the given number of rows of targets and posture.
func newHeldMerit(rows, n int) *heldMerit {
	f := make([]float64, (3*rows+4*n+9)*n+rows)
	cut := func(n int) []float64 {
		s := f[:n:n]
		f = f[n:]
		return s
	}
	return &heldMerit{Y: cut(n * n), lambda: cut(n), normal: cut((rows + n) * n), near: cut((rows + n) * n), J: cut(rows * n), e: cut(rows),
		H: cut(n * n), q: cut(n), way: cut(n), g: cut(n), work: cut(4 * n)}
}

// findCurved stores in Y and lambda the eigenvectors and eigenvalues of the symmetric part of H that are larger than flat. It overwrites H,
// and reports false if the eigenvalues cannot be found.
func (c *heldMerit) findCurved(n int, flat float64) bool {
	for i := range n {
		for j := range i {
			x := (c.H[i*n+j] + c.H[j*n+i]) / 2
			c.H[i*n+j], c.H[j*n+i] = x, x
		}
	}
	values := c.g
	if eigen.SymmetricTo(c.H, values, c.work, n) != nil {
		return false
	}
	c.rows = 0
	for i, x := range values {
		if math.Abs(x) <= flat {
			continue
		}
		for k := range n {
			c.Y[c.rows*n+k] = c.H[k*n+i]
		}
		c.lambda[c.rows] = x
		c.rows++
	}
	return true
}
