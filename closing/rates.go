package closing

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// RateTol and rateFar are the errors of a row at which a projection ends: RateTol relative
	// to the angular velocities, rateFar relative to all velocities. Angular velocities become
	// velocities, and the other way round, over the length of the longer body of the joint.
	// A smaller value costs time only.
	RateTol, rateFar = 1e-13, 1e-15
	// rateGood is an error relative to all velocities, and rateLost one relative to the errors
	// before. At these no other factorization is tried, as redundant rows contradict each other
	// by the rounding of the pose.
	rateGood, rateLost = 1e-12, 1e-14
	// rateLimit is the error that is accepted in the end, relative to both. Next to singular
	// poses it remains.
	rateLimit  = 1e-6
	rateSolves = 8 // with one factor
)

// ProjectVelocities replaces the velocities of st by the nearest ones, in the metric of
// the inertias of the bodies, that satisfy all joints and couplings: T·V̂ = σ, theory.md
// (42). Armature has no part in that metric. Poses stay; they should be closed.
//
// Right after a ClosePositions of the same poses whose last step was tiny, it takes the factor
// of that step. That leaves a relative error of that step's size in the direction of the
// correction, and none in the rows.
//
// Next to a singular pose the rows may be left with an error (Closing) of at most 1e-6 of the
// velocities.
//
// Cost: O(bodies + joints) if the joints are satisfied; else a factorization, or none, and a
// few solves; up to three factorizations more where rows are too close to dependent. No
// allocation but for errors. Errors and panics: as ClosePositions; prescribed motions
// that contradict each other are a *CloseError.
func (c *Closer) ProjectVelocities(st *mechanism.State) error {
	c.enter()
	defer c.guard.Leave()
	mustHaveState(st)
	return c.orCause(c.projectVelocities(st))
}

// projectVelocities is ProjectVelocities within the guard. If the factor of the last ClosePositions is of these poses, it is tried first.
func (c *Closer) projectVelocities(st *mechanism.State) error {
	chord := c.chord && c.fac.Current() && c.allOf(c.samePoses(st))
	c.start(st, true)
	if !chord { // else c.kin is of st
		if err := c.agree(c.mech.KinematicsTo(c.kin, st)); err != nil {
			return err
		}
	}
	fit, err := c.ratesAt(c.at, false)
	if err != nil {
		return err
	}
	c.closing, c.before = Closing{Before: fit.largest}, fit.relative
	if !(fit.excess <= 1) && chord {
		c.setErrors()
		if fit, err = c.correct(fit, false); err != nil {
			return err
		}
	}
	if !(fit.excess <= 1) && !(chord && c.good(fit)) {
		if fit, err = c.project(fit, false); err != nil {
			return err
		}
		if !c.accepts(fit) {
			return c.cannot(fit, true)
		}
	}
	c.closing.After = fit.largest
	return c.giveTo(st)
}

// measureRates compares the velocities of c.at and c.from.
func (c *Closer) measureRates() {
	sum := 0.0
	c.closing.Change = mechanism.NoChange()
	for i := range c.at.Bodies {
		from, to := &c.from.Bodies[i], &c.at.Bodies[i]
		w := to.Omega.Sub(from.Omega)
		v := to.Velocity.Sub(from.Velocity).Add(w.Cross(to.Rotation.Rotate(c.mech.Bodies[i].Com)))
		c.closing.Widen(i, v.Norm(), w.Norm())
		w = to.Rotation.Conj().Rotate(w)
		sum += c.mech.Bodies[i].Mass*v.Dot(v) + w.Dot(c.mech.Bodies[i].Inertia.MulVec(w))
	}
	c.closing.Distance = math.Sqrt(sum)
}

// AllowMotion replaces v, six numbers a body about its centre of mass, by the nearest velocities, in the metric of the
// inertias, that the joints allow at st, prescribed freedoms at rest.
//
// Cost: a factorization and a few solves, as for ProjectVelocities; no allocation but for errors. Errors and panics are
// those of ClosePositions; it panics on a length mismatch.
func (c *Closer) AllowMotion(v []float64, st *mechanism.State) error {
	c.enter()
	defer c.guard.Leave()
	mustHaveState(st)
	if len(v) != 6*c.mech.NumBodies() {
		panic("closing: length mismatch")
	}
	return c.orCause(c.allowMotion(v, st))
}

// allowMotion is AllowMotion within the guard. It takes the bodies to rest and gives them v in c.at, projects these velocities with the
// right sides of prescribed motions left out, and reads them back.
func (c *Closer) allowMotion(v []float64, st *mechanism.State) error {
	c.start(st, true)
	if err := c.agree(c.mech.KinematicsTo(c.kin, st)); err != nil {
		return err
	}
	c.at.Rest()
	c.change(v, 1)
	fit, err := c.ratesAt(c.at, true)
	if err != nil {
		return err
	}
	c.closing, c.before = Closing{Before: fit.largest}, fit.relative
	if _, err = c.project(fit, true); err != nil {
		return err
	}
	if err = c.halt.Err(); err != nil {
		return err
	}
	for i := range c.at.Bodies {
		c.at.Bodies[i].ComVelocityTo((*[6]float64)(v[6*i:]), &c.kin.Bodies[i].Com)
	}
	return nil
}

