package adjoint

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// joinSteps is how many steps are between those at whose starts derivatives are taken to the joints whether the run has projected or not,
// theory.md (V6).
const joinSteps = 4

// joinsAt reports whether the derivatives at the start of a step are taken to the joints in any case. The first step of a run is 1.
func joinsAt(step int) bool { return (step-1)%joinSteps == 0 }

// shiftTol is the change of a state, relative to lengths, and in 1/s or relative to rates, from which on a run has projected it. Runs leave
// a hundred times as much as it is. A smaller value costs time only.
const shiftTol = 1e-12

// shift is by how much a projection has changed the end of a step: six numbers a body, as JointField.Projected has them.
type shift struct{ moved, change []float64 }

// set takes in what has made to of the end of a step, and reports whether that is more than rounding.
func (x *shift) set(s *mechanism.Mechanism, from, to []mechanism.BodyState) bool {
	if x.moved == nil {
		x.moved, x.change = make([]float64, 6*len(to)), make([]float64, 6*len(to))
	}
	L := s.TypicalLength()
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

// smallTurn returns the rotation vector of a unit quaternion of a small angle, up to its cube.
func smallTurn(q spatial.Quat) spatial.Vec3 {
	twice := 2.0
	if q[0] < 0 {
		twice = -2
	}
	return spatial.Vec3(q[1:]).Scale(twice)
}
