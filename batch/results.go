package batch

import "github.com/rung-mbd/rung/spatial"

// Results are the accelerations, the numbers of redundant rows and the errors that Solve finds for each state.
type Results struct {
	of        *setup
	n         int
	a         []float64 // by group: six accelerations a body, eight lanes each
	redundant []int32   // by state
	errs      []error   // by state
	single    []uint8   // by group: a bit for each lane that was solved alone
	oneByOne  []int     // numbers of the states that were solved alone
	failed    []int     // numbers of the states with errors
}

// Len returns the number of states.
func (r *Results) Len() int { return r.n }

// mustHave panics unless there is a state i.
func (r *Results) mustHave(i int) {
	if uint(i) >= uint(r.n) {
		panic("batch: state out of range")
	}
}

// mustHaveBody panics unless there is a body of that number.
func (r *Results) mustHaveBody(body int) {
	if uint(body) >= uint(r.of.plan.Mechanism().NumBodies()) {
		panic("batch: body out of range")
	}
}

// To copies the accelerations of state i to dst: six numbers a body, ω̇ then the classical acceleration of the centre
// of mass, world axes, rad/s² and m/s². They are zero where the state has failed.
//
// It panics if i is out of range or dst has not six entries a body.
func (r *Results) To(dst []float64, i int) {
	r.mustHave(i)
	n := 6 * r.of.plan.Mechanism().NumBodies()
	if len(dst) != n {
		panic("batch: length mismatch")
	}
	lane := r.a[i/lanes*n*lanes+i%lanes:]
	for ; len(dst) > 0; dst = dst[6:] {
		at := lane[:5*lanes+1]
		dst[0], dst[1], dst[2], dst[3], dst[4], dst[5] = at[0], at[lanes], at[2*lanes], at[3*lanes], at[4*lanes], at[5*lanes]
		lane = lane[min(6*lanes, len(lane)):]
	}
}

// at returns acceleration k of state i: number k%6 of body k/6.
func (r *Results) at(i, k int) *float64 {
	return &r.a[(i/lanes*6*r.of.plan.Mechanism().NumBodies()+k)*lanes+i%lanes]
}

// AngularAcceleration returns ω̇ of a body in state i, rad/s², world axes. It panics if i or the body is out of range.
func (r *Results) AngularAcceleration(i, body int) spatial.Vec3 {
	r.mustHave(i)
	r.mustHaveBody(body)
	return spatial.Vec3{*r.at(i, 6*body), *r.at(i, 6*body+1), *r.at(i, 6*body+2)}
}

// ComAcceleration returns the classical acceleration of the centre of mass of a body in state i, m/s², world axes. It panics if i or the
// body is out of range.
func (r *Results) ComAcceleration(i, body int) spatial.Vec3 {
	r.mustHave(i)
	r.mustHaveBody(body)
	return spatial.Vec3{*r.at(i, 6*body+3), *r.at(i, 6*body+4), *r.at(i, 6*body+5)}
}

// Redundant returns the number of redundant rows in state i, by the rule of kkt.Solver.
func (r *Results) Redundant(i int) int {
	r.mustHave(i)
	return int(r.redundant[i])
}

// Error returns the error of kkt.Solver.Solve for state i, or the cause for which the context has ended before it was solved; nil if it has
// a solution. It panics if i is out of range.
func (r *Results) Error(i int) error {
	r.mustHave(i)
	return r.errs[i]
}

// OneByOne lists the states that were solved alone, as their lanes did not pass a check, and the states with errors. The next
// Solve overwrites the list.
func (r *Results) OneByOne() []int { return r.oneByOne }

// Failed lists the states that have no solution (Error). The next Solve overwrites the list.
func (r *Results) Failed() []int { return r.failed }

// forget clears the errors of the last Solve.
func (r *Results) forget() {
	for _, i := range r.failed {
		r.errs[i] = nil
	}
}

// leave gives the states of group g, which is not solved, an error and accelerations of zero.
func (r *Results) leave(g int, err error) {
	first := g * lanes
	n := min(lanes, r.n-first)
	for i := first; i < first+n; i++ {
		r.errs[i], r.redundant[i] = err, 0
	}
	size := len(r.a) / len(r.single)
	clear(r.a[g*size:][:size])
	r.single[g] = 1<<n - 1
}

// collect lists the states that the workers have solved alone, and the states with errors. It reads the bits of single first, so that most
// errors are not read, which are in the caches of other processors.
func (r *Results) collect() { r.oneByOne, r.failed = collect(r.single, r.errs, r.oneByOne, r.failed) }

// collect returns in oneByOne the numbers of the states whose bit is set in single, which has a number for each group, and in failed those
// of them that have errors. It reuses the memory of both lists.
func collect(single []uint8, errs []error, oneByOne, failed []int) ([]int, []int) {
	oneByOne, failed = oneByOne[:0], failed[:0]
	for g, alone := range single {
		for i := g * lanes; alone != 0; i, alone = i+1, alone>>1 {
			if alone&1 == 0 {
				continue
			}
			if oneByOne = append(oneByOne, i); errs[i] != nil {
				failed = append(failed, i)
			}
		}
	}
	return oneByOne, failed
}
