package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

const coupledJoints = `{"name": "h", "type": "revolute", "predecessor": "world", "successor": "a"},
	{"name": "c", "type": "cylindrical", "predecessor": "world", "successor": "b"},
	{"name": "s", "type": "sphere_in_cylinder", "predecessor": "a", "successor": "b"},
	{"name": "m", "type": "prismatic", "predecessor": "a", "successor": "b", "motion": [{"kind": "polynomial", "coefficients": [1]}]},
	{"name": "n", "type": "prismatic", "predecessor": "a", "successor": "b", "motion": [{"kind": "polynomial", "coefficients": [1]}]}`

// coupled is a document with the given couplings.
func coupled(couplings string) string {
	return strings.Replace(document(bodyA+","+bodyB, coupledJoints, ""), `"forces": []`, `"couplings": [`+couplings+`]`, 1)
}

func coupling(fields string) string { return coupled(`{"name": "k", ` + fields + `}`) }

func TestReadCoupling(t *testing.T) {
	m, err := model.Read(strings.NewReader(coupled(`
		{"name": "k", "terms": [{"joint": "h", "factor": 2}, {"joint": "c", "freedom": 1, "factor": -0.5}, {"joint": "m", "factor": 1}], "offset": 3},
		{"polynomial": {"coefficients": [0, 0, 1], "of": {"freedom": 3, "joint": "s"}}, "terms": [{"factor": 1, "joint": "h"}], "name": "l"}`)), "file")
	require.NoError(t, err)
	h := model.CouplingTerm{Coupled: model.Coupled{Joint: "h"}, Factor: 2}
	require.Equal(t, []model.Coupling{
		{Name: "k", Offset: 3, Terms: []model.CouplingTerm{
			h, {Coupled: model.Coupled{Joint: "c", Freedom: 1}, Factor: -0.5}, {Coupled: model.Coupled{Joint: "m"}, Factor: 1},
		}},
		{Name: "l", Terms: []model.CouplingTerm{{Coupled: h.Coupled, Factor: 1}},
			Polynomial: &model.CouplingPolynomial{Of: model.Coupled{Joint: "s", Freedom: 3}, Coefficients: []float64{0, 0, 1}}},
	}, m.Couplings)
	links, err := model.Link(m)
	require.NoError(t, err)
	require.Equal(t, [][]int32{{0, 1, 3}, {0, 2}}, links.Couplings)
}

