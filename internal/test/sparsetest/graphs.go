package sparsetest

import (
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/sparse"
)

// World stands for the world among the bodies of a joint.
const World = int32(-1)

// Joint is a joint of 1 to 6 rows between bodies, one of which may be World.
type Joint struct {
	Rows   int8
	Bodies []int32
}

// New returns the pattern of nb bodies of six rows and the given joints. A joint may name a body
// several times.
func New(nb int, joints []Joint) *sparse.Pattern {
	n := nb + len(joints)
	p := &sparse.Pattern{
		Size: make([]int8, n),
		Sign: make([]int8, n),
		Off:  make([]int32, n+1),
		Ptr:  make([]int32, n+1),
		Dia:  make([]int64, n+1),
		Pos:  make([]int64, 1),
	}
	for i := range n {
		p.Size[i], p.Sign[i] = 6, 1
		if i >= nb {
			j := joints[i-nb]
			p.Size[i], p.Sign[i] = j.Rows, -1
			from := len(p.Ind)
			for _, b := range j.Bodies {
				if b != World && !slices.Contains(p.Ind[from:], b) {
					p.Ind = append(p.Ind, b)
				}
			}
			slices.Sort(p.Ind[from:])
			for _, b := range p.Ind[from:] {
				p.Pos = append(p.Pos, p.Pos[len(p.Pos)-1]+int64(j.Rows)*int64(p.Size[b]))
			}
		}
		p.Off[i+1] = p.Off[i] + int32(p.Size[i])
		p.Ptr[i+1] = int32(len(p.Ind))
		p.Dia[i+1] = p.Dia[i] + int64(p.Size[i])*int64(p.Size[i])
	}
	return p
}

// Link returns a joint of c rows between bodies.
func Link(c int8, bodies ...int32) Joint { return Joint{c, bodies} }

// Uniform returns the pattern of n bodies and of a joint of c rows for each list of
// bodies.
func Uniform(n int, c int8, joints [][]int32) *sparse.Pattern {
	var js []Joint
	for _, bodies := range joints {
		js = append(js, Link(c, bodies...))
	}
	return New(n, js)
}

// Chain returns a chain of n bodies that begins at the world. If closed is set, a joint
// connects the last body to the world.
func Chain(n int, closed bool) *sparse.Pattern {
	var js []Joint
	for b := range int32(n) {
		js = append(js, Link(5, b-1, b))
	}
	if closed {
		js = append(js, Link(5, int32(n-1), World))
	}
	return New(n, js)
}

// Ladder returns the ladder of RBDA Fig. 8.4 with n windows: bodies L_k = 2k and
// R_k = 2k+1, joints l_k, m_k, r_k.
func Ladder(n int) *sparse.Pattern {
	var js []Joint
	for k := range int32(n) {
		js = append(js, Link(5, max(2*k-2, -1), 2*k), Link(5, max(2*k-1, -1), 2*k+1), Link(5, 2*k, 2*k+1))
	}
	return New(2*n, js)
}

// Lattice returns the pairs of neighbours among the bodies of a k×k net.
func Lattice(k int32) [][]int32 {
	var joints [][]int32
	for b := range k * k {
		if b%k+1 < k {
			joints = append(joints, []int32{b, b + 1})
		}
		if b+k < k*k {
			joints = append(joints, []int32{b, b + k})
		}
	}
	return joints
}

// Grid returns a k×k net of bodies with a joint to the world at one corner.
func Grid(k int) *sparse.Pattern {
	return Uniform(k*k, 5, append([][]int32{{0, World}}, Lattice(int32(k))...))
}

// Tree returns random trees of n bodies in all. The first body of a tree is connected to the
// world or free.
func Tree(n int, rng *rand.Rand) *sparse.Pattern {
	var js []Joint
	for b := range int32(n) {
		switch r := rng.IntN(20); {
		case b > 0 && r > 1:
			js = append(js, Link(Rows(rng), rng.Int32N(b), b))
		case r > 0:
			js = append(js, Link(Rows(rng), World, b))
		}
	}
	rng.Shuffle(len(js), func(i, k int) { js[i], js[k] = js[k], js[i] })
	return New(n, js)
}

// Rows returns a random number of rows for a joint.
func Rows(rng *rand.Rand) int8 { return int8(1 + rng.IntN(6)) }

// Star returns a hub with n arms of two bodies. A joint connects the end of every loop-th arm to the
// hub, and joints connect the ends of adjacent arms among the last ring arms.
func Star(n, loop, ring int) *sparse.Pattern {
	js := []Joint{Link(6, World, 0)}
	for k := range int32(n) {
		a, b := 2*k+1, 2*k+2
		js = append(js, Link(5, 0, a), Link(3, a, b))
		if loop > 0 && int(k)%loop == 0 {
			js = append(js, Link(4, b, 0))
		}
		if k > 0 && int(k) >= n-ring {
			js = append(js, Link(5, b-2, b))
		}
	}
	return New(2*n+1, js)
}

// Random returns a random graph of n bodies and m joints, each with up to most
// bodies. There are parallel joints, islands and joints without bodies. If near > 0,
// successive bodies of a joint have numbers that differ by at most near.
func Random(n, m, most, near int, rng *rand.Rand) *sparse.Pattern {
	var js []Joint
	for range m {
		j := Joint{Rows: Rows(rng)}
		b := rng.IntN(n)
		for range rng.IntN(most) + 1 {
			j.Bodies = append(j.Bodies, int32(b))
			if near > 0 {
				b = min(max(b+rng.IntN(2*near+1)-near, 0), n-1)
			} else {
				b = rng.IntN(n)
			}
		}
		if rng.IntN(50) == 0 {
			j.Bodies = nil
		}
		js = append(js, j)
	}
	return New(n, js)
}

// Islands returns n separate loops of three bodies. Every second loop is connected to the
// world.
func Islands(n int) *sparse.Pattern {
	var js []Joint
	for k := range int32(n) {
		b := 3 * k
		js = append(js, Link(5, b, b+1), Link(5, b+1, b+2), Link(5, b+2, b))
		if k%2 == 0 {
			js = append(js, Link(5, b, World))
		}
	}
	return New(3*n, js)
}

// Shuffle returns the pattern p with bodies and joints in random order.
func Shuffle(p *sparse.Pattern, rng *rand.Rand) *sparse.Pattern {
	nb := len(p.Sign) - len(JointsOf(p))
	to := rng.Perm(nb)
	js := JointsOf(p)
	for _, j := range js {
		for k, b := range j.Bodies {
			j.Bodies[k] = int32(to[b])
		}
	}
	rng.Shuffle(len(js), func(i, k int) { js[i], js[k] = js[k], js[i] })
	return New(nb, js)
}

// JointsOf returns the joints of p, with the bodies that they couple.
func JointsOf(p *sparse.Pattern) []Joint {
	var js []Joint
	for i, s := range p.Sign {
		if s < 0 {
			js = append(js, Joint{p.Size[i], slices.Clone(p.Ind[p.Ptr[i]:p.Ptr[i+1]])})
		}
	}
	return js
}
