package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// TestPartsOfRanks: each rank writes the bodies of its own that are chosen to a file of its own; joined they are what the states of all
// ranks were.
func TestPartsOfRanks(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	const ranks = 3
	dir := t.TempDir()
	file := func(rank int) string { return filepath.Join(dir, fmt.Sprintf("run.rank%d.parquet", rank)) }
	ends := make([]map[string]float64, ranks)
	require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
		p, err := dist.NewPlan(c, m, dist.Options{})
		if err != nil {
			return err
		}
		s, err := p.NewSolver()
		if err != nil {
			return err
		}
		mech := p.Mechanism()
		st := mech.Initial()
		var chosen []int
		for i, b := range p.Piece().Body[:p.Piece().Own] {
			if b%3 == 0 {
				chosen = append(chosen, i)
			}
		}
		rec, err := parquet.New(file(c.Rank()), sim.NewColumns(mech, chosen), parquet.Options{GroupRows: 8})
		if err = dist.Agree(c, err); err != nil {
			return err
		}
		r := sim.New(mech, sim.NewRungeKutta(mech, &sim.Baumgarte{Dynamics: s}, sim.RungeKutta4(), sim.Tolerance{}), st, sim.Options{Projector: sim.NoProjector, Step: 1e-3, Recorder: rec, Every: 2e-3})
		if err := r.Run(0.02); err != nil {
			return err
		}
		ends[c.Rank()] = map[string]float64{}
		for _, i := range chosen {
			ends[c.Rank()][mech.BodyName(i)+".px"] = r.State().Bodies[i].Position[0]
		}
		return rec.Close()
	}))
	var parts []*parquet.Source
	for rank := range ranks {
		f, err := os.Open(file(rank))
		require.NoError(t, err)
		defer f.Close()
		info, err := f.Stat()
		require.NoError(t, err)
		s, err := parquet.NewSource(f, info.Size(), f.Name())
		require.NoError(t, err)
		parts = append(parts, s)
	}
	j, err := parquet.Join(parts...)
	require.NoError(t, err)
	assert.Len(t, j.Names(), 1+14*13) // 14 of 40 bodies
	row := make([]float64, len(j.Names()))
	require.NoError(t, j.RowTo(row, j.Rows()-1))
	found := 0
	for k, name := range j.Names() {
		for rank := range ranks {
			if x, ok := ends[rank][name]; ok {
				assert.Equal(t, x, row[k], name)
				found++
			}
		}
	}
	assert.Equal(t, 14, found)
}
