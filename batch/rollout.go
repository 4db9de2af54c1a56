package batch

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Integrator is a method with fixed steps.
type Integrator uint8

// The integrators. Both put poses and velocities back on the joints after each step.
const (
	RungeKutta4  Integrator = iota // the classical method of order four, rotations by their logarithm
	SemiImplicit                   // velocities by the accelerations at the beginning, poses by the new velocities; order one: the energy of a long motion drifts
)

// ErrRollout is wrapped by the errors of Rollout.
var ErrRollout = errors.New("batch: rollout refused")

// ErrStep is wrapped by the errors of states that a step has lost.
var ErrStep = errors.New("batch: the step failed")

// Rollout says how states are moved on in time.
type Rollout struct {
	Integrator Integrator
	Step       float64 // s
	Steps      int

	// Control, if it is not nil, is called before each step for states first to first+n−1, which stand side by side.
	// It may read and set these states (States.To, States.SetForce and so on), and no others. Calls for different
	// states come from several goroutines at once with more than one thread. If it panics, Rollout panics with
	// the same value on the goroutine that called it. The states are then somewhere on their way, and the Batch can be
	// used again.
	Control func(step, first, n int)

	// Into takes the states after every Every steps, as many as there are; Every 0 stands for 1. They are of the
	// batch, with as many states.
	Into  []*States
	Every int

	// AsItIs takes states as they are. Otherwise one that violates the joints by more than mechanism.HoldTolerance is
	// not moved: its error is a *mechanism.ViolationError. Batch.CloseJoints closes states.
	AsItIs bool
}

// SteppedOneByOne says why Rollout steps each state alone, with kkt.Solver and closing.Closer; it is empty where it
// goes in lanes.
func (b *Batch) SteppedOneByOne() string {
	if b.why != "" {
		return b.why
	}
	return b.workers[0].c.SteppedAlone
}

// Rollout moves all states on by fixed steps, in place, and stores in out what became of each. After each step the
// poses are put back on the joints, and the velocities: in lanes bodies that hang on the ground by hinges are put on these
// one after the other, and one correction with the factor of the last stage closes the other joints.
//
// A state makes a step alone if its stages do not agree about which rows are redundant, if a pivot is so small that its row
// may be redundant on the joints, if a number is not finite, or if a body turns by more than a radian. It is put on its
// joints first, and then moved by the same method with kkt.Solver and closing.Closer. So do all states of mechanisms with
// composite or helical joints, couplings, and prescribed freedoms of universal joints (SteppedOneByOne): that is right, and
// no faster than one after the other. Forces without lanes
// (Scalar) and prescribed motions are evaluated for one state after the other at each stage.
//
// A state that violates its joints does not move, and out has the error (Rollout.AsItIs).
//
// The bits of a state do not depend on threads or on other states. Cost: O(states·steps·stages), no allocation but
// for states that go alone and for errors. It returns an error that wraps ErrRollout for a step that is not positive
// and finite, a negative number of steps, and for mechanisms with internal states (friction with bristles, tyres,
// ruts), which are for package sim. It panics if s, out or Into is not of b or of another number of states.
func (b *Batch) Rollout(s *States, o *Rollout, out *Outcome) error {
	switch {
	case s == nil || o == nil || out == nil || s.batch != b || len(out.steps) != s.n:
		panic("batch: foreign states or outcome")
	case !(o.Step > 0) || !algebra.Finite(o.Step):
		return fault.Errorf("%w: step %v s", ErrRollout, o.Step)
	case o.Steps < 0 || o.Every < 0:
		return fault.Errorf("%w: %d steps, every %d", ErrRollout, o.Steps, o.Every)
	case o.Integrator > SemiImplicit:
		return fault.Errorf("%w: integrator %d", ErrRollout, o.Integrator)
	case b.plan.Mechanism().NumInternal() > 0 || b.plan.Mechanism().WantsRuts():
		return fault.Errorf("%w: the mechanism has internal states", ErrRollout)
	}
	for _, x := range o.Into {
		if x == nil || x.batch != b || x.n != s.n {
			panic("batch: foreign states in Into")
		}
	}
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	clear(out.steps)
	clear(out.oneByOne)
	clear(out.singular)
	clear(out.errs)
	b.rolling = rolling{s, o, out}
	defer func() { b.rolling = rolling{} }() // Control may panic
	b.team.Run(groups(s.n), (*rollTasks)(b))
	return nil
}

