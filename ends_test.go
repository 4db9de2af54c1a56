package rung_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// errEnd is the cause for which contexts of tests end.
var errEnd = errors.New("nobody waits any more")

// looker counts the looks of a computation at its context, and may end the context at one of them.
type looker struct {
	context.Context
	cancel context.CancelCauseFunc
	looks  atomic.Int64
	end    func(look int64) bool // whether the context ends at a look
	over   atomic.Bool
}

// newLooker returns a context that ends at the first look for which end returns true. end may be called on several
// goroutines at the same time.
func newLooker(end func(look int64) bool) *looker {
	ctx, cancel := context.WithCancelCause(context.Background())
	l := &looker{cancel: cancel, end: end}
	l.Context = halt.WithLook(ctx, l.look)
	return l
}

// endingAt returns a context that ends at the given look.
func endingAt(look int64) *looker { return newLooker(func(k int64) bool { return k == look }) }

// look is called where a computation looks whether the context has ended.
func (l *looker) look() bool {
	if l.end(l.looks.Add(1)) && l.over.CompareAndSwap(false, true) {
		l.cancel(errEnd)
	}
	return l.over.Load()
}

// Err counts too: some code asks the context itself.
func (l *looker) Err() error {
	if l.look() {
		return context.Canceled
	}
	return nil
}

// work is a computation that can take long, and returns what has come out. Its memory is its own, and serves for one run
// after the other.
type work func(ctx context.Context) (any, error)

// job makes works on a mechanism.
type job struct {
	name string
	make func(p problem, until float64) work // until: the end of a simulation, s
}

// problem is a plan, and the model that it is of.
type problem struct {
	*kkt.Plan
	model *model.Model
}

// jobs are what a context ends.
var jobs = []job{
	{"plan of a model", func(p problem, _ float64) work {
		return func(ctx context.Context) (any, error) {
			q, err := rung.NewPlanContext(ctx, p.model, kkt.Options{})
			if err != nil {
				return nil, err
			}
			return q.Symbolic().Order(), nil
		}
	}},
	{"plan", func(p problem, _ float64) work {
		return func(ctx context.Context) (any, error) {
			q, err := kkt.NewPlanContext(ctx, p.Mechanism(), kkt.Options{})
			if err != nil {
				return nil, err
			}
			return q.Symbolic().Order(), nil
		}
	}},
	{"solve", func(p problem, _ float64) work {
		s, st := p.NewSolver(), p.Initial()
		return func(ctx context.Context) (any, error) {
			if err := s.SolveContext(ctx, st); err != nil {
				return nil, err
			}
			a := make([]float64, 6*p.Mechanism().NumBodies())
			s.AccelerationsTo(a)
			return a, nil
		}
	}},
	{"report", func(p problem, _ float64) work {
		s, st := p.NewSolver(), p.Initial()
		return func(ctx context.Context) (any, error) {
			if err := s.SolveContext(ctx, st); err != nil {
				return nil, err
			}
			return s.ReportContext(ctx)
		}
	}},
	{"close", func(p problem, _ float64) work {
		c, off := closing.NewCloser(p.Plan, closing.Options{}), p.Initial()
		for i := range off.Bodies {
			off.Bodies[i].Position[0] += 1e-4 * float64(i%3)
		}
		return func(ctx context.Context) (any, error) {
			st := off.Clone()
			defer c.Watch(ctx)()
			if err := c.ClosePositions(st); err != nil {
				return nil, err
			}
			return st, c.ProjectVelocities(st)
		}
	}},
	{"equilibrium", func(p problem, _ float64) work {
		return func(ctx context.Context) (any, error) {
			st := p.Initial()
			out, err := linear.EquilibrateContext(ctx, p.Plan, st, linear.EquilibriumOptions{Steps: 3})
			if none := new(linear.UnbalancedError); errors.As(err, &none) {
				return none, nil
			}
			return []any{st, out}, err
		}
	}},
	{"modes", modes(linear.Sparse)},
	{"all modes", func(p problem, until float64) work {
		if p.Mechanism().NumBodies() > mostDense {
			return nil
		}
		return modes(linear.Dense)(p, until)
	}},
	{"nearby", func(p problem, _ float64) work {
		return func(ctx context.Context) (any, error) { return mobility.CompareContext(ctx, p.Plan, p.Initial()) }
	}},
	{"independent", func(p problem, _ float64) work {
		return func(ctx context.Context) (any, error) {
			x, err := mobility.IndependentContext(ctx, p.Plan, p.Initial(), nil)
			if err != nil {
				return nil, err
			}
			return []any{x.Freedoms, x.Condition, x.Basis}, nil
		}
	}},
	{"simulate", func(p problem, until float64) work {
		d := motion.NewDynamics(p.Plan)
		return simulation(p.Plan, until, sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{}), d)
	}},
	{"simulate and land", func(p problem, until float64) work {
		d := motion.NewDynamics(p.Plan)
		return simulation(p.Plan, until, sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{}), d,
			sim.Event{Name: "half", Land: true, Function: func(st *mechanism.State) float64 { return st.Time - until/2 }})
	}},
	{"simulate implicitly", func(p problem, until float64) work {
		n := motion.NewNewton(p.Plan)
		return simulation(p.Plan, until, sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{}), n)
	}},
	{"simulate by tree-direct", byTree(motion.TreeDirect)},
	{"simulate by tree-lambda", byTree(motion.TreeLambda)},
	{"simulate by tree-projection", byTree(motion.TreeProjection)},
}

