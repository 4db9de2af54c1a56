package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// closePoses moves r.end along the directions of the joints' forces in the factor until the joints hold to tol, and adds to r.v the
// velocities that move it so in the time h. The first corrections, as many as first says, need not make errors smaller.
//
// If a step before has needed a factor of all rows for its velocities (rattleRefined), poses are closed further than tol where that is
// possible, and otherwise a factor of all rows is made.
func (r *Rattle) closePoses(h, tol float64, first int) error {
	d := r.dyn.drift
	clear(r.moved)
	fit, err := d.measureBy(deltaPass, &r.end)
	if err != nil {
		return r.unmeasured(err)
	}
	refines := r.valid && keeps(r.tail(r.kept), rattleRefined)
	finer, whole := refines, refines // poses are to be closed further than tol; a factor of all rows may be made for that
	r.slow = false
	for n := 0; ; n++ {
		there, weak, _ := r.dyn.solver.Corrector().Factor()
		if fit.position <= tol && !(finer && there && weak && n < rattleSteps && fit.position > rattleFiner*tol) {
			break
		}
		if err := d.watch.Err(); err != nil {
			return err
		}
		if n == rattleSteps {
			return r.open(fit.position)
		}
		if !there {
			if err := r.search(); err != nil {
				return err
			}
			break
		}
		after, ok := r.correct()
		left := after.position / fit.position
		if finer = refines && left <= rattleSharp; fit.position <= tol && !(ok && finer) {
			// The pose before was within tol, and a finer correction leaves much of its errors.
			if r.slow = true; r.takeBack() {
				break
			}
		}
		// Are the remaining corrections enough if each leaves the same part of the errors as this one?
		enough := n < first || after.position*math.Pow(left, float64(rattleSteps-1-n)) <= tol
		if weak && whole && !(ok && enough) { // take the correction back, and start again with a factor of all rows
			if whole = false; r.takeBack() && r.keepAll() {
				n = -1
				continue
			}
		}
		if !ok || !enough && !(weak && searches(after.position, tol)) {
			return r.failToClose(left, after.position)
		}
		r.takeIn()
		if !enough { // corrections with this factor do not reduce the errors
			if err := r.search(); err != nil {
				return err
			}
			break
		}
		fit = after
	}
	r.addMoved(h)
	return nil
}

// correct moves r.end by a correction with the factor, and measures its errors. It reports whether they can be measured.
func (r *Rattle) correct() (driftFit, bool) {
	d := r.dyn.drift
	r.stats.Corrections++
	r.dyn.solver.Corrector().SolveErrorsTo(d.x, d.delta, nil, &r.end)
	return d.moveBy(deltaPass, &r.end, -1)
}

// takeBack takes the last correction back, and measures the errors. It reports whether they can be measured.
func (r *Rattle) takeBack() bool {
	_, ok := r.dyn.drift.moveBy(deltaPass, &r.end, 1)
	return ok
}

// takeIn adds the last correction to r.moved.
func (r *Rattle) takeIn() {
	for i := range 6 * len(r.end.Bodies) {
		r.moved[i] -= r.dyn.drift.x[i]
	}
}

// failToClose returns the error after a correction that has left too much of the errors, the part left and the size off, or that has led to
// where errors cannot be measured. It notes in r.uneven whether that looks like a singular pose.
func (r *Rattle) failToClose(left, off float64) error {
	r.uneven = r.loops && leavesMuch(left, r.turned)
	if _, err := r.measure(); err != nil { // beyond the end of a curve or of a law
		return err
	}
	return r.open(off)
}

// addMoved adds to r.v the velocities of the displacement r.moved in the time h, and stores r.arm at the end of the step.
func (r *Rattle) addMoved(h float64) {
	for i := range r.end.Bodies {
		r.arm[i] = r.dyn.drift.kin.Bodies[i].Com
	}
	for i, x := range r.moved {
		r.v[i] += x / h
	}
}

// searches reports whether a position error is so small that a search may close the joints where corrections do not.
func searches(position, tol float64) bool { return position <= searchFrom*tol }

// leavesMuch reports whether a correction that leaves the part left of the errors, in a step in which a body turns by turned, rad, leaves
// as much as corrections next to a singular pose do.
func leavesMuch(left, turned float64) bool { return left > passLeft*turned }

