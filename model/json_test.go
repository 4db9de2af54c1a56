package model_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

// TestJSON: encoding/json writes and reads models as Write and Read do, within documents of
// others too.
func TestJSON(t *testing.T) {
	type request struct {
		ID    int          `json:"id"`
		Model model.Model  `json:"model"`
		Other *model.Model `json:"other"`
	}
	for _, file := range referenceModels(t) {
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		b, err := json.Marshal(request{7, *m, nil})
		require.NoError(t, err)
		var r request
		require.NoError(t, json.Unmarshal(b, &r))
		require.Equal(t, request{7, *m, nil}, r, file)

		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var again model.Model
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, *m, again, file)
	}
}

// TestJSONRules: what breaks a rule is neither written nor read, and changes nothing.
func TestJSONRules(t *testing.T) {
	m := sample()
	m.Bodies[0].Mass = -1
	_, err := json.Marshal(m)
	var p *model.Problem
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "$.bodies[0].mass", p.Path)

	m = sample()
	require.ErrorAs(t, json.Unmarshal([]byte(document(bodyA, jointAB, "")), m), &p)
	assert.Equal(t, "$.joints[0].successor", p.Path)
	require.Equal(t, sample(), m)
	require.NoError(t, json.Unmarshal([]byte("null"), m))
	require.Equal(t, sample(), m)
	require.Error(t, (*model.Model)(nil).UnmarshalJSON([]byte("{}")))
}

func TestSchemaField(t *testing.T) {
	const head = `{"$schema": "./rung-model.schema.json", "format": "rung-model/1", "bodies": []}`
	m, err := model.Read(strings.NewReader(head), "doc")
	require.NoError(t, err)
	require.NotContains(t, write(t, m), "$schema")
	require.NoError(t, schematest.Validate(t, schematest.Compile(t, model.Schema()), head))

	_, err = model.Read(strings.NewReader(strings.Replace(head, `"./rung-model.schema.json"`, "1", 1)), "doc")
	require.EqualError(t, err, `doc: $["$schema"]: is not a string (value 1)`)
	_, err = model.Read(strings.NewReader(`{"bodies": [], "format": "rung-model/1", "$schema": "a", "$schema": "b"}`), "doc")
	require.EqualError(t, err, `doc: $["$schema"]: duplicate key (value "b")`)
}

func ExampleProblems_json() {
	_, err := model.Read(strings.NewReader(`{"format": "rung-model/1", "bodies": 3}`), "arm.json")
	b, _ := json.Marshal(err)
	fmt.Println(string(b))
	// Output: {"problems":[{"file":"arm.json","path":"$.bodies","value":"3","rule":"is not a list"}]}
}