// project removes the errors in c.delta, which fit sums up, from the velocities of c.at, by
// corrections M⁻¹Jᵀλ, and returns what is left. still leaves out σ.
func (c *Closer) project(fit misfit, still bool) (misfit, error) {
	if err := c.linearize(c.at); err != nil {
		return fit, err
	}
	c.setErrors()
	solved := false
	var ended error
	err := kkt.Try(kkt.DropWeak, kkt.KeepAllFirmly, nil, func(w kkt.Way) (done bool, err error) {
		for {
			if err = c.fac.Factorize(w); err != nil {
				return c.halt.Err() != nil, err
			}
			solved = true
			if fit, ended = c.correct(fit, still); ended != nil || fit.excess <= 1 {
				return true, nil
			}
			if ended = c.halt.Err(); ended != nil {
				return true, nil
			}
			all := c.fac.NextWay() != w // else the same way with all rows follows
			if all && c.good(fit) {
				return true, nil
			}
			if c.setErrors(); all {
				return false, ErrCannotClose
			}
		}
	})
	if !solved {
		return fit, named(err)
	}
	return fit, ended
}

// accepts reports whether the errors that are left are a result.
func (c *Closer) accepts(fit misfit) bool {
	return fit.loose <= rateLimit/rateGood || fit.relative <= rateLimit*c.before
}

// good reports whether no other factorization would help.
func (c *Closer) good(fit misfit) bool {
	return fit.excess <= 1 || fit.loose <= 1 || fit.relative <= rateLost*c.before
}

// samePoses reports whether st has the poses and the time of c.at.
func (c *Closer) samePoses(st *mechanism.State) bool {
	if len(st.Bodies) != len(c.at.Bodies) || st.Time != c.at.Time {
		return false
	}
	for i := range st.Bodies {
		a, b := &st.Bodies[i], &c.at.Bodies[i]
		if a.Position != b.Position || a.Rotation != b.Rotation {
			return false
		}
	}
	return len(c.from.Angles) == 0 || slices.Equal(c.from.Angles, st.Angles)
}

// correct solves with the factor at hand as long as that makes the errors smaller.
func (c *Closer) correct(fit misfit, still bool) (misfit, error) {
	for k := 0; k < rateSolves && !(fit.excess <= 1); k++ {
		if k > 0 {
			c.setErrors()
		}
		c.solve()
		c.change(c.x, 1)
		c.closing.Steps++
		after, err := c.ratesAt(c.at, still)
		if err != nil {
			return fit, err
		}
		if !(after.relative < fit.relative) {
			c.change(c.x, -1)
			return c.ratesAt(c.at, still)
		}
		fit = after
	}
	return fit, nil
}

// change adds s times the velocities v, six numbers a body about its centre of
// mass, to those of c.at.
func (c *Closer) change(v []float64, s float64) {
	for i := range c.at.Bodies {
		c.at.Bodies[i].AddComVelocity(s, (*[6]float64)(v[6*i:]), &c.kin.Bodies[i].Com)
	}
}

// speeds returns the largest components of a velocity, m/s, and of an angular velocity, rad/s.
func speeds(st *mechanism.State) (v, w float64) {
	for i := range st.Bodies {
		b := &st.Bodies[i]
		v, w = max(v, algebra.MaxAbs(b.Velocity[:])), max(w, algebra.MaxAbs(b.Omega[:]))
	}
	return v, w
}

// ratesAt stores the velocity errors at st in c.delta, T·V̂ − σ or with still T·V̂, and sums
// them up. The sum of last resort is relative to rateGood. c.kin is of st.
//
// It returns joints.ErrNoDirection with the joint's name.
func (c *Closer) ratesAt(st *mechanism.State, still bool) (fit misfit, err error) {
	speed, turn := c.fastest(speeds(st))
	return c.pool(c.ratesHere(st, still, speed, turn))
}

// ratesHere is ratesAt for the rows of this rank, with the largest speeds of all.
func (c *Closer) ratesHere(st *mechanism.State, still bool, speed, turn float64) (fit misfit, err error) {
	fit.row = -1
	p := c.layout.Pattern
	var delta, e [6]float64
	for node := c.mech.NumBodies(); node < p.Len(); node++ {
		if c.halt.Every(node) {
			return fit, c.halt.Err()
		}
		j := c.layout.NodeConstraint(node)
		err := c.mech.ConstraintErrorsTo(&delta, &e, j, c.kin, st)
		if err == nil && still && j < c.mech.NumJoints() && c.mech.Joints[j].Motion != nil {
			err = c.addMotion(&e, j, st)
		}
		if err != nil {
			return fit, fault.Errorf("closing: %w", c.mech.AtConstraint(j, -1, err))
		}
		o, long := int(p.Off[node]), c.long[node-c.mech.NumBodies()]
		all := max(speed/long, turn)
		tol, loose := RateTol*turn+rateFar*all, rateGood*all
		if c.exact {
			tol = 0
		}
		size, merit := c.size(node), fit.merit
		for k := range int(p.Size[node]) {
			i := o + k
			c.delta[i] = e[k]
			fit.add(i, e[k]/size, c.unit[i]/size, c.weight[i]/(size*size), tol*c.unit[i]/size, loose*c.unit[i]/size)
		}
		if !c.counts(node) {
			fit.merit = merit
		}
	}
	return fit, nil
}

// addMotion adds σ of joint j to e.
func (c *Closer) addMotion(e *[6]float64, j int, st *mechanism.State) error {
	var jk mechanism.JointKinematics
	var rows joints.Rows
	c.mech.JointTo(&jk, j, c.kin, st)
	if err := c.mech.Joints[j].EvalTo(&rows, &jk.Frames, st.Time); err != nil {
		return err
	}
	for k := range rows.N {
		e[k] += rows.Sigma[k]
	}
	return nil
}
