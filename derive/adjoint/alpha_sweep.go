package adjoint

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// AlphaSweep goes back over a run of generalized-α, as a Sweep does over a run of explicit steps. It computes no step of the run again
// except the trial steps of its starts. It owns its memory and belongs to one goroutine.
type AlphaSweep[F any] struct {
	Growth *Growth // records the growth of the cotangents; may be nil

	mech *mechanism.Mechanism
	step *alphaStep[F]
	none []float64 // zeros: no cotangents of accelerations
}

// NewAlphaSweep returns a sweep for runs of m. k does the trial steps: it has the options of the run, and dynamics of its own.
//
// It panics if an argument is nil.
func NewAlphaSweep[F any](m *mechanism.Mechanism, k *sim.GeneralizedAlpha, field AlphaField[F]) *AlphaSweep[F] {
	if m == nil || k == nil || field == nil {
		panic("derive/adjoint: a sweep takes a mechanism, a method and a field")
	}
	return &AlphaSweep[F]{mech: m, step: newAlphaStep(m, k, field), none: make([]float64, 6*m.NumBodies())}
}

// Run stores in g[k] the value of objective k over the run on the tape, and its gradient, theory.md (V17). At the call, g[k].Kept has the
// cotangents of what the last step leaves to the next one, or is empty, which means zeros. Afterwards it has the cotangents at the start of
// the tape; they are zeros if the run starts there. Rates are integrated by the trapezoidal rule over the steps.
//
// Cost: for each step one solve with the matrix of the iteration and one with the joints' matrix, twice; and for each objective a few
// sweeps over the mechanism with a solve each, O(bodies + joints). It returns ErrNoTranspose or an error of Sweep.Run; g is then
// unspecified. It panics as Sweep.Run does, and if the tape has explicit steps or events.
func (s *AlphaSweep[F]) Run(ctx context.Context, t *Tape, of []Objective[F], g []Gradient) error {
	mustBeAlpha(t)
	if len(of) != len(g) {
		panic("derive/adjoint: not a gradient for each objective")
	}
	at, end := t.state.Clone(), t.state.Clone()
	last := t.alphaRow(end, t.last())
	for i := range g {
		if err := startBack(s.step.field, s.step.acc, s.none, &of[i], &g[i], last.State, KeptPerBody); err != nil {
			return err
		}
	}
	s.Growth.See(end.Time, g)
	return t.walk(ctx, func(x, y []float64) error {
		from, to := t.alphaRow(at, x), t.alphaRow(end, y)
		if err := s.back(&from, &to, of, g); err != nil {
			return fault.Errorf("derive/adjoint: back over the step from t = %v: %w", at.Time, err)
		}
		s.Growth.See(at.Time, g)
		return nil
	})
}

// mustBeAlpha panics unless t is the tape of a run of generalized-α with a step, without events, and not yet gone back over.
func mustBeAlpha(t *Tape) {
	switch {
	case t.end == nil || t.Steps() == 0:
		panic("derive/adjoint: a tape without a step of generalized-alpha")
	case t.spent:
		panic("derive/adjoint: a tape that has been gone back over")
	case len(t.jumps) > 0 || t.stopped != nil:
		panic("derive/adjoint: events over steps of generalized-alpha")
	}
}

// startBack sets g to the value of o at the end of a run, and to its gradient there. Steps of the run leave kept numbers a body to the next
// step.
func startBack[F any](f Field[F], acc, none []float64, o *Objective[F], g *Gradient, end *mechanism.State, kept int) (err error) {
	nb := len(end.Bodies)
	g.Final, g.Integral, g.Gap, g.Matrix = 0, 0, 0, 0
	g.Start = append(g.Start[:0], make([]float64, PerBody*nb)...)
	if len(g.Kept) == 0 {
		g.Kept = make([]float64, kept*nb)
	}
	clear(g.Parameters)
	if o.Final == nil {
		return nil
	}
	if err := f.At(acc, end); err != nil {
		return fault.Errorf("derive/adjoint: at the end, t = %v: %w", end.Time, err)
	}
	g.Final, err = f.PullTo(g.Start, g.Parameters, none, o.Final, 1)
	return err
}

// back takes the cotangents in g from the end of a step to its start: the rates over its second half, the projection of velocities, the
// step itself, the acceleration that the method carries or begins with, and the rates over its first half.
func (s *AlphaSweep[F]) back(from, to *sim.AlphaEnd, of []Objective[F], g []Gradient) error {
	p, at := s.step, from.State
	h := to.State.Time - at.Time
	if err := ratesInto(p.field, p.acc, s.none, to.State, h/2, of, g); err != nil {
		return err
	}
	p.span(at, to)
	// The projection of velocities is gone back over before the step.
	if p.projects() {
		gap, err := p.holdRates(to.State)
		if err != nil {
			return err
		}
		for i := range g {
			g[i].Gap = max(g[i].Gap, gap)
		}
	}
	each := func(do func(z *alphaState, parameters []float64) error) error {
		for i := range g {
			z := alphaState{x: g[i].Start}.over(g[i].Kept)
			if err := do(&z, g[i].Parameters); err != nil {
				return err
			}
		}
		return nil
	}
	if p.projects() {
		if err := each(p.ratesBack); err != nil {
			return err
		}
	}
	if err := p.hold(to); err != nil {
		return err
	}
	if err := each(p.stepBack); err != nil {
		return err
	}
	// A step without history begins with the accelerations at its start. Others take over a and w, converted to their length.
	if to.Began || from.Step == 0 {
		b, err := p.begin(at, h)
		if err != nil {
			return err
		}
		for i := range g {
			z := alphaState{x: g[i].Start}.over(g[i].Kept)
			if err := p.beginBack(at, b, &z, g[i].Parameters); err != nil {
				return err
			}
			g[i].Matrix = max(g[i].Matrix, b.left)
		}
	} else if err := each(func(z *alphaState, _ []float64) error {
		p.keepBack(z, h/from.Step)
		return nil
	}); err != nil {
		return err
	}
	return ratesInto(p.field, p.acc, s.none, at, h/2, of, g)
}

// ratesInto adds the rates at st, times the weight w, to the integrals in g, and their derivatives to the gradients.
func ratesInto[F any](f Field[F], acc, none []float64, st *mechanism.State, w float64, of []Objective[F], g []Gradient) error {
	at := false
	for i := range of {
		if of[i].Rate == nil {
			continue
		}
		if !at {
			if err := f.At(acc, st); err != nil {
				return err
			}
			at = true
		}
		x, err := f.PullTo(g[i].Start, g[i].Parameters, none, of[i].Rate, w)
		if err != nil {
			return err
		}
		g[i].Integral += w * x
	}
	return nil
}
