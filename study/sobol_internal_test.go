package study

import (
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// qualityOf returns the least t for which the first 2^m points in two coordinates are a (t, m, 2)-net: every box of
// volume 2^(t−m) with sides that are powers of two has the same number of points. That is so where any m − t leading
// rows of the two generator matrices together are independent.
func qualityOf(a, b *directions, m int) int {
	rows := func(v *directions) (list [sobolDigits]uint32) { // row r: digit r of the coordinate, as a form in the digits of i
		for r := range m {
			for k := range m {
				list[r] |= v[k] >> (sobolDigits - 1 - r) & 1 << k
			}
		}
		return list
	}
	ra, rb := rows(a), rows(b)
	for n := m; n > 0; n-- {
		all := true
		for k := 0; k <= n && all; k++ {
			all = independent(ra[:k], rb[:n-k])
		}
		if all {
			return m - n
		}
	}
	return m
}

// independent reports whether rows over GF(2) are linearly independent.
func independent(a, b []uint32) bool {
	var pivots [32]uint32
	for i := range len(a) + len(b) {
		var x uint32
		if i < len(a) {
			x = a[i]
		} else {
			x = b[i-len(a)]
		}
		for x != 0 {
			top := bits.Len32(x) - 1
			if pivots[top] == 0 {
				pivots[top] = x
				break
			}
			x ^= pivots[top]
		}
		if x == 0 {
			return false
		}
	}
	return true
}

// primitive reports whether a polynomial over GF(2) of degree d is primitive: x has the order 2^d − 1 modulo it.
func primitive(p uint32, d int) bool {
	x := uint32(1)
	for k := 1; ; k++ {
		x <<= 1
		if x>>d&1 == 1 {
			x ^= p
		}
		if x == 1 {
			return k == 1<<d-1
		}
		if x == 0 || k >= 1<<d {
			return false
		}
	}
}

// primitives returns the first n primitive polynomials, by degree and value.
func primitives(n int) (list []uint32) {
	for d := 1; ; d++ {
		for p := uint32(1)<<d | 1; p < 2<<d; p += 2 {
			if primitive(p, d) {
				if list = append(list, p); len(list) == n {
					return list
				}
			}
		}
	}
}

// TestSobolNumbers: the polynomials are all primitive ones by degree, and the first numbers are odd and small enough.
func TestSobolNumbers(t *testing.T) {
	require.Equal(t, searchedCoordinates, maxSobol)
	require.GreaterOrEqual(t, 1<<sobolDigits, MaxRuns)
	for j, p := range primitives(len(sobolNumbers)) {
		s := &sobolNumbers[j]
		require.Equal(t, p, s.polynomial)
		require.Len(t, s.first, bits.Len32(p)-1)
		for k, m := range s.first {
			require.True(t, m&1 == 1 && m < 2<<k, "coordinate %d", j+1)
		}
	}
}

// TestSobolPoints: the first coordinate is van der Corput's sequence, the second one
// known too, and in every coordinate each of 2^m equal intervals has one of the first
// 2^m points, also of 2^m points from a multiple of 2^m on, and also with random digits.
func TestSobolPoints(t *testing.T) {
	v := [...]directions{directionsOf(0), directionsOf(1)}
	for i, want := range [][2]float64{{0, 0}, {0.5, 0.5}, {0.25, 0.75}, {0.75, 0.25}, {0.125, 0.625}, {0.625, 0.125}, {0.375, 0.375}, {0.875, 0.875}} {
		for j := range want {
			require.Equal(t, want[j], float64(v[j].at(uint32(i)))/(1<<sobolDigits))
		}
	}
	for i := range uint32(1000) {
		require.Equal(t, bits.Reverse32(i)>>(32-sobolDigits), v[0].at(i))
	}
	for j := range maxSobol {
		v, key := directionsOf(j), mixed(uint64(j))
		for _, m := range []int{0, 1, 3, 7} {
			for _, from := range []uint32{0, 5 << m, 1 << 22} {
				var plain, random [128]bool
				for i := range uint32(1) << m {
					x := v.at(from + i)
					plain[x>>(sobolDigits-m)] = true
					random[int(scrambled(x, key)*float64(int(1)<<m))] = true
				}
				for k := range 1 << m {
					require.True(t, plain[k] && random[k], "coordinate %d, 2^%d points", j, m)
				}
			}
		}
	}
}

// TestSobolNets: 2^m points in two of the first coordinates have in every box of volume 2^(t−m) 2^t of them, counted,
// with random digits, and t is what the generator matrices say. The first two coordinates have t = 0.
func TestSobolNets(t *testing.T) {
	const m, coordinates = 8, 8
	worst := 0
	for b := 1; b < coordinates; b++ {
		for a := range b {
			va, vb := directionsOf(a), directionsOf(b)
			q := qualityOf(&va, &vb, m)
			require.True(t, even(&va, &vb, m, q), "%d, %d: t = %d", a, b, q)
			require.False(t, q > 0 && even(&va, &vb, m, q-1), "%d, %d: t < %d", a, b, q)
			worst = max(worst, q)
			if b == 1 {
				require.Zero(t, q)
			}
		}
	}
	require.Equal(t, worstLow, worst)
}

// worstLow is the largest t of two of the first eight coordinates with 2^8 points.
const worstLow = 3

// even reports whether 2^m points are a (t, m, 2)-net.
func even(a, b *directions, m, t int) bool {
	for k := 0; k <= m-t; k++ {
		counts := make([]int, 1<<(m-t))
		for i := range uint32(1) << m {
			x, y := scrambled(a.at(i), 1), scrambled(b.at(i), 2)
			counts[int(x*float64(int(1)<<k))<<(m-t-k)|int(y*float64(int(1)<<(m-t-k)))]++
		}
		for _, n := range counts {
			if n != 1<<t {
				return false
			}
		}
	}
	return true
}

const (
	searchedCoordinates = 101 // with all primitive polynomials up to degree 9
	searchedDigits      = 14  // up to 2^14 points
	searchedTries       = 1000
)

// TestSobolSearch finds the numbers of sobol_numbers.go: coordinate by coordinate, of seeded random first numbers those
// with the least sum over the coordinates before and over 2 to 2^14 points of 3^t, t the quality of the two.
func TestSobolSearch(t *testing.T) {
	if os.Getenv("RUNG_SOBOL_SEARCH") == "" {
		t.Skip("takes minutes; RUNG_SOBOL_SEARCH=1 does it")
	}
	powers := [searchedDigits + 1]float64{1}
	for i := range searchedDigits {
		powers[i+1] = 3 * powers[i]
	}
	rng := check.Rand(1)
	found := []directions{directionsOf(0)}
	var text strings.Builder
	for _, p := range primitives(searchedCoordinates - 1) {
		d := bits.Len32(p) - 1
		var best sobolStart
		least := -1.0
		for range searchedTries {
			s := sobolStart{p, make([]uint32, d)}
			for k := range s.first {
				s.first[k] = uint32(rng.IntN(1<<k))<<1 | 1
			}
			v, cost := s.directions(), 0.0
			for i := len(found) - 1; i >= 0 && (least < 0 || cost < least); i-- {
				for m := 2; m <= searchedDigits; m++ {
					cost += powers[qualityOf(&found[i], &v, m)]
				}
			}
			if least < 0 || cost < least {
				best, least = s, cost
			}
		}
		found = append(found, best.directions())
		fmt.Fprintf(&text, "\t{%#b, []uint32{%s}},\n", best.polynomial, strings.Trim(strings.ReplaceAll(fmt.Sprint(best.first), " ", ", "), "[]"))
	}
	source, err := os.ReadFile("sobol_numbers.go")
	require.NoError(t, err)
	if !strings.Contains(string(source), text.String()) {
		path := filepath.Join(os.TempDir(), "sobol_numbers.txt")
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o666))
		t.Fatal(path + " is not what is in sobol_numbers.go")
	}
}
