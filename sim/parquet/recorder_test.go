package parquet_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
	"github.com/rung-mbd/rung/spatial"
)

func mech(t testing.TB, name string) *mechanism.Mechanism {
	t.Helper()
	m, err := rung.Open(check.Reference(t, "golden", name+".model.json"))
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p.Mechanism()
}

// rowsOf returns n rows of numbers that are hard to keep, the same for the same seed.
func rowsOf(m *mechanism.Mechanism, n int) []*sim.Row {
	rng := rand.New(rand.NewPCG(1, 2))
	odd := []float64{math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1), math.Pi, math.NaN()}
	rows := make([]*sim.Row, n)
	for i := range rows {
		st := m.Initial()
		st.Time = float64(i) * 0.1
		for b := range st.Bodies {
			st.Bodies[b].Position = spatial.Vec3{rng.NormFloat64(), odd[rng.IntN(len(odd))], float64(b)}
			st.Bodies[b].Omega[2] = math.Exp(50 * rng.NormFloat64())
		}
		rows[i] = &sim.Row{State: st, Energy: mechanism.Energy{Kinetic: rng.Float64()}, Drift: sim.Drift{Position: 1e-300 * rng.Float64()}}
	}
	return rows
}

// table is what a reader of the format finds in a file.
type table struct {
	names  []string
	values [][]uint64 // bits, by column
	groups []int64
	meta   map[string]string
}

// read reads a file with the library's own reader of rows, not with the code under test.
func read(t testing.TB, path string) *table {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	p, err := pq.OpenFile(f, info.Size())
	require.NoError(t, err)
	out := &table{meta: map[string]string{}}
	for _, kv := range p.Metadata().KeyValueMetadata {
		out.meta[kv.Key] = kv.Value
	}
	for _, c := range p.Root().Columns() {
		out.names = append(out.names, c.Name())
		require.Equal(t, pq.Double, c.Type().Kind())
	}
	out.values = make([][]uint64, len(out.names))
	for _, g := range p.RowGroups() {
		out.groups = append(out.groups, g.NumRows())
		rows := g.Rows()
		buf := make([]pq.Row, 7)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				require.Len(t, row, len(out.names))
				for _, v := range row {
					out.values[v.Column()] = append(out.values[v.Column()], math.Float64bits(v.Double()))
				}
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, rows.Close())
	}
	return out
}

// want returns the bits that the rows should have.
func want(t testing.TB, c *sim.Columns, rows []*sim.Row) [][]uint64 {
	t.Helper()
	values := make([][]uint64, c.Len())
	for _, r := range rows {
		require.NoError(t, c.Fill(r))
		for i, x := range c.Values {
			values[i] = append(values[i], math.Float64bits(x))
		}
	}
	return values
}

func record(t testing.TB, r sim.Recorder, rows []*sim.Row) {
	t.Helper()
	for _, row := range rows {
		require.NoError(t, r.Record(row))
	}
}

// TestColumns writes rows and reads them back to the bit: less than a group, whole
// groups, and more.
func TestColumns(t *testing.T) {
	m := mech(t, "four-bar")
	for _, n := range []int{0, 1, 9, 10, 11, 40, 47} {
		path := filepath.Join(t.TempDir(), "run.parquet")
		c := sim.NewColumns(m, []int{2, 0})
		r, err := parquet.New(path, c, parquet.Options{GroupRows: 10})
		require.NoError(t, err)
		rows := rowsOf(m, n)
		record(t, r, rows)
		assert.Empty(t, read(t, path).groups, "the file can be read while the run goes on")
		require.NoError(t, r.Close())
		got := read(t, path)
		assert.Equal(t, c.Names(), got.names)
		assert.Equal(t, want(t, c, rows), got.values, "%d rows", n)
		require.NoError(t, outfile.CheckSealOf(path))
		delete(got.meta, "rung.seal")
		assert.Equal(t, map[string]string{parquet.FormatKey: "rung-trajectory/1", parquet.ModelKey: m.Name}, got.meta)
		for i, g := range got.groups {
			assert.EqualValues(t, min(10, n-10*i), g)
		}
		assert.NoDirExists(t, path+parquet.PartsEnding)
	}
}

