package rung

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Nearby compares the constraints at a state with those at closed states next to
// it: a mechanism whose rank is less here than there has variable mobility (RBDA
// §8.10), and motions that exist at this pose only.
type Nearby struct {
	Rank   int // at the state
	Around int // largest rank at the states nearby; Rank if there are none
	States int // closed states nearby that were found
	// At is a state with the rank Around, at rest: one of those nearby if the rank
	// is larger there, otherwise the one compared.
	At *mechanism.State
	// Appearing are the scalar freedoms that move in the motions which the pose
	// adds to those nearby.
	Appearing []mechanism.Freedom
}

const (
	nearbyTries = 4    // motions, each followed both ways; the first is that of the state
	nearbyStep  = 1e-3 // largest relative rotation at a joint, rad, or travel, lengths of the bodies
	// appearingTol is the least rate of a freedom that moves in an appearing
	// motion, relative to the largest rate at a joint: some ten times the
	// difference that the step makes.
	appearingTol = 2e-2
	stillTol     = 1e-9  // rates at all joints, relative to the bodies' velocities, that are rounding
	closeSteps   = 30    // Newton steps
	closeHalves  = 8     // halvings of one
	closeTol     = 1e-12 // m or rad, and
	closeFar     = 1e-15 // of the largest coordinate, of rounding in positions
)

// Nearby moves the mechanism a little from st along its own motion and along
// random motions that the joints allow, closes the joints again by Newton's
// method, and compares the rank. Loads do not matter.
//
// Where more than two branches of motion meet, it may miss some of them; that of
// the state's own velocity is among those it follows.
//
// Cost: some fifty factorizations at most; allocates.
// It returns the errors of System.FillTo and *factor.PivotError.
func (p *Plan) Nearby(st *mechanism.State) (*Nearby, error) {
	rest := st.Clone()
	for i := range rest.Bodies {
		rest.Bodies[i].Velocity, rest.Bodies[i].Omega = spatial.Vec3{}, spatial.Vec3{}
	}
	c := &comparison{s: p.NewSolver(), rest: rest}
	c.random, c.v = make([]float64, 6*p.mech.NumBodies()), make([]float64, 6*p.mech.NumBodies())
	n := &Nearby{At: rest}
	var err error
	if n.Rank, err = c.rank(rest); err != nil {
		return nil, err
	}
	n.Around = n.Rank
	if n.Rank == len(c.v) {
		return n, nil // nothing moves
	}
	for try := range 2 * nearbyTries {
		c.choose(st, uint64(try/2))
		near, err := c.neighbour(1 - 2*float64(try%2))
		if err != nil {
			return nil, err
		}
		if near == nil {
			continue
		}
		n.States++
		r, err := c.rank(near)
		if err != nil {
			return nil, err
		}
		if r > n.Around {
			n.Around, n.At = r, near
		}
	}
	if n.At != rest {
		n.Appearing, err = c.appearing(n.At)
	}
	return n, err
}

// RedundantRows returns the number of redundant rows of each joint at st, as a
// Report does, without solving the dynamics.
//
// Cost: two factorizations and a solver. It returns errors as Nearby does.
func (p *Plan) RedundantRows(st *mechanism.State) ([]int, error) {
	r, err := (&comparison{s: p.NewSolver()}).report(st)
	if err != nil {
		return nil, err
	}
	return r.RedundantRows, nil
}

// comparison is the scratch of Nearby.
type comparison struct {
	s         *Solver
	rest      *mechanism.State
	length    []float64 // by body, of the last rank
	random, v []float64 // 6 a body
}

// report returns the part of a Report at st that is about rank.
func (c *comparison) report(st *mechanism.State) (*Report, error) {
	s := c.s
	if err := s.Assemble(st); err != nil {
		return nil, err
	}
	r := &Report{RedundantRows: make([]int, s.plan.mech.NumJoints()), WeakestJoint: -1}
	var err error
	c.length, err = s.rank(r)
	r.Rank = len(s.x) - 6*s.plan.mech.NumBodies() - r.Redundant
	return r, err
}

// rank returns the rank at st.
func (c *comparison) rank(st *mechanism.State) (int, error) {
	r, err := c.report(st)
	if err != nil {
		return 0, err
	}
	return r.Rank, nil
}

// project replaces v, six numbers a body, by the nearest velocities that the
// joints allow at st, in the metric of the inertias.
func (c *comparison) project(v []float64, st *mechanism.State) error {
	s := c.s
	if err := s.Assemble(st); err != nil {
		return err
	}
	clear(s.sys.B)
	s.sys.WeighTo(s.sys.B[:len(v)], v)
	if err := s.solveAny(); err != nil {
		return err
	}
	copy(v, s.x)
	return nil
}

// solveAny solves the assembled system with another right side. Rows that
// contradict each other are left to least squares.
func (s *Solver) solveAny() error {
	if err := s.Factorize(); err != nil {
		return err
	}
	// Where this fails the last way to factor has left its solution in x.
	if s.Refine() != nil {
		s.sys.AccelerationsTo(s.x, s.x)
	}
	s.ok = false
	return nil
}

