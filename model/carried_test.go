package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

// addCarried adds frames, visuals of all kinds and a source.
func addCarried(m *model.Model) {
	at := m.Bodies[1].Pose
	unit := model.Pose{Orientation: [4]float64{1, 0, 0, 0}}
	m.Frames = []model.Frame{{Name: "a", Body: "a", Pose: at}, {Name: "home", Body: model.World, Pose: unit}}
	m.Visuals = []model.Visual{
		{Body: "a", Pose: at, Kind: model.MeshVisual, File: "m/a.stl", Scale: [3]float64{1, -1, 0.001}, Color: [4]float64{1, 0.5, 0, 1}},
		{Body: "a", Pose: unit, Kind: model.MeshVisual, File: "ü \t.stl", Scale: [3]float64{1, 1, 1}, Collision: true},
		{Body: model.World, Pose: unit, Kind: model.BoxVisual, Size: [3]float64{1, 2, 3}},
		{Body: "a", Pose: unit, Kind: model.SphereVisual, Size: [3]float64{1}},
		{Body: "a", Pose: unit, Kind: model.CylinderVisual, Size: [3]float64{1, 5e-324}},
		{Body: "a", Pose: unit, Kind: model.CapsuleVisual, Size: [3]float64{1, 2}, Color: [4]float64{0, 0, 0, 1}},
		{Body: "a", Pose: unit, Kind: model.EllipsoidVisual, Size: [3]float64{3, 2, 1}},
	}
	m.Source = &model.Source{
		File: "a\"b.xml", Format: "mjcf", Version: "3.1", SHA256: strings.Repeat("0af9", 16),
		Report: []model.SourceNote{
			{Severity: model.SeverityDropped, Line: 3, Column: 7, Element: "/mujoco/tendon", What: "tendon", Why: "no tendons", Consequence: "no force"},
			{Severity: model.SeverityNote, File: "part.xml", Count: 12},
			{},
			{Severity: model.SeverityChanged, Line: math.MaxInt32},
		},
	}
}

// carriedDocument returns a document with more sections.
func carriedDocument(sections string) string {
	return `{"format": "rung-model/1", "bodies": [` + bodyA + `], ` + sections + `}`
}

// invalidCarried are documents that break one rule.
var invalidCarried = []struct {
	sections, path, rule string
	relational           bool // which the schema cannot say
}{
	{`"frames": {}`, "$.frames", "is not a list", false},
	{`"frames": [{"body": "a"}]`, "$.frames[0].name", "missing", false},
	{`"frames": [{"name": "f"}]`, "$.frames[0].body", "missing", false},
	{`"frames": [{"name": "", "body": "a"}]`, "$.frames[0].name", "is empty", false},
	{`"frames": [{"name": "f", "body": "c"}]`, "$.frames[0].body", "unknown body", true},
	{`"frames": [{"name": "f", "body": "a"}, {"name": "f", "body": "world"}]`, "$.frames[1].name", "duplicate name, first at $.frames[0]", true},
	{`"frames": [{"name": "f", "body": "a", "pose": {"orientation": [1, 1, 0, 0]}}]`, "$.frames[0].pose.orientation", "unit quaternion", true},
	{`"frames": [{"name": "f", "body": "a", "mass": 1}]`, "$.frames[0].mass", "unknown field", false},
	{`"visuals": [3]`, "$.visuals[0]", "is not an object", false},
	{`"visuals": [{"body": "a"}]`, "$.visuals[0].kind", "missing", false},
	{`"visuals": [{"body": "a", "kind": "plane"}]`, "$.visuals[0].kind", "must be one of mesh, box", false},
	{`"visuals": [{"body": "c", "kind": "sphere", "size": [1]}]`, "$.visuals[0].body", "unknown body", true},
	{`"visuals": [{"body": "a", "kind": "sphere"}]`, "$.visuals[0].size", "wrong length 0, kind sphere has 1 entries", false},
	{`"visuals": [{"body": "a", "kind": "box", "size": [1, 1]}]`, "$.visuals[0].size", "wrong length 2", false},
	{`"visuals": [{"body": "a", "kind": "box", "size": [1, 1, 1, 1]}]`, "$.visuals[0].size", "at most 3", false},
	{`"visuals": [{"body": "a", "kind": "box", "size": [1, 0, 1]}]`, "$.visuals[0].size[1]", "is not positive", false},
	{`"visuals": [{"body": "a", "kind": "mesh"}]`, "$.visuals[0].file", "missing", false},
	{`"visuals": [{"body": "a", "kind": "mesh", "file": ""}]`, "$.visuals[0].file", "is empty", false},
	{`"visuals": [{"body": "a", "kind": "mesh", "file": "f", "size": [1]}]`, "$.visuals[0].size", "wrong length 1, kind mesh has 0", false},
	{`"visuals": [{"body": "a", "kind": "mesh", "file": "f", "scale": [0, 0, 0]}]`, "$.visuals[0].scale", "is zero", false},
	{`"visuals": [{"body": "a", "kind": "mesh", "file": "f", "scale": [1, 0, 1]}]`, "$.visuals[0].scale[1]", "is zero", false},
	{`"visuals": [{"body": "a", "kind": "sphere", "size": [1], "file": "f"}]`, "$.visuals[0].file", "no meaning for kind sphere", false},
	{`"visuals": [{"body": "a", "kind": "sphere", "size": [1], "color": [0, 0, 0]}]`, "$.visuals[0].color", "wrong length 3", false},
	{`"visuals": [{"body": "a", "kind": "sphere", "size": [1], "color": [0, 0, 2, 1]}]`, "$.visuals[0].color[2]", "is not between 0 and 1", false},
	{`"visuals": [{"body": "a", "kind": "sphere", "size": [1], "source": "x"}]`, "$.visuals[0].source", "must be one of visual, collision", false},
	{`"source": []`, "$.source", "is not an object", false},
	{`"source": {"file": 1}`, "$.source.file", "is not a string", false},
	{`"source": {"sha256": "00"}`, "$.source.sha256", "is not 64 hexadecimal digits", false},
	{`"source": {"sha256": "` + strings.Repeat("0AF9", 16) + `"}`, "$.source.sha256", "is not 64 hexadecimal digits", false},
	{`"source": {"report": {}}`, "$.source.report", "is not a list", false},
	{`"source": {"report": [{}]}`, "$.source.report[0].severity", "missing", false},
	{`"source": {"report": [{"severity": "bad"}]}`, "$.source.report[0].severity", "must be one of error, dropped", false},
	{`"source": {"report": [{"severity": "note", "line": -1}]}`, "$.source.report[0].line", "is no line, column or count", false},
	{`"source": {"report": [{"severity": "note"}, {"severity": "note", "column": 1.5}]}`, "$.source.report[1].column", "is not an integer", false},
	{`"source": {"report": [{"severity": "note", "how": "x"}]}`, "$.source.report[0].how", "unknown field", false},
	{`"source": {}, "source": {}`, "$.source", "duplicate key", true},
}

