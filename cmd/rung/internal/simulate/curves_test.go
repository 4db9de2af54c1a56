package simulate

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/mechanism"
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
