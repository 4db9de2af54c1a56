package linear

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// fillOwn adds force i of one's own.
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

// addWrenches adds wrenches on bodies with their derivatives, which are as mechanism.DifferentiableForce has them: as
// stiffness and damping of pairs of the bodies, with a single body of that body and the world. The angular velocity ω
// changes by φ̇ + φ×ω along a displacement, so with the derivatives P and V
//
//	K = −P − V·(φ ↦ φ×ω),   C = −V.
func (s *System) addWrenches(bodies []int32, w []spatial.Force, pose, velocity []float64) {
	for k, b := range bodies {
		s.note(b, w[k].Moment(), w[k].Linear())
	}
	n := len(bodies)
	if n == 1 {
		s.addOwn(pose, velocity, bodies, [2]int{0, -1}, 1)
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			s.addOwn(pose, velocity, bodies, [2]int{a, b}, 1/float64(n-1))
		}
	}
}

// addOwn adds the pair of the bodies at two places among those of a force, −1 for the world. It has the given
// share of the blocks of a single body.
func (s *System) addOwn(pose, velocity []float64, bodies []int32, at [2]int, share float64) {
	p := pair{body: [2]int32{-1, -1}, joint: -1, C: new([144]float64)}
	for e, a := range at {
		if a >= 0 {
			p.body[e] = bodies[a]
		}
	}
	wide := 6 * len(bodies)
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
		row := (6*a+r%6)*wide + 6*b
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
