package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Grid is a net of n×n bodies "b0_0", … (row, column). Each hangs by a
// spherical joint "v…" from the one above it, the top row from the world; a
// sphere-in-cylinder "h…" joins it to its right neighbour. Each row swings
// rigidly at its own rate about the line of its hang points.
//
// n² bodies, 2n²−n joints, n²−n loops; rank 5n²−2n, nothing redundant,
// mobility n²+2n.
//
// Cost: O(n²).
// It returns ErrSize.
func Grid(n int, seed uint64) (*model.Model, error) {
	return net("grid", model.SphereInCylinder, n, seed)
}

// BallNet is Grid with spherical joints everywhere: nearly as many rows as
// coordinates, so that it is badly conditioned on purpose, worse as n grows.
//
// n² bodies, 2n²−n joints, n²−n loops; rank 6n²−3n, nothing redundant,
// mobility 3n.
//
// Cost: O(n²).
// It returns ErrSize.
func BallNet(n int, seed uint64) (*model.Model, error) {
	return net("ball-net", model.Spherical, n, seed)
}

// Sizes of a cell of a net, m.
const (
	netWide = 0.5
	netHigh = 0.4
	netZag  = 0.3 // offset of rows and of sideways joints, to alternate sides
	netVary = 0.1 // largest random offset of a point along an axis
)

// net builds a Grid whose sideways joints are of the given type.
func net(name string, sideways model.JointType, n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies(name, n)
	if err != nil {
		return nil, err
	}
	r := newRig(name, n, seed, nb, 2*n*n-n)
	// A row is one rigid motion: all hang points of a row are on a line along x,
	// so that the rows above and below agree there whatever their rates.
	line := make([]vec, n) // hang points of the row
	below := make([]vec, n)
	side := make([]vec, n+1) // sideways joints of the row; at the first and the last point there is none, they only shape a body
	for j := range line {
		line[j] = vec{netWide*float64(j) + r.uniform(netVary)}
	}
	var depth, y, speed = 0.0, 0.0, vec{}
	for i := range n {
		w := vec{r.uniform(1.5)}
		zag := netZag * float64(1-2*(i%2))
		step := vec{0, zag + r.uniform(netVary), -netHigh + r.uniform(netVary)}
		for j := range side {
			lean := zag * float64(1-2*(j%2))
			side[j] = vec{netWide * (float64(j) - 0.5), y + lean, depth - netHigh/2}.add(r.vec(netVary))
		}
		for j := range below {
			below[j] = vec{netWide*float64(j) + r.uniform(netVary), y + step[1], depth + step[2]}
		}
		for j := range n {
			up := ground
			if i > 0 {
				up = (i-1)*n + j
			}
			k := r.knot(i, j, up, twist{w, speed}, [4]vec{line[j], side[j], side[j+1], below[j]})
			if j > 0 {
				P := place{side[j], r.rotation(math.Pi)}
				r.fit(r.name2("h", i, j-1), sideways, k-1, k, P, at(side[j]))
			}
		}
		y, depth = y+step[1], depth+step[2]
		speed = speed.add(w.cross(step))
		line, below = below, line
	}
	return r.m, nil
}

// knot appends the body (i, j) of a net, which hangs from the body number up by a spherical joint at the point p[0]. The other
// points are of its further joints. t is the motion of the body at p[0]. knot returns the number of the body.
func (r *rig) knot(i, j, up int, t twist, p [4]vec) int {
	x := place{p[0], r.rotation(math.Pi)}
	var local [4]vec
	for m := range p {
		local[m] = x.q.inv().apply(p[m].sub(x.p))
	}
	k := r.body(r.name2("b", i, j), lump(1, local[:]...), x, t)
	r.fit(r.name2("v", i, j), model.Spherical, up, k, at(p[0]), at(p[0]))
	return k
}

// RevoluteNet has n storeys of n parallelogram windows, all joints revolutes
// about z, gravity along −y. A storey is the NFourBar mechanism with a rate and
// angle of its own: n+1 rods "p0_0", … and n couplers "c0_0", … (storey,
// column); its rods stand on the couplers of the storey below, so all couplers
// of a storey keep level.
//
// Revolutes: "f…" below a rod, "l…" and "r…" at the left and right end of a
// coupler.
//
// 2n²+n bodies, 3n²+n joints, n² loops; rows 15n²+5n, rank 12n²+5n, redundant
// 3n², mobility n.
//
// Cost: O(n²).
// It returns ErrSize.
func RevoluteNet(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("revolute-net", n)
	if err != nil {
		return nil, err
	}
	r := newRig("revolute-net", n, seed, nb, n*(3*n+1))
	r.m.Gravity = [3]float64{0, -Gravity, 0}
	var foot, speed vec
	end := at(vec{1})
	below := make([]int, n) // couplers of the storey below
	for k := range below {
		below[k] = ground
	}
	for i := range n {
		theta := r.between(0.2, 0.8) * float64(1-2*(i%2))
		w := vec{2: r.uniform(1.5)}
		s, c := math.Sincos(theta)
		tip := vec{-s, c}
		up := turn(vec{2: 1}, math.Pi/2+theta)
		rise := w.cross(tip)
		bar := ground
		for j := 0; j <= n; j++ {
			x := foot.add(vec{float64(j)})
			post := r.body(r.name2("p", i, j), rod(1), place{x, up}, twist{w, speed})
			base := below[min(j, n-1)]
			r.joint(r.name2("f", i, j), model.Revolute, base, post, at(x.sub(r.place(base).p)), origin)
			if j > 0 {
				r.joint(r.name2("r", i, j-1), model.Revolute, bar, post, end, end)
				below[j-1] = bar
			}
			if j < n {
				bar = r.body(r.name2("c", i, j), rod(1), at(x.add(tip)), twist{v: speed.add(rise)})
				r.joint(r.name2("l", i, j), model.Revolute, post, bar, end, origin)
			}
		}
		foot, speed = foot.add(tip), speed.add(rise)
	}
	return r.m, nil
}
