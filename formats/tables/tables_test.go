package tables_test

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

func written(t testing.TB, m *model.Model) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, model.Write(&b, m))
	return b.String()
}

// roundTrip writes and reads m, which has to come back with all its bits and all that it holds.
func roundTrip(t testing.TB, m *model.Model, dir string) {
	t.Helper()
	m.Canonicalize()
	require.NoError(t, tables.Write(dir, m))
	got, err := tables.Read(dir)
	require.NoError(t, err)
	for i := range m.Terrains { // made anew
		m.Terrains[i].Surface, got.Terrains[i].Surface = nil, nil
	}
	require.Equal(t, m, got)
	require.Equal(t, written(t, m), written(t, got))
}

// All models of the reference data come back, with their limits, springs, motions, couplings, terrains and forces.
func TestRoundTrips(t *testing.T) {
	n, subs, families := 0, []string{"golden", "ground"}, []string{"random", "gear-train"}
	if !testing.Short() {
		subs, families = append(subs, "hard", "joints", "standard", "ik"), bench.Families()
	}
	for _, sub := range subs {
		files, err := filepath.Glob(filepath.Join("..", "..", "reference", sub, "*.json"))
		require.NoError(t, err)
		for _, file := range files {
			m, err := model.ReadFile(file)
			if err != nil {
				continue // answers, not models
			}
			n++
			dir := filepath.Join(t.TempDir(), "m.tables")
			for i := range m.Terrains { // beside the folder
				if name := m.Terrains[i].File; name != "" {
					data, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
					require.NoError(t, err)
					require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, "..", name)), 0o777))
					require.NoError(t, os.WriteFile(filepath.Join(dir, "..", name), data, 0o666))
				}
			}
			roundTrip(t, m, dir)
		}
	}
	assert.Greater(t, n, 30)
	for _, family := range families {
		m, err := bench.Generate(family, 4, 1)
		if err != nil {
			continue
		}
		roundTrip(t, m, filepath.Join(t.TempDir(), "m.tables"))
	}
}

func ladder(t testing.TB, n int) (*model.Model, string) {
	t.Helper()
	m, err := bench.Generate("ladder", n, 1)
	require.NoError(t, err)
	m.Joints[4].Damping = []float64{0.25, 0.5, 0.75} // in the head
	dir := filepath.Join(t.TempDir(), "ladder.tables")
	require.NoError(t, tables.Write(dir, m))
	return m, dir
}

// A part has its own bodies, the joints they have, and the bodies at their other ends, and what is in the head.
func TestPart(t *testing.T) {
	m, dir := ladder(t, 60)
	f, err := tables.Open(dir)
	require.NoError(t, err)
	nb, nj := f.Size()
	require.EqualValues(t, 60, nb)
	require.EqualValues(t, len(m.Joints), nj)
	p, bodies, joints, err := f.Part(20, 40)
	require.NoError(t, err)
	require.NoError(t, model.Check(p))
	require.Subset(t, bodies, []int64{18, 19, 20, 39, 40, 41})
	require.NotContains(t, bodies, int64(50))
	for i, row := range bodies {
		assert.Equal(t, m.Bodies[row], p.Bodies[i])
	}
	for i, row := range joints {
		assert.Equal(t, m.Joints[row], p.Joints[i])
	}
	touching := 0
	at := map[string]int{model.World: -1}
	for i := range m.Bodies {
		at[m.Bodies[i].Name] = i
	}
	in := func(name string) bool { return at[name] >= 20 && at[name] < 40 }
	for i := range m.Joints {
		if in(m.Joints[i].Predecessor) || in(m.Joints[i].Successor) {
			touching++
			assert.Contains(t, joints, int64(i))
		}
	}
	assert.LessOrEqual(t, len(joints), touching+1) // one of the head
	assert.Panics(t, func() { _, _, _, _ = f.Part(3, 2) })

	p, bodies, joints, err = f.Pick([]int64{7, 33}, []int64{30})
	require.NoError(t, err)
	require.NoError(t, model.Check(p))
	require.Equal(t, []int64{4, 30}, joints, "one of the head")
	for i, row := range joints {
		assert.Equal(t, m.Joints[row], p.Joints[i])
	}
	require.Subset(t, bodies, []int64{7, 33})
	require.LessOrEqual(t, len(bodies), 2+2*len(joints))
	for i, row := range bodies {
		assert.Equal(t, m.Bodies[row], p.Bodies[i])
	}
	assert.Panics(t, func() { _, _, _, _ = f.Pick([]int64{60}, nil) })
	assert.Panics(t, func() { _, _, _, _ = f.Pick(nil, []int64{2, 2}) })
	require.NoError(t, f.Close())
}

