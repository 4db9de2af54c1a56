package batch

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// Batch solves the forward dynamics of one mechanism at many states. It belongs to one goroutine at a time, and may
// use others.
type Batch struct {
	*setup
	guard   guard.Guard
	team    *team.Team
	watch   team.Watch
	workers []*worker

	solving // arguments of the call at hand, for the workers
	rolling
	backing
}

// solving has the arguments of Solve for the workers.
type solving struct {
	s       *States
	r       *Results
	passing Passing
}

// Watch makes Solve and Rollout end early when ctx does, until end is called. Rollout then returns the cause for which ctx has
// ended, and each state has made some whole steps, which Outcome.Steps counts. States that Solve has not reached have the
// cause as their error in Results.
//
// Cost: some allocations, and a load a group and step. It panics with a nil ctx.
func (b *Batch) Watch(ctx context.Context) (end func()) { return b.watch.Begin(ctx) }

// New returns a batch of the mechanism of a plan, with the values of its inputs at this moment.
//
// Cost: some 0.5 ms a body, as its instructions are put in order. Memory: for each thread some hundred numbers
// an entry of the factor. It returns an error that wraps ErrOptions in four cases: a freedom is out of range, prescribed, without a
// generalized force or given twice; a parameter of Vary cannot vary, or not together with Adjoint; the number of threads is out of range;
// the mechanism needs more than 2²² places in lanes.
func New(p *kkt.Plan, o Options) (*Batch, error) {
	if p == nil {
		panic("batch: no plan")
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	if o.Threads < 0 || o.Threads > kkt.MaxThreads {
		return nil, fault.Errorf("%w: %d threads", ErrOptions, o.Threads)
	}
	o.Forces = append([]mechanism.Freedom(nil), o.Forces...)
	if err := checkForces(p.Mechanism(), o.Forces); err != nil {
		return nil, err
	}
	at, err := newVariables(p.Mechanism(), o.Forces, &o.Vary)
	if err != nil {
		return nil, err
	}
	b := &Batch{setup: &setup{p, o, at, p.WhyOneByOne(), driftPart * p.Mechanism().DriftUnit()}}
	c := &mechanics.Compiled{} // stays empty without lanes
	if b.why == "" {
		if c = mechanics.Compile(p, &at.State, o.Wrenches); c == nil {
			return nil, fault.Errorf("%w: the mechanism takes more than %d places of a workspace", ErrOptions, mechanics.MaxPlaces)
		}
		c.Schedule()
	}
	b.team = team.New(o.Threads)
	for range b.team.Workers() {
		w, err := newWorker(b.setup, c)
		if err != nil {
			return nil, err
		}
		b.workers = append(b.workers, w)
	}
	if o.Adjoint != nil {
		if err := b.prepareBack(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// NewStates returns n states, all equal to the state of the model, with its gravity, forces and parameters and with zero wrenches.
//
// Cost: O(n·bodies). It panics if n is negative or too large for memory.
func (b *Batch) NewStates(n int) *States {
	b.mustCount(n)
	m, s := b.plan.Mechanism(), b.emptyStates(n)
	st := s.carrying(m.Initial())
	for i := range groups(n) * lanes {
		s.set(i, st)
		for k, g := range m.Gravity {
			*s.at(i, 1+k) = g
		}
		for k, f := range b.options.Forces {
			if d := m.Drive(f.Joint); d != nil {
				*s.at(i, b.forcePlace(k)) = d.Force[f.Freedom]
			}
		}
		s.setParameters(i)
	}
	return s
}

// emptyStates returns memory for n states, all numbers zero.
func (b *Batch) emptyStates(n int) *States {
	m := b.plan.Mechanism()
	s := &States{of: b.setup, n: n, data: make([]float64, groups(n)*b.at.Length*lanes), nAngles: b.numAngles(), nInternal: m.NumInternal()}
	s.angles, s.internal = make([]float64, n*s.nAngles), make([]float64, n*s.nInternal)
	if b.options.Wrenches {
		s.wrench = make([]float64, n*6*m.NumBodies())
	}
	s.known, s.held = make([]uint8, groups(n)*lanes), make([]bool, groups(n)*lanes)
	return s
}

// NewResults returns memory for the results of n states.
func (b *Batch) NewResults(n int) *Results {
	b.mustCount(n)
	return &Results{of: b.setup, n: n, a: make([]float64, groups(n)*6*b.plan.Mechanism().NumBodies()*lanes), redundant: make([]int32, n),
		errs: make([]error, n), single: make([]uint8, groups(n)), oneByOne: make([]int, 0, n), failed: make([]int, 0, n)}
}

// NewOutcome returns memory for n states.
func (b *Batch) NewOutcome(n int) *Outcome {
	b.mustCount(n)
	o := &Outcome{make([]int32, n), make([]int32, n), make([]int32, n), make([]error, n), make([]nearness, n)}
	for i := range o.was {
		o.was[i].time = math.NaN()
	}
	return o
}

// NewRecord returns memory for rollouts of n states over at most the given number of steps.
//
// Memory: 8·(4 + 13·bodies + Options.Forces) bytes a state and step, and 48 a body more with Options.Wrenches. It panics without
// Options.Adjoint, or if a number is negative.
func (b *Batch) NewRecord(n, steps int) *Record {
	if b.backs == nil {
		panic(noAdjoint)
	}
	if b.mustCount(n); steps < 0 {
		panic("batch: negative number of steps")
	}
	r := &Record{of: b.setup, steps: -1, alone: make([]int32, n), errs: make([]error, n)}
	for range steps + 1 {
		r.states = append(r.states, b.emptyStates(n))
	}
	return r
}

// Plan returns the plan of b.
func (b *Batch) Plan() *kkt.Plan { return b.plan }

// OneByOne says why all states are solved one by one (kkt.Plan.WhyOneByOne); it is empty if they are solved in lanes.
func (b *Batch) OneByOne() string { return b.why }

// SteppedOneByOne says why Rollout steps each state alone, with kkt.Solver and closing.Closer; it is empty if it
// steps them in lanes.
func (b *Batch) SteppedOneByOne() string {
	if b.why != "" {
		return b.why
	}
	return b.workers[0].c.SteppedAlone
}

// Scalar names the parts that are evaluated for one state after the other, while the rest is evaluated in lanes: joints, couplings, and
// "forces". Forces are all evaluated so if there is any stop, friction, actuator, bushing, cable, contact, force that the program has
// added, spring law, or spring of an angle of a universal or helical joint.
func (b *Batch) Scalar() []string { return append([]string(nil), b.workers[0].c.RareNames...) }

// Instructions names the set of instructions in use: AVX-512, AVX2 or Go. All three give the same bits in lanes.
func (b *Batch) Instructions() string { return tape.Set() }
