package joints_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// Rows along and about axes of P are what their names say, and each row of a type has one.
func TestRowNames(t *testing.T) {
	names := map[string]spatial.Force{}
	for k, axis := range []string{"x", "y", "z"} {
		var along, about spatial.Force
		about[k], along[3+k] = 1, 1
		names["along "+axis], names["about "+axis] = along, about
	}
	at := joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: spatial.Vec3{0, 0, 0.3}}
	for kind := joints.Fixed; kind < joints.PointOnCurve; kind++ {
		s := joints.Spec{Kind: kind, Pitch: 0.1, Length: 0.3, Radius: 0.3, Tyre: 0.3}
		var rows joints.Rows
		require.NoError(t, s.EvalTo(&rows, &at, 0), kind.String())
		seen := map[string]bool{}
		for k := range rows.N {
			name := s.RowName(k)
			require.NotEmpty(t, name)
			require.False(t, seen[name], "%v: %s twice", kind, name)
			seen[name] = true
			if want, plain := names[name]; plain {
				require.Equal(t, want, rows.T[k], "%v: %s", kind, name)
			}
		}
		require.PanicsWithValue(t, "joints: row out of range", func() { s.RowName(rows.N) })
	}
	wheel := func(slip joints.Slip, tyre float64) (list []string) {
		s := joints.Spec{Kind: joints.RollingKind(slip), Radius: 0.3, Tyre: tyre}
		for k := range s.NumRows() {
			list = append(list, s.RowName(k))
		}
		return list
	}
	const touch, along, across = "touch", "no slip along its heading", "no slip across its heading"
	require.Equal(t, []string{touch, along, across}, wheel(joints.SlipNone, 0))
	require.Equal(t, []string{touch, across}, wheel(joints.SlipAlong, 0.1))
	require.Equal(t, []string{touch, along}, wheel(joints.SlipAcross, 0.1))
	require.Equal(t, []string{touch}, wheel(joints.SlipBoth, 0.3))
	require.Equal(t, []string{touch, "no slip along x", "no slip along y"}, wheel(joints.SlipNone, 0.3))
	driven := joints.Spec{Kind: joints.Cylindrical, Motion: &[6]*joints.Motion{1: {Kind: joints.Polynomial, Coefficients: []float64{1}}}}
	require.Equal(t, "motion of freedom 1", driven.RowName(4))
}
