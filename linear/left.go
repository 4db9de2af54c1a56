package linear

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// leftMargin is the factor on the estimate of leftOf. The estimate assumes that the bodies
	// turn together and that the joints hold exactly.
	leftMargin = 10
	// leftMost is the largest relative unbalanced force of a state that counts as an
	// equilibrium. The forces left on such a state are taken as an error of K, which leftOf
	// estimates. A state with larger forces is taken as it is, and so is its K.
	leftMost = 1e-6
)

// weighLeft stores in s.left the forces f + Jᵀλ on the bodies, with the multipliers of K, if
// the state is at rest and balanced up to leftMost. Otherwise s.left is nil.
//
// Cost: O(bodies + joints); allocates.
func (s *System) weighLeft() {
	s.left = nil
	if !s.rest {
		return
	}
	if _, relative := s.Unbalanced(); !(relative <= leftMost) {
		return
	}
	n := s.dim()
	x, r := make([]float64, len(s.x)), make([]float64, len(s.x))
	copy(x[n:], s.x[n:]) // −λ
	s.y.Matrix.MulVecTo(r, x)
	s.left = r[:n]
	for i := range s.left {
		s.left[i] = s.y.Right[i] - s.left[i]
	}
}

// leftOf returns the size of xᵀKx that forces left out of balance may make, statics-and-modes.md (S3). Let q(t) be a
// motion that the joints allow and in which no force does work: (f + Jᵀλ)·q̇ = 0 for any λ. The
// derivative of that with λ held is
//
//	q̇ᵀKq̇ = (f + Jᵀλ)·q̈,
//
// and this would be zero in balance. Bodies that turn at the rate ω have q̈ = ω×q̇.
func (s *System) leftOf(x []float64) float64 {
	if s.left == nil {
		return 0
	}
	sum := 0.0
	for i := 0; i < len(x); i += 3 {
		sum += spatial.Vec3(s.left[i:i+3]).Norm() * spatial.Vec3(x[i:i+3]).Norm()
	}
	return leftMargin * s.turnOf(x) * sum
}

// turnOf returns the largest rotation by x of a body or of the line of a distance joint.
func (s *System) turnOf(x []float64) (turn float64) {
	for i := 0; i < len(x); i += 6 {
		turn = max(turn, spatial.Vec3(x[i:i+3]).Norm())
	}
	var u [12]float64
	for j := range s.mech.Joints {
		if s.mech.Joints[j].Kind != joints.Distance {
			continue
		}
		var jk mechanism.JointKinematics
		s.mech.JointTo(&jk, j, s.y.Kin, s.st)
		l := s.distanceLink(j, &jk)
		gather(&u, x, &l.body)
		var end [2]spatial.Vec3
		for e := range end {
			end[e] = spatial.Vec3(u[6*e+3 : 6*e+6]).Add(spatial.Vec3(u[6*e : 6*e+3]).Cross(l.arm[e]))
		}
		turn = max(turn, end[1].Sub(end[0]).Norm()/l.line.Norm())
	}
	return turn
}

// subtractTurning subtracts from dst, a product of K with x, half of n×φ at each body. n are
// the moments of left, which may be nil. That is the part which K of forces with a potential
// has beyond its symmetric part.
func subtractTurning(dst, left, x []float64) {
	for i := 0; i < len(left); i += 6 {
		n := spatial.Vec3(left[i : i+3]).Cross(spatial.Vec3(x[i : i+3]))
		for k := range 3 {
			dst[i+k] -= n[k] / 2
		}
	}
}
