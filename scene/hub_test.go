package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

// TestCurvesAreSeen: curves have the colour of their body, and the block of a body with curves is so small that it hides none of them.
func TestCurvesAreSeen(t *testing.T) {
	const part = 0.1 // of the smallest curve, which is more than a block reaches to each side
	m, err := bench.Generate("cam-train", 2, 1)
	require.NoError(t, err)
	m.Visuals = nil // they take the place of blocks
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s := scene.New(mech, scene.Options{NoJoints: true})
	small := map[int32]float64{}
	for j := range mech.Joints {
		jt := &mech.Joints[j]
		if jt.SuccessorCurve == nil {
			continue
		}
		for body, c := range map[int32]float64{jt.Pred: jt.Curve.Size(), jt.Succ: jt.SuccessorCurve.Size()} {
			if was, ok := small[body]; !ok || c < was {
				small[body] = c
			}
		}
	}
	require.Len(t, small, 6)
	blocks, wires := 0, 0
	for _, x := range s.Shapes {
		switch {
		case x.Joint < 0 && small[x.Body] > 0:
			blocks++
			size := x.Size
			if x.Kind == scene.Capsule || x.Kind == scene.Cylinder { // a rod along the shaft, from cam to cam
				size[2] = 0
			}
			require.Less(t, max(size[0], size[1], size[2]), part*small[x.Body], "block of body %d", x.Body)
		case x.Joint >= 0 && mech.Joints[x.Joint].SuccessorCurve != nil && x.Color == scene.BodyColor(int(x.Body)):
			wires++
		}
	}
	require.GreaterOrEqual(t, blocks, 6)
	require.Greater(t, wires, 4*2*90)
}
