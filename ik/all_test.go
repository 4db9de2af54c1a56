package ik

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// TestAll6R finds all solutions of an arm with a spherical wrist, up to eight, as the closed form gives them.
func TestAll6R(t *testing.T) {
	m, err := model.ReadFile("../reference/ik/ik-6r-all.model.json")
	require.NoError(t, err)
	plan := testPlan(t, m)
	rows := numbers(t, "../reference/ik/ik-6r-all.csv")
	poses := 0
	for i := 0; i < len(rows); poses++ {
		n := int(rows[i][2])
		want := rows[i : i+n]
		if i += n; testing.Short() && poses%10 != 3 {
			continue
		}
		p := testProblem(t, plan, &Task{Targets: []Target{toolPose([3]float64(want[0][3:]), [4]float64(want[0][6:]))}})
		r, err := testSolver(t, p, Options{All: true}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err)
		require.Len(t, r.Solutions, n, "pose %d", poses)
		for _, w := range want {
			require.Less(t, nearest(r.Solutions, w[10:]), 1e-10, "pose %d", poses)
		}
	}
	require.Equal(t, 20, poses)
}

// toolPose is the target of the tool of the reference arm.
func toolPose(position [3]float64, orientation [4]float64) Target {
	return Target{
		Name: "tool", Type: PoseTarget, Body: "link6", Frame: model.Pose{Position: [3]float64{0, 0, 0.1}},
		Position: position, Orientation: orientation,
	}
}

// numbers reads a file of numbers with one line of names.
func numbers(t *testing.T, file string) (out [][]float64) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		var x []float64
		for _, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
			x = append(x, v)
		}
		out = append(out, x)
	}
	return out
}
