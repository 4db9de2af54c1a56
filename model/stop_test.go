package model_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

// TestStopsAndFrictionRefused: each bad value is one problem with its
// path; the schema refuses values that are wrong by themselves.
func TestStopsAndFrictionRefused(t *testing.T) {
	const J = "$.joints[0]"
	s := schematest.Compile(t, model.Schema())
	stop := func(fields string) string {
		return joint("revolute", `, "limits": [{"lower": -1, "upper": 1, "stop": {`+fields+`}}]`)
	}
	friction := func(kind, list string) string { return joint(kind, `, "friction": `+list) }
	for _, c := range []struct {
		doc, path, text string
		schema          bool // refuses it too
	}{
		{stop(``), J + ".limits[0].stop.stiffness", "missing", true},
		{stop(`"stiffness": 0`), J + ".limits[0].stop.stiffness", "positive", true},
		{stop(`"stiffness": -1`), J + ".limits[0].stop.stiffness", "positive", true},
		{stop(`"stiffness": "hard"`), J + ".limits[0].stop.stiffness", "is not a number", true},
		{stop(`"stiffness": 1, "exponent": 0.5`), J + ".limits[0].stop.exponent", "at least 1", true},
		{stop(`"stiffness": 1, "exponent": 0`), J + ".limits[0].stop.exponent", "at least 1", true},
		{stop(`"stiffness": 1, "dissipation": -1`), J + ".limits[0].stop.dissipation", "negative", true},
		{stop(`"stiffness": 1, "damping": 1`), J + ".limits[0].stop.damping", "linear", false},
		{stop(`"stiffness": 1, "law": "linear", "dissipation": 1`), J + ".limits[0].stop.dissipation", "hunt-crossley", false},
		{stop(`"stiffness": 1, "law": "soft"`), J + ".limits[0].stop.law", "soft", true},
		{stop(`"stiffness": 1, "restitution": 0.5`), J + ".limits[0].stop.impact_speed", "missing", true},
		{stop(`"stiffness": 1, "impact_speed": 0.5`), J + ".limits[0].stop.restitution", "missing", true},
		{stop(`"stiffness": 1, "restitution": 1.5, "impact_speed": 1`), J + ".limits[0].stop.restitution", "0 to 1", true},
		{stop(`"stiffness": 1, "restitution": -0.5, "impact_speed": 1`), J + ".limits[0].stop.restitution", "0 to 1", true},
		{stop(`"stiffness": 1, "restitution": 0.5, "impact_speed": 0`), J + ".limits[0].stop.impact_speed", "not positive", true},
		{stop(`"stiffness": 1, "restitution": 0.5, "impact_speed": -1`), J + ".limits[0].stop.impact_speed", "not positive", true},
		{stop(`"stiffness": 1, "hard": true`), J + ".limits[0].stop.hard", "unknown field", true},
		{joint("revolute", `, "limits": [{"lower": 0, "stop": 5}]`), J + ".limits[0].stop", "is not an object", true},
		{joint("revolute", `, "limits": [{"rate": 1, "stop": {"stiffness": 1}}]`), J + ".limits[0].stop", "neither lower nor upper", false},
		{joint("revolute", `, "motion": [`+harmonic+`], "limits": [{"lower": 0, "stop": {"stiffness": 1, "restitution": 0, "impact_speed": 1}}]`), J + ".limits[0].stop.restitution", "motion", false},

		{friction("revolute", `5`), J + ".friction", "is not a list", true},
		{friction("revolute", `[]`), J + ".friction", "wrong length 0", true},
		{friction("cylindrical", `[1]`), J + ".friction", "wrong length 1", true},
		{friction("fixed", `[null]`), J + ".friction", "wrong length 1", true},
		{friction("revolute", `[-1]`), J + ".friction[0].force", "negative", true},
		{friction("revolute", `["dry"]`), J + ".friction[0]", "is not an object or a number", true},
		{friction("revolute", `[{}]`), J + ".friction[0].force", "missing", true},
		{friction("revolute", `[{"force": 0}]`), J + ".friction[0].force", "not positive", true},
		{friction("revolute", `[{"force": 1e999}]`), J + ".friction[0].force", "not finite", false},
		{friction("revolute", `[{"force": 1, "speed": 0}]`), J + ".friction[0].speed", "not positive", true},
		{friction("revolute", `[{"force": 1, "speed": -1}]`), J + ".friction[0].speed", "negative", true},
		{friction("revolute", `[{"force": 1, "static": 0.5, "stribeck": 1}]`), J + ".friction[0].static", "at least 1", true},
		{friction("revolute", `[{"force": 1, "static": 1.5}]`), J + ".friction[0].stribeck", "missing", true},
		{friction("revolute", `[{"force": 1, "stribeck": 1.5}]`), J + ".friction[0].static", "missing", true},
		{friction("revolute", `[{"force": 1, "hold": {"damping": 1}}]`), J + ".friction[0].hold.travel", "missing", true},
		{friction("revolute", `[{"force": 1, "hold": {"travel": -1}}]`), J + ".friction[0].hold.travel", "negative", true},
		{friction("revolute", `[{"force": 1, "hold": {"travel": 1}, "speed": 1}]`), J + ".friction[0].speed", "beside hold", true},
		{friction("revolute", `[{"coefficient": 0.1}]`), J + ".friction[0].radius", "missing", true},
		{friction("revolute", `[{"radius": 0.1}]`), J + ".friction[0].coefficient", "missing", true},
		{friction("revolute", `[{"coefficient": 0.1, "radius": 0.1, "force": 1}]`), J + ".friction[0].force", "beside coefficient", true},
		{friction("prismatic", `[{"coefficient": 0.1, "radius": 0.1}]`), J + ".friction[0].coefficient", "bearing", false},
		{friction("spherical", `[1, 1, 1]`), J + ".friction[0].force", "ball rotation", false},
		{friction("spherical", `[{"coefficient": 0.1, "radius": 0.1}, null, null]`), J + ".friction[1]", "other rotations", false},
		{friction("sphere_in_cylinder", `[1, 1, 1, 1]`), J + ".friction[0].force", "ball rotation", false},
	} {
		_, err := model.Read(strings.NewReader(c.doc), "m")
		var all *model.Problems
		require.ErrorAs(t, err, &all, c.doc)
		found := false
		for _, p := range all.List {
			found = found || p.Path == c.path && strings.Contains(p.Error(), c.text)
		}
		assert.True(t, found, "%s: %v", c.doc, err)
		if c.schema {
			assert.Error(t, schematest.Validate(t, s, c.doc), c.doc)
		}
	}
	for _, doc := range []string{
		stop(`"stiffness": 1`), stop(`"stiffness": 1, "law": "linear", "damping": 2`), stop(`"stiffness": 1, "exponent": 1.5, "dissipation": 2, "restitution": 0, "impact_speed": 1`),
		friction("revolute", `[null]`), friction("revolute", `[0]`), friction("cylindrical", `[1, {"force": 2, "static": 1, "stribeck": 1}]`),
		friction("spherical", `[{"coefficient": 1, "radius": 1}, {"coefficient": 1, "radius": 1}, {"coefficient": 1, "radius": 1}]`),
		friction("sphere_in_cylinder", `[null, null, null, 3]`),
	} {
		m, err := model.Read(strings.NewReader(doc), "m")
		require.NoError(t, err, doc)
		assert.NoError(t, schematest.Validate(t, s, doc), doc)
		again, err := model.Read(strings.NewReader(write(t, m)), "m")
		require.NoError(t, err)
		assert.Equal(t, m, again)
		assert.NoError(t, schematest.Validate(t, s, write(t, m)))
	}
}

