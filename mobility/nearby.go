package mobility

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// Nearby compares the constraints at a state with the constraints at closed states next to it. If the
// rank is less at the state, the mechanism has variable mobility (RBDA §8.10), and motions
// that exist at this pose only.
type Nearby struct {
	Rank   int // rank of the constraints at the state
	Around int // largest rank at the states nearby, at least Rank
	States int // number of closed states nearby that were found
	// At is a state with the rank Around, at rest: a state nearby if the rank
	// is larger there, otherwise the state that was compared.
	At *mechanism.State
	// Appearing are the scalar freedoms that move in the motions that exist at this pose only.
	Appearing []mechanism.Freedom
}

const (
	nearbyTries = 4    // number of motions, each followed both ways; the first is the motion of the state
	nearbyStep  = 1e-3 // largest relative rotation at a joint, rad, or translation over the length of the bodies
	// appearingTol is the least rate of a freedom that counts as moving in an appearing
	// motion, relative to the largest rate at a joint: some ten times the
	// change of rates by the step.
	appearingTol = 2e-2
	stillTol     = 1e-9 // rates at all joints, relative to the bodies' velocities, up to which they count as rounding
)

// Compare moves the mechanism a little from st, along its velocities and along random motions
// that the joints allow. It closes the joints again (closing.Closer), and compares the rank of the constraints.
// Loads do not matter.
//
// Where more than two branches of motion meet, it may miss some of them. It always follows the branch
// of the velocities of st.
//
// Cost: at most some fifty factorizations; allocates. It returns the errors of
// assemble.Weighted.FillTo and *factor.PivotError. It panics without a state.
func Compare(p *kkt.Plan, st *mechanism.State) (*Nearby, error) {
	return CompareContext(context.Background(), p, st)
}

// CompareContext is Compare that ends early when ctx does. It then returns the cause of ctx (context.Cause).
func CompareContext(ctx context.Context, p *kkt.Plan, st *mechanism.State) (*Nearby, error) {
	if ctx == nil {
		panic("rung: nil context")
	}
	if st == nil {
		panic("mobility: no state")
	}
	rest := st.Clone()
	rest.Rest()
	if ctx.Err() != nil {
		return nil, fault.Errorf("mobility: %w", context.Cause(ctx))
	}
	s, mech := p.NewSolver(), p.Mechanism()
	defer s.Watch(ctx)()
	if ctx.Err() != nil {
		return nil, fault.Errorf("mobility: %w", context.Cause(ctx))
	}
	closer, err := closing.NewCloserContext(ctx, s.Workspace(), closing.Options{Tolerance: closing.RunTolerance})
	if err != nil {
		return nil, fault.Errorf("mobility: %w", err)
	}
	c := &comparison{
		watch: s.Workspace().Watched(),
		s:     s, closer: closer, mech: mech, rest: rest, kin: mech.NewKinematics(),
		random: make([]float64, 6*mech.NumBodies()), v: make([]float64, 6*mech.NumBodies()), length: make([]float64, mech.NumBodies()),
	}
	p.Layout().LengthsTo(c.length)
	n := &Nearby{At: rest}
	if err := c.watch.Err(); err != nil {
		return nil, fault.Errorf("mobility: %w", err)
	}
	if err := mech.KinematicsTo(c.kin, rest); err != nil {
		return nil, err
	}
	if n.Rank, err = c.rank(rest); err != nil {
		return nil, err
	}
	n.Around = n.Rank
	if n.Rank == len(c.v) {
		return n, nil // nothing moves
	}
	if err := c.around(st, n); err != nil {
		return nil, err
	}
	if cause := s.Workspace().Watched().Err(); cause != nil {
		return nil, fault.Errorf("mobility: %w", cause)
	}
	return n, err
}

// around computes the rank at closed poses next to c.rest, on both sides along motions that the joints allow, and stores in n the number of
// poses, the largest rank, the pose with it, and the appearing freedoms if that rank is above the rank at c.rest.
func (c *comparison) around(st *mechanism.State, n *Nearby) (err error) {
	for try := range 2 * nearbyTries {
		c.choose(st, uint64(try/2))
		near, err := c.neighbour(1 - 2*float64(try%2))
		if err != nil {
			return err
		}
		if near == nil {
			continue
		}
		n.States++
		r, err := c.rank(near)
		if err != nil {
			return err
		}
		if r > n.Around {
			n.Around, n.At = r, near
		}
	}
	if n.At != c.rest {
		n.Appearing, err = c.appearing(n.At)
	}
	return err
}

