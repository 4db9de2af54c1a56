package sim

import "math"

// nearing is what error control knows about the next singular pose, docs/theory.md (50).
type nearing struct {
	before, span float64 // nearness at the start of the last step, 0 if unknown, and its length, s
	here         place
	most         float64 // largest nearness of all
	leaving      int     // steps behind the pose that are still to be done with care
}

const (
	// nearAhead is how many steps ahead of a singular pose steps are led to it. nearLeaving is
	// how many behind it are done with the same care.
	nearAhead, nearLeaving = 2.6, 2
	// nearLost is a nearness relative to the largest. Below it, poses are known so badly in the
	// directions of the other branch that only velocities tell the branches apart. Velocities
	// do if the motion arrives with more speed than it gains on nearPath typical lengths.
	nearLost, nearPath = 1e-5, 1e-4
	// nearSlope is the part by which the nearness has to fall in a step. A smaller change may
	// be rounding.
	nearSlope = 1e-9
	// nearLonger is how much longer a step may be than the one that error control has chosen.
	nearLonger = 0.1
)

// note takes in a step h that has ended at end. over says that it has gone over a singular
// pose.
func (n *nearing) note(h float64, end place, over bool) {
	n.before, n.span, n.here = n.here.near, h, end
	n.most = max(n.most, end.near)
	n.leaving = max(n.leaving-1, 0)
	if over {
		n.before, n.leaving = 0, nearLeaving
	}
}

// redundant returns how many rows are redundant where the next step starts. Before the first step has been done, g knows that of the
// start of the run.
func (n *nearing) redundant(g gauged) int {
	if n.here.near == 0 {
		first, _ := g.places()
		return first.rows
	}
	return n.here.rows
}

// within reports whether the place is a singular pose, if the next one is end: its rank or its
// nearness is lower.
func (n *nearing) within(end place) bool {
	return n.here.rows > end.rows || n.here.near < nearLost*n.most
}

// regular reports whether the pose is known to be regular. Singular poses ahead are seen by plan.
func (n *nearing) regular() bool { return n.here.near > 0 && n.here.rows == 0 }

// ahead returns the time d to the singular pose that the nearness falls to, s: theory.md (50).
func (n *nearing) ahead() float64 {
	if !(n.here.near > 0 && n.here.near < (1-nearSlope)*n.before) {
		return math.Inf(1)
	}
	return n.here.near * n.span / (n.before - n.here.near)
}

// plan returns the length of the next step if a singular pose is near, and 0 otherwise. h is the step
// without this plan; the planned one may be longer by the fraction longer. over reports that the
// planned step goes over the singular pose, which is then at the fraction middle of the step.
func (n *nearing) plan(h, middle, longer float64) (length float64, over bool) {
	d := n.ahead()
	x := d / h
	switch {
	case x <= middle*(1+longer):
		return d / middle, true
	case x < nearAhead:
		return (d - middle*h) / max(math.Ceil(x-middle-longer), 1), false
	case n.leaving > 0:
		return h, false
	}
	return 0, false
}