// TestCarriedInvalid: each broken rule is one problem with its path, and the schema finds rules that concern one place.
func TestCarriedInvalid(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	for _, c := range invalidCarried {
		doc := carriedDocument(c.sections)
		_, err := model.Read(strings.NewReader(doc), "f")
		if list := problems(t, err); assert.Len(t, list, 1, "%s: %v", c.sections, err) {
			assert.Equal(t, c.path, list[0].Path, c.sections)
			assert.Contains(t, list[0].Rule, c.rule, c.sections)
		}
		if !c.relational {
			assert.Error(t, schematest.Validate(t, s, doc), c.sections)
		}
	}
}

// TestCarriedFromGo: Check finds in models that are made in Go what Read finds in documents, and what only Go can say.
func TestCarriedFromGo(t *testing.T) {
	for path, spoil := range map[string]func(m *model.Model){
		"$.frames[1].name":              func(m *model.Model) { m.Frames[1].Name = "\xff" },
		"$.frames[0].pose.position[2]":  func(m *model.Model) { m.Frames[0].Pose.Position[2] = math.NaN() },
		"$.visuals[2].kind":             func(m *model.Model) { m.Visuals[2].Kind = 9 },
		"$.visuals[3].size[2]":          func(m *model.Model) { m.Visuals[3].Size[2] = 1 },
		"$.visuals[2].size[0]":          func(m *model.Model) { m.Visuals[2].Size[0] = math.Inf(1) },
		"$.visuals[0].size[0]":          func(m *model.Model) { m.Visuals[0].Size[0] = 1 },
		"$.visuals[0].scale[0]":         func(m *model.Model) { m.Visuals[0].Scale[0] = math.NaN() },
		"$.visuals[2].scale[1]":         func(m *model.Model) { m.Visuals[2].Scale[1] = 1 },
		"$.visuals[0].file":             func(m *model.Model) { m.Visuals[0].File = "\xff" },
		"$.visuals[4].file":             func(m *model.Model) { m.Visuals[4].File = "f" },
		"$.visuals[4].color[3]":         func(m *model.Model) { m.Visuals[4].Color[3] = math.NaN() },
		"$.source.version":              func(m *model.Model) { m.Source.Version = "\xff" },
		"$.source.report[1].severity":   func(m *model.Model) { m.Source.Report[1].Severity = 9 },
		"$.source.report[3].line":       func(m *model.Model) { m.Source.Report[3].Line = -1 },
		"$.source.report[0].what":       func(m *model.Model) { m.Source.Report[0].What = "\xff" },
		"$.source.report[2].column":     func(m *model.Model) { m.Source.Report[2].Column = -4 },
		"$.source.report[0].file":       func(m *model.Model) { m.Source.Report[0].File = "\xff" },
		"$.visuals[1].pose.orientation": func(m *model.Model) { m.Visuals[1].Pose.Orientation[0] = 2 },
	} {
		m := sample()
		spoil(m)
		assert.Equal(t, []string{path}, paths(problems(t, model.Check(m))))
	}
	m := sample()
	m.Frames[1].Pose, m.Visuals[1].Pose, m.Visuals[1].Scale = model.Pose{}, model.Pose{}, [3]float64{}
	m.Canonicalize()
	require.Equal(t, sample(), m)
	m.Frames, m.Visuals, m.Source = []model.Frame{}, []model.Visual{}, &model.Source{Report: []model.SourceNote{}}
	m.Canonicalize()
	again, err := model.Read(strings.NewReader(write(t, m)), "again")
	require.NoError(t, err)
	require.Equal(t, m, again)
	_, err = model.Link(sample()) // what names bodies here is no joint and no force
	require.NoError(t, err)
	assert.Equal(t, "VisualKind(9)", model.VisualKind(9).String())
	assert.Equal(t, "Severity(9)", model.Severity(9).String())
}
