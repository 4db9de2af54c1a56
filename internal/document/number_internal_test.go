package document

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sameNumber requires the bits that strconv gives.
func sameNumber(t *testing.T, text string) {
	t.Helper()
	want, wantErr := strconv.ParseFloat(text, 64)
	got, err := parse([]byte(text))
	require.Equal(t, wantErr == nil, err == nil, text)
	require.Equal(t, math.Float64bits(want), math.Float64bits(got), text)
}

// TestNumbers reads numbers at which rounding is a near thing: halfway between two doubles, and one digit beside.
func TestNumbers(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "0.0", "-0.000", "1", "-1", "10", "0.1", "-0.1", "0.3", "9.81", "1e3", "-2.5E-3", "1e400", "1e-400",
		"9007199254740992", "9007199254740993", "9007199254740995", "90071992547409930001", "900719925474099.3", "9007199254740993.1",
		"4503599627370496.5", "4503599627370497.5", "4503599627370496.501", "4503599627370496.499", "4503599627370495.25", "2251799813685249.125",
		"1.000000000000000111", "1.000000000000000112", "0.500000000000000055", "0.500000000000000056",
		"9999999999999999999", "-9999999999999999999", "18446744073709551615", "99999999999999999999", "0.999999999999999999", "9.999999999999999999",
		"0.000000000000000001", "0.0000000000000000001", "0.00000000000000000001", "9223372036854775807", "9223372036854775809",
		strings.Repeat("9", 400), "0." + strings.Repeat("9", 400),
	} {
		sameNumber(t, text)
	}
	for _, text := range []string{"0.1", "-12.345678901234567", "9999999999999999999"} {
		_, ok := decimal([]byte(text))
		assert.True(t, ok, "%s is read without strconv", text)
	}
}

// TestRandomNumbers reads doubles as they are written, and digits of every number with the point anywhere.
func TestRandomNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases := 200000
	if testing.Short() {
		cases = 20000
	}
	for range cases {
		sameNumber(t, strconv.FormatFloat(r.NormFloat64()*math.Pow(10, float64(r.IntN(9)-4)), 'f', -1, 64))
		digits := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
		point := r.IntN(len(digits))
		if point > 0 {
			digits = digits[:point] + "." + digits[point:]
		}
		sameNumber(t, digits)
		halfway := (1<<53 + r.Uint64N(1<<53)) | 1 // of 54 bits
		sameNumber(t, strconv.FormatFloat(float64(halfway>>1), 'f', -1, 64)+".5")
		sameNumber(t, strconv.FormatUint(halfway, 10))
	}
}
