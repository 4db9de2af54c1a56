package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Newton's method for a step, in sizes relative to Tolerance.Length for
// displacements of centres of mass, and in rad for rotations.
const (
	newtonTol      = 2e-15 // error left in the pose at which the iteration ends
	newtonLoose    = 1e-11 // correction that is accepted where corrections do not shrink any more
	newtonRounding = 5e-16 // correction that is rounding, for a mechanism near the origin
	newtonSteps    = 15    // corrections with one matrix
	newtonMore     = 3     // expected corrections for which a matrix of another step is kept
	newtonNear     = 1e-5  // correction below which a pose is good for a matrix

	// A step leaves this part of its tolerance in poses at most where forces have kinks, or this much if it is fixed.
	newtonPart   = 1e-5
	newtonGround = 1e-12
	// It leaves this part of its tolerance in velocities, of a fixed step this part of (h·Rate)³: else short steps take
	// it for an error of theirs, and it adds up.
	newtonSpeed = 5e-4
	// With Quick both parts are so many times as large.
	newtonQuick = 10
	newtonFixed = 1e-2
	// newtonStill is a change of velocities that is rounding, as Tolerance says.
	newtonStill = 1e-14
	// newtonHold is a change of what bristles hold, as a part of their friction, that is none.
	newtonHold = 1e-8
	// newtonHeld is one with which no iteration ends, also where corrections do not shrink: it is no rounding.
	newtonHeld = 1e-3
)

// outcome is how an iteration ended.
type outcome uint8

const (
	lost outcome = iota // it diverges, or meets a pose that does not exist
	slow                // it converges, but another matrix would be better
	converged
)

// solve finds k.to.u, k.to.lambda and k.end for the step from st, theory.md (52). It takes matrices
// in this order. The matrix of an earlier step comes first, as long as few corrections are
// expected with it (Hairer & Wanner 1996 §IV.8). The next is one at the pose of the iteration
// if that pose is good, else one at st. The joints hold at st, so redundant ones are known as
// such. Last come the other ways to factor.
func (k *GeneralizedAlpha) solve(st *mechanism.State) error {
	how, err := lost, error(nil)
	k.predict()
	if k.triesOld() {
		if !k.newton.factors {
			if err := k.refactor(); err != nil {
				return err
			}
		}
		how, err = k.iterate(true)
	}
	k.noteOld(how == converged)
	if how != converged && k.newton.kinked {
		if how, err = k.solveTouching(st, how); err != nil && how != converged && k.halt.Err() != nil {
			return err
		}
	}
	for try := 0; how != converged && try < 2*k.dyn.Levels(); try++ {
		if err := k.halt.Err(); err != nil {
			return err
		}
		at := &k.end
		if how == lost || !(k.newton.corrected <= newtonNear) {
			at = st
			k.predict()
		}
		if err = k.linearize(at, try/2); err != nil {
			how = lost
			continue
		}
		how, err = k.iterate(false)
	}
	switch {
	case how == converged:
		return nil
	case errors.Is(err, errHalfTurn):
		return err
	case err != nil:
		return fault.Errorf("sim: step to t = %v: %w", k.end.Time, err)
	}
	return fault.Errorf("sim: step to t = %v: %w", k.end.Time, ErrNewton)
}

const (
	// After oldFails steps in a row that needed a matrix of their own, one of earlier steps is tried in every oldEvery-th step alone.
	// Other values cost time only.
	oldFails = 2
	oldEvery = 8
)

// triesOld reports whether a matrix of an earlier step is tried.
func (k *GeneralizedAlpha) triesOld() bool {
	fails := k.kept.head[headMatrix] - 1
	return fails == 0 || fails > 0 && (fails < oldFails || math.Mod(fails, oldEvery) == 0)
}

// noteOld takes in whether a matrix of an earlier step has been enough.
func (k *GeneralizedAlpha) noteOld(enough bool) {
	switch {
	case enough:
		k.kept.head[headMatrix] = 1
	case k.o.Quick && k.kept.head[headMatrix] > 0:
		k.kept.head[headMatrix]++
	}
}

// touchTries is the number of matrices of a step for a mechanism with contacts.
const touchTries = 20

// eagerTheta is what a correction may leave of the error, from the
// third one with a matrix on, where contacts may begin or end in it.
const eagerTheta = 0.7

