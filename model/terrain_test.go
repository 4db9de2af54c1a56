package model_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

// grounds returns a document with terrains and forces.
func grounds(terrains, forces string) string {
	return `{"format": "rung-model/1", "bodies": [` + bodyA + "," + bodyB + `], "joints": [{"name": "j", "type": "revolute", "predecessor": "a", "successor": "b"}], "terrains": [` + terrains + `], "forces": [` + forces + `]}`
}

const plane = `{"name": "p", "type": "plane"}`

// standing is a contact with more fields.
func standing(more string) string {
	return `{"name": "c", "type": "contact", "body": "a", "terrain": "p", ` + more + `}`
}

const (
	disc   = `"shape": {"type": "disc", "radius": 0.3}`
	normal = `"normal": {"stiffness": 1e5}`
)

// TestGroundDefaults: what a document need not say.
func TestGroundDefaults(t *testing.T) {
	m, err := model.Read(strings.NewReader(grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 0.5}, "rolling": {"coefficient": 0.1}`)+
		`, {"name": "m", "type": "actuator", "joint": "j", "law": "torque", "value": 3}`)), "doc")
	require.NoError(t, err)
	require.Equal(t, [3]float64{0, 0, 1}, m.Terrains[0].Normal)
	c := m.Forces[0].Contact
	require.Equal(t, [3]float64{0, 1, 0}, [3]float64(c.Shape.Axis))
	require.Equal(t, 1.0, c.Law.Normal.Exponent)
	require.Equal(t, [2]float64{0.5, 0.5}, c.Law.Friction.Coefficient)
	require.Equal(t, model.DefaultSlipSpeed, c.Law.Friction.SlipSpeed)
	require.Equal(t, model.DefaultTurnSpeed, c.Law.Rolling.Speed)
	require.Equal(t, []float64{3}, m.Forces[1].Actuator.Value.Coefficients)
	again, err := model.Read(strings.NewReader(write(t, m)), "doc")
	require.NoError(t, err)
	require.Equal(t, m, again)
}

// TestGroundInvalid: every rule of terrains, contacts and actuators that a document can break, with its path.
func TestGroundInvalid(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	const T, F = "$.terrains[0]", "$.forces[0]"
	motor := func(more string) string {
		return grounds(plane, `{"name": "m", "type": "actuator", "joint": "j", `+more+`}`)
	}
	for _, c := range []struct {
		doc, path, rule string
		structure       bool // which the schema sees
	}{
		{grounds(`{"name": "p"}`, ""), T + ".type", "missing", true},
		{grounds(`{"name": "p", "type": "sea"}`, ""), T + ".type", "must be one of plane", true},
		{grounds(`{"name": "p", "type": "plane", "heights": [[1]]}`, ""), T + ".heights", "no meaning for terrain plane", true},
		{grounds(`{"name": "p", "type": "plane", "normal": [0, 0, 0]}`, ""), T + ".normal", "point up", true},
		{grounds(`{"name": "p", "type": "grid", "spacing": [1, 1]}`, ""), T + ".heights", "missing", true},
		{grounds(`{"name": "p", "type": "grid", "spacing": [1, 0], "heights": [[0, 0], [0, 0]], "interpolation": "linear"}`, ""), T + ".spacing[1]", "not positive", true},
		{grounds(`{"name": "p", "type": "grid", "spacing": [1, 1e308], "heights": [[0, 0], [0, 0]], "interpolation": "linear"}`, ""), T + ".spacing[1]", "at most 1e+12 m", true},
		{grounds(`{"name": "p", "type": "grid", "spacing": [1, 1], "origin": [0, 1e300], "heights": [[0, 0], [0, 0]], "interpolation": "linear"}`, ""), T + ".origin[1]", "lost to rounding", false},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 1, "ruts": true}`)), F + ".friction.ruts", "no meaning for friction coulomb", true},
		{grounds(plane, standing(disc+`, "friction": {"type": "soil", "preset": "clay", "width": 1, "ruts": 1}`)), F + ".friction.ruts", "not true or false", true},
		{grounds(`{"name": "p", "type": "grid", "spacing": [1, 1], "heights": [[0, 0], [0]], "interpolation": "linear"}`, ""), T + ".heights[1]", "1 heights", true},
		{grounds(`{"name": "p", "type": "grid", "spacing": [1, 1], "heights": [[0, "x"], [0, 0]], "interpolation": "linear"}`, ""), T + ".heights[0][1]", "not a number", true},
		{grounds(`{"name": "p", "type": "csv", "file": "f.csv"}`, ""), T + ".spacing", "missing", true},
		{grounds(`{"name": "p", "type": "csv", "file": "f.csv", "layout": "points", "spacing": [1, 1]}`, ""), T + ".spacing", "no meaning for layout points", true},
		{grounds(`{"name": "p", "type": "csv", "file": "f.csv", "spacing": [1, 1], "scale": 0}`, ""), T + ".scale", "zero", true},
		{grounds(`{"name": "p", "type": "png", "file": "f.png", "spacing": [1, 1], "lowest": 0}`, ""), T + ".highest", "missing", true},
		{grounds(`{"name": "p", "type": "function", "expression": "x +"}`, ""), T + ".expression", "character 4: expected a number", false},
		{grounds(`{"name": "p", "type": "random", "size": [9], "spacing": [1, 1], "rms": 1, "length": 1}`, ""), T + ".size", "wrong length 1", true},
		{grounds(`{"name": "p", "type": "random", "size": [9, 9], "spacing": [1, 1], "rms": 1}`, ""), T + ".length", "missing", true},
		{grounds(`{"name": "p", "type": "random", "size": [100000, 100000], "spacing": [1, 1], "rms": 1, "length": 1}`, ""), T + ".size", "more than", false},
		{grounds(`{"name": "p", "type": "random", "size": [9, 9], "spacing": [1, 1], "rms": 1, "length": 1, "seed": -1}`, ""), T + ".seed", "negative", true},
		{grounds(`{"name": "p", "type": "sum", "parts": ["p"]}`, ""), T + ".parts[0]", "stands before", false},
		{grounds(plane, standing(normal)), F + ".shape", "missing", true},
		{grounds(plane, standing(disc)), F + ".normal", "missing", true},
		{grounds(plane, standing(`"shape": {"type": "disc", "radius": 0}, `+normal)), F + ".shape.radius", "positive", true},
		{grounds(plane, standing(`"shape": {"type": "torus", "radius": 1}, `+normal)), F + ".shape.tyre_radius", "missing", true},
		{grounds(plane, standing(`"shape": {"type": "disc", "radius": 1, "width": 1}, `+normal)), F + ".shape.width", "no meaning", true},
		{grounds(plane, standing(disc+`, "normal": {"stiffness": 0}`)), F + ".normal.stiffness", "positive", false},
		{grounds(plane, standing(disc+`, "normal": {}`)), F + ".normal.stiffness", "positive", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "tyre", "coefficient": 1, "lat": {"b": 1, "c": 1, "e": 1}}`)), F + ".friction.long", "missing", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "tyre", "preset": "ice"}`)), F + ".friction.preset", "there are road", true},
		{grounds(plane, standing(disc+`, "friction": {"type": "soil", "preset": "clay", "width": 0}`)), F + ".friction.width", "positive", false},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "soil", "preset": "clay", "width": 1}`)), F + ".normal.stiffness", "its own", false},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 1, "map": "no"}`)), F + ".friction.map", "unknown terrain", false},
		{
			grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 1, "map": ""}`)),
			F + ".friction.map", "is empty", true,
		},
		{grounds(plane, standing(disc+`, "normal": {"stiffness": 1, "exponent": 0}`)), F + ".normal.exponent", "at least 1", true},
		{grounds(plane, standing(disc+`, "normal": {"stiffness": 1, "damping": 1}`)), F + ".normal.damping", "linear", false},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb"}`)), F + ".friction.coefficient", "missing", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": [1, -1]}`)), F + ".friction.coefficient", "negative", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 1, "slip_speed": 0}`)), F + ".friction.slip_speed", "positive", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 1, "hold": {"travel": 0}}`)), F + ".friction.hold.travel", "positive", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "coulomb", "coefficient": 1, "hold": {"damping": 1}}`)), F + ".friction.hold.travel", "missing", true},
		{grounds(plane, standing(disc+", "+normal+`, "friction": {"type": "tyre", "preset": "road", "long": {"b": -1, "c": 1, "e": 1}}`)), F + ".friction.long.b", "positive", false},
		{grounds(plane, standing(`"shape": {"type": "sphere", "radius": 1}, "friction": {"type": "soil", "preset": "clay", "width": 1}`)), F + ".friction.type", "needs a disc or a cylinder", false},
		{grounds(plane, standing(disc+`, "contacts": "local", "friction": {"type": "soil", "preset": "clay", "width": 1}`)), F + ".friction.type", "deepest points", false},
		{grounds(plane, standing(disc+", "+normal+`, "contacts": "deepest", "samples": 8`)), F + ".samples", "distributed", false},
		{grounds("", standing(disc+", "+normal)), F + ".terrain", "unknown terrain", false},
		{grounds(plane, standing(disc+", "+normal+`, "gain": 1`)), F + ".gain", "no meaning for force element contact", true},
		{motor(`"law": "torque"`), F + ".value", "missing", true},
		{motor(`"law": "speed", "value": 1`), F + ".gain", "missing", true},
		{motor(`"law": "torque", "value": 1, "gain": 2`), F + ".gain", "no meaning for law torque", true},
		{motor(`"law": "speed", "value": 1, "gain": 2, "limit": 0`), F + ".limit", "not positive", true},
		{motor(`"law": "speed", "value": 1, "gain": 2, "freedom": 3`), F + ".freedom", "1 freedoms", false},
		{motor(`"law": "speed", "value": "fast", "gain": 2`), F + ".value", "not an object or a number", true},
		{motor(`"law": "speed", "value": {"kind": "spline", "times": [0, 0], "values": [1, 2]}, "gain": 2`), F + ".value.times[1]", "not after", false},
	} {
		_, err := model.Read(strings.NewReader(c.doc), "doc")
		require.Error(t, err, c.doc)
		got := problems(t, err)
		if assert.Len(t, got, 1, "%s: %v", c.doc, err) {
			assert.Equal(t, c.path, got[0].Path, c.doc)
			assert.Contains(t, got[0].Rule, c.rule, c.doc)
		}
		if c.structure {
			assert.Error(t, schematest.Validate(t, s, c.doc), c.doc)
		} else {
			assert.NoError(t, schematest.Validate(t, s, c.doc), c.doc)
		}
	}
}

