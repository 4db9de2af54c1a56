package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// differs is the logarithm of the ratio of sizes from which on a step and its halves differ. At the limit of RK4 on the real axis the
// halves take to 0.09 what the step leaves as large as it is.
const differs = 0.35

// faint is the size of cotangents, as a part of the largest ones on the way, up to which they may be rounding: those of a mechanism whose
// motion is prescribed are zero at the joints.
const faint = 1e-8

// compare compares the step from at to end, which has been gone back over, with its halves. Where they differ, by how much cotangents have
// risen over the steps before counts.
func (s *step[F]) compare(w *Growth, at, end *mechanism.State, of []Objective[F], g []Gradient) error {
	v := &w.halves
	v.parameters = append(v.parameters[:0], g[0].Parameters...)
	if err := s.halve(v, at, end, of); err != nil {
		return fault.Errorf("derive/adjoint: over halves of the step from t = %v: %w", at.Time, err)
	}
	for i := range g {
		v.x = append(v.x[:0], g[i].Start...)
		if err := s.joined(v.x, v.parameters); err != nil {
			return err
		}
		if err := s.joined(v.was[i], v.parameters); err != nil {
			return err
		}
		if v.size[i] <= faint*w.most[i] {
			continue
		}
		if step, half := w.size(v.x), w.size(v.was[i]); math.Abs(math.Log(step/half)) > differs {
			v.found = true
			v.log[i] = max(0, v.log[i]+v.rise[i])
			if v.log[i] > 0 {
				w.Unstable = max(w.Unstable, min(math.Exp(v.log[i]), math.MaxFloat64))
			}
		}
	}
	return nil
}

// joined takes a cotangent of the start of the step to the joints, and adds those of the parameters to p.
func (s *step[F]) joined(x, p []float64) error {
	if s.joins == nil {
		return nil
	}
	return s.joins.JoinBack(x, p)
}

// halve takes the cotangents that are kept back over two steps of half the length.
func (s *step[F]) halve(v *halves, at, end *mechanism.State, of []Objective[F]) error {
	if v.middle == nil {
		v.middle = at.Clone()
	}
	h := (end.Time - at.Time) / 2
	if err := s.run(at, h); err != nil {
		return err
	}
	s.taped.AtTo(v.middle, 1)
	for _, half := range [2]struct {
		from *mechanism.State
		h    float64
	}{{v.middle, end.Time - v.middle.Time}, {at, h}} {
		if err := s.run(half.from, half.h); err != nil {
			return err
		}
		for i := range v.was {
			if _, err := s.pull(v.was[i], v.parameters, of[i].Rate); err != nil {
				return err
			}
		}
	}
	return nil
}
