package mechanics

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
)

// Limits of the checks of a lane.
const (
	// smallPivot is the least pivot, relative to its scale, with which a row counts as not redundant. It is above the limit
	// of a solver, 1e-9, by more than the rounding by which lanes and solver differ.
	smallPivot = 1.1e-9
	// doubtPivot is the largest pivot, relative to its scale, with which a row counts as redundant in a system with groups (kkt.DoubtTol).
	// wholeDoubtPivot is the same limit without groups: it is below the limit of a solver, and a row that is wrongly taken for redundant
	// shows in its residual. If a pivot is between these limits and smallPivot, the state is solved alone.
	doubtPivot      = kkt.DoubtTol
	wholeDoubtPivot = 0.9e-9
	// leanMargin is a factor on the least pivot that a solver accepts in a system without spare rows, as lanes and solver round differently.
	leanMargin = 1.1
	// unitTol is the distance of a squared quaternion from one that mechanism.BodyState.IsFinite allows.
	unitTol = 2e-6
	// bodyTol bounds the distance of 1/pivot of a body's row from ½: these pivots are at least one.
	bodyTol = 0.5 + 1e-6
	// enoughError is the largest estimated relative error of a first solve that needs no correction, and trustedPivot the least pivot with
	// which this estimate is trusted. Package factor has the same numbers.
	enoughError  = 5e-15
	trustedPivot = 3e-5
	// refinedError is the largest estimated relative error of a refined solution: rounding of the residuals alone makes an
	// estimate of this size.
	refinedError = 1e-13
)

// restTerm is the part of the size of the solution that is added to the terms of each row, as in package factor.
const restTerm = 1e-4

// limits are the largest numbers of a record (package places) with which a lane passes.
type limits struct {
	error     float64 // square of the estimated relative error
	overPivot float64 // scale over pivot of a row that is not redundant
	doubt     float64 // pivot of a redundant row, relative to its scale
	bodyPivot float64 // distance of 1/pivot of a body's row from ½
	notUnit   float64 // distance of a squared quaternion from one
	bad       float64 // numbers that have to be zero
}

// verdict adds the checks of a solve. In a system without spare rows no row may be redundant.
func (s *system) verdict() {
	l, weak := s.limits()
	s.judgeBy(l, weak, s.Shared(1))
}

// limits returns the limits of a solve, and the place of the number of weak rows that it has to have: any, or none in a system without
// spare rows. It adds the check of the spare rows.
func (s *system) limits() (l limits, weak place) {
	l = limits{refinedError * refinedError, 1 / smallPivot, wholeDoubtPivot, bodyTol, unitTol, 0}
	weak = s.record.At(weakRows)
	switch {
	case s.lean != nil:
		l.overPivot, weak = 1/(leanMargin*s.lean.Least), s.null
		s.askSpare(rowTol(), restTerm)
	case slices.Contains(s.group, true):
		l.doubt = doubtPivot
	}
	return l, weak
}

// judgeBy adds the checks of a record: the limits, as many weak rows as weak says, and 1 in before.
func (s *system) judgeBy(l limits, weak, before place) {
	s.Op(tape.Verdict, s.holds, s.record, s.Shared(l.error, l.overPivot, l.doubt, l.bodyPivot, l.notUnit, l.bad), weak, before)
}

// judgeFirst judges the first solution. Where the first one at the model's state needs a correction, nearly all do: then all lanes are
// corrected, and a correction needs the residuals alone.
func (s *system) judgeFirst() {
	if s.lean != nil && s.lean.Corrected {
		s.residuals(none)
		s.OpN(tape.Copy, 1, 0, s.mask, s.Shared(1))
		return
	}
	s.judge(restTerm)
	s.wantFirst()
}

// wantFirst adds the choice of lanes that need a correction after the first solve: their estimated error is too large, or a pivot is too
// small to trust it.
func (s *system) wantFirst() { s.want(enoughError, 1/trustedPivot) }

// wantMore adds the choice of lanes that need another correction.
func (s *system) wantMore() { s.want(refinedError, math.Inf(1)) }

// want sets the mask of lanes whose estimated error is above enough, or that have a ratio of scale to pivot above limit.
func (s *system) want(enough, limit float64) {
	s.Op(tape.Wanting, s.mask, s.record, s.Shared(enough*enough, limit))
}

// judge adds the residuals of the rows and the estimate of the error from them. The terms of each row include the given part of the size
// of the solution.
func (s *system) judge(part float64) {
	s.OpN(tape.Copy, 3, 0, s.record.At(bigResidual), s.null)
	s.measure()
	s.residuals(s.Shared(part * part))
	for i := s.pattern.Positive(); i < s.pattern.Len(); i++ {
		s.OpN(tape.Judge, s.size(int32(i)), 0, s.record.At(bigResidual), s.res[i], s.right[i], s.inverse[i], s.scale[i])
	}
}

