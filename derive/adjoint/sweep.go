package adjoint

import (
	"context"
	"fmt"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// Sweep goes back over a run. It owns its memory and belongs to one goroutine.
type Sweep[F any] struct {
	Growth *Growth // takes in the cotangents on the way; nil: nothing does

	mech *mechanism.Mechanism
	step *step[F]
	none []float64 // cotangents of accelerations at the end
	ends ends
	crossing
}

// gapTol is how far a step that is computed again may end from where the run went on (StepError.Gap): more than what projection takes back
// after steps of large tolerances, and below what impacts do.
const gapTol = 1e-4

// NewSweep returns a sweep for runs of m by an explicit method, with a field for each of its stages, which has its factor still when
// the way back comes to it.
//
// It panics without a mechanism or a method, or unless there is one field a stage.
func NewSweep[F any](m *mechanism.Mechanism, tab *sim.Tableau, fields []Field[F]) *Sweep[F] {
	if m == nil || tab == nil || len(fields) != len(tab.B) {
		panic("derive/adjoint: a sweep takes a mechanism, a method and a field for each of its stages")
	}
	return &Sweep[F]{mech: m, step: newStep(m, tab, fields), none: make([]float64, 6*m.NumBodies())}
}

// CloseStages says what takes stages of steps to the joints where derivatives at open ones are in doubt (DoubtfulField). With may it
// may have done so in the run: a step that leads elsewhere with open stages is one with closed ones, then, if that leads nearer to
// where the run went on. Fields have to be JointFields. Nil: none is closed, and doubts are errors.
func (s *Sweep[F]) CloseStages(p sim.Projector, may bool) {
	s.step.closer, s.step.may = p, may && p != nil
}

// Run stores in g, one for each objective, its value over the run on the tape and its gradient, theory.md (V5). g[k].Parameters has one
// entry for each parameter of the fields, or none.
//
// Cost: for each step an evaluation a stage, and for each objective a transposed derivative a stage, O(bodies +
// joints) each, and what repeats the run where the tape has not all states. It returns a *StepError, ErrNotRepeatable, errors
// of the fields and functions, and that of ctx; g is then unspecified. It panics without a step on the tape, where states that
// another Run has repeated are gone, or unless g has an entry for each objective.
func (s *Sweep[F]) Run(ctx context.Context, t *Tape, of []Objective[F], g []Gradient) error {
	switch {
	case t.Steps() == 0 || len(of) != len(g):
		panic("derive/adjoint: a tape without a step, or not a gradient for each objective")
	case t.spent:
		panic("derive/adjoint: a tape that has been gone back over")
	}
	at, end := t.state.Clone(), t.state.Clone()
	end.SetFlat(t.last())
	for i := range g {
		if err := s.begin(&of[i], &g[i], end); err != nil {
			return err
		}
	}
	s.Growth.See(end.Time, g)
	if err := s.step.beginAtJoints(s.Growth, g); err != nil {
		return err
	}
	k := t.Steps() + 1
	if s.crossing.state = t.state.Clone(); t.stopped != nil {
		if err := s.cross(t.stopped, end, nil, of, g); err != nil {
			return fault.Errorf("derive/adjoint: event at t = %v: %w", end.Time, err)
		}
	}
	return t.walk(ctx, func(x, y []float64) error {
		k--
		at.SetFlat(x)
		end.SetFlat(y)
		to := end
		j, err := t.jumpAt(k)
		if err != nil {
			return err
		}
		if j != nil {
			to = s.crossing.state
			to.SetFlat(j.at)
			if err := s.cross(j.event, to, end, of, g); err != nil {
				return fault.Errorf("derive/adjoint: event at t = %v: %w", to.Time, err)
			}
		}
		parts := t.partsOf(k)
		compares := j == nil && len(parts) == 0 && s.Growth.compares(g)
		if err = s.back(at, to, parts, of, g); err == nil && compares {
			err = s.step.compare(s.Growth, at, to, of, g)
		}
		joins := joinsAt(t.Before + k)
		if err == nil && joins {
			err = s.step.onJoints(g)
		}
		s.Growth.See(at.Time, g)
		s.Growth.atJoints(joins)
		if joins && t.Before+k == 1 {
			s.Growth.endAtJoints(g)
		}
		return err
	})
}

// begin sets g to the value at the end of the run, and to its gradient.
func (s *Sweep[F]) begin(o *Objective[F], g *Gradient, end *mechanism.State) (err error) {
	g.Final, g.Integral, g.Gap = 0, 0, 0
	g.Start = append(g.Start[:0], make([]float64, PerBody*len(end.Bodies))...)
	clear(g.Parameters)
	if o.Final == nil {
		return nil
	}
	f := s.step.stages[0].field
	if err := f.At(s.step.acc, end); err != nil {
		return fault.Errorf("derive/adjoint: at the end, t = %v: %w", end.Time, err)
	}
	g.Final, err = f.PullTo(g.Start, g.Parameters, s.none, o.Final, 1)
	return err
}

// joinSteps is how many steps are between those at whose starts derivatives are taken to the joints, theory.md (V6).
const joinSteps = 4

// joinsAt reports whether the derivatives at the start of a step are taken to the joints. The first step of a run is 1.
func joinsAt(step int) bool { return (step-1)%joinSteps == 0 }

// back goes back from the end of a step to where it began, from part to part.
func (s *Sweep[F]) back(at, end *mechanism.State, parts [][]float64, of []Objective[F], g []Gradient) error {
	for i := len(parts); i >= 0; i-- {
		from, to := s.ends.part(at, end, parts, i)
		gap, err := s.step.overPart(from, to, parts, i)
		if err != nil {
			return err
		}
		for i := range g {
			integral, err := s.step.pull(g[i].Start, g[i].Parameters, of[i].Rate)
			if err != nil {
				return fault.Errorf("derive/adjoint: back over the step from t = %v: %w", from.Time, err)
			}
			g[i].Integral += integral
			g[i].Gap = max(g[i].Gap, gap)
		}
	}
	return nil
}

// meets returns how far a step ends from where the run went on, and an error if that is too far.
func meets[F any](m *mechanism.Mechanism, s *step[F], at, end *mechanism.State) (float64, error) {
	worst := algebra.NewPeak(0)
	L := s.length
	rate := 1 / (end.Time - at.Time)
	for i := range end.Bodies {
		a, b := &s.end.Bodies[i], &end.Bodies[i]
		off := max(angleOf(a.Rotation.Mul(b.Rotation.Conj())), a.Position.Sub(b.Position).Norm()/L)
		off = max(off, a.Omega.Sub(b.Omega).Norm()/rate, a.Velocity.Sub(b.Velocity).Norm()/(L*rate))
		worst.Take(off, i)
	}
	if !(worst.Most <= gapTol) {
		return worst.Most, &StepError{Time: end.Time, Body: worst.At, Name: m.BodyName(worst.At), Gap: worst.Most}
	}
	return worst.Most, nil
}

// angleOf returns the angle of a unit quaternion, rad.
func angleOf(q spatial.Quat) float64 {
	const small = 1e-4 // below it twice the sine of the half is the angle, to 1e-9 of it
	if s := 2 * spatial.Vec3(q[1:]).Norm(); s < small && q[0] > 0 {
		return s
	}
	return q.Log().Norm()
}

// StepError says that a step, computed again, does not end where the run went on: something else has moved the bodies, such as an impact,
// or stages have been closed near a singular pose.
type StepError struct {
	Time float64 // s
	Body int
	Name string
	Gap  float64 // of its pose and, over the step, of its velocities, relative to the typical length of the bodies, or rad
}

func (e *StepError) Error() string {
	return fmt.Sprintf("derive/adjoint: at t = %v body %s is not where the step ends: it is off by %.3g of its size", e.Time, e.Name, e.Gap)
}
