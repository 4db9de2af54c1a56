package ik

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// newSparse allocates the sparse method for p. Held freedoms become prescribed ones.
//
// Cost: near-linear in bodies, joints and targets; allocates all memory except for errors.
// It returns the cause for which ctx has ended.
func newSparse(ctx context.Context, p *Problem, o Options) (*sparseMethod, error) {
	own := *p
	given := p.targets
	own.targets = slices.Clone(given) // as aim changes them
	p = &own
	s := &sparseMethod{p: p, o: o, given: given, progress: progress{most: o.Steps}, machine: machine{mech: p.plan.Mechanism(), plan: p.plan}}
	if s.most == 0 {
		s.most = defaultSteps
	}
	if len(p.held) > 0 {
		held, err := s.mech.Prescribe(p.held)
		if err != nil {
			return nil, fault.Errorf("ik: %w", err)
		}
		for _, f := range p.held {
			motion := held.Joints[f.Joint].Motion[f.Freedom]
			motion.Coefficients = make([]float64, 1)
			s.held = append(s.held, motion)
		}
		s.mech = held
		if s.plan, err = kkt.NewPlanContext(ctx, held, kkt.Options{Threads: o.Threads}); err != nil {
			return nil, fault.Errorf("ik: %w", err)
		}
	}
	s.work = s.plan.NewWorkspace()
	s.closer = closing.NewCloserOn(s.work, closing.Options{})
	var err error
	if s.sys, err = newSparseSystem(ctx, p, o, s.mech, team.New(max(o.Threads, 1))); err != nil {
		return nil, err
	}
	s.sys.fac.Heed(s.work.Watched())
	s.mover = mechanism.NewMover(s.mech)
	if s.mover.Loops() {
		for j := range s.mech.NumConstraints() {
			if s.mech.ConstraintRows(j) > 0 {
				s.loops = append(s.loops, j)
			}
		}
	}
	for i := range s.sys.bounds {
		s.limited = s.limited || s.sys.bounds[i].limited
	}
	s.allocate()
	return s, nil
}

// engine returns nil: the rows of the targets are in the factor, and no engine is needed.
func (s *sparseMethod) engine() engine { return nil }

// heed makes factorizations and closing end when ctx does, until the returned function is called.
func (s *sparseMethod) heed(ctx context.Context) (end func()) { return s.work.Watch(ctx) }

// aim sets the wanted place of target i.
func (s *sparseMethod) aim(i int, w wanted) {
	s.p.targets[i].wanted = w
	s.p.targets[i].aim()
}

// allocate makes the memory of the steps: places to return to only where levels, limits or restarts need them.
func (s *sparseMethod) allocate() {
	m := s.mech
	s.st, s.try, s.before, s.spare = m.Initial(), m.Initial(), m.Initial(), m.Initial()
	s.chord, s.along = pages.Make[float64](len(s.sys.x)), pages.Make[float64](len(s.sys.d))
	s.contrary, s.ends = make([]bool, len(s.p.targets)), make([]Status, s.p.levels+1)
	s.kin = &mechanism.Kinematics{Bodies: pages.Make[mechanism.BodyKinematics](m.NumBodies())}
	s.q, s.qTried = make([]float64, len(s.p.driven)), make([]float64, len(s.p.driven))
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.Type == Coordinate && t.Turns {
			s.winding = append(s.winding, i)
		}
	}
	s.turned = make([]float64, len(s.winding))
	if len(s.p.targets) > 1 && s.sys.border == nil {
		s.undamped = newUndamped(m.NumBodies(), s.p.m)
	}
	s.low, s.high = s.p.lower, s.p.upper
	if s.levels() > 1 || s.limited && s.loops != nil {
		s.tight, s.tightQ = pages.Make[mechanism.BodyState](m.NumBodies()), make([]float64, len(s.p.driven))
		s.tightTurned = make([]float64, len(s.winding))
	}
	if s.o.Restarts > 0 {
		s.home, s.best = s.newPlace(), s.newPlace()
	}
	n := s.p.m + len(s.p.rest)
	s.e, s.tried, s.want = make([]float64, n), make([]float64, n), make([]float64, n)
	s.rng = rand.NewPCG(s.o.Seed, 1)
	s.dice = rand.New(s.rng)
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		switch {
		case r.target >= 0:
			s.first = append(s.first, s.p.targets[r.target].first)
		case r.rest >= 0:
			s.first = append(s.first, s.p.m+r.rest)
		default:
			s.first = append(s.first, -1)
		}
	}
}

// begin makes st the current pose, with the held freedoms prescribed at their coordinates there, the joints closed and the driven freedoms
// within their limits.
func (s *sparseMethod) begin(st *mechanism.State) error {
	err := s.load(st)
	if err == nil && s.home != nil {
		s.remember(s.home)
	}
	return err
}

// descend moves s.st to the least errors of the levels, one after the other. It stops after a level that is out of steps.
func (s *sparseMethod) descend() error {
	s.steps, s.sigma, s.openTried, s.openNow, s.blocked = 0, 0, 0, 0, nil
	for l := range s.ends {
		s.ends[l] = OutOfSteps
	}
	for l := range s.levels() {
		s.noteTight()
		s.ends[l] = s.lower(l, sparseKicks)
		if s.closeHardRows(l); s.ends[l] == OutOfSteps {
			break
		}
		s.hold(l)
	}
	return nil
}

