package contact_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/spatial"
)

// TestPiecesOfDiscs: a roller that goes over from one of its discs to another is on another piece, as its force has a corner in between. As
// long as pieces had the number of discs alone, nobody saw that. Of many discs that are held, each counts.
func TestPiecesOfDiscs(t *testing.T) {
	plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	roller := contact.Contact{
		Shape: contact.Shape{Type: contact.Cylinder, Radius: 0.3, Width: 0.4, Axis: spatial.Vec3{0, 1, 0}}, Law: laws()["linear"], Ground: plane,
	}
	piece := func(c *contact.Contact, tilt, z, spin float64) contact.Piece {
		b := contact.Body{
			E: spatial.Exp(spatial.Vec3{tilt, 0, 0}).Mat(), Position: spatial.Vec3{0, 0, z}, Omega: spatial.Vec3{0, spin, 0}, Velocity: spatial.Vec3{1, 0, 0},
		}
		r := contact.NewResult(c)
		require.NoError(t, c.EvalTo(r, &b, make([]float64, c.NumStates())))
		return c.Piece(r)
	}
	none, both := piece(&roller, 0, 0.4, 0), piece(&roller, 0, 0.29, 0)
	first, second := piece(&roller, 0.1, 0.31, 0), piece(&roller, -0.1, 0.31, 0)
	require.Equal(t, contact.Piece{}, none)
	require.NotEqual(t, first, second)
	for _, c := range []struct {
		was, now contact.Piece
		adds     bool
	}{{none, first, true}, {first, none, false}, {first, second, true}, {both, first, false}, {second, both, true}, {both, both, false}} {
		require.Equal(t, c.adds, c.now.Adds(&c.was))
	}

	roller.Shape.Discs, roller.Law = 100, laws()["soil"]
	require.Empty(t, flaws(&roller))
	rolls, slides := piece(&roller, 0, 0.29, 1/0.3), piece(&roller, 0, 0.29, -200)
	require.NotEqual(t, rolls, slides, "the slip is beyond the law")
	require.NotEqual(t, slides, piece(&roller, math.Copysign(1e-3, -1), 0.3, -200))
}
