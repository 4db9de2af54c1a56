package learn

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/team"
)

// ErrOptions is the error for options that are out of range, and for mechanisms whose runs have no derivatives.
var ErrOptions = errors.New("derive/learn: options")

// Law controls one run. A run makes one call of its law at a time, on one goroutine. Laws of different runs may be called at the same time,
// so they must not share anything that they change.
type Law interface {
	// Act stores in u the forces from act k on, k = 0 … Acts−1, for the observations y there, and returns a cost. At the end of the run it
	// is called with k = Acts and a nil u.
	Act(u, y []float64, k int) (cost float64)
	// Back adds to x the derivatives by the observations y of act k: of its cost, and of w·u, the forces u with the weights w. The
	// derivatives by parameters of the law are its own business. Back is called with k = Acts, nil u and nil w first, and then for each act
	// down to 0.
	Back(x, y, u, w []float64, k int)
}

// Options define the runs. Forces and Observe refer to the model; Step and Acts have no default.
type Options struct {
	Forces  []mechanism.Freedom // freedoms along which a law sets forces, N or N m
	Observe []string            // columns that it observes, of poses, velocities and coordinates (derive.Output)
	Step    float64             // s
	Hold    int                 // steps from one act to the next; 0: 1
	Acts    int                 // number of acts
	Threads int                 // goroutines; 0: 1
	// Lanes computes eight runs at a time in lanes of the processor, forwards and back (package derive/many), if the mechanism allows it.
	// Results differ from those without Lanes by the error of a step. A run that cannot stay in its lane has an error, which names step and
	// joint. Gradients keep all states of the runs, 8·(4 + 13·bodies + len(Forces)) bytes a run and step, and the memory is kept for the
	// next call.
	Lanes bool
}

// Result is the result of a run.
type Result struct {
	Err  error   // if not nil, the other fields have no meaning
	Cost float64 // sum of the costs of all acts
	// Start are the cotangents of the state at the start, adjoint.PerBody a body, including the part of the observations there; empty
	// without gradients.
	Start []float64
	// Growth is the factor by which cotangents grow over the first half of the run (adjoint.Growth.Ratio); 0 without gradients.
	Growth float64
	// Unstable is the factor by which steps that are too long have made the cotangents larger (adjoint.Growth.Unstable); 0 if there are
	// none, and always with Lanes. Above some 4 the gradients may be far from the derivatives of the motion.
	Unstable float64
}

// Rollouts do runs of one mechanism. They belong to one goroutine, and start Options.Threads of their own.
type Rollouts struct {
	plan    *kkt.Plan
	doc     *model.Model
	o       Options
	outputs []derive.Output
	team    *team.Team
	lanes   *lanes // nil without Options.Lanes
}