// solveTouching is solve for a mechanism with contacts, whose forces have kinks: a contact at the end of the step need
// not be one at its start. So the first matrix is at the predicted end, and the next ones where the iteration has come.
// Only where that is lost it is one at st.
func (k *GeneralizedAlpha) solveTouching(st *mechanism.State, how outcome) (outcome, error) {
	err := error(nil)
	losses := 0
	for try := 0; how != converged && try < touchTries && losses < 3; try++ {
		if err := k.halt.Err(); err != nil {
			return how, err
		}
		at := &k.end
		if how == lost {
			k.predict()
			if losses == 1 || k.place() != nil {
				at = st
			}
			losses++
		}
		if err = k.linearize(at, 0); err != nil {
			how = lost
			continue
		}
		k.newton.eager = true
		how, err = k.iterate(false)
		k.newton.eager = false
	}
	return how, err
}

// predict starts the iteration from the accelerations and multipliers at the start of the step. If the last step has
// told how they change, they go on changing at this rate.
func (k *GeneralizedAlpha) predict() {
	copy(k.to.u, k.from.u)
	copy(k.to.lambda, k.from.lambda)
	copy(k.end.Bearings, k.kept.load)
	if k.kept.valid && k.kept.head[headChanged] != 0 {
		r := k.h / k.kept.head[headStep]
		for i := range k.to.u {
			k.to.u[i] += r * k.kept.change[i]
		}
		for i := range k.to.lambda {
			k.to.lambda[i] += r * k.kept.swing[i]
		}
	}
}

// linearize factors the matrix of this step at st, theory.md (58).
func (k *GeneralizedAlpha) linearize(st *mechanism.State, level int) error {
	g := k.c.Gain
	k.kept.head[headMatrix] = max(k.kept.head[headMatrix], 1)
	k.kept.head[headPosition], k.kept.head[headVelocity] = g*k.c.Beta*k.h*k.h, g*k.c.Gamma*k.h
	k.kept.head[headLevel], k.kept.head[headTime] = float64(level), st.Time
	for i := range st.Bodies {
		b := &st.Bodies[i]
		at := k.kept.pose[13*i:]
		copy(at, b.Position[:])
		copy(at[3:], b.Rotation[:])
		copy(at[7:], b.Velocity[:])
		copy(at[10:], b.Omega[:])
	}
	copy(k.newton.lin.Angles, st.Angles)
	copy(k.newton.lin.Internal, st.Internal)
	copy(k.newton.lin.Bearings, k.end.Bearings)
	return k.refactor()
}

// refactor factors the matrix of k.kept.head and k.kept.pose.
func (k *GeneralizedAlpha) refactor() error {
	k.newton.factors = false
	k.newton.lin.Time = k.kept.head[headTime]
	for i := range k.newton.lin.Bodies {
		b := &k.newton.lin.Bodies[i]
		at := k.kept.pose[13*i:]
		copy(b.Position[:], at)
		copy(b.Rotation[:], at[3:])
		copy(b.Velocity[:], at[7:])
		copy(b.Omega[:], at[10:])
	}
	k.factorizations++
	err := k.dyn.Linearize(&k.newton.lin, k.kept.head[headPosition], k.kept.head[headVelocity], int(k.kept.head[headLevel]))
	if err != nil {
		k.kept.head[headMatrix] = 0
		return err
	}
	k.newton.factors, k.newton.theta = true, 1
	return nil
}

// iterate corrects k.to.u and k.to.lambda until the poses of the end are right, theory.md (52).
// An old matrix is given up as soon as a new one is expected to be cheaper.
func (k *GeneralizedAlpha) iterate(old bool) (outcome, error) {
	position := k.c.Gain * k.c.Beta * k.h * k.h
	last := math.Inf(1)
	tol, loose := k.beginIteration()
	for n := range newtonSteps {
		if err := k.place(); err != nil {
			return lost, err
		}
		if err := k.halt.Err(); err != nil {
			return lost, err
		}
		k.evaluations++
		if err := k.dyn.Correct(k.newton.du, k.newton.dlambda, &k.end, k.to.u, k.to.lambda, position); err != nil {
			return lost, err
		}
		size := position * k.poseSize(k.newton.du)
		theta := size / last // how much of the error a correction leaves
		last, k.newton.corrected = size, size
		if math.IsNaN(size) || n > 1 && theta > 1 && size > loose {
			return lost, nil
		}
		if n > 0 {
			k.newton.theta = theta
		}
		ends := size <= tol || n > 0 && (size*theta <= (1-theta)*tol || theta > 0.5 && size <= loose)
		if ends {
			moves, err := k.moves(size)
			if err != nil {
				return lost, err
			}
			ends = !moves
		}
		if size <= tol {
			k.newton.mix.begin() // what is left is rounding but along allowed motions: differences of roundings say nothing
		}
		k.newton.mix.correct(k.to.u, k.to.lambda, k.newton.du, k.newton.dlambda)
		if ends {
			if err := k.place(); err != nil {
				return lost, err
			}
			if k.bends() {
				continue
			}
			return converged, nil
		}
		if k.newton.eager && n > 1 && theta > eagerTheta && size > loose {
			return slow, k.place()
		}
		if old && n > 0 && !(size*math.Pow(theta, newtonMore) <= tol) {
			_ = k.place() // if there is no such pose, the next iteration is lost
			return slow, nil
		}
	}
	_ = k.place()
	return slow, nil
}

