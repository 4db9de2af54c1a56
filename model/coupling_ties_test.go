package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// hinged is a document of n bodies on hinges "j0", "j1", … and a slide "s", with couplings.
func hinged(n int, couplings string) string {
	bodies, joints := []string{}, []string{}
	for i := range n {
		bodies = append(bodies, fmt.Sprintf(`{"name": "b%d", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`, i))
		joints = append(joints, fmt.Sprintf(`{"name": "j%d", "type": "revolute", "predecessor": "world", "successor": "b%d"}`, i, i))
	}
	bodies = append(bodies, `{"name": "slider", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`)
	joints = append(joints, `{"name": "s", "type": "planar", "predecessor": "world", "successor": "slider"}`)
	return strings.Replace(document(strings.Join(bodies, ","), strings.Join(joints, ","), ""), `"forces": []`, `"couplings": [`+couplings+`]`, 1)
}

// tied is the coupling of two hinges, a·q − b·q' = offset.
func tied(name string, j int, a float64, k int, b, offset float64) string {
	return fmt.Sprintf(`{"name": %q, "terms": [{"joint": "j%d", "factor": %v}, {"joint": "j%d", "factor": %v}], "offset": %v}`, name, j, a, k, -b, offset)
}

// A coupling may not tie a freedom to itself. Terms of one freedom add up.
func TestCouplingToItself(t *testing.T) {
	const K = "$.couplings[0]"
	many := []string{}
	for i := range 20 {
		many = append(many, fmt.Sprintf(`{"joint": "j%d", "factor": 1}`, i))
	}
	for _, c := range []struct{ name, coupling, path, rule string }{
		{"two terms", `"terms": [{"joint": "j0", "factor": 0.1}, {"joint": "j1", "factor": 1}, {"joint": "j0", "factor": 0.2}, {"joint": "j0", "factor": -0.3}]`,
			K + ".terms[0].joint", "has terms that cancel each other"},
		{"of many", `"terms": [` + strings.Join(append(many, `{"joint": "j7", "factor": -1}`), ",") + `]`, K + ".terms[7].joint", "has terms that cancel each other"},
		{"its polynomial", `"terms": [{"joint": "j0", "factor": 1}], "polynomial": {"of": {"joint": "j0"}, "coefficients": [0, 0, 1]}`, K + ".polynomial.of.joint", "is the freedom of terms[0] again"},
		{"its law", `"terms": [{"joint": "s", "freedom": 2, "factor": 1}], "law": {"kind": "function", "of": [{"joint": "s", "freedom": 2}], "expression": "sin(x)"}`, K + ".law.of[0].joint", "is the freedom of terms[0] again"},
		{"a law of one twice", `"terms": [{"joint": "j0", "factor": 1}], "law": {"kind": "function", "of": [{"joint": "j1"}, {"joint": "j1"}], "expression": "x + y"}`, K + ".law.of[1].joint", "is the freedom of law.of[0] again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := model.Read(strings.NewReader(hinged(20, `{"name": "k", `+c.coupling+`}`)), "file")
			p := new(model.Problems)
			require.ErrorAs(t, err, &p)
			require.Len(t, p.List, 1, "%v", err)
			assert.Equal(t, c.path, p.List[0].Path)
			assert.Contains(t, p.List[0].Rule, c.rule)
		})
	}
	_, err := model.Read(strings.NewReader(hinged(1, `{"name": "k", "terms": [{"joint": "s", "freedom": 1, "factor": 1}, {"joint": "s", "freedom": 2, "factor": -1}],
		"law": {"kind": "function", "of": [{"joint": "s"}], "expression": "sin(x)"}}`)), "file")
	require.NoError(t, err, "freedoms of one joint")
	_, err = model.Read(strings.NewReader(hinged(3, `{"name": "k", "terms": [{"joint": "j0", "factor": 1}, {"joint": "j1", "factor": 1}, {"joint": "j0", "factor": -3}]}`)), "file")
	require.NoError(t, err, "terms that add up")
}

