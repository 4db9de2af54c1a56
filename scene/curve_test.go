package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// A curve is drawn as a wire of the predecessor: bars that begin and end on it, one behind the other; and the point has a ball.
func TestCurvesAreDrawn(t *testing.T) {
	const tol = 1e-14
	s := scene.New(made(t, modeltest.Beads(1)), scene.Options{})
	for j := range s.Mechanism.Joints {
		jt := &s.Mechanism.Joints[j]
		var wire, balls []scene.Shape
		for _, sh := range s.Shapes {
			switch {
			case sh.Joint != int32(j):
			case sh.Kind == scene.Cylinder:
				wire = append(wire, sh)
			default:
				balls = append(balls, sh)
			}
		}
		require.Len(t, balls, 1)
		require.Equal(t, scene.Sphere, balls[0].Kind)
		require.Equal(t, [2]any{jt.Succ, jt.S.Origin}, [2]any{balls[0].Body, balls[0].At.Origin})
		end := func(f *mechanism.Frame, half float64) spatial.Vec3 { return f.Origin.Add(f.E.Col(2).Scale(half)) }
		from, to := jt.Curve.Span()
		for i, sh := range wire {
			require.Equal(t, jt.Pred, sh.Body)
			at := jt.Curve.At(from + (to-from)*float64(i)/float64(len(wire)))
			begin := end(&sh.At, -sh.Size[2])
			require.InDelta(t, 0, begin.Sub(jt.P.Origin.Add(jt.P.E.MulVec(at.C))).Norm(), tol)
			if i > 0 {
				require.InDelta(t, 0, begin.Sub(end(&wire[i-1].At, wire[i-1].Size[2])).Norm(), tol)
			}
		}
		require.Greater(t, len(wire), 50)
	}
}

// Curves that touch are drawn on both bodies.
func TestCamsAreDrawn(t *testing.T) {
	s := scene.New(made(t, modeltest.Cams(1)), scene.Options{})
	for j := range s.Mechanism.Joints {
		of := map[int32]int{}
		for _, sh := range s.Shapes {
			if sh.Joint == int32(j) {
				of[sh.Body]++
			}
		}
		jt := &s.Mechanism.Joints[j]
		require.Len(t, of, 2)
		require.Equal(t, of[jt.Pred], of[jt.Succ])
	}
}
