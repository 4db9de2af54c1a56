package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/spatial"
)

// TestBlankJoints: derivatives of bodies alone leave nothing of joints, whatever has been computed in the same memory before.
func TestBlankJoints(t *testing.T) {
	d, _ := open(t, referenceDir+"/four-bar.model.json")
	in, out := d.NewDirections(1), d.NewChanges(1)
	in.Body(0, 0).Rotation = spatial.Vec3{0, 0, 1}
	in.SetFollow(0, true)
	for _, o := range []derive.Options{{}, {BodiesOnly: true}, {BodiesOnly: true, Untried: true}, {NoReactions: true}, {BodiesOnly: true}, {}, {BodiesOnly: true, Untried: true}} {
		require.NoError(t, d.ForwardTo(out, in, o))
		for j := range d.Mechanism().NumJoints() {
			x := out.Joint(0, j)
			if o.BodiesOnly {
				require.Equal(t, derive.JointChange{Undetermined: 0x3f}, x)
			} else {
				require.NotZero(t, x.Q)
			}
		}
	}
}
