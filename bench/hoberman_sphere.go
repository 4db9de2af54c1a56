package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a Hoberman sphere besides the sizes of its rings: its hubs, and its rods as drawn.
const (
	hubMass   = 0.1  // kg, of a hub
	hubRadius = 0.04 // m, of a hub, which is a ball
	rodRadius = 0.02 // m, in pictures
)

// HobermanSphere is Hoberman's sphere (US patent 4942700). It has three rings as in Hoberman, of 4n pairs
// of angulated rods each, in the planes perpendicular to x, y and z. Two rings cross on each of the axes
// x, −x, y, −y, z, −z. There a hub replaces the outer pins ("far0", …), and another the inner pins
// ("near0", …). A hub has a revolute to each of its four rods, two about the axis perpendicular to the one
// ring and two about the axis perpendicular to the other. The hubs far0, far2 and far4 slide along their axes ("rail0", …).
// Rods and pins of the ring perpendicular to x have the names of Hoberman with an x before them: "xa0", "xb0",
// "xc0", "xo1", "xi1". At a hub, "xob0" and "xoa0" are the outer pins of the rods behind and ahead of it, "xib0" and
// "xia0" the inner pins.
//
// All hubs move along lines through the centre, and each keeps the planes of two rings at a right angle. So the whole has
// one freedom, like each ring. Springs at the middle pins make it open and close. The rate is drawn from the seed.
//
// 24n+12 bodies, 36n+27 joints; rows 180n+135, rank 144n+71, redundant 36n+64, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func HobermanSphere(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("hoberman-sphere", n)
	if err != nil {
		return nil, err
	}
	k := 4 * n // pairs of a ring
	r := newRig("hoberman-sphere", n, seed, nb, 36*n+27)
	s := &sphere{rig: r, hobermanRing: newHobermanRing(k, r.uniform(2)/float64(k))}
	for i := range 6 {
		var ray vec
		ray[i/2] = float64(1 - 2*(i%2))
		s.far[i] = s.hub(r.name("far", i), ray, s.psi-s.half)
		s.near[i] = s.hub(r.name("near", i), ray, s.psi+s.half)
		if i%2 == 0 {
			x := place{r.place(s.far[i]).p, alongZ(ray)}
			r.fit(r.name("rail", i), model.Prismatic, ground, s.far[i], x, x)
		}
	}
	for across := range 3 {
		s.ring(across, k)
	}
	return r.m, nil
}

// sphere builds a HobermanSphere.
type sphere struct {
	*rig
	hobermanRing
	far, near [6]int // hubs on x, −x, y, −y, z, −z
}

// hub appends a hub on a ray, at the distance of the pins with that angle (hobermanRing.on).
func (s *sphere) hub(name string, ray vec, angle float64) int {
	ball := 0.4 * hubMass * hubRadius * hubRadius
	at := s.on(angle, 0) // x is along the ray
	i := s.body(name, solid{hubMass, vec{}, model.Inertia{XX: ball, YY: ball, ZZ: ball}},
		place{ray.mul(at.p[0]), one}, twist{v: ray.mul(at.v[0])})
	s.show(i, model.SphereVisual, [3]float64{hubRadius}, origin, dark)
	return i
}

// ring appends the ring across an axis. Its outer and inner pins j are on the rays 2πj/k from the next axis on.
func (s *sphere) ring(across, k int) {
	diagonal := vec{1, 1, 1}.unit()
	c := &plane{x: place{q: turn(diagonal, 2*math.Pi/3*float64(across+1))}} // z is the axis across, x and y the next two axes
	mark := string("xyz"[across])
	color := [...][4]float64{orange, blue, grey}[across]
	outer, inner := make([][2]int, k), make([][2]int, k) // the rods at the pins j: of the pair behind, of the pair ahead
	for j := range k {
		ray := s.half * float64(2*j+1)
		a := s.bar(c, s.name(mark+"a", j), s.g, s.on(s.psi+s.half, ray-s.half), s.on(s.psi-s.half, ray+s.half))
		b := s.bar(c, s.name(mark+"b", j), s.g, s.on(s.psi-s.half, ray-s.half), s.on(s.psi+s.half, ray+s.half))
		next := (j + 1) % k
		outer[next][0], inner[next][0] = a, b
		outer[j][1], inner[j][1] = b, a
		pin := s.hinge(c, s.name(mark+"c", j), a, b, s.on(s.psi, ray))
		pin.Stiffness = s.values(hobermanSpring)
		middle, end := s.points()
		for _, rod := range [...]int{a, b} {
			s.showRod(rod, vec{}, middle, rodRadius, color)
			s.showRod(rod, middle, end, rodRadius, color)
		}
	}
	for j := range k {
		ray := 2 * s.half * float64(j)
		for _, pin := range [...]struct {
			name  string
			rods  [2]int
			angle float64
			hubs  *[6]int
		}{{"o", outer[j], s.psi - s.half, &s.far}, {"i", inner[j], s.psi + s.half, &s.near}} {
			at := s.on(pin.angle, ray)
			if j%(k/4) != 0 {
				s.hinge(c, s.name(mark+pin.name, j), pin.rods[0], pin.rods[1], at)
				continue
			}
			quarter := j / (k / 4)
			hub := pin.hubs[2*((across+1+quarter%2)%3)+quarter/2]
			s.hinge(c, s.name(mark+pin.name+"b", j), hub, pin.rods[0], at)
			s.hinge(c, s.name(mark+pin.name+"a", j), hub, pin.rods[1], at)
		}
	}
}

// HobermanSphereAcceleration is ψ″, rad/s², of the sphere at the rate ψ′, rad/s, like HobermanAcceleration of a ring. With h the
// mass of a hub,
//
//	ψ″ = −½ dM/dψ ψ′²/M,  M = 24n(m((d − s)² sin²ψ + s² cos²ψ) + I) + 6h·d²(sin²(ψ − π/4n) + sin²(ψ + π/4n)).
func HobermanSphereAcceleration(n int, rate float64) float64 {
	h := newHobermanRing(4*n, rate)
	rod, rodHalf := h.inertia()
	rods, hubs := 24*float64(n), 6*hubMass*h.d*h.d
	far, near := math.Sin(h.psi-h.half), math.Sin(h.psi+h.half)
	M := rods*rod + hubs*(far*far+near*near)
	half := rods*rodHalf + hubs/2*(math.Sin(2*(h.psi-h.half))+math.Sin(2*(h.psi+h.half))) // ½ dM/dψ
	return -half * rate * rate / M
}
