package ik

import (
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/mechanism"
)

// An engine evaluates the targets of a problem at states of its mechanism. n is the number of driven
// freedoms, m that of rows with a weight. Rows are weighted: lengths in m, angles times Options.Length.
//
// Products and the Jacobian are those at the state of the last set, moveTo or goOn.
type engine interface {
	fik.Linear // 𝒥 u and 𝒥ᵀ f

	// set takes a state that satisfies the joints, with its coordinates wound as st's are.
	set(st *mechanism.State) error
	// moveTo brings the driven freedoms to q and lets all else follow: loops are closed to rounding.
	// After an error the engine stays at the state before.
	moveTo(q []float64) error
	// goOn brings the prescribed freedoms to where their motions are at the time t, and lets all else but the driven
	// freedoms follow. After an error the engine stays at the state before.
	goOn(t float64) error
	// driftTo stores the weighted rates that the rows have by the motions of the model, the driven freedoms at rest.
	driftTo(dst []float64)
	// coordinatesTo stores the driven coordinates.
	coordinatesTo(q []float64)
	// errorsTo stores the weighted errors e of the rows, "wanted minus is".
	errorsTo(e []float64)
	// jacobianTo stores 𝒥, m×n by rows.
	jacobianTo(J []float64)
	// aim moves the place that target i wants. Errors, products and the Jacobian are then those of the new place.
	aim(i int, w wanted)
	// poseRatesTo stores in raw, the weighted rates of all rows, those of target i that depend on the pose where its
	// place moves with rate, as way.wantTo tells. It is called after errorsTo.
	poseRatesTo(raw []float64, rate *[7]float64, i int)
	// setRates gives the driven freedoms rates, until the next set or moveTo, which ends with zeros. It returns
	// ErrOverflow, with rates of zero, where the bodies' velocities would not be finite.
	setRates(u []float64) error
	// stateTo stores the state, with the rates of setRates, or zeros.
	stateTo(st *mechanism.State)
}
