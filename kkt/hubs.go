package kkt

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
)

const (
	hubRows = 72      // rows of joints that tie a body into loops, above which it is a hub
	hubPart = 1.0 / 2 // largest part of the work of other systems that pays: theory.md, "Hubs"

	// hubRounds is the largest number of rounds of search. With few hubs one is enough.
	hubRounds = 12
	// hubMotions is the number of random motions that show which rows at a hub are independent. A hub has six freedoms, so six motions
	// would do but for rounding.
	hubMotions = 8
)

// around is the search for a system in an order around hubs: theory.md, "Hubs".
type around struct {
	p    *Plan
	hubs *order.Hubs
	y    *assemble.Weighted // at the state written in the model
	kept []bool             // by row of the whole system
	late []int32            // by node of the whole system: place of the hub that a joint waits for, −1 for none
	weak []int32            // by row that is not kept: late of its joint when the row was found to depend on rows before
}

// newHubPlan finds the system of p in an order around hubs, without spare rows. It returns nil if there are no hubs, if other systems
// take little more work, or if the state written in the model does not tell which rows depend on others.
func (p *Plan) newHubPlan(ctx context.Context) (*leanPlan, error) {
	if p.mech.NumBearings() > 0 || p.own != nil || p.symbolic.Counts.MaxFront <= hubRows {
		return nil, nil
	}
	a := newAround(p)
	if a.hubs == nil {
		return nil, nil
	}
	work := p.symbolic.Counts.Flops
	if p.ground != nil {
		work = min(work, p.ground.symbolic.Counts.Flops)
	}
	// A system pays if it takes at most hubPart of the work of the others.
	pays := func(l *leanPlan) bool { return float64(l.symbolic.Counts.Flops) <= hubPart*float64(work) }
	l, err := a.analyse(ctx)
	if err != nil || !pays(l) {
		return nil, err
	}
	st := p.Initial()
	if a.y.FillTo(st) != nil {
		return nil, nil // Solve says why
	}
	s, err := a.search(ctx, l)
	if err != nil || s == nil || !pays(s.leanPlan) || !s.hasRankNearby(p, a.y, st) {
		return nil, err
	}
	_, _, s.least = s.fac.Weakest()
	s.corrected = s.corrections(a.y, p.Initial(), p.epsilon) > 0
	return s.leanPlan, nil
}

// newAround returns the search for p, with all rows kept and no joint waiting; its hubs are nil if there are none.
func newAround(p *Plan) *around {
	q := p.layout.Pattern
	n := q.Dim()
	a := &around{p: p, hubs: order.FindHubs(q, hubRows), kept: make([]bool, n), late: make([]int32, q.Len()), weak: make([]int32, n)}
	for i := range a.kept {
		a.kept[i] = true
	}
	for j := range a.late {
		a.late[j] = -1
	}
	a.y = p.layout.NewWeighted()
	a.y.Unloaded = true
	return a
}

