package mcap_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/mcap"
	"github.com/rung-mbd/rung/spatial"
)

// Where z is not up, the world has a frame around it in whose z it stands: one of a name that no body has.
func TestUpright(t *testing.T) {
	m, err := bench.Generate("scissor", 2, 1)
	require.NoError(t, err)
	for i := range m.Joints {
		for _, name := range []*string{&m.Joints[i].Predecessor, &m.Joints[i].Successor} {
			if *name == m.Bodies[0].Name {
				*name = "upright"
			}
		}
	}
	m.Bodies[0].Name = "upright"
	for g, around := range map[spatial.Vec3]bool{{0, -9.81, 0}: true, {0, 0, -9.81}: false} {
		m.Gravity = g
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, mcap.Write(context.Background(), &b, scene.New(mech, scene.Options{}), mech.Initial(), nil))
		found := false
		for _, one := range read(t, b.Bytes()) {
			if one.topic != "/tf" {
				continue
			}
			for k := range one.at("transforms").([]any) {
				if one.at("transforms", k, "child_frame_id") != mcap.World {
					continue
				}
				found = true
				assert.Equal(t, "upright"+"_", one.at("transforms", k, "parent_frame_id"))
				q := numbers(one.at("transforms", k, "rotation"), "w", "x", "y", "z")
				up := spatial.Quat{q[0], q[1], q[2], q[3]}.Rotate(spatial.Vec3{0, 1, 0})
				assert.Less(t, up.Sub(spatial.Vec3{0, 0, 1}).Norm(), 1e-12)
			}
		}
		assert.Equal(t, around, found, "gravity %v", g)
	}
}