// TestParts reads what a killed process leaves.
func TestParts(t *testing.T) {
	m := mech(t, "four-bar")
	path := filepath.Join(t.TempDir(), "run.parquet")
	c := sim.NewColumns(m, nil)
	r, err := parquet.New(path, c, parquet.Options{GroupRows: 8})
	require.NoError(t, err)
	rows := rowsOf(m, 21)
	record(t, r, rows)
	at, err := r.Mark()
	require.NoError(t, err)
	assert.EqualValues(t, 21, at)
	parts, err := filepath.Glob(filepath.Join(path+parquet.PartsEnding, "*.parquet"))
	require.NoError(t, err)
	require.Len(t, parts, 3)
	all := want(t, c, rows)
	for i, p := range parts {
		got := read(t, p)
		for k := range all {
			assert.Equal(t, all[k][8*i:min(8*i+8, 21)], got.values[k])
		}
	}
}

// TestResume ends recordings in every way: after a Mark, after a Mark and more rows, and
// after Close, once and twice, and continues.
func TestResume(t *testing.T) {
	check.Long(t)
	m := mech(t, "four-bar")
	c := sim.NewColumns(m, nil)
	o := parquet.Options{GroupRows: 8}
	rows := rowsOf(m, 50)
	whole := filepath.Join(t.TempDir(), "whole.parquet")
	r, err := parquet.New(whole, c, o)
	require.NoError(t, err)
	record(t, r, rows)
	require.NoError(t, r.Close())
	data, err := os.ReadFile(whole)
	require.NoError(t, err)
	starts := []int{0, 3, 8, 24, 49}
	for _, first := range starts {
		for _, second := range []int{first, min(first+13, 50), 50} {
			if second > 50 {
				continue
			}
			for _, ends := range []string{"mark mark", "more more", "close mark", "mark close", "close more", "more close", "close close"} {
				path := filepath.Join(t.TempDir(), "part.parquet")
				r, err := parquet.New(path, c, o)
				require.NoError(t, err)
				record(t, r, rows[:first])
				var how [2]string
				_, err = fmt.Sscan(ends, &how[0], &how[1])
				require.NoError(t, err)
				at := first
				for i, next := range []int{second, 50} {
					position := end(t, r, how[i], rows[at:])
					require.EqualValues(t, at, position)
					r, err = parquet.Resume(path, c, position, o)
					require.NoError(t, err, "%d, %d, %s", first, second, ends)
					record(t, r, rows[at:next])
					at = next
				}
				require.NoError(t, r.Close())
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, data, got, "%d, %d, %s", first, second, ends)
			}
		}
	}
}

// end leaves a recording and returns the position to continue from.
func end(t testing.TB, r *parquet.Recorder, how string, more []*sim.Row) int64 {
	t.Helper()
	position, err := r.Mark()
	require.NoError(t, err)
	switch how {
	case "more":
		record(t, r, more[:min(11, len(more))])
		if len(more) > 20 {
			_, err := r.Mark() // the part of the position is replaced by a longer one
			require.NoError(t, err)
		}
	case "close":
		require.NoError(t, r.Close())
	}
	return position
}

