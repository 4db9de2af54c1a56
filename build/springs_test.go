package build_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestSprings: a bushing is at rest where it is built, a cable has the length of its path, a law is that of its spring;
// bodies of others are refused by name.
func TestSprings(t *testing.T) {
	b := build.New("springs")
	one := b.Rod("one", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 1, 0})
	two := b.Rod("two", 1, 0.01, spatial.Vec3{1, 1, 0}, spatial.Vec3{0, 3, 1})
	b.Bushing("mount", one, two, build.At(1, 1, 0).WithZ(spatial.Vec3{1, 2, 3}), model.Bushing{Stiffness: model.Diagonal([6]float64{1, 2, 3, 4, 5, 6})})
	b.Cable("rope", build.Spring{Stiffness: 10, RestLength: 1}, 2, build.Through{Body: build.World}, build.Through{Body: one, Point: spatial.Vec3{0, 0, 3}}, build.Through{Body: two, Point: spatial.Vec3{0, 4, 3}})
	b.SpringDamper("coil", build.World, two, spatial.Vec3{}, spatial.Vec3{0, 3, 1}, build.Spring{Stiffness: 1})
	b.Law(&model.SpringLaw{At: []float64{0, 1}, Forces: []float64{0, 1}}, nil)
	from, err := b.Model()
	require.NoError(t, err)
	m, err := mechanism.New(from)
	require.NoError(t, err)
	st, k := m.Initial(), m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	var at mechanism.BushingState
	require.NoError(t, m.BushingAt(&at, 0, k, st))
	for _, x := range at.X {
		require.InDelta(t, 0, x, 1e-15)
	}
	require.InDelta(t, 1/at.H.Col(2).Norm(), at.H.Col(2).Dot(spatial.Vec3{1, 2, 3})/spatial.Vec3{1, 2, 3}.Norm(), 1e-14)
	rope, err := m.CableAt(0, k, st)
	require.NoError(t, err)
	require.InDelta(t, 7, rope.Length, 1e-14)
	require.NotNil(t, m.SpringLaw(2))

	var none build.Body
	b.Bushing("lost", one, none, build.At(0, 0, 0), model.Bushing{})
	b.Cable("torn", build.Spring{}, 0, build.Through{Body: one}, build.Through{Body: none})
	_, err = b.Model()
	require.ErrorContains(t, err, `force "lost"`)
	require.ErrorContains(t, err, `force "torn"`)
	require.PanicsWithValue(t, "build: no spring-damper", func() { b.Law(nil, nil) })
}