// Couplings in a cycle, of which nothing moves them to agree.
func TestCouplingsContradict(t *testing.T) {
	lock := func(name string, j int, factor, at float64) string {
		return fmt.Sprintf(`{"name": %q, "terms": [{"joint": "j%d", "factor": %v}], "offset": %v}`, name, j, factor, at)
	}
	train := func(n int, offset float64) string { // round a cycle of n wheels with the ratios 3/7 and 7/3
		list := []string{}
		for i := range n {
			a, b := 3.0, 7.0
			if i%2 == 1 {
				a, b = b, a
			}
			off := 0.0
			if i == n-1 {
				off = offset
			}
			list = append(list, tied(fmt.Sprintf("m%d", i), i, a, (i+1)%n, b, off))
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct {
		name, couplings string
		path, rule      string // empty: there is nothing wrong
	}{
		{"one twice", tied("k", 0, 1, 1, 2, 0.1) + "," + tied("l", 0, -2, 1, -4, -0.2), "", ""},
		{"one with another offset", tied("k", 0, 1, 1, 2, 0.1) + "," + tied("l", 1, 2, 0, 1, 0.1), "$.couplings[1]", `contradicts "k": where these hold, it is off by 0.1,`},
		{"a turn of one", tied("k", 0, 1, 1, 2, 0) + "," + tied("l", 0, 1, 1, 2, 6.283185307179586), "$.couplings[1]", `off by 3.14,`},
		{"three in a cycle", tied("a", 0, 1, 1, 2, 0) + "," + tied("b", 1, 2, 2, 3, 0) + "," + tied("c", 2, 3, 0, 1, 0.5), "$.couplings[2]", `contradicts "b", "a": where these hold, it is off by 0.167,`},
		{"three that lock", tied("a", 0, 1, 1, 1, 0) + "," + tied("b", 1, 1, 2, 1, 0.5) + "," + tied("c", 2, 1, 0, -1, 0), "", ""},
		{"ten", train(10, 0), "", ""},
		{"ten that do not close", train(10, 1e-3), "$.couplings[9]", `"m1", 1 more: where`},
		{"of as much as they may be off", train(10, 2e-5), "", ""},
		{"two locks", lock("k", 0, 2, 1) + "," + lock("l", 0, 1, 0.6), "$.couplings[1]", `contradicts "k"`},
		{"locks that agree", lock("k", 0, 2, 1) + "," + lock("l", 0, -1, -0.5), "", ""},
		{"a lock at both ends", lock("k", 0, 1, 1) + "," + tied("t", 0, 1, 1, 1, 0) + "," + lock("l", 1, 1, 1.5), "$.couplings[2]", `contradicts "k", "t"`},
		{"between locks", lock("k", 0, 1, 1) + "," + lock("l", 1, 1, 1.5) + "," + tied("t", 0, 1, 1, 1, 0), "$.couplings[2]", `contradicts "k", "l"`},
		{"by a polynomial of the first degree", tied("k", 0, 1, 1, 1, 0) + `, {"name": "l", "terms": [{"joint": "j0", "factor": 2}], "polynomial": {"of": {"joint": "j1"}, "coefficients": [1, 2]}}`, "$.couplings[1]", `contradicts "k"`},
		{"by a square", tied("k", 0, 1, 1, 1, 0) + `, {"name": "l", "terms": [{"joint": "j0", "factor": 2}], "polynomial": {"of": {"joint": "j1"}, "coefficients": [1, 2, 1]}}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := model.Read(strings.NewReader(hinged(10, c.couplings)), "file")
			if c.path == "" {
				require.NoError(t, err)
				return
			}
			p := new(model.Problems)
			require.ErrorAs(t, err, &p)
			require.Len(t, p.List, 1, "%v", err)
			assert.Equal(t, c.path, p.List[0].Path)
			assert.Contains(t, p.List[0].Rule, c.rule)
		})
	}
}
