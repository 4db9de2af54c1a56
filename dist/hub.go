package dist

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/kkt"
)

// Limits up to which a first solution in pieces is accepted without a correction. They are narrower than in one
// process (factor.Convergence): a held row has a small pivot at the root, and its residual may come from the error of a
// mode with an even smaller pivot.
const (
	// piecesError is the largest estimate (21) over the root of the least pivot relative to its scale, as if the largest
	// residual were the error of the mode with the least pivot.
	piecesError  = 5e-14
	piecesEnergy = 1e-14 // largest relative error in the energy norm, (22)
)

// hub is the state of rank 0 by which it decides for all ranks.
type hub struct {
	h      *Held
	conv   factor.Convergence
	begun  bool // the first error of this way has been estimated
	refine bool // every solution gets a correction at least

	from  [][]float64 // message of each rank
	nodes [][]bool    // by rank and held node: the rank owns its right side

	scale, b, y, sum, pivot []float64      // by row of the root
	load                    []float64      // by row of the root: the multiplier, with all corrections so far
	terms                   []float64      // by row of the root: terms of its node (factor.Factor.ResidualHeldTo)
	exact                   []dd.Num       // scratch of addTwice
	mixing                  *factor.Mixing // of the loads; nil until refineTwice

	contents // of the next message of each rank (expect)

	weak        int     // redundant rows of all ranks and of the root
	contraction float64 // largest factor.Tally.Contraction
	floor       float64 // size of the accelerations that the loads alone would make
	largest     float64 // the largest r²/|d| of all rows
	least       float64 // the least |d| relative to its scale of all rows
	inHeld      bool    // the worst row is held
	worstRank   int     // the rank of the worst row if it is not held
	broken      error   // error of the root
}

// contents are the numbers in a message of a rank to rank 0, in this order. At most one of scales and nodeTerms is set.
type contents struct {
	fixed     int  // numbers of every rank
	held      int  // numbers for each held row of the rank
	scales    bool // one number for each row that the rank owns
	nodeTerms bool // one number for each node that the rank owns
}

// newHub allocates the memory of rank 0 of c for the held nodes of all ranks.
func newHub(c Comm, h *Held) *hub {
	u := &hub{h: h, from: make([][]float64, c.Size()), nodes: make([][]bool, c.Size())}
	for _, v := range []*[]float64{&u.scale, &u.b, &u.y, &u.sum, &u.pivot, &u.load, &u.terms} {
		*v = make([]float64, h.Size)
	}
	u.exact = make([]dd.Num, h.Size)
	first := int32(c.Size())
	seen := make(map[int32]bool)
	for r, list := range h.nodes { // the lower of its two ranks owns a node
		u.from[r] = make([]float64, 8+4*len(h.lists[r]))
		for _, v := range list {
			u.nodes[r] = append(u.nodes[r], !seen[v-first])
			seen[v-first] = true
		}
	}
	return u
}

// expect sets the contents of the next messages, and so their lengths.
func (u *hub) expect(next contents) { u.contents = next }

// length returns the length of the next message of rank r.
func (u *hub) length(r int) int {
	n := u.fixed + u.held*len(u.h.lists[r])
	if !u.scales && !u.nodeTerms {
		return n
	}
	p := u.h.Symbolic.Pattern
	for i, v := range u.h.nodes[r] {
		switch {
		case !u.nodes[r][i]:
		case u.scales:
			n += int(p.Size[v])
		case u.nodeTerms:
			n++
		}
	}
	return n
}

// rows calls visit for each held row of rank r, with its place k in the share, its row in the root's system, and the place of its node in
// u.nodes[r].
func (u *hub) rows(r int, visit func(k int, row int32, node int)) {
	p := u.h.Symbolic.Pattern
	k := 0
	for i, v := range u.h.nodes[r] {
		for row := p.Off[v]; row < p.Off[v+1]; row++ {
			visit(k, row-u.h.first, i)
			k++
		}
	}
}

// ownRows is rows for the rows whose right side the rank owns; k counts these.
func (u *hub) ownRows(r int, visit func(k int, row int32, node int)) {
	k := 0
	u.rows(r, func(_ int, row int32, node int) {
		if u.nodes[r][node] {
			visit(k, row, node)
			k++
		}
	})
}

