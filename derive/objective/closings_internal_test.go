package objective

import (
	"context"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// counted is a projector that counts its closings.
type counted struct {
	sim.Projector
	closed int
}

func (c *counted) ClosePositions(st *mechanism.State) error {
	c.closed++
	return c.Projector.ClosePositions(st)
}

// TestStagesAreClosedOnce: the way over a run uses the closed stages of the run, and has the same results as if it closed them itself.
func TestStagesAreClosedOnce(t *testing.T) {
	const tol = 1e-9 // relative to the largest slope: tolerance of closing
	dir := "../../examples/slidercrank"
	f, err := os.Open(dir + "/slider-crank.objective.json")
	require.NoError(t, err)
	defer f.Close()
	o, err := Read(f, "o.json")
	require.NoError(t, err)
	o.Run.Until = 0.2
	text, err := os.ReadFile(dir + "/slider-crank.json")
	require.NoError(t, err)
	data := "time,joint.main.q,slider.px\n0.1,1,0.5\n0.2,1.1,0.5\n"
	p, err := NewProblem(o, "o.json", Source{Text: text, Name: "m.json", Data: fstest.MapFS{"run.csv": {Data: []byte(data)}}})
	require.NoError(t, err)
	slopes := func(forget bool) (list []Residual, closed int) {
		_, err := p.Residuals(context.Background())
		require.NoError(t, err)
		c := p.ran
		require.NotEmpty(t, c.known.times)
		if forget {
			c.known.times = nil
		}
		by := &counted{Projector: c.known.by}
		c.known.by = by
		list, err = p.ResidualSlopes(context.Background())
		require.NoError(t, err)
		return list, by.closed
	}
	once, none := slopes(false)
	again, all := slopes(true)
	assert.Zero(t, none)
	assert.Greater(t, all, 20)
	for i := range once {
		largest := 0.0
		for _, x := range again[i].Slopes {
			largest = max(largest, x, -x)
		}
		for k, x := range again[i].Slopes {
			assert.InDelta(t, x, once[i].Slopes[k], tol*largest)
		}
	}
}