// residuals adds the residuals of the rows and, unless rest is none, their terms, with the part rest of the size of the solution (squares).
func (s *system) residuals(rest place) {
	p := s.pattern
	for i := p.Positive(); i < p.Len(); i++ {
		n, from := int(p.Size[i]), s.right[i]
		var terms []place
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			b := p.Ind[k]
			if rows := s.rows[i][k-p.Ptr[i]]; p.Size[b] == 6 {
				s.Op(tape.Shaped(tape.Rows1of1, n, s.full[i]), s.res[i], rows, s.x[b], from)
			} else {
				s.tile(s.res[i], from, rows, s.x[b], n, 1, int(p.Size[b]), 1)
			}
			from, terms = s.res[i], append(terms, s.square[b])
		}
		if !rest.Is() {
			continue
		}
		for _, c := range s.parts[i] {
			size := s.Room(2)
			s.Op(tape.Size, size, c, size.At(1))
			terms = append(terms, size.At(1))
		}
		s.sum(s.res[i].At(-1), terms, s.record.At(sizes), rest)
	}
}

// sum adds the sum of terms and of the part rest of all.
func (s *system) sum(to place, terms []place, all, rest place) {
	from := terms[0]
	for _, x := range terms[1:] {
		s.OpN(tape.Add, 1, 0, to, from, x)
		from = to
	}
	s.OpN(tape.Scaled, 1, 0, to, from, all, rest)
}

// measure adds the squared norms of the solution of each body and group, and the largest of these and of their right sides.
func (s *system) measure() {
	for i := range s.pattern.Positive() {
		if s.size(int32(i)) == 6 || s.group[i] {
			s.Op(tape.Size, s.record.At(sizes), s.right[i], s.square[i])
			s.Op(tape.Size, s.record.At(sizes), s.x[i], s.square[i])
		} else {
			s.OpN(tape.Copy, 1, 0, s.square[i], s.null)
		}
	}
}

// spareRows returns the number of spare rows.
func (s *system) spareRows() (n int) {
	for _, r := range s.spare {
		n += r.size - r.kept
	}
	return n
}

// askSpare adds the check that the residuals of the spare rows are at most tol times their terms, which include the given part of the size
// of the solution. measure has to come before.
func (s *system) askSpare(tol, part float64) {
	rest, limit := s.Room(1), s.Shared(tol, tol*tol)
	s.OpN(tape.Roots, 1, 0, rest, s.record.At(sizes))
	norm := map[int32]place{}
	for _, r := range s.spare {
		for _, b := range r.bodies {
			if !norm[b].Is() {
				norm[b] = s.Room(1)
				s.OpN(tape.Roots, 1, 0, norm[b], s.square[b])
			}
		}
	}
	for _, r := range s.spare {
		n := r.size - r.kept
		res := s.Room(n + 1)
		from := r.right.At(r.kept)
		var terms []place
		for k, b := range r.bodies {
			rows := r.blocks[k].At(6 * r.kept)
			s.Op(tape.Shaped(tape.Rows1of1, n, r.fullSpare), res.At(1), rows, s.x[b], from)
			from, terms = res.At(1), append(terms, norm[b])
		}
		s.sum(res, terms, rest, s.Shared(part))
		s.OpN(tape.Spare, n, 0, s.record.At(badResidual), res.At(1), r.right.At(r.kept), r.scale.At(r.kept), limit)
	}
}

// refine adds one correction with the factor, in the lanes of the mask, and judges again.
func (s *system) refine() {
	p := s.pattern
	res, z, at := append([]place(nil), s.res...), append([]place(nil), s.z...), s.columns()
	for i := range p.Positive() {
		v := int32(i)
		if s.leaf[v] {
			res[v], z[v] = none, none // rows of leaves have residuals of rounding, which count as zero
			continue
		}
		s.OpN(tape.Sub, s.size(v), 0, s.res[v], s.right[v], s.x[v])
		for _, b := range at[v] {
			s.OpN(sized(tape.Back1, s.size(v)), s.size(b.joint), 0, s.res[v], b.rows, s.x[b.joint], s.res[v])
		}
	}
	s.solve(res, z, 1)
	dx := make([]place, len(s.order))
	for i := range dx {
		dx[i] = s.Room(int(p.Size[i]))
	}
	s.backward(dx, z, 1)
	for i := range dx {
		s.OpN(tape.Masked, int(p.Size[i]), 0, s.x[i], s.x[i], dx[i], s.mask)
	}
	s.judge(restTerm)
	s.wantMore()
}

// column is a block of a body or a group: rows of a joint.
type column struct {
	joint int32
	rows  place
}

// columns returns the blocks of each +1 node, in the order of the joints.
func (s *system) columns() [][]column {
	p := s.pattern
	out := make([][]column, p.Positive())
	for j := p.Positive(); j < p.Len(); j++ {
		for k, b := range p.Ind[p.Ptr[j]:p.Ptr[j+1]] {
			out[b] = append(out[b], column{int32(j), s.rows[j][k]})
		}
	}
	return out
}