// rolling is what Rollout has given the workers.
type rolling struct {
	states *States
	how    *Rollout
	out    *Outcome
}

// rollTasks is the job of Rollout.
type rollTasks Batch

// Do moves one group on.
func (t *rollTasks) Do(worker, task int) { t.workers[worker].roll(&t.rolling, task) }

// roll makes all steps of a group.
//
// A step in lanes leaves its result in the workspace. It is stored in the states when somebody reads them: a controller, a
// force without lanes, Rollout.Into, or the caller at the end. Between two stores the lanes are some steps ahead of the
// states. All lanes have made all of these steps.
func (w *worker) roll(r *rolling, g int) {
	first := g * lanes
	n := min(lanes, r.states.n-first)
	all := uint(1)<<n - 1
	live := w.holding(r, first, n)
	every := max(r.how.Every, 1)
	if w.c.Steps != nil {
		w.setStep(r.how.Step)
	}
	loaded, ahead, made := false, 0, int32(0) // steps that all lanes have made
	mayWait := r.how.Control == nil && !w.timed && r.states.nAngles == 0
	for step := range r.how.Steps {
		if r.how.Control != nil {
			r.how.Control(step, first, n)
		}
		k := step + 1
		into := k%every == 0 && k/every <= len(r.how.Into)
		alone := all
		if w.c.Steps != nil {
			if !loaded {
				w.load(r, g)
			}
			ok := w.stepLanes(r, g, n, true) & live
			switch {
			case ok == all && mayWait && !into && k < r.how.Steps:
				ahead++
			case ok != all && ahead > 0: // the states are to be those before this step
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
		}
		for l := 0; alone != 0 && l < n; l++ {
			i := first + l
			if r.out.errs[i] != nil {
				continue
			}
			if alone>>l&1 == 1 {
				r.out.oneByOne[i]++
				if r.out.errs[i] = w.stepAlone(r, i); r.out.errs[i] != nil {
					r.out.oneByOne[i]--
					continue
				}
			}
			r.out.steps[i]++
		}
		if into {
			r.how.Into[k/every-1].copyGroup(r.states, g, n)
		}
	}
	for i := range r.out.steps[first:][:n] {
		r.out.steps[first+i] += made
	}
}

// holding returns the lanes of the n states from first on that may start: they hold their joints. The others get errors.
// States are looked at once after they have been set.
func (w *worker) holding(r *rolling, first, n int) (live uint) {
	for l := range n {
		i := first + l
		if !r.how.AsItIs && !r.states.held[i] {
			if err := w.holds(r.states, i); !errors.Is(err, mechanism.ErrNotFinite) { // which fails its first step
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

// holds returns an error if state i violates the joints.
func (w *worker) holds(s *States, i int) error {
	s.to(w.st, i)
	if err := w.setInputs(s, i); err != nil {
		return err
	}
	m := w.in.Mechanism() // with the parameters of the state
	if err := m.KinematicsTo(w.kin, w.st); err != nil {
		return err
	}
	return m.HoldsIn(w.kin, w.st, w.unit)
}

// load copies a group of states into the lanes.
func (w *worker) load(r *rolling, g int) {
	size := w.b.length * lanes
	copy(w.w[int(w.c.Input)*lanes:], r.states.data[g*size:][:size])
}

// catchUp is for a group whose lanes are ahead of its states when a step fails in a lane. It makes the steps since the last
// store again, stores their result, and makes the failed step once more.
func (w *worker) catchUp(r *rolling, g, n, ahead int) {
	w.load(r, g)
	for range ahead {
		w.stepLanes(r, g, n, false)
	}
	w.store(r, g, n, 1<<n-1)
	w.stepLanes(r, g, n, false)
}

// setStep stores the step, and two numbers for each stage of RungeKutta4: how far the next stage is from the beginning of
// the step, and the weight of this stage. The last stage has no next one, and does not read the first.
func (w *worker) setStep(h float64) {
	set := func(at program.Place, x float64) {
		for l := range lanes {
			w.lane(at)[l] = x
		}
	}
	set(w.c.Record.At(places.Step), h)
	for k, x := range [8]float64{h / 2, h / 6, h / 2, h / 3, h, h / 3, h, h / 6} {
		set(w.c.Steps.Parts.At(k), x)
	}
}

// copyGroup copies a group of states of another.
func (s *States) copyGroup(from *States, g, n int) {
	size := s.batch.length * lanes
	copy(s.data[g*size:][:size], from.data[g*size:][:size])
	at := g * lanes
	copy(s.angles[at*s.nAngles:][:n*s.nAngles], from.angles[at*s.nAngles:])
	copy(s.known[at:at+n], from.known[at:])
	copy(s.held[at:at+n], from.held[at:])
	if s.wrench != nil {
		k := 6 * s.batch.plan.Mechanism().NumBodies()
		copy(s.wrench[at*k:][:n*k], from.wrench[at*k:])
	}
}

// stepLanes makes a step of a group in lanes. It returns the lanes that have passed the checks and have not failed before.
// With watch, Outcome.watch takes their nearness to singular poses.
func (w *worker) stepLanes(r *rolling, g, n int, watch bool) (ok uint) {
	s, t, h := r.states, w.c.Steps, r.how.Step
	ok = w.prepare(s, g*lanes, n)
	stages := 4
	if r.how.Integrator == SemiImplicit {
		stages = 1
	}
	w.finish(h)
	if w.timed && stages == 1 { // else the last stage sees the end
		ok &= w.atTime(n, h)
	}
	for k := range stages {
		if k > 0 && w.timed {
			ok &= w.stageInputs(s, g*lanes, n, [4]float64{0, h / 2, h / 2, h}[k])
		}
		if stages == 1 {
			tape.Run(w.w, w.c.Numbers(), t.Euler)
		} else {
			tape.Run(w.w, w.c.Numbers(), t.Stages[k])
		}
		if k == 0 && watch {
			w.watchLanes(r, g, n, ok)
		}
	}
	unit, turn := w.b.drift*w.b.drift, mostTurn*mostTurn/(h*h)
	record := w.c.Record
	errorP, speed := w.lane(record.At(places.Drift)), w.lane(record.At(places.Fastest))
	bad, holds := w.lane(record.At(places.NotFinite)), w.lane(w.c.Holds)
	for l, err := range r.out.errs[g*lanes:][:n] {
		if !(errorP[l] <= unit && speed[l] <= turn) || bad[l] != 0 || holds[l] != 1 || err != nil {
			ok &^= 1 << l
		}
	}
	time := w.time()
	for l := range time {
		time[l] += h
	}
	return ok & (1<<n - 1)
}

// atTime returns the lanes, of n, in which motions and values hold dt after the beginning of the step.
func (w *worker) atTime(n int, dt float64) (ok uint) {
	for l, t := range w.time()[:n] {
		if w.st.Time = t + dt; w.mech.CheckTime(w.st) == nil {
			ok |= 1 << l
		}
	}
	return ok
}

// watchLanes takes in how near the lanes of a group are to singular poses, at the first stage of a step.
func (w *worker) watchLanes(r *rolling, g, n int, ok uint) {
	over, weak := w.lane(w.c.Record.At(places.OverPivot)), w.lane(w.c.Record.At(places.WeakRows))
	time := w.time()
	errs := r.out.errs[g*lanes:][:n]
	for l, err := range errs {
		if ok>>l&1 == 1 && err == nil {
			r.out.watch(g*lanes+l, time[l], r.how.Step, over[l], int(weak[l]))
		}
	}
}

// stageInputs evaluates at a stage what has no lanes, with the poses and velocities in the workspace: motions, and
// forces on the bodies of n states from first on, dt after the beginning of the step. It returns the lanes for
// which that went well.
func (w *worker) stageInputs(s *States, first, n int, dt float64) (ok uint) {
	ok = 1<<n - 1
	time := w.time()
	for _, m := range w.c.Motions {
		at := w.lane(m.At)
		for l := range lanes {
			_, _, at[l] = w.mech.Joints[m.Joint].Motion[m.Freedom].At(time[l] + dt)
		}
	}
	for l := range n {
		s.to(w.st, first+l) // its angles
		w.st.Time = time[l] + dt
		if w.mech.CheckTime(w.st) != nil {
			ok &^= 1 << l
			continue
		}
		if w.c.RareForces {
			w.bodiesTo(w.st, l)
			if !w.rareState(s, first+l, l) {
				ok &^= 1 << l
			}
		}
	}
	return ok
}

// bodiesTo stores the bodies of a lane in st.
func (w *worker) bodiesTo(st *mechanism.State, l int) {
	for k := range st.Bodies {
		b, at := &st.Bodies[k], w.w[int(w.c.Bodies[k].State)*lanes:][:bodyPlaces*lanes]
		for j := range 3 {
			b.Position[j], b.Velocity[j], b.Omega[j] = at[(atPosition+j)*lanes+l], at[(atVelocity+j)*lanes+l], at[(atOmega+j)*lanes+l]
		}
		for j := range 4 {
			b.Rotation[j] = at[(atRotation+j)*lanes+l]
		}
	}
}

// finish evaluates prescribed motions at the end of a step of h.
func (w *worker) finish(h float64) {
	time := w.time()
	for _, m := range w.c.Motions {
		for l := range lanes {
			q, rate, _ := w.mech.Joints[m.Joint].Motion[m.Freedom].At(time[l] + h)
			sine, cosine := math.Sincos(q)
			for k, x := range [mechanics.EndPlaces]float64{q, rate, sine, cosine} {
				w.lane(m.End.At(k))[l] = x
			}
		}
	}
}

// followAngles counts the turns of the angles that states carry, in the lanes of a group that have made a step.
func (w *worker) followAngles(s *States, first int, ok uint) {
	m := w.in.Mechanism()
	for l := range lanes {
		if ok>>l&1 == 0 {
			continue
		}
		s.to(w.st, first+l)
		if w.setInputs(s, first+l) == nil && m.KinematicsTo(w.kin, w.st) == nil {
			m.FollowAngles(w.kin, w.st)
			if w.b.options.Angles { // a step in lanes is far below half a turn
				m.FollowTurns(w.st, w.st)
			}
			copy(s.angles[(first+l)*s.nAngles:][:s.nAngles], w.st.Angles)
		}
	}
}

// store copies times and bodies of some lanes to a group of n states, and follows their angles.
func (w *worker) store(r *rolling, g, n int, ok uint) {
	s, size := r.states, w.b.length*lanes
	group := s.data[g*size:][:size]
	end := mechanics.Bodies + bodyPlaces*len(w.c.Bodies)
	in := w.w[int(w.c.Input)*lanes:][:end*lanes]
	if ok == 1<<n-1 {
		copy(group, in)
	} else {
		for l := range lanes {
			if ok>>l&1 == 0 {
				continue
			}
			for k := range end {
				group[k*lanes+l] = in[k*lanes+l]
			}
		}
	}
	if s.nAngles > 0 {
		w.followAngles(s, g*lanes, ok)
	}
}

// driftPart is the largest violation that a step may leave to be taken back in lanes, relative to the unit of drifts
// of the mechanism.
const driftPart = 1e-2

// mostTurn is the largest angle by which a body turns in a step in lanes, rad. Up to it the series of sine and cosine are
// exact to 3e-10.
const mostTurn = 1.0

// stepAlone makes a step of state i.
func (w *worker) stepAlone(r *rolling, i int) error {
	if w.scalar == nil {
		w.scalar = newScalarStepper(w)
	}
	s := r.states
	s.to(w.st, i)
	if err := w.setInputs(s, i); err != nil {
		return err
	}
	time := w.st.Time
	if err := w.scalar.step(w.st, r.how.Step, r.how.Integrator); err != nil {
		return fault.Errorf("%w: %w", ErrStep, err)
	}
	r.out.watch(i, time, r.how.Step, 1/(w.scalar.near*w.scalar.near), w.scalar.rows)
	s.set(i, w.st)
	return nil
}

// half returns a/2, elementwise.
func half(v spatial.Vec3) spatial.Vec3 { return v.Scale(0.5) }
