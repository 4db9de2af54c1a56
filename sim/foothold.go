package sim

// foothold is what a step changes before its rows and events are done with. giveUp goes back to
// it.
type foothold struct {
	base    float64
	count   int64
	control control
	stats   Stats
	kept    []float64 // by the stepper, if held
	held    bool
}

// hold notes where a step begins, so that it can be given up.
func (s *Simulation) hold() {
	s.back.base, s.back.count, s.back.control, s.back.stats = s.base, s.count, s.control, s.stats
	kept := s.stepper.Kept()
	s.back.kept, s.back.held = append(s.back.kept[:0], kept...), kept != nil // those of a piece without bodies are none
}

// giveUp goes back to where the step has begun. Rows that have been written stay.
func (s *Simulation) giveUp() {
	s.base, s.count, s.control, s.stats = s.back.base, s.back.count, s.back.control, s.back.stats
	s.stepper.Restart()
	if s.back.held {
		copy(s.stepper.Keep(), s.back.kept)
	}
	s.giveUpEvents()
}
