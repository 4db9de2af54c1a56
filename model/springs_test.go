package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/springs"
)

// addSprings adds bushings, cables and laws with all their fields.
func addSprings(m *model.Model) {
	full := model.Diagonal([6]float64{1, 2, 3, 4, 5, 6})
	full[0][5], full[5][0] = 0.5, 0.5
	unit := [4]float64{1}
	table := &model.SpringLaw{At: []float64{-1, 0, 2}, Forces: []float64{-5, 0, 3}}
	stop := &model.SpringLaw{At: []float64{0, 1}, Forces: []float64{0, 1}, Interpolation: springs.Linear, Outside: springs.Stop}
	function := &model.SpringLaw{Kind: springs.Function, Expression: "x^3 + 0.1*y"}
	m.Forces = append(
		m.Forces,
		model.ForceElement{
			Name: "bushing", Type: model.BushingForce,
			A:     model.Attachment{Body: "a", Point: [3]float64{1, 2, 3}, Orientation: [4]float64{0.6, 0, -0.8, 0}},
			B:     model.Attachment{Body: "b", Orientation: unit},
			Force: [3]float64{1, 0, 2}, Torque: [3]float64{0, 0, 3},
			Bushing: &model.Bushing{Stiffness: full, Damping: model.Diagonal([6]float64{1, 1, 1, 0, 0, 0}), Rest: model.Pose{Position: [3]float64{0, 0, 1}, Orientation: unit}},
		},
		model.ForceElement{
			Name: "mount", Type: model.BushingForce, A: model.Attachment{Body: "a", Orientation: unit}, B: model.Attachment{Body: model.World, Orientation: unit},
			Bushing: &model.Bushing{Rest: model.Pose{Orientation: unit}},
		},
		model.ForceElement{
			Name: "cable", Type: model.CableForce, Stiffness: 1000, Damping: 5, RestLength: 2,
			Cable: &model.Cable{Tension: 3, Points: []model.Attachment{{Body: model.World}, {Body: "a", Point: [3]float64{1, 0, 0}}, {Body: "b"}, {Body: model.World, Point: [3]float64{0, 1, 0}}}},
		},
		model.ForceElement{
			Name: "tabled", Type: model.SpringDamper, A: model.Attachment{Body: "a"}, B: model.Attachment{Body: "b"}, Stiffness: 1, Spring: function, Damper: stop,
		},
	)
	m.Joints[model.Revolute].Springs = []*model.SpringLaw{table}
	m.Joints[model.SphereInCylinder].Dampers = []*model.SpringLaw{nil, nil, nil, function}
}

