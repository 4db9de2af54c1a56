package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a Hoberman ring.
const (
	hobermanArm    = 0.5 // m, length of an arm of a rod
	hobermanSpring = 4.0 // N m/rad, stiffness at each middle pin
)

// Hoberman is Hoberman's ring (US patent 4942700) of n + 2 pairs of angulated rods, upright in the plane y = 0, gravity
// along −z. A rod has two arms of 0.5 m that meet at the angle π − 2π/(n+2). The rods "a0", … and "b0", … of a pair are
// pinned to each other where their arms meet ("c0"), and to the rods of the next pair at their outer ends ("o0") and at their
// inner ends ("i0"). All pins are revolutes about −y, with springs at the middle pins. One rod is held in the plane ("table"),
// and each middle pin stays on a plane through the axis of the ring ("guide0").
//
// A rod moves like a circle that rolls inside a circle of twice its diameter (Cardan circles), so that both ends and the middle
// move on straight lines through the centre: the ring grows and shrinks as a whole, though the count of rods and pins gives no
// mobility. The rate is drawn from the seed.
//
// With k = n + 2: 2k bodies, 4k+1 joints; rows 16k+3, rank 12k−1, redundant 4k+4, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Hoberman(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("hoberman", n)
	if err != nil {
		return nil, err
	}
	k := n + 2
	r := newRig("hoberman", n, seed, nb, 4*k+1)
	h := newHobermanRing(k, r.uniform(2)/float64(k))
	g, psi, half, on := h.g, h.psi, h.half, h.on
	c := upright()
	// Pair j is on the ray 2·half·j. Rod a has its outer end half an angle after that ray and its inner end before it; rod b the
	// other way round.
	outer, inner := make([][2]int, k), make([][2]int, k)
	for j := range k {
		ray := 2 * half * float64(j)
		middle := on(psi, ray)
		far, near := on(psi-half, ray+half), on(psi+half, ray-half)
		farB, nearB := on(psi-half, ray-half), on(psi+half, ray+half)
		a := r.bar(c, r.name("a", j), g, near, far)
		b := r.bar(c, r.name("b", j), g, farB, nearB)
		outer[j], inner[j] = [2]int{a, b}, [2]int{b, a}
		if j == 0 {
			r.fit("table", model.Planar, ground, a, c.frame(middle), c.frame(middle))
		}
		pin := r.hinge(c, r.name("c", j), a, b, middle)
		pin.Stiffness = r.values(hobermanSpring)
		across := vec{-math.Sin(ray), math.Cos(ray)}
		r.fit(r.name("guide", j), model.PointOnPlane, ground, a, c.x.then(place{vec{}, alongZ(across)}), c.frame(middle))
	}
	for j := range k {
		next, ray := (j+1)%k, 2*half*float64(j)+half
		r.hinge(c, r.name("o", j), outer[j][0], outer[next][1], on(psi-half, ray))
		r.hinge(c, r.name("i", j), inner[j][0], inner[next][1], on(psi+half, ray))
	}
	return r.m, nil
}

// hobermanRing is the state of a ring of k pairs of angulated rods: on rays from the centre, the middle pins are at the distance
// d·cos ψ, and outer and inner pins at d·cos(ψ ∓ π/k).
type hobermanRing struct {
	g    solid   // of a rod, x from its inner to its outer end, its middle on the side of −y
	d    float64 // m, diameter of the circle through both ends and the middle of a rod
	psi  float64 // ψ, rad: half of the largest ψ, at which the inner pins meet
	rate float64 // of ψ, rad/s
	half float64 // π/k, half the angle between two pairs
}

// newHobermanRing returns the ring of k pairs in which ψ changes at a rate, rad/s.
func newHobermanRing(k int, rate float64) hobermanRing {
	half := math.Pi / float64(k)
	h := hobermanRing{d: hobermanArm / math.Sin(half), psi: (math.Pi/2 - half) / 2, rate: rate, half: half}
	middle, end := h.points()
	h.g = truss(1, [2]vec{{}, middle}, [2]vec{middle, end})
	return h
}

// on returns position and velocity, in the plane, of the pin on a ray at the distance d·cos(angle), where the angle changes at the
// rate of ψ.
func (h *hobermanRing) on(angle, ray float64) pivot {
	sin, cos := math.Sincos(ray)
	u := vec{cos, sin}
	return pivot{u.mul(h.d * math.Cos(angle)), u.mul(-h.d * math.Sin(angle) * h.rate)}
}

// points returns the middle and the outer end of a rod, in its frame.
func (h *hobermanRing) points() (middle, end vec) {
	s, c := math.Sincos(h.half)
	return vec{hobermanArm * c, -hobermanArm * s}, vec{2 * hobermanArm * c}
}

// inertia returns the generalized inertia of one rod for ψ, M/2k, and half its derivative by ψ: with a rod's mass m, inertia I and
// distance s of its centre of mass from its middle pin, M/2k = m((d − s)² sin²ψ + s² cos²ψ) + I.
func (h *hobermanRing) inertia() (m, half float64) {
	sin, cos := math.Sincos(h.psi)
	s := hobermanArm / 2 * math.Sin(h.half)
	far := h.d - s
	return h.g.mass*(far*far*sin*sin+s*s*cos*cos) + h.g.inertia.ZZ, h.g.mass * (far*far - s*s) * sin * cos
}

// HobermanAcceleration is ψ″, rad/s², of the ring at the rate ψ′, rad/s; the angular velocities of the rods about −y are −ψ′ (a)
// and ψ′ (b). The springs are at rest, and the weight does no work, as the centre of mass stays. With a rod's mass m,
// inertia I and distance s of its centre of mass from its middle pin,
//
//	ψ″ = −½ dM/dψ ψ′²/M,  M = 2k(m((d − s)² sin²ψ + s² cos²ψ) + I).
func HobermanAcceleration(n int, rate float64) float64 {
	h := newHobermanRing(n+2, rate)
	M, half := h.inertia() // M/2k
	return -half * rate * rate / M
}