// add sums the entries of a message of each rank, from entry at on, one a held row, in dst.
func (u *hub) add(dst []float64, at int) {
	clear(dst)
	for r, m := range u.from {
		u.rows(r, func(k int, row int32, _ int) { dst[row] += m[at+k] })
	}
}

// addTwice is add for numbers of two doubles. A message has the high parts of all numbers first, then the low parts.
func (u *hub) addTwice(dst []float64, at int) {
	clear(u.exact)
	for r, m := range u.from {
		low := at + len(u.h.lists[r])
		u.rows(r, func(k int, row int32, _ int) {
			u.exact[row] = dd.Add(u.exact[row], dd.Add(dd.Of(m[at+k]), dd.Of(m[low+k])))
		})
	}
	for i, x := range u.exact {
		dst[i] = dd.Float(x)
	}
}

// beforeRight is the number of numbers in a message of factorize before the right side.
const beforeRight = 4

// statuses reads the messages of factorize, and returns the worst status. The first number of a message is the status plus statuses times
// the number of redundant rows. Then come the contraction, the agreement of the state, the condensed right side, and the scales of the
// rows that the rank owns.
func (u *hub) statuses() (status int) {
	u.weak, u.contraction, u.broken, u.begun = 0, 0, nil, false
	u.inHeld, u.worstRank = false, 0
	for _, m := range u.from {
		status = max(status, int(m[0])%statuses)
		u.weak += int(m[0]) / statuses
		u.contraction = max(u.contraction, m[1])
	}
	if status != ends && !agree(u.from) {
		status = differ
	}
	u.add(u.b, beforeRight)
	for r, m := range u.from {
		at := beforeRight + len(u.h.lists[r])
		u.ownRows(r, func(k int, row int32, _ int) { u.scale[row] = m[at+k] })
	}
	return status
}

// factored returns the status after the root has been factored in way w, with the tally t and the error err of the root. status is the one
// of the pieces.
func (u *hub) factored(status int, t factor.Tally, err error, w kkt.Way) int {
	policy, _, _ := w.Settings()
	switch {
	case status != holds:
		return status
	case err != nil && pivotOf(err) != nil && w < kkt.KeepAll, err == nil && policy == factor.WhereWeak && t.Corrected > 0:
		return fails
	case err != nil:
		u.broken = err
		return ends
	}
	u.weak += t.Weak
	u.contraction = max(u.contraction, t.Contraction)
	return holds
}

// sizes returns the largest of the first two numbers of all ranks. A number that is not finite stays.
func (u *hub) sizes() (a, b float64) {
	for _, m := range u.from {
		a, b = atLeast(a, m[0]), atLeast(b, m[1])
	}
	return a, b
}

// atLeast returns the larger number, or NaN if one of them is.
func atLeast(a, b float64) float64 {
	if a != a || !(b <= a) {
		if a != a {
			return a
		}
		return b
	}
	return a
}

// check reads the messages of sayChecked. A message has three numbers of the rows that the rank eliminates: the largest
// r²/|d|, the least |d| relative to its scale, and the worst ratio. Then come this rank's parts of the residuals of its
// held rows, and the terms of the held nodes that it owns. check sets largest, least, the worst row and u.conv.Worst.
func (u *hub) check(root Root, w kkt.Way) {
	policy, _, _ := w.Settings()
	u.largest, u.least = 0, math.Inf(1)
	worst := algebra.NewPeak(factor.RoundingRatio) // of ranks, then held rows
	for r, m := range u.from {
		u.largest, u.least = atLeast(u.largest, m[0]), math.Min(u.least, m[1])
		worst.Take(m[2], r)
	}
	if u.held == 1 {
		u.add(u.sum, 3)
	} else {
		u.addTwice(u.sum, 3)
	}
	for r, m := range u.from {
		at := 3 + u.held*len(u.h.lists[r])
		node, k := -1, -1
		u.ownRows(r, func(_ int, row int32, i int) {
			if i != node {
				node = i
				k++
			}
			u.terms[row] = m[at+k]
		})
	}
	known := root.PivotsTo(u.pivot)
	for i, t := range u.sum {
		if d := -u.pivot[i]; known {
			u.largest = atLeast(u.largest, t*t/d)
			u.least = math.Min(u.least, d/u.scale[i])
		}
		load := 0.0 // stays where all rows are kept, as multipliers of rows that contradict each other grow without bound there
		if policy == factor.WhereWeak {
			load = math.Abs(u.load[i])
		}
		worst.Take(factor.RatioOf(t, 0, u.scale[i], u.terms[i], u.conv.Size, load), len(u.from)+i)
	}
	if !known {
		u.least = 0 // makes first ask for an estimate of the error
	}
	u.inHeld, u.worstRank = worst.At >= len(u.from), max(worst.At, 0)
	if u.conv.Worst = (factor.Worst{Node: -1, Row: -1}); worst.At >= 0 {
		u.conv.Worst = factor.Worst{Ratio: worst.Most}
	}
}

