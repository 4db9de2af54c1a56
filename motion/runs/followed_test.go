package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// TestRowsOfFollowed: on curves, whose parameters are searched from those before, the rows that a run keeps are to the bit those of its
// states.
func TestRowsOfFollowed(t *testing.T) {
	doc, err := model.ReadFile("../../docs/coaster.model.json")
	require.NoError(t, err)
	mech, err := mechanism.New(doc)
	require.NoError(t, err)
	const every, n = 1. / 16, 4
	o := runs.Options{Model: doc, Integrator: runs.RungeKutta4, Step: every / 16, Stabilization: runs.None, Columns: []string{"joint.*.q*"}}
	kept := o
	kept.Until, kept.Every = n*every, every
	var rows [][]float64
	kept.OnRow = func(_ *sim.Row, values []float64) error {
		rows = append(rows, append([]float64(nil), values...))
		return nil
	}
	p := kkt.NewPlan(mech, kkt.Options{})
	r, err := runs.New(p, kept)
	require.NoError(t, err)
	require.NoError(t, r.Run(kept.Until))
	require.Len(t, rows, n+1)

	if r, err = runs.New(p, o); err != nil {
		t.Fatal(err)
	}
	for k, row := range rows {
		require.NoError(t, r.Run(float64(k)*every))
		_, now, err := r.Row()
		require.NoError(t, err)
		require.Equal(t, row, now, "row %d", k)
	}
}
