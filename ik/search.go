package ik

// search descends from the current pose, then from the start of startBeyondLimits and from random ones, until the targets are met, or with
// Options.All from all starts. It ends at the best pose.
func (s *Solver) search() error {
	r, m := &s.result, s.m
	r.Steps, r.Restarts, r.Solutions, s.best.some = 0, 0, r.Solutions[:0], false
	most := m.starts(&s.o)
	if err := s.start(); err != nil {
		return err
	}
	if !allReached(m) && !s.now.hasEnded() {
		s.now.steps = 0
		again := m.startBeyondLimits()
		if r.Steps += s.now.steps; again {
			if err := s.start(); err != nil {
				return err
			}
		}
	}
	more := func() bool { return r.Restarts < most && (s.o.All || !allReached(m)) }
	again := more()
	for more() && !s.now.hasEnded() {
		r.Restarts++
		if !m.scatter() {
			continue
		}
		if err := s.start(); err != nil {
			return err
		}
	}
	if !m.finish(again) || allReached(m) || s.now.hasEnded() {
		return nil
	}
	err := m.descend()
	r.Steps += s.now.steps
	return err
}

// start descends from the current pose and keeps the pose that it reaches if it is the best so far. With Options.All it collects solutions.
func (s *Solver) start() error {
	m := s.m
	err := m.descend()
	if s.result.Steps += s.now.steps; err != nil {
		return err
	}
	if s.o.All && allReached(m) {
		s.result.Solutions = m.collect(s.result.Solutions)
	}
	if s.best.some && !s.better() {
		return nil
	}
	s.best.some = true
	for l := range s.best.merit {
		s.best.merit[l] = m.remaining(l)
	}
	m.keep()
	return nil
}

// better reports whether the last start ended better than the best before: the first level that differs decides.
func (s *Solver) better() bool {
	for l, least := range s.best.merit {
		if x := s.m.remaining(l); x != least {
			return x < least
		}
	}
	return false
}