// TestReadInvalidCoupling: each fault is the only one, at its path,
// and the schema refuses what does not depend on other places.
func TestReadInvalidCoupling(t *testing.T) {
	const K = "$.couplings[0]"
	s := schematest.Compile(t, model.Schema())
	term := `"terms": [{"joint": "c", "factor": 1}]`
	poly := func(fields string) string { return coupling(term + `, "polynomial": {` + fields + `}`) }
	for _, c := range []struct{ name, doc, path, rule string }{
		{"no list", coupled(`1`), K, "is not an object"},
		{"name missing", coupled(`{` + term + `}`), K + ".name", "missing"},
		{"name empty", coupled(`{"name": "", ` + term + `}`), K + ".name", "is empty"},
		{"terms missing", coupling(`"offset": 1`), K + ".terms", "missing"},
		{"terms empty", coupling(`"terms": []`), K + ".terms", "is empty"},
		{"term no object", coupling(`"terms": [1]`), K + ".terms[0]", "is not an object"},
		{"joint missing", coupling(`"terms": [{"factor": 1}]`), K + ".terms[0].joint", "missing"},
		{"factor missing", coupling(`"terms": [{"joint": "h"}]`), K + ".terms[0].factor", "missing"},
		{"factor zero", coupling(`"terms": [{"joint": "h", "factor": 0}]`), K + ".terms[0].factor", "is zero"},
		{"factor too large", coupling(`"terms": [{"joint": "h", "factor": 1e999}]`), K + ".terms[0].factor", "not finite"},
		{"factor too small", coupling(`"terms": [{"joint": "h", "factor": 1e-101}]`), K + ".terms[0].factor", "is beyond 1e-100 to 1e+100"},
		{"factor a text", coupling(`"terms": [{"joint": "h", "factor": "1"}]`), K + ".terms[0].factor", "is not a number"},
		{"freedom negative", coupling(`"terms": [{"joint": "h", "freedom": -1, "factor": 1}]`), K + ".terms[0].freedom", "is no freedom"},
		{"field", coupling(`"terms": [{"joint": "h", "factor": 1, "ratio": 1}]`), K + ".terms[0].ratio", "unknown field"},
		{"offset", coupling(term + `, "offset": null`), K + ".offset", "is not a number"},
		{"unknown field", coupling(term + `, "ratio": 1`), K + ".ratio", "unknown field"},
		{"polynomial without of", poly(`"coefficients": [1]`), K + ".polynomial.of", "missing"},
		{"polynomial without coefficients", poly(`"of": {"joint": "h"}`), K + ".polynomial.coefficients", "missing"},
		{"no coefficients", poly(`"of": {"joint": "h"}, "coefficients": []`), K + ".polynomial.coefficients", "is empty"},
		{"six coefficients", poly(`"of": {"joint": "h"}, "coefficients": [1, 2, 3, 4, 5, 6]`), K + ".polynomial.coefficients", "at most 5 entries"},
		{"of with factor", poly(`"of": {"joint": "h", "factor": 1}, "coefficients": [1]`), K + ".polynomial.of.factor", "unknown field"},
		// What other places tell.
		{"joint unknown", coupling(`"terms": [{"joint": "x", "factor": 1}]`), K + ".terms[0].joint", "unknown joint"},
		{"freedom too large", coupling(`"terms": [{"joint": "h", "factor": 1}, {"joint": "h", "freedom": 1, "factor": 1}]`), K + ".terms[1].freedom", "has 1 freedoms"},
		{"no coordinate", coupling(`"terms": [{"joint": "s", "freedom": 2, "factor": 1}]`), K + ".terms[0].freedom", "ball rotation"},
		{"of unknown", poly(`"of": {"joint": "x"}, "coefficients": [1]`), K + ".polynomial.of.joint", "unknown joint"},
		{"of without coordinate", poly(`"of": {"joint": "s"}, "coefficients": [1]`), K + ".polynomial.of.freedom", "ball rotation"},
		{"only motions", coupling(`"terms": [{"joint": "m", "factor": 1}]`), K + ".terms", "prescribed by motions"},
		{"duplicate", coupled(`{"name": "k", ` + term + `}, {"name": "k", ` + term + `}`), "$.couplings[1].name", "duplicate name, first at $.couplings[0]"},
	} {
		m, err := model.Read(strings.NewReader(c.doc), "file")
		require.Nil(t, m, c.name)
		got := problems(t, err)
		require.Len(t, got, 1, "%s: %v", c.name, err)
		require.Equal(t, c.path, got[0].Path, c.name)
		require.Contains(t, got[0].Rule, c.rule, c.name)
		if !strings.Contains("joint unknown, freedom too large, no coordinate, of unknown, of without coordinate, only motions, duplicate, factor too large, factor too small", c.name) {
			require.Error(t, schematest.Validate(t, s, c.doc), c.name)
		}
	}
	require.NoError(t, schematest.Validate(t, s, poly(`"of": {"joint": "h"}, "coefficients": [1, 2]`)))
}

// TestCheckCoupling: models made in Go.
func TestCheckCoupling(t *testing.T) {
	many, other := make([]model.CouplingTerm, model.MaxTerms+1), model.Coupled{Joint: "planar", Freedom: 2}
	for i := range many {
		many[i] = model.CouplingTerm{Coupled: model.Coupled{Joint: "revolute"}, Factor: 1}
	}
	for path, change := range map[string]func(k *model.Coupling){
		"$.couplings[0].offset":                  func(k *model.Coupling) { k.Offset = math.NaN() },
		"$.couplings[0].terms[1].factor":         func(k *model.Coupling) { k.Terms[1].Factor = math.Inf(1) },
		"$.couplings[0].terms[0].factor":         func(k *model.Coupling) { k.Terms[0].Factor = -1.1e100 },
		"$.couplings[0].terms":                   func(k *model.Coupling) { k.Terms = append(many, k.Terms...) },
		"$.couplings[0].terms[0].freedom":        func(k *model.Coupling) { k.Terms[0].Freedom = -1 },
		"$.couplings[0].polynomial.coefficients": func(k *model.Coupling) { k.Polynomial = &model.CouplingPolynomial{Of: other} },
		"$.couplings[0].polynomial.coefficients[1]": func(k *model.Coupling) {
			k.Polynomial = &model.CouplingPolynomial{Of: other, Coefficients: []float64{0, math.NaN()}}
		},
		"$.couplings[0].polynomial.coefficients[2]": func(k *model.Coupling) {
			k.Polynomial = &model.CouplingPolynomial{Of: other, Coefficients: []float64{0, 1e100, -1.1e100}}
		},
		"$.couplings[0].name": func(k *model.Coupling) { k.Name = "" },
	} {
		m := sample()
		change(&m.Couplings[0])
		got := problems(t, model.Check(m))
		require.Len(t, got, 1, path)
		require.Equal(t, path, got[0].Path)
	}
}
