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
	x, along            []float64 // 6 numbers a body: the step, and the direction of an iteration
	lambda, alongLambda []float64 // m: multipliers of the step, and of the direction
	rest, alongRest     []float64 // m: errors that remain after the step, and their change along the direction, S·alongLambda
}

// newUndamped allocates the memory for a number of bodies and of rows of targets.
func newUndamped(bodies, rows int) *undamped {
	u := &undamped{x: pages.Make[float64](6 * bodies), along: pages.Make[float64](6 * bodies)}
	for _, v := range []*[]float64{&u.lambda, &u.alongLambda, &u.rest, &u.alongRest} {
		*v = make([]float64, rows)
	}
	return u
}

const (
	// limitTol is how far a coordinate may be beyond a limit, rad or lengths of the problem.
	limitTol = 1e-9
	// sparseTurn is the largest rotation of a body in a step, rad.
	sparseTurn = 1
	// sparseDamp is the first c of the damping c·σ·f², with σ the size of the rows' matrix and f the errors relative to R. After a step
	// that fails c is multiplied by sparseRaise, after a step that succeeds divided by sparseLower.
	sparseDamp, sparseDampMin, sparseDampMax = 1e-3, 1e-9, 1e9
	sparseRaise, sparseLower                 = 10, 5
	// Damping is lowered if the merit falls by more than sparseGood of the predicted decrease, and raised if by less than sparsePoor.
	sparseGood, sparsePoor = 0.75, 0.25
	// sparseOver is the damping, relative to σ, above which the first guess of σ was too large.
	sparseOver = 0.1
	// sparseSoft is the least damping of soft rows, relative to their squared norms in weighted coordinates. It is larger than the pivots
	// of rows that count as redundant. Otherwise rows of joints between two targets would look redundant.
	sparseSoft = 3e-8
	// sparseKeen multiplies the least damping where it leaves more than the part sparseLeft of the merit.
	sparseKeen, sparseLeft = 1e-3, 1e-2
	// sparseRough is the size, relative to the step before, whose rounding is the accuracy to which a step is solved where no row has to
	// hold. So every step may take away all but 5e-9 of the errors, as Newton's method needs no more (Dembo, Eisenstat & Steihaug 1982).
	sparseRough = 1e5
	// sparseHalves is how many sizes of a step are tried; each is half the one before.
	sparseHalves = 3
	// sparseFlat is the relative decrease of the errors by a step at which they are at their least to rounding.
	sparseFlat = 1e-12
	// slopeSeen is the change of the squares of the errors, relative to them, that stands out from rounding.
	slopeSeen = 1e-14
	// sparseWithin is the relative decrease of the errors that a step within the limits has to bring unless it is the minimum.
	sparseWithin = 0.1
	// sparseRestores is the largest number of corrections that close loops and hold levels after a step. They end when no row is open
	// by more than restoredTol, or a correction leaves more than restoreGain of the errors before it.
	sparseRestores, restoreGain, restoredTol = 8, 0.3, 1e-12
	// closedTol is the largest error of a hard row with which targets count as reached.
	closedTol = 1e-11
	// sparseOpen is the largest error of a hard row, relative to the rotation by the step, with which merits are compared.
	sparseOpen = 1e-5
	// settleSteps is the largest number of steps that close hard rows at the end of a level.
	settleSteps = 8
	// sparseKicks is the number of directions tried at a saddle, sparseKick the rotation by the step in such a direction, rad.
	sparseKicks, sparseKick = 2, 0.01
	// enterSteps is the largest number of steps into the limits.
	enterSteps = 100
)