// New makes rollouts of a plan; m is the model of its mechanism.
//
// It returns an error that wraps ErrOptions for options out of range, unknown columns, and freedoms that are prescribed. With the name of
// the joint or force, it does so for a mechanism with internal states or rows of velocities alone, whose runs have no derivatives yet, and
// with Lanes for a mechanism that cannot be gone back over in lanes. It panics without a plan or a model.
func New(p *kkt.Plan, m *model.Model, o Options) (*Rollouts, error) {
	if p == nil || m == nil {
		panic("derive/learn: no plan or no model")
	}
	if o.Hold == 0 {
		o.Hold = 1
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	mech := p.Mechanism()
	switch {
	case !(o.Step > 0) || math.IsInf(o.Step, 1):
		return nil, fmt.Errorf("%w: step %v is not positive and finite", ErrOptions, o.Step)
	case o.Hold < 0 || o.Acts < 1 || o.Threads < 0:
		return nil, fmt.Errorf("%w: %d steps from one of %d acts to the next, on %d threads", ErrOptions, o.Hold, o.Acts, o.Threads)
	case mech.NumInternal() > 0:
		return nil, fmt.Errorf("%w: the mechanism has internal states, which have no derivatives over a run yet", ErrOptions)
	}
	if err := mech.Holonomic(); err != nil {
		return nil, fault.Errorf("%w: %w", ErrOptions, err)
	}
	for _, f := range o.Forces {
		if uint(f.Joint) >= uint(mech.NumJoints()) || uint(f.Freedom) >= uint(mech.Joints[f.Joint].Kind.Freedoms()) {
			return nil, fmt.Errorf("%w: there is no freedom %d of joint %d", ErrOptions, f.Freedom, f.Joint)
		}
		if mech.Joints[f.Joint].Prescribed(f.Freedom) {
			return nil, fault.Errorf("%w: %w", ErrOptions, mech.AtJoint(f.Joint, -1, fmt.Errorf("freedom %d is prescribed", f.Freedom)))
		}
	}
	r := &Rollouts{plan: p, doc: m, o: o, team: team.New(o.Threads)}
	d := derive.New(p, m)
	for _, name := range o.Observe {
		// Laws choose forces by what they observe: that must not depend on forces.
		x, err := d.Output(name)
		if err == nil && d.OutputOf(x) == nil {
			err = fmt.Errorf("column %s is an acceleration, which forces change", fault.Name(name))
		}
		if err != nil {
			return nil, fault.Errorf("%w: %w", ErrOptions, err)
		}
		r.outputs = append(r.outputs, x)
	}
	if o.Lanes {
		x, err := newLanes(r)
		if err != nil {
			return nil, fault.Errorf("%w: %w", ErrOptions, err)
		}
		r.lanes = x
	}
	return r, nil
}

// Costs runs all starts, each with its law, and stores the results in out.
//
// Cost: Acts·Hold steps a start, four evaluations each; allocates. It returns the error of ctx; results have no meaning then. It panics
// unless there is a law and a result for each start, and if a start is nil or of another mechanism.
func (r *Rollouts) Costs(ctx context.Context, starts []*mechanism.State, laws []Law, out []Result) error {
	return r.run(ctx, starts, laws, out, costsOnly)
}

// Gradients is Costs with gradients: by the start in the results, and by the parameters of the laws in the laws (Law.Back).
//
// Cost: three or four times as much as Costs. Errors and panics: as Costs.
func (r *Rollouts) Gradients(ctx context.Context, starts []*mechanism.State, laws []Law, out []Result) error {
	return r.run(ctx, starts, laws, out, withGradients)
}

// job is one call of Costs or Gradients.
type job struct {
	*Rollouts
	ctx    context.Context
	starts []*mechanism.State
	laws   []Law
	out    []Result
	slopes bool
}

// The argument slopes of run.
const (
	costsOnly     = false
	withGradients = true
)

// run is Costs, or with slopes Gradients.
func (r *Rollouts) run(ctx context.Context, starts []*mechanism.State, laws []Law, out []Result, slopes bool) error {
	if len(laws) != len(starts) || len(out) != len(starts) {
		panic("derive/learn: length mismatch")
	}
	for i, st := range starts {
		if st == nil || laws[i] == nil || !r.plan.Mechanism().Owns(st) {
			panic("derive/learn: no start or no law, or a start of another mechanism")
		}
	}
	j := &job{r, ctx, starts, laws, out, slopes}
	if r.lanes != nil {
		return r.lanes.run(j)
	}
	r.team.Run(len(starts), j)
	return context.Cause(ctx)
}

// Do implements team.Job: it runs start i.
func (j *job) Do(_, i int) {
	j.out[i] = Result{}
	if context.Cause(j.ctx) != nil {
		return
	}
	c, err := j.forward(j.starts[i], j.laws[i])
	if err == nil && j.slopes {
		err = c.back()
	}
	if j.out[i] = c.result; err != nil {
		j.out[i] = Result{Err: fault.Errorf("derive/learn: run %d: %w", i, err)}
	}
}
