package batch

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// ErrOptions is wrapped by the errors of New.
var ErrOptions = errors.New("batch: option refused")

// Options choose what states carry, and how many goroutines work. The zero value is the default.
type Options struct {
	// Threads is the number of goroutines of Solve; 0 stands for 1. Results have the same bits for any number.
	Threads int
	// Wrenches says that states carry a wrench on each body (States.SetWrench).
	Wrenches bool
	// Forces are freedoms whose generalized forces states carry (States.SetForce), in place of those of the model.
	Forces []mechanism.Freedom
	// Angles says that states carry all angles, those without springs too (mechanism.Mechanism.CarryAngles), and that
	// Rollout counts their turns at each step, which takes as long as a short step does.
	Angles bool
	// Vary says what of the model differs from state to state.
	Vary Vary
}

// maxPlaces bounds the workspace of a batch: places of eight numbers. Larger mechanisms are for kkt.Solver, whose
// lanes run over bodies.
const maxPlaces = 1 << 22

// Batch solves the forward dynamics of one mechanism at many states. It belongs to one goroutine at a time, and may
// use others.
type Batch struct {
	guard   guard.Guard
	plan    *kkt.Plan
	options Options
	length  int // places of a state
	at      *variables
	lanes   bool
	why     string
	team    *team.Team
	workers []*worker

	drift float64 // largest violation that lanes take back, m or rad

	solving // what the workers are at
	rolling
}

// New returns a batch of the mechanism of a plan, with the values of its inputs at this moment.
//
// Cost: about that of the analysis of the plan, and a solve at its initial state. Memory: for each thread some hundred numbers an entry of the factor. It
// returns an error that wraps ErrOptions for a freedom that is out of range, prescribed, without a generalized force or
// given twice, for a parameter of Vary that cannot vary, for a number of threads out of range, and for a mechanism that
// needs more than 2²² places in lanes.
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
	b := &Batch{plan: p, options: o, why: p.WhyOneByOne(), drift: driftPart * p.Mechanism().DriftUnit()}
	at, err := newVariables(p.Mechanism(), o.Forces, &o.Vary)
	if err != nil {
		return nil, err
	}
	b.at, b.length, b.lanes = at, at.Length, b.why == ""
	c := &mechanics.Compiled{} // nothing, without lanes
	if b.lanes {
		c = mechanics.Compile(p, &at.State, o.Wrenches)
		if n := c.Places(); n > maxPlaces {
			return nil, fault.Errorf("%w: the mechanism takes %d places of a workspace, %d are allowed", ErrOptions, n, maxPlaces)
		}
		c.Schedule()
	}
	b.team = team.New(o.Threads)
	for range b.team.Workers() {
		w, err := newWorker(b, c)
		if err != nil {
			return nil, err
		}
		b.workers = append(b.workers, w)
	}
	return b, nil
}

// checkForces checks Options.Forces.
func checkForces(m *mechanism.Mechanism, list []mechanism.Freedom) error {
	seen := map[mechanism.Freedom]bool{}
	for _, f := range list {
		if f.Joint < 0 || f.Joint >= m.NumJoints() {
			return fault.Errorf("%w: joint %d is out of range", ErrOptions, f.Joint)
		}
		jt := &m.Joints[f.Joint]
		var err error
		switch {
		case f.Freedom < 0 || f.Freedom >= jt.Kind.Freedoms():
			err = fmt.Errorf("%w: freedom %d is out of range, the joint has %d with a generalized force", ErrOptions, f.Freedom, jt.Kind.Freedoms())
		case jt.Prescribed(f.Freedom):
			err = fmt.Errorf("%w: freedom %d is prescribed", ErrOptions, f.Freedom)
		case seen[f]:
			err = fmt.Errorf("%w: freedom %d is given twice", ErrOptions, f.Freedom)
		}
		if err != nil {
			return fault.Errorf("batch: %w", m.AtJoint(f.Joint, -1, err))
		}
		seen[f] = true
	}
	return nil
}

// forcePlace returns the place in a state of force k of Options.Forces.
func (b *Batch) forcePlace(k int) int { return b.at.first - len(b.options.Forces) + k }

// Plan returns the plan of b.
func (b *Batch) Plan() *kkt.Plan { return b.plan }

// OneByOne says why all states are solved one by one (kkt.Plan.WhyOneByOne); it is empty where they are solved in lanes.
func (b *Batch) OneByOne() string { return b.why }

// Scalar lists what has no lanes and is evaluated for one state after the other, while the rest is done in lanes:
// joints, couplings, and the forces as a whole. What acts on the bodies goes so if there is any stop, friction,
// actuator, bushing, cable, contact, force of one's own, spring law, or spring of an angle.
func (b *Batch) Scalar() []string { return append([]string(nil), b.workers[0].c.RareNames...) }

// Instructions names the set of instructions in use: AVX-512, AVX2 or Go. All three give the same bits in lanes.
func (b *Batch) Instructions() string { return tape.Set() }
