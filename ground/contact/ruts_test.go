package contact_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// rutWheel is a wheel on soft soil with ruts, over a slope.
func rutWheel(t testing.TB) (*contact.Ruts, contact.Contact) {
	t.Helper()
	base, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0.05, 0.02, 1})
	require.NoError(t, err)
	ruts, err := contact.NewRuts(base, 0.02)
	require.NoError(t, err)
	l, err := contact.SoilPreset("lunar")
	require.NoError(t, err)
	l.Width, l.Recovery, l.Ruts = 0.12, 0.25, true
	return ruts, contact.Contact{
		Shape:  contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}},
		Law:    contact.Law{Friction: contact.Friction{Type: contact.Soil, Soil: l}},
		Ground: ruts.Surface(),
	}
}

// rollOver rolls a wheel from x = 0 to x = 1, 0.04 below the ground as
// it was, in steps of 5 mm, and calls each after every step.
func rollOver(t testing.TB, ruts *contact.Ruts, c *contact.Contact, from, to int, each func(r *contact.Result)) {
	t.Helper()
	r := contact.NewResult(c)
	for k := from; k < to; k++ {
		x := 0.005 * float64(k)
		b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{x, 0.01, -0.05*x - 0.02*0.01 - 0.04 + 0.3}, Velocity: spatial.Vec3{1, 0, 0}, Omega: spatial.Vec3{0, 3.4, 0}}
		require.NoError(t, c.EvalTo(r, &b, nil))
		ruts.Note(c, r, 0.005)
		require.NoError(t, ruts.Settle())
		if each != nil {
			each(r)
		}
	}
}

// TestRuts: behind a wheel the ground is where its lowest point passed, less what comes back, and nowhere else; the
// wheel does not feel its own rut.
func TestRuts(t *testing.T) {
	ruts, c := rutWheel(t)
	first := 0.0
	rollOver(t, ruts, &c, 0, 200, func(r *contact.Result) {
		if first == 0 {
			first = r.Depth
		}
		check.Close(t, r.Depth, first, 2e-3, 1, "depth")
	})
	base, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0.05, 0.02, 1})
	require.NoError(t, err)
	lowered := func(x, y float64) float64 {
		z, err := ruts.Surface().Height(x, y)
		require.NoError(t, err)
		before, err := base.Height(x, y)
		require.NoError(t, err)
		return before - z
	}
	// Across the slope the wheel is level, so that one side of the rut is a little deeper.
	check.Close(t, lowered(0.4, 0.01), 0.75*0.04, 5e-4, 1, "rut")
	require.Zero(t, lowered(0.4, 0.12), "beside the rut")
	require.Zero(t, lowered(-0.3, 0.01), "before the rut")
	require.Zero(t, lowered(1.3, 0.01), "ahead of the wheel")
	require.Zero(t, lowered(0.99, 0.01), "under the wheel")
	require.Zero(t, lowered(20, 20), "far away")
	// The next wheel at the same height is less deep.
	next := math.Inf(1)
	rollOver(t, ruts, &c, 80, 81, func(r *contact.Result) { next = r.Depth })
	check.Close(t, next, 0.01, 1e-3, 1, "depth of the next wheel")
}

// TestRutsResume: a run that continues from saved ruts has the same bits.
func TestRutsResume(t *testing.T) {
	ruts, c := rutWheel(t)
	rollOver(t, ruts, &c, 0, 100, nil)
	saved := ruts.Nodes()
	require.NotEmpty(t, saved)
	rollOver(t, ruts, &c, 100, 150, nil)

	again, d := rutWheel(t)
	rollOver(t, again, &d, 30, 60, nil) // something else
	require.NoError(t, again.Restore(saved))
	require.Equal(t, saved, again.Nodes())
	rollOver(t, again, &d, 100, 150, nil)
	require.Equal(t, ruts.Nodes(), again.Nodes())

	for _, bad := range [][]contact.RutNode{
		{{Lowered: 0.1}}, {{Lowered: math.NaN()}}, {{Back: 2}}, {{Pressed: true, Passage: math.Inf(1)}},
	} {
		require.Error(t, again.Restore(bad))
	}
	require.Equal(t, ruts.Nodes(), again.Nodes(), "what is not fit changes nothing")
	require.ErrorContains(t, again.Restore([]contact.RutNode{{I: 3, Lowered: -1}, {I: 3, Lowered: -1}}), "twice")
	require.ErrorIs(t, again.Restore([]contact.RutNode{{I: math.MaxInt32, Lowered: -1}}), ground.ErrTiles)
	require.Empty(t, again.Nodes())
}

// TestRutsRefused: spacings that are not fit, and wheels so far away that nodes have no number.
func TestRutsRefused(t *testing.T) {
	base, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	for _, spacing := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := contact.NewRuts(base, spacing)
		require.ErrorContains(t, err, "spacing")
	}
	ruts, c := rutWheel(t)
	c.Ground, err = ground.NewPlane(spatial.Vec3{1e9, 0, 0}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	r := contact.NewResult(&c)
	require.NoError(t, c.EvalTo(r, &contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{1e9, 0, 0.27}}, nil))
	ruts.Note(&c, r, 0)
	require.ErrorIs(t, ruts.Settle(), ground.ErrTiles)
}

// TestRutsOfOneselfAreNotFelt: what a step lowers changes nothing at the
// state at its end, to the bit, for the wheel and one close behind it.
func TestRutsOfOneselfAreNotFelt(t *testing.T) {
	ruts, c := rutWheel(t)
	one, two := contact.NewResult(&c), contact.NewResult(&c)
	lowered := 0
	for k := range 300 {
		var where [2]contact.Body
		for i, r := range [2]*contact.Result{one, two} {
			x := 0.004*float64(k) - 0.3*float64(i)
			where[i] = contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{x, 0.01, -0.05*x - 0.02*0.01 - 0.002 - 0.03*float64(i) + 0.3}, Velocity: spatial.Vec3{1, 0, 0}, Omega: spatial.Vec3{0, 3.4, 0}}
			require.NoError(t, c.EvalTo(r, &where[i], nil))
			ruts.Note(&c, r, 0.004)
		}
		before := [2]spatial.Force{one.Wrench, two.Wrench}
		require.NoError(t, ruts.Settle())
		lowered = len(ruts.Nodes())
		for i, r := range [2]*contact.Result{one, two} {
			require.NoError(t, c.EvalTo(r, &where[i], nil))
			require.Equal(t, before[i], r.Wrench)
		}
	}
	require.Greater(t, lowered, 200)
}

// TestRutsAllocateNothing: over ground that has memory.
func TestRutsAllocateNothing(t *testing.T) {
	ruts, c := rutWheel(t)
	r := contact.NewResult(&c)
	k := 0
	step := func() {
		k++
		x := 0.005 * float64(k%200)
		b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{x, 0.01, -0.05*x - 0.0002 - 0.04 + 0.3}, Velocity: spatial.Vec3{1, 0, 0}}
		if err := c.EvalTo(r, &b, nil); err != nil {
			t.Fatal(err)
		}
		ruts.Note(&c, r, 0.005)
		if err := ruts.Settle(); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(400, step))
}
