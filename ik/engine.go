package ik

import (
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/mechanism"
)

// engine evaluates the targets of a problem at states of its mechanism. n is the number of driven freedoms, m the number of rows with a
// weight. Rows are multiplied by their weights, and angles by Options.Length too, so that all are in m.
//
// Products and the Jacobian belong to the state of the last set, moveTo or setTime.
type engine interface {
	fik.Linear // 𝒥 u and 𝒥ᵀ f

	// set goes to the state st, with the joints closed. Coordinates have the whole turns that st carries. After an error the engine stays
	// at the state before.
	set(st *mechanism.State) error
	// moveTo brings the driven freedoms to q, with the joints closed to rounding. After an error the engine stays at the state before.
	moveTo(q []float64) error
	// setTime brings the freedoms that the model prescribes to their motions at the time t, with the driven freedoms where they are and
	// the joints closed. After an error the engine stays at the state before.
	setTime(t float64) error
	// driftTo stores the weighted rates of the rows due to the motions of the model, with the driven freedoms at rest.
	driftTo(dst []float64)
	// coordinatesTo stores the driven coordinates.
	coordinatesTo(q []float64)
	// errorsTo stores the weighted errors e of the rows, "wanted minus is".
	errorsTo(e []float64)
	// jacobianTo stores 𝒥, m×n by rows.
	jacobianTo(J []float64)
	// aim sets the wanted place of target i. Errors, products and the Jacobian are then those for the new place.
	aim(i int, w wanted)
	// poseRatesTo stores the wanted rates of target i that depend on the pose, in raw, which has the weighted rates of all rows. rate is
	// the rate of the wanted place, as way.wantTo stores it. errorsTo has to be called before.
	poseRatesTo(raw []float64, rate *[7]float64, i int)
	// setRates gives the driven freedoms the rates u, until the next set or moveTo, which makes them zero. It returns ErrOverflow if the
	// bodies' velocities would not be finite; the rates are then zero.
	setRates(u []float64) error
	// stateTo stores the state, with the rates of setRates, or zeros.
	stateTo(st *mechanism.State)
}
