package kkt

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// SolveFreedoms finds the accelerations of all bodies and the forces of the actuators at st, where second is the second
// rate q̈ of the coordinate of each actuated freedom, rad/s² or m/s²; nil asks for zero. The forces are in addition to those that
// the model has there: what a computed-torque controller sets (Accelerations, Forces).
//
// Freedoms that the actuators do not control move as the loads make them (hybrid dynamics, RBDA §9.1): Uncontrolled names
// them, and that is no error. More actuators than the motion needs have to be given second rates that agree. The forces then have the
// least Euclidean norm (LeastNorm). Distance tells how far given second rates are from the accelerations found, if they agree but for a
// small error.
//
// Cost: two solves, and allocates little, where the actuators have unique forces and doubles leave no doubt about redundant
// rows; else that of Solve. It returns the errors of Solver.Solve; ErrInconsistent names the joint where second rates
// contradict each other, or a freedom that cannot move. After an error there are no results. It panics unless second has
// an entry an actuator.
func (v *Inverse) SolveFreedoms(st *mechanism.State, second []float64) error {
	v.enter()
	defer v.guard.Leave()
	mustHaveState(st)
	if second == nil {
		second = make([]float64, len(v.actuators))
	}
	if len(second) != len(v.actuators) {
		panic("kkt: length mismatch")
	}
	return v.settle(st, second, v.freedomsOnce)
}

// freedomsOnce is SolveFreedoms with the friction that is in st. The actuators' rows of the driven system hold second rates of zero, to
// which the wanted ones are added. The accelerations that come out are consistent, as Solve needs them.
func (v *Inverse) freedomsOnce(st *mechanism.State, second []float64) error {
	v.ok = false
	d := v.driven
	if err := d.Stages().Assemble(st); err != nil {
		return err
	}
	for k, r := range v.rows {
		d.sys.Right[r] += second[k]
	}
	v.moveArmature(d.sys, second)
	d.alter()
	if err := d.Stages().Factorize(); err != nil {
		return err
	}
	if err := d.Stages().Refine(); err != nil {
		return err
	}
	made := append([]float64(nil), d.x[:len(v.wanted)]...)
	if err := v.consistent(st, made); err != nil { // for the rank without actuators
		return err
	}
	copy(v.wanted, made)
	v.distance = 0
	for k, x := range v.secondRates(made) {
		v.distance = max(v.distance, math.Abs(x-second[k]))
	}
	if v.count() {
		v.ok = true
		return v.findFree()
	}
	return v.conclude()
}

// surePivot is the least pivot of a row that counts, relative to its scale, from which on the rank by pivots is believed. Rounding
// makes pivots of redundant rows above those that are dropped: 1.7e-9 in a ring of 20 bodies. Rows that are not redundant had
// pivots of 1e-5 and more in rings and scissors of up to 40 bodies. A larger value costs time only.
const surePivot = 3e-6

// count takes the forces and the numbers of motions from the factors of both systems. It reports whether these suffice:
// the forces are unique, no factor but the first was needed, and its pivots leave no doubt about the rank. Rows that it
// has dropped hold to rounding, as Solve has checked.
func (v *Inverse) count() bool {
	b, d := v.base, v.driven
	if d.bearings != nil || b.way != DropWeak || d.way != DropWeak {
		return false
	}
	if min(b.leastPivot(), d.leastPivot()) < surePivot {
		return false
	}
	v.mobility, v.left = b.motions(), d.motions()
	if v.mobility-v.left != len(v.actuators) {
		return false
	}
	v.missed, v.leastNorm = 0, true
	for k, r := range v.rows {
		v.force[k] = -d.x[r]
	}
	return true
}

// motions returns the number of independent motions by the rows that the last solution has dropped.
func (s *Solver) motions() int {
	first := s.plan.first()
	rows := len(s.x) - first - s.plan.gears()
	return 6*s.plan.mech.NumBodies() - rows + s.redundant()
}
