package directions_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/directions"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const whole = `{"$schema": "x", "format": "rung-directions/1", "directions": [
 {"name": "all", "follow": true, "time": 0.5,
  "bodies": [{"body": "crank", "rotation": [1, 2, 3], "position": [4, 5, 6], "angular": [7, 8, 9], "linear": [10, 11, 12]}, {"body": "rocker"}],
  "loads": [{"body": "crank", "force": [1, 0, 0], "torque": [0, 2, 0]}],
  "forces": [{"joint": "A", "freedom": 1, "change": -3}, {"joint": "B", "change": 1}],
  "parameters": [{"path": "bodies[crank].mass", "change": 2}]},
 {"name": "none"}]}`

// valid reports whether a document fits the schema.
func valid(t *testing.T, s *jsonschema.Schema, text string) bool {
	t.Helper()
	return schematest.Validate(t, s, text) == nil
}

// TestRead reads each field.
func TestRead(t *testing.T) {
	list, err := directions.Read(strings.NewReader(whole), "d.json")
	require.NoError(t, err)
	assert.True(t, valid(t, schematest.Compile(t, directions.Schema()), whole))
	assert.Equal(t, []derive.NamedDirection{
		{
			Name: "all", Follow: true, Time: 0.5,
			Bodies: []derive.NamedBody{
				{
					Body: "crank", Rotation: spatial.Vec3{1, 2, 3}, Position: spatial.Vec3{4, 5, 6},
					Angular: spatial.Vec3{7, 8, 9}, Linear: spatial.Vec3{10, 11, 12},
				},
				{Body: "rocker"},
			},
			Loads:      []derive.NamedLoad{{Body: "crank", Force: spatial.Vec3{1, 0, 0}, Torque: spatial.Vec3{0, 2, 0}}},
			Forces:     []derive.NamedForce{{Joint: "A", Freedom: 1, Change: -3}, {Joint: "B", Change: 1}},
			Parameters: []derive.NamedParameter{{Path: "bodies[crank].mass", Change: 2}},
		},
		{Name: "none"},
	}, list)
}

// TestReadRefused: each problem is reported with its place and value, and violates the schema if the schema can express it.
func TestReadRefused(t *testing.T) {
	s := schematest.Compile(t, directions.Schema())
	for _, c := range []struct {
		old, new, want string
		fits           bool
	}{
		{`rung-directions/1`, `rung-study/1`, `d.json: $.format: is not "rung-directions/1" (value "rung-study/1")`, false},
		{`{"name": "none"}`, `{"name": "all"}`, `d.json: $.directions[1].name: is the name of $.directions[0] (value "all")`, true},
		{`{"name": "none"}`, `{"follow": true}`, `d.json: $.directions[1].name: missing field`, false},
		{`"name": "none"`, `"name": ""`, `d.json: $.directions[1].name: is empty`, false},
		{`{"body": "rocker"}`, `{"rotation": [1, 2, 3]}`, `d.json: $.directions[0].bodies[1].body: missing field`, false},
		{`[4, 5, 6]`, `[4, 5]`, `d.json: $.directions[0].bodies[0].position: wrong length 2, must have 3 entries`, false},
		{`[4, 5, 6]`, `[4, 5, 1e999]`, `d.json: $.directions[0].bodies[0].position[2]: is not finite (value 1e999)`, true},
		{`"angular"`, `"angularr"`, `d.json: $.directions[0].bodies[0].angularr: unknown field, did you mean angular? (value a list)`, false},
		{`"freedom": 1`, `"freedom": -1`, `d.json: $.directions[0].forces[0].freedom: is below 0 (value -1)`, false},
		{`"freedom": 1`, `"freedom": 4294967296`, `d.json: $.directions[0].forces[0].freedom: is no freedom of a joint (value 4.294967296e+09)`, true},
		{`"freedom": 1`, `"freedom": 0.5`, `d.json: $.directions[0].forces[0].freedom: is not an integer within ±2^53 (value 0.5)`, false},
		{`, "change": 2}`, `}`, `d.json: $.directions[0].parameters[0].change: missing field`, false},
		{`"follow": true`, `"follow": 1`, `d.json: $.directions[0].follow: is not true or false (value 1)`, false},
		{whole, `{"format": "rung-directions/1", "directions": []}`, `d.json: $.directions: is empty`, false},
		{whole, `{"format": "rung-directions/1"}`, `d.json: $.directions: missing field`, false},
		{whole, `[]`, `d.json: $: is not an object, so not a rung-directions/1 document (value a list)`, false},
		{whole, whole + "1", `there is more after the end of the document`, true},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		require.NotEqual(t, whole, text)
		list, err := directions.Read(strings.NewReader(text), "d.json")
		assert.Nil(t, list, c.new)
		assert.ErrorAs(t, err, new(*model.Problems), c.new)
		assert.ErrorContains(t, err, c.want)
		if !c.fits {
			assert.False(t, valid(t, s, text), c.new)
		}
	}
}

// FuzzRead: no document makes the reader panic, and accepted documents fit the schema.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(whole)
	f.Add(`{"format": "rung-directions/1", "directions": [{"name": "a", "forces": [{"joint": "A", "change": 1}]}]}`)
	s := schematest.Compile(f, directions.Schema())
	f.Fuzz(func(t *testing.T, text string) {
		list, err := directions.Read(strings.NewReader(text), "f")
		if err != nil {
			if list != nil || !errors.As(err, new(*model.Problems)) {
				t.Fatalf("%v, %v", list, err)
			}
			return
		}
		require.True(t, valid(t, s, text), text)
	})
}

func ExampleRead() {
	list, err := directions.Read(strings.NewReader(`{"format": "rung-directions/1", "directions": [
	 {"name": "heavier", "parameters": [{"path": "bodies[crank].mass", "change": 1}]}]}`), "along.json")
	fmt.Println(list[0].Name, list[0].Parameters[0].Path, err)

	_, err = directions.Read(strings.NewReader(`{"format": "rung-directions/1", "directions": [{"follow": true}]}`), "along.json")
	fmt.Println(err)
	// Output:
	// heavier bodies[crank].mass <nil>
	// along.json: $.directions[0].name: missing field
}
