package linear

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// fillOwn adds user's force i (mechanism.DifferentiableForce) to K and C.
//
// It returns an error with the name of the force if it has no derivatives or is not finite.
func (s *System) fillOwn(i int) error {
	w, err := s.mech.OwnWrenches(i, s.y.Kin, s.st)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	pose, velocity, err := s.mech.OwnDerivatives(i, s.y.Kin, s.st)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	bodies, _ := s.mech.OwnBodies(i)
	s.addWrenches(bodies, w, pose, velocity)
	return nil
}

// addWrenches adds the wrenches w on bodies to K and C, as a pair of each two of the bodies, or of a single body and the world. pose
// and velocity have their derivatives P and V by displacements and velocities, row-major, as mechanism.DifferentiableForce
// defines them. The angular velocity ω of a displaced body is ω + φ̇ + φ×ω, so that
//
//	K = −P − V·(φ ↦ φ×ω),   C = −V.
func (s *System) addWrenches(bodies []int32, w []spatial.Force, pose, velocity []float64) {
	for k, b := range bodies {
		s.addLoadSize(b, w[k].Moment(), w[k].Linear())
	}
	n := len(bodies)
	if n == 1 {
		s.addWrenchPair(pose, velocity, bodies, [2]int{0, -1}, 1)
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			s.addWrenchPair(pose, velocity, bodies, [2]int{a, b}, 1/float64(n-1))
		}
	}
}

// addWrenchPair adds the pair of the two bodies at the indexes at of bodies, −1 for the world, from the derivatives of addWrenches. The
// blocks of a single body are multiplied by share: each body is in several pairs, which together have its block once.
func (s *System) addWrenchPair(pose, velocity []float64, bodies []int32, at [2]int, share float64) {
	p := pair{body: [2]int32{-1, -1}, joint: -1, C: new([144]float64)}
	for e, a := range at {
		if a >= 0 {
			p.body[e] = bodies[a]
		}
	}
	width := 6 * len(bodies) // of a row of pose and velocity
	for k := range 144 {
		r, c := k/12, k%12
		a, b := at[r/6], at[c/6]
		if a < 0 || b < 0 {
			continue
		}
		part := 1.0
		if a == b {
			part = share
		}
		row := (6*a+r%6)*width + 6*b
		d := pose[row+c%6]
		if c %= 6; c < 3 {
			var unit spatial.Vec3
			unit[c] = 1
			d += spatial.Vec3(velocity[row : row+3]).Dot(unit.Cross(s.st.Bodies[bodies[b]].Omega))
		}
		p.K[k], p.C[k] = -part*d, -part*velocity[row+c]
	}
	s.pairs = append(s.pairs, p)
}
