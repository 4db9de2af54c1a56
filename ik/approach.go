package ik

import (
	"context"

	"github.com/rung-mbd/rung/mechanism"
)

// approach is one of the two methods below a Solver: denseMethod works with the Jacobian of the driven freedoms, sparseMethod factors the
// system of the whole mechanism. Either brings the levels of a task to their least errors, one after the other. Starts, paths, verdict
// and report are the same for both, and belong to Solver.
//
// An approach has a current pose and the errors of the targets there.
type approach interface {
	// engine returns the engine that evaluates the targets at the current pose; nil if the method does so without one.
	engine() engine
	// begin closes st, brings it within the limits and makes it the current pose. It notes the driven freedoms that were outside them.
	begin(st *mechanism.State) error
	// end stores the current pose in st, at rest.
	end(st *mechanism.State) error
	// heed makes long computations end when ctx does, until the returned function is called.
	heed(ctx context.Context) (end func())
	// aim sets the wanted place of target i, until the next aim.
	aim(i int, w wanted)

	// starts returns the number of further starts at random.
	starts(o *Options) int
	// descend brings the levels to their least errors from the current pose.
	descend() error
	// startBeyondLimits moves to another start, found from the first one without random numbers. It returns false if there is none.
	startBeyondLimits() bool
	// scatter goes to a random pose, and reports whether the joints can be closed there.
	scatter() bool
	// keep stores the current pose as the best one.
	keep()
	// finish goes to the best pose, and reports whether a descent from there may make errors smaller. again says that there may have
	// been starts after the first.
	finish(again bool) bool
	// collect appends the coordinates of the current pose to the list unless it has them.
	collect(list [][]float64) [][]float64

	levels() int
	status(l int) Status
	remaining(l int) float64 // merit of level l, zero where its targets are reached
	coordinates() []float64
	side(i int) int8          // −1 if driven freedom i is at its lower limit, 1 if at its upper one, else 0
	errorsOf(i int) []float64 // weighted errors of target i
	pulls(i int) bool         // target i pulls against others of a level that is Conflicting
	reportTo(r *Result)       // fills in singular values, rank and filter
	// violation fills in how well the joints are closed at st, and the coordinates of the following freedoms.
	violation(r *Result, st *mechanism.State)

	pathApproach
}

// pathApproach has the methods of an approach that follow a path.
type pathApproach interface {
	// beginPath is begin for the path of the task. lost says that the start of the path cannot be reached.
	beginPath(st *mechanism.State) (c *course, lost bool, err error)
	// sample goes to the path's time at, dt after the sample before. It returns the time that the motion takes for the section after the
	// sample, with Path.Exact for the section before it.
	sample(st *mechanism.State, at, dt float64, first bool) (took float64, err error)
	// ratesTo stores pose and rates of the sample in st, and returns the rates of the driven freedoms.
	ratesTo(st *mechanism.State) ([]float64, error)
	// advance goes on for the time took with these rates. With Path.Exact it is not called.
	advance(took float64) error
	endPath()
}

// allReached reports whether all levels of m are reached.
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
	eng    engine // evaluates products and the Jacobian: the engine of m, or another one that Set makes
	placed bool   // eng is at a state
	trail  trail
	result Result
	failed Unreached
}

// best has the merits of the best pose of several starts.
type best struct {
	merit []float64 // by level; zero for levels that are reached
	some  bool      // there is such a pose
}
