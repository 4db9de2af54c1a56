package assemble_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/mechanism"
)

// preciseTol is the rounding of Weighted, relative to the row or the right side.
const preciseTol = 1e-12

func floats(v []dd.Num) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = dd.Float(x)
	}
	return out
}

// TestPreciseAgrees: the same system as Weighted, in both metrics, for all joint types.
func TestPreciseAgrees(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		l, s := assemble.NewLayout(m), m.Initial()
		w, y := l.NewWeighted(), l.NewPrecise()
		require.NoError(t, w.FillTo(s))
		require.NoError(t, y.FillTo(s))
		requireSame(t, l, w, y)
		size := 0.0
		for _, x := range w.Right {
			size = max(size, math.Abs(x))
		}
		for i, x := range floats(y.Right) {
			require.InDelta(t, w.Right[i], x, preciseTol*size, "right side %d", i)
		}
		length := make([]float64, m.NumBodies())
		w.GeometricTo(length)
		y.GeometricTo(length)
		requireSame(t, l, w, y)
	})
}

// requireSame compares row by row.
func requireSame(t *testing.T, l *assemble.Layout, w *assemble.Weighted, y *assemble.Precise) {
	t.Helper()
	p := l.Pattern
	got := floats(y.Values)
	for node := l.Mech.NumBodies(); node < p.Len(); node++ {
		for r := range int(p.Size[node]) {
			scale := w.Scale[int(p.Off[node])+r]
			require.InEpsilon(t, scale, y.Scale[int(p.Off[node])+r], preciseTol, "scale of row %d of %s", r, l.NodeName(node))
			for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
				for c := range 6 {
					at := int(p.Pos[k]) + 6*r + c
					require.InDelta(t, w.Matrix.Val[at], got[at], preciseTol*math.Sqrt(scale), "row %d of %s", r, l.NodeName(node))
				}
			}
		}
	}
}

// TestPreciseBalances: what a joint does to one of its bodies it does to the other, to all digits: the rows of a joint
// between two bodies have no part in a motion of both as one.
func TestPreciseBalances(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		l := assemble.NewLayout(m)
		y := l.NewPrecise()
		require.NoError(t, y.FillTo(m.Initial()))
		ones := make([]float64, m.NumBodies())
		for i := range ones {
			ones[i] = 1
		}
		y.GeometricTo(ones) // rows in body axes, not weighted
		k := m.NewKinematics()
		require.NoError(t, m.KinematicsTo(k, m.Initial()))
		p := l.Pattern
		for node := m.NumBodies(); node < p.Len(); node++ {
			if p.Ptr[node+1]-p.Ptr[node] < 2 {
				continue
			}
			for r := range int(p.Size[node]) {
				var sum [3]float64
				for b := p.Ptr[node]; b < p.Ptr[node+1]; b++ {
					E := &k.Bodies[p.Ind[b]].E
					for i := range 3 {
						for c := range 3 {
							sum[i] += E[3*i+c] * dd.Float(y.Values[int(p.Pos[b])+6*r+3+c])
						}
					}
				}
				for i := range sum {
					require.InDelta(t, 0, sum[i], 1e-15*4, "force of row %d of %s", r, l.NodeName(node))
				}
			}
		}
	})
}

func TestPreciseShakes(t *testing.T) {
	m := golden(t, "four-bar")
	l := assemble.NewLayout(m)
	y := l.NewPrecise()
	require.NoError(t, y.FillTo(m.Initial()))
	was := floats(y.Values)
	y.Shake(true)
	require.NoError(t, y.FillTo(m.Initial()))
	changed := 0
	for i, x := range floats(y.Values) {
		require.InDelta(t, was[i], x, 1e-14*math.Sqrt(12/1e-4), "entry %d", i) // of the largest weights
		if x != was[i] {
			changed++
		}
	}
	require.Positive(t, changed)
	y.Shake(false)
	require.NoError(t, y.FillTo(m.Initial()))
	require.Equal(t, was, floats(y.Values))
}

func TestPreciseAllocatesNothing(t *testing.T) {
	m := golden(t, "random-30")
	l, s := assemble.NewLayout(m), m.Initial()
	y, length, a := l.NewPrecise(), make([]float64, m.NumBodies()), make([]float64, 6*m.NumBodies())
	l.LengthsTo(length)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		require.NoError(t, y.FillTo(s))
		y.GeometricTo(length)
		y.AccelerationsTo(a, y.Right)
	}))
	require.PanicsWithValue(t, "assemble: length mismatch", func() { y.GeometricTo(nil) })
}
