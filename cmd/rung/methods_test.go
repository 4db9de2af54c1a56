package main

import (
	"encoding/json"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccelMethods compares the tree methods with the reference files.
func TestAccelMethods(t *testing.T) {
	for _, name := range []string{"four-bar", "rbda-8-3", "random-30", "driven-mixed", "single-body"} {
		e := check.ReadExpected(t, name)
		allowed := e.Allowed()
		for _, method := range shell.MethodNames()[1:] {
			var r rung.Result
			out := ok(t, "accel", check.ModelPath(t, name), "--json", "--method", method)
			require.NoError(t, json.Unmarshal([]byte(out), &r), "%s %s", name, method)
			assert.Equal(t, method, r.Method)
			assert.Empty(t, r.Ordering)
			assert.Equal(t, e.Constraints.Rank, r.Constraints.Rank)
			assert.Equal(t, e.Constraints.Redundant, r.Constraints.Redundant)
			named := 0
			for _, j := range r.Constraints.RedundantJoints {
				named += j.Rows
			}
			assert.Equal(t, r.Constraints.Redundant, named)
			for i, w := range e.Bodies {
				check.CloseVec(t, r.Bodies[i].ComAcceleration[:], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s %s", name, method)
				check.CloseVec(t, r.Bodies[i].AngularAcceleration[:], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s %s", name, method)
			}
			for j, w := range e.Joints {
				for k := range 3 {
					if x := w.TotalWrench.Force[k]; x.Known {
						check.Close(t, r.Joints[j].TotalWrench.Force[k], x.Value, 1, max(allowed.Force, 1e-8*e.Scale.Force), "%s %s", name, method)
					}
				}
			}
		}
	}
}

// TestBenchMethods measures all methods on a family with loops and one without.
func TestBenchMethods(t *testing.T) {
	check.Long(t)
	families, kinds, crossovers := "ladder,chain", 9, 7 // articulated bodies are for the chain only
	var doc growth.Document
	out := ok(t, "bench", "--min-seconds", "0.001", "--family", families, "--sizes", "5,20", "--method", "all", "--json", "--max-seconds", "1")
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	count := map[string]int{}
	for _, r := range doc.Records {
		count[r.Family+" "+r.Method]++
		assert.Positive(t, r.TotalNs)
	}
	assert.Len(t, count, kinds)
	for key, n := range count {
		assert.Equal(t, 2, n, key)
	}
	assert.Len(t, doc.Fits, kinds)
	assert.Len(t, doc.Crossovers, crossovers)
}
