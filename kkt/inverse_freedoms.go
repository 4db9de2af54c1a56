package kkt

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// SolveFreedoms finds the accelerations of all bodies and the forces of the actuators at st, where second is the second
// rate q̈ of the coordinate of each actuated freedom, rad/s² or m/s²; nil stands for zeros. The forces are in addition to the forces
// of the model there, as a computed-torque controller sets them. Accelerations and Forces return the results.
//
// Freedoms that the actuators do not control move under the loads (hybrid dynamics, RBDA §9.1). Uncontrolled names
// them, and they are no error. If there are more actuators than the motion needs, their second rates have to agree with each other. The
// forces then have the least Euclidean norm (LeastNorm). Distance is the largest difference between a given second rate and the one of
// the accelerations found, where second rates agree but for a small error.
//
// Cost: two solves and few allocations, if the forces are unique and doubles leave no doubt about redundant
// rows; else as Solve. It returns the errors of Solver.Solve; ErrInconsistent names a joint whose second rate
// contradicts others, or whose freedom cannot move. A second rate that is not finite is an error with the joint that wraps
// mechanism.ErrInput. After an error there are no results. It panics unless second is nil or has
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
	v.ok = false
	for k, x := range second {
		if a := v.actuators[k]; !algebra.Finite(x) {
			err := fault.Errorf("%w: acceleration %v of freedom %d is not finite", mechanism.ErrInput, x, a.Freedom)
			return fault.Errorf("kkt: %w", v.base.plan.mech.AtJoint(a.Joint, -1, err))
		}
	}
	return v.settle(st, second, v.freedomsOnce)
}

// freedomsOnce is SolveFreedoms with the reactions in st.Bearings. The rows of the actuators in the driven system ask for second rates of
// zero, to which the wanted ones are added. The accelerations of the solution are consistent with the joints.
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
	if err := v.consistent(st, made); err != nil { // factors the system without actuators, for its rank
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

// surePivot is the least pivot, relative to its row's scale, that leaves no doubt that the row is not redundant. Rounding
// makes pivots of redundant rows larger than the limit below which rows are dropped: 1.7e-9 in a ring of 20 bodies. Rows that are not
// redundant had pivots of 1e-5 and more in rings and scissors of up to 40 bodies. A larger value costs time only.
const surePivot = 3e-6

// count takes the forces from the solution and the numbers of motions from the factors of both systems. It reports whether these
// suffice: the forces are unique, the first way to factor was enough, and its pivots leave no doubt about the rank. Rows that it
// has dropped hold to rounding, as the solve has checked.
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

// motions returns the number of independent motions, where the rows that the last solution has dropped are the redundant ones.
func (s *Solver) motions() int {
	first := s.plan.first()
	rows := len(s.x) - first - s.plan.gears()
	return 6*s.plan.mech.NumBodies() - rows + s.redundant()
}
