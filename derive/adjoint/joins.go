package adjoint

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// joinSteps is the distance, in steps, of the starts at which derivatives are projected onto the joints even without a projection of the
// run, theory.md (V6).
const joinSteps = 4

// joinsAt reports whether the derivatives at the start of a step are always projected onto the joints. The first step of a run is 1.
func joinsAt(step int) bool { return (step-1)%joinSteps == 0 }

// shiftTol is the least change of a state by which a run counts as having projected it: in rad and typical lengths, and for rates relative
// to the fastest, at least 1/s. Projections are needed only for changes a hundred times as large, so that a smaller value costs time only.
const shiftTol = 1e-12

// shift is the change of the end of a step by a projection: six numbers a body, as for JointField.Projected.
type shift struct {
	moved, change []float64
	length        float64 // typical length of the mechanism
}

// set stores the change from the bodies from to the bodies to, and reports whether it is more than rounding.
func (x *shift) set(s *mechanism.Mechanism, from, to []mechanism.BodyState) bool {
	if x.moved == nil {
		x.moved, x.change, x.length = make([]float64, 6*len(to)), make([]float64, 6*len(to)), s.TypicalLength()
	}
	L := x.length
	pose, rate, fastest := 0.0, 0.0, 1.0
	for i := range to {
		a, b, com := &from[i], &to[i], s.Bodies[i].Com
		turned := b.Rotation.Mul(a.Rotation.Conj())
		turn, was, arm := smallTurn(turned), a.Rotation.Rotate(com), b.Rotation.Rotate(com)
		travel := b.Position.Sub(a.Position).Add(arm.Sub(was))
		spin := b.Omega.Sub(a.Omega)
		speed := b.Velocity.Sub(a.Velocity).Add(spin.Cross(arm))
		for c := range 3 {
			x.moved[6*i+c], x.moved[6*i+3+c] = turn[c], travel[c]
			x.change[6*i+c], x.change[6*i+3+c] = spin[c], speed[c]
		}
		pose = max(pose, algebra.MaxAbs(turn[:]), algebra.MaxAbs(travel[:])/L)
		rate = max(rate, algebra.MaxAbs(spin[:]), algebra.MaxAbs(speed[:])/L)
		fastest = max(fastest, algebra.MaxAbs(b.Omega[:]), algebra.MaxAbs(b.Velocity[:])/L)
	}
	return pose > shiftTol || rate > shiftTol*fastest
}

// smallTurn returns the rotation vector of a unit quaternion of a small angle θ, with an error of the order of θ³.
func smallTurn(q spatial.Quat) spatial.Vec3 {
	twice := 2.0
	if q[0] < 0 {
		twice = -2
	}
	return spatial.Vec3(q[1:]).Scale(twice)
}
