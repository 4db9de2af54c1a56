package live_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestOverflow: what a page is told at first is JSON where weights are beyond what numbers hold.
func TestOverflow(t *testing.T) {
	m := model.New("heavy")
	for _, name := range []string{"a", "b"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: math.MaxFloat64 / 2, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s, err := live.NewSession(p, p.Initial(), spatial.Vec3{}, live.Options{})
	require.NoError(t, err)
	_, err = json.Marshal(s.Head())
	require.NoError(t, err)
}
