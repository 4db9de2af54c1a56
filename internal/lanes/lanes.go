package lanes

import "unsafe"

// Width is the number of lanes: the number of bodies or joints that are computed side by side.
const Width = 8

// Vector holds one number in each lane.
type Vector = [Width]float64

// E returns the axes of the bodies in the world, as 3×3 matrices by rows.
func (t *Body) E() *[9]Vector { return (*[9]Vector)(t.Kin[:]) }

// Have reports whether this processor has the assembly for the functions on vectors. Otherwise these functions must not be
// called, and panic.
func Have() bool { return fast }

// Gather copies len(dst) ≥ 1 consecutive numbers from each of Width places in src, one place for each lane l:
//
//	dst[i][l] = src[at[l]+i].
//
// Cost: Width copies a vector, no allocation.
func Gather(dst []Vector, src []float64, at *[Width]int32) {
	if checking {
		assertLanes(dst, src, at)
	}
	gather(&dst[0], &src[0], at, len(dst))
}

// Scatter copies len(src) ≥ 1 vectors to consecutive numbers at each of Width places in dst, one place for each lane l:
//
//	dst[at[l]+i] = src[i][l].
//
// Two places may be equal if the numbers copied to them are equal.
//
// Cost: Width copies a vector, no allocation.
func Scatter(dst []float64, at *[Width]int32, src []Vector) {
	if checking {
		assertLanes(src, dst, at)
	}
	scatter(&src[0], &dst[0], at, len(src))
}

// Numbers returns the numbers in x as one slice, without a copy. T may have no fields but float64 and arrays of it.
func Numbers[T any](x []T) []float64 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])/8))
}

// unitLimit bounds |q·q − 1| of a quaternion q in Load: 2e-6, less a bound of the rounding error of |q·q − 1|.
const unitLimit = 2e-6 - 1e-14

// Load fills Kin, Spin, Load, Free and Off of t for its state and the gravity g (m/s², world axes):
//
//	Load = (L⁻¹·(I·ω × ω), √m·Eᵀg)
//
// with ω = Spin. It reports whether all states are finite and the lengths of all quaternions are within 1e-6 of 1. It may return
// false for a length that is very close to this limit, because other code may round its square differently.
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

// Products stores the products of n ≥ 1 rows of six numbers and a vector of six numbers, in each lane:
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

// SubProducts subtracts the products of Products with step 1: y[i] −= Σ_c v[6i+c]·x[c].
func SubProducts(y, v []Vector, n int, x *[6]Vector) {
	if checking && (len(y) < n || len(v) < 6*n) {
		panic(badLength)
	}
	subProducts(&y[0], &v[0], n, x)
}
