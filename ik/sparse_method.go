package ik

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// undamped is the memory of undamp.
type undamped struct {
	x, along        []float64 // 6 numbers a body: the step, and the direction of an iteration
	lambda, alongY  []float64 // m: their multipliers
	left, alongLeft []float64 // m: what the step leaves of the errors, S·alongY
}

// newUndamped allocates for bodies and rows of targets.
func newUndamped(bodies, rows int) *undamped {
	u := &undamped{x: pages.Make[float64](6 * bodies), along: pages.Make[float64](6 * bodies)}
	for _, v := range []*[]float64{&u.lambda, &u.alongY, &u.left, &u.alongLeft} {
		*v = make([]float64, rows)
	}
	return u
}

const (
	// limitTol is how far a coordinate may be beyond a limit, rad or lengths.
	limitTol = 1e-9
	// sparseTurn is the largest rotation of a body in a step, rad.
	sparseTurn = 1
	// sparseDamp is the first part c of the damping c·σ·f², σ the size of the rows' matrix and f the errors relative to
	// R; sparseRaise and sparseLower are its factors after steps that fail and succeed.
	sparseDamp, sparseDampMin, sparseDampMax = 1e-3, 1e-9, 1e9
	sparseRaise, sparseLower                 = 10, 5
	// sparseGood and sparsePoor are the parts of a promise above which damping is lowered, and below which it is raised.
	sparseGood, sparsePoor = 0.75, 0.25
	// sparseOver is the damping relative to σ from which on the first guess was too much.
	sparseOver = 0.1
	// sparseSoft is the least damping of soft rows, of their squares on free bodies. It is above the pivots that count
	// as those of redundant rows. Else rows of joints between two targets would look redundant.
	sparseSoft = 3e-8
	// sparseKeen is a factor on it where it leaves more than the part sparseLeft of the merit.
	sparseKeen, sparseLeft = 1e-3, 1e-2
	// sparseRough: a step is as exact as rounding of so many times the step before
	// it, where no row has to hold. So every step may take away all but 5e-9 of the
	// errors, as Newton's method needs no more (Dembo, Eisenstat & Steihaug 1982).
	sparseRough = 1e5
	// sparseHalves is the number of halvings of a step.
	sparseHalves = 3
	// sparseFlat is the part of the errors that a step takes away where no step takes away any.
	sparseFlat = 1e-12
	// slopeSeen is the part of the errors' squares from which on rounding does not hide what a step changes in them.
	slopeSeen = 1e-14
	// sparseWithin is the part of the errors that a step within the limits has to take away unless it is the least.
	sparseWithin = 0.1
	// sparseRestores is the largest number of corrections that close loops and hold levels after a step. They end at
	// restoredTol, or where they leave more than restoreGain of what was there.
	sparseRestores, restoreGain, restoredTol = 8, 0.3, 1e-12
	// closedTol is what hard rows may be open where targets count as reached.
	closedTol = 1e-11
	// sparseOpen is the part of the errors up to which hard rows may be open when merits are compared.
	sparseOpen = 1e-5
	// settleSteps is the largest number of steps that close hard rows at the end of a level.
	settleSteps = 8
	// sparseKicks is the number of directions tried at a saddle, sparseKick the rotation of a kick, rad.
	sparseKicks, sparseKick = 2, 0.01
	// enterSteps is the largest number of steps into the limits.
	enterSteps = 100
)

// sparseMethod is the sparse method: Levenberg–Marquardt steps of the whole mechanism with the targets in the factor,
// docs/inverse-kinematics.md (S1). It belongs to one goroutine at a time.
type sparseMethod struct {
	progress
	p     *Problem
	given []target // the targets as the problem has them
	o     Options
	machine
	sys  *sparseSystem
	open float64 // largest error of a hard row at the last trial, angles or relative to the length of the problem
	ajar float64 // the same at st
	tightPose
	sparsePoses
	sparseLimits
	turnTargets
	sparseErrors
	stepping
	onPath   bool     // coordinates wind on from those of the sample before
	ends     []Status // by level: how it has ended
	contrary []bool   // by target
	rng      *rand.PCG
	dice     *rand.Rand
	home     *sparsePlace // the start of the call; nil without restarts
	best     *sparsePlace // the same
	path     sparsePath
	blocked  error // why the last start made no step: the rows of joints cannot be had in its pose, a singular one of a joint
}

// machine is the mechanism, and what closes and moves it.
type machine struct {
	mech   *mechanism.Mechanism // held freedoms are prescribed
	held   []*joints.Motion     // their motions
	plan   *kkt.Plan            // of mech
	work   *kkt.Workspace
	closer *closing.Closer
	mover  *mechanism.Mover
	loops  []int // joints with rows, if there are loops; else nil: then the tree keeps all
}

// sparsePoses are the pose at hand and others of a step.
type sparsePoses struct {
	st, try *mechanism.State
	before  *mechanism.State // of kicks
	spare   *mechanism.State
	kin     *mechanism.Kinematics
	q       []float64 // n: coordinates, wound
	qTried  []float64 // the same at try
}

// sparseLimits are the limits of the driven freedoms.
type sparseLimits struct {
	low, high []float64 // n: limits, or those of a sample of a path
	limited   bool      // some driven freedom has a limit
}

// sparseErrors are the errors of the rows of targets and of the posture.
type sparseErrors struct {
	e     []float64 // m + posture: weighted errors at st
	tried []float64 // the same at try
	want  []float64 // errors at which finished levels are held
	first []int     // by row of sys: its first entry in e
}

// stepping is what a step is made with.
type stepping struct {
	step     sparseStep
	sigma    float64
	rough    float64   // size of displacements of whose rounding a step need not be more exact
	chord    []float64 // right side of corrections
	along    []float64 // the step, while corrections use its memory
	undamped *undamped // nil for one target, and with centres of mass
}

// tightPose is the last pose of a level whose hard rows hold; tight is nil for one level without loops or limits.
type tightPose struct {
	tight                            []mechanism.BodyState
	tightQ, tightAngles, tightTurned []float64
}

// turnTargets are the targets that count turns, and their coordinates at st, wound.
type turnTargets struct {
	winding []int
	turned  []float64
}

// sparseStep is the step that the system holds.
type sparseStep struct {
	merit       float64 // ½‖e‖² of the level's errors before it
	slope, bend float64 // e·Tx and ‖Tx‖²
	predicted   float64 // what a full step takes away from the merit
	turn        float64 // largest rotation, rad
	flat        float64 // the root of the part of the merit that it takes away
}

// sparsePath is the memory of a path.
type sparsePath struct {
	course    *course
	raw       []float64    // m: wanted rates of the rows
	ways      [][7]float64 // by way: rates of the place of its target
	from      []float64    // n: coordinates at the sample before
	low, high []float64    // n: limits of a sample
	rate      []float64    // n: of the driven freedoms
	dt        float64      // from sample to sample
}

// sparsePlace is a pose of the sparse method with what is known of it.
type sparsePlace struct {
	bodies   []mechanism.BodyState
	angles   []float64 // of the state, where couplings count turns
	q        []float64 // coordinates
	turned   []float64
	status   []Status
	contrary []bool
	blocked  error
}
