package document

import (
	"math"
	"math/bits"
	"strconv"
)

// maxDigits is the largest number of digits of which every decimal integer fits in 64 bits.
const maxDigits = 19

// powers are the powers of ten that fit in 64 bits.
var powers = func() (p [maxDigits + 1]uint64) {
	p[0] = 1
	for k := range maxDigits {
		p[k+1] = 10 * p[k]
	}
	return p
}()

// parse returns the double nearest to the number in a text of JSON. The result and the error are those of strconv.ParseFloat.
func parse(number []byte) (float64, error) {
	if x, ok := decimal(number); ok {
		return x, nil
	}
	return strconv.ParseFloat(string(number), 64)
}

// decimal is parse for numbers of at most maxDigits digits without an exponent. For other numbers it returns false.
func decimal(number []byte) (float64, bool) {
	var n uint64
	digits, point := len(number), len(number)-1
	for i, c := range number {
		switch {
		case c-'0' <= 9:
			n = 10*n + uint64(c-'0')
		case c == '.':
			digits, point = digits-1, i
		case c == '-':
			digits--
		default:
			return 0, false
		}
	}
	if digits > maxDigits {
		return 0, false
	}
	x := quotient(n, powers[len(number)-1-point])
	if number[0] == '-' {
		x = -x
	}
	return x, true
}

// quotient returns the double nearest to n/d, for d > 0.
//
// Both numbers are shifted until their first bit is set, so the integer quotient has 63 or 64 bits. A double has 53. Therefore the last
// bit of the quotient can be set if the division leaves a remainder, and only the conversion to a double rounds.
func quotient(n, d uint64) float64 {
	if n == 0 {
		return 0
	}
	up, down := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	n <<= up
	q, rest := bits.Div64(n>>1, n<<63, d<<down)
	if rest != 0 {
		q |= 1
	}
	return float64(q) * math.Float64frombits(uint64(1023-63+down-up)<<52)
}
