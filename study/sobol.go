package study

import "math/bits"

// Sobol' points (Sobol 1967): coordinate j of point i is the exclusive or of the direction
// numbers v_jk for those k for which binary digit k of i is 1. The direction numbers of a
// coordinate follow from a primitive polynomial over GF(2) and from its first few direction
// numbers, which may be any odd ones. This package has its own (sobol_numbers.go).

const (
	// maxSobol is the largest number of drawn parameters of Sobol draws.
	maxSobol = len(sobolNumbers) + 1
	// sobolDigits is the number of binary digits of the numbers of points, enough for MaxRuns, and of coordinates
	// before they are scrambled.
	sobolDigits = 24
)

// sobolStart holds the polynomial and the first numbers from which the direction numbers of a coordinate follow.
type sobolStart struct {
	polynomial uint32   // its coefficients as binary digits, highest power first
	first      []uint32 // odd, number k from 0 below 2ᵏ⁺¹, as many as the degree
}

// directions are the direction numbers of a coordinate, as integers of sobolDigits digits behind the point.
type directions [sobolDigits]uint32

// directionsOf returns the direction numbers of coordinate j. Coordinate 0 is van der Corput's sequence.
func directionsOf(j int) (v directions) {
	if j == 0 {
		for k := range v {
			v[k] = 1 << (sobolDigits - 1 - k)
		}
		return v
	}
	s := &sobolNumbers[j-1]
	return s.directions()
}

// directions returns the direction numbers: the first ones, and then the recurrence of the polynomial.
func (s *sobolStart) directions() (v directions) {
	d := len(s.first)
	for k := range v {
		if k < d {
			v[k] = s.first[k] << (sobolDigits - 1 - k)
			continue
		}
		// The recurrence of the polynomial x^d + a₁·x^(d−1) + … + 1.
		v[k] = v[k-d] ^ v[k-d]>>d
		for l := 1; l < d; l++ {
			if s.polynomial>>(d-l)&1 == 1 {
				v[k] ^= v[k-l]
			}
		}
	}
	return v
}

// at returns the coordinate of point i before it is scrambled, as an integer of sobolDigits digits.
func (v *directions) at(i uint32) (x uint32) {
	for ; i != 0; i &= i - 1 {
		x ^= v[bits.TrailingZeros32(i)]
	}
	return x
}

// scrambled returns the coordinate x in (0, 1) with Owen's random digits (Owen 1995): whether a digit is changed
// depends on all digits before it, by random numbers of the key. Two points that share their first k digits before
// scrambling share k digits after it, so points stay as evenly spread. The digits behind the last one of x are random.
func scrambled(x uint32, key uint64) float64 {
	var y uint64
	for k := range sobolDigits {
		prefix := uint64(x) >> (sobolDigits - k)
		digit := uint64(x) >> (sobolDigits - 1 - k) & 1
		y = y<<1 | digit ^ mixed(key^mixed(1<<k|prefix))>>63
	}
	const rest = 52 - sobolDigits // random digits that fill up the 52 of a double
	y = y<<rest | mixed(key^mixed(1<<sobolDigits|uint64(x)))>>(64-rest)
	return (float64(y) + 0.5) / (1 << 52)
}

// mixed returns a pseudo-random function of z (Steele, Lea & Flood 2014, SplitMix64).
func mixed(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
