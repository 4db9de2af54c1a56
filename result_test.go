package rung_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestResultSchema: the results of all golden models are what the schema says, and documents
// with fields missing or added are not.
func TestResultSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(rung.ResultSchema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("urn:rung:rung-result:1", doc))
	schema, err := c.Compile("urn:rung:rung-result:1")
	require.NoError(t, err)
	files, err := filepath.Glob("reference/golden/*.model.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		m, err := rung.Open(file)
		require.NoError(t, err)
		r, err := rung.Accelerate(m, rung.Options{})
		require.NoError(t, err)
		require.Nil(t, r.Contradiction)
		b, err := json.Marshal(r)
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(doc), file)
		fields := doc.(map[string]any)
		for key, value := range fields {
			delete(fields, key)
			assert.Equal(t, key == "ill_scaled", schema.Validate(doc) == nil, "%s without %s", file, key)
			fields[key] = value
		}
		fields["else"] = 1
		require.Error(t, schema.Validate(doc))
	}
}

// TestResultTellsContradiction: two drives of one hinge that differ a little.
func TestResultTellsContradiction(t *testing.T) {
	b := rung.NewBuilder("pendulum")
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1})
	for i, name := range []string{"one", "two"} {
		j := b.Revolute(name, rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
		j.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 1e-6 * float64(i)}}}
	}
	m, err := b.Model()
	require.NoError(t, err)
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	require.NotNil(t, r.Contradiction)
	require.Equal(t, r.Solve.Inconsistency, r.Contradiction.Relative)
	require.Contains(t, []string{"one", "two"}, r.Contradiction.Joint)
	require.True(t, strings.HasPrefix(r.Contradiction.Text, "constraints contradict each other by "))
}

func ExampleError() {
	b := rung.NewBuilder("pendulum")
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1})
	for i, name := range []string{"one", "two"} {
		j := b.Revolute(name, rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
		j.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, float64(i)}}}
	}
	m, err := b.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = rung.Accelerate(m, rung.Options{})
	var at *rung.Error
	if errors.As(err, &at) {
		fmt.Printf("look at row %d of joint %q, number %d\n", at.Row, at.Joint, at.JointIndex)
	}
	// Output: look at row 5 of joint "one", number 0
}