// TestForeign refuses what does not belong together.
func TestForeign(t *testing.T) {
	m := mech(t, "four-bar")
	dir := t.TempDir()
	path := filepath.Join(dir, "run.parquet")
	c, o := sim.NewColumns(m, nil), parquet.Options{GroupRows: 8}
	r, err := parquet.New(path, c, o)
	require.NoError(t, err)
	record(t, r, rowsOf(m, 20))
	require.NoError(t, r.Close())
	_, err = parquet.Resume(path, sim.NewColumns(m, []int{0}), 20, o)
	assert.ErrorContains(t, err, fmt.Sprintf("not a trajectory of these bodies and joints: its columns have %q", m.BodyName(1)+".px"))
	other := *m
	other.Name = "other"
	_, err = parquet.Resume(path, sim.NewColumns(&other, nil), 20, o)
	assert.ErrorContains(t, err, "not a trajectory of these bodies and joints")
	for _, position := range []int64{21, 24, 100} {
		_, err = parquet.Resume(path, c, position, o)
		assert.ErrorContains(t, err, "at which the checkpoint goes on", "position %d", position)
	}
	_, err = parquet.Resume(path, c, 20, parquet.Options{GroupRows: 7})
	assert.ErrorContains(t, err, "at which the checkpoint goes on")
	text := filepath.Join(dir, "text.parquet")
	require.NoError(t, os.WriteFile(text, []byte("time,crank.px\n"), 0o600))
	_, err = parquet.Resume(text, c, 0, o)
	assert.ErrorContains(t, err, "no trajectory in the format rung-trajectory/1")
	_, err = parquet.New(filepath.Join(dir, "missing", "x.parquet"), c, o)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = parquet.Resume(filepath.Join(dir, "missing.parquet"), c, 0, o)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.PanicsWithValue(t, "sim/parquet: number of rows out of range", func() { _, _ = parquet.New(path, c, parquet.Options{GroupRows: -1}) })
}

// TestNewReplaces begins anew over a trajectory and over what a killed process left, by a link too.
func TestNewReplaces(t *testing.T) {
	m := mech(t, "four-bar")
	dir := t.TempDir()
	path, link := filepath.Join(dir, "run.parquet"), filepath.Join(dir, "link.parquet")
	c, o := sim.NewColumns(m, nil), parquet.Options{GroupRows: 4}
	rows := rowsOf(m, 10)
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for range 2 {
		r, err := parquet.New(path, c, o)
		require.NoError(t, err)
		record(t, r, rows) // left there
	}
	r, err := parquet.New(link, c, o)
	require.NoError(t, err)
	record(t, r, rows[:3])
	require.NoError(t, r.Close())
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
	assert.Equal(t, []int64{3}, read(t, path).groups)
	assert.NoDirExists(t, path+parquet.PartsEnding)
}

// TestRecordDoesNotAllocate but where a group is written.
func TestRecordDoesNotAllocate(t *testing.T) {
	m := mech(t, "four-bar")
	r, err := parquet.New(filepath.Join(t.TempDir(), "run.parquet"), sim.NewColumns(m, nil), parquet.Options{})
	require.NoError(t, err)
	row := rowsOf(m, 1)[0]
	assert.Zero(t, testing.AllocsPerRun(100, func() { err = r.Record(row) }))
	require.NoError(t, err)
}

// TestRecordAfterAFullDisk: a row at which a part could not be written has not been added, and is there once if it is recorded again.
func TestRecordAfterAFullDisk(t *testing.T) {
	m := mech(t, "four-bar")
	rows := rowsOf(m, 9)
	path := filepath.Join(t.TempDir(), "run.parquet")
	c := sim.NewColumns(m, nil)
	r, err := parquet.New(path, c, parquet.Options{GroupRows: 4})
	require.NoError(t, err)
	record(t, r, rows[:3])
	sum := r.Sum()
	require.NoError(t, os.WriteFile(path+parquet.PartsEnding, nil, 0o600)) // where the folder of parts is to be
	require.Error(t, r.Record(rows[3]))
	require.Equal(t, sum, r.Sum())
	require.NoError(t, os.Remove(path+parquet.PartsEnding))
	record(t, r, rows[3:])
	require.NoError(t, r.Close())
	require.Equal(t, want(t, c, rows), read(t, path).values)
}
