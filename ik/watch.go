package ik

// Watch makes every search call f before its first step and after each step. In the result Restarts is the number of the start, and Steps
// the number of steps since; targets, driven freedoms and singular values are for the present pose. The result holds until f returns.
// Watch(nil) ends the calls.
//
// Cost: a singular value decomposition more for each step. The sparse method calls f once at every pose, before the step from there, which
// costs O(targets).
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
