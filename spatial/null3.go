package spatial

import "math"

// Null takes an eigenvalue for zero from −nullBelow to nullAbove, relative to the largest one.
const (
	nullBelow = 1e-9  // rounding of a user's data may make a zero negative by this much
	nullAbove = 1e-14 // rounding of a rotation may make a zero positive by this much
)

// Null finds the null directions of S, an inertia: none for most bodies, the axis of a slender rod, or three axes of a
// point mass. An eigenvalue counts as zero from −1e-9 to 1e-14 times the largest.
//
// axes[:n] are orthogonal unit vectors along the null directions, n is 0, 1 or 3, and clean is S with the rounding along
// them removed. n is −1, and clean is S, where S is no inertia: two eigenvalues count as zero, or one is below −1e-9 times
// the largest.
//
// Cost: O(1), no allocation; finds three eigenvalues. S is finite.
func (S Sym3) Null() (axes [3]Vec3, n int, clean Sym3) {
	if S == (Sym3{}) {
		return [3]Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 3, Sym3{}
	}
	size := 0.0
	for _, x := range S {
		size = max(size, math.Abs(x))
	}
	A := S
	for i := range A {
		A[i] /= size
	}
	e := A.Eigenvalues()
	top := max(e[0], e[1], e[2])
	for _, x := range e {
		switch {
		case x < -nullBelow*top || !(top > 0):
			return axes, -1, S
		case x <= nullAbove*top:
			n++
		}
	}
	switch n {
	case 0:
		return axes, 0, S
	case 1:
		axes[0] = A.nullVector()
		return axes, 1, S.without(&axes[0])
	}
	return axes, -1, S
}

// nullVector returns the unit vector n with S·n = 0, for S of rank two. n is the normalized cross product of two columns
// of S, of the pair whose product is longest.
func (S *Sym3) nullVector() (n Vec3) {
	c := [3]Vec3{{S[0], S[3], S[4]}, {S[3], S[1], S[5]}, {S[4], S[5], S[2]}}
	best := 0.0
	for i := range c {
		if v := c[i].Cross(c[(i+1)%3]); v.Dot(v) > best {
			n, best = v, v.Dot(v)
		}
	}
	return n.Scale(1 / math.Sqrt(best))
}

// without returns P·S·P with the projection P = 1 − n·nᵀ: S with its part along the unit vector n removed.
func (S *Sym3) without(n *Vec3) Sym3 {
	var s Vec3
	S.MulVecTo(&s, n)
	q := n.Dot(s)
	out := *S
	for k, at := range [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}} {
		i, j := at[0], at[1]
		out[k] += q*n[i]*n[j] - n[i]*s[j] - s[i]*n[j]
	}
	return out
}
