package objective_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// TestCheckGoesOn: a number that cannot be changed to both sides has no differences, and says why; the others have theirs.
func TestCheckGoesOn(t *testing.T) {
	o := &objective.Objective{
		At: objective.AtRun, Run: runs.Options{Until: 0.05, Step: 0.005, Integrator: runs.RungeKutta4}, Terms: terms("link1.px"),
		Parameters: append(by("bodies[0].inertia.zz"), by("bodies[0].mass")...),
	}
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text(t, "pendulum")), &m))
	m["bodies"].([]any)[0].(map[string]any)["inertia"] = map[string]float64{"xx": 0.1, "yy": 0.1, "zz": 0.2} // of a plate
	plate, err := json.Marshal(m)
	require.NoError(t, err)
	p := problemOf(t, o, string(plate), 0.05)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	require.NoError(t, p.Check(context.Background(), r))
	assert.Nil(t, r.Parameters[0].Differences)
	assert.Contains(t, r.Parameters[0].Unchecked, "at 0.2002")
	assert.Contains(t, r.Parameters[0].Unchecked, "inertia")
	require.NotNil(t, r.Parameters[1].Differences)
	assert.InDelta(t, r.Parameters[1].Gradient, *r.Parameters[1].Differences, 1e-8)
	assert.Empty(t, r.Parameters[1].Unchecked)

	ctx, end := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	end(cause)
	require.ErrorIs(t, p.Check(ctx, r), cause)
}
