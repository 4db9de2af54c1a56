package kkt

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

const (
	steadyFrom = 3   // corrections of the first solution from which on steady looks for another order
	steadyPart = 0.7 // largest part of the work that pays: fronts with bodies take longer for as many flops
	entryWork  = 3   // flops that take as long as reading an entry of the factor
)

// steady looks for an order of l in which each body comes after its joints to the bodies before it: theory.md, "Bodies after their joints".
// In the order of l the first solution at st takes the given corrections. steady returns l if the new order does not pay, or if rows
// depend on each other in it while the bodies that come later are at rest.
func (l *leanPlan) steady(ctx context.Context, p *Plan, y *assemble.Weighted, st *mechanism.State, corrections int) (*leanPlan, error) {
	if corrections < steadyFrom || p.own != nil {
		return l, nil
	}
	symbolic, err := factor.AnalyzeContext(ctx, l.rows.Pattern, afterJoints(l.rows.Pattern))
	if err != nil {
		return nil, err
	}
	to := *l
	to.plain, to.symbolic, to.least = l, symbolic, 0
	if flopsWith(symbolic, 0) > steadyPart*flopsWith(l.symbolic, corrections) {
		return l, nil
	}
	to.floor = make([]float64, l.rows.Pattern.Dim())
	s := to.newLeanOn(nil)
	n := s.corrections(y, st, p.epsilon)
	if n < 0 || flopsWith(symbolic, n) > steadyPart*flopsWith(l.symbolic, corrections) {
		return l, nil
	}
	s.setFloor()
	return &to, nil
}

// setFloor stores in s.floor the least pivots that rows may have: leanPart of the least pivot between the same two bodies of the order, in
// the factor at hand. Pivots fall like the third power of the length of the part before them, so one limit for all rows would be too
// small for most.
func (s *lean) setFloor() {
	p, perm := s.rows.Pattern, s.symbolic.Order()
	pivots := make([]float64, p.Dim())
	s.fac.PivotsTo(pivots)
	from, least := 0, math.Inf(1)
	for k, v := range perm {
		isBody := int(v) < p.Positive()
		for i := p.Off[v]; i < p.Off[v+1] && !isBody; i++ {
			least = min(least, -pivots[i]/s.scale[i])
		}
		if !isBody && k < len(perm)-1 {
			continue
		}
		for _, w := range perm[from : k+1] {
			for i := p.Off[w]; i < p.Off[w+1]; i++ {
				s.floor[i] = leanPart * least
			}
		}
		from, least = k+1, math.Inf(1)
	}
}

// corrections returns the number of corrections that the first solution for the loads at st needs, −1 if there is none. It fills y at st.
func (s *lean) corrections(y *assemble.Weighted, st *mechanism.State, epsilon float64) int {
	if y.Unloaded = false; y.FillTo(st) != nil || !s.factorize(y.Matrix, y.Right, y.Scale, epsilon) {
		return -1
	}
	return s.fac.SolveExactTo(s.x, s.r, s.right, s.matrix, y.FreeSize()).Steps
}

// flopsWith returns the work of a factorization and a solution with the given corrections, in flops.
func flopsWith(s *factor.Symbolic, corrections int) float64 {
	return float64(s.Counts.Flops) + entryWork*float64(s.Counts.NonZeros)*(1+2*float64(corrections)) // in doubles, for noAnswer corrections
}

// afterJoints returns an order of p in which the bodies farthest from the world come first, and each body comes after its joints to the
// bodies before it. Joints of a single body come right after that body.
func afterJoints(p *sparse.Pattern) []int32 {
	bodies := p.Positive()
	place := make([]int32, bodies)
	list, _ := farthest(p)
	for k, b := range list {
		place[b] = int32(k)
	}
	before, behind := make([][]int32, bodies), make([][]int32, bodies)
	for j := bodies; j < p.Len(); j++ {
		of := p.Ind[p.Ptr[j]:p.Ptr[j+1]]
		last := slices.MaxFunc(of, func(a, b int32) int { return int(place[a] - place[b]) })
		if len(of) == 1 {
			behind[last] = append(behind[last], int32(j))
		} else {
			before[last] = append(before[last], int32(j))
		}
	}
	perm := make([]int32, 0, p.Len())
	for _, b := range list {
		perm = append(append(append(perm, before[b]...), b), behind[b]...)
	}
	return perm
}

// farthest returns the bodies of p, the farthest from the world first and the largest number first among equals, and the distance of each
// body from the world in joints. A body with a joint to the world has distance 1, as has the first body of a part without such a joint.
func farthest(p *sparse.Pattern) (list, distance []int32) {
	bodies := p.Positive()
	joints := make([][]int32, bodies)
	list, distance = make([]int32, 0, bodies), make([]int32, bodies)
	reach := func(b, at int32) {
		if distance[b] == 0 {
			distance[b] = at
			list = append(list, b)
		}
	}
	for j := bodies; j < p.Len(); j++ {
		of := p.Ind[p.Ptr[j]:p.Ptr[j+1]]
		for _, b := range of {
			joints[b] = append(joints[b], int32(j))
		}
		if len(of) == 1 {
			reach(of[0], 1)
		}
	}
	next := 0
	for b := range int32(bodies) {
		for ; next < len(list); next++ {
			for _, j := range joints[list[next]] {
				for _, c := range p.Ind[p.Ptr[j]:p.Ptr[j+1]] {
					reach(c, distance[list[next]]+1)
				}
			}
		}
		reach(b, 1)
	}
	slices.SortFunc(list, func(a, b int32) int { return cmp.Or(int(distance[b]-distance[a]), int(b-a)) })
	return list, distance
}