// end stores the current pose in st, at rest, with the joints closed to rounding. Closing moves the driven freedoms too. If it takes some
// beyond a limit, they are brought back, with the joints closed to restoredTol; a level that was reached and is not any more gets the
// status AgainstLimit.
func (s *sparseMethod) end(st *mechanism.State) error {
	if s.blocked != nil && !allReached(s) {
		return s.blocked
	}
	if s.mover.Loops() {
		if err := s.closer.ClosePositions(s.st); err != nil {
			return err
		}
		s.evaluate()
		if s.openNow = 0; s.limited && !s.inside(s.q) {
			if err := s.enter(); err != nil {
				return err
			}
			for l := range s.p.levels {
				if s.ends[l] == Reached && !s.met(l) {
					s.ends[l] = AgainstLimit
				}
			}
		}
	}
	if err := s.work.Watched().Err(); err != nil {
		return err
	}
	for i := range s.st.Bodies {
		b := &s.st.Bodies[i]
		b.Velocity, b.Omega = [3]float64{}, [3]float64{}
	}
	copy(st.Bodies, s.st.Bodies)
	if s.hasAngles() {
		st.Angles = append(st.Angles[:0], s.st.Angles...)
	}
	s.mech.FollowAngles(s.kin, st)
	return nil
}

// newPlace allocates a place for remember.
func (s *sparseMethod) newPlace() *sparsePlace {
	return &sparsePlace{
		bodies: pages.Make[mechanism.BodyState](len(s.st.Bodies)), q: make([]float64, len(s.q)),
		status: make([]Status, len(s.ends)), contrary: make([]bool, len(s.contrary)), turned: make([]float64, len(s.turned)),
	}
}

// remember stores the current pose and the statuses of the levels in p.
func (s *sparseMethod) remember(p *sparsePlace) {
	copy(p.bodies, s.st.Bodies)
	p.angles = append(p.angles[:0], s.st.Angles...)
	copy(p.q, s.q)
	copy(p.turned, s.turned)
	copy(p.status, s.ends)
	copy(p.contrary, s.contrary)
	p.blocked = s.blocked
}

// returnTo goes back to a place, with no limit active.
func (s *sparseMethod) returnTo(p *sparsePlace) {
	copy(s.st.Bodies, p.bodies)
	s.setAngles(p.angles)
	copy(s.q, p.q)
	copy(s.turned, p.turned)
	copy(s.ends, p.status)
	copy(s.contrary, p.contrary)
	s.blocked = p.blocked
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	s.evaluate()
}

// remaining returns the merit of a level, zero where its targets are reached.
func (s *sparseMethod) remaining(l int) float64 {
	if l < s.p.levels && s.ends[l] == Reached {
		return 0
	}
	return s.meritOf(l, s.e)
}

// starts returns the largest number of starts after the first.
func (s *sparseMethod) starts(*Options) int {
	if s.home == nil {
		return 0
	}
	return s.o.Restarts
}

// startBeyondLimits returns false, as the method finds no other start without random numbers.
func (s *sparseMethod) startBeyondLimits() bool { return false }

func (s *sparseMethod) keep() {
	if s.best != nil {
		s.remember(s.best)
	}
}

// finish goes to the best pose if there may have been several. No further descent is needed.
func (s *sparseMethod) finish(again bool) bool {
	if again {
		s.returnTo(s.best)
	}
	return false
}

// collect is not called, as Options.All is refused with the sparse method.
func (s *sparseMethod) collect(list [][]float64) [][]float64 { return list }

const (
	// scatterTurn is the standard deviation of the random rotation of a body before it is projected on the joints, rad.
	scatterTurn = math.Pi / 2
	// scatterHalves is how many sizes of a random motion are tried until loops can be closed after it; each is half the one before.
	scatterHalves = 4
)

// scatter moves from the start of the call to a random pose. Freedoms with limits get random coordinates between them. All else moves by a
// random motion of all bodies, projected on the motions that the joints allow. It reports whether the joints can be closed there within
// the limits.
func (s *sparseMethod) scatter() bool {
	s.returnTo(s.home)
	if s.sys.linearize(s.st) != nil {
		return false
	}
	s.setRows(-1, 0)
	for k := range s.sys.rows {
		r := &s.sys.rows[k]
		if r.bound < 0 {
			continue
		}
		b := &s.sys.bounds[r.bound]
		if !b.limited {
			s.sys.set(r, absent, 0)
			continue
		}
		s.sys.set(r, hard, 0)
		i := b.driven
		s.sys.right(r)[0] = b.weight * (s.p.between(i, s.low[i], s.high[i], s.q[i], s.dice) - s.q[i])
	}
	for i := range s.st.Bodies {
		for k := range 3 {
			s.sys.B[6*i+k] = scatterTurn * s.sys.reach * s.dice.NormFloat64()
		}
	}
	if s.sys.factorize() != nil {
		return false
	}
	s.sys.solve(0)
	size := 1.0
	for range scatterHalves {
		if ok, err := s.move(size, -1); ok && err == nil {
			s.accept()
			return s.enter() == nil && s.inside(s.q)
		}
		size /= 2
	}
	return false
}