// search closes r.end with ClosePositions, where there is no factor or corrections with it do not reduce the errors: next to singular
// poses, and where rows are redundant. The joints' forces then act along the directions of this displacement.
func (r *Rattle) search() error {
	r.stats.Searches++
	r.apart.Bodies = append(r.apart.Bodies[:0], r.end.Bodies...)
	if err := r.dyn.ClosePositions(&r.end); err != nil {
		return fault.Errorf("motion: step from t = %v: %w: %w", r.from.Time, errRattle, err)
	}
	for i := range r.end.Bodies {
		travel, turn := r.mech.Displacement(i, &r.apart, &r.end)
		for k := range 3 {
			r.moved[6*i+k], r.moved[6*i+3+k] = turn[k], travel[k]
		}
	}
	_, err := r.measure()
	return err
}

// measure measures the position and velocity errors of the joints at the end of the step.
func (r *Rattle) measure() (driftFit, error) {
	fit, err := r.dyn.drift.measure(&r.end)
	if err != nil {
		err = r.unmeasured(err)
	}
	return fit, err
}

// unmeasured returns the error for an end of the step at which errors cannot be measured.
func (r *Rattle) unmeasured(err error) error {
	return fault.Errorf("motion: step to t = %v: %w", r.end.Time, err)
}

// open returns the error for joints that are off, in rad or lengths in units of DriftUnit, at the end of the step.
func (r *Rattle) open(off float64) error {
	return fault.Errorf("motion: step from t = %v: %w: they are off by %.2g", r.from.Time, errRattle, off)
}

// closeRates changes the velocities of r.end, along the directions in the factor, until the joints hold or rattleRates corrections are
// done. If the factor has left out rows as redundant and the corrections no longer reduce the errors, as many corrections follow with a
// factor that keeps all rows. If there is no factor, or these corrections do not suffice either, ProjectVelocities closes the velocities
// within its own tolerance. It returns the remaining error, relative to 1 + the largest speed + the largest angular velocity; zero after
// ProjectVelocities.
//
// here says that the system of the factor is at the pose of r.end. Its rows then give the errors after a correction, as these are linear in
// the velocities.
func (r *Rattle) closeRates(here bool) (left float64, err error) {
	d := r.dyn.drift
	fit, err := d.measureRates(&r.end) // closePoses has measured the pose
	if err != nil {
		return 0, r.unmeasured(err)
	}
	was, kept := math.Inf(1), false // error before the last correction; a factor of all rows has been made
	r.needsAll = false
	for n := 0; ; n++ {
		left = fit.velocity / (1 + fit.speed + fit.turn)
		there, weak, _ := r.dyn.solver.Corrector().Factor()
		if left <= r.opts.Tolerance || n == rattleRates && there && !weak {
			r.off, r.known = fit.off, true
			return left, nil
		}
		if weak && !kept && stalls(left, was, n) {
			kept, n, r.needsAll = true, 0, true
			there = r.keepAll()
			r.all = there
		}
		was = left
		if !there || n == rattleRates {
			r.all = false
			if err := r.dyn.ProjectVelocities(&r.end); err != nil {
				return left, fault.Errorf("motion: step from t = %v: %w: %w", r.from.Time, errRattle, err)
			}
			return 0, nil
		}
		if fit, err = r.correctRates(here); err != nil {
			return left, err
		}
	}
}

// rattleArms bounds the difference between velocity errors by the rows of the system and by the joints, in units of the position error
// times the largest angular velocity of the correction. At a pose that is off, a joint's forces do not act at the origin of S, where
// velocities are measured.
const rattleArms = 4.0

// correctRates changes the velocities of r.end by a correction with the factor, and returns their errors. With here it takes the errors
// from the rows of the system if they have them, and adds the bound of rattleArms; else it measures them.
func (r *Rattle) correctRates(here bool) (driftFit, error) {
	d, pass := r.dyn.drift, ratePass
	var left []float64
	if here {
		left = d.rate
	}
	if r.dyn.solver.Corrector().SolveErrorsTo(d.x, d.rate, left, &r.end) {
		pass = leftPass
	}
	fit, ok := d.changeBy(pass, &r.end, -1)
	if !ok {
		return fit, r.open(fit.velocity)
	}
	if pass == leftPass {
		turn := 0.0
		for i := 0; i < 6*len(r.end.Bodies); i += 6 {
			turn = max(turn, math.Abs(d.x[i]), math.Abs(d.x[i+1]), math.Abs(d.x[i+2]))
		}
		fit.velocity += rattleArms * fit.position * turn
	}
	return fit, nil
}

// keepAll replaces the factor by one that keeps all rows, and reports whether there is such a factor.
func (r *Rattle) keepAll() bool {
	r.stats.Whole++
	return r.dyn.solver.Corrector().KeepAllRows()
}

// stalls reports whether corrections do not reduce an error: the last one, number n, has reduced it from was to left only, or it is the
// last allowed.
func stalls(left, was float64, n int) bool { return left > rattleStall*was || n == rattleRates }
