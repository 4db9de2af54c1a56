package rung_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// TestResultSchema: the results of all golden models are what the schema says, and documents
// with fields missing or added are not.
func TestResultSchema(t *testing.T) {
	schema := schematest.Compile(t, results.Schema())
	files, err := filepath.Glob("reference/golden/*.model.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range check.Some(files, 4) {
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
			assert.Equal(t, key == "ill_scaled" || key == "forces", schema.Validate(doc) == nil, "%s without %s", file, key)
			fields[key] = value
		}
		fields["else"] = 1
		require.Error(t, schema.Validate(doc))
	}
}

// TestResultOfElements: springs, bushings and cables are in the result
// by name, and a potential that is no number is null.
func TestResultOfElements(t *testing.T) {
	schema := schematest.Compile(t, results.Schema())
	m, err := rung.Open("reference/golden/pendulum.model.json")
	require.NoError(t, err)
	modeltest.AddSprings(m, check.Rand(2))
	m.Forces = append(m.Forces, model.ForceElement{
		Name: "pole", Type: model.SpringDamper, A: model.Attachment{Body: model.World, Point: [3]float64{5, 5, 5}}, B: model.Attachment{Body: m.Bodies[0].Name},
		Spring: &model.SpringLaw{Kind: springs.Function, Expression: "1/(x-0.5)"}, // on the way from 0
	})
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	require.Len(t, r.Forces, 4)
	require.Equal(t, []string{"bushing", "cable", "spring_damper", "spring_damper"}, []string{r.Forces[0].Type, r.Forces[1].Type, r.Forces[2].Type, r.Forces[3].Type})
	require.NotNil(t, r.Forces[0].Torque)
	require.NotNil(t, r.Forces[0].Energy)
	require.Nil(t, r.Forces[3].Energy)
	b, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, schematest.Validate(t, schema, string(b)))
	var again rung.Result
	require.NoError(t, json.Unmarshal(b, &again))
	require.True(t, math.IsNaN(again.Energy.Potential))
	require.Equal(t, r.Forces, again.Forces)
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

// TestResultByName: bodies and joints of a result by their names, and the name that is meant where there is none.
func TestResultByName(t *testing.T) {
	m, err := rung.Open("reference/golden/four-bar.model.json")
	require.NoError(t, err)
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	for i := range r.Bodies {
		b, err := r.Body(r.Bodies[i].Name)
		require.NoError(t, err)
		require.Same(t, &r.Bodies[i], b)
	}
	for i := range r.Joints {
		j, err := r.Joint(r.Joints[i].Name)
		require.NoError(t, err)
		require.Same(t, &r.Joints[i], j)
	}
	_, err = r.Body("cranc")
	require.EqualError(t, err, `results: no body "cranc", did you mean crank?`)
	_, err = r.Body("zzzzzz")
	require.EqualError(t, err, `results: no body "zzzzzz"`)
	_, err = r.Joint("")
	require.EqualError(t, err, `results: no joint ""`)
}

// One body and one joint of a result, by their names.
func ExampleResult_Body() {
	m, err := rung.Open("reference/golden/four-bar.model.json")
	if err != nil {
		panic(err)
	}
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		panic(err)
	}
	crank, err := r.Body("crank")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f rad/s²\n", crank.AngularAcceleration[2])
	_, err = r.Body("cranc")
	fmt.Println(err)
	// Output:
	// 1.9698 rad/s²
	// results: no body "cranc", did you mean crank?
}
