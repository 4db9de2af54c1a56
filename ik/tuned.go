package ik

import (
	"context"

	"github.com/rung-mbd/rung/ik/fik"
)

const (
	// tuneTol is how near a target has to be to count as met in a trial of a tuning, rad and lengths.
	tuneTol = 1e-3
)

// tuned returns o with P, A and h of fik.Tune. A trial goes from the present
// pose to one waypoint of the path after the other, or to the targets.
func (s *denseMethod) tuned(o fik.Options) (fik.Options, error) {
	home := append([]float64(nil), s.q...)
	defer s.returnTo(home)
	times := []float64{0}
	if c := s.track.course; c != nil {
		times = c.times
	}
	fewest := filterSteps
	run := func(_ context.Context, o fik.Options) (int, error) {
		s.returnTo(home)
		f, err := fik.New(s.eng, o)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, t := range times {
			if n, err = s.trial(f, t, n, fewest); err != nil {
				return n, err
			}
		}
		fewest = min(fewest, n)
		return n, nil
	}
	o, _, err := fik.Tune(context.Background(), o, fik.DenseOf(s.eng), run)
	return o, err
}

// trial iterates the filter from the present pose until the targets are near their places on the path at the time t. It
// returns n plus the number of these iterations, or most if there would be more.
func (s *denseMethod) trial(f *fik.Filter, t float64, n, most int) (int, error) {
	k := s.track
	if k.course != nil {
		if err := s.goOn(t); err != nil {
			return n, err
		}
		s.aimAt(t)
		clear(k.raw)
	}
	for ; n < most; n++ {
		s.eng.errorsTo(s.raw)
		if s.near(s.raw) {
			return n, nil
		}
		if f.Stuck() || s.over() {
			return most, nil
		}
		for r := range s.raw {
			s.raw[r] *= k.feedback
		}
		if err := f.StepTo(k.dq, s.raw); err != nil {
			return n, err
		}
		if err := s.advance(f.Step()); err != nil {
			return n, err
		}
	}
	return most, nil
}

// near reports whether all targets with these errors are nearly met.
func (s *denseMethod) near(e []float64) bool {
	for i := range s.p.targets {
		t := &s.p.targets[i]
		if linear, angular := t.off(e[t.first:]); !(linear <= tuneTol*s.p.length && angular <= tuneTol) {
			return false
		}
	}
	return true
}
