package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// TestFilesOfOthers: of the folder of the parts only parts are removed, and nobody else's file is replaced by one.
func TestFilesOfOthers(t *testing.T) {
	m := mech(t, "four-bar")
	path := filepath.Join(t.TempDir(), "run.parquet")
	folder := path + parquet.PartsEnding
	c, o := sim.NewColumns(m, nil), parquet.Options{GroupRows: 4}
	rows := rowsOf(m, 10)
	require.NoError(t, os.Mkdir(folder, 0o777))
	others := []string{"notes.txt", "000000.txt", "00000.parquet", "data.parquet", ".new"}
	for _, name := range others {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600))
	}
	untouched := func() {
		t.Helper()
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, entries, len(others))
		for _, name := range others {
			data, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			require.Equal(t, name, string(data))
		}
	}
	for range 2 {
		r, err := parquet.New(path, c, o)
		require.NoError(t, err)
		untouched()
		record(t, r, rows)
		require.NoError(t, r.Close())
		untouched()
		r, err = parquet.New(path, c, o)
		require.NoError(t, err)
		record(t, r, rows)
		require.NoError(t, r.Leave()) // parts for the next to remove
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, ".rung-new"), []byte("half"), 0o600)) // of a killed run
	r, err := parquet.New(path, c, o)
	require.NoError(t, err)
	untouched()
	record(t, r, rows[:5])
	position, err := r.Mark()
	require.NoError(t, err)

	// What is in the way of a part is refused, before anything is removed.
	foreign := filepath.Join(folder, "000007.parquet")
	require.NoError(t, os.WriteFile(foreign, []byte("of somebody else"), 0o600))
	_, err = parquet.New(path, c, o)
	require.ErrorContains(t, err, "000007.parquet is in the way")
	_, err = parquet.Resume(path, c, position, o)
	require.ErrorContains(t, err, "000007.parquet is in the way")
	data, err := os.ReadFile(foreign)
	require.NoError(t, err)
	require.Equal(t, "of somebody else", string(data))
	require.NoError(t, os.Remove(foreign))
	r, err = parquet.Resume(path, c, position, o)
	require.NoError(t, err)
	record(t, r, rows[5:])
	require.NoError(t, r.Close())
	untouched()
	require.Equal(t, want(t, c, rows), read(t, path).values)
}

// TestOldStays: until Close the file is the one that was there, of whatever columns; a run that is killed
// continues with its own rows, not with those of the file.
func TestOldStays(t *testing.T) {
	m := mech(t, "four-bar")
	rows := rowsOf(m, 30)
	o := parquet.Options{GroupRows: 4}
	for _, bodies := range [][]int{nil, {1}} {
		path := filepath.Join(t.TempDir(), "run.parquet")
		r, err := parquet.New(path, sim.NewColumns(m, bodies), o)
		require.NoError(t, err)
		record(t, r, rows[10:])
		require.NoError(t, r.Close())
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		stays := func() {
			t.Helper()
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, old, data)
		}

		c := sim.NewColumns(m, nil)
		r, err = parquet.New(path, c, o)
		require.NoError(t, err)
		stays()
		record(t, r, rows[:10])
		require.NoError(t, r.Leave())
		stays()
		r, err = parquet.Resume(path, c, 10, o)
		require.NoError(t, err)
		stays()
		record(t, r, rows[10:])
		require.NoError(t, r.Close())
		require.Equal(t, want(t, c, rows), read(t, path).values)
	}
}

// TestSum: the rows up to the position must equal the recorded ones, wherever they are kept.
func TestSum(t *testing.T) {
	m := mech(t, "four-bar")
	c, o := sim.NewColumns(m, nil), parquet.Options{GroupRows: 4}
	rows := rowsOf(m, 10)
	for _, closed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "run.parquet")
		r, err := parquet.New(path, c, o)
		require.NoError(t, err)
		empty := r.Sum()
		record(t, r, rows)
		position, err := r.Mark()
		require.NoError(t, err)
		sum := r.Sum()
		require.NotEqual(t, empty, sum)
		if closed {
			require.NoError(t, r.Close())
		}
		o := o
		o.Sum = sum
		for range 2 {
			r, err = parquet.Resume(path, c, position, o)
			require.NoError(t, err)
			require.Equal(t, sum, r.Sum())
		}
		o.Sum = empty
		_, err = parquet.Resume(path, c, position, o)
		require.ErrorIs(t, err, sim.ErrCheckpoint)
		assert.ErrorContains(t, err, sum)
	}
}

// TestDamaged: a part, or a file that a run continues with, of which a bit is another one is named, wherever the bit is, when the
// run continues and when its rows are joined; a run that begins anew is not stopped by it.
func TestDamaged(t *testing.T) {
	m := mech(t, "four-bar")
	c, o := sim.NewColumns(m, nil), parquet.Options{GroupRows: 4}
	rows, rng := rowsOf(m, 11), check.Rand(1)
	path := filepath.Join(t.TempDir(), "run.parquet")
	begin := func() (*parquet.Recorder, int64) {
		r, err := parquet.New(path, c, o)
		require.NoError(t, err)
		record(t, r, rows)
		position, err := r.Mark()
		require.NoError(t, err)
		return r, position
	}
	flipped := func(name string) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
	for k := range check.Few(30, 9) {
		r, position := begin()
		part := filepath.Join(path+parquet.PartsEnding, fmt.Sprintf("%06d.parquet", k%3))
		flipped(part)
		_, err := parquet.Resume(path, c, position, o)
		require.ErrorIs(t, err, outfile.ErrDamaged)
		require.ErrorContains(t, err, part)
		if k%3 < 2 { // the last one is in memory, too
			err = r.Close()
			require.ErrorIs(t, err, outfile.ErrDamaged)
			require.ErrorContains(t, err, part)
			require.FileExists(t, part)
		}
	}
	for range check.Few(10, 3) {
		r, position := begin()
		require.NoError(t, r.Close())
		flipped(path)
		_, err := parquet.Resume(path, c, position, o)
		require.ErrorContains(t, err, path)
	}
	r, _ := begin()
	require.NoError(t, r.Close())
	require.Equal(t, want(t, c, rows), read(t, path).values)
}
