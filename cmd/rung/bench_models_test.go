package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/families"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBenchModels measures models from files: no family beside them, no growth,
// and the sparse method against the fastest of the others.
func TestBenchModels(t *testing.T) {
	check.Long(t)
	var doc growth.Document
	out := ok(t, "bench", "--min-seconds", "0.002", golden("four-bar"), golden("pendulum"), "--method", "sparse,tree-direct,tree-aba", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	var got []string
	total := map[string]int64{}
	for _, r := range doc.Records {
		key := r.Family + " " + r.Method
		got = append(got, key)
		total[key] = r.TotalNs
		assert.Positive(t, r.TotalNs, key)
		assert.Equal(t, r.Method == motion.Sparse.String(), r.SolveOnceNs > 0, key)
	}
	assert.Equal(t, []string{
		"four-bar sparse", "four-bar tree-direct", // tree-aba left out
		"pendulum sparse", "pendulum tree-direct", "pendulum tree-aba",
	}, got)
	assert.Equal(t, [3]int{3, 4, 38}, [3]int{doc.Records[0].Bodies, doc.Records[0].Joints, doc.Records[0].Unknowns})
	assert.Empty(t, doc.Fits)
	assert.Empty(t, doc.Crossovers)
	require.Len(t, doc.Comparisons, 2)
	for _, c := range doc.Comparisons {
		other := total[c.Model+" "+c.Method]
		for _, method := range []string{"tree-direct", "tree-aba"} {
			if ns, measured := total[c.Model+" "+method]; measured {
				assert.LessOrEqual(t, other, ns, "%s: the fastest", c.Model)
			}
		}
		assert.InEpsilon(t, float64(total[c.Model+" sparse"])/float64(other), c.Ratio, 1e-12)
	}
	assert.NotContains(t, ok(t, "bench", "--min-seconds", "0.002", golden("four-bar"), "--json"), "comparisons", "one method")
}

// TestBenchModelsTable fills the lines of the tables, with names of any length.
func TestBenchModelsTable(t *testing.T) {
	check.Long(t)
	text := readFile(t, golden("four-bar"))
	long := filepath.Join(t.TempDir(), "long.json")
	require.NoError(t, os.WriteFile(long, []byte(strings.Replace(text, `"four-bar"`, `"`+strings.Repeat("four-bar ", 9)+`7"`, 1)), 0o644))
	r := rungRun("bench", "--min-seconds", "0.002", "--family", "chain", "--sizes", "10", golden("four-bar"), long, "--method", "sparse,tree-lambda")
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	clitest.RequireColumns(t, r.Out)
	assert.Regexp(t, `(?m)^chain +10  leaf-first( +\d+){4} +[\d.]+[kM]?$`, r.Out)
	assert.Regexp(t, `(?m)^model +bodies order or method +assembly +factor +solve +total$`, r.Out)
	assert.Regexp(t, `(?m)^four-bar +3 tree-lambda( +\d+\.\d\d){4}$`, r.Out)
	assert.Regexp(t, `(?m)^four-bar fo… four-bar 7 +3 tree-lambda`, r.Out)
	assert.Regexp(t, `(?m)^four-bar +tree-lambda +\d+\.\d\d$`, r.Out)
	assert.Regexp(t, `(?m)^chain +sparse +one size only`, r.Out)
}

// TestBenchModelNames: two models of one name, and one of no name.
func TestBenchModelNames(t *testing.T) {
	text := readFile(t, golden("four-bar"))
	dir := t.TempDir()
	nameless, ladder := filepath.Join(dir, "nameless.json"), filepath.Join(dir, "ladder.json")
	require.NoError(t, os.WriteFile(nameless, []byte(strings.Replace(text, `"four-bar"`, `""`, 1)), 0o644))
	require.NoError(t, os.WriteFile(ladder, []byte(strings.Replace(text, `"four-bar"`, `"ladder"`, 1)), 0o644))
	in := shell.Input{Reader: strings.NewReader(text)}
	list, err := families.ReadModels([]string{golden("four-bar"), nameless, "-", ladder}, in, &shell.Progress{})
	require.NoError(t, err)
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
		assert.Equal(t, []int{3}, p.Sizes)
	}
	assert.Equal(t, []string{"four-bar", nameless, "stdin", ladder}, names)

	r := rungWith(`{"format": "rung-model/1", "bodies": [], "joints": []}`, "bench", "-")
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.NotEmpty(t, r.Err)
}
