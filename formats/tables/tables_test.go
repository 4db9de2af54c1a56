package tables_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/model"
)

// The files of a folder, and the largest head.
const (
	headFile   = "head.json"
	bodiesFile = "bodies.parquet"
	jointsFile = "joints.parquet"
	maxHead    = 1 << 30
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

// layout is the layout of the folder.
var layout = outfile.Layout{Head: headFile, Parts: []string{bodiesFile, jointsFile}}

// files are the files of a folder: the head and both tables.
type files struct {
	dir   string
	names [3]string
	clean [3][]byte
}

func filesOf(t testing.TB, dir string) *files {
	t.Helper()
	o, err := layout.Open(dir, maxHead)
	require.NoError(t, err)
	f := &files{dir: dir, names: [3]string{headFile, filepath.Base(o.Parts[0].Name()), filepath.Base(o.Parts[1].Name())}}
	require.NoError(t, o.Close())
	for i, name := range f.names {
		f.clean[i], err = os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
	}
	return f
}

func (f *files) put(t testing.TB, i int, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, f.names[i]), data, 0o666))
}

func (f *files) restore(t testing.TB) {
	t.Helper()
	for i := range f.names {
		f.put(t, i, f.clean[i])
	}
}

// craft writes another folder with all digests right, as the format says: a head that edit has changed, and tables of at
// most a MiB.
func (f *files) craft(t testing.TB, bodies, joints []byte, edit func(head string) string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "crafted.tables")
	require.NoError(t, os.Mkdir(dir, 0o777))
	digest := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	put := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	var list []string
	for i, data := range [][]byte{bodies, joints} {
		blocks, quoted := "", ""
		if len(data) > 0 {
			blocks = digest(data)
			quoted = `"` + blocks + `"`
		}
		name := []string{"bodies-", "joints-"}[i] + digest([]byte(blocks))[:16] + ".parquet"
		put(name, data)
		list = append(list, fmt.Sprintf(`{"name":%q,"size":%d,"blocks":[%s]}`, name, len(data), quoted))
	}
	text := f.text()
	text = text[:strings.Index(text, `"parts"`)] + `"parts": [` + strings.Join(list, ",") + "]" + text[strings.Index(text, ",\n \"rest\""):]
	if edit != nil {
		text = edit(text)
	}
	seal := strings.Repeat("0", 64)
	put(headFile, []byte(text+digest([]byte(text+seal+"\"}\n"))+"\"}\n"))
	return dir
}

// text is the head up to the digits of its seal.
func (f *files) text() string {
	const key = "rung-seal:"
	text := string(f.clean[0])
	return text[:strings.LastIndex(text, key)+len(key)]
}

// Whatever happens to a file of the folder, it is refused with the name of the file.
func TestDamaged(t *testing.T) {
	_, dir := ladder(t, 40)
	f := filesOf(t, dir)
	rng := check.Rand(1)
	fails := func(i int, text ...string) {
		t.Helper()
		_, err := tables.Read(dir)
		require.Error(t, err)
		for _, s := range append(text, f.names[i]) {
			assert.ErrorContains(t, err, s)
		}
		f.restore(t)
	}
	for i, name := range f.names {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
		fails(i)
		f.put(t, i, f.clean[i][:len(f.clean[i])/2])
		fails(i, "is damaged")
		f.put(t, i, nil)
		fails(i, "is damaged")
		f.put(t, i, append(slices.Clone(f.clean[i]), '\n'))
		fails(i, "is damaged")
		for range 50 {
			data := slices.Clone(f.clean[i])
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
			f.put(t, i, data)
			fails(i, "is damaged")
		}
	}
	f.put(t, 1, f.clean[2])
	fails(1, "is damaged")
	_, err := tables.Read(dir)
	require.NoError(t, err)
}

