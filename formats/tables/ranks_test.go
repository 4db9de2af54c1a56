package tables_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/internal/test/disttest"
	"github.com/rung-mbd/rung/model"
)

// tabled writes m as tables and solves it on a number of ranks that read ranges of it, against one process.
func tabled(t *testing.T, m *model.Model, ranks int, tol float64) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m.tables")
	require.NoError(t, tables.Write(dir, m))
	want, err := disttest.Solve(m)
	require.NoError(t, err)
	require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
		f, err := tables.Open(dir)
		if err = dist.Agree(c, err); err != nil {
			return err
		}
		piece, err := dist.ReadPiece(c, f)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		p, s, err := disttest.SolverOf(c, piece)
		if err != nil {
			return err
		}
		if err := s.Solve(p.Mechanism().Initial()); err != nil {
			return err
		}
		own := p.Piece().Own
		assert.InDelta(t, float64(len(m.Bodies))/float64(ranks), float64(own), 1)
		_, off, body := want.Compare(p, s)
		assert.LessOrEqual(t, off, tol, "body %d on rank %d of %d", body, c.Rank(), ranks)
		assert.Equal(t, want.Redundant, s.Redundant())
		return nil
	}))
}

// Models in tables that are read by ranges have the accelerations of one process, with forces, and with redundant rows.
func TestTables(t *testing.T) {
	ladder, err := bench.Generate("ladder", 200, 1)
	require.NoError(t, err)
	ladder.Forces = append(ladder.Forces,
		model.ForceElement{Name: "pull", Type: model.Wrench, A: model.Attachment{Body: ladder.Bodies[150].Name}, Force: [3]float64{3, 2, 1}},
		model.ForceElement{Name: "far", Type: model.SpringDamper, A: model.Attachment{Body: ladder.Bodies[3].Name}, B: model.Attachment{Body: ladder.Bodies[190].Name}, Stiffness: 100, RestLength: 1})
	net, err := bench.Generate("revolute-net", 4, 1)
	require.NoError(t, err)
	for _, ranks := range []int{1, 2, 4} {
		tabled(t, ladder, ranks, 1e-13)
		tabled(t, net, ranks, 1e-12)
	}
}

// RUNG_LARGE=1: a ladder of 1e5 bodies, read by 4 ranks.
func TestTablesLarge(t *testing.T) {
	if os.Getenv("RUNG_LARGE") == "" {
		t.Skip("RUNG_LARGE=1")
	}
	m, err := bench.Generate("ladder", 100_000, 1)
	require.NoError(t, err)
	tabled(t, m, 4, 1e-13)
}

// short is a Reader that loses a joint between two ranks.
type short struct{ *tables.File }

func (s short) Part(lo, hi int64) (*model.Model, []int64, []int64, error) {
	m, bodies, joints, err := s.File.Part(lo, hi)
	if n := len(joints) - 1; err == nil && joints[n] == 59 {
		m.Joints, joints = m.Joints[:n], joints[:n]
	}
	return m, bodies, joints, err
}

// beyond is a Reader that gives its last body a number that the whole does not have, or none at all.
type beyond struct {
	*tables.File
	none bool
}

func (b beyond) Part(lo, hi int64) (*model.Model, []int64, []int64, error) {
	m, bodies, joints, err := b.File.Part(lo, hi)
	if n := len(bodies) - 1; n >= 0 && b.none {
		bodies = bodies[:n]
	} else if n >= 0 {
		bodies[n] = 1000
	}
	return m, bodies, joints, err
}

// Numbers of bodies that cannot be are an error of all ranks, of which there are more than bodies.
func TestTablesNumbers(t *testing.T) {
	m, err := bench.Generate("ladder", 2, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "m.tables")
	require.NoError(t, tables.Write(dir, m))
	for none, want := range map[bool]string{false: "body \"R0\" the number 1000", true: "1 numbers of 2 bodies"} {
		err = dist.Run(3, func(c dist.Comm) error {
			f, err := tables.Open(dir)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = dist.ReadPiece(c, beyond{f, none})
			return err
		})
		require.ErrorContains(t, err, want)
	}
}

// A joint that no rank has read, and a coupling between ranks, are errors on all.
func TestTablesRefused(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "m.tables")
	require.NoError(t, tables.Write(dir, m))
	err = dist.Run(3, func(c dist.Comm) error {
		f, err := tables.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = dist.ReadPiece(c, short{f})
		assert.Error(t, err)
		return err
	})
	require.ErrorContains(t, err, "ranks have read 59 joints of 60")
	gears, err := bench.Generate("gear-train", 8, 1)
	require.NoError(t, err)
	require.NoError(t, tables.Write(dir, gears))
	err = dist.Run(3, func(c dist.Comm) error {
		f, err := tables.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = dist.ReadPiece(c, f)
		return err
	})
	require.ErrorContains(t, err, "its bodies have to be of one rank")
}

// RUNG_TABLES=1000000 reads a quarter of a ladder with as many bodies: it needs memory for the quarter only.
func TestTablesMemory(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("RUNG_TABLES"))
	if n == 0 {
		t.Skip("a measurement: RUNG_TABLES=bodies")
	}
	m, err := bench.Generate("ladder", n, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "m.tables")
	require.NoError(t, tables.Write(dir, m))
	m = nil
	heap := func() float64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before := heap()
	f, err := tables.Open(dir)
	require.NoError(t, err)
	open := heap() - before
	whole, _, _, err := f.Part(0, int64(n))
	require.NoError(t, err)
	all := heap() - before - open
	runtime.KeepAlive(whole)
	whole = nil
	quarter, _, _, err := f.Part(int64(n/4), int64(n/2))
	require.NoError(t, err)
	part := heap() - before - open
	runtime.KeepAlive(quarter)
	t.Logf("%d bodies: open %.1f MB, whole %.1f MB, a quarter %.1f MB", n, open/1e6, all/1e6, part/1e6)
	assert.Less(t, part, 1.05*all/4)
	require.NoError(t, f.Close())
}