// search returns the system of rows on which all others depend, with its factor; nil if it is not found. l has all rows. A row that is
// weak behind a hub goes on by one hub in the first two rounds, by two in the next two, and so on, doubling: so a row whose hub is far up
// the tree of hubs gets there within the rounds.
func (a *around) search(ctx context.Context, l *leanPlan) (*lean, error) {
	for round := range hubRounds {
		s, err := a.choose(ctx, l)
		if s == nil || err != nil {
			return nil, err
		}
		switch n := a.wait(s, 1<<(round/2)); {
		case n < 0:
			return nil, nil
		case n == 0:
			return s, nil
		}
		if l, err = a.analyse(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// analyse returns the system of the kept rows in an order around the hubs. It orders arms by the method of the options, or by the one with
// the least work.
func (a *around) analyse(ctx context.Context) (l *leanPlan, err error) {
	l = newLeanRows(a.p.layout.Pattern, a.kept)
	l.hubs = true
	late := make([]int32, len(l.rows.Node))
	for i, node := range l.rows.Node {
		late[i] = a.late[node]
	}
	methods := []order.Ordering{order.LeafFirst, order.Banded, order.MinDegree}
	if o := a.p.asked(); o != order.Auto {
		methods = []order.Ordering{o}
	}
	var best []int32
	least := int64(math.MaxInt64)
	for _, o := range methods {
		perm, err := a.hubs.Around(ctx, l.rows.Pattern, late, o)
		if err != nil {
			return nil, err
		}
		if n := factor.CountOrder(l.rows.Pattern, perm).Flops; n < least {
			best, least = perm, n
		}
	}
	l.symbolic, err = factor.AnalyzeContext(ctx, l.rows.Pattern, best)
	return l, err
}

// choose leaves out the rows of l that depend on rows before them while the hubs that come later are at rest. It returns the system of the
// other rows with its factor; nil if that cannot be factored, or the choice fails.
func (a *around) choose(ctx context.Context, l *leanPlan) (*lean, error) {
	s := l.newLeanOn(nil)
	s.rows.ValuesTo(s.matrix, a.y.Matrix)
	s.rows.GatherTo(s.scale, a.y.Scale)
	kept := make([]bool, len(s.scale))
	if s.fac.ChooseRows(kept, s.matrix, s.scale, a.p.epsilon) != nil || ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if slices.Contains(kept, false) {
		for i, node := range s.rows.Node {
			for row := s.rows.Pattern.Off[i]; row < s.rows.Pattern.Off[i+1]; row++ {
				of := s.rows.Row[row]
				a.kept[of], a.weak[of] = kept[row], a.late[node]
			}
		}
		l, err := a.analyse(ctx)
		if err != nil {
			return nil, err
		}
		s = l.newLeanOn(nil)
	}
	if !s.factorize(a.y.Matrix, nil, a.y.Scale, a.p.epsilon) {
		return nil, nil
	}
	return s, nil
}

// wait keeps rows that do not depend on the rows of s, up to six a hub, and makes their joints wait for that hub. A row that was weak where
// its joint waits now goes on by the given number of hubs, or to the last one. wait returns the number of rows, or −1 if a row has no
// hub left to wait for.
func (a *around) wait(s *lean, hubs int) (n int) {
	list := a.independent(s)
	for i := range list {
		r := &list[i]
		if r.hub = a.late[r.node]; a.weak[r.row] == r.hub {
			r.hub = a.hubs.Wait(int(r.node)-a.p.layout.Pattern.Positive(), r.hub, hubs)
		}
	}
	slices.SortStableFunc(list, func(x, y independent) int { return cmp.Compare(x.hub, y.hub) })
	for lo, hi := 0, 0; lo < len(list); lo = hi {
		hub := list[lo].hub
		if hub < 0 {
			return -1
		}
		for hi = lo; hi < len(list) && list[hi].hub == hub; hi++ {
		}
		for range sparse.MaxBlock {
			r := largest(list[lo:hi])
			if r == nil {
				break
			}
			a.kept[r.row], a.late[r.node] = true, hub
			n++
		}
	}
	return n
}

// independent is a row that is not kept and does not depend on the kept rows.
type independent struct {
	node, row int32               // of the whole system
	hub       int32               // place of the hub that its joint has to wait for, −1 if there is none
	terms     float64             // sum of the norms of its bodies' velocities over all motions, with restTerm of the size of the motions
	rate      [hubMotions]float64 // its rate of violation by each motion; relative divides it by the size of the terms
}

// independent returns the spare rows of s that are violated by motions which the kept rows of s allow.
func (a *around) independent(s *lean) (list []independent) {
	s.ignoreSpare()
	defer s.checkSpare()
	p := a.p.layout.Pattern
	for i := range s.rows.Spare {
		spare := &s.rows.Spare[i]
		for _, row := range spare.Rows[:spare.N] {
			list = append(list, independent{node: spare.Of, row: p.Off[spare.Of] + int32(row)})
		}
	}
	rng := rand.New(rand.NewPCG(7, uint64(len(s.x))))
	v := make([]float64, p.Dim())
	for k := range hubMotions {
		size := s.motion(v, rng)
		if size <= movesTol {
			break // nothing moves
		}
		for i := range list {
			r := &list[i]
			r.terms += restTerm * size
			for b := p.Ptr[r.node]; b < p.Ptr[r.node+1]; b++ {
				x := v[p.Off[p.Ind[b]]:p.Off[p.Ind[b]+1]]
				w := a.y.Matrix.Val[p.Pos[b]+int64(int(r.row-p.Off[r.node])*len(x)):]
				r.rate[k] += algebra.Dot(x, w)
				r.terms += math.Sqrt(algebra.Dot(x, x))
			}
		}
	}
	return slices.DeleteFunc(list, func(r independent) bool { return !r.relative(a.y.Scale[r.row]) })
}

// relative divides the rates of a row of scale d by the size of their terms. It reports whether a rate is then above
// rounding, so that a motion violates the row.
func (r *independent) relative(d float64) bool {
	unit, most := math.Sqrt(d)*r.terms, 0.0
	if unit == 0 {
		return false
	}
	for k := range r.rate {
		r.rate[k] /= unit
		most = max(most, math.Abs(r.rate[k]))
	}
	return most > rankTol
}

// largest returns the row with the largest vector of rates, and makes the rates of all other rows orthogonal to it; its own become zero. It
// returns nil if no rates are above rankTol.
func largest(list []independent) *independent {
	peak := algebra.NewPeak(rankTol * rankTol)
	for i := range list {
		peak.Take(algebra.Dot(list[i].rate[:], list[i].rate[:]), i)
	}
	if peak.At < 0 {
		return nil
	}
	best, most := &list[peak.At], peak.Value
	unit := best.rate
	for i := range list {
		part := algebra.Dot(list[i].rate[:], unit[:]) / most
		for k, u := range unit {
			list[i].rate[k] -= part * u
		}
	}
	best.rate = [hubMotions]float64{}
	return best
}
