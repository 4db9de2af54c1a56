package batch

// Record keeps all states of a rollout (Rollout.Record), so that Batch.BackTo can go back over it.
type Record struct {
	of     *setup
	states []*States // at the beginning of each step, with the forces over the step; then at the end of the rollout
	steps  int       // of the last rollout; −1 if it has not come to its end
	how    Integrator
	h      float64 // step, s
	alone  []int32 // by state: 1 + the first step that it has made alone; 0 for none
	errs   []error // by state: the error with which it has ended before the last step
}

// States returns the states at the beginning of a step, with the forces over the step, or for the number of steps the states at the end.
// They are not to be changed. It panics for a step that the last rollout has not made.
func (r *Record) States(step int) *States {
	if step < 0 || step > r.steps {
		panic("batch: step out of range")
	}
	return r.states[step]
}

// copyGroup copies group g of other states, which have the same number.
func (s *States) copyGroup(from *States, g int) {
	part := func(dst, src []float64, each int) {
		first := min(g*lanes*each, len(src))
		copy(dst[first:min(first+lanes*each, len(src))], src[first:])
	}
	part(s.data, from.data, s.of.at.Length)
	part(s.angles, from.angles, s.nAngles)
	part(s.internal, from.internal, s.nInternal)
	if s.wrench != nil {
		part(s.wrench, from.wrench, 6*s.of.plan.Mechanism().NumBodies())
	}
}

// begin clears the record for a rollout by method how with steps of h seconds.
func (r *Record) begin(how Integrator, h float64) {
	r.steps, r.how, r.h = -1, how, h
	clear(r.alone)
	clear(r.errs)
}

// take copies group g of s to the record before a step, or after the last one. It does nothing for a nil record.
func (r *Record) take(s *States, step, g int) {
	if r != nil {
		r.states[step].copyGroup(s, g)
	}
}

// loneStep notes that state i makes a step alone. It does nothing for a nil record.
func (r *Record) loneStep(i, step int) {
	if r != nil && r.alone[i] == 0 {
		r.alone[i] = int32(step) + 1
	}
}

// end completes the record after a rollout of the given number of steps with the errors of its states.
func (r *Record) end(steps int, errs []error) {
	r.steps = steps
	copy(r.errs, errs)
}
