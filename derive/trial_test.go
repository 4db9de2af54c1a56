package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestTrialOfAxesOfAnyLength: the trial whether a loop closes with a changed axis turns the axis by the same angle whatever its written
// length.
func TestTrialOfAxesOfAnyLength(t *testing.T) {
	for _, length := range []float64{1e-6, 1e-3, 1, 1e6} {
		m, err := model.ReadFile(referenceDir + "/four-bar.model.json")
		require.NoError(t, err)
		j := &m.Joints[2]
		j.Type, j.Axes = joints.Composite, []model.Axis{{Kind: joints.Revolute, Axis: spatial.Vec3{0, 0, length}}}
		d, _ := closed(t, m)
		for k, path := range []string{"joints[2].axes[0].axis[0]", "joints[2].axes[0].axis[2]"} {
			p, err := d.Parameter(path)
			require.NoError(t, err)
			in, out := d.NewDirections(1), d.NewChanges(1)
			in.AddParameter(0, p, 1)
			in.SetFollow(0, true)
			err = d.ForwardTo(out, in, derive.Options{})
			if k == 0 {
				require.ErrorIs(t, err, derive.ErrBreaksLoop, "length %g: out of the plane", length)
			} else {
				require.NoError(t, err, "length %g: along itself", length)
			}
		}
	}
}
