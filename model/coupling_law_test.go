package model_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

// lawful is a document with a coupling that has a law.
func lawful(fields string) string {
	return coupling(`"terms": [{"joint": "c", "factor": 1}], "law": {` + fields + `}`)
}

const (
	ofOne    = `"of": [{"joint": "h"}]`
	ofTwo    = `"of": [{"joint": "h"}, {"joint": "c", "freedom": 1}]`
	table    = `"kind": "table", "x": [0, 1, 2], "values": [0, 1, 0], `
	grid     = `"kind": "grid", "x": [0, 1], "y": [0, 1, 2], "values": [[0, 1, 2], [3, 4, 5]], `
	function = `"kind": "function", `
)

// TestReadCouplingLaw: each kind as it is written, and the same from what is written of it.
func TestReadCouplingLaw(t *testing.T) {
	s := schematest.Compile(t, model.Schema())
	one, two := []model.Coupled{{Joint: "h"}}, []model.Coupled{{Joint: "h"}, {Joint: "c", Freedom: 1}}
	span := make([]couplings.Span, 1)
	for fields, want := range map[string]model.CouplingLaw{
		table + ofOne: {Of: one, Law: couplings.Law{Spans: span, X: []float64{0, 1, 2}, Values: []float64{0, 1, 0}}},
		table + `"interpolation": "spline", "ends": "clamped", "slopes": [1, -2], ` + ofOne: {Of: one, Law: couplings.Law{Spans: span,
			X: []float64{0, 1, 2}, Values: []float64{0, 1, 0}, Ends: couplings.Clamped, Slopes: [2]float64{1, -2}}},
		`"kind": "table", "of": [{"joint": "h", "periodic": true, "advance": 3}], "x": [0, 1, 2], "values": [0, 1, 3]`: {Of: one,
			Law: couplings.Law{Spans: []couplings.Span{{Periodic: true, Advance: 3}}, X: []float64{0, 1, 2}, Values: []float64{0, 1, 3}}},
		grid + `"ends": "natural", "of": [{"joint": "h"}, {"joint": "c", "freedom": 1}]`: {Of: two, Law: couplings.Law{Kind: couplings.Grid,
			Spans: make([]couplings.Span, 2), X: []float64{0, 1}, Y: []float64{0, 1, 2}, Lines: [][]float64{{0, 1, 2}, {3, 4, 5}}, Ends: couplings.Natural}},
		function + `"expression": "x*cos(y)", "of": [{"joint": "h", "range": [-1, 2]}, {"freedom": 1, "joint": "c"}]`: {Of: two,
			Law: couplings.Law{Kind: couplings.Function, Spans: []couplings.Span{{From: -1, To: 2}, {}}, Expression: "x*cos(y)"}},
		function + `"expression": "cos(pi*x)", "of": [{"joint": "h", "range": [0, 2], "periodic": true}]`: {Of: one,
			Law: couplings.Law{Kind: couplings.Function, Spans: []couplings.Span{{To: 2, Periodic: true}}, Expression: "cos(pi*x)"}},
	} {
		doc := lawful(fields)
		require.NoError(t, schematest.Validate(t, s, doc), fields)
		m, err := model.Read(strings.NewReader(doc), "file")
		require.NoError(t, err, fields)
		require.Equal(t, &want, m.Couplings[0].Law, fields)
		require.Equal(t, want.Of, m.Couplings[0].Of())
		links, err := model.Link(m)
		require.NoError(t, err)
		require.Equal(t, [][]int32{[]int32{1, 0, 1}[:1+len(want.Of)]}, links.Couplings)
		var b bytes.Buffer
		require.NoError(t, model.Write(&b, m))
		require.NoError(t, schematest.Validate(t, s, b.String()), fields)
		again, err := model.Read(&b, "written")
		require.NoError(t, err)
		require.Equal(t, m, again)
	}
}

