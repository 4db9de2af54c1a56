package parquet

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// counted counts what is read.
type counted struct {
	io.ReaderAt
	bytes atomic.Int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes.Add(int64(n))
	return n, err
}

// foreign writes rows as a file with one group.
func foreign(t *testing.T, path string, columns *sim.Columns, rows []float64) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	w := &writer{cells: make([]pq.Value, cellBlock), w: pq.NewGenericWriter[any](f, newLayout(columns).schema, pq.PageBufferSize(1<<12), pq.MaxRowsPerRowGroup(1<<62),
		pq.KeyValueMetadata(FormatKey, Format))}
	n := len(rows) / columns.Len()
	values := make([]float64, len(rows))
	for i, x := range rows {
		values[i%columns.Len()*n+i/columns.Len()] = x
	}
	require.NoError(t, w.group(values, n, n))
	require.NoError(t, w.w.Close())
	require.NoError(t, f.Close())
}

// TestScrub: rows read in any order equal the recorded ones, and the first row of a group costs no more than a group to
// read: where groups are small, and where there is one, of many pages, that another program has written.
func TestScrub(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	columns := sim.NewColumns(mech, []int{0})
	rng := rand.New(rand.NewPCG(1, 3))
	const rows, part = 10000, 250
	for _, name := range check.Some([]string{"small groups", "one group"}, 2) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.parquet")
			r, err := New(path, columns, Options{GroupRows: part})
			require.NoError(t, err)
			want := make([]float64, 0, rows*columns.Len())
			st := mech.Initial()
			for i := range rows {
				st.Time = float64(i)
				st.Bodies[0].Position[0], st.Bodies[0].Omega[2] = rng.NormFloat64(), rng.NormFloat64()
				require.NoError(t, r.Record(&sim.Row{State: st}))
				want = append(want, columns.Values...)
			}
			require.NoError(t, r.Close())
			if name == "one group" {
				foreign(t, path, columns, want)
			}

			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			info, err := f.Stat()
			require.NoError(t, err)
			in := &counted{ReaderAt: f}
			s, err := newSource(in, info.Size(), path, 8*part*columns.Len())
			require.NoError(t, err)
			require.Len(t, s.windows, rows/part)
			got, most := make([]float64, columns.Len()), int64(0)
			in.bytes.Store(0)
			for range 30 {
				i, before := rng.IntN(rows), in.bytes.Load()
				require.NoError(t, s.RowTo(got, i))
				require.True(t, slices.Equal(want[i*len(got):][:len(got)], got), "row %d", i)
				most = max(most, in.bytes.Load()-before)
			}
			require.LessOrEqual(t, len(s.values), part*columns.Len())
			t.Logf("%d bytes in the file, %d read for a row at the most", info.Size(), most)
			assert.Less(t, most, info.Size()/4)
			before := in.bytes.Load()
			for i := s.windows[s.at].first; i < s.windows[s.at].first+part; i++ {
				require.NoError(t, s.RowTo(got, i))
			}
			assert.Equal(t, before, in.bytes.Load(), "rows beside each other are in memory")
		})
	}
}