// What is wrong in a file is named with the file, the group, the row and the column.
func TestHostile(t *testing.T) {
	_, dir := ladder(t, 40)
	path := func(name string) string { return filepath.Join(dir, name) }
	clean := map[string][]byte{}
	for _, name := range []string{tables.HeadFile, tables.BodiesFile, tables.JointsFile} {
		data, err := os.ReadFile(path(name))
		require.NoError(t, err)
		clean[name] = data
	}
	restore := func() {
		for name, data := range clean {
			require.NoError(t, os.WriteFile(path(name), data, 0o666))
		}
	}
	fails := func(text ...string) {
		t.Helper()
		_, err := tables.Read(dir)
		require.Error(t, err)
		for _, s := range text {
			assert.ErrorContains(t, err, s)
		}
		restore()
	}
	head := func(old, with string) {
		t.Helper()
		s := string(clean[tables.HeadFile])
		require.Contains(t, s, old)
		require.NoError(t, os.WriteFile(path(tables.HeadFile), []byte(strings.Replace(s, old, with, 1)), 0o666))
	}
	for _, name := range []string{tables.HeadFile, tables.BodiesFile, tables.JointsFile} {
		require.NoError(t, os.Remove(path(name)))
		fails(name)
		require.NoError(t, os.WriteFile(path(name), clean[name][:len(clean[name])/2], 0o666))
		fails(name)
		require.NoError(t, os.WriteFile(path(name), nil, 0o666))
		fails(name)
	}
	head("rung-tables/1", "rung-tables/9")
	fails(tables.HeadFile, "rung-tables/9")
	head(`"bodies": 40`, `"bodies": 41`)
	fails("belongs to another head.json")
	head(`"body_rows": [`, `"body_rows": [999, `)
	fails(tables.HeadFile, "body_rows")
	head(`"gravity"`, `"gravitas"`)
	fails(tables.HeadFile, "gravitas")
	require.NoError(t, os.WriteFile(path(tables.BodiesFile), clean[tables.JointsFile], 0o666))
	fails(tables.BodiesFile, "no table of bodies")

	changeBody(t, path(tables.BodiesFile), func(row int, r map[string]any) {
		if row == 17 {
			r["inertia_yy"] = math.NaN()
		}
	})
	fails(tables.BodiesFile, "row group 0, row 17", "column inertia_yy: NaN")
	changeBody(t, path(tables.JointsFile), func(row int, r map[string]any) {
		if row == 7 {
			r["successor"] = int64(40)
		}
	})
	fails(tables.JointsFile, "row group 0, row 7", "column successor: there is no body in row 40")
	changeBody(t, path(tables.JointsFile), func(row int, r map[string]any) {
		if row == 8 {
			r["type"] = "rubber"
		}
	})
	fails(tables.JointsFile, "row group 0, row 8", "column type", "rubber")
	changeBody(t, path(tables.JointsFile), func(row int, r map[string]any) {
		if row == 9 {
			r["predecessor"], r["successor"] = int64(-1), int64(-1)
		}
	})
	fails(tables.JointsFile, "have bodies")
	changeBody(t, path(tables.BodiesFile), func(row int, r map[string]any) {
		if row == 9 {
			r["name"] = "L0"
		}
	})
	fails("L0")
	changeBody(t, path(tables.BodiesFile), func(_ int, r map[string]any) { r["mass"] = int64(1) })
	fails(tables.BodiesFile, "column mass has another type")
	changeBody(t, path(tables.BodiesFile), func(_ int, r map[string]any) { delete(r, "mass") })
	fails(tables.BodiesFile, "23 columns in place of 24")
	_, err := tables.Read(dir)
	require.NoError(t, err)
}

// changeBody writes a table anew with other values.
func changeBody(t testing.TB, path string, change func(row int, r map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	p, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	var rows []map[string]any
	r := pq.NewGenericReader[map[string]any](p, p.Schema())
	for i := range int(p.NumRows()) {
		block := []map[string]any{{}}
		n, err := r.Read(block)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
		}
		require.Equal(t, 1, n)
		change(i, block[0])
		rows = append(rows, block[0])
	}
	group := map[string]pq.Node{}
	fields := make([]pq.Field, 0, len(p.Schema().Fields()))
	for _, f := range p.Schema().Fields() {
		v, ok := rows[0][f.Name()]
		if !ok {
			continue
		}
		node := pq.Node(f)
		if _, is := v.(int64); is {
			node = pq.Leaf(pq.Int64Type)
		}
		group[f.Name()] = node
		fields = append(fields, f)
	}
	schema := pq.NewSchema("row", inOrder{pq.Group(group), fields})
	format, _ := p.Lookup("rung.format")
	sum, _ := p.Lookup("rung.head")
	var out bytes.Buffer
	w := pq.NewGenericWriter[map[string]any](&out, schema, pq.KeyValueMetadata("rung.format", format), pq.KeyValueMetadata("rung.head", sum))
	_, err = w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o666))
}

// inOrder is a group whose fields keep their order.
type inOrder struct {
	pq.Group
	order []pq.Field
}

func (g inOrder) Fields() []pq.Field {
	var out []pq.Field
	for _, want := range g.order {
		for _, f := range g.Group.Fields() {
			if f.Name() == want.Name() {
				out = append(out, f)
			}
		}
	}
	return out
}

// FuzzTables puts other bytes in place of one of the files: what is read is a valid model, or there is an error.
func FuzzTables(tf *testing.F) {
	f := check.NewFuzz(tf)
	m, err := bench.Generate("ladder", 12, 1)
	require.NoError(f, err)
	dir := filepath.Join(f.TempDir(), "m.tables")
	require.NoError(f, tables.Write(dir, m))
	names := []string{tables.HeadFile, tables.BodiesFile, tables.JointsFile}
	clean := make([][]byte, len(names))
	for i, name := range names {
		clean[i], err = os.ReadFile(filepath.Join(dir, name))
		require.NoError(f, err)
		f.Add(uint8(i), clean[i])
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		i := int(which) % len(names)
		path := filepath.Join(dir, names[i])
		require.NoError(t, os.WriteFile(path, data, 0o666))
		m, err := tables.Read(dir)
		require.NoError(t, os.WriteFile(path, clean[i], 0o666))
		if err == nil {
			require.NoError(t, model.Check(m))
		}
	})
}
