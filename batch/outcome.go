package batch

// Outcome is the result of Batch.Rollout and Batch.CloseJoints: counts of steps and an error for each state.
type Outcome struct {
	steps    []int32
	oneByOne []int32
	singular []int32
	errs     []error
	was      []nearness
}

// nearness is the nearness of a state to a singular pose (kkt.Solver.Nearness) at the beginning of its last step.
type nearness struct {
	over float64 // 1/nearness²
	rows int     // number of redundant rows
	time float64 // end of that step, s; NaN without one
}

// clear makes all counts zero, and leaves no error.
func (o *Outcome) clear() {
	clear(o.steps)
	clear(o.oneByOne)
	clear(o.singular)
	clear(o.errs)
}

// mustHave panics unless there is a state i.
func (o *Outcome) mustHave(i int) {
	if uint(i) >= uint(len(o.steps)) {
		panic("batch: state out of range")
	}
}

// Steps returns the number of steps that state i has made. It panics if i is out of range, as do the methods below.
func (o *Outcome) Steps(i int) int {
	o.mustHave(i)
	return int(o.steps[i])
}

// OneByOne returns the number of steps of state i that were made alone, by the solver.
func (o *Outcome) OneByOne(i int) int {
	o.mustHave(i)
	return int(o.oneByOne[i])
}

// Singular returns the number of steps of state i that may have passed a singular pose: the nearness at their beginning was at most half
// of the nearness a step before, so that it would reach zero within the step (theory.md (50)), or the number of redundant rows has changed.
// Fixed steps are not adapted there, so the motion behind such a pose may be on another branch, or have gained
// speed. Integrators of package sim with error control pass such poses with care.
func (o *Outcome) Singular(i int) int {
	o.mustHave(i)
	return int(o.singular[i])
}

// watch counts a step of state i in Singular if it may pass a singular pose. The step begins at time and takes h, s; over is 1/nearness² at
// its beginning, and rows the number of redundant rows. They are compared with those of the step before if that has ended at the
// same time. They are kept from one Rollout to the next.
func (o *Outcome) watch(i int, time, h, over float64, rows int) {
	was := &o.was[i]
	if was.time == time {
		if over > 0 && over >= 4*was.over || rows != was.rows { // the nearness has halved: at this rate it is zero a step later
			o.singular[i]++
		}
	}
	*was = nearness{over, rows, time + h}
}

// Error returns the error with which state i has ended before the last step, or could not be closed; nil if there is none. The state is
// then the result of its last whole step.
func (o *Outcome) Error(i int) error {
	o.mustHave(i)
	return o.errs[i]
}
