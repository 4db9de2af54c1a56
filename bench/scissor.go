package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a stage of the scissor mast.
const (
	scissorAngle = 0.6 // rad, of the rods from the horizontal
	scissorDepth = 0.1 // m, half the distance between the two hinges of a pin
)

// Scissor is a mast of n scissor stages on the ground, gravity along −y. A stage has two rods
// of 1 m and 1 kg: "a0", … from the left foot to the right, and "b0", … from the right foot to
// the left. They are pinned where they cross ("c0"), and at their tips to the rods of the next
// stage ("l0" left, "r0" right). Each pin is two revolutes about z, one ahead ("c0f") and one
// behind ("c0b"). The left foot is pinned to the world, "gf" and "gb". The right foot stands on
// a plane by two points, "sf" and "sb". Everything is symmetric about z = 0. So reactions of
// least norm are the reactions of a planar mast, half of each ahead and half behind.
//
// The mast folds at a rate, drawn from the seed, that gives its top some metres a second.
//
// 2n bodies, 6n joints; rows 30n−8, rank 12n−1, redundant 18n−7, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Scissor(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("scissor", n)
	if err != nil {
		return nil, err
	}
	r := newRig("scissor", n, seed, nb, 6*n)
	r.m.Gravity = [3]float64{0, -Gravity, 0}
	s, c := math.Sincos(scissorAngle)
	rate := r.uniform(2) / float64(n)
	left, right := ground, ground // rods on whose tips the stage stands
	for k := range n {
		foot := vec{0, float64(k) * s}
		rise := vec{0, float64(k) * c * rate}
		a := r.body(r.name("a", k), rod(1), place{foot, turn(vec{2: 1}, scissorAngle)}, twist{vec{2: rate}, rise})
		b := r.body(r.name("b", k), rod(1), place{foot.add(vec{c}), turn(vec{2: 1}, math.Pi-scissorAngle)},
			twist{vec{2: -rate}, rise.add(vec{-s * rate})})
		if k == 0 {
			r.pin("g", ground, a, vec{}, vec{})
			r.stand("s", b, vec{c})
		} else {
			r.pin(r.name("l", k-1), left, a, vec{1}, vec{})
			r.pin(r.name("r", k-1), right, b, vec{1}, vec{})
		}
		r.pin(r.name("c", k), a, b, vec{0.5}, vec{0.5})
		left, right = b, a
	}
	return r.m, nil
}

// pin appends two revolutes about z, ahead and behind, at the points p and q of their bodies.
func (r *rig) pin(name string, pred, succ int, p, q vec) {
	for _, side := range [...]struct {
		mark  string
		depth vec
	}{{"f", vec{2: scissorDepth}}, {"b", vec{2: -scissorDepth}}} {
		r.joint(name+side.mark, model.Revolute, pred, succ, at(p.add(side.depth)), at(q.add(side.depth)))
	}
}

// stand appends two points of a body, ahead and behind the origin of its frame, that stay on
// the level plane through p.
func (r *rig) stand(name string, body int, p vec) {
	level := place{p, alongZ(vec{1: 1})}
	r.joint(name+"f", model.PointOnPlane, ground, body, level, at(vec{2: scissorDepth}))
	r.joint(name+"b", model.PointOnPlane, ground, body, level, at(vec{2: -scissorDepth}))
}

// ScissorAcceleration is the angular acceleration θ″, rad/s², of the rods a0, … of Scissor at the rate θ′, rad/s. With M the generalized
// inertia of their angle θ and n² g sin θ the potential energy,
//
//	θ″ = −(n² g cos θ + ½ dM/dθ θ′²)/M,  M = 2n(sin²θ/4 + 1/12) + cos²θ·n(4n² − 1)/6.
func ScissorAcceleration(n int, rate float64) float64 {
	N := float64(n)
	s, c := math.Sincos(scissorAngle)
	S := N * (4*N*N - 1) / 12
	M := 2 * (N*(s*s/4+1.0/12) + S*c*c)
	dM := s * c * (N - 4*S)
	return -(Gravity*N*N*c + dM*rate*rate/2) / M
}
