package batch

// Record keeps all states of a rollout (Rollout.Record), so that Batch.BackTo can go back over it.
type Record struct {
	of     *setup
	states []*States // at the beginning of each step with what acts over it, and at the end
	steps  int       // of the last rollout; −1: it has not come to its end
	how    Integrator
	h      float64 // s
	alone  []int32 // of each state: the first step that it has made alone, from 1 on; 0 for none
	errs   []error // of each state: why it has not come to the end
}

// States returns the states at the beginning of a step, with what acts over it, or those at the end after the last one. They are not to
// be changed. It panics for a step that the last rollout has not made.
func (r *Record) States(step int) *States {
	if step < 0 || step > r.steps {
		panic("batch: step out of range")
	}
	return r.states[step]
}

// copyGroup copies group g of other states of as many.
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

// begin makes a record that of a rollout by steps of a method and of h seconds, which has not come to its end.
func (r *Record) begin(how Integrator, h float64) {
	r.steps, r.how, r.h = -1, how, h
	clear(r.alone)
	clear(r.errs)
}

// take takes in group g before a step, or after the last one.
func (r *Record) take(s *States, step, g int) {
	if r != nil {
		r.states[step].copyGroup(s, g)
	}
}

// loneStep notes that state i makes a step alone.
func (r *Record) loneStep(i, step int) {
	if r != nil && r.alone[i] == 0 {
		r.alone[i] = int32(step) + 1
	}
}

// end closes a record after the rollout has come to its end, and why each state has not.
func (r *Record) end(steps int, errs []error) {
	r.steps = steps
	copy(r.errs, errs)
}
