package replay_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/replay"
	"github.com/rung-mbd/rung/spatial"
)

func table(t testing.TB, text string) (*replay.CSV, error) {
	t.Helper()
	return replay.NewCSV(context.Background(), strings.NewReader(text), int64(len(text)), "run.csv")
}

// record returns a trajectory as sim writes it, and its states.
func record(t *testing.T, m *mechanism.Mechanism, rows int) (string, []*mechanism.State) {
	t.Helper()
	var b strings.Builder
	rec, err := sim.NewCSV(&b, sim.NewColumns(m, nil))
	require.NoError(t, err)
	var states []*mechanism.State
	r := check.Rand(3)
	for i := range rows {
		st := m.Initial()
		st.Time = 0.01 * float64(i)
		for k := range st.Bodies {
			st.Bodies[k].Position[0] += r.NormFloat64()
		}
		states = append(states, st)
		require.NoError(t, rec.Record(&sim.Row{State: st}))
	}
	require.NoError(t, rec.Flush())
	require.NoError(t, rec.Flush())
	return b.String(), states
}

// Rows come back with their bits, in any order.
func TestRows(t *testing.T) {
	m, err := bench.Ladder(6, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	text, states := record(t, mech, 100)
	text += "0.99999,17" // what a killed run leaves
	src, err := table(t, text)
	require.NoError(t, err)
	run, err := replay.New(mech, src)
	require.NoError(t, err)
	require.Len(t, run.Times(), 100)
	st := mech.Initial()
	for _, i := range check.Rand(4).Perm(100) {
		require.NoError(t, run.StateTo(st, i))
		for k := range st.Bodies {
			check.CloseVec(t, st.Bodies[k].Rotation[:], states[i].Bodies[k].Rotation[:], 1e-15, 1, "rotation")
			st.Bodies[k].Rotation = states[i].Bodies[k].Rotation // which was made a unit one
		}
		require.Equal(t, states[i].Bodies, st.Bodies)
		require.Equal(t, i, run.RowAt(st.Time))
		require.Equal(t, i, run.RowAt(st.Time+0.005))
	}
	assert.Equal(t, 0, run.RowAt(-1))
}

// counted counts what is read.
type counted struct {
	*strings.Reader
	bytes int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

// TestScrub: rows read in any order equal the rows read in sequence, and a row takes a buffer and the lines from the last place
// that is kept, however long the file is.
func TestScrub(t *testing.T) {
	const rows, buffer, lines = 2000, 64 << 10, 16
	m, err := bench.Ladder(6, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	text, _ := record(t, mech, rows)
	in := &counted{Reader: strings.NewReader(text)}
	src, err := replay.NewCSV(context.Background(), in, int64(len(text)), "run.csv")
	require.NoError(t, err)
	n := len(src.Names())
	want, got := make([]float64, rows*n), make([]float64, n)
	for i := range rows {
		require.NoError(t, src.RowTo(want[i*n:][:n], i))
	}
	line, most := int64(len(text)/rows), int64(0)
	for _, i := range check.Rand(5).Perm(rows)[:100] {
		before := in.bytes
		require.NoError(t, src.RowTo(got, i))
		require.Equal(t, want[i*n:][:n], got, "row %d", i)
		most = max(most, in.bytes-before)
	}
	t.Logf("%d bytes in the file, %d read for a row at the most", len(text), most)
	require.LessOrEqual(t, most, buffer+2*lines*line)
	require.Greater(t, int64(len(text)), 10*(buffer+2*lines*line))
}

func TestRefused(t *testing.T) {
	m, err := bench.Chain(1, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	text, _ := record(t, mech, 3)
	name := mech.BodyName(0)
	for _, c := range []struct{ old, new, want string }{
		{"time", "Time", `no column "time" in the trajectory, did you mean Time?`},
		{name + ".px", name + ".x", `columns of body "` + name + `" but not "` + name + `.px"`},
		{name + ".", "else.", "has no body of the model"},
		{"\n0.01,", "\n0,", "row 2 of the trajectory: time 0 does not come after the one before"},
		{"\n0.01,", "\nnow,", `line 3, column "time": "now" is no number`},
		{"time,", "time,time,", `line 1: column 2 repeats the name "time"`},
	} {
		require.Contains(t, text, c.old)
		bad := strings.ReplaceAll(text, c.old, c.new)
		src, err := table(t, bad)
		if err == nil {
			_, err = replay.New(mech, src)
		}
		assert.ErrorContains(t, err, c.want)
	}
	_, err = table(t, "time,a")
	assert.ErrorContains(t, err, "run.csv: no line of column names")
	src, err := table(t, "time,a\n1,2\n3\n5,6,7\n")
	require.NoError(t, err)
	row := make([]float64, 2)
	require.NoError(t, src.RowTo(row, 0))
	assert.ErrorContains(t, src.RowTo(row, 1), "line 3: not 2 fields")
	assert.ErrorContains(t, src.RowTo(row, 2), "line 4: not 2 fields")
}

// TestScanner: a scanner has the rows in their order, from any reader and without allocation, and says what ends them.
func TestScanner(t *testing.T) {
	m, err := bench.Ladder(6, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	text, _ := record(t, mech, 100)
	src, err := table(t, text)
	require.NoError(t, err)
	s, err := replay.NewScanner(iotest.OneByteReader(strings.NewReader(text+"0.99999,17")), "run.csv")
	require.NoError(t, err)
	require.Equal(t, src.Names(), s.Names())
	want := make([]float64, len(src.Names()))
	for i := range 100 {
		require.True(t, s.Scan())
		require.NoError(t, src.RowTo(want, i))
		require.Equal(t, want, s.Row())
	}
	require.False(t, s.Scan())
	require.False(t, s.Scan())
	require.NoError(t, s.Err(), "what a killed run leaves")

	s, err = replay.NewScanner(strings.NewReader(text), "run.csv")
	require.NoError(t, err)
	require.True(t, s.Scan())
	assert.Zero(t, testing.AllocsPerRun(90, func() { s.Scan() }))

	for rest, want := range map[string]string{
		"\n1,2\n3\n5,6\n": "run.csv: line 3: not 2 fields",
		"\n1,2\n3,x\n":    `run.csv: line 3, column "a": "x" is no number`,
	} {
		s, err = replay.NewScanner(strings.NewReader("time,a"+rest), "run.csv")
		require.NoError(t, err)
		require.True(t, s.Scan())
		assert.False(t, s.Scan())
		assert.False(t, s.Scan(), "it stays ended")
		assert.EqualError(t, s.Err(), want)
	}
	s, err = replay.NewScanner(io.MultiReader(strings.NewReader("time,a\n1,2\n3"), iotest.ErrReader(io.ErrClosedPipe)), "run.csv")
	require.NoError(t, err)
	require.True(t, s.Scan())
	assert.False(t, s.Scan())
	require.ErrorIs(t, s.Err(), io.ErrClosedPipe)
	assert.ErrorContains(t, s.Err(), "run.csv: line 3: ")
	_, err = replay.NewScanner(strings.NewReader("time,time\n"), "run.csv")
	assert.EqualError(t, err, `run.csv: line 1: column 2 repeats the name "time"`)
}

// FuzzCSV: any bytes give rows or an error.
func FuzzCSV(f *testing.F) {
	walk := check.NewFuzz(f)
	walk.Add("time,a\n0,1\n1,2\n")
	walk.Add("time\n\n")
	walk.Add("\"a\"\"b\",c\r\n1,2\r\n")
	walk.Fuzz(func(t *testing.T, text string) {
		src, err := table(t, text)
		if err != nil {
			return
		}
		row, column := make([]float64, len(src.Names())), make([]float64, src.Rows())
		whole := true
		for i := range src.Rows() {
			whole = src.RowTo(row, i) == nil && whole
		}
		for k := range row {
			if err := src.ColumnTo(column, k); whole {
				require.NoError(t, err)
			}
		}
		rows, err := replay.NewScanner(strings.NewReader(text), "run.csv")
		require.NoError(t, err)
		n := 0
		for ; rows.Scan(); n++ {
			require.NoError(t, src.RowTo(row, n))
			for k := range row { // NaN too
				require.Equal(t, math.Float64bits(row[k]), math.Float64bits(rows.Row()[k]))
			}
		}
		require.Equal(t, whole, rows.Err() == nil)
		require.Equal(t, whole, n == src.Rows())
	})
}

// TestAngles: states of a recording are wound as they were where it has the coordinates, in any order of rows, and otherwise as their poses say.
func TestAngles(t *testing.T) {
	m := model.New("drums")
	m.Gravity = [3]float64{}
	for i, name := range []string{"a", "b"} {
		pose := model.Pose{Position: spatial.Vec3{float64(i)}}
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: pose})
	}
	m.Joints = []model.Joint{
		{Name: "a", Type: model.Revolute, Predecessor: model.World, Successor: "a", Stiffness: []float64{1}, Turns: []int64{2}},
		{Name: "b", Type: model.Cylindrical, Predecessor: model.World, Successor: "b", PredecessorFrame: m.Bodies[1].Pose, Stiffness: []float64{1, 1}},
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	const rows = 40
	at := func(i int) [2]float64 { return [2]float64{4*math.Pi - 0.7*float64(i), 0.9 * float64(i)} }
	for _, columns := range []string{"", ",joint.a.q,joint.b.q0", ",joint.a.q"} {
		b := new(strings.Builder)
		b.WriteString("time,a.px,a.py,a.pz,a.qw,a.qx,a.qy,a.qz,a.vx,a.vy,a.vz,a.wx,a.wy,a.wz," +
			"b.px,b.py,b.pz,b.qw,b.qx,b.qy,b.qz,b.vx,b.vy,b.vz,b.wx,b.wy,b.wz" + columns + "\n")
		for i := range rows {
			fmt.Fprintf(b, "%d", i)
			for k, q := range at(i) {
				fmt.Fprintf(b, ",%d,0,0,%.17g,0,0,%.17g,0,0,0,0,0,0", k, math.Cos(q/2), math.Sin(q/2))
			}
			for k := range strings.Count(columns, ",") {
				fmt.Fprintf(b, ",%.17g", at(i)[k])
			}
			b.WriteString("\n")
		}
		src, err := table(t, b.String())
		require.NoError(t, err)
		run, err := replay.New(mech, src)
		require.NoError(t, err)
		st := mech.Initial()
		for _, i := range check.Rand(4).Perm(rows) {
			require.NoError(t, run.StateTo(st, i))
			for k, want := range at(i) {
				if columns != ",joint.a.q,joint.b.q0" {
					want = math.Remainder(want, 2*math.Pi) + []float64{4 * math.Pi, 0}[k]
				}
				q, _ := mech.Coordinate(mechanism.Freedom{Joint: k}, st)
				require.InDelta(t, want, q, 1e-9, "row %d of columns %q", i, columns)
			}
		}
	}
}