// accept returns holds if the solution is good enough, else fails.
func (u *hub) accept(w kkt.Way) int {
	_, _, tol := w.Settings()
	if u.conv.Worst.Ratio <= tol && u.conv.Error <= kkt.AccurateTol {
		return holds
	}
	return fails
}

// first decides after the first solve: it accepts or rejects the solution, or asks for an estimate of its error.
func (u *hub) first(w kkt.Way) int {
	enough := u.conv.First(u.largest, u.least) && u.conv.Error <= piecesError*math.Sqrt(u.least)
	if enough && !u.refine {
		return u.accept(w)
	}
	return condense
}

// estimate reads the squares of the energy norm and of the norm of the +1 part from the message of each rank. The root
// has solved for the condensed residuals, u.b, with the solution u.y. estimate decides whether a correction follows, and whether
// that is the last.
func (u *hub) estimate(w kkt.Way) int {
	e, norm := 0.0, 0.0
	for _, m := range u.from {
		e += m[0]
		norm += m[1]
	}
	for i, y := range u.y {
		e += math.Abs(y * u.b[i])
	}
	e = math.Sqrt(e)
	if !u.begun && !u.refine && u.conv.Estimates() {
		if u.conv.Estimate(e, math.Sqrt(norm)) && u.conv.Error <= piecesEnergy {
			return u.accept(w)
		}
	}
	u.begun = true
	for i, y := range u.y { // the correction is added now
		u.load[i] += y
	}
	if u.conv.Ends(e) {
		return finish
	}
	return correct
}

// next decides after a correction of the given relative step; ends says that it was announced as the last one.
func (u *hub) next(w kkt.Way, step float64, ends bool) int {
	q := 0.0
	if !ends {
		q = u.largest
	}
	done, stalls := u.conv.Next(step, q, ends)
	if u.conv.Rough(step) {
		return twice
	}
	if done || u.conv.GivesUp(stalls) || !u.conv.More() {
		return u.accept(w)
	}
	return condense
}

// mix returns the θ of the products of all ranks, and adds the step of the root's last solution to the loads.
func (u *hub) mix() float64 {
	over, under := 0.0, 0.0
	for _, m := range u.from {
		over += m[0]
		under += m[1]
	}
	theta := factor.Theta(over, under)
	u.mixing.AddTo(u.load, u.y, theta)
	return theta
}

// reason returns the error of the last way, whose solution was not accepted.
func (u *hub) reason(w kkt.Way) error {
	_, _, tol := w.Settings()
	if !(u.conv.Worst.Ratio <= tol) && u.conv.Worst.Ratio == u.conv.Worst.Ratio {
		return kkt.ErrInconsistent
	}
	return kkt.ErrInaccurate
}

// weakRows returns by rank a number for each held row, 1 if it counts as redundant, else 0.
func (u *hub) weakRows(root Root) ([][]float64, error) {
	clear(u.sum)
	if !root.WeakRows(func(row int) { u.sum[row] = 1 }) {
		return nil, errors.New("dist: the root does not say which of its rows are redundant")
	}
	lists := make([][]float64, len(u.from))
	for r := range lists {
		for _, i := range u.h.lists[r] {
			lists[r] = append(lists[r], u.sum[i])
		}
	}
	return lists, nil
}
