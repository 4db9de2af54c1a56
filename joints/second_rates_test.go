package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// TestSecondRateOfAGap: the gap of a disc that moves past a round hill has the second rate of the distance of both middles, though the
// normal turns. So has the row of its armature.
func TestSecondRateOfAGap(t *testing.T) {
	s := joints.Spec{
		Kind: joints.CurveOnCurveKind(true), Armature: &[6]float64{1},
		Curve:          (&curves.Curve{Kind: curves.Circle, Radius: 1.2}).Prepared(),
		SuccessorCurve: (&curves.Curve{Kind: curves.Circle, Radius: 0.3}).Prepared(),
	}
	at, v, pull := spatial.Vec3{0.7, 1.5}, spatial.Vec3{2, -0.4}, spatial.Vec3{0.3, -9}
	f := joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: at, V: v, OmegaS: spatial.Vec3{0, 0, 3}}
	far := at.Norm()
	rate := at.Dot(v) / far
	want := (v.Dot(v) + at.Dot(pull) - rate*rate) / far // of |R|
	var q, qd, qdd [6]float64
	s.CoordinatesTo(&q, &qd, &f)
	require.InDelta(t, far-1.5, math.Abs(q[0]), 1e-12)
	side := math.Copysign(1, q[0])
	require.InDelta(t, rate, side*qd[0], 1e-12)
	a := spatial.Motion{0, 0, 5, pull[0], pull[1], 0}
	s.SecondRatesTo(&qdd, &f, &a)
	require.InDelta(t, want, side*qdd[0], 1e-10)
	var rows joints.Rows
	s.AppendGeared(&rows, &f)
	require.Equal(t, 1, rows.N)
	require.InDelta(t, want, side*(a.Dot(&rows.T[0])+rows.TDot[0]), 1e-10)
}