// TestReadInvalidCouplingLaw: each fault is the only one, at its path. The schema refuses what does not depend on other
// places or on numbers.
func TestReadInvalidCouplingLaw(t *testing.T) {
	const L = "$.couplings[0].law"
	s := schematest.Compile(t, model.Schema())
	for _, c := range []struct{ name, doc, path, rule string }{
		{"no object", coupling(`"terms": [{"joint": "h", "factor": 1}], "law": 3`), L, "is not an object"},
		{"kind missing", lawful(ofOne), L + ".kind", "missing"},
		{"of missing", lawful(`"kind": "function", "expression": "x"`), L + ".of", "missing"},
		{"kind unknown", lawful(`"kind": "spline", ` + ofOne), L + ".kind", "must be one of table, grid, function"},
		{"of empty", lawful(table + `"of": []`), L + ".of", "wrong length 0, a law of the kind table is of 1 coordinate"},
		{"of two", lawful(table + ofTwo), L + ".of", "wrong length 2, a law of the kind table is of 1 coordinate"},
		{"of one", lawful(grid + ofOne), L + ".of", "wrong length 1, a law of the kind grid is of 2 coordinates"},
		{"of three", lawful(function + `"expression": "x", "of": [{"joint": "h"}, {"joint": "c"}, {"joint": "h"}]`), L + ".of", "at most 2 entries"},
		{"joint missing", lawful(table + `"of": [{"freedom": 0}]`), L + ".of[0].joint", "missing"},
		{"factor", lawful(table + `"of": [{"joint": "h", "factor": 1}]`), L + ".of[0].factor", "unknown field"},
		{"x missing", lawful(`"kind": "table", "values": [1, 2], ` + ofOne), L + ".x", "missing"},
		{"values missing", lawful(`"kind": "table", "x": [1, 2], ` + ofOne), L + ".values", "missing"},
		{"expression missing", lawful(function + ofOne), L + ".expression", "missing"},
		{"y of a table", lawful(table + `"y": [1], ` + ofOne), L + ".y", "has no meaning for kind table"},
		{"x of a function", lawful(function + `"expression": "x", "x": [1], ` + ofOne), L + ".x", "has no meaning for kind function"},
		{"linear", lawful(table + `"interpolation": "linear", ` + ofOne), L + ".interpolation", "has no second derivative at the points"},
		{"monotone", lawful(grid + `"interpolation": "monotone", ` + ofTwo), L + ".interpolation", "has no second derivative at the points"},
		{"slopes missing", lawful(table + `"ends": "clamped", ` + ofOne), L + ".slopes", "missing"},
		{"slopes of natural", lawful(table + `"ends": "natural", "slopes": [1, 2], ` + ofOne), L + ".slopes", "has no meaning for ends natural"},
		{"slopes of a grid", lawful(grid + `"slopes": [1, 2], ` + ofTwo), L + ".slopes", "has no meaning for kind grid"},
		{"numbers and lists", lawful(`"kind": "grid", "x": [0, 1], "y": [0, 1], "values": [[0, 1], 3], ` + ofTwo), L + ".values", "has numbers and lists"},
		{"two laws", coupling(`"terms": [{"joint": "c", "freedom": 1, "factor": 1}], "polynomial": {"of": {"joint": "h"}, "coefficients": [1]}, "law": {` + table + ofOne + `}`),
			L, "stands beside a polynomial"},
		{"range of a table", lawful(table + `"of": [{"joint": "h", "range": [0, 2]}]`), L + ".of[0].range", "has no meaning for the kind table"},
		{"periodic without range", lawful(function + `"expression": "cos(x)", "of": [{"joint": "h", "periodic": true}]`), L + ".of[0].periodic", "needs a range"},
		// What numbers and other places tell.
		{"joint unknown", lawful(table + `"of": [{"joint": "x"}]`), L + ".of[0].joint", "unknown joint"},
		{"no coordinate", lawful(table + `"of": [{"joint": "s", "freedom": 1}]`), L + ".of[0].freedom", "ball rotation"},
		{"range falls", lawful(function + `"expression": "x", "of": [{"joint": "h", "range": [1, 1]}]`), L + ".of[0].range", "must rise"},
		{"x falls", lawful(`"kind": "table", "x": [0, 2, 1], "values": [1, 2, 3], ` + ofOne), L + ".x[2]", "is not above the one before, 2"},
		{"values short", lawful(`"kind": "table", "x": [0, 1, 2], "values": [1, 2], ` + ofOne), L + ".values", "wrong length 2, x has 3 entries"},
		{"line short", lawful(`"kind": "grid", "x": [0, 1], "y": [0, 1, 3], "values": [[0, 1, 2], [3, 4]], ` + ofTwo), L + ".values[1]", "wrong length 2, y has 3 entries"},
		{"not periodic", lawful(`"kind": "table", "x": [0, 1, 2], "values": [1, 2, 3], "of": [{"joint": "h", "periodic": true}]`), L + ".values[2]", "must be 1"},
		{"expression", lawful(function + `"expression": "x+", ` + ofOne), L + ".expression", "character 3"},
		{"y of one", lawful(function + `"expression": "x+y", ` + ofOne), L + ".expression", "has y"},
		{"kink", lawful(function + `"expression": "abs(x-0.3)", ` + ofOne), L + ".expression", "slope jumps by 2 at x = 0.3"},
		{"pole", lawful(function + `"expression": "1/x", "of": [{"joint": "h", "range": [-1, 1]}]`), L + ".expression", "no finite value, slope or second derivative at x = 0"},
		{"only motions", coupling(`"terms": [{"joint": "n", "factor": 1}], "law": {` + table + `"of": [{"joint": "m"}]}`), "$.couplings[0].terms", "prescribed by motions"},
	} {
		m, err := model.Read(strings.NewReader(c.doc), "file")
		require.Nil(t, m, c.name)
		got := problems(t, err)
		require.Len(t, got, 1, "%s: %v", c.name, err)
		require.Equal(t, c.path, got[0].Path, c.name)
		require.Contains(t, got[0].Rule, c.rule, c.name)
		if !strings.Contains("joint unknown, no coordinate, range falls, x falls, values short, line short, not periodic, expression, y of one, kink, pole, only motions", c.name) {
			require.Error(t, schematest.Validate(t, s, c.doc), c.name)
		}
	}
}

