package tree

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Forces returns the forces of the actuators, in their order: N m for rotations, N for translations. It is not a copy.
//
// It panics without a solution, as the other methods here do.
func (v *Inverse) Forces() []float64 {
	v.mustHave()
	return v.force
}

// Holds returns nil if the state of the last Solve, which Solve does not check, satisfies the joints, or else the
// *mechanism.ViolationError of mechanism.Mechanism.Holds, which names the joint.
//
// Cost: O(bodies + joints); allocates for an error alone. The state must not have changed.
func (v *Inverse) Holds() error {
	v.mustHave()
	return v.s.Holds()
}

// Actuation returns whether the actuators are enough, and the forces unique.
func (v *Inverse) Actuation() mechanism.Actuation {
	v.mustHave()
	return v.kind
}

// Mobility returns the number of independent motions.
func (v *Inverse) Mobility() int {
	v.mustHave()
	return v.mobility
}

// Controlled returns the number of independent motions that the actuators
// control.
func (v *Inverse) Controlled() int {
	v.mustHave()
	return v.rank
}

// Distance returns how far the wanted accelerations were from the nearest ones that the joints allow: the largest difference of a component
// over all bodies, rad/s² or m/s².
func (v *Inverse) Distance() float64 {
	v.mustHave()
	return v.distance
}

// Residual returns the largest difference between the accelerations that the forces bring about and the wanted ones, made consistent with
// the joints. It is relative to the largest of two sizes: the wanted accelerations, and the accelerations by the loads without joints.
// It is rounding unless the actuators do not control all motions.
func (v *Inverse) Residual() float64 {
	v.mustHave()
	return v.residual
}

// JointAccelerations returns the wanted accelerations q̈ of the tree, made
// consistent with the loops. It is not a copy.
func (v *Inverse) JointAccelerations() []float64 {
	v.mustHave()
	return v.s.qdd
}

// AddTo adds to tau the generalized forces of the actuators on the tree. Actuators in loop joints are included.
//
// Shapes: tau has NumDof entries. It panics on a length mismatch.
func (v *Inverse) AddTo(tau []float64) {
	v.mustHave()
	n := len(v.x)
	if len(tau) != n {
		panic("tree: length mismatch")
	}
	for j, u := range v.force {
		axpy(u, v.B[j*n:(j+1)*n], tau)
	}
}

// movingTol is the least rate with which a freedom counts as moving, relative to the largest velocity of the motion.
const movingTol = 1e-7

// Uncontrolled returns the freedoms whose motion the actuators cannot determine; nil if there are none. They are freedoms with a scalar
// coordinate. Bodies that move without such a freedom, on ball joints or freely, are not among them.
//
// Cost: a solution of the Method, O(n·p) and O(joints); allocates.
func (v *Inverse) Uncontrolled() []mechanism.Freedom {
	v.mustHave()
	if v.rank == v.mobility {
		return nil
	}
	// A random motion, less what the actuators control.
	w := v.s.w
	rng := rand.New(rand.NewPCG(1, uint64(len(v.x))))
	for d, c := range v.s.colScale {
		v.x[d] = (rng.Float64() - 0.5) / c
	}
	v.lostTo(v.x, v.x)
	most := w.spread(v.x)
	st := w.State().Clone()
	for i := range w.links {
		b := w.plan.Links[i].Body
		st.Bodies[b].SetComVelocity((*[6]float64)(&w.links[i].a), &w.kin.Bodies[b].Com)
	}
	return w.plan.mech.Moving(w.kin, st, movingTol*most)
}

// lostTo stores in qdd the part of P·f that the actuators cannot bring about: P·f less its projection, in the coordinates of energy, on the
// accelerations by the actuators. qdd may be f.
func (v *Inverse) lostTo(qdd, f []float64) {
	y := v.y[:v.by.dim()]
	v.by.ofForce(y, f)
	k := min(len(y), len(v.actuators))
	for range 2 { // twice, against rounding
		for e := range v.rank {
			sum := 0.0
			for i, x := range y {
				sum += v.u[i*k+e] * x
			}
			for i := range y {
				y[i] -= sum * v.u[i*k+e]
			}
		}
	}
	v.by.toAcceleration(qdd, y)
}

// underactuated returns the error with freedoms that distinguish the motions which the actuators do not control. The matrix that takes
// forces to such motions is positive semidefinite; the freedoms are those of its largest pivots. It allocates.
func (v *Inverse) underactuated() error {
	n, lost := len(v.x), v.mobility-v.rank
	e := &mechanism.UnderactuatedError{Mobility: v.mobility, Controlled: v.rank, Residual: v.residual}
	motions := newSemidefinite(n)
	for d, c := range v.s.colScale {
		clear(v.x)
		v.x[d] = 1 / c
		v.lostTo(v.x, v.x)
		row := motions.row(d)
		for i := range row {
			row[i] = v.x[i] / v.s.colScale[i]
		}
	}
	motions.factor(0)
	for _, d := range motions.perm[:min(lost, motions.rank)] {
		e.Freedoms = append(e.Freedoms, v.s.plan.DofName(int(d)))
	}
	return fault.Errorf("tree: %w", e)
}

func (v *Inverse) mustHave() {
	if !v.ok {
		panic("tree: no solution")
	}
}
