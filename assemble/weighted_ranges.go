package assemble

import "github.com/rung-mbd/rung/mechanism"

// rangeSize is the number of bodies, joints or couplings that one task of a team takes.
const rangeSize = 128

// ranges returns the number of ranges of n bodies or joints.
func ranges(n int) int { return rangesOf(n, rangeSize) }

// rangeKind is a computation for all bodies, joints or couplings.
type rangeKind uint8

const (
	constantRange rangeKind = iota
	fillBodyRange
	fillJointRange
	fillCouplingRange
	accelerationRange
)

// rangeTask is one pass over n bodies or joints, and its arguments.
type rangeTask struct {
	kind rangeKind
	n    int
	s    *mechanism.State
	a, x []float64
}

// rangeJob is the job of each.
type rangeJob Weighted

// Do works on one range.
func (j *rangeJob) Do(_, i int) {
	y := (*Weighted)(j)
	t := &y.task
	lo := i * rangeSize
	hi := min(lo+rangeSize, t.n)
	end := hi
	if t.kind != accelerationRange && y.watch.Up() {
		y.stops[i] = int32(t.n)
		return
	}
	switch t.kind {
	case constantRange:
		y.fillConstant(lo, hi)
	case fillBodyRange:
		end = y.fillBodies(t.s, lo, hi)
	case fillJointRange:
		end = y.fillJoints(t.s, lo, hi)
	case fillCouplingRange:
		y.fillCouplings(t.s, lo, hi)
	case accelerationRange:
		y.accelerations(t.a, t.x, lo, hi)
	}
	y.stops[i] = int32(t.n)
	if end < hi {
		y.stops[i] = int32(end)
	}
}

// each makes a pass over all ranges. It returns the lowest number at which a range ended early,
// or t.n.
func (y *Weighted) each(t rangeTask) int {
	y.task = t
	y.team.Run(ranges(t.n), (*rangeJob)(y))
	y.task = rangeTask{}
	for _, stop := range y.stops[:ranges(t.n)] {
		if int(stop) < t.n {
			return int(stop)
		}
	}
	return t.n
}
