package linear

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// imbalanceMargin is the factor on the estimate of imbalanceError, which assumes that the bodies
	// rotate together and that the joints hold exactly.
	imbalanceMargin = 10
	// imbalanceMost is the largest relative unbalanced force of a state that counts as an
	// equilibrium. Its unbalanced forces count as an error, and so does their part in K, which imbalanceError
	// estimates. The unbalanced forces of other states count as they are, and so does their K.
	imbalanceMost = 1e-6
)

// setImbalance stores in s.imbalance the forces f + Jᵀλ on the bodies, with the multipliers λ that K has, if
// the state is at rest and balanced up to imbalanceMost. Otherwise s.imbalance is nil.
//
// Cost: O(bodies + joints); allocates.
func (s *System) setImbalance() {
	s.imbalance = nil
	if !s.rest {
		return
	}
	if _, relative := s.Unbalanced(); !(relative <= imbalanceMost) {
		return
	}
	n := s.dim()
	x, r := make([]float64, len(s.x)), make([]float64, len(s.x))
	copy(x[n:], s.x[n:]) // −λ
	s.y.Matrix.MulVecTo(r, x)
	s.imbalance = r[:n]
	for i := range s.imbalance {
		s.imbalance[i] = s.y.Right[i] - s.imbalance[i]
	}
}

// imbalanceError returns a bound of the part of xᵀKx that unbalanced forces make, statics-and-modes.md (S3); 0 if s.imbalance is nil. Let
// q(t) be a motion that the joints allow and in which no force does work: (f + Jᵀλ)·q̇ = 0 for any λ. The derivative of this equation
// by time, with λ constant, is
//
//	q̇ᵀKq̇ = (f + Jᵀλ)·q̈,
//
// which is zero in balance. Bodies that rotate at the rate ω have q̈ = ω×q̇.
func (s *System) imbalanceError(x []float64) float64 {
	if s.imbalance == nil {
		return 0
	}
	sum := 0.0
	for i := 0; i < len(x); i += 3 {
		sum += spatial.Vec3(s.imbalance[i:i+3]).Norm() * spatial.Vec3(x[i:i+3]).Norm()
	}
	return imbalanceMargin * s.largestRotation(x) * sum
}

// largestRotation returns the largest angle by which the displacement x rotates a body or the line of a distance joint, rad.
func (s *System) largestRotation(x []float64) (angle float64) {
	for i := 0; i < len(x); i += 6 {
		angle = max(angle, spatial.Vec3(x[i:i+3]).Norm())
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
		angle = max(angle, end[1].Sub(end[0]).Norm()/l.line.Norm())
	}
	return angle
}

// subtractSkew subtracts from dst = K·x the skew part of K for forces with a potential: half of n×φ at each body, with n the moments of
// the unbalanced forces, six numbers a body, and φ the rotations of x. unbalanced may be nil; dst stays then.
func subtractSkew(dst, unbalanced, x []float64) {
	for i := 0; i < len(unbalanced); i += 6 {
		n := spatial.Vec3(unbalanced[i : i+3]).Cross(spatial.Vec3(x[i : i+3]))
		for k := range 3 {
			dst[i+k] -= n[k] / 2
		}
	}
}
