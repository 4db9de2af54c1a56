package ik_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestNonholonomic: inverse kinematics refuses mechanisms with nonholonomic rows, whose poses depend on the way of rolling.
func TestNonholonomic(t *testing.T) {
	p, err := rung.NewPlan(modeltest.Rolling(0), kkt.Options{})
	require.NoError(t, err)
	for _, method := range []ik.Method{0, ik.Sparse} {
		_, err = ik.NewProblem(p, &ik.Task{Targets: []ik.Target{{Name: "t", Type: ik.Point, Body: "w0"}}, Solver: ik.Options{Method: method}})
		require.ErrorIs(t, err, mechanism.ErrNonholonomic)
		require.ErrorContains(t, err, `joint "j0"`)
	}
}