// beginIteration forgets earlier corrections. It returns the correction at which the iteration ends, and the one that is
// accepted where corrections do not shrink any more.
func (k *GeneralizedAlpha) beginIteration() (tol, loose float64) {
	k.newton.mix.begin()
	k.newton.rate, k.newton.restless = math.Inf(1), 0
	k.newton.bent, k.newton.unbent = math.Inf(1), 0
	tol, loose = max(newtonTol, 2*k.newton.roundings), max(newtonLoose, 200*k.newton.roundings)
	if k.newton.kinked {
		// The matrix knows nothing of how friction depends on the normal force, so that corrections shrink slowly.
		most := newtonGround
		if !k.o.Fixed {
			most = k.part(newtonPart) * k.o.Tolerance.Relative
		}
		tol = max(tol, min(most, k.still()*k.h*k.o.Tolerance.Rate))
	}
	return tol, loose
}

// part returns the part of the tolerance that a step may leave, with Quick a larger one.
func (k *GeneralizedAlpha) part(of float64) float64 {
	if k.o.Quick {
		return newtonQuick * of
	}
	return of
}

// still returns the error of velocities that a step may leave. Fixed steps have a part of the cube of the step: of this order are
// their errors.
func (k *GeneralizedAlpha) still() float64 {
	if !k.o.Fixed {
		return max(newtonStill, k.part(newtonSpeed)*k.o.Tolerance.Relative)
	}
	s := k.h * k.o.Tolerance.Rate
	return max(newtonStill, newtonFixed*s*s*s)
}

// moves reports whether what the correction k.newton.du, of the size in the pose, leaves still changes velocities that the
// joints allow, and whether corrections still shrink. An error of the pose by ε changes velocities by ε/h. In the
// directions of the joints that is rounding of the poses, which the projection removes. In the others it stays in the
// motion. Corrections shrink slowly where friction depends on reactions, and with old matrices. Each step would leave
// the like, and the sum would grow as h⁻².
func (k *GeneralizedAlpha) moves(size float64) (bool, error) {
	most := k.still()
	left := size * k.newton.theta / max(1-k.newton.theta, 0.5)
	if left*k.c.Gamma <= most*k.c.Beta*k.h*k.o.Tolerance.Rate {
		return false, nil
	}
	for i, e := range k.newton.du {
		k.e[i] = k.c.Gain * k.c.Gamma * k.h * e
	}
	if err := k.dyn.Soften(k.e, &k.end); err != nil {
		return false, err
	}
	rate := k.speedSize(k.e)
	if !(rate < k.newton.rate) {
		k.newton.restless++
	}
	k.newton.rate = min(rate, k.newton.rate)
	return rate > most && k.newton.restless < newtonRestless, nil
}

// bends reports whether the last correction has changed what bristles hold, and such changes still shrink. Errors of poses
// far below any tolerance are forces there: bristles bend by some 10 nm. That the second correction is 10⁻⁶ of the first
// says nothing of them.
func (k *GeneralizedAlpha) bends() bool {
	shift := k.inner.shift
	if shift <= newtonHold {
		return false
	}
	if !(shift < k.newton.bent) {
		k.newton.unbent++
	}
	k.newton.bent = min(shift, k.newton.bent)
	return shift > newtonHeld || k.newton.unbent < newtonRestless
}

// newtonRestless is how many corrections may be no smaller than an earlier one, in velocities, before they are rounding.
const newtonRestless = 2
