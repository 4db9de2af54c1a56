package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// differs is the least |log| of the ratio of sizes for which a step and its halves differ. At the limit of stability of RK4 on the real
// axis a step keeps the size, and its halves reduce it to 0.09 of that.
const differs = 0.35

// faint is the size of cotangents, relative to the largest size on the way, up to which they may be rounding: a mechanism whose motion is
// prescribed has zeros on the joints.
const faint = 1e-8

// compare compares the step from at to end, which has just been gone back over, with its halves. If they differ, it counts the rise of the
// cotangents that compares has recorded.
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
		if v.differs[i] = false; v.size[i] <= faint*w.most[i] {
			continue
		}
		step, half := w.size(v.x), w.size(v.was[i])
		if v.differs[i] = math.Abs(math.Log(step/half)) > differs; v.differs[i] {
			v.found = true
			w.count(i, v.rise[i])
		}
	}
	return nil
}

// count adds rise, a logarithm, to the growth of the cotangents of objective i over steps that differ from their halves. The growth does
// not fall below 0.
func (w *Growth) count(i int, rise float64) {
	v := &w.halves
	if v.log[i] = max(0, v.log[i]+rise); v.log[i] > 0 {
		w.Unstable = max(w.Unstable, min(math.Exp(v.log[i]), math.MaxFloat64))
	}
}

// beginAtJoints records the sizes of the cotangents g at the end of a run, after projection on the joints. It does nothing if they are
// recorded already, or without w.
func (w *Growth) beginAtJoints(g []Gradient) {
	if w == nil || len(w.halves.size) == len(g) {
		return
	}
	v := &w.halves
	v.begin(len(g))
	for i := range g {
		v.size[i] = w.size(g[i].Start)
	}
}

// endAtJoints counts the rise over the first steps of a run, the last ones on the way back.
func (w *Growth) endAtJoints(g []Gradient) {
	if w == nil {
		return
	}
	v := &w.halves
	for i := range v.differs {
		if x := w.size(g[i].Start); v.differs[i] && x > 0 {
			w.count(i, math.Log(x/v.size[i]))
			v.size[i] = x // another part of the run may follow
		}
	}
}

// joined takes the cotangents x of the start of the step back over the projection there (JoinBack), and adds the cotangents of the
// parameters to p.
func (s *step[F]) joined(x, p []float64) error {
	if f := s.joint(); f != nil {
		return f.JoinBack(x, p)
	}
	return nil
}

// halve takes the cotangents v.was back over two steps of half the length.
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