// sparseMethod is the sparse method: Levenberg–Marquardt steps of the whole mechanism with the targets in the factor,
// docs/inverse-kinematics.md (S1). It belongs to one goroutine at a time.
type sparseMethod struct {
	progress
	p     *Problem
	given []target // the targets of the problem; p has a copy, whose wanted places aim changes
	o     Options
	machine
	sys       *sparseSystem
	openTried float64 // largest error of a hard row at try, rad or relative to the length of the problem
	openNow   float64 // the same at st
	tightPose
	sparsePoses
	sparseLimits
	turnTargets
	sparseErrors
	stepping
	onPath   bool     // whole turns of coordinates continue from the sample before
	ends     []Status // by level: its status
	contrary []bool   // by target: others of its priority pull against it
	rng      *rand.PCG
	dice     *rand.Rand
	home     *sparsePlace // the start of the call; nil without restarts
	best     *sparsePlace // best pose of the starts; nil without restarts
	path     sparsePath
	blocked  error // why the last start made no step: rows of a joint do not exist at its pose, which is singular for the joint
}

// machine is the mechanism with the means to close and move it.
type machine struct {
	mech   *mechanism.Mechanism // held freedoms are prescribed
	held   []*joints.Motion     // their motions
	plan   *kkt.Plan            // of mech
	work   *kkt.Workspace
	closer *closing.Closer
	mover  *mechanism.Mover
	loops  []int // joints and couplings with rows, if there are loops; else nil, as motion along the tree keeps them
}

// sparsePoses are the current pose and other poses of a step.
type sparsePoses struct {
	st, try *mechanism.State
	before  *mechanism.State // the pose before a kick
	spare   *mechanism.State
	kin     *mechanism.Kinematics
	q       []float64 // n: coordinates at st, with whole turns
	qTried  []float64 // the same at try
}

// sparseLimits are the limits of the driven freedoms.
type sparseLimits struct {
	low, high []float64 // n: limits of the problem, or of a sample of a path
	limited   bool      // some driven freedom has a limit
}

// sparseErrors are the errors of the rows of targets and of the posture.
type sparseErrors struct {
	e     []float64 // weighted errors at st of the m rows of targets, then of the posture
	tried []float64 // the same at try
	want  []float64 // errors at which finished levels are held
	first []int     // by row of sys: its first entry in e
}

// stepping has the memory of steps.
type stepping struct {
	step     sparseStep
	sigma    float64   // σ of damped, 0 before the first step of a level
	rough    float64   // size of a displacement whose rounding is accuracy enough for a step
	chord    []float64 // right side of corrections
	along    []float64 // displacement of the step, while corrections use its memory
	undamped *undamped // nil for one target, and with centres of mass
}

// tightPose is the last pose of a level at which the hard rows hold to closedTol. tight is nil if there is one level and there are not both
// loops and limits.
type tightPose struct {
	tight                            []mechanism.BodyState
	tightQ, tightAngles, tightTurned []float64
}

// turnTargets are the targets of type Coordinate that count whole turns.
type turnTargets struct {
	winding []int
	turned  []float64 // their coordinates at st, with the turns
}

// sparseStep describes the step that is the solution of the system.
type sparseStep struct {
	merit       float64 // ½‖e‖² of the level's errors before it
	slope, bend float64 // e·Tx and ‖Tx‖²
	predicted   float64 // decrease of the merit by the whole step in the linear model
	rotation    float64 // largest rotation of a body, rad
	gain        float64 // √(predicted/merit)
}

// sparsePath is the memory of a path.
type sparsePath struct {
	course    *course
	raw       []float64    // m: wanted rates of the rows
	ways      [][7]float64 // by way of the course: rates of the wanted place of its target
	from      []float64    // n: coordinates at the sample before
	low, high []float64    // n: limits of a sample
	rate      []float64    // n: rates of the driven freedoms
	dt        float64      // from sample to sample, s
}

// sparsePlace is a pose of the sparse method, with the statuses of the levels there.
type sparsePlace struct {
	bodies   []mechanism.BodyState
	angles   []float64 // of the state, if it carries any
	q        []float64 // coordinates
	turned   []float64
	status   []Status
	contrary []bool
	blocked  error
}
