//go:build !small

package picture

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bowl is z = x² + y² over a square about the middle.
func bowl() *Terrain {
	return &Terrain{
		Title: "bowl", Min: [2]float64{-1, -1}, Max: [2]float64{1, 1}, Gradient: true, Normals: true,
		Height: func(x, y float64) (z, fx, fy float64) { return x*x + y*y, 2 * x, 2 * y },
	}
}

// TestContours: those of a bowl are closed circles below the border, and four arcs above it.
func TestContours(t *testing.T) {
	r := newRaster(bowl(), 200)
	lines := r.contours(0.25)
	require.Len(t, lines, 1)
	require.Equal(t, lines[0][0], lines[0][len(lines[0])-1], "closed")
	for _, at := range lines[0] {
		assert.InDelta(t, 0.5, math.Hypot(at[0], at[1]), 1e-4)
	}
	require.Len(t, r.contours(1.44), 4)
	require.Empty(t, r.contours(3))
}

// TestSaddle: lines of a saddle do not cross, whichever side the middle is on.
func TestSaddle(t *testing.T) {
	for _, level := range []float64{-0.01, 0.01} {
		s := &Terrain{Min: [2]float64{-1, -1}, Max: [2]float64{1, 1}, Height: func(x, y float64) (z, fx, fy float64) { return x * y, y, x }}
		lines := newRaster(s, 10).contours(level)
		require.Len(t, lines, 2, "level %v", level)
		for _, l := range lines {
			for _, at := range l {
				assert.Equal(t, math.Signbit(l[0][0]), math.Signbit(at[0]), "a branch stays on its side")
			}
		}
	}
}

// TestLevels: heights of contours are round and have as many decimals as they need.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		want     []float64
		decimals int
	}{
		{-0.3, 1, []float64{0, 0.5, 1}, 1}, {0, 1200, []float64{0, 500, 1000}, 0}, {99.97, 100.01, []float64{99.98, 100}, 2},
	} {
		got, decimals := levels(c.lo, c.hi, 3)
		require.InDeltaSlice(t, c.want, got, 1e-12)
		require.Equal(t, c.decimals, decimals)
	}
	assert.Equal(t, "0.0", levelText(math.Copysign(0, -1), 1))
}

// TestTerrains: maps and reliefs are drawn of what is smooth, flat, without heights here and there, long, and far away.
func TestTerrains(t *testing.T) {
	check.Long(t)
	flat := bowl()
	flat.Height = func(_, _ float64) (z, fx, fy float64) { return 3, 0, 0 }
	holes := bowl()
	holes.Height = func(x, y float64) (z, fx, fy float64) { return math.Sqrt(x), 0.5 / math.Sqrt(x), 0 }
	none := bowl()
	none.Height = func(_, _ float64) (z, fx, fy float64) { return math.NaN(), math.NaN(), math.NaN() }
	long := bowl()
	long.Max[0] = 500
	far := bowl()
	far.Min, far.Max = [2]float64{1e6, 1e6}, [2]float64{1e6 + 1, 1e6 + 2}
	for name, s := range map[string]*Terrain{"bowl": bowl(), "flat": flat, "holes": holes, "none": none, "long": long, "far": far} {
		for _, draw := range []func(b *strings.Builder) error{
			func(b *strings.Builder) error { return Map(b, "svg", s) },
			func(b *strings.Builder) error { return Relief(b, "svg", s) },
		} {
			var b strings.Builder
			require.NoError(t, draw(&b), name)
			requireXML(t, b.String())
			numbers := regexp.MustCompile(`base64,[^"]*`).ReplaceAllString(b.String(), "")
			require.False(t, strings.Contains(numbers, "NaN") || strings.Contains(numbers, "Inf"), name)
		}
	}
	var b strings.Builder
	require.NoError(t, Map(&b, "svg", bowl()))
	for _, word := range []string{"0.4", "0.4 m", "1.8 m", "x, m", "y, m", "bowl", "arrows uphill, the longest a slope of 2.7"} {
		assert.True(t, strings.Contains(b.String(), ">"+word+"<"), word)
	}
	assert.True(t, strings.Contains(b.String(), `<image preserveAspectRatio="none" `) && strings.Contains(b.String(), "data:image/png;base64,"))
	assert.False(t, strings.Contains(b.String(), "image/jpg"))
}
