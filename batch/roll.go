package batch

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// Rollout moves all states on by fixed steps, in place, and stores in out the steps made and the errors. After each step
// poses and velocities are closed. In lanes, bodies that hang on the ground by hinges alone are moved onto these
// one after the other, and one correction with the factor of the last stage closes the other joints.
//
// A state makes a step alone if the number of redundant rows differs between stages, if a pivot is so small that its row
// may be redundant on the joints, if a number is not finite, or if a body turns by more than a radian. Its joints are closed
// first, and then it is moved by the same method with kkt.Solver and closing.Closer. All states are stepped so if the mechanism has
// composite, helical, rolling, no_slip, point_on_curve or curve_on_curve joints, couplings, or prescribed freedoms of universal joints
// (SteppedOneByOne); this is no faster than one state after the other. Forces without lanes (Scalar) and prescribed motions
// are evaluated for one state after the other at each stage.
//
// A state that violates its joints does not move, and has the error in out, unless Rollout.AsItIs is set.
//
// The bits of a state do not depend on threads or on other states. Cost: O(states·steps·stages); it allocates only
// for steps made alone and for errors. It returns an error that wraps ErrRollout for a step that is not positive
// and finite, for a number of steps that is negative or above 2³¹−1, for a record where there is no way back in lanes (BackTo), and for
// mechanisms with internal states (friction with bristles, tyres, ruts), which are for package sim. It returns the cause for which a
// context has ended (Watch). It panics if s or out is not of b, or if their numbers of states differ.
func (b *Batch) Rollout(s *States, o *Rollout, out *Outcome) error {
	switch {
	case s == nil || o == nil || out == nil || s.of != b.setup || len(out.steps) != s.n:
		panic("batch: foreign states or outcome")
	case !(o.Step > 0) || !algebra.Finite(o.Step):
		return fault.Errorf("%w: step %v s", ErrRollout, o.Step)
	case o.Steps < 0 || o.Steps > math.MaxInt32 || o.Every < 0: // Outcome counts them in 32 bits
		return fault.Errorf("%w: %d steps, every %d", ErrRollout, o.Steps, o.Every)
	case o.Integrator > SemiImplicit:
		return fault.Errorf("%w: integrator %d", ErrRollout, o.Integrator)
	case b.plan.Mechanism().NumInternal() > 0 || b.plan.Mechanism().WantsRuts():
		return fault.Errorf("%w: the mechanism has internal states", ErrRollout)
	}
	if o.Record != nil {
		if err := b.mayGoBack(s, o); err != nil {
			return err
		}
		o.Record.begin(o.Integrator, o.Step)
	}
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	out.clear()
	b.rolling = rolling{s, o, out}
	defer func() { b.rolling = rolling{} }() // Control and Seen may panic
	b.team.Run(groups(s.n), (*rollTasks)(b))
	if err := b.watch.Err(); err != nil || o.Record == nil {
		return err
	}
	o.Record.end(o.Steps, out.errs)
	return nil
}

// rollTasks is the job of Rollout.
type rollTasks Batch

// Do moves one group on.
func (t *rollTasks) Do(worker, task int) {
	first, n, p := task*lanes, min(lanes, t.rolling.states.n-task*lanes), &t.rolling.how.Passing
	if p.Set != nil {
		p.Set(first, n)
	}
	t.workers[worker].roll(&t.rolling, task, &t.watch)
	if p.Take != nil {
		p.Take(first, n)
	}
}

// roll makes all steps of group g.
//
// A step in lanes leaves its result in the workspace. It is stored in the states only when they are read: by a controller, a
// force without lanes, Rollout.Seen, or the caller at the end. Between two stores the lanes are some steps ahead of the
// states, all lanes by the same steps. A context that ends stops a group between two steps.
func (w *worker) roll(r *rolling, g int, watch *team.Watch) {
	first := g * lanes
	n := min(lanes, r.states.n-first)
	all := uint(1)<<n - 1
	live := w.holding(r, first, n)
	every := max(r.how.Every, 1)
	if w.c.Steps != nil {
		w.setStep(r.how.Step, w.c.Steps.Parts)
	}
	loaded := false            // the states are in the lanes
	ahead, made := 0, int32(0) // steps by which the lanes are ahead of the states; steps that all lanes have made
	mayWait := r.how.Control == nil && r.how.Record == nil && !w.timed && r.states.nAngles == 0
	for step := range r.how.Steps {
		if watch.Up() {
			if ahead > 0 {
				w.store(r, g, n, all)
			}
			break
		}
		if r.how.Control != nil {
			r.how.Control(step, first, n)
		}
		r.how.Record.take(r.states, step, g)
		k := step + 1
		seen := r.how.Seen != nil && k%every == 0
		alone := all
		if w.c.Steps != nil {
			if !loaded {
				w.load(r, g)
			}
			ok := w.stepLanes(r, g, n, true) & live
			switch {
			case ok == all && mayWait && !seen && k < r.how.Steps:
				ahead++
			case ok != all && ahead > 0: // a failed lane steps alone, from the state before this step
				w.catchUp(r, g, n, ahead)
				fallthrough
			default:
				w.store(r, g, n, ok)
				ahead = 0
			}
			alone &^= ok
			loaded = alone == 0 && r.how.Control == nil
			mayWait = mayWait && alone == 0
		}
		if alone == 0 {
			made++
		} else {
			w.stepRest(r, step, first, n, alone)
		}
		if seen {
			r.how.Seen(k/every-1, first, n)
		}
	}
	r.how.Record.take(r.states, r.how.Steps, g)
	for i := range r.out.steps[first:][:n] {
		r.out.steps[first+i] += made
	}
}

// stepRest makes a step of each lane whose bit is set in alone by itself. Of the n states from first on, it counts a step for each that has
// no error.
func (w *worker) stepRest(r *rolling, step, first, n int, alone uint) {
	for l := range n {
		i := first + l
		if r.out.errs[i] != nil {
			continue
		}
		if alone>>l&1 == 1 {
			r.out.oneByOne[i]++
			r.how.Record.loneStep(i, step)
			if r.out.errs[i] = w.stepAlone(r, i); r.out.errs[i] != nil {
				r.out.oneByOne[i]--
				continue
			}
		}
		r.out.steps[i]++
	}
}

// holding returns a bit for each of the n states from first on that may start, as it satisfies its joints. The others get errors.
// A state is checked once after it has been set.
func (w *worker) holding(r *rolling, first, n int) (live uint) {
	for l := range n {
		i := first + l
		if !r.how.AsItIs && !r.states.held[i] {
			if err := w.holds(r.states, i); !errors.Is(err, mechanism.ErrNotFinite) { // a state that is not finite fails at its first step
				r.out.errs[i] = err
			}
			r.states.held[i] = r.out.errs[i] == nil
		}
		if r.out.errs[i] == nil {
			live |= 1 << l
		}
	}
	return live
}

// stepAlone makes a step of state i with the solver, or returns its error and leaves the state as it is.
func (w *worker) stepAlone(r *rolling, i int) error {
	s := r.states
	s.to(w.st, i)
	if err := w.setInputs(s, i); err != nil {
		return err
	}
	time, alone := w.st.Time, w.alone()
	if err := alone.step(w.st, r.how.Step, r.how.Integrator); err != nil {
		return fault.Errorf("%w: %w", ErrStep, err)
	}
	r.out.watch(i, time, r.how.Step, 1/(alone.near*alone.near), alone.rows)
	s.set(i, w.st)
	return nil
}
