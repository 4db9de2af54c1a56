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
	// to the largest angular velocity, plus rateFar relative to the largest velocity of any kind. Velocities are converted to
	// angular velocities, and back, with the length of the longer body of the joint.
	// A smaller value costs time only.
	RateTol, rateFar = 1e-13, 1e-15
	// rateGood is an error relative to the largest velocity, and rateLost one relative to the largest error
	// before the projection, at which no other factorization is tried: redundant rows contradict each other
	// by the rounding of the pose.
	rateGood, rateLost = 1e-12, 1e-14
	// rateLimit is the largest error that is accepted in the end, relative to either of the two. Such errors remain next to singular
	// poses.
	rateLimit  = 1e-6
	rateSolves = 8 // largest number of solves with one factorization
)

// ProjectVelocities replaces the velocities of st by the nearest ones, in the metric of
// the inertias of the bodies, that satisfy all joints and couplings: T·V̂ = σ, theory.md
// (42). That metric is without armature. Poses stay; they should be closed.
//
// Right after a ClosePositions of the same poses whose last step was tiny, it uses the factorization
// of that step. The direction of the correction then has a relative error of the size of that step; the
// rows have none.
//
// Next to a singular pose an error (Closing) of at most 1e-6 of the velocities may remain in the rows.
//
// Cost: O(bodies + joints) if the joints are satisfied; else a factorization, or none, and a
// few solves; up to three factorizations more where rows are nearly dependent. It allocates only for
// errors. Errors and panics: as ClosePositions; prescribed motions
// that contradict each other are a *CloseError.
func (c *Closer) ProjectVelocities(st *mechanism.State) error {
	c.enter()
	defer c.guard.Leave()
	mustHaveState(st)
	return c.orCause(c.projectVelocities(st))
}

// projectVelocities is ProjectVelocities within the guard. If the factorization of the last ClosePositions is of these poses, it is tried
// first.
func (c *Closer) projectVelocities(st *mechanism.State) error {
	chord := c.chord && c.fac.Current() && c.allOf(c.samePoses(st))
	c.start(st, ofRates)
	if !chord { // with a chord, c.kin is of st already
		if err := c.agree(c.mech.KinematicsTo(c.kin, st)); err != nil {
			return err
		}
	}
	fit, err := c.ratesAt(c.at, moving)
	if err != nil {
		return err
	}
	c.closing, c.before = Closing{Before: fit.largest}, fit.relative
	if !(fit.excess <= 1) && chord {
		c.setErrors()
		if fit, err = c.correct(fit, moving); err != nil {
			return err
		}
	}
	if !(fit.excess <= 1) && !(chord && c.good(fit)) {
		if fit, err = c.project(fit, moving); err != nil {
			return err
		}
		if !c.accepts(fit) {
			return c.closeError(fit, ofRates)
		}
	}
	c.closing.After = fit.largest
	return c.giveTo(st)
}

// measureRates stores in c.closing the changes of velocities from c.from to c.at, and their distance in the metric of the inertias.
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

// AllowMotion replaces the velocities v by the nearest ones, in the metric of the
// inertias, that the joints allow at st with prescribed freedoms at rest. v has the angular velocity and the velocity of the centre of mass
// of each body, world axes.
//
// Cost: a factorization and a few solves, as for ProjectVelocities; it allocates only for errors. Errors and panics: as
// ClosePositions, without *CloseError; it panics on a length mismatch.
func (c *Closer) AllowMotion(v []float64, st *mechanism.State) error {
	c.enter()
	defer c.guard.Leave()
	mustHaveState(st)
	if len(v) != 6*c.mech.NumBodies() {
		panic("closing: length mismatch")
	}
	return c.orCause(c.allowMotion(v, st))
}

