package live

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/motion/runs"
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

// TestPulledBicycle: a bicycle whose wheel is pulled along a circle ends where fine steps bring it, and its joints hold; few steps are
// projected.
func TestPulledBicycle(t *testing.T) {
	const (
		off   = 2e-6 // m and rad, on a way of 0.5 m; 8e-7 is found
		steps = 140  // 120 are those of the frames
	)
	pulled := func(fine bool) *Session {
		s, c := newTest(t, generate(t, "bicycle", 1), Options{})
		if fine {
			move, err := runs.NewMover(s.plan, &runs.Options{Integrator: runs.DormandPrince, Tolerance: 1e-9})
			require.NoError(t, err)
			s.method.stepper, s.method.project, s.method.drift = move.Stepper, move.Projector, 0
			require.NoError(t, s.reset())
		}
		last := s.mech.NumBodies() - 1
		at := s.shown.Bodies[last].Position.Sub(s.center)
		for k := range 30 {
			sin, cos := math.Sincos(math.Pi * float64(k) / 60)
			s.apply(&Message{Type: "pull", Body: last, Vector: at.Add(spatial.Vec3{sin, 1 - cos, sin}.Scale(0.3)), page: s.pages[0]})
			c.at = c.at.Add(frameTime)
			s.owed = frame * 1e-6 // rounding of the clock leaves no frame out
			s.tick()
		}
		require.Empty(t, s.failure)
		return s
	}
	s, want := pulled(false), pulled(true)
	st, fine := s.sim.State(), want.sim.State()
	require.InDelta(t, 0.5, st.Time, 1e-9)
	require.NoError(t, s.mech.Holds(st))
	for i := range st.Bodies {
		a, b := &st.Bodies[i], &fine.Bodies[i]
		require.InDelta(t, 0, a.Position.Sub(b.Position).Norm(), off)
		require.InDelta(t, 0, a.Rotation.Mul(b.Rotation.Conj()).Log().Norm(), off)
	}
	stats := s.sim.Stats()
	require.LessOrEqual(t, stats.Steps, int64(steps))
	require.Less(t, 2*stats.Projections, stats.Steps)
}
