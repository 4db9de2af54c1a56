package motion

import (
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// chordTurn is the largest rotation of a body, rad, between a pose and the pose of the factor that corrects it: θ of theory.md (44).
	chordTurn = 1e-3
	// chordGain is the largest part of the errors that a correction may leave: θ·κ of theory.md (44).
	chordGain = 1e-2
	// chordSteps is the largest number of corrections of poses, or of velocities. More would cost as much as a factor.
	chordSteps = 3

	// driftLeft is the largest error that corrections may leave, relative to its bound. Position errors up to driftSmall of their bound are
	// not corrected if only velocity errors are above their bound.
	driftLeft, driftSmall = 1e-2, 0.1
)

// ProjectDrift measures the largest errors of the joints' rows at st, and returns the violation before any change. If an error is above its
// bound, it brings st back to where the joints hold by the least change in the metric of the inertias. boundP is the bound of position
// errors, boundV of velocity errors, with lengths in units of mechanism.Mechanism.DriftUnit.
//
// If the last accelerations were at the time of st and at a pose very near to st, their factor gives the corrections, theory.md (43), (44).
// These leave errors of at most 1e-2 of the bounds, or rounding. They are the least change up to a part that is as small as the rotation
// between the two poses, at most 1e-2. Poses stay if their errors are within a tenth of their bound and a correction of velocities alone
// suffices. Otherwise, and where these corrections do not converge fast, ClosePositions and ProjectVelocities bring st back.
//
// Cost: O(bodies + joints) if st is within the bounds; else in most cases two solves with a factor that exists. No allocation but for
// errors. It makes the results of the solver invalid if st is not within the bounds. Errors and panics: as ClosePositions and
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

// nextTo reports whether the solver's factor is at the time of st and at a pose very near to it. The drifter has the kinematics of st.
func (d *Dynamics) nextTo(st *mechanism.State) bool {
	k := d.solver.Corrector().Kinematics()
	return k != nil && d.time == st.Time && d.drift.distance(k) <= chordTurn
}

// correct removes the errors of st, which the drifter has and fit sums up, with the solver's factor. It corrects positions, unless their
// errors are small and a correction of velocities suffices, and then velocities. It returns false if the errors stay too large; they have
// not grown then.
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

// mayLeave returns the error that corrections may leave: the part driftLeft of its bound, or the rounding of the errors.
func mayLeave(bound, rounding float64) float64 { return max(driftLeft*bound, rounding) }

// givesUp reports whether correction number k, which has reduced the error before to after, is the last although the error is not small
// enough.
func givesUp(after, before, enough float64, k int) bool {
	return after > enough && (k == chordSteps || after > chordGain*before)
}

// correctRates corrects the velocities of st, as correct does. It returns the errors that are left, and whether they are small enough.
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
