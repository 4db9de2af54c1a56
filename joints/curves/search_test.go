package curves_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// TestSearchGoesDownItsValley: Newton's step from beside a flat place would jump over whole turns, and one from a hill would climb it: the
// search goes to the foot below it.
func TestSearchGoesDownItsValley(t *testing.T) {
	p := (&curves.Curve{Kind: curves.Circle, Radius: 1}).Prepared()
	for _, size := range []float64{1, 1.3, 0.8} {
		x := spatial.Vec3{size}
		for _, near := range []float64{1.45, -1.45, 2.5, -2.5, 3.1, 0.01} {
			require.InDelta(t, 0, p.From(&x, false, near), 1e-12, "from %v, at %v", near, size)
		}
		require.InDelta(t, 2*math.Pi, p.From(&x, false, 2*math.Pi+1.45), 1e-12)
	}
}

// TestSearchStaysOnItsBranch: near the crossing of a figure eight, a point that is off its branch by some hundredths stays there though the other branch
// is nearer, or runs through it.
func TestSearchStaysOnItsBranch(t *testing.T) {
	p := (&curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "sin(2*u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}).Prepared()
	at := p.At(math.Pi + 0.02) // on the branch through π
	n := spatial.Vec3{-at.D[1], at.D[0]}.Scale(1 / at.D.Norm())
	for _, off := range []float64{0, 0.03, -0.03, 0.08} {
		x := at.C.Add(n.Scale(off))
		got := p.From(&x, false, math.Pi-0.1)
		require.InDelta(t, math.Pi+0.02, got, 0.05, "off by %v", off)
		require.Greater(t, got, 3.0)
	}
}

// TestEquallyNear: of feet that are equally near, to rounding, the one with the smallest parameter is taken, and of others the nearer.
func TestEquallyNear(t *testing.T) {
	p := (&curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "sin(2*u)", Range: [2]float64{0.5, 0.5 + 2*math.Pi}, Closed: true}).Prepared()
	first := p.At(2 * math.Pi) // the branch through 2π, behind that through π
	across := spatial.Vec3{first.D[1], -first.D[0]}.Scale(1 / first.D.Norm())
	other := p.At(math.Pi)
	away := spatial.Vec3{other.D[1], -other.D[0]}.Scale(1 / other.D.Norm())
	for _, c := range []struct {
		x    spatial.Vec3
		want float64
	}{
		{away.Scale(1e-11), math.Pi}, // a little off the first, but for rounding on neither
		{first.D.Scale(1e-7 / first.D.Norm()), 2 * math.Pi},
		{other.D.Scale(1e-7 / other.D.Norm()), math.Pi},
		{across.Scale(1e-11), math.Pi},
	} {
		require.InDelta(t, c.want, p.Nearest(&c.x, false), 1e-6)
	}
}

// TestNearlyParallel: a start that is almost along the axis is good for its part across.
func TestNearlyParallel(t *testing.T) {
	c := &curves.Curve{Kind: curves.Circle, Radius: 1, Axis: spatial.Vec3{0, 0, 1}, Start: spatial.Vec3{0, 1e-5, 1}}
	require.Empty(t, faultsOf(c, false))
	at := c.Prepared().At(0)
	require.InDelta(t, 0, at.C.Sub(spatial.Vec3{0, 1, 0}).Norm(), 1e-9)
}
