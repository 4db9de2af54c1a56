package rung_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// TestFactorsHaveALimit: a net without order of a small document is refused with its price. Without a limit the program
// ends for want of memory.
func TestFactorsHaveALimit(t *testing.T) {
	check.Long(t)
	const bodies = 34_000
	r := rand.New(rand.NewPCG(1, 2))
	m := model.New("net")
	for i := range bodies {
		m.Bodies = append(m.Bodies, model.Body{Name: fmt.Sprint("b", i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	for k := range 2 * bodies {
		a := r.IntN(bodies)
		b := (a + 1 + r.IntN(bodies-1)) % bodies
		m.Joints = append(m.Joints, model.Joint{Name: fmt.Sprint("j", k), Type: joints.Spherical, Predecessor: m.Bodies[a].Name, Successor: m.Bodies[b].Name})
	}
	_, err := rung.NewPlan(m, rung.Options{})
	cost := new(factor.CostError)
	require.ErrorAs(t, err, &cost)
	require.EqualValues(t, kkt.DefaultMaxNonZeros, cost.Limits.NonZeros)
	require.Greater(t, cost.Counts.NonZeros, cost.Limits.NonZeros)
	require.ErrorContains(t, err, "nonzeros, more than 2e+09; they take ")
}
