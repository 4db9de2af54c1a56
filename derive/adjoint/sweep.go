package adjoint

import (
	"context"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// Sweep goes back over a run of an explicit method. It owns its memory and belongs to one goroutine.
type Sweep[F any] struct {
	Growth *Growth // records the growth of the cotangents; may be nil

	mech *mechanism.Mechanism
	step *step[F]
	none []float64 // zeros: no cotangents of accelerations
	ends ends
	crossing

	spare JointField[F] // holds the end of this step; nil if the run does not project
	shift shift         // change of that end by the projection
}

// gapTol is the largest gap (StepError.Gap) between a step that is computed again and the run: above what projection takes back after steps
// of large tolerances, and below the changes by impacts.
const gapTol = 1e-4

// NewSweep returns a sweep for runs of m by the explicit method tab. Each stage has a field of its own, whose factor is still there on the
// way back over the stage. If the fields project (JointField.Projects), there is one more field, for the end of the step.
//
// It panics without a mechanism or a method, or if the number of fields differs.
func NewSweep[F any](m *mechanism.Mechanism, tab *sim.Tableau, fields []Field[F]) *Sweep[F] {
	if m == nil || tab == nil || len(fields) < len(tab.B) {
		panic("derive/adjoint: a sweep takes a mechanism, a method and a field for each of its stages")
	}
	stages := len(tab.B)
	s := &Sweep[F]{mech: m, step: newStep(m, tab, fields[:stages]), none: make([]float64, 6*m.NumBodies())}
	if s.step.joint() != nil && len(fields) > stages {
		s.spare, _ = fields[stages].(JointField[F])
		stages++
	}
	if len(fields) != stages || (s.spare == nil) != (s.step.joint() == nil) {
		panic("derive/adjoint: a sweep takes a field for each stage of its method, and one more where states are projected")
	}
	return s
}

// CloseStages sets the projector p, which closes the stages of a step where derivatives at open stages are in doubt (DoubtfulField). With
// nil no stage is closed, and doubts are errors. The stages that the run itself has closed (Tape.MayClose, Tape.ClosesAll) are closed by p
// too. The fields have to be JointFields.
//
// Which steps are tried with closed stages first depends on the steps before, also those of earlier calls of Run. CloseStages forgets them.
func (s *Sweep[F]) CloseStages(p sim.Projector) { s.step.closeStages(p) }

// Run stores in g[k] the value of objective k over the run on the tape, and its gradient, theory.md (V5). g[k].Parameters has one entry for
// each parameter of the fields, or none.
//
// Cost: for each step an evaluation a stage, and for each objective a transposed derivative a stage, O(bodies + joints) each, and
// repetitions of the run if the tape has not all states. It returns a *StepError, ErrNotRepeatable, an error of the fields and functions,
// or the error of ctx; g is then unspecified. It panics without a step on the tape, if another Run has overwritten states that were
// repeated, or unless g has an entry for each objective.
func (s *Sweep[F]) Run(ctx context.Context, t *Tape, of []Objective[F], g []Gradient) error {
	switch {
	case t.Steps() == 0 || len(of) != len(g):
		panic("derive/adjoint: a tape without a step, or not a gradient for each objective")
	case t.spent:
		panic("derive/adjoint: a tape that has been gone back over")
	}
	s.step.follow(t)
	at, end := t.state.Clone(), t.state.Clone()
	end.SetFlat(t.last())
	if err := s.begin(of, g, end); err != nil {
		return err
	}
	s.Growth.See(end.Time, g)
	k := t.Steps() + 1 // the number of the step on the tape, from 1
	if s.crossing.state = t.state.Clone(); t.stopped != nil {
		if err := s.cross(t.stopped, end, nil, of, g); err != nil {
			return fault.Errorf("derive/adjoint: event at t = %v: %w", end.Time, err)
		}
	}
	// Steps from x to y, the last one first.
	return t.walk(ctx, func(x, y []float64) error {
		k--
		at.SetFlat(x)
		end.SetFlat(y)
		to := end
		j, err := t.jumpAt(k)
		if err != nil {
			return err
		}
		// With an event the step ends at j.at, and y is the state after the jump.
		if j != nil {
			to = s.crossing.state
			to.SetFlat(j.at)
			if err := s.cross(j.event, to, end, of, g); err != nil {
				return fault.Errorf("derive/adjoint: event at t = %v: %w", to.Time, err)
			}
		}
		step := t.Before + k
		over := bridge{at: at, end: to, parts: t.partsOf(k), event: j != nil, last: k == t.Steps(), first: step == 1}
		over.joins = over.first || joinsAt(step+1)
		if err := s.back(&over, of, g); err != nil {
			return err
		}
		if over.first {
			if first := s.step.joint(); first != nil {
				if err := onJoints(first, g); err != nil {
					return err
				}
			}
			s.Growth.endAtJoints(g)
		}
		s.Growth.See(at.Time, g)
		return nil
	})
}

// begin sets g to the values of the objectives at the end of the run, and to their gradients there.
func (s *Sweep[F]) begin(of []Objective[F], g []Gradient, end *mechanism.State) (err error) {
	f, at := s.step.stages[0].field, false
	for i := range g {
		o, g := &of[i], &g[i]
		g.Final, g.Integral, g.Gap = 0, 0, 0
		g.Start = append(g.Start[:0], make([]float64, PerBody*len(end.Bodies))...)
		clear(g.Parameters)
		if o.Final == nil {
			continue
		}
		if !at {
			if err := f.At(s.step.acc, end); err != nil {
				return fault.Errorf("derive/adjoint: at the end, t = %v: %w", end.Time, err)
			}
			at = true
		}
		if g.Final, err = f.PullTo(g.Start, g.Parameters, s.none, o.Final, 1); err != nil {
			return err
		}
	}
	return nil
}

// bridge is a step that a sweep goes back over.
type bridge struct {
	at, end *mechanism.State
	parts   [][]float64 // states between the parts of the step
	joins   bool        // derivatives at its end are projected even if the run has not projected there
	event   bool        // an event is at its end
	last    bool        // it is the last step of the tape
	first   bool        // it is the first step of the run
}

// back replaces the cotangents in g of the end of a step by the cotangents of its start, going over its parts from the last to the first.
func (s *Sweep[F]) back(b *bridge, of []Objective[F], g []Gradient) error {
	s.swap()
	compares := false
	for i := len(b.parts); i >= 0; i-- {
		from, to := s.ends.part(b.at, b.end, b.parts, i)
		gap, err := s.step.overPart(from, to, b.parts, i)
		if err != nil {
			return err
		}
		// The last part ends at the end of the step: there cotangents go back over the projection.
		if i == len(b.parts) {
			if err := s.arrives(b, g); err != nil {
				return err
			}
			s.Growth.beginAtJoints(g)
			compares = i == 0 && !b.event && s.Growth.compares(b.joins || b.last, b.first, g)
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
	if compares {
		return s.step.compare(s.Growth, b.at, b.end, of, g)
	}
	return nil
}

// swap exchanges the spare field and the field of the first stage. The spare field then holds the end of this step, as that was the start
// of the step just gone over.
func (s *Sweep[F]) swap() {
	if s.spare != nil {
		s.spare, s.step.stages[0].field = s.step.joint(), s.spare
	}
}

// arrives takes the cotangents of the end of a step back over the projection there, if there is one: to the state that the step itself has
// reached. The spare field holds the end.
func (s *Sweep[F]) arrives(b *bridge, g []Gradient) error {
	if s.spare == nil || !slices.ContainsFunc(g, func(g Gradient) bool { return algebra.MaxAbs(g.Start) > 0 }) {
		return nil
	}
	shifted := s.shift.set(s.mech, s.step.end.Bodies, b.end.Bodies)
	if !shifted && !b.joins && !b.event && !b.last {
		return nil
	}
	if shifted {
		if err := s.spare.Projected(s.shift.moved, s.shift.change); err != nil {
			return fault.Errorf("derive/adjoint: at t = %v: %w", b.end.Time, err)
		}
	}
	return onJoints(s.spare, g)
}

// onJoints takes cotangents in g of a state on the joints back over a projection, theory.md (V6). The field f holds the state.
func onJoints[F any](f JointField[F], g []Gradient) error {
	for i := range g {
		if err := f.JoinBack(g[i].Start, g[i].Parameters); err != nil {
			return err
		}
	}
	return nil
}

// meets returns the gap (StepError.Gap) between the computed end of step s and the end of the run's step, and a *StepError if it is above
// gapTol.
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
	const small = 1e-4 // below it 2·sin(θ/2) is θ with a relative error under 1e-9
	if s := 2 * spatial.Vec3(q[1:]).Norm(); s < small && q[0] > 0 {
		return s
	}
	return q.Log().Norm()
}

// StepError says that a step, computed again, does not end where the run went on. Something else has moved the bodies, such as an impact,
// or stages were closed near a singular pose.
type StepError struct {
	Time float64 // s
	Body int
	Name string
	// Gap is the distance between the poses of the body, and between its velocities times the length of the step: in rad, and in typical
	// lengths of the bodies.
	Gap float64
}

// Error returns the text of the error.
func (e *StepError) Error() string {
	return fmt.Sprintf("derive/adjoint: at t = %v body %s is not where the step ends: it is off by %.3g of its size", e.Time, e.Name, e.Gap)
}
