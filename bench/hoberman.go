package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a Hoberman ring.
const (
	hobermanArm    = 0.5 // m, of a link
	hobermanSpring = 4.0 // N m/rad, at each middle pin
)

// Hoberman is Hoberman's ring (US patent 4942700) of n + 2 pairs of angulated rods, upright in the plane y = 0, gravity
// along −z. A rod has two arms of 0.5 m that meet at the angle π − 2π/(n+2). The rods "a0", … and "b0", … of a pair are
// pinned where their arms meet ("c0") and to those of the next pair outside ("o0") and inside ("i0"). All pins are
// revolutes about −y with springs at the middle ones. One rod is held in the plane ("table"), and each middle pin stays
// on a plane through the axis ("guide0").
//
// A rod moves as a circle rolls within one of twice its diameter, so that both ends and the middle go straight through
// the centre: the ring grows and shrinks as a whole, though its rods and pins, when counted, should not move at all.
// The rate is drawn from the seed.
//
// With k = n + 2: 2k bodies, 4k+1 joints; rows 16k+3, rank 12k−1, redundant 4k+4, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Hoberman(n int, seed uint64) (*model.Model, error) {
	nb, err := count("hoberman", n, hobermanBodies)
	if err != nil {
		return nil, err
	}
	k := n + 2
	r := newRig("hoberman", n, seed, nb, 4*k+1)
	h := newHobermanRing(k, r.uniform(2)/float64(k))
	g, psi, half, on := h.g, h.psi, h.half, h.on
	c := upright()
	outer, inner := make([][2]int, k), make([][2]int, k) // rods whose ends are outside and inside on the rays after and before pair j
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
		pin.Stiffness = append(r.list(1)[:0], hobermanSpring)
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

// hobermanRing is the state of a ring of angulated rods.
type hobermanRing struct {
	g                  solid   // of a rod
	d, psi, rate, half float64 // half the angle between two pairs
}

// newHobermanRing returns that of k pairs.
func newHobermanRing(k int, rate float64) hobermanRing {
	g, d := hobermanRod(k - 2)
	return hobermanRing{g, d, hobermanAngle(k - 2), rate, math.Pi / float64(k)}
}

// on returns the point of a rod's circle that goes along a ray, at the angle that is ψ for the middle pin on its ray.
func (h *hobermanRing) on(angle, ray float64) pivot {
	sin, cos := math.Sincos(ray)
	u := vec{cos, sin}
	return pivot{u.mul(h.d * math.Cos(angle)), u.mul(-h.d * math.Sin(angle) * h.rate)}
}

func hobermanBodies(n int64) int64 { return 2*n + 4 }

// hobermanAngle is ψ: a ray of a pair has its middle pin at d cos ψ, its neighbours the outer and inner ones at d cos(ψ
// ∓ π/k). It is half of the largest one, with which the inner pins meet.
func hobermanAngle(n int) float64 { return (math.Pi/2 - math.Pi/float64(n+2)) / 2 }

// hobermanRod returns a rod, x from the inner to the outer end, the
// middle on the side of −y, and the diameter of its circle.
func hobermanRod(n int) (g solid, d float64) {
	s, c := math.Sincos(math.Pi / float64(n+2))
	end, middle := vec{2 * hobermanArm * c}, vec{hobermanArm * c, -hobermanArm * s}
	return truss(1, [2]vec{{}, middle}, [2]vec{middle, end}), hobermanArm / s
}

// HobermanAcceleration is ψ″ of the ring at the rate ψ′, where the angular velocities of the rods about −y are −ψ′ (a)
// and ψ′ (b), rad/s²: the springs rest and the weight does no work, as the centre of mass stays. With a rod's mass m,
// inertia I and distance s of its centre of mass from its middle pin,
//
//	ψ″ = −½ dM/dψ ψ′²/M,  M = 2k(m((d − s)² sin²ψ + s² cos²ψ) + I).
func HobermanAcceleration(n int, rate float64) float64 {
	g, d := hobermanRod(n)
	psi := hobermanAngle(n)
	sin, cos := math.Sincos(psi)
	s := hobermanArm / 2 * math.Sin(math.Pi/float64(n+2))
	M := g.mass*((d-s)*(d-s)*sin*sin+s*s*cos*cos) + g.inertia.ZZ
	dM := g.mass * ((d-s)*(d-s) - s*s) * 2 * sin * cos
	return -dM / 2 * rate * rate / M
}
