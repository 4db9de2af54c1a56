package live

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/spatial"
)

// TestWheelIsPlayed: a coin that rolls around in steady precession (A·Ω²·s·c = (C + m·r²)·w·Ω·s + m·g·r·c, as in rolling_test.go of the root) keeps its lean while a page looks on.
func TestWheelIsPlayed(t *testing.T) {
	const m, r, axial, across, theta, turn = 2.0, 0.3, 0.09, 0.045, 0.9, 2.0
	s, c := math.Sincos(theta)
	w := (across*turn*turn*s*c - m*9.81*r*c) / ((axial + m*r*r) * turn * s)
	d, err := bodies.New(m, spatial.Vec3{}, spatial.Diag3(across, across, axial))
	require.NoError(t, err)
	b := build.New("coin")
	axle, up, center := spatial.Vec3{s, 0, c}, spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 0, r * s}
	coin := b.Body("coin", d, build.At(0, 0, center[2]).WithZ(axle))
	b.Move(coin, spatial.Vec3{0, -r * w, 0}, up.Scale(turn).Add(axle.Scale(w-turn*c)))
	b.Rolling("contact", build.World, coin, spatial.Vec3{}, up, build.Wheel{Center: center, Axle: axle, Radius: r})
	doc, err := b.Model()
	require.NoError(t, err)
	session, clock := newTest(t, doc, Options{})
	require.Contains(t, session.method.text, "Dormand")
	for range 120 {
		clock.at = clock.at.Add(frameTime)
		session.tick()
	}
	require.Empty(t, session.failure)
	st := session.sim.State()
	require.InDelta(t, 2, st.Time, 0.05)
	require.InDelta(t, c, st.Bodies[0].Rotation.Rotate(up)[2], 1e-4)
	require.NoError(t, session.mech.Holds(st))
}
