package taskfile

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/test/schematest"
)

// TestSchema: it takes what Read takes and Write writes, and refuses what one place shows.
func TestSchema(t *testing.T) {
	s := schematest.Compile(t, Schema())
	texts := []string{everything}
	files, err := filepath.Glob("../../reference/ik/*.task.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(b))
	}
	for _, text := range texts {
		require.NoError(t, schematest.Validate(t, s, text))
		var b bytes.Buffer
		require.NoError(t, Write(&b, read(t, text)))
		require.NoError(t, schematest.Validate(t, s, b.String()))
	}
	for _, text := range []string{
		several, `[]`, `{"format": "rung-ik/1"}`, `{"format": "rung-ik/2", "targets": []}`, `{"format": "rung-ik/1", "targets": [], "Driven": []}`,
		`{"format": "rung-ik/1", "targets": [{"name": "a", "type": "com", "axis": [1, 0, 0]}]}`,
		`{"format": "rung-ik/1", "targets": [{"name": "a", "type": "point"}]}`,
		`{"format": "rung-ik/1", "targets": [{"name": "a", "type": "point", "body": "b", "point": [0, 0, 0], "frame": {}}]}`,
		`{"format": "rung-ik/1", "targets": [], "path": {"times": [0, 1], "a": {"pose": []}}}`,
		`{"format": "rung-ik/1", "targets": [], "solver": {"method": "newton"}}`,
		`{"format": "rung-ik/1", "targets": [], "limits": {"a": [1]}}`,
	} {
		require.Error(t, schematest.Validate(t, s, text), text)
	}
}

// TestResultDocument: results are what their schema says.
func TestResultDocument(t *testing.T) {
	s := schematest.Compile(t, ResultSchema())
	for _, r := range []*ik.Result{
		{Method: ik.DLS, Engine: ik.TreeEngine},
		{
			Name: "arm", Status: ik.AgainstLimit, Method: ik.FIKMethod, Engine: ik.DrivenEngine, Steps: 3, Restarts: 1, Elapsed: time.Millisecond,
			Targets: []ik.TargetResult{{Name: "tool", Priority: 1, Linear: 0.5, Angular: 0.25}}, Driven: []ik.DrivenResult{{Joint: "j1", Value: 1, Limit: 1}, {Joint: "j2", Freedom: 1, Value: 2, Rate: 3}, {Joint: "j3", Value: 2, Rate: 3, Limit: -1}},
			SingularValues: []float64{2, 1}, Manipulability: 2, Rank: 2, NullMotions: 1, Conflicts: []ik.Conflict{{Target: "tool", Row: 2, Residual: 0.1}}, Solutions: [][]float64{{1, 2}},
			Path: &ik.PathResult{Samples: 2, End: 1.5, Missed: 1, Largest: []ik.TargetResult{{Name: "tool", Priority: 1, Linear: 0.5, Angular: 0.25}}, SigmaMin: 0.1},
		},
		{Method: ik.Sparse, Engine: ik.SparseEngine, Rank: ik.NotComputed, NullMotions: ik.NotComputed, Path: &ik.PathResult{Samples: 1, SigmaMin: math.NaN()}},
	} {
		b, err := json.Marshal(r)
		require.NoError(t, err)
		require.NoError(t, schematest.Validate(t, s, string(b)), string(b))
	}
	b, err := json.Marshal(ik.Result{Driven: []ik.DrivenResult{{Limit: 1}, {Limit: -1}, {}}})
	require.NoError(t, err)
	require.Contains(t, string(b), `"limit":"upper"}`)
	require.Contains(t, string(b), `"limit":"lower"}`)
	require.Contains(t, string(b), `"limit":null}`)
}
