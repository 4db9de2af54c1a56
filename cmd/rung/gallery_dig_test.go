package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// TestDigging: the model of the moving picture is the excavator of its family with motions in place of the oil, so that
// it digs, lifts, turns and empties its bucket, and ends as it began. -update rewrites it.
func TestDigging(t *testing.T) {
	m, err := bench.Excavator(1, 1)
	require.NoError(t, err)
	m.Name = "an excavator that digs"
	moves := map[string][]float64{ // at full seconds; rad, and m of cylinders
		"slew":   {0, 0, 0, 0.3, 0.65, 0.4, 0},
		"slide0": {0, -0.45, -0.42, 0.05, 0.25, 0.2, 0},
		"slide1": {-0.35, -0.3, 0, 0.18, 0.1, -0.2, -0.35},
		"slideb": {-0.1, -0.15, 0.1, 0.25, 0.2, -0.3, -0.1},
	}
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		values, ok := moves[j.Name]
		if !ok {
			continue
		}
		delete(moves, j.Name)
		j.Stiffness, j.Damping, j.Rest = nil, nil, nil
		j.Motion = []*model.Motion{{Kind: model.Spline, Times: []float64{0, 1, 2, 3, 4, 5, 6}, Values: values, Ends: joints.Clamped}}
	}
	require.Empty(t, moves)
	var b bytes.Buffer
	require.NoError(t, model.Write(&b, m))
	check.GoldenNumbers(t, "../../../docs/excavator.model.json", b.Bytes(), 1e-12, 1) // rounding of processors
}
