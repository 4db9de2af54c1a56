package spatial

import "math"

// Bounds of an eigenvalue that Null takes for zero, relative to the largest one.
const (
	nullBelow = 1e-9  // how far below zero rounding of a user's data may bring it
	nullAbove = 1e-14 // how far above zero rounding of a rotation may bring it
)

// Null finds the directions in which a symmetric matrix is zero: an inertia has one for a slender rod, its axis, and
// three for a point mass. An eigenvalue counts as zero from −1e-9 to 1e-14 times the largest. Null returns orthogonal unit
// vectors along these directions, their number, 0, 1 or 3, and S without what rounding has left along them. No inertia
// has two such directions: the number is −1 then, and if an eigenvalue is lower.
//
// Cost: O(1), no allocation; with three eigenvalues. S is finite.
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

// nullVector returns the unit vector along the axis in which S, of rank two, is zero. It is at right angles to two columns: of the three
// pairs the one with the longest product.
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

// without returns P·S·P with P = 1 − n·nᵀ.
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
