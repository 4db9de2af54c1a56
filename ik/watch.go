package ik

// Watch makes every search call f before its first step and after each step. In the result Restarts is the number of the
// start, Steps the number of steps from it; targets, driven freedoms and singular values are those of the present pose.
// The result holds until f returns. Watch(nil) ends the calls.
//
// Cost: a step costs a singular value decomposition more; with the sparse method, which shows every place once before
// the step from there, O(targets).
func (s *Solver) Watch(f func(r *Result)) {
	s.watch = f
	if s.whole == nil {
		return
	}
	if s.whole.watch = nil; f != nil {
		s.whole.watch = func() {
			s.whole.report(&s.result)
			s.result.Steps = s.whole.steps
			f(&s.result)
		}
	}
}

// show calls the function of Watch at the present place.
func (s *Solver) show() {
	if s.watch == nil {
		return
	}
	r := &s.result
	all, conflicts := r.Steps, len(r.Conflicts)
	for l := range s.levels {
		s.reportTargets(&s.levels[l])
	}
	s.reportDriven()
	s.reportSpectrum()
	r.Steps, r.Conflicts = s.steps, r.Conflicts[:conflicts]
	s.watch(r)
	r.Steps = all
}
