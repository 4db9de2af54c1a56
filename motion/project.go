package motion

import (
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// chordTurn is the largest rotation, rad, between a pose and the pose of a factor that
	// corrects it: θ of theory.md (44).
	chordTurn = 1e-3
	// chordGain is the part of the errors that a correction may leave: the largest θ·κ of
	// theory.md (44).
	chordGain = 1e-2
	// chordSteps is the largest number of corrections of poses, or of velocities. More of them
	// cost as much as a factor.
	chordSteps = 3

	// driftLeft is the part of a bound that corrections may leave. driftSmall is the part of
	// their bound up to which positions stay as they are where velocities are above theirs.
	driftLeft, driftSmall = 1e-2, 0.1
)

// ProjectDrift measures how far st is from satisfying the joints, by the largest errors of
// rows. If one of them is above its bound, it brings st back to the joints by the least change
// in the metric of the inertias. boundP is the bound at position level and boundV the one at
// velocity level, with lengths in units of mechanism.Mechanism.DriftUnit.
//
// The last accelerations may have been at the time of st and at a pose next to the pose of st.
// Their factor then makes the corrections, theory.md (43), (44). These leave errors of 1e-2 of the
// bounds at most, or rounding. A part of the change, as small as the distance between the poses
// and at most 1e-2, need not be the least one. Poses stay if they are within a tenth of their
// bound and velocities can do without a change of them. Otherwise, and where these corrections
// do not converge fast, ClosePositions and ProjectVelocities bring st back.
//
// Cost: O(bodies + joints) if st is within the bounds; two solves, in most cases, with the
// factor that is there. No allocation but for errors. It ends the results of the solver if st
// is not within the bounds. Errors and panics: as ClosePositions and
// ProjectVelocities; st is unspecified after an error.
func (d *Dynamics) ProjectDrift(st *mechanism.State, boundP, boundV float64) (mechanism.Violation, error) {
	d.mustBe()
	mustHaveState(st)
	if len(st.Bodies) != d.bodies {
		panic("motion" + fault.ForeignState)
	}
	fit, err := d.drift.measure(st)
	if err == nil {
		err = d.drift.watch.Err()
	}
	if err != nil || fit.position <= boundP && fit.velocity <= boundV {
		return fit.off, err
	}
	near := d.nextTo(st) && d.correct(st, fit, boundP, boundV)
	d.solver.Corrector().Drop()
	if err = d.drift.watch.Err(); near || err != nil {
		return fit.off, err
	}
	if err = d.ClosePositions(st); err == nil {
		err = d.ProjectVelocities(st)
	}
	return fit.off, err
}

// nextTo reports whether the solver's factor is of a pose next to st, whose kinematics are
// there.
func (d *Dynamics) nextTo(st *mechanism.State) bool {
	k := d.solver.Corrector().Kinematics()
	return k != nil && d.time == st.Time && d.drift.distance(k) <= chordTurn
}

// correct removes the errors of st with the solver's factor; they are stored, and fit sums them
// up. It corrects positions, unless their errors are small and velocities can do without, and
// then velocities. It returns false if that is not enough; the errors have not grown then.
func (d *Dynamics) correct(st *mechanism.State, fit driftFit, boundP, boundV float64) bool {
	if fit.position <= driftSmall*boundP {
		var ok bool
		if fit, ok = d.correctRates(st, fit, boundV); ok {
			return true
		}
	}
	enough := mayLeave(boundP, closing.AngleTol*d.drift.least+closing.FarTol*2*fit.reach/d.drift.unit)
	for k := 1; !(fit.position <= enough); k++ {
		d.solver.Corrector().SolveErrorsTo(d.drift.x, d.drift.delta, nil, st)
		after, ok := d.drift.move(st, -1)
		if !ok || !(after.position <= fit.position) {
			d.drift.move(st, 1)
			return false
		}
		if givesUp(after.position, fit.position, enough, k) {
			return false
		}
		fit = after
	}
	_, ok := d.correctRates(st, fit, boundV)
	return ok
}

// mayLeave returns the error that corrections may leave, with a bound and what rounding leaves.
func mayLeave(bound, rounding float64) float64 { return max(driftLeft*bound, rounding) }

// givesUp reports whether no other correction follows the one of number k, which has left the error after of the error before,
// though that is not enough.
func givesUp(after, before, enough float64, k int) bool {
	return after > enough && (k == chordSteps || after > chordGain*before)
}

// correctRates is correct for the velocities. It returns the errors that are left, too.
func (d *Dynamics) correctRates(st *mechanism.State, fit driftFit, bound float64) (driftFit, bool) {
	enough := mayLeave(bound, closing.RateTol*max(fit.speed/d.drift.unit, fit.turn))
	for k := 1; !(fit.velocity <= enough); k++ {
		d.solver.Corrector().SolveErrorsTo(d.drift.x, d.drift.rate, nil, st)
		after, ok := d.drift.change(st, -1)
		if !ok || !(after.velocity <= fit.velocity) {
			fit, _ = d.drift.change(st, 1)
			return fit, false
		}
		if givesUp(after.velocity, fit.velocity, enough, k) {
			return after, false
		}
		fit = after
	}
	return fit, true
}
