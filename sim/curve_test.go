package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// TestCurveFingerprint: a curve is told by what it says, and by whether its joint has rows in the plane alone.
func TestCurveFingerprint(t *testing.T) {
	check.Long(t)
	print := func(change func(m *model.Model)) uint64 {
		m := modeltest.Beads(2)
		cams := modeltest.Cams(2)
		cams.Joints[0].Name, cams.Joints[0].Predecessor, cams.Joints[0].Successor = "cam", "plate", "b0"
		m.Joints = append(m.Joints, cams.Joints[0])
		change(m)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		return sim.Fingerprint(mech)
	}
	seen := map[uint64]bool{}
	for _, change := range []func(m *model.Model){
		func(*model.Model) {},
		func(m *model.Model) { m.Joints[0].Curve.Ends[1][2] += 1e-9 },
		func(m *model.Model) { m.Joints[1].Curve.Radius += 1e-9 },
		func(m *model.Model) { m.Joints[3].Curve.Points[2][1] += 1e-9 },
		func(m *model.Model) { m.Joints[3].Curve.Closed = false },
		func(m *model.Model) { m.Joints[5].Curve.Z = "0.31*u" },
		func(m *model.Model) { m.Joints[5].Curve.Range[1] = 9.5 },
		func(m *model.Model) { m.Joints[4].Curve.Planar = false },
		func(m *model.Model) { m.Joints[7].SuccessorCurve.Radius += 1e-9 },
	} {
		f := print(change)
		require.Equal(t, f, print(change))
		require.False(t, seen[f])
		seen[f] = true
	}
}
