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
	ruts, err := contact.NewRuts(base, [2]float64{-0.5, -0.5}, [2]float64{0.02, 0.02}, [2]int{151, 51})
	require.NoError(t, err)
	l, err := contact.SoilPreset("lunar")
	require.NoError(t, err)
	l.Width, l.Recovery = 0.12, 0.25
	return ruts, contact.Contact{
		Shape:  contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}},
		Law:    contact.Law{Friction: contact.Friction{Type: contact.Soil, Soil: l}},
		Ground: ruts.Surface(),
	}
}

// rollOver rolls a wheel from x = 0 to x = 1, 0.04 below the ground as it was, in steps of 5 mm, and calls each after every step.
func rollOver(t testing.TB, ruts *contact.Ruts, c *contact.Contact, from, to int, each func(r *contact.Result)) {
	t.Helper()
	r := contact.NewResult(c)
	for k := from; k < to; k++ {
		x := 0.005 * float64(k)
		b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{x, 0.01, -0.05*x - 0.02*0.01 - 0.04 + 0.3}, Velocity: spatial.Vec3{1, 0, 0}, Omega: spatial.Vec3{0, 3.4, 0}}
		require.NoError(t, c.EvalTo(r, &b, nil))
		ruts.Press(c, r)
		require.NoError(t, ruts.Settle())
		if each != nil {
			each(r)
		}
	}
}

// TestRuts: behind a wheel the ground is where its lowest point passed, less what comes back, and nowhere else; the wheel does not feel its own rut.
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

// TestRutsResume: a run that goes on from saved ruts has the same bits.
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
		{{Node: -1}}, {{Node: 151 * 51}}, {{Node: 3}, {Node: 3}}, {{Node: 1, Lowered: 0.1}}, {{Node: 1, Lowered: math.NaN()}}, {{Node: 1, Back: 2}},
	} {
		require.Error(t, again.Restore(bad))
	}
	require.Equal(t, ruts.Nodes(), again.Nodes(), "what is not fit changes nothing")
}

// TestRutsRefused: grids that are not fit.
func TestRutsRefused(t *testing.T) {
	base, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	for _, size := range [][2]int{{0, 5}, {5, 2}, {1 << 13, 1 << 13}, {-4, 9}} {
		_, err := contact.NewRuts(base, [2]float64{}, [2]float64{1, 1}, size)
		require.ErrorContains(t, err, "nodes of ruts")
	}
	_, err = contact.NewRuts(base, [2]float64{math.NaN(), 0}, [2]float64{1, 1}, [2]int{5, 5})
	require.Error(t, err)
	_, err = contact.NewRuts(base, [2]float64{}, [2]float64{0, 1}, [2]int{5, 5})
	require.Error(t, err)
}
