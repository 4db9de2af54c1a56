package assemble

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

func generated(t *testing.T, family string, n int) *mechanism.Mechanism {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// TestRangesGiveTheSameBits fills bodies and joints in two parts, the later one
// first.
func TestRangesGiveTheSameBits(t *testing.T) {
	for _, family := range []string{"ladder", "nfourbar", "chain", "random"} {
		m := generated(t, family, 30)
		s := m.Initial()
		l := NewLayout(m)
		whole, parts := l.NewWeighted(), l.NewWeighted()
		require.NoError(t, whole.FillTo(s))
		nb, nj := m.NumBodies(), len(l.joint)
		for cut := 0; cut <= nb; cut += 7 {
			require.Equal(t, nb, parts.fillBodies(s, cut, nb))
			require.Equal(t, cut, parts.fillBodies(s, 0, cut))
			require.NoError(t, parts.addApplied(s))
			at := cut * nj / nb
			parts.fillConstant(at, nj)
			parts.fillConstant(0, at)
			require.Equal(t, nj, parts.fillJoints(s, at, nj))
			require.Equal(t, at, parts.fillJoints(s, 0, at))
			require.Equal(t, whole.Matrix, parts.Matrix)
			require.Equal(t, whole.Right, parts.Right)
			require.Equal(t, whole.Scale, parts.Scale)
			require.Equal(t, whole.Kin, parts.Kin)
		}
	}
}

// TestRangesNameTheFirst has two bodies and two joints that cannot be filled: the
// smallest of what the ranges return is the first one.
func TestRangesNameTheFirst(t *testing.T) {
	m := generated(t, "random", 60)
	s := m.Initial()
	y := NewLayout(m).NewWeighted()
	require.NoError(t, y.FillTo(s))
	nb, nj := m.NumBodies(), len(y.Layout.joint)
	s.Bodies[20].Omega[1], s.Bodies[50].Position[0] = math.NaN(), math.Inf(1)
	require.Equal(t, 20, y.fillBodies(s, 0, nb))
	require.Equal(t, 20, y.fillBodies(s, 0, 40))
	require.Equal(t, 50, y.fillBodies(s, 40, nb))
	require.Equal(t, 20, y.fillBodies(s, 0, 21))
	require.Equal(t, 40, y.fillBodies(s, 30, 40))

	s = m.Initial()
	var bad []int // joints of the kind that may fail, with coincident origins
	for i, j := range y.Layout.joint {
		jt := &m.Joints[j]
		if pinned(jt) || len(bad) == 2 {
			continue
		}
		jt.Kind, jt.Motion = joints.Distance, nil
		jt.Length = 1
		for b, f := range map[int32]*mechanism.Frame{jt.Pred: &jt.P, jt.Succ: &jt.S} {
			f.Origin = spatial.Vec3{}
			if b >= 0 {
				s.Bodies[b].Position = spatial.Vec3{}
			}
		}
		bad = append(bad, i)
	}
	require.Len(t, bad, 2)
	require.Equal(t, nb, y.fillBodies(s, 0, nb))
	require.Equal(t, bad[0], y.fillJoints(s, 0, nj))
	require.Equal(t, bad[1], y.fillJoints(s, bad[0]+1, nj))
	require.Equal(t, bad[0], y.fillJoints(s, 0, bad[0]+1))
	require.Equal(t, bad[0], y.fillJoints(s, 0, bad[0]))
}