// What no writer would write, with all digests right, is named with the file, the group, the row and the column.
func TestHostile(t *testing.T) {
	_, dir := ladder(t, 40)
	f := filesOf(t, dir)
	fails := func(dir string, text ...string) {
		t.Helper()
		_, err := tables.Read(dir)
		require.Error(t, err)
		for _, s := range text {
			assert.ErrorContains(t, err, s)
		}
	}
	bodies, joints := f.clean[1], f.clean[2]
	_, err := tables.Read(f.craft(t, bodies, joints, nil))
	require.NoError(t, err)
	head := func(old, with string) string {
		t.Helper()
		return f.craft(t, bodies, joints, func(text string) string {
			require.Contains(t, text, old)
			return strings.Replace(text, old, with, 1)
		})
	}
	fails(head("rung-tables/1", "rung-tables/9"), headFile, "rung-tables/9")
	fails(head(`"bodies": 40`, `"bodies": 41`), headFile, "the tables have 40")
	fails(head(`"body_rows": [`, `"body_rows": [999, `), headFile, "body_rows")
	fails(head(`"gravity"`, `"gravitas"`), headFile, "gravitas")
	fails(head(`"parts": [`, `"parts": [null, `), headFile, "does not name the parts")
	fails(head(`"name":"bodies-`, `"name":"../bodies-`), headFile, "does not name the parts")
	fails(head(`"size":`, `"size":-`), headFile, "does not name the parts")
	fails(head(`"size":`, `"size":9`), "bodies-", "is damaged")
	fails(f.craft(t, joints, joints, nil), "bodies-", "no table of bodies")

	body := func(change func(row int, r map[string]any)) string {
		t.Helper()
		return f.craft(t, changed(t, bodies, change), joints, nil)
	}
	joint := func(row int, column string, value any) string {
		t.Helper()
		return f.craft(t, bodies, changed(t, joints, func(i int, r map[string]any) {
			if i == row {
				r[column] = value
			}
		}), nil)
	}
	fails(body(func(row int, r map[string]any) {
		if row == 17 {
			r["inertia_yy"] = math.NaN()
		}
	}), "bodies-", "row group 0, row 17", "column inertia_yy: NaN")
	fails(joint(7, "successor", int64(40)), "joints-", "row group 0, row 7", "column successor: there is no body in row 40")
	fails(joint(8, "type", "rubber"), "joints-", "row group 0, row 8", "column type", "rubber")
	fails(f.craft(t, bodies, changed(t, joints, func(row int, r map[string]any) {
		if row == 9 {
			r["predecessor"], r["successor"] = int64(-1), int64(-1)
		}
	}), nil), "joints-", "have bodies")
	fails(body(func(row int, r map[string]any) {
		if row == 9 {
			r["name"] = "L0"
		}
	}), "L0")
	fails(body(func(_ int, r map[string]any) { r["mass"] = int64(1) }), "bodies-", "column mass has another type")
	fails(body(func(_ int, r map[string]any) { delete(r, "mass") }), "bodies-", "23 columns in place of 24")
}

// changed returns a table with other values.
func changed(t testing.TB, data []byte, change func(row int, r map[string]any)) []byte {
	t.Helper()
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
	var out bytes.Buffer
	w := pq.NewGenericWriter[map[string]any](&out, schema, pq.KeyValueMetadata("rung.format", format))
	_, err = w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
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

// FuzzTables puts other bytes in place of one of the files, with all digests right: what is read is a valid model, or
// there is an error.
func FuzzTables(tf *testing.F) {
	f := check.NewFuzz(tf)
	m, err := bench.Generate("ladder", 12, 1)
	require.NoError(f, err)
	dir := filepath.Join(f.TempDir(), "m.tables")
	require.NoError(f, tables.Write(dir, m))
	of := filesOf(f, dir)
	f.Add(uint8(0), []byte(of.text()))
	f.Add(uint8(1), of.clean[1])
	f.Add(uint8(2), of.clean[2])
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		bodies, joints := of.clean[1], of.clean[2]
		var edit func(string) string
		switch which % 3 {
		case 0:
			edit = func(string) string { return string(data) }
		case 1:
			bodies = data[:min(len(data), 1<<20)]
		default:
			joints = data[:min(len(data), 1<<20)]
		}
		m, err := tables.Read(of.craft(t, bodies, joints, edit))
		if err == nil {
			require.NoError(t, model.Check(m))
		}
	})
}
