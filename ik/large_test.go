package ik

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// TestScissorMast: a mast of scissors with 18 redundant rows a stage, driven at its left foot by the angle θ, has its
// top at (cos θ, n·sin θ). From some ten stages on one solve is not accurate enough, and solves are refined.
func TestScissorMast(t *testing.T) {
	check.Long(t)
	const tol = 1e-10 // rounding, times the square of the stages
	sizes := []int{1, 2, 10, 30, 100, 300}
	if check.More() > 1 {
		sizes = append(sizes, 1000)
	}
	for _, n := range sizes {
		m, err := bench.Scissor(n, 1)
		require.NoError(t, err)
		e := newDrivenOf(t, m, &Task{Driven: []string{"gf"}, Targets: []Target{{Type: Point, Body: fmt.Sprint("a", n-1),
			Frame: model.Pose{Position: [3]float64{1}}, Weight: []float64{1, 1, 0}}}, Solver: Options{Length: 1}})
		q, out := make([]float64, 1), make([]float64, 2)
		e.coordinatesTo(q)
		q[0] += 0.02
		require.NoError(t, e.moveTo(q))
		first, err := e.mech.BodyIndex("a0")
		require.NoError(t, err)
		theta := e.st.Bodies[first].Rotation.Log()[2]
		s, c := math.Sincos(theta)
		J := jacobian(e)
		check.CloseVec(t, J, []float64{-s, float64(n) * c}, tol, float64(n), "𝒥 of %d stages", n)
		e.errorsTo(out)
		check.CloseVec(t, out, []float64{-c, -float64(n) * s}, tol, float64(n), "top of %d stages", n)
		require.Equal(t, n >= 10, e.resp.rough, "%d stages", n)
	}
}
