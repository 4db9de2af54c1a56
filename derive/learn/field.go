package learn

import (
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// glance is a linear function of a state: the derivatives seen by the observations, and the derivatives state by the state itself.
type glance struct{ seen, state []float64 }

// field is the field of package adjoint: the equations of motion with their transposed derivative. Its parameters are the forces.
type field struct {
	d       *derive.Derivatives
	w       *derive.Weights
	g       *derive.Gradient
	outputs []derive.Output
	forces  []mechanism.Freedom
	joints  bool              // the mechanism has joints
	on      derive.Redundancy // at the start of the run
}

func newField(p *kkt.Plan, r *Rollouts) *field {
	d := derive.New(p, r.doc)
	return &field{
		d: d, w: d.NewWeights(), g: d.NewGradient(), outputs: r.outputs, forces: r.o.Forces,
		joints: p.Layout().Pattern.Len() > p.Mechanism().NumBodies(),
	}
}

// At implements adjoint.Field.
func (f *field) At(a []float64, st *mechanism.State) error {
	if err := f.d.At(st); err != nil {
		return err
	}
	f.d.AccelerationsTo(a)
	return nil
}

// Doubt implements adjoint.DoubtfulField.
func (f *field) Doubt() error { return f.d.Doubt(f.on) }

// PullTo implements adjoint.Field.
func (f *field) PullTo(x, p, w []float64, of *glance, scale float64) (float64, error) {
	f.w.Reset()
	f.w.SetAccelerations(w)
	if of != nil {
		for i, y := range of.seen {
			f.w.AddOutput(f.outputs[i], scale*y)
		}
	}
	if err := f.d.AdjointTo(f.g, f.w, derive.Options{}); err != nil {
		return 0, err
	}
	f.g.TakeMotion(x)
	for i, u := range f.forces {
		p[i] += f.g.Force(u.Joint, u.Freedom)
	}
	if of != nil {
		for i, y := range of.state {
			x[i] += scale * y
		}
	}
	return 0, nil
}

// Projects implements adjoint.JointField.
func (f *field) Projects() bool { return f.joints }

// Projected implements adjoint.JointField.
func (f *field) Projected(moved, change []float64) error { return f.d.Projected(moved, change) }

// JoinBack implements adjoint.JointField.
func (f *field) JoinBack(x, _ []float64) error {
	if err := f.d.FollowMotion(f.g, x); err != nil {
		return err
	}
	clear(x)
	f.g.TakeMotion(x)
	return nil
}
