package simulate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// TestSimulateCurves thins a long run out: the largest drift stays.
func TestSimulateCurves(t *testing.T) {
	c := &curves{stride: 1, chosen: []int{0}, names: []string{"time"}}
	const rows, peak = 10 * curvePoints, 12345
	for i := range rows {
		drift := 1e-15
		if i == peak {
			drift = 1
		}
		c.Add(&sim.Row{State: &mechanism.State{Time: float64(i)}, Drift: sim.Drift{Position: drift, Velocity: drift / 2}}, []float64{float64(i)})
	}
	assert.LessOrEqual(t, len(c.points), curvePoints)
	assert.Greater(t, len(c.points), curvePoints/4)
	largest := 0.0
	for i, p := range c.points {
		assert.Equal(t, float64(i)*float64(c.stride), p[curveTime])
		assert.Equal(t, p[curveTime], p[curveChosen])
		if p[curvePosition] == 1 {
			assert.InDelta(t, peak, p[curveTime], float64(c.stride))
		}
		largest = max(largest, p[curvePosition])
	}
	assert.Equal(t, 1.0, largest)
}

// TestPlotWithoutDrift: a drift of nothing is one that a logarithmic axis can show.
func TestPlotWithoutDrift(t *testing.T) {
	c := &curves{points: [][]float64{{0, 1, 2, 0, 0}, {1, 1, 2, 3e-12, 0}}}
	assert.Equal(t, []float64{leastDrift, 3e-12}, c.drift(curvePosition))
}

// TestPlotBetweenRows: a picture of rows that are far apart has the peaks between them, from the ends of steps, and not many
// more of these than can be seen.
func TestPlotBetweenRows(t *testing.T) {
	check.Long(t)
	const until, rows = 5, 11
	m, err := bench.NFourBar(3, 0.4, 1)
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	draw := func(step float64) (most, ofRows float64, points int) {
		w := &pictures{curves: &curves{stride: 1}}
		o := runs.Options{Every: 0.5, Step: step, OnRow: func(row *sim.Row, values []float64) error {
			ofRows = max(ofRows, row.Energy.Kinetic)
			w.add(row, values)
			return nil
		}, OnStep: func(s *runs.Simulation) error {
			w.between(s, until)
			return nil
		}}
		s, err := runs.New(plan, o)
		require.NoError(t, err)
		require.NoError(t, s.Run(until))
		before := -1.
		for _, p := range w.curves.points {
			require.Greater(t, p[curveTime], before)
			before, most = p[curveTime], max(most, p[curveKinetic])
		}
		return most, ofRows, len(w.curves.points)
	}
	most, ofRows, points := draw(0)
	_, _, fine := draw(1e-3)
	assert.InDelta(t, 94.6, most, 0.5)
	assert.Less(t, ofRows, 93.5)
	assert.Greater(t, points, 10*rows)
	assert.LessOrEqual(t, fine, curveSteps+rows)
	assert.Greater(t, fine, curveSteps/2)
}

// TestPlotMoves draws what moves: of the body that goes farthest the coordinates that change, or how it turns.
func TestPlotMoves(t *testing.T) {
	names, units := []string{"time"}, []string{"s"}
	for _, body := range []string{"a", "b"} {
		for _, s := range []string{"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"} {
			names, units = append(names, body+"."+s), append(units, s[:1])
		}
	}
	at := func(changes map[string]float64) (list []string) {
		c := &curves{stride: 1}
		c.moving(names, units)
		for k := range 3 {
			values := make([]float64, len(names))
			for i, n := range names {
				values[i] = 5 + changes[n]*float64(k%2)
			}
			c.Add(&sim.Row{State: &mechanism.State{Time: float64(k)}}, values)
		}
		for _, p := range c.drawn() {
			for _, curve := range p.Curves {
				list = append(list, curve.Name)
			}
		}
		return list
	}
	assert.Equal(t, []string{"b.px", "b.pz"}, at(map[string]float64{"a.px": 1, "b.px": -0.5, "b.pz": 2, "b.py": 1e-4, "b.vx": 1000}))
	assert.Equal(t, []string{"a.qw", "a.qz"}, at(map[string]float64{"a.qw": 0.1, "a.qz": 0.2, "a.px": 1e-17}))
	assert.Equal(t, []string{"a.px", "a.py", "a.pz"}, at(nil))
	c := &curves{stride: 1}
	c.moving(append([]string{"time"}, make([]string, 9)...), make([]string, 10))
	assert.Empty(t, c.names)
}
