package joints

import (
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
		s.FindTo(&m, nil, f)
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
		s.FindTo(&m, nil, f) // kept, right or wrong
		f.R[0] += 1e-6
		s.FindTo(&m, nil, f)
		f.R[0] -= 1e-6
		s.FindTo(&m, nil, f)
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
		s.FindTo(&m, nil, f)
		f.Found = &m
		require.NoError(t, s.EvalTo(&with, f, 0))
		require.Equal(t, plain, with)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			f.R[0] += 1e-9
			s.FindTo(&m, nil, f)
			_ = s.EvalTo(&with, f, 0)
		}))
	}
}
