package ik

// Watch makes every search call f before its first step and after each step. In the result Restarts is the number of the
// start, Steps the number of steps from it; targets, driven freedoms and singular values are those of the present pose.
// The result holds until f returns. Watch(nil) ends the calls.
//
// Cost: a step costs a singular value decomposition more; with the sparse method, which shows every place once before
// the step from there, O(targets).
func (s *Solver) Watch(f func(r *Result)) {
	if s.now.watch = nil; f == nil {
		return
	}
	s.now.watch = func() {
		r := &s.result
		steps, conflicts := r.Steps, len(r.Conflicts)
		s.reportTargets()
		s.reportDriven()
		s.m.reportTo(r)
		r.Steps, r.Conflicts = s.now.steps, r.Conflicts[:conflicts]
		f(r)
		r.Steps = steps
	}
}
