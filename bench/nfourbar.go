package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Gravity is the acceleration of gravity in every model, m/s².
const Gravity = 9.81

// DefaultAngle is the angle of nfourbar in Generate, rad.
const DefaultAngle = 0.4

// NFourBar is the N-four-bar mechanism (IFToMM benchmark A02): n windows, so
// n + 1 rods "rod0", … on ground pivots 1 m apart along x, n couplers "bar0", …
// between neighbouring tips, revolutes about z, gravity along −y. All links
// are rods of 1 m and 1 kg. theta is the angle of the rods from the upright,
// towards −x, in rad; all rods turn at one rate, drawn from the seed.
//
// Revolutes: "g0" world to rod0, "l0" rod0 to bar0, "r0" bar0 to rod1. Bodies
// and joints are listed from left to right.
//
// 2n+1 bodies, 3n+1 joints, n loops; rows 15n+5, rank 12n+5, redundant 3n,
// mobility 1; singular where cos theta = 0.
//
// Cost: O(n).
// It returns ErrSize.
func NFourBar(n int, theta float64, seed uint64) (*model.Model, error) {
	nb, err := Bodies("nfourbar", n)
	if err != nil {
		return nil, err
	}
	r := newRig("nfourbar", n, seed, nb, 3*n+1)
	r.m.Gravity = [3]float64{0, -Gravity, 0}
	s, c := math.Sincos(theta)
	w := vec{2: r.uniform(2)}
	tip := vec{-s, c}
	up := turn(vec{2: 1}, math.Pi/2+theta)
	end := at(vec{1})
	bar := ground
	for k := 0; k <= n; k++ {
		foot := vec{float64(k)}
		post := r.body(r.name("rod", k), rod(1), place{foot, up}, twist{w: w})
		r.joint(r.name("g", k), model.Revolute, ground, post, at(foot), origin)
		if k > 0 {
			r.joint(r.name("r", k-1), model.Revolute, bar, post, end, end)
		}
		if k < n {
			bar = r.body(r.name("bar", k), rod(1), at(foot.add(tip)), twist{v: w.cross(tip)})
			r.joint(r.name("l", k), model.Revolute, post, bar, end, origin)
		}
	}
	return r.m, nil
}

// nFourBarDefault is NFourBar with DefaultAngle, for Generate.
func nFourBarDefault(n int, seed uint64) (*model.Model, error) {
	return NFourBar(n, DefaultAngle, seed)
}

// NFourBarAcceleration is the angular acceleration θ″ of the rods of NFourBar at the angle theta, rad/s², the same at any rate. In
// units of a rod's mass and length, (n+1)/2 + n is the moment of the masses that the angle moves, (n+1)/3 + n their inertia:
//
//	θ″ = ((n+1)/2 + n) g sin θ / ((n+1)/3 + n)
func NFourBarAcceleration(n int, theta float64) float64 {
	N := float64(n)
	return ((N+1)/2 + N) * Gravity * math.Sin(theta) / ((N+1)/3 + N)
}