// TestCheckFunctionAgain: a function that has been found good says nothing for the same one with fields that it has not.
func TestCheckFunctionAgain(t *testing.T) {
	m := sample()
	m.Couplings = m.Couplings[:1]
	good := couplings.Law{Kind: couplings.Function, Spans: make([]couplings.Span, 1), Expression: "x^2"}
	m.Couplings[0].Law = &model.CouplingLaw{Of: []model.Coupled{{Joint: "planar", Freedom: 2}}, Law: good}
	require.NoError(t, model.Check(m))
	more := *m.Couplings[0].Law
	more.X = []float64{0, 1}
	m.Couplings = append(m.Couplings, m.Couplings[0])
	m.Couplings[1].Name, m.Couplings[1].Law = "again", &more
	require.ErrorContains(t, model.Check(m), "$.couplings[1].law.x: has no meaning for a function")
}

// TestCheckCouplingLaw: laws made in Go.
func TestCheckCouplingLaw(t *testing.T) {
	law := func() *model.CouplingLaw {
		return &model.CouplingLaw{Of: []model.Coupled{{Joint: "planar", Freedom: 2}}, Law: couplings.Law{Spans: make([]couplings.Span, 1),
			X: []float64{0, 1}, Values: []float64{0, 1}}}
	}
	for path, change := range map[string]func(k *model.Coupling){
		"$.couplings[0].law.of":        func(k *model.Coupling) { k.Law.Spans = nil },
		"$.couplings[0].law.values[1]": func(k *model.Coupling) { k.Law.Values[1] = math.NaN() },
		"$.couplings[0].law": func(k *model.Coupling) {
			k.Polynomial = &model.CouplingPolynomial{Of: k.Terms[0].Coupled, Coefficients: []float64{1}}
		},
		"$.couplings[0].law.kind": func(k *model.Coupling) { k.Law.Law = *couplings.NewPolynomial([]float64{1, 2}) },
	} {
		m := sample()
		m.Couplings[0].Law = law()
		require.NoError(t, model.Check(m))
		change(&m.Couplings[0])
		got := problems(t, model.Check(m))
		require.Len(t, got, 1, path)
		require.Equal(t, path, got[0].Path)
	}
}