// TestTerrainsOfAModelHaveOneLimit: random terrains that contacts use are priced together, before one of them is made.
func TestTerrainsOfAModelHaveOneLimit(t *testing.T) {
	random := func(name string, n int) string {
		return fmt.Sprintf(`{"name": %q, "type": "random", "size": [%d, %d], "spacing": [1, 1], "rms": 1, "length": 4}`, name, n, n)
	}
	stand := standing(disc + ", " + normal)
	for _, c := range []struct{ terrains, path, rule string }{
		{random("p", 8192), "$.terrains[0].size", "takes 1.61 GB, more than 537 MB: choose fewer nodes"},
		{random("q", 8192), "$.terrains[0].size", "takes 1.61 GB, more than 537 MB"},
		{random("q", 4096) + "," + random("r", 4096) + `, {"name": "p", "type": "sum", "parts": ["q", "r"]}`, "$.terrains[1].size", "with the terrains before it takes 809 MB, more than 537 MB"},
	} {
		_, err := model.Read(strings.NewReader(grounds(c.terrains, stand)), "doc")
		got := problems(t, err)
		require.Equal(t, c.path, got[0].Path)
		require.Contains(t, got[0].Rule, c.rule)
	}
	_, err := model.Read(strings.NewReader(grounds(random("p", 4096), stand)), "doc")
	require.NoError(t, err)
	wide := `{"name": "p", "type": "random", "size": [4, 5000000], "spacing": [1, 1], "rms": 1, "length": 4}`
	_, err = model.Read(strings.NewReader(grounds(wide, stand)), "doc")
	require.ErrorContains(t, err, "takes 1.52 GB, more than 537 MB")
}

