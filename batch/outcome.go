package batch

// Outcome is the result of Batch.Rollout and Batch.CloseJoints: counts of steps and an error for each state.
type Outcome struct {
	steps    []int32
	oneByOne []int32
	singular []int32
	errs     []error
	was      []nearness
}

// nearness is how near a state is to a singular pose (kkt.Solver.Nearness), and when: at the beginning of a step that
// ended at time.
type nearness struct {
	over float64 // 1/Nearness²
	rows int     // redundant ones
	time float64 // s
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

// Steps returns how many steps state i has made. It panics if i is out of range, as the next ones do.
func (o *Outcome) Steps(i int) int {
	o.mustHave(i)
	return int(o.steps[i])
}

// OneByOne returns how many of these were made alone, by the solver.
func (o *Outcome) OneByOne(i int) int {
	o.mustHave(i)
	return int(o.oneByOne[i])
}

// Singular returns how many steps of state i may have gone over a singular pose: steps from whose beginning it is no
// further, as the nearness falls from step to step (theory.md (50)), and steps about which the number of redundant rows
// changes. Fixed steps take no care there, so that the motion behind such a pose may be on another branch, or have gained
// speed. Integrators with error control of package sim lead steps over it.
func (o *Outcome) Singular(i int) int {
	o.mustHave(i)
	return int(o.singular[i])
}

// watch takes in a step of h of state i from time on: one over the square of the nearness at its beginning, and the
// number of redundant rows. It compares them with those of the step before, which has ended at the same time. What it
// knows is left from one Rollout to the next.
func (o *Outcome) watch(i int, time, h, over float64, rows int) {
	was := &o.was[i]
	if was.time == time {
		if over > 0 && over >= 4*was.over || rows != was.rows { // half as near: a step on it would be zero
			o.singular[i]++
		}
	}
	*was = nearness{over, rows, time + h}
}

// Error returns why state i has not come to the end; nil if it has. The state is then that of its last whole step.
func (o *Outcome) Error(i int) error {
	o.mustHave(i)
	return o.errs[i]
}
