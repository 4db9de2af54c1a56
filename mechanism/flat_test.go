package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
)

// TestFlat: a state goes to numbers in the order that is documented, and back to the bit.
func TestFlat(t *testing.T) {
	s := &mechanism.State{Time: -2, Bodies: make([]mechanism.BodyState, 2), Angles: []float64{300, math.Copysign(0, -1)}, Internal: []float64{301}, Bearings: []float64{302}}
	x := 0.0
	next := func(v []float64) {
		for i := range v {
			x++
			v[i] = x
		}
	}
	for i := range s.Bodies {
		next(s.Bodies[i].Position[:])
		next(s.Bodies[i].Rotation[:])
	}
	for i := range s.Bodies {
		next(s.Bodies[i].Velocity[:])
		next(s.Bodies[i].Omega[:])
	}
	require.Equal(t, 31, s.FlatLen())
	flat := make([]float64, s.FlatLen())
	s.FlatTo(flat)
	require.Equal(t, -2.0, flat[0])
	for i := 1; i <= 26; i++ {
		require.Equal(t, float64(i), flat[i])
	}
	require.Equal(t, []float64{300, 0, 301, 302}, flat[27:])

	back := s.Clone()
	for i := range back.Bodies {
		back.Bodies[i] = mechanism.BodyState{}
	}
	back.Time, back.Angles[0], back.Angles[1], back.Internal[0], back.Bearings[0] = 0, 0, 1, 0, 0
	back.SetFlat(flat)
	require.Equal(t, s, back)
	require.True(t, math.Signbit(back.Angles[1]))
	require.Zero(t, testing.AllocsPerRun(10, func() { s.FlatTo(flat); back.SetFlat(flat) }))

	require.PanicsWithValue(t, "mechanism: length mismatch", func() { s.FlatTo(flat[1:]) })
	require.PanicsWithValue(t, "mechanism: length mismatch", func() { s.SetFlat(append(flat, 0)) })
	plain := compiled(t, cubes(3)).Initial()
	require.Equal(t, 40, plain.FlatLen())
	plain.FlatTo(make([]float64, 40))
}
