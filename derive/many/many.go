package many

import (
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// New returns a batch of the mechanism of a plan. m is the model of that mechanism; package derive computes gradients of single states.
//
// Cost and errors: as batch.New. It panics if p or m is nil.
func New(p *kkt.Plan, m *model.Model, o batch.Options) (*batch.Batch, error) {
	if p == nil || m == nil {
		panic("many: no plan or no model")
	}
	o.Adjoint = func(p *kkt.Plan, forces []mechanism.Freedom) batch.Alone {
		d := derive.New(p, m)
		return &alone{d, d.NewWeights(), d.NewGradient(), forces}
	}
	return batch.New(p, o)
}

// alone computes gradients of single states.
type alone struct {
	d      *derive.Derivatives
	w      *derive.Weights
	g      *derive.Gradient
	forces []mechanism.Freedom
}

// AdjointTo implements batch.Alone.
func (a *alone) AdjointTo(motion, loads, forces, weights []float64, st *mechanism.State) error {
	if err := a.d.At(st); err != nil {
		return err
	}
	for i := range len(weights) / 6 {
		x := weights[6*i:]
		*a.w.Body(i) = derive.BodyWeight{AngularAcceleration: spatial.Vec3(x[:3]), ComAcceleration: spatial.Vec3(x[3:6])}
	}
	if err := a.d.AdjointTo(a.g, a.w, derive.Options{}); err != nil {
		return err
	}
	for i := range len(loads) / 6 {
		u := a.g.Body(i)
		copy(loads[6*i:], u.Torque[:])
		copy(loads[6*i+3:], u.Force[:])
	}
	for k, f := range a.forces {
		forces[k] = a.g.Force(f.Joint, f.Freedom)
	}
	a.g.TakeMotion(motion)
	return nil
}
