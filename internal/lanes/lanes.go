package lanes

import "unsafe"

// Width is the number of equal things that are worked on at once.
const Width = 8

// Vector holds one number of each of them.
type Vector = [Width]float64

// E returns the axes of the bodies in the world.
func (t *Body) E() *[9]Vector { return (*[9]Vector)(t.Kin[:]) }

// Have reports whether working on eight things at once is faster here than on one after the other. Where it is not, the
// functions on vectors must not be called.
func Have() bool { return fast }

// Gather copies as many consecutive numbers as dst has lanes, at least one, of each of several places,
//
//	dst[i][l] = src[at[l]+i].
//
// Cost: Width copies a lane, no allocation.
func Gather(dst []Vector, src []float64, at *[Width]int32) {
	if checking {
		assertLanes(dst, src, at)
	}
	gather(&dst[0], &src[0], at, len(dst))
}

// Scatter copies lanes, at least one, to consecutive numbers of each of several places,
//
//	dst[at[l]+i] = src[i][l].
//
// Places may be equal if their numbers are.
//
// Cost: Width copies a lane, no allocation.
func Scatter(dst []float64, at *[Width]int32, src []Vector) {
	if checking {
		assertLanes(src, dst, at)
	}
	scatter(&src[0], &dst[0], at, len(src))
}

// Numbers returns the numbers of structures that hold nothing else, one after the other.
func Numbers[T any](x []T) []float64 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])/8))
}

// unitLimit bounds |q·q − 1| of quaternions in Load: 2e-6, less what rounding of it may make.
const unitLimit = 2e-6 - 1e-14

// Load fills Kin, Spin, Load, Free and Off of t for its state and the gravity g (m/s², world axes):
//
//	Load = (L⁻¹·(I·ω × ω), √m·Eᵀg)
//
// with ω = Spin. It reports whether all states are finite and the quaternions units to a little less than 1e-6, for
// certain: the square of one at the limit may be rounded differently elsewhere.
//
// Cost: about 110 operations a lane, no allocation.
func Load(t *Body, c *BodyConst, g *[3]float64) bool {
	load(t, c, g)
	for _, off := range &t.Off {
		if !(off < unitLimit) {
			return false
		}
	}
	return true
}

// Products stores products of n ≥ 1 rows of six numbers and vectors,
//
//	y[i·step] = Σ_c v[6i+c]·x[c],  0 ≤ i < n.
//
// Cost: 12·n operations a lane, no allocation.
func Products(y []Vector, step int, v []Vector, n int, x *[6]Vector) {
	if checking && (len(y) <= (n-1)*step || len(v) < 6*n) {
		panic(badLength)
	}
	products(&y[0], step, &v[0], n, x)
}

// SubProducts subtracts such products, y[i] −= Σ_c v[6i+c]·x[c].
func SubProducts(y, v []Vector, n int, x *[6]Vector) {
	if checking && (len(y) < n || len(v) < 6*n) {
		panic(badLength)
	}
	subProducts(&y[0], &v[0], n, x)
}
