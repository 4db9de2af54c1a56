package ground_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// TestSmoothSurfaces: surfaces with two continuous derivatives pass, and the others return an error; so do sums of them.
func TestSmoothSurfaces(t *testing.T) {
	field := func() *ground.Field {
		return &ground.Field{Spacing: [2]float64{1, 1}, Size: [2]int{4, 4}, Heights: make([]float64, 16)}
	}
	plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0.2, 1})
	require.NoError(t, err)
	require.NoError(t, plane.Smooth())
	for i := ground.Spline; i <= ground.Linear; i++ {
		for o := ground.Stop; o <= ground.Tangent; o++ {
			s, err := ground.NewGrid(t.Context(), field(), ground.Options{Interpolation: i, Outside: o})
			require.NoError(t, err)
			sum, err := ground.Sum(plane, s)
			require.NoError(t, err)
			if i == ground.Spline && o == ground.Stop {
				require.NoError(t, sum.Smooth())
				continue
			}
			require.ErrorIs(t, s.Smooth(), ground.ErrRough)
			require.ErrorIs(t, sum.Smooth(), ground.ErrRough)
		}
	}
	for text, smooth := range map[string]bool{
		"sin(3*x)*exp(-y^2/9)": true, "sqrt(0.49 - x^2 - y^2)": true, "tanh(5*(x-y))": true, "(x^2 + y^2)/7": true, "exp(x/3)*y": true,
		"abs(x - 0.3)": false, "max(y - 1.7, 0)^2": false, "min(x, y)": false, "0.02*max(0, x - 0.1)^2 + sin(x)": false,
	} {
		s, err := ground.Function(text)
		require.NoError(t, err)
		if err := s.Smooth(); smooth {
			require.NoError(t, err, text)
		} else {
			require.ErrorIs(t, err, ground.ErrRough, text)
		}
	}
}
