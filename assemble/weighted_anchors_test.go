package assemble_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// TestFixAnchors compares the rows of anchors, turned back, with those that are not
// fixed, and all other rows bit by bit.
func TestFixAnchors(t *testing.T) {
	var found [joints.NumKinds]int
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		plain := weighted(t, m, s)
		l := plain.L
		p, anchors := l.Pattern, l.Anchors()
		w := l.NewWeighted()
		w.FixAnchors(anchors)
		require.Equal(t, len(anchors) > 0, w.W.Fixed)
		require.NoError(t, w.FillTo(s))
		tol := tolerance(s, weightedTol, farRowTol)
		speed := 1 + check.MaxAbs(velocities(m, s))
		requireAlike := func() {
			t.Helper()
			for node := range p.Len() {
				lo, hi := p.Off[node], p.Off[node+1]
				if !slices.Contains(anchors, int32(node)) {
					require.Equal(t, plain.B[lo:hi], w.B[lo:hi])
					require.Equal(t, plain.Scale[lo:hi], w.Scale[lo:hi])
					require.Equal(t, plain.W.Val[p.Pos[p.Ptr[node]]:p.Pos[p.Ptr[node+1]]], w.W.Val[p.Pos[p.Ptr[node]]:p.Pos[p.Ptr[node+1]]])
					continue
				}
				n := int(hi - lo)
				v := make([]float64, n)
				requireRows := func(want []float64, size float64, what string) {
					t.Helper()
					own := slices.Clone(v)
					w.WorldRows(v, node)
					for k := range v {
						check.Close(t, v[k], want[k], tol, size, "%s of %s, row %d", what, l.NodeName(node), k)
					}
					w.OwnRows(v, node)
					for k := range v {
						check.Close(t, v[k], own[k], tol, size, "%s of %s, row %d, there and back", what, l.NodeName(node), k)
					}
				}
				copy(v, w.B[lo:hi])
				requireRows(plain.B[lo:hi], speed*speed, "right side")
				at := p.Pos[p.Ptr[node]]
				a, b := w.W.Val[at:][:6*n], plain.W.Val[at:][:6*n]
				want := make([]float64, n)
				for c := range 6 {
					for k := range v {
						v[k], want[k] = a[6*k+c], b[6*k+c]
					}
					requireRows(want, 1+check.MaxAbs(b), "block")
				}
				for k := range n {
					q := 0.0
					for _, x := range a[6*k : 6*k+6] {
						q += x * x
					}
					check.Close(t, w.Scale[int(lo)+k], q, weightedTol, q, "scale")
				}
				var rows [36]float64
				require.Equal(t, n, l.AnchorRowsTo(&rows, node))
				require.Equal(t, rows[:6*n], a)
				found[m.Joints[l.NodeJoint(node)].Kind]++
			}
		}
		requireAlike()
		w.GeometricTo(make([]float64, m.NumBodies()))
		require.False(t, w.W.Fixed)
		require.NoError(t, w.FillTo(s))
		require.Equal(t, len(anchors) > 0, w.W.Fixed)
		requireAlike()
		w.FixAnchors(nil)
		require.NoError(t, w.FillTo(s))
		require.False(t, w.W.Fixed)
		require.Equal(t, plain.B, w.B)
		require.Equal(t, plain.W.Val, w.W.Val)
		require.Equal(t, plain.Scale, w.Scale)
	})
	for _, k := range []joints.Kind{joints.Revolute, joints.Spherical, joints.Fixed} {
		require.Positive(t, found[k], "no anchor of type %v", k)
	}
}

func TestAnchorsPanic(t *testing.T) {
	m := golden(t, "four-bar")
	l := assemble.NewLayout(m)
	w := l.NewWeighted()
	other := -1
	for node := m.NumBodies(); node < l.Pattern.Len(); node++ {
		if !slices.Contains(l.Anchors(), int32(node)) {
			other = node
		}
	}
	require.Positive(t, other)
	require.PanicsWithValue(t, "assemble: not an anchor", func() { w.FixAnchors([]int32{int32(other)}) })
	require.PanicsWithValue(t, "assemble: not an anchor", func() { l.AnchorRowsTo(new([36]float64), other) })
}