// comparison is the scratch of CompareContext.
type comparison struct {
	watch     *team.Watch
	s         *kkt.Solver
	closer    *closing.Closer // shares the memory of the factorization with s
	mech      *mechanism.Mechanism
	rest      *mechanism.State      // the state that is compared, at rest
	kin       *mechanism.Kinematics // of rest
	length    []float64             // by body, m (assemble.Layout.LengthsTo)
	random, v []float64             // last random velocities, and present velocities, six numbers a body
}

// rank returns the rank of the constraints at st.
func (c *comparison) rank(st *mechanism.State) (int, error) {
	r, err := c.s.RankAt(st)
	return r.Rank, err
}

// choose stores in c.v the velocities of st for the seed 0, and for other seeds random velocities, which it also stores in
// c.random.
func (c *comparison) choose(st *mechanism.State, seed uint64) {
	if seed > 0 {
		rng := rand.New(rand.NewPCG(seed, uint64(len(c.v))))
		for i := range c.random {
			c.random[i] = rng.Float64() - 0.5
		}
		copy(c.v, c.random)
		return
	}
	for i := range st.Bodies {
		b := &st.Bodies[i]
		arm := b.Rotation.Rotate(c.mech.Bodies[i].Com)
		b.ComVelocityTo((*[6]float64)(c.v[6*i:]), &arm)
	}
}

// neighbour returns a closed state next to c.rest along the velocities c.v, projected on those that
// the joints allow, or against them if sign is −1. It returns nil and no error if nothing moves or the joints cannot be closed.
func (c *comparison) neighbour(sign float64) (*mechanism.State, error) {
	largest := algebra.MaxAbs(c.v)
	if err := c.closer.AllowMotion(c.v, c.rest); err != nil {
		return nil, err
	}
	rate := c.jointRate(c.v)
	if rate <= stillTol*largest {
		return nil, nil
	}
	if err := c.watch.Err(); err != nil {
		return nil, err
	}
	near := c.rest.Clone()
	c.mech.DisplaceTo(near, c.rest, sign*nearbyStep/rate, c.v)
	err := c.closer.ClosePositions(near)
	if errors.Is(err, closing.ErrCannotClose) {
		return nil, nil
	}
	return near, err
}

// jointRate returns the largest component of a relative velocity at a joint, 1/s, for the velocities v of the bodies: angular, or linear
// over the length of the longer body.
func (c *comparison) jointRate(v []float64) (rate float64) {
	st := c.moving(v)
	mech, kin := c.mech, c.kin
	var jk mechanism.JointKinematics
	var rel spatial.Motion
	for j := range mech.Joints {
		if c.watch.Every(j) {
			break
		}
		jt := &mech.Joints[j]
		if jt.Rows == 0 {
			continue
		}
		mech.JointTo(&jk, j, kin, st)
		jk.RelativeVelocityTo(&rel)
		l := 0.0
		for _, b := range [2]int32{jt.Pred, jt.Succ} {
			if b != mechanism.World {
				l = max(l, c.length[b])
			}
		}
		for k, x := range rel {
			if k >= 3 {
				if l == 0 {
					continue
				}
				x /= l
			}
			rate = max(rate, math.Abs(x))
		}
	}
	return rate
}

// moving returns c.rest with the velocities v, six numbers a body: angular velocity and velocity of the centre of mass.
func (c *comparison) moving(v []float64) *mechanism.State {
	st := c.rest.Clone()
	for i := range st.Bodies {
		st.Bodies[i].SetComVelocity((*[6]float64)(v[6*i:]), &c.kin.Bodies[i].Com)
	}
	return st
}

// appearing returns the scalar freedoms that move at c.rest in a motion that is not possible at near: a random allowed motion
// minus its projection on the motions at near.
func (c *comparison) appearing(near *mechanism.State) ([]mechanism.Freedom, error) {
	here := append([]float64(nil), c.random...)
	if err := c.closer.AllowMotion(here, c.rest); err != nil {
		return nil, err
	}
	there := append([]float64(nil), here...)
	if err := c.closer.AllowMotion(there, near); err != nil {
		return nil, err
	}
	for i := range here {
		here[i] -= there[i]
	}
	if err := c.closer.AllowMotion(here, c.rest); err != nil {
		return nil, err
	}
	return c.mech.Moving(c.kin, c.moving(here), appearingTol*c.jointRate(here)), nil
}
