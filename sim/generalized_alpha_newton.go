package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Constants of Newton's method for a step. Sizes of corrections are as in poseSize.
const (
	newtonTol      = 2e-15 // size of the error at which the iteration ends
	newtonLoose    = 1e-11 // size of a correction that is accepted where corrections do not shrink any more
	newtonRounding = 5e-16 // size of a correction that is rounding, for a mechanism near the origin
	newtonSteps    = 15    // largest number of corrections with one matrix
	newtonMore     = 3     // an old matrix is kept if so many more corrections are expected to suffice
	newtonNear     = 1e-5  // size of a correction below which the pose is good for a matrix
	// Where forces have kinks, the largest error of poses that a step leaves is newtonPart of its tolerance, or newtonGround for a fixed
	// step.
	newtonPart   = 1e-5
	newtonGround = 1e-12
	// The largest error of velocities that a step leaves is newtonSpeed of its tolerance, or newtonFixed of (h·Rate)³ for a fixed
	// step. With more, error control would take it for an error of short steps, and it would add up.
	newtonSpeed = 5e-4
	newtonFixed = 1e-2
	// newtonQuick is the factor of newtonPart and newtonSpeed with Quick.
	newtonQuick = 10
	// newtonStill is the size of a change of velocities that is rounding (speedSize).
	newtonStill = 1e-14
	// newtonHold is the change of the force of bristles, relative to their friction, that counts as none.
	newtonHold = 1e-8
	// newtonHeld is the change with which no iteration ends, even where corrections do not shrink: it is larger than rounding.
	newtonHeld = 1e-3
)

// outcome is the result of an iteration.
type outcome uint8

const (
	lost outcome = iota // the iteration diverges, or reaches a pose that cannot be evaluated
	slow                // the iteration converges, but another matrix would be better
	converged
)

// solve computes k.to.u, k.to.lambda and k.end for the step from st, theory.md (52). It tries matrices
// in this order: the matrix of an earlier step, as long as few corrections are
// expected with it (Hairer & Wanner 1996 §IV.8); a matrix at the pose of the iteration
// if that pose is good, else at st, where the joints hold, so that redundant rows are known as
// such; and then the other Levels of factorization.
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
	// After oldFails consecutive steps that needed a new matrix, an old matrix is tried in every oldEvery-th step only.
	// Other values cost time only.
	oldFails = 2
	oldEvery = 8
)

// triesOld reports whether a matrix of an earlier step is tried.
func (k *GeneralizedAlpha) triesOld() bool {
	fails := k.kept.head[headMatrix] - 1
	return fails == 0 || fails > 0 && (fails < oldFails || math.Mod(fails, oldEvery) == 0)
}

// noteOld records whether the matrix of an earlier step has been good enough for this step.
func (k *GeneralizedAlpha) noteOld(enough bool) {
	switch {
	case enough:
		k.kept.head[headMatrix] = 1
	case k.o.Quick && k.kept.head[headMatrix] > 0:
		k.kept.head[headMatrix]++
	}
}

// touchTries is the largest number of matrices of a step for a mechanism with contacts.
const touchTries = 20

// eagerTheta is the largest ratio of consecutive corrections, from the
// third correction with a matrix on, if contacts may begin or end in the iteration.
const eagerTheta = 0.7

// solveTouching is solve for forces with kinks. A contact at the end of the step need
// not touch at its start. So the first matrix is at the predicted end, and the next ones at the pose that the iteration has reached.
// After a lost iteration the matrix may be at st. how is the outcome of the matrix of an earlier step.
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

// predict starts the iteration from the accelerations and multipliers at the start of the step, extrapolated by their change in the last
// step, if there was one.
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

// linearize factors the matrix of this step at st, theory.md (58), at the given level (ImplicitDynamics.Linearize).
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

// iterate corrects k.to.u and k.to.lambda until the poses of the end have converged, theory.md (52). old says that
// the matrix is of an earlier step: iterate then returns slow as soon as a new matrix is expected to be cheaper. It returns lost with an
// error.
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
		theta := size / last // ratio of consecutive corrections
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
			k.newton.mix.begin() // corrections are rounding now, except along allowed motions: their differences are of no use
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
			_ = k.place() // after an error the next iteration returns lost
			return slow, nil
		}
	}
	_ = k.place()
	return slow, nil
}

// beginIteration clears the memory of corrections. It returns the size tol of a correction at which the iteration ends, and the size
// loose that is accepted where corrections do not shrink any more.
func (k *GeneralizedAlpha) beginIteration() (tol, loose float64) {
	k.newton.mix.begin()
	k.newton.rate, k.newton.restless = math.Inf(1), 0
	k.newton.bent, k.newton.unbent = math.Inf(1), 0
	tol, loose = max(newtonTol, 2*k.newton.roundings), max(newtonLoose, 200*k.newton.roundings)
	if k.newton.kinked {
		// The matrix does not include the dependence of friction on the normal force, so corrections shrink slowly.
		most := newtonGround
		if !k.o.Fixed {
			most = k.part(newtonPart) * k.o.Tolerance.Relative
		}
		tol = max(tol, min(most, k.still()*k.h*k.o.Tolerance.Rate))
	}
	return tol, loose
}

// part returns a part of the tolerance that a step may leave as error, enlarged with Quick.
func (k *GeneralizedAlpha) part(of float64) float64 {
	if k.o.Quick {
		return newtonQuick * of
	}
	return of
}

// still returns the error of velocities that a step may leave (speedSize). For fixed steps it is a part of the cube of the step, which is
// the order of their errors.
func (k *GeneralizedAlpha) still() float64 {
	if !k.o.Fixed {
		return max(newtonStill, k.part(newtonSpeed)*k.o.Tolerance.Relative)
	}
	s := k.h * k.o.Tolerance.Rate
	return max(newtonStill, newtonFixed*s*s*s)
}

// moves reports whether the iteration has to continue because of velocities: the error after the correction k.newton.du still changes
// velocities that the joints allow by more than still(), and corrections still shrink. size is the size of the correction in the pose.
//
// An error ε of the pose changes velocities by ε/h. In the directions of the joints the projection removes this change. In the other
// directions it stays in the motion. Where corrections shrink slowly, as with friction that depends on reactions and with old
// matrices, each step would leave such a change, and their sum would grow as h⁻².
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

// bends reports whether the iteration has to continue because of bristles: the last correction has changed their forces, and such changes
// still shrink. As bristles bend by some 10 nm only, errors of poses far below any tolerance change their forces, and small corrections
// do not show that these have converged.
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

// newtonRestless is the number of corrections no smaller than an earlier one after which they count as rounding.
const newtonRestless = 2