// TestReadInvalidSprings: every bad value of the elements is refused with its path.
func TestReadInvalidSprings(t *testing.T) {
	const F, J = "$.forces[0]", "$.joints[0]"
	const ends = `"a": {"body": "world"}, "b": {"body": "a"}`
	bushing := func(more string) string { return force(`"type": "bushing", ` + ends + more) }
	cable := func(more string) string {
		return force(`"type": "cable", "points": [{"body": "world"}, {"body": "a"}]` + more)
	}
	spring := func(more string) string { return force(`"type": "spring_damper", ` + ends + more) }
	for _, c := range []struct {
		name, doc, path, rule string
		several               bool // other places are wrong too
	}{
		{"no ends", force(`"type": "bushing"`), F + ".a", "missing", true},
		{"to itself", force(`"type": "bushing", "a": {"body": "a"}, "b": {"body": "a"}`), F + ".b.body", "joins a body to itself", false},
		{"the world to itself", force(`"type": "bushing", "a": {"body": "world"}, "b": {"body": "world"}`), F + ".b.body", "joins a body to itself", false},
		{"unknown body", force(`"type": "bushing", "a": {"body": "world"}, "b": {"body": "c"}`), F + ".b.body", "unknown body", false},
		{"stiffness a number", bushing(`, "stiffness": 5`), F + ".stiffness", "is a number, a bushing has six", false},
		{"stiffness of five", bushing(`, "stiffness": [1, 2, 3, 4, 5]`), F + ".stiffness", "six entries", false},
		{"stiffness of seven", bushing(`, "stiffness": [1, 2, 3, 4, 5, 6, 7]`), F + ".stiffness", "six entries", false},
		{"a text", bushing(`, "stiffness": [1, 2, 3, 4, 5, "6"]`), F + ".stiffness[5]", "is not a number", false},
		{"not finite", bushing(`, "damping": [1, 2, 3, 4, 5, 1e999]`), F + ".damping[5]", "not finite", false},
		{"negative", bushing(`, "damping": [1, 2, 3, -4, 5, 6]`), F + ".damping[3]", "is negative", false},
		{"short row", bushing(`, "stiffness": [[1, 0, 0, 0, 0], [], [], [], [], []]`), F + ".stiffness[0]", "wrong length 5", true},
		{"mixed", bushing(`, "stiffness": [[1, 0, 0, 0, 0, 0], 1, 1, 1, 1, 1]`), F + ".stiffness[1]", "is not a list", true},
		{"not symmetric", bushing(`, "stiffness": [[1, 0.1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]`), F + ".stiffness[0][1]", "not symmetric", false},
		{"indefinite", bushing(`, "damping": [[1, 2, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]`), F + ".damping", "positive semidefinite", false},
		{"beside zero", bushing(`, "damping": [[0, 2, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]`), F + ".damping", "positive semidefinite", false},
		{"orientation", force(`"type": "bushing", "a": {"body": "world", "orientation": [1, 1, 0, 0]}, "b": {"body": "a"}`), F + ".a.orientation", "unit quaternion", false},
		{"rest", bushing(`, "rest": {"orientation": [2, 0, 0, 0]}`), F + ".rest.orientation", "unit quaternion", false},
		{"half a turn", bushing(`, "rest": {"orientation": [0, 1, 0, 0]}`), F + ".rest.orientation", "half a turn", false},
		{"force", bushing(`, "force": [1, 2]`), F + ".force", "wrong length 2", false},
		{"rest length", bushing(`, "rest_length": 1`), F + ".rest_length", "no meaning for force element bushing", false},
		{"points of a bushing", bushing(`, "points": []`), F + ".points", "no meaning for force element bushing", false},
		{"spring of a bushing", bushing(`, "spring": {"kind": "function", "expression": "x"}`), F + ".spring", "no meaning for force element bushing", false},

		{"no points", force(`"type": "cable"`), F + ".points", "missing", false},
		{"one point", force(`"type": "cable", "points": [{"body": "a"}]`), F + ".points", "wrong length 1, a cable has from 2 to 10000", false},
		{"too many points", force(`"type": "cable", "points": [{"body": "world"}` + strings.Repeat(`, {"body": "a"}`, 10000) + `]`), F + ".points", "wrong length 10001, must have at most 10000", false},
		{"one body", force(`"type": "cable", "points": [{"body": "a"}, {"body": "a", "point": [1, 0, 0]}]`), F + ".points", "are all of one body", false},
		{"unknown point", force(`"type": "cable", "points": [{"body": "a"}, {"body": "c"}]`), F + ".points[1].body", "unknown body", false},
		{"bad point", force(`"type": "cable", "points": [{"body": "a"}, {"body": "world", "point": [1]}]`), F + ".points[1].point", "wrong length 1", false},
		{"turned point", force(`"type": "cable", "points": [{"body": "a"}, {"body": "world", "orientation": [1, 0, 0, 0]}]`), F + ".points[1].orientation", "no meaning for force element cable", false},
		{"cable stiffness", cable(`, "stiffness": -1`), F + ".stiffness", "is negative", false},
		{"cable damping", cable(`, "damping": -1`), F + ".damping", "is negative", false},
		{"cable rest length", cable(`, "rest_length": -1`), F + ".rest_length", "is negative", false},
		{"cable tension", cable(`, "tension": -1`), F + ".tension", "is negative", false},
		{"cable list", cable(`, "stiffness": [1, 1, 1, 1, 1, 1]`), F + ".stiffness", "is a list, which a bushing alone has", false},
		{"cable ends", cable(`, "a": {"body": "a"}`), F + ".a", "no meaning for force element cable", false},

		{"spring list", spring(`, "damping": [1, 1, 1, 1, 1, 1]`), F + ".damping", "is a list, which a bushing alone has", false},
		{"turned end", force(`"type": "spring_damper", "a": {"body": "world", "orientation": [1, 0, 0, 0]}, "b": {"body": "a"}`), F + ".a.orientation", "no meaning for force element spring_damper", false},
		{"law a number", spring(`, "spring": 1`), F + ".spring", "is not an object", false},
		{"law without kind", spring(`, "spring": {}`), F + ".spring.kind", "missing", false},
		{"unknown kind", spring(`, "spring": {"kind": "line"}`), F + ".spring.kind", "must be one of table, function", false},
		{"table without forces", spring(`, "spring": {"kind": "table", "at": [0, 1]}`), F + ".spring.forces", "missing", false},
		{"table with expression", spring(`, "damper": {"kind": "table", "at": [0, 1], "forces": [0, 1], "expression": "x"}`), F + ".damper.expression", "no meaning for kind table", false},
		{"function with points", spring(`, "damper": {"kind": "function", "expression": "x", "at": [0, 1]}`), F + ".damper.at", "no meaning for kind function", false},
		{"table order", spring(`, "damper": {"kind": "table", "at": [1, 1], "forces": [0, 1]}`), F + ".damper.at[1]", "is not above the one before, 1", false},
		{"table lengths", spring(`, "damper": {"kind": "table", "at": [1, 2], "forces": [0, 1, 2]}`), F + ".damper.forces", "wrong length 3", false},
		{"interpolation", spring(`, "damper": {"kind": "table", "at": [1, 2], "forces": [0, 1], "interpolation": "cubic"}`), F + ".damper.interpolation", "must be one of monotone, spline, linear", false},
		{"outside", spring(`, "damper": {"kind": "table", "at": [1, 2], "forces": [0, 1], "outside": "error"}`), F + ".damper.outside", "must be one of tangent, level, stop", false},
		{"formula", spring(`, "spring": {"kind": "function", "expression": "x +"}`), F + ".spring.expression", "expected a number", false},
		{"pole", spring(`, "spring": {"kind": "function", "expression": "log(x)"}`), F + ".spring.expression", "no finite value", false},
		{"wrench with a law", force(`"type": "wrench", "body": "a", "torque": [0, 0, 0], "spring": {"kind": "function", "expression": "x"}`), F + ".spring", "no meaning for force element wrench", false},

		{"laws not a list", joint("revolute", `, "springs": {}`), J + ".springs", "is not a list", false},
		{"laws of wrong length", joint("revolute", `, "springs": [null, null]`), J + ".springs", "wrong length 2, joint type revolute has 1", false},
		{"law of a ball", joint("spherical", `, "dampers": [null, {"kind": "function", "expression": "x"}, null]`), J + ".dampers[1]", "is a law of a ball rotation", false},
		{"bad law of a joint", joint("prismatic", `, "dampers": [{"kind": "function", "expression": "1/x"}]`), J + ".dampers[0].expression", "no finite value", false},
		{"bad entry of a joint", joint("prismatic", `, "dampers": [3]`), J + ".dampers[0]", "is not an object or null", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := model.Read(strings.NewReader(c.doc), "f")
			list := problems(t, err)
			found := false
			for _, p := range list {
				found = found || p.Path == c.path && strings.Contains(p.Rule, c.rule)
			}
			require.True(t, found, "%v", err)
			for _, p := range list { // nothing is told twice, nor anywhere else
				require.True(t, p.Path == c.path || c.several, "%v", err)
			}
		})
	}
}