// TestUnusedTerrainsAreNotMade: of many terrains only those are made that contacts use, and parts of those.
func TestUnusedTerrainsAreNotMade(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `{"name": "r%d", "type": "random", "size": [4000, 4000], "spacing": [1, 1], "rms": 1, "length": 4},`, i)
	}
	b.WriteString(`{"name": "low", "type": "plane"}, {"name": "p", "type": "sum", "parts": ["low", "low"]}`)
	m, err := model.Read(strings.NewReader(grounds(b.String(), standing(disc+", "+normal))), "doc")
	require.NoError(t, err)
	list, err := m.UsedSurfaces(t.Context())
	require.NoError(t, err)
	for i, s := range list {
		require.Equal(t, i >= 100, s != nil, i)
	}
	_, err = m.Surfaces(t.Context())
	require.ErrorContains(t, err, "$.terrains[1].size: with the terrains before it takes")
}

// TestFilesReadAgainAreCounted: a file that many terrains name is no way to take memory.
func TestFilesReadAgainAreCounted(t *testing.T) {
	check.Long(t)
	const side = 2048
	line := strings.Repeat("1 ", side-1) + "1\n"
	files := fstest.MapFS{"f.csv": {Data: []byte(strings.Repeat(line, side))}}
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, `{"name": "r%d", "type": "csv", "file": "f.csv", "spacing": [1, 1], "interpolation": "linear"},`, i)
	}
	_, err := model.ReadIn(t.Context(), strings.NewReader(grounds(b.String()+plane, "")), "doc", files)
	got := problems(t, err)
	require.Equal(t, "$.terrains[6].file", got[0].Path)
	require.Contains(t, got[0].Rule, "the file is read again, and with the terrains before it that takes 604 MB, more than 537 MB")
}