// choose stores in c.v the velocities of st, or random ones, which it keeps in
// c.random, for a seed above 0.
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
		com := b.Rotation.Rotate(c.s.plan.mech.Bodies[i].Com)
		v := b.Velocity.Add(b.Omega.Cross(com))
		copy(c.v[6*i:], b.Omega[:])
		copy(c.v[6*i+3:], v[:])
	}
}

// neighbour returns a closed state next to c.rest along the velocities c.v, as far
// as the joints allow them, or nil if nothing moves or Newton's method does not
// close the joints.
func (c *comparison) neighbour(sign float64) (*mechanism.State, error) {
	if err := c.project(c.v, c.rest); err != nil {
		return nil, err
	}
	rate := c.jointRate(c.v)
	if rate <= stillTol*maxAbs(c.v) {
		return nil, nil
	}
	near := c.rest.Clone()
	c.advance(near, c.rest, c.v, sign*nearbyStep/rate)
	return c.close(near)
}

// jointRate returns the largest relative velocity at a joint, angular or linear
// over the length of the longer body, at the velocities v. c.s has been filled at
// c.rest.
func (c *comparison) jointRate(v []float64) (rate float64) {
	st := c.moving(v)
	mech, kin := c.s.plan.mech, c.s.sys.Kin
	var jk mechanism.JointKinematics
	var rel spatial.Motion
	for j := range mech.Joints {
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

// moving returns c.rest with the velocities v of the centres of mass.
func (c *comparison) moving(v []float64) *mechanism.State {
	st := c.rest.Clone()
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Omega = spatial.Vec3(v[6*i : 6*i+3])
		b.Velocity = spatial.Vec3(v[6*i+3 : 6*i+6]).Sub(b.Omega.Cross(c.s.sys.Kin.Bodies[i].Com))
	}
	return st
}

// advance stores in dst the poses of st after the velocities v for a time h:
// centres of mass along lines, rotations about fixed axes.
func (c *comparison) advance(dst, st *mechanism.State, v []float64, h float64) {
	mech := c.s.plan.mech
	for i := range st.Bodies {
		from, to := &st.Bodies[i], &dst.Bodies[i]
		com := from.Rotation.Rotate(mech.Bodies[i].Com)
		to.Rotation = from.Rotation.Integrate(spatial.Vec3(v[6*i:6*i+3]), h).Normalize()
		step := spatial.Vec3(v[6*i+3 : 6*i+6]).Scale(h)
		to.Position = from.Position.Add(step.Add(com).Sub(to.Rotation.Rotate(mech.Bodies[i].Com)))
	}
}

// close moves st until the joints hold, by Newton's method with the least
// displacement in the metric of the inertias, and returns it; nil if that does
// not succeed.
func (c *comparison) close(st *mechanism.State) (*mechanism.State, error) {
	s := c.s
	if err := s.Assemble(st); err != nil {
		return nil, err
	}
	size := c.errorsTo(s.sys.B, st)
	tol := closeTol + closeFar*reach(st)
	try := st.Clone()
	for range closeSteps {
		if size <= tol {
			return st, nil
		}
		if err := s.solveAny(); err != nil {
			return nil, err
		}
		copy(c.v, s.x)
		after := math.Inf(1)
		for h, k := 1.0, 0; k < closeHalves && !(after < size); h, k = h/2, k+1 {
			c.advance(try, st, c.v, h)
			if err := s.Assemble(try); err != nil {
				return nil, err
			}
			after = c.errorsTo(s.sys.B, try)
		}
		if !(after < size) {
			return nil, nil
		}
		st, try, size = try, st, after
	}
	return nil, nil
}

// errorsTo stores in b the right side of a Newton step at st, minus the position
// errors of the rows, and returns the largest. c.s has been filled at st.
func (c *comparison) errorsTo(b []float64, st *mechanism.State) (size float64) {
	mech, layout := c.s.plan.mech, c.s.plan.layout
	clear(b)
	var jk mechanism.JointKinematics
	var delta [6]float64
	for j := range mech.Joints {
		node := layout.JointNode(j)
		if node < 0 {
			continue
		}
		mech.JointTo(&jk, j, c.s.sys.Kin, st)
		mech.Joints[j].PositionErrorTo(&delta, &jk.Frames, st.Time)
		rows := b[layout.Pattern.Off[node]:layout.Pattern.Off[node+1]]
		for k := range rows {
			rows[k] = -delta[k]
			size = max(size, math.Abs(delta[k]))
		}
	}
	return size
}

// reach returns the largest coordinate of a body.
func reach(st *mechanism.State) (r float64) {
	for i := range st.Bodies {
		r = max(r, maxAbs(st.Bodies[i].Position[:]))
	}
	return r
}

// appearing returns the freedoms that move in what a random motion of c.rest has
// beyond the motions of near.
func (c *comparison) appearing(near *mechanism.State) ([]mechanism.Freedom, error) {
	here := append([]float64(nil), c.random...)
	if err := c.project(here, c.rest); err != nil {
		return nil, err
	}
	there := append([]float64(nil), here...)
	if err := c.project(there, near); err != nil {
		return nil, err
	}
	for i := range here {
		here[i] -= there[i]
	}
	if err := c.project(here, c.rest); err != nil {
		return nil, err
	}
	return c.s.plan.mech.Moving(c.s.sys.Kin, c.moving(here), appearingTol*c.jointRate(here)), nil
}