// TestSchemaRefusesSprings: what one place shows is refused by the schema as well.
func TestSchemaRefusesSprings(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	const ends = `"a": {"body": "world"}, "b": {"body": "a"}`
	for _, doc := range []string{
		force(`"type": "bushing", "a": {"body": "world"}`), force(`"type": "bushing", ` + ends + `, "stiffness": 3`),
		force(`"type": "bushing", ` + ends + `, "stiffness": [1, 2, 3]`), force(`"type": "bushing", ` + ends + `, "stiffness": [-1, 0, 0, 0, 0, 0]`),
		force(`"type": "cable", "points": [{"body": "a"}]`), force(`"type": "cable", "points": [{"body": "a"}, {"body": "world"}], "tension": -1`),
		force(`"type": "spring_damper", ` + ends + `, "spring": {"kind": "table"}`), force(`"type": "spring_damper", ` + ends + `, "stiffness": [1, 2, 3, 4, 5, 6]`),
		joint("revolute", `, "springs": [null, null]`), joint("spherical", `, "dampers": [null, {"kind": "function", "expression": "x"}, null]`),
		joint("fixed", `, "springs": [null]`),
	} {
		assert.Error(t, schematest.Validate(t, s, doc), doc)
	}
	for _, doc := range []string{
		force(`"type": "bushing", ` + ends), force(`"type": "cable", "points": [{"body": "a"}, {"body": "world"}]`),
		joint("spherical", `, "dampers": [null, null, null]`), joint("revolute", `, "springs": [{"kind": "function", "expression": "x"}]`),
	} {
		assert.NoError(t, schematest.Validate(t, s, doc), doc)
	}
}

// TestLinkCables: the bodies of cables are listed in their order.
func TestLinkCables(t *testing.T) {
	m := sample()
	links, err := model.Link(m)
	require.NoError(t, err)
	require.Equal(t, [][]int32{{-1, 0, 1, -1}}, links.Cables)
}

// TestCableOfNoNumber: a number that is none is one problem: it is a field of the cable.
func TestCableOfNoNumber(t *testing.T) {
	m := sample()
	m.Forces = []model.ForceElement{{
		Name: "c", Type: model.CableForce, Stiffness: math.NaN(),
		Cable: &model.Cable{Points: []model.Attachment{{Body: model.World}, {Body: m.Bodies[0].Name}}},
	}}
	got := problems(t, model.Check(m))
	require.Len(t, got, 1)
	require.Equal(t, "$.forces[0].stiffness", got[0].Path)
}
