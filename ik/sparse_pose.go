package ik

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// sparseTurn is the largest rotation of a body in a step, rad.
	sparseTurn = 1
	// sparseDamp is the first part c of the damping c·σ·f², σ the size of the rows' matrix and f the errors relative to
	// R; sparseRaise and sparseLower are its factors after steps that fail and succeed.
	sparseDamp, sparseDampMin, sparseDampMax = 1e-3, 1e-9, 1e9
	sparseRaise, sparseLower                 = 10, 5
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

// levels returns the number of levels, that of the posture included.
func (s *sparseMethod) levels() int {
	if len(s.p.rest) > 0 {
		return s.p.levels + 1
	}
	return s.p.levels
}

// coordinate returns the coordinate of a freedom, an angle in (−π, π] plus the turns of the model.
func coordinate(m *mechanism.Mechanism, f mechanism.Freedom, k *mechanism.Kinematics, st *mechanism.State) float64 {
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	m.JointTo(&jk, f.Joint, k, st)
	m.Joints[f.Joint].CoordinatesTo(&q, &qd, &jk)
	return q[f.Freedom]
}

// accept takes the last trial, which move has found good, for the pose of the solver.
func (s *sparseMethod) accept() {
	s.st, s.try = s.try, s.st
	s.e, s.tried = s.tried, s.e
	if s.limited {
		s.q, s.qTried = s.qTried, s.q
	} else {
		s.coordinatesTo(s.q, s.st)
	}
	s.followTurned()
	s.ajar = s.open
	s.note()
}

// stand computes kinematics, coordinates within half a turn of those before, and errors at s.st.
func (s *sparseMethod) stand() {
	if s.mech.KinematicsTo(s.kin, s.st) != nil {
		return
	}
	s.wind(s.st)
	s.coordinatesTo(s.q, s.st)
	s.followTurned()
	s.errorsTo(s.e, s.kin, s.st)
}

// followTurned follows s.turned to s.st, whose bodies have the kinematics s.kin.
func (s *sparseMethod) followTurned() {
	for k, i := range s.winding {
		s.turned[k] = algebra.NearTurn(coordinate(s.mech, s.p.targets[i].freedom, s.kin, s.st), s.turned[k])
	}
}

// errorsTo stores the weighted errors of all targets at st, then those of the posture at the coordinates there. Angles
// whose turns count are within half a turn of those at s.st.
func (s *sparseMethod) errorsTo(e []float64, k *mechanism.Kinematics, st *mechanism.State) {
	for k, i := range s.winding {
		s.sys.sight[i].wound = s.turned[k]
	}
	for i := range s.p.targets {
		t, g := &s.p.targets[i], s.sys.sight[i]
		t.lookTo(g, s.mech, k, st)
		copy(e[t.first:t.first+t.n], g.e[:t.n])
	}
	for k2, r := range s.p.rest {
		x := coordinate(s.mech, s.p.driven[r.driven], k, st)
		if winds(s.mech, s.p.driven[r.driven]) {
			x = algebra.NearTurn(x, s.q[r.driven])
		}
		e[s.p.m+k2] = s.p.unitOf(r.driven) * (r.value - x)
	}
}

// meritOf returns half the square sum of the errors of a level.
func (s *sparseMethod) meritOf(l int, e []float64) (sum float64) {
	if l == s.p.levels {
		e = e[s.p.m:]
		return algebra.Dot(e, e) / 2
	}
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.level == l {
			v := e[t.first : t.first+t.n]
			sum += algebra.Dot(v, v) / 2
		}
	}
	return sum
}

// hold fixes the errors that a finished level keeps.
func (s *sparseMethod) hold(l int) {
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.level == l {
			for r := t.first; r < t.first+t.n; r++ {
				if s.want[r] = s.e[r]; s.ends[l] == Reached {
					s.want[r] = 0
				}
			}
		}
	}
}

// met reports whether all targets of a level are within their tolerances, and the driven freedoms within their limits.
func (s *sparseMethod) met(l int) bool {
	if l == s.p.levels || s.ajar > closedTol {
		return false
	}
	for i := range s.p.targets {
		t := &s.p.targets[i]
		linear, angular := t.off(s.e[t.first:])
		if t.level == l && !(linear <= t.tolerance[0] && angular <= t.tolerance[1]) {
			return false
		}
	}
	return s.inside(s.q)
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

// lookAt computes kinematics and errors at a trial.
func (s *sparseMethod) lookAt(st *mechanism.State) error {
	if err := s.mech.KinematicsTo(s.kin, st); err != nil {
		return err
	}
	s.wind(st)
	s.errorsTo(s.tried, s.kin, st)
	return nil
}

// coupled reports whether there are couplings, which count the turns of
// angles, or composite joints: those of the poses at hand are followed then.
func (s *sparseMethod) coupled() bool { return s.mech.NumCouplings() > 0 || s.mech.HasComposites() }

// setAngles gives the pose at hand angles that have been kept for it.
func (s *sparseMethod) setAngles(angles []float64) { s.st.Angles = append(s.st.Angles[:0], angles...) }

// wind follows the angles of st, whose bodies have the kinematics s.kin.
func (s *sparseMethod) wind(st *mechanism.State) {
	if s.coupled() {
		s.mech.FollowAngles(s.kin, st)
	}
}

// load is begin without a note for restarts.
func (s *sparseMethod) load(st *mechanism.State) error {
	copy(s.st.Bodies, st.Bodies)
	if s.coupled() {
		s.setAngles(st.Angles)
		s.mech.FollowAngles(s.kin, s.st)
	}
	s.st.Time, s.try.Time, s.spare.Time, s.before.Time = st.Time, st.Time, st.Time, st.Time
	s.rng.Seed(s.o.Seed, 1)
	return s.stop()
}

// stop holds the held freedoms where they are, closes the joints and brings the driven freedoms within their limits. It notes those
// that were outside.
func (s *sparseMethod) stop() error {
	if err := s.mech.KinematicsTo(s.kin, s.st); err != nil {
		return err
	}
	for k, f := range s.p.held {
		s.held[k].Coefficients[0] = coordinate(s.mech, f, s.kin, s.st)
	}
	if err := s.closer.ClosePositions(s.st); err != nil {
		return err
	}
	if err := s.mech.KinematicsTo(s.kin, s.st); err != nil {
		return err
	}
	if s.onPath {
		s.coordinatesTo(s.q, s.st)
		s.followTurned()
	} else {
		for i, f := range s.p.driven {
			s.q[i] = coordinate(s.mech, f, s.kin, s.st)
		}
		for k, i := range s.winding {
			s.turned[k] = coordinate(s.mech, s.p.targets[i].freedom, s.kin, s.st)
		}
	}
	s.outside = s.p.outside(s.q)
	s.errorsTo(s.e, s.kin, s.st)
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	return s.enter()
}
