package ik

import (
	"context"

	"github.com/rung-mbd/rung/mechanism"
)

// approach is what differs between denseMethod, which takes the Jacobian of the driven freedoms, and sparseMethod, which has the whole
// mechanism in a factor. Each brings the levels of a task to their least errors, one after the other. Starts, paths, verdict and report
// are written once above both (Solver).
//
// An approach has a pose at hand, with the errors of the targets there.
type approach interface {
	// engine returns what evaluates the targets at the pose at hand; nil if that is the method itself.
	engine() engine
	// begin makes st, closed and within the limits, the pose at hand, and notes the driven freedoms that were outside them.
	begin(st *mechanism.State) error
	// end stores the pose at hand in st, at rest.
	end(st *mechanism.State) error
	// heed ends long computations with the context, until the returned function is called.
	heed(ctx context.Context) (end func())
	// aim moves what target i wants, until the next aim.
	aim(i int, w wanted)

	// starts returns the number of further starts at random.
	starts(o *Options) int
	// descend brings the levels to their least errors from the pose at hand.
	descend() error
	// around goes from the first start to another one by a way of its own, and reports whether there is one.
	around() bool
	// scatter goes to a random pose, and reports whether the mechanism can.
	scatter() bool
	// keep stores the pose at hand as the best one.
	keep()
	// finish goes to the best pose, and reports whether a descent from there may make errors smaller. again says that there may have
	// been further starts.
	finish(again bool) bool
	// collect adds the coordinates of the pose at hand to the list unless they are among them.
	collect(list [][]float64) [][]float64

	levels() int
	status(l int) Status
	left(l int) float64 // merit of a level, zero where its targets are reached
	coordinates() []float64
	side(i int) int8          // at which limit driven freedom i is: −1, 1, or 0
	errorsOf(i int) []float64 // weighted errors of target i
	pulls(i int) bool         // target i pulls against others of a level that is Conflicting
	reportTo(r *Result)       // what singular values and the filter say
	// violation fills in how well the joints are closed at st, and where the following freedoms are.
	violation(r *Result, st *mechanism.State)

	pathApproach
}

// pathApproach is what a method does on a path.
type pathApproach interface {
	// beginPath is begin for the path of the task. lost says that its start cannot be reached.
	beginPath(st *mechanism.State) (c *course, lost bool, err error)
	// sample goes to the path's time at, dt after the sample before. It returns the time that the section after it takes; with
	// Path.Exact that is the section before it.
	sample(st *mechanism.State, at, dt float64, first bool) (took float64, err error)
	// ratesTo stores pose and rates of the sample in st, and returns the rates of the driven freedoms.
	ratesTo(st *mechanism.State) ([]float64, error)
	// advance goes on for the time took with these rates, unless Path.Exact is set.
	advance(took float64) error
	endPath()
}

// allReached reports whether all levels are.
func allReached(m approach) bool {
	for l := range m.levels() {
		if m.status(l) != Reached {
			return false
		}
	}
	return true
}

// Solver moves states to where the targets of a problem are met. It owns all memory that it needs and belongs to one
// goroutine at a time.
type Solver struct {
	p      *Problem
	o      Options
	m      approach
	now    *progress // of m
	best   best
	eng    engine // of products and the Jacobian: that of m, or one that Set makes
	placed bool   // eng is at a state
	trail  trail
	result Result
	failed Unreached
}

// best knows how good the best pose of several starts is.
type best struct {
	merit []float64 // by level; reached ones are zero
	some  bool
}
