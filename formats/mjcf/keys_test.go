package mjcf_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// TestKeysAreCounted: keyframes without a name have numbers of their
// own over all sections, and it is said where there are none.
func TestKeysAreCounted(t *testing.T) {
	const body = `<worldbody><body name="a"><joint name="j" type="hinge"/><geom type="sphere" size="0.1"/></body></worldbody>`
	const three = `<keyframe><key qpos="0.3"/><key name="up" qpos="0.4"/></keyframe><keyframe><key qpos="0.5"/></keyframe>`
	for key, c := range map[string]struct{ keys, want string }{
		"home":  {three, "there are key#0, up, key#2"},
		"key#0": {"", "does not exist; there are none"},
	} {
		_, _, err := from(map[string]string{"main.xml": `<mujoco>` + body + c.keys + `</mujoco>`}, source.Options{Key: key})
		require.Error(t, err)
		assert.Contains(t, err.Error(), c.want)
	}
	m, report, err := from(map[string]string{"main.xml": `<mujoco>` + body + three + `</mujoco>`}, source.Options{Key: "key#2"})
	require.NoError(t, err)
	assert.InDelta(t, 0.247404, m.Bodies[0].Pose.Orientation[3], 1e-6) // sin 0.25
	said := 0
	for i := range report.Entries {
		if e := &report.Entries[i]; e.What == `attributes "qpos" of "key" are not read` {
			said++
			assert.Equal(t, "is of a keyframe that --key does not name", e.Why)
		}
	}
	assert.Equal(t, 1, said)
}