// TestStopsAndFrictionFromGo: what only a program can write is refused with its path.
func TestStopsAndFrictionFromGo(t *testing.T) {
	for _, c := range []struct {
		path   string
		change func(j *model.Joint)
	}{
		{"friction[0].force", func(j *model.Joint) { j.Friction = []model.Friction{{Force: math.NaN()}} }},
		{"friction[0].force", func(j *model.Joint) { j.Friction = []model.Friction{{Static: 2}} }},
		{"friction[0].stribeck", func(j *model.Joint) { j.Friction = []model.Friction{{Force: 1, Static: 2}} }},
		{"friction[0].hold.travel", func(j *model.Joint) { j.Friction = []model.Friction{{Force: 1, Hold: contact.Hold{Damping: 1}}} }},
		{"friction[0].radius", func(j *model.Joint) { j.Friction = []model.Friction{{Coefficient: 1}} }},
		{"friction[0].coefficient", func(j *model.Joint) { j.Friction = []model.Friction{{Radius: 1}} }},
		{"limits[0].stop.stiffness", func(j *model.Joint) {
			j.Limits = []*model.Limit{{Upper: 1, Stop: model.Stop{Restitution: 0.5, ImpactSpeed: 1}}}
		}},
		{"limits[0].stop.stiffness", func(j *model.Joint) {
			j.Limits = []*model.Limit{{Upper: 1, Stop: model.Stop{Normal: contact.Normal{Stiffness: math.Inf(1)}}}}
		}},
		{"limits[0].stop.impact_speed", func(j *model.Joint) {
			j.Limits = []*model.Limit{{Upper: 1, Stop: model.Stop{Normal: contact.Normal{Stiffness: 1}, Restitution: 0.5}}}
		}},
	} {
		m := model.New("m")
		m.Bodies = []model.Body{{Name: "a", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
		m.Joints = []model.Joint{{Name: "j", Type: model.Revolute, Predecessor: model.World, Successor: "a"}}
		c.change(&m.Joints[0])
		var all *model.Problems
		require.True(t, errors.As(model.Check(m), &all), c.path)
		found := false
		for _, p := range all.List {
			found = found || p.Path == "$.joints[0]."+c.path
		}
		assert.True(t, found, "%s: %v", c.path, all)
	}
}
