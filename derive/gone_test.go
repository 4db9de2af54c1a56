package derive_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/spatial"
)

// TestTakenBack: a direction that the joints cancel entirely changes nothing and breaks no loop; what remains of it is rounding.
func TestTakenBack(t *testing.T) {
	for _, name := range []string{"four-bar", "slider-crank-planar"} { // in the plane of x and y
		d, _ := open(t, filepath.Join("../reference/derivatives", name+".model.json"))
		in, out := d.NewDirections(2), d.NewChanges(2)
		in.SetFollow(0, true)
		in.SetFollow(1, true)
		in.Body(0, 0).Angular, in.Body(1, 0).Position = spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 0, 1}
		require.NoError(t, d.ForwardTo(out, in, derive.Options{}), name)
		for k := range 2 {
			require.Zero(t, out.Body(k, 0).ComAcceleration, name)
			require.InDelta(t, 1, out.Corrected(k), 1e-12)
		}
	}
}
