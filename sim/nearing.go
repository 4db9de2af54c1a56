package sim

import "math"

// nearing is the memory of error control for the next singular pose, docs/theory.md (50). Nearness is the first number of Gauge,
// which falls to zero towards a singular pose.
type nearing struct {
	before, span float64 // nearness at the start of the last step, 0 if unknown, and length of that step, s
	here         place   // nearness and redundant rows at the start of the next step
	most         float64 // largest nearness so far
	leaving      int     // number of steps behind a singular pose that still need care
}

const (
	// Steps are planned from nearAhead steps before a singular pose on. nearLeaving steps
	// behind it are done with the same care.
	nearAhead, nearLeaving = 2.6, 2
	// Below nearLost, relative to the largest nearness, poses are so inaccurate in the
	// directions of the other branch that only velocities tell the branches apart. Velocities
	// do so if the motion arrives with more speed than it gains over nearPath typical lengths.
	nearLost, nearPath = 1e-5, 1e-4
	// nearSlope is the least relative decrease of the nearness in a step. A smaller change may
	// be rounding.
	nearSlope = 1e-9
	// nearLonger is the fraction by which a planned step may exceed the step of error control.
	nearLonger = 0.1
)

// note updates n after a step of length h that has ended at end. over says that the step has passed a singular
// pose.
func (n *nearing) note(h float64, end place, over bool) {
	n.before, n.span, n.here = n.here.near, h, end
	n.most = max(n.most, end.near)
	n.leaving = max(n.leaving-1, 0)
	if over {
		n.before, n.leaving = 0, nearLeaving
	}
}

// redundant returns the number of redundant rows at the start of the next step. Before the first step, g has that
// number.
func (n *nearing) redundant(g gauged) int {
	if n.here.near == 0 {
		first, _ := g.places()
		return first.rows
	}
	return n.here.rows
}

// within reports whether the start of a step that ends at end is a singular pose: it has more redundant rows than the end,
// or a nearness below nearLost.
func (n *nearing) within(end place) bool {
	return n.here.rows > end.rows || n.here.near < nearLost*n.most
}

// regular reports whether the present pose is known to be regular. plan finds singular poses ahead.
func (n *nearing) regular() bool { return n.here.near > 0 && n.here.rows == 0 }

// ahead returns the time to the next singular pose, s, by linear extrapolation of the nearness, theory.md (50); +Inf if the nearness
// does not fall.
func (n *nearing) ahead() float64 {
	if !(n.here.near > 0 && n.here.near < (1-nearSlope)*n.before) {
		return math.Inf(1)
	}
	return n.here.near * n.span / (n.before - n.here.near)
}

// plan returns the length of the next step, s, if a singular pose is near, and 0 otherwise. h is the step
// without this plan; the planned one may be longer by the fraction longer. over reports that the
// planned step passes the singular pose, which is then at the fraction middle of the step.
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
