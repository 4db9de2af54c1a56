package assemble

import "github.com/rung-mbd/rung/mechanism"

// rangeSize is the number of bodies or joints that one task of a team takes.
const rangeSize = 2048

// ranges returns the number of ranges of n bodies or joints.
func ranges(n int) int { return (n + rangeSize - 1) / rangeSize }

// rangeKind is what is done with a range.
type rangeKind uint8

const (
	fillBodyRange rangeKind = iota
	fillJointRange
	accelerationRange
	inconsistencyRange
)

// rangeTask is one pass over n bodies or joints, and its arguments.
type rangeTask struct {
	kind        rangeKind
	multipliers bool
	n           int
	s           *mechanism.State
	a, x, r     []float64
	floor       float64
}

// rangeResult is what a range has found.
type rangeResult struct {
	stop      int // where the pass ended before its end, else n
	worst     float64
	node, row int
}

// rangeJob is the job of each.
type rangeJob Weighted

// Do works on one range.
func (j *rangeJob) Do(_, i int) {
	y := (*Weighted)(j)
	t, out := &y.task, &y.ranges[i]
	lo := i * rangeSize
	hi := min(lo+rangeSize, t.n)
	end := hi
	switch t.kind {
	case fillBodyRange:
		end = y.fillBodies(t.s, lo, hi)
	case fillJointRange:
		end = y.fillJoints(t.s, lo, hi)
	case accelerationRange:
		y.accelerations(t.a, t.x, lo, hi)
	case inconsistencyRange:
		out.worst, out.node, out.row = y.inconsistency(t.x, t.r, t.floor, t.multipliers, lo, hi)
	}
	out.stop = t.n
	if end < hi {
		out.stop = end
	}
}

// each makes a pass over all ranges and returns the lowest place at which it ended
// early, or n.
func (y *Weighted) each(t rangeTask) int {
	y.task = t
	y.team.Run(ranges(t.n), (*rangeJob)(y))
	y.task = rangeTask{}
	for _, r := range y.ranges[:ranges(t.n)] {
		if r.stop < t.n {
			return r.stop
		}
	}
	return t.n
}
