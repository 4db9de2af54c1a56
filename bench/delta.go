package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a delta robot.
const (
	deltaBase, deltaTool = 0.3, 0.1 // m, radii of the hips and of the wrists
	deltaArm, deltaRod   = 0.4, 0.9 // m
	deltaHalf            = 0.06     // m, half the distance between the rods of an arm
	deltaHeight          = 0.85     // m, of the base above the platform
	deltaServo           = 400.0    // N m/rad
	deltaDamping         = 8.0      // N m s/rad
	deltaArmMass         = 1.0      // kg
	deltaRodMass         = 0.15     // kg
	deltaToolMass        = 0.8      // kg, of a platform for three arms; it grows with the number of arms
)

// Delta is Clavel's delta robot (US patent 4976582) with n + 2 arms in place of three, hanging under its base, gravity
// along −z. Arm k has the body "a<k>" on a driven hinge "h<k>" and two parallel rods "l<k>" and "r<k>" with universal
// joints above ("ul<k>") and balls below ("sl<k>") on the platform "tool". The hinges are servos: springs about their
// angle here, with damping. Place and velocity of the platform are drawn from the seed.
//
// Each pair of rods keeps the platform from turning about one axis. Three keep it level, and its three freedoms are all
// translations. Every arm beyond the third repeats one row.
//
// With k = n + 2 arms: 3k+1 bodies, 5k joints; rows 19k, rank 18k+3, redundant k−3, mobility 3.
//
// Cost: O(n). It returns ErrSize.
func Delta(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("delta", n)
	if err != nil {
		return nil, err
	}
	k := n + 2
	r := newRig("delta", n, seed, nb, 5*k)
	p, v := vec{2: -deltaHeight}.add(r.vec(0.1)), r.vec(0.5)
	disc := deltaToolMass * float64(k) / 3
	I := disc * deltaTool * deltaTool / 4
	tool := r.body("tool", solid{disc, vec{}, model.Inertia{XX: I, YY: I, ZZ: 2 * I}}, at(p), twist{v: v})
	r.show(tool, cylinder, [3]float64{deltaTool + 0.03, 0.02}, origin, dark)
	r.show(ground, cylinder, [3]float64{deltaBase + 0.02, 0.03}, at(vec{2: 0.06}), grey)
	for i := range k {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(k))
		out, across := vec{c, s}, vec{-s, c}
		hip, wrist := out.mul(deltaBase), p.add(out.mul(deltaTool))
		angle, rate := armTo(wrist.sub(hip), v, out, deltaArm, deltaRod)
		s, c = math.Sincos(angle)
		// The arm is along x of its frame and turns about y, which is the hinge.
		along, up := out.mul(c).add(vec{2: -s}), out.mul(s).add(vec{2: c})
		hinge := axes(along, across, up)
		arm := r.body(r.name("a", i), box(deltaArmMass, vec{deltaArm, 2 * deltaHalf, 0.04}, vec{deltaArm / 2}), place{hip, hinge}, twist{w: across.mul(rate)})
		r.show(arm, cuboid, [3]float64{deltaArm, 0.05, 0.05}, at(vec{deltaArm / 2}), orange)
		r.show(arm, cylinder, [3]float64{0.02, 3 * deltaHalf}, place{vec{deltaArm}, alongY}, dark)
		r.show(arm, cylinder, [3]float64{0.05, 0.12}, place{vec{}, alongY}, dark)
		axis := place{hip, alongZ(across)}
		j := r.fit(r.name("h", i), model.Revolute, ground, arm, axis, axis)
		j.Stiffness, j.Damping = r.values(deltaServo), r.values(deltaDamping)
		elbow := hip.add(along.mul(deltaArm))
		for _, side := range [...]struct {
			mark string
			at   vec
		}{{"l", across.mul(deltaHalf)}, {"r", across.mul(-deltaHalf)}} {
			r.strut(&strut{
				names: [3]string{r.name(side.mark, i), r.name("u"+side.mark, i), r.name("s"+side.mark, i)},
				on:    [2]int{arm, tool}, ends: [2]vec{elbow.add(side.at), wrist.add(side.at)}, hinge: across,
				mass: deltaRodMass, wide: 0.02, radius: 0.012,
			})
		}
	}
	return r.m, nil
}
