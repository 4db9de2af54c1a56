package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// closePoses moves r.end along the directions of the joints' forces in the factor until the joints hold, and adds to v
// what moves it so in the time h. The first corrections need not make errors smaller.
func (r *Rattle) closePoses(h, tol float64, first int) error {
	d := r.dyn.drift
	clear(r.moved)
	fit, err := d.measureBy(deltaPass, &r.end)
	if err != nil {
		return r.unmeasured(err)
	}
	refines := r.valid && keeps(r.tail(r.kept), rattleRefined)
	finer, whole := refines, refines // poses are closed to less than tol, and a factor of all rows may be made for them
	r.blunt = false
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
		if finer = refines && left <= rattleSharp; fit.position <= tol && !(ok && finer) { // good enough, next to a singular pose
			if r.blunt = true; r.takeBack() {
				break
			}
		}
		// With as much of the errors left by each correction as by this one, are the others enough?
		enough := n < first || after.position*math.Pow(left, float64(rattleSteps-1-n)) <= tol
		if weak && whole && !(ok && enough) { // without finer poses the step before might have made such a factor
			if whole = false; r.takeBack() && r.keepAll() {
				n = -1
				continue
			}
		}
		if !ok || !enough && !(weak && searches(after.position, tol)) {
			return r.failToClose(left, after.position)
		}
		r.takeIn()
		if !enough { // errors that this factor does not see
			if err := r.search(); err != nil {
				return err
			}
			break
		}
		fit = after
	}
	r.gain(h)
	return nil
}

// correct moves r.end by a correction with the factor, and measures it.
func (r *Rattle) correct() (driftFit, bool) {
	d := r.dyn.drift
	r.stats.Corrections++
	r.dyn.solver.Corrector().SolveErrorsTo(d.x, d.delta, nil, &r.end)
	return d.moveBy(deltaPass, &r.end, -1)
}

// takeBack takes the last correction back. It reports whether that can be done.
func (r *Rattle) takeBack() bool {
	_, ok := r.dyn.drift.moveBy(deltaPass, &r.end, 1)
	return ok
}

// takeIn adds the last correction to those that have moved r.end.
func (r *Rattle) takeIn() {
	for i := range 6 * len(r.end.Bodies) {
		r.moved[i] -= r.dyn.drift.x[i]
	}
}

// failToClose is the error of a correction that leaves the part left of the errors, and this one, or that cannot be done.
func (r *Rattle) failToClose(left, off float64) error {
	r.uneven = r.loops && leavesMuch(left, r.turned)
	if _, err := r.measure(); err != nil { // past the end of a curve or of a law
		return err
	}
	return r.open(off)
}

// gain adds to v what has moved the bodies in the time h.
func (r *Rattle) gain(h float64) {
	for i := range r.end.Bodies {
		r.arm[i] = r.dyn.drift.kin.Bodies[i].Com
	}
	for i, x := range r.moved {
		r.v[i] += x / h
	}
}

// searches reports whether an error of poses is so small that a search closes them where corrections do not.
func searches(position, tol float64) bool { return position <= searchFrom*tol }

// leavesMuch reports whether a correction leaves as much of the errors, in a step in which a body turns by an angle, as it does
// next to a singular pose.
func leavesMuch(left, turned float64) bool { return left > passLeft*turned }

// search closes the poses of r.end where no factor is there, or none that sees all errors: next to singular poses, and
// where rows are redundant. The joints then act along the directions that closing takes.
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

// measure measures the errors of the joints at the end of the step.
func (r *Rattle) measure() (driftFit, error) {
	fit, err := r.dyn.drift.measure(&r.end)
	if err != nil {
		err = r.unmeasured(err)
	}
	return fit, err
}

// unmeasured is the error of an end of a step that cannot be measured.
func (r *Rattle) unmeasured(err error) error {
	return fault.Errorf("motion: step to t = %v: %w", r.end.Time, err)
}

// open is the error of joints that are off.
func (r *Rattle) open(off float64) error {
	return fault.Errorf("motion: step from t = %v: %w: they are off by %.2g", r.from.Time, errRattle, off)
}

// closeRates changes the velocities of r.end, along the directions in the factor, until the joints
// hold or rattleRates corrections are done. If the factor has left out rows as redundant and the
// corrections no longer reduce the errors, as many corrections follow with a factor that keeps all
// rows. If there is no factor, or these corrections do not suffice either, ProjectVelocities closes
// the velocities within its own tolerance. It returns the error that is left, relative to 1 + the
// largest speed + the largest rate of turning; zero after ProjectVelocities.
//
// here says that the system of the factor is of the pose of r.end. What a correction leaves of the errors, which are linear in the
// velocities, is then known from its rows.
func (r *Rattle) closeRates(here bool) (left float64, err error) {
	d := r.dyn.drift
	fit, err := d.measureRates(&r.end) // closePoses has measured the pose
	if err != nil {
		return 0, r.unmeasured(err)
	}
	was, kept := math.Inf(1), false
	r.blind = false
	for n := 0; ; n++ {
		left = fit.velocity / (1 + fit.speed + fit.turn)
		there, weak, _ := r.dyn.solver.Corrector().Factor()
		if left <= r.opts.Tolerance || n == rattleRates && there && !weak {
			r.off, r.known = fit.off, true
			return left, nil
		}
		if weak && !kept && blind(left, was, n) {
			kept, n, r.blind = true, 0, true
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

// rattleArms bounds, in units of what the pose is off by times the largest angular velocity of a correction, how much the rows of a system
// say less of it than the joints: at a pose that is off, a joint's forces act beside the origin of S, at which velocities are measured.
const rattleArms = 4.0

// correctRates changes the velocities of r.end by a correction with the factor, and measures them. Where what is left of their errors is
// known from the rows of the system, the sum has a bound of it.
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

// keepAll makes the factor one that keeps all rows. It reports whether there is one then.
func (r *Rattle) keepAll() bool {
	r.stats.Whole++
	return r.dyn.solver.Corrector().KeepAllRows()
}

// blind reports whether n corrections, the last of which has left the error left of was, show that they do not see it.
func blind(left, was float64, n int) bool { return left > rattleBlind*was || n == rattleRates }