// allowMotion is AllowMotion within the guard. It sets the velocities of c.at to v, projects them without the
// right sides σ of prescribed motions, and stores them in v.
func (c *Closer) allowMotion(v []float64, st *mechanism.State) error {
	c.start(st, ofRates)
	if err := c.agree(c.mech.KinematicsTo(c.kin, st)); err != nil {
		return err
	}
	c.at.Rest()
	c.change(v, 1)
	fit, err := c.ratesAt(c.at, still)
	if err != nil {
		return err
	}
	c.closing, c.before = Closing{Before: fit.largest}, fit.relative
	if _, err = c.project(fit, still); err != nil {
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

// motions says what prescribed motions do.
type motions bool

const (
	moving motions = false // they have their rates
	still  motions = true  // they stand still: the right sides σ are left out
)

// project removes the errors in c.delta, whose sums are fit, from the velocities of c.at by
// corrections M⁻¹Jᵀλ, and returns the sums of the errors that remain. It returns an error if no
// factorization succeeds or the context ends, but not for errors that remain.
func (c *Closer) project(fit misfit, m motions) (misfit, error) {
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
			if fit, ended = c.correct(fit, m); ended != nil || fit.excess <= 1 {
				return true, nil
			}
			if ended = c.halt.Err(); ended != nil {
				return true, nil
			}
			all := c.fac.NextWay() != w // all rows have been kept; otherwise the next round factors in the same way, with all rows
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

// accepts reports whether the remaining errors are small enough to return the velocities (rateLimit).
func (c *Closer) accepts(fit misfit) bool {
	return fit.loose <= rateLimit/rateGood || fit.relative <= rateLimit*c.before
}

// good reports whether the remaining errors are so small that no other factorization has to be tried (rateGood, rateLost).
func (c *Closer) good(fit misfit) bool {
	return fit.excess <= 1 || fit.loose <= 1 || fit.relative <= rateLost*c.before
}

// samePoses reports whether st has the poses and the time of c.at, and the angles of c.from if these are followed.
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

// correct corrects the velocities of c.at by solves with the present factorization, up to rateSolves, as long as the largest relative error
// decreases. It returns the sums of the remaining errors, which are in c.delta.
func (c *Closer) correct(fit misfit, m motions) (misfit, error) {
	for k := 0; k < rateSolves && !(fit.excess <= 1); k++ {
		if k > 0 {
			c.setErrors()
		}
		c.solve()
		c.change(c.x, 1)
		c.closing.Steps++
		after, err := c.ratesAt(c.at, m)
		if err != nil {
			return fit, err
		}
		if !(after.relative < fit.relative) {
			c.change(c.x, -1)
			return c.ratesAt(c.at, m)
		}
		fit = after
	}
	return fit, nil
}

// change adds s·v to the velocities of c.at. v has the angular velocity and the velocity of the centre of mass of each body.
func (c *Closer) change(v []float64, s float64) {
	for i := range c.at.Bodies {
		c.at.Bodies[i].AddComVelocity(s, (*[6]float64)(v[6*i:]), &c.kin.Bodies[i].Com)
	}
}

// speeds returns the largest magnitude of a component of a velocity, m/s, and of an angular velocity, rad/s, of the bodies of st.
func speeds(st *mechanism.State) (v, w float64) {
	for i := range st.Bodies {
		b := &st.Bodies[i]
		v, w = max(v, algebra.MaxAbs(b.Velocity[:])), max(w, algebra.MaxAbs(b.Omega[:]))
	}
	return v, w
}

// ratesAt stores in c.delta the velocity errors at st, T·V̂ − σ, or T·V̂ if the motions are still, and returns their sums.
// fit.loose is relative to rateGood. c.kin has to be of st.
//
// It returns joints.ErrNoDirection with the name of the joint, and the cause if the context ends.
func (c *Closer) ratesAt(st *mechanism.State, m motions) (fit misfit, err error) {
	speed, spin := c.fastest(speeds(st))
	return c.combine(c.ratesHere(st, m, speed, spin))
}

// ratesHere is ratesAt for the rows of this rank, with the largest velocity, m/s, and angular velocity, rad/s, of all ranks.
func (c *Closer) ratesHere(st *mechanism.State, m motions, speed, spin float64) (fit misfit, err error) {
	fit.row = -1
	p := c.layout.Pattern
	var delta, e [6]float64
	for node := c.mech.NumBodies(); node < p.Len(); node++ {
		if c.halt.Every(node) {
			return fit, c.halt.Err()
		}
		j := c.layout.NodeConstraint(node)
		err := c.mech.ConstraintErrorsTo(&delta, &e, j, c.kin, st)
		if err == nil && m == still && j < c.mech.NumJoints() && c.mech.Joints[j].Motion != nil {
			err = c.addMotion(&e, j, st)
		}
		if err != nil {
			return fit, fault.Errorf("closing: %w", c.mech.AtConstraint(j, -1, err))
		}
		o, long := int(p.Off[node]), c.long[node-c.mech.NumBodies()]
		all := max(speed/long, spin)
		tol, loose := RateTol*spin+rateFar*all, rateGood*all
		if c.exact {
			tol = 0
		}
		size, merit := c.size(node), fit.merit
		for k := range int(p.Size[node]) {
			i := o + k
			c.delta[i] = e[k]
			fit.add(i, e[k]/size, c.unit[i]/size, c.weight[i]/(size*size), tol*c.unit[i]/size, loose*c.unit[i]/size)
		}
		if !c.counts(node) { // another rank adds these rows to the sum
			fit.merit = merit
		}
	}
	return fit, nil
}

// addMotion adds to e the right sides σ of the rows of joint j, which has prescribed motions. So the errors no longer contain them.
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
