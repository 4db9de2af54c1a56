package model_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

func TestSchemaAcceptsModels(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	for _, file := range referenceModels(t) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, schematest.Validate(t, s, string(data)), file)
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, schematest.Validate(t, s, write(t, m)), file)
	}
	require.NoError(t, schematest.Validate(t, s, write(t, sample())))
	require.NoError(t, schematest.Validate(t, s, write(t, &model.Model{})))
}

// TestSchemaRefuses: the invalid reference models whose fault one place shows.
func TestSchemaRefuses(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	relational := map[string]bool{ // not expressible in a schema
		"duplicate-body": true, "duplicate-joint": true, "inertia-indefinite": true, "inertia-triangle": true,
		"joint-to-itself": true, "number-not-finite": true, "quaternion-not-unit": true,
		"unknown-successor": true, "unknown-wrench-body": true,
	}
	files, err := filepath.Glob(filepath.Join("..", "reference", "invalid", "*.model.json"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if name := strings.TrimSuffix(filepath.Base(file), ".model.json"); !relational[name] {
			assert.Error(t, schematest.Validate(t, s, string(data)), name)
		}
	}
	for _, doc := range []string{
		joint("revolute", `, "limits": [{"rate": 0}]`), joint("revolute", `, "limits": [{"high": 1}]`), joint("fixed", `, "limits": [null]`),
		joint("spherical", `, "limits": [null, {"upper": 1}, null]`),
		joint("rolling", ""), joint("rolling", `, "radius": 0`), joint("rolling", `, "radius": 1, "slip": "sideways"`),
		joint("rolling", `, "radius": 1, "force": [1]`), joint("no_slip", `, "radius": 1`), joint("fixed", `, "slip": "none"`), joint("fixed", `, "tyre_radius": 0`), joint("fixed", `, "bowl_radius": 1`), joint("fixed", `, "terrain": "hills"`), joint("rolling", `, "radius": 1, "terrain": ""`),
		joint("curve_on_curve", `, "curve": {"kind": "circle", "radius": 1}`), joint("curve_on_curve", `, "successor_curve": {"kind": "circle", "radius": 1}`),
		joint("curve_on_curve", circles(`, "planar": true`, "")), joint("point_on_curve", circles("", "")), joint("curve_on_curve", circles("", "")+`, "force": [1]`),
		joint("curve_on_curve", circles("", "")+`, "lifts_off": true, "force": [1, 2]`), joint("fixed", `, "lifts_off": true`),
		joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "planar": true}, "force": [0, 0, 0, 1]`),
		joint("point_on_curve", ""), joint("fixed", `, "curve": {"kind": "circle", "radius": 1}`), joint("point_on_curve", `, "curve": {"kind": "circle"}`),
		joint("point_on_curve", `, "curve": {"kind": "spline"}`), joint("point_on_curve", `, "curve": {"kind": "line", "ends": [[0, 0, 0]]}`),
		joint("point_on_curve", `, "curve": {"kind": "spline", "points": [[0, 0, 0], [1, 0, 0]], "file": "a.csv"}`),
		joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "x": "u"}`), joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "force": [1]`),
		`[]`, joint("helical", ""), joint("distance", ""), joint("revolute", `, "pitch": 1`),
		joint("revolute", `, "force": []`), joint("spherical", `, "stiffness": [0, 0, 1]`),
		joint("spherical", `, "motion": [null, `+harmonic+`, null]`), joint("prismatic", `, "turns": [0]`),
		joint("revolute", `, "motion": [{"kind": "polynomial", "coefficients": []}]`),
		force(`"type": "wrench", "body": "world", "torque": [0, 0, 0]`),
		document("", jointAB, ""), joint("hinge", ""),
	} {
		assert.Error(t, schematest.Validate(t, s, doc), doc)
	}
}

// TestSchemaNamesAreUnique: a name that comes twice in an object hides what it stood for first.
func TestSchemaNamesAreUnique(t *testing.T) {
	for _, file := range []string{"schema.json", "../results/schema.json", "../ik/taskfile/task.schema.json", "../ik/taskfile/result.schema.json"} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, json.Valid(data), file)
	}
}

// TestSchemaAcceptsAll: random models with springs, couplings, armature and composite joints.
func TestSchemaAcceptsAll(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	for seed := range uint64(4) {
		rng := check.Rand(seed)
		m := modeltest.Gear(modeltest.Composites(seed, 4, 1), rng)
		modeltest.AddSprings(m, rng)
		m = modeltest.Follow(t, modeltest.Couple(t, m, rng, 3), rng, 5)
		m.Frames = []model.Frame{{Name: "tip", Body: m.Bodies[0].Name}}
		require.NoError(t, schematest.Validate(t, s, write(t, m)), "seed %d", seed)
	}
}

// TestSchemaAcceptsCurvesWithFreedoms: what acts along a curve and on a gap passes the schema, as it passes the reader.
func TestSchemaAcceptsCurvesWithFreedoms(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	for _, m := range []*model.Model{modeltest.Beads(1), modeltest.Cams(2), modeltest.Hills(1)} {
		require.NoError(t, schematest.Validate(t, s, write(t, m)), m.Name)
	}
	for _, doc := range []string{
		joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "force": [0, 0, 0, 1], "limits": [{}, {}, {}, {"upper": 1}]`),
		joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "planar": true}, "stiffness": [0, 0, 0, 1, 2]`),
		joint("curve_on_curve", circles("", "")+`, "lifts_off": true, "limits": [{"upper": 0, "stop": {"stiffness": 1e8}}]`),
	} {
		require.NoError(t, schematest.Validate(t, s, doc), doc)
		_, err := model.Read(strings.NewReader(doc), "curves")
		require.NoError(t, err, doc)
	}
}
