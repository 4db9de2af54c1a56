package joints

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// rolled returns a joint of two circles, or of a point on one, and a pose.
func rolled(t *testing.T, two bool) (*Spec, *Frames) {
	t.Helper()
	disc := (&curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{0.006}, Radius: 0.02}).Prepared()
	s := &Spec{Kind: CurveOnCurve, Curve: disc, SuccessorCurve: (&curves.Curve{Kind: curves.Circle, Radius: 0.008}).Prepared()}
	if !two {
		s = &Spec{Kind: PointOnCurve, Curve: disc}
	}
	one := spatial.Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}
	return s, &Frames{EP: one, ES: one, R: spatial.Vec3{0.0061, 0.0279, 0}, V: spatial.Vec3{0.3, 0.1, 0}, Near: []float64{1.6, -1.5, 1}[:s.NumNear()]}
}

// TestFoundIsTaken: what FindTo has kept is taken at the same pose from the same Near, and at no other one. The number that is kept is
// made wrong to see that.
func TestFoundIsTaken(t *testing.T) {
	for _, two := range []bool{true, false} {
		s, f := rolled(t, two)
		var plain, with [6]float64
		s.NearTo(&plain, f)
		var m Found
		s.FindTo(&m, nil, f, false)
		f.Found = &m
		s.NearTo(&with, f)
		require.Equal(t, plain, with)
		m.at[0]++
		s.NearTo(&with, f)
		require.InDelta(t, plain[0]+1, with[0], 1e-12)
		for name, change := range map[string]func(g *Frames){
			"moved": func(g *Frames) { g.R[0] += 1e-6 },
			"P":     func(g *Frames) { g.EP[0] = 0.999999 },
			"S":     func(g *Frames) { g.ES[1] = 1e-6 },
			"near":  func(g *Frames) { g.Near = append([]float64{1.61}, f.Near[1:]...) },
			"none":  func(g *Frames) { g.Near = nil },
		} {
			g := *f
			change(&g)
			s.NearTo(&with, &g)
			g.Found = nil
			s.NearTo(&plain, &g)
			require.Equal(t, plain, with, name)
		}
		s.NearTo(&plain, &Frames{EP: f.EP, ES: f.ES, R: f.R, Near: f.Near})
		s.FindTo(&m, nil, f, false) // kept, right or wrong
		f.R[0] += 1e-6
		s.FindTo(&m, nil, f, false)
		f.R[0] -= 1e-6
		s.FindTo(&m, nil, f, false)
		s.NearTo(&with, f)
		require.Equal(t, plain, with)
	}
}

// TestFoundKeepsRows: rows with what has been found have the same bits, and nothing is allocated.
func TestFoundKeepsRows(t *testing.T) {
	for _, two := range []bool{true, false} {
		s, f := rolled(t, two)
		var plain, with Rows
		require.NoError(t, s.EvalTo(&plain, f, 0))
		var m Found
		s.FindTo(&m, nil, f, false)
		f.Found = &m
		require.NoError(t, s.EvalTo(&with, f, 0))
		require.Equal(t, plain, with)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			f.R[0] += 1e-9
			s.FindTo(&m, nil, f, false)
			_ = s.EvalTo(&with, f, 0)
		}))
	}
}

// TestRoughSearch: a rough search tells the gap, with which no row is made; the next one begins where it has ended, and finds what one from
// Near finds.
func TestRoughSearch(t *testing.T) {
	const tol, alike = 1e-12, 1e-14 // m, of a gap that is 2e-9 off without the rule of trapezoids
	s, f := rolled(t, true)
	for k := range 30 {
		sin, cos := math.Sincos(0.0025 * float64(k+1))
		g := *f
		g.EP = spatial.Mat3{cos, -sin, 0, sin, cos, 0, 0, 0, 1}
		var m, plain Found
		var rough, full, want, again Touch
		s.FindTo(&m, &rough, &g, true)
		s.FindTo(&plain, &want, &g, false)
		require.True(t, m.rough)
		require.False(t, m.is(&g))
		require.True(t, rough.Holds)
		require.InDelta(t, want.Gap, rough.Gap, tol)
		require.InDelta(t, want.U, rough.U, 1e-5)
		s.FindTo(&m, &full, &g, false)
		require.True(t, m.is(&g))
		require.InDelta(t, want.Gap, full.Gap, alike)
		require.InDelta(t, want.U, full.U, alike)
		require.InDelta(t, want.W, full.W, alike)
		g.Near = []float64{1.7, -1.5, 1} // no search continues from another Near
		s.FindTo(&m, &rough, &g, true)
		require.True(t, m.rough)
		m.at[0] = math.NaN()
		g.Near = f.Near
		s.FindTo(&m, &again, &g, false)
		require.Equal(t, want, again)
	}
}