// modes makes computations of the lowest modes by a method.
func modes(m linear.Method) func(p problem, _ float64) work {
	return func(p problem, _ float64) work {
		s, st := linear.NewSystem(p.Plan), p.Initial()
		return func(ctx context.Context) (any, error) {
			defer s.Watch(ctx)()
			if err := s.Linearize(st); err != nil {
				return nil, err
			}
			return s.Modes(linear.ModeOptions{Count: 5, Method: m})
		}
	}
}

// mostDense is the largest number of bodies for which dense methods are measured.
const mostDense = 400

// byTree makes simulations with a method on a spanning tree. They are nil where that would take too much memory.
func byTree(m motion.Method) func(p problem, until float64) work {
	return func(p problem, until float64) work {
		d, err := motion.New(p.Plan, m)
		if err != nil {
			return nil
		}
		return simulation(p.Plan, until, sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{}), d)
	}
}

// simulation returns a run to a time, which begins anew unless the last one has been ended.
func simulation(p *kkt.Plan, until float64, stepper sim.Stepper, projector sim.Projector, events ...sim.Event) work {
	fresh := func() *sim.Simulation {
		stepper.Restart()
		return sim.New(p.Mechanism(), stepper, p.Initial(), sim.Options{Projector: projector, Events: events})
	}
	run := fresh()
	return func(ctx context.Context) (any, error) {
		if err := run.RunContext(ctx, until); err != nil {
			return nil, err
		}
		out := []any{run.State().Clone(), run.Stats()}
		run = fresh()
		return out, nil
	}
}

// generated returns a plan of a problem of package bench.
func generated(t *testing.T, family string, n int) problem {
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return problem{kkt.NewPlan(mech, kkt.Options{}), m}
}

// TestEnds: what can take long ends with its context, with the cause, at whichever look that is. The memory then gives
// the bits that fresh memory gives, and a simulation continues with them.
func TestEnds(t *testing.T) {
	check.Long(t)
	moments, families := check.Random[int64](4, 0), map[string]int{"ladder": 8, "grid": 3, "scissor": 6, "revolute-net": 3}
	for family, n := range families {
		p := generated(t, family, n)
		for _, j := range jobs {
			const until = 0.02
			all := endingAt(0)
			want, err := j.make(p, until)(all)
			require.NoError(t, err, "%s, %s", family, j.name)
			used, ended := j.make(p, until), 0
			for look := int64(1); look <= all.looks.Load(); look += 1 + all.looks.Load()/moments {
				for _, do := range []work{j.make(p, until), used} {
					ctx := endingAt(look)
					first, err := do(ctx)
					if err == nil { // it was done before that look, or is whole all the same
						require.Equal(t, want, first, "%s, %s, look %d", family, j.name, look)
					} else {
						require.ErrorIs(t, err, errEnd, "%s, %s, look %d", family, j.name, look)
						ended++
					}
					got, err := do(context.Background())
					require.NoError(t, err, "%s, %s, look %d", family, j.name, look)
					require.Equal(t, want, got, "%s, %s, look %d", family, j.name, look)
				}
			}
			require.Positive(t, ended, "%s, %s", family, j.name)
		}
	}
}
