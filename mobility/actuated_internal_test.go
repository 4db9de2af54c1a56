package mobility

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// TestReleaseKeepsActuated: a joint with an actuator keeps its freedoms, as one in a coupling does, and others are released.
func TestReleaseKeepsActuated(t *testing.T) {
	m, err := bench.Generate("nfourbar", 3, 1)
	require.NoError(t, err)
	free, err := FindReleases(m, initial(t, m))
	require.NoError(t, err)
	require.NotEmpty(t, free.Releases)
	for _, l := range free.Releases {
		m.Forces = []model.ForceElement{{Name: "motor", Type: model.ActuatorForce, Actuator: &model.Actuator{Joint: l.Joint, Value: joints.NewPolynomial([]float64{1})}}}
		r, err := FindReleases(m, initial(t, m))
		require.NoError(t, err, l.Joint)
		assert.Equal(t, free.Counts.Mobility, r.Counts.Mobility)
		for _, other := range r.Releases {
			assert.NotEqual(t, l.Joint, other.Joint)
		}
	}
}
