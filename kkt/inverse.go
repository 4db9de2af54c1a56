package kkt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Inverse solves the inverse dynamics of a mechanism with loops on the sparse side (RBDA
// §8.12). It finds the generalized forces of chosen freedoms, the actuators, that make wanted
// accelerations. Every actuator is one more constraint row, which holds its freedom to the
// wanted acceleration. The multiplier of the row is the force. It belongs to one goroutine at a
// time.
type Inverse struct {
	guard        guard.Guard
	base, driven *Solver
	actuators    []mechanism.Freedom
	rows         []int // scalar row of each actuator in the driven system

	ok       bool      // the fields below are results of the last Solve
	wanted   []float64 // accelerations consistent with the joints, 6 a body
	force    []float64 // by actuator, N or N m
	distance float64   // Distance
	missed   float64   // Residual
	mobility int       // number of independent motions
	left     int       // number of independent motions that are not controlled
	free     []mechanism.Freedom

	leastNorm bool // LeastNorm
	agree     bool // reactions agree with the friction that grows with them
}

// NewInverse prepares inverse dynamics with the given actuators: freedoms with a
// scalar coordinate that are not prescribed. To find the forces of prescribed motions, release the motions
// (mechanism.Mechanism.Release), take their freedoms as actuators, and ask for the accelerations of the mechanism with the motions.
//
// Cost: a plan of the driven mechanism. It returns an error that wraps
// mechanism.ErrFreedom and names the joint if an actuator is not such a freedom.
func (p *Plan) NewInverse(actuators []mechanism.Freedom) (*Inverse, error) {
	p.mustBe()
	driven, err := p.mech.Prescribe(actuators)
	if err != nil {
		return nil, err
	}
	plan := NewPlan(driven, Options{Epsilon: p.epsilon, Threads: p.threads})
	v := &Inverse{
		base: p.newPlainSolver(), driven: plan.newSolver(),
		actuators: append([]mechanism.Freedom(nil), actuators...),
		wanted:    make([]float64, 6*p.mech.NumBodies()),
		force:     make([]float64, len(actuators)),
	}
	v.base.keepSpare() // as the number of motions follows from the number of spare rows
	v.driven.keepSpare()
	for _, a := range actuators {
		l := plan.dynamic().layout
		node := l.JointNode(a.Joint)
		v.rows = append(v.rows, int(l.Pattern.Off[node])+driven.Joints[a.Joint].PrescribedRow(a.Freedom))
	}
	return v, nil
}

// Solve finds the forces that make the accelerations wanted at st, in addition to the forces
// of the model there. wanted has six numbers a body, in world axes: ω̇, then the classical acceleration of
// the centre of mass. Nil stands for zeros, to hold still. Accelerations that the joints do not
// allow are replaced by the nearest allowed ones, in the metric of the inertias (Distance).
//
// With more actuators than the motion needs, the forces have the least Euclidean norm
// (LeastNorm). A state that violates the joints is taken as it is; Holds tells.
//
// Cost: three factorizations of either system, one more if the actuators do not control all motions, and some tens of
// solves; allocates. It returns the errors of Solver.Solve, and an error with the body that wraps mechanism.ErrInput
// for an acceleration that is not finite. It returns a *mechanism.UnderactuatedError with the
// freedoms that still move. After this error the results are of forces that hold the actuated
// freedoms to the wanted accelerations; after other errors there are none. It panics unless
// wanted is nil or has six entries a body.
func (v *Inverse) Solve(st *mechanism.State, wanted []float64) error {
	v.enter()
	defer v.guard.Leave()
	mustHaveState(st)
	if wanted != nil && len(wanted) != len(v.wanted) {
		panic("kkt: length mismatch")
	}
	v.ok = false
	for i := range len(wanted) / 6 {
		if a := wanted[6*i:][:6]; !algebra.AllFinite(a...) {
			return fault.Errorf("kkt: %w", v.base.plan.mech.AtBody(i, fault.Errorf("%w: acceleration %v is not finite", mechanism.ErrInput, a)))
		}
	}
	return v.settle(st, wanted, v.once)
}

// settle calls once, again and again if friction grows with reactions, until the reactions agree with that friction.
func (v *Inverse) settle(st *mechanism.State, wanted []float64, once func(st *mechanism.State, wanted []float64) error) error {
	v.ok = false
	b := v.driven.bearings
	if b == nil {
		return once(st, wanted)
	}
	st = b.begin(st)
	for range bearingSolves {
		if err := once(st, wanted); err != nil {
			return err
		}
		if v.agree {
			return nil
		}
	}
	v.ok = false
	return fault.Errorf("kkt: %w", v.base.plan.mech.AtJoint(v.base.plan.mech.Bearing(0), -1, ErrJammed))
}

// once is Solve with the reactions in st.Bearings.
func (v *Inverse) once(st *mechanism.State, wanted []float64) error {
	v.ok = false
	if err := v.consistent(st, wanted); err != nil {
		return err
	}
	d := v.driven
	if err := d.Stages().Assemble(st); err != nil {
		return err
	}
	v.hold()
	if err := d.Stages().Factorize(); err != nil {
		return err
	}
	if err := d.Stages().Refine(); err != nil {
		return err
	}
	return v.conclude()
}

// conclude finds the forces of the driven system and the freedoms that still move. It returns an error if these forces do not make the
// wanted accelerations.
func (v *Inverse) conclude() error {
	if err := v.explain(); err != nil {
		return err
	}
	if err := v.findFree(); err != nil {
		return err
	}
	v.ok = true
	if v.missed > missedTol {
		return v.underactuated()
	}
	return nil
}

// movingTol is the least rate of a freedom that moves, relative to the largest
// velocity of the motion.
const movingTol = 1e-7

// missedTol is the largest Residual, the relative difference between wanted and made accelerations, that counts as rounding.
const missedTol = 1e-9

// consistent stores in v.wanted the accelerations nearest to wanted that the joints allow, and their distance: they are the
// solution of the system with M·wanted in place of the loads.
func (v *Inverse) consistent(st *mechanism.State, wanted []float64) error {
	s := v.base
	if err := s.Stages().Assemble(st); err != nil {
		return err
	}
	n := len(v.wanted)
	clear(s.sys.Right[:n])
	if wanted != nil {
		s.sys.WeighTo(s.sys.Right[:n], wanted)
	}
	s.alter()
	if err := s.Stages().Factorize(); err != nil {
		return err
	}
	if err := s.Stages().Refine(); err != nil {
		return err
	}
	copy(v.wanted, s.x[:n])
	v.distance = 0
	for i, a := range v.wanted {
		if wanted != nil {
			a -= wanted[i]
		}
		v.distance = max(v.distance, math.Abs(a))
	}
	return nil
}

// hold sets the right sides of the actuators' rows to the rates of their freedoms under the
// wanted accelerations.
func (v *Inverse) hold() {
	y := v.driven.sys
	x := make([]float64, len(y.Right))
	y.WeighTo(x, v.wanted)
	product := make([]float64, len(x))
	y.Matrix.MulVecTo(product, x)
	for _, r := range v.rows {
		y.Right[r] = product[r]
	}
	v.moveArmature(y, v.secondRates(v.wanted))
	v.driven.alter()
}

// secondRates returns the second rates of the actuated freedoms under the accelerations a of the bodies, rad/s² or m/s². It is 0 for a
// freedom without a direction at the pose.
func (v *Inverse) secondRates(a []float64) []float64 {
	d := v.driven
	list := make([]float64, len(v.actuators))
	for k, f := range v.actuators {
		var qdd [6]float64
		if d.plan.mech.SecondRatesTo(&qdd, f.Joint, a, d.sys.Kin, d.st) == nil {
			list[k] = qdd[f.Freedom]
		}
	}
	return list
}

// moveArmature adds the forces −I·q̈ of the armature of the actuated freedoms to the
// right side of y, for their second rates. The actuators have to overcome these too.
// The armature of other free freedoms is in the system, as flywheels. Armature of prescribed
// freedoms is left out, because their drive forces are not among the results.
func (v *Inverse) moveArmature(y *assemble.Weighted, second []float64) {
	mech, st := v.driven.plan.mech, v.driven.st
	var load []spatial.Force
	for k, a := range v.actuators {
		jt := &mech.Joints[a.Joint]
		if jt.Armature == nil || jt.Armature[a.Freedom] == 0 {
			continue
		}
		if load == nil {
			load = make([]spatial.Force, mech.NumBodies())
		}
		var tau [6]float64
		tau[a.Freedom] = -jt.Armature[a.Freedom] * second[k]
		mech.AddFreedomForcesTo(load, a.Joint, &tau, y.Kin, st)
	}
	for i := range load {
		y.AddWrenchTo(y.Right[6*i:][:6], i, 1, &load[i])
	}
}

// explain reads the forces, replaces them by those of least norm where they are not unique, and compares
// the accelerations with the wanted ones. It finds the numbers of motions.
func (v *Inverse) explain() error {
	d := v.driven
	v.missed = 0
	for i, a := range v.wanted {
		v.missed = max(v.missed, math.Abs(d.x[i]-a))
	}
	if size := max(algebra.MaxAbs(v.wanted), d.sys.FreeAcceleration()); size > 0 {
		v.missed /= size
	}
	x := append([]float64(nil), d.x...)
	base, err := v.base.Report()
	if err != nil {
		return err
	}
	driven := &Report{RedundantRows: make([]int, d.plan.mech.NumConstraints()), WeakestJoint: -1}
	k, err := d.explainer().rank(driven, nil)
	if err != nil {
		return err
	}
	// The rank of the driven system leaves the motions that the actuators do not control.
	rows := len(x) - d.plan.first() - d.plan.gears()
	v.mobility = base.Mobility
	v.left = len(v.wanted) - (rows - driven.Redundant)
	if v.leastNorm = true; v.mobility-v.left < len(v.actuators) {
		v.spread(x, k, driven.Redundant)
	}
	for k, r := range v.rows {
		v.force[k] = -x[r]
	}
	if b := d.bearings; b != nil {
		if err := v.base.determined(base); err != nil {
			return err
		}
		p := d.plan.layout.Pattern
		v.agree = b.take(d.plan.mech, d.now.kin, func(j int) spatial.Force {
			node := d.plan.layout.JointNode(j)
			return d.wrench(j, x[p.Off[node]:p.Off[node+1]]).Scale(-1)
		})
	}
	return nil
}

// idleNorm is the weight of a unit multiplier of a joint in the norm, where a unit force of an
// actuator has the weight 1, both in the scales of their rows. It is small beside 1,
// and its root is well above rounding.
const idleNorm = 1e-12

// idleSteps is the number of steps of the proximal-point method that remove idleNorm from the
// forces. Each step leaves about idleNorm times the square of the number of bodies that a force
// goes through.
const idleSteps = 3

// spread replaces the multipliers x by multipliers with the least Euclidean norm of the actuators'
// forces, theory.md (27). It takes idleSteps proximal-point steps, in which multipliers of the joints count by their change. The
// geometric matrix is in the driven system, whose constraints have the given number of redundant rows.
func (v *Inverse) spread(x []float64, k *ranking, redundant int) {
	d := v.driven
	metric, driven := v.idleMetric()
	d.factorSpan(k.span, metric, len(x)-d.plan.first()-redundant, k.off)
	was, y := append([]float64(nil), x...), make([]float64, len(x))
	for range idleSteps {
		v.leastNorm = v.idle(x, y, k.span, driven) && v.leastNorm
	}
	if !v.leastNorm {
		copy(x, was)
	}
}

// idleMetric returns, by scalar of the driven system, the weights of the multipliers in the norm, and whether they are forces of actuators.
func (v *Inverse) idleMetric() (metric []float64, driven []bool) {
	y := v.driven.sys
	unit := 0.0
	for _, r := range v.rows {
		unit = max(unit, y.Scale[r])
	}
	metric, driven = make([]float64, len(y.Scale)), make([]bool, len(y.Scale))
	for i, scale := range y.Scale {
		metric[i] = idleNorm * scale / unit
	}
	for _, r := range v.rows {
		metric[r], driven[r] = 1, true
	}
	return metric, driven
}

// idle takes one proximal-point step of the multipliers x. Let y be the vector of least norm with the same effect as the actuators' rows
// of x. Then x becomes y in these rows, and x + y in all others. The slice y is scratch of the length of x. It reports whether the norm
// of y is the least.
func (v *Inverse) idle(x, y []float64, q *factor.Span, driven []bool) bool {
	clear(y)
	for _, r := range v.rows {
		y[r] = x[r]
	}
	how := q.LeastNormTo(y)
	for i := range x {
		if driven[i] {
			x[i] = y[i]
		} else {
			x[i] += y[i]
		}
	}
	return isLeast(how, q.Gap())
}

// Holds returns nil if the state of the last Solve satisfies the joints (mechanism.Mechanism.Holds), else an error that wraps a
// *mechanism.ViolationError with the name of the joint. Actuated freedoms may have any coordinate.
//
// Cost: O(bodies + joints); allocates for an error alone. It panics without a solution. The state must not have changed.
func (v *Inverse) Holds() error {
	v.mustHave()
	return holds(v.base.plan.mech, v.driven.sys.Kin, v.driven.st)
}

// LeastNorm reports whether the forces have the least norm, or are unique. If not, they
// are some choice among the forces that make the accelerations.
//
// It panics without a solution.
func (v *Inverse) LeastNorm() bool {
	v.mustHave()
	return v.leastNorm
}

// mustHave panics without results.
func (v *Inverse) mustHave() {
	if v == nil || !v.ok {
		panic("kkt: no solution")
	}
}

// Forces returns the force of each actuator, N or N m.
//
// It panics without a solution, as do the next ones.
func (v *Inverse) Forces() []float64 {
	v.mustHave()
	return append([]float64(nil), v.force...)
}

// Accelerations returns the wanted accelerations made consistent with the
// joints, six numbers a body.
func (v *Inverse) Accelerations() []float64 {
	v.mustHave()
	return append([]float64(nil), v.wanted...)
}

// Distance returns the largest difference of a number between the wanted accelerations and
// Accelerations. After SolveFreedoms it is the largest difference of second rates.
func (v *Inverse) Distance() float64 {
	v.mustHave()
	return v.distance
}

// Residual returns the largest difference of a number between Accelerations and the accelerations that the actuators
// make. It is relative to the largest of Accelerations, or of the accelerations that the loads alone would make if that is larger.
func (v *Inverse) Residual() float64 {
	v.mustHave()
	return v.missed
}

// Actuation reports whether the actuators control too few motions, or are more than the motions, so that forces are not unique.
func (v *Inverse) Actuation() mechanism.Actuation {
	v.mustHave()
	switch {
	case v.left > 0:
		return mechanism.ActuationUnder
	case v.mobility < len(v.actuators):
		return mechanism.ActuationRedundant
	}
	return mechanism.ActuationProper
}

// Mobility returns the number of independent motions.
func (v *Inverse) Mobility() int {
	v.mustHave()
	return v.mobility
}

// Controlled returns the number of independent motions that the actuators control.
func (v *Inverse) Controlled() int {
	v.mustHave()
	return v.mobility - v.left
}

// Uncontrolled returns the scalar freedoms that may still move when the actuators hold their freedoms;
// nil if there are none. Bodies that move without a scalar freedom, on ball joints or
// freely, do not show in it.
func (v *Inverse) Uncontrolled() []mechanism.Freedom {
	v.mustHave()
	return slices.Clone(v.free)
}

// findFree finds the freedoms that move in a random velocity projected on the motions that joints and actuators allow.
func (v *Inverse) findFree() error {
	v.free = nil
	if v.left == 0 {
		return nil
	}
	d := v.driven
	st := d.st.Clone()
	if err := d.Stages().Assemble(st); err != nil {
		return err
	}
	if err := d.Stages().Factorize(); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(d.x))))
	b := make([]float64, len(d.x))
	r := make([]float64, len(v.wanted))
	for i := range r {
		r[i] = rng.Float64() - 0.5
	}
	d.sys.WeighTo(b[:len(r)], r)
	x := make([]float64, len(b))
	d.whole.SolveRefinedTo(x, d.whole.r, b, d.sys.Matrix, 0)
	d.sys.AccelerationsTo(x, x)
	for i := range st.Bodies {
		st.Bodies[i].SetComVelocity((*[6]float64)(x[6*i:]), &d.sys.Kin.Bodies[i].Com)
	}
	v.free = d.plan.mech.Moving(d.sys.Kin, st, movingTol*algebra.MaxAbs(x[:len(r)]))
	return nil
}

// underactuated is the error for wanted accelerations that the actuators do not make.
func (v *Inverse) underactuated() error {
	e := &mechanism.UnderactuatedError{Mobility: v.mobility, Controlled: v.mobility - v.left, Residual: v.missed}
	for _, f := range v.free {
		e.Freedoms = append(e.Freedoms, fmt.Sprintf("%s.%d", v.base.plan.mech.JointName(f.Joint), f.Freedom))
	}
	return fault.Errorf("kkt: %w", e)
}

// enter panics if v is zero or in use. Its guard has to be left afterwards.
func (v *Inverse) enter() {
	if v == nil || v.base == nil {
		panic("kkt: zero Inverse; use Plan.NewInverse")
	}
	if !v.guard.Enter() {
		panic("kkt: Inverse used by two goroutines")
	}
}
