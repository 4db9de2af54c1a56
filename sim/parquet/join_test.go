package parquet_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
	"github.com/rung-mbd/rung/sim/replay"
)

var _ replay.Source = (*parquet.Joined)(nil)

// part records rows of some bodies and opens what is written.
func part(t *testing.T, name string, bodies []int, rows int, shift float64) *parquet.Source {
	t.Helper()
	m := mech(t, "n-four-bar-3")
	path := filepath.Join(t.TempDir(), name)
	r, err := parquet.New(path, sim.NewColumns(m, bodies), parquet.Options{GroupRows: 7})
	require.NoError(t, err)
	list := rowsOf(m, rows)
	for _, row := range list {
		row.State.Time += shift
	}
	record(t, r, list)
	require.NoError(t, r.Close())
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	require.NoError(t, err)
	s, err := parquet.NewSource(f, info.Size(), name)
	require.NoError(t, err)
	return s
}

// Parts of ranks are the whole, bit for bit, but for energies and drifts of pieces.
func TestJoin(t *testing.T) {
	whole := part(t, "whole", []int{2, 0, 1, 3}, 20, 0)
	j, err := parquet.Join(part(t, "rank0", []int{2, 0}, 20, 0), part(t, "rank1", []int{1, 3}, 20, 0))
	require.NoError(t, err)
	at := map[string]int{}
	for i, name := range whole.Names() {
		at[name] = i
	}
	require.Equal(t, whole.Rows(), j.Rows())
	require.Equal(t, []string{"energy.kinetic", "energy.potential", "drift.position", "drift.velocity"}, j.Dropped())
	require.Len(t, j.Names(), len(whole.Names())-4)
	want, got, column, row := make([]float64, 20), make([]float64, 20), make([]float64, len(whole.Names())), make([]float64, len(j.Names()))
	for k, name := range j.Names() {
		require.NoError(t, whole.ColumnTo(want, at[name]))
		require.NoError(t, j.ColumnTo(got, k))
		for i := range want {
			require.Equal(t, math.Float64bits(want[i]), math.Float64bits(got[i]), name)
		}
	}
	for i := range 20 {
		require.NoError(t, whole.RowTo(column, i))
		require.NoError(t, j.RowTo(row, i))
		for k, name := range j.Names() {
			require.Equal(t, math.Float64bits(column[at[name]]), math.Float64bits(row[k]), name)
		}
	}
	one, err := parquet.Join(whole)
	require.NoError(t, err)
	assert.Equal(t, whole.Names(), one.Names())
	assert.Panics(t, func() { _ = j.ColumnTo(got, 1000) })
	assert.Panics(t, func() { _ = j.RowTo(got[:1], 0) })
}

// Parts that do not belong together are refused, with the files and the row.
func TestJoinRefused(t *testing.T) {
	first := part(t, "rank0", []int{0}, 20, 0)
	for text, other := range map[string]*parquet.Source{
		"rank1 has 19 rows, and rank0 has 20":                                  part(t, "rank1", []int{1}, 19, 0),
		fmt.Sprintf("rank1: row 0 is at %g s, and that of rank0 at 0 s", 1e-9): part(t, "rank1", []int{1}, 20, 1e-9),
		"rank0 and rank1 have the column":                                      part(t, "rank1", []int{1, 0}, 20, 0),
	} {
		_, err := parquet.Join(first, other)
		require.ErrorContains(t, err, text)
	}
	_, err := parquet.Join()
	require.Error(t, err)
}