// TestSumsOfSums: a sum that doubles in each line of a document ends with an error and not in a billion evaluations.
func TestSumsOfSums(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"name": "s0", "type": "plane"}`)
	for i := range 60 {
		fmt.Fprintf(&b, `, {"name": "s%d", "type": "sum", "parts": ["s%d", "s%d"]}`, i+1, i, i)
	}
	m, err := model.Read(strings.NewReader(grounds(b.String(), "")), "doc")
	require.NoError(t, err)
	_, err = m.Surfaces(t.Context())
	require.ErrorContains(t, err, "$.terrains[14]: a sum of more than 10000 surfaces")
}

// TestLongSum: what Read refuses is not written.
func TestLongSum(t *testing.T) {
	m := model.New("")
	sum := model.Terrain{Name: "s", Type: model.SumTerrain, Parts: slices.Repeat([]string{"p"}, 65)}
	m.Terrains = []model.Terrain{{Name: "p", Type: model.PlaneTerrain}, sum}
	require.ErrorContains(t, model.Write(io.Discard, m), "$.terrains[1].parts: wrong length 65, must have at most 64 entries")
}

// TestSurfacesOfRaggedGrids: a grid whose lines are not of one length has no surface, of a model that has not been checked too.
func TestSurfacesOfRaggedGrids(t *testing.T) {
	m := model.New("")
	for _, heights := range [][][]float64{nil, {{1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 3}, {1, 2, 3, 4}}} {
		m.Terrains = []model.Terrain{{Name: "g", Type: model.GridTerrain, Spacing: [2]float64{1, 1}, Heights: heights}}
		_, err := m.Surfaces(t.Context())
		require.ErrorContains(t, err, "$.terrains[0].heights", "%v", heights)
	}
}

// TestTerrainFiles: files are read from the folder of the model, and all that is wrong in them is reported at once.
func TestTerrainFiles(t *testing.T) {
	const rows = "0,0,0,0\n0,1,2,3\n0,2,4,6\n0,3,6,9\n"
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "model"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "field.csv"), []byte(rows), 0o644))
	doc := grounds(`{"name": "p", "type": "csv", "file": "../field.csv", "spacing": [1, 1], "offset": 5}, {"name": "q", "type": "sum", "parts": ["p", "r0"]}`, "")
	doc = strings.Replace(doc, `"terrains": [`, `"terrains": [{"name": "r0", "type": "plane", "point": [0, 0, 1]}, `, 1)
	path := filepath.Join(dir, "model", "m.json")
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o644))
	m, err := model.ReadFile(path)
	require.NoError(t, err)
	list, err := m.Surfaces(t.Context())
	require.NoError(t, err)
	p, err := list[2].At(2, 3)
	require.NoError(t, err)
	require.InDelta(t, 12, p.Z, 1e-13)

	// Without a file system nothing is opened, and nobody has the surfaces.
	m, err = model.Read(strings.NewReader(doc), "doc")
	require.NoError(t, err)
	_, err = m.Surfaces(t.Context())
	require.ErrorContains(t, err, "$.terrains[1].file: the file has not been loaded")

	// From files of a program, and what is wrong in them.
	files := fstest.MapFS{"field.csv": {Data: []byte(rows)}}
	doc = grounds(`{"name": "p", "type": "csv", "file": "field.csv", "spacing": [1, 1]}`, "")
	m, err = model.Read(strings.NewReader(doc), "doc")
	require.NoError(t, err)
	require.NoError(t, m.Load(t.Context(), files))
	require.NotNil(t, m.Terrains[0].Surface)
	files["field.csv"] = &fstest.MapFile{Data: []byte("0,0,0,0\n0,1,2\n0,x,4,6\n0,3,6,9\n")}
	_, err = model.ReadIn(t.Context(), strings.NewReader(grounds(`{"name": "p", "type": "csv", "file": "field.csv", "spacing": [1, 1]},
		{"name": "q", "type": "csv", "file": "none.csv", "spacing": [1, 1]}`, standing(disc))), "doc", files)
	got := problems(t, err)
	require.Equal(t, []string{"$.terrains[0].file", "$.terrains[0].file", "$.terrains[1].file", "$.forces[0].normal"}, paths(got))
	require.Equal(t, "field.csv:3:3: not a finite number (value \"x\")", got[0].Rule)
	require.Equal(t, "field.csv:2: 3 heights, other lines have 4", got[1].Rule)
	require.Equal(t, "cannot be opened: file does not exist", got[2].Rule)

	_, err = model.ReadIn(t.Context(), strings.NewReader(doc), "doc", fstest.MapFS{"field.csv": {Data: []byte("1 2\n3 4\n")}})
	require.ErrorContains(t, err, "$.terrains[0].file: 2 × 2 nodes; interpolation spline needs 4 × 4 at least")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = model.ReadIn(ctx, strings.NewReader(doc), "doc", files)
	require.ErrorIs(t, err, context.Canceled)
}

// TestGivenTerrain: a surface that is made in Go is used and cannot be written.
func TestGivenTerrain(t *testing.T) {
	s, err := ground.Function("x*y")
	require.NoError(t, err)
	m := model.New("given")
	m.Terrains = []model.Terrain{{Name: "g", Surface: s}}
	require.NoError(t, model.Check(m))
	list, err := m.Surfaces(t.Context())
	require.NoError(t, err)
	require.Same(t, s, list[0])
	var b strings.Builder
	require.ErrorContains(t, model.Write(&b, m), "$.terrains[0].type: a surface that is made in Go cannot be written")
}

// TestFolderRefusesDevices: what may never end is not opened.
func TestFolderRefusesDevices(t *testing.T) {
	_, err := model.Folder(".").Open(os.DevNull)
	require.ErrorContains(t, err, "not a regular file")
}
