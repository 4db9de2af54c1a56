package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// moved is a document with a motion.
func moved(motion string) string {
	return `{"format": "rung-model/1", "bodies": [{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
"joints": [{"name": "j", "type": "prismatic", "predecessor": "world", "successor": "a", "motion": [` + motion + `]}]}`
}

// TestCurves reads splines and tables, which come back as they were and pass the schema.
func TestCurves(t *testing.T) {
	schema := schematest.Compile(t, model.Schema())
	for text, want := range map[string]*model.Motion{
		`{"kind": "spline", "times": [0, 1, 2.5], "values": [1, 0, 2]}`:                                            {Kind: model.Spline, Times: []float64{0, 1, 2.5}, Values: []float64{1, 0, 2}},
		`{"kind": "spline", "times": [0, 1], "values": [1, 0], "ends": "natural", "outside": "hold"}`:              {Kind: model.Spline, Times: []float64{0, 1}, Values: []float64{1, 0}, Ends: joints.Natural, Hold: true},
		`{"kind": "spline", "times": [0, 1], "values": [1, 0], "ends": "clamped", "rates": [0.5, 0]}`:              {Kind: model.Spline, Times: []float64{0, 1}, Values: []float64{1, 0}, Ends: joints.Clamped, Rates: [2]float64{0.5, 0}},
		`{"kind": "table", "times": [0, 1], "accelerations": [1, 0], "value": 3, "rate": -1}`:                      {Kind: model.Table, Times: []float64{0, 1}, Accelerations: []float64{1, 0}, Value: 3, Rate: -1},
		`{"kind": "table", "times": [0, 1], "accelerations": [1], "interpolation": "constant", "outside": "hold"}`: {Kind: model.Table, Times: []float64{0, 1}, Accelerations: []float64{1}, Steps: true, Hold: true},
	} {
		m, err := model.Read(strings.NewReader(moved(text)), "m")
		require.NoError(t, err, text)
		require.Equal(t, want, m.Joints[0].Motion[0])
		require.NoError(t, schematest.Validate(t, schema, moved(text)))
		back := write(t, m)
		require.Contains(t, back, text)
		require.NoError(t, schematest.Validate(t, schema, back))
	}
}

// TestBadCurves names the place, the value and the rule; the schema refuses what it can see.
func TestBadCurves(t *testing.T) {
	schema := schematest.Compile(t, model.Schema())
	for text, want := range map[string]string{
		`{"kind": "spline", "times": [0, 1]}`:                                                      `$.joints[0].motion[0].values: missing field`,
		`{"kind": "spline", "times": [0, 1], "values": [1, 0], "ends": "clamped"}`:                 `$.joints[0].motion[0].rates: missing field`,
		`{"kind": "spline", "times": [0, 1], "values": [1, 0], "ends": "open"}`:                    `$.joints[0].motion[0].ends: must be one of not_a_knot, natural, clamped (value "open")`,
		`{"kind": "spline", "times": [0, 1], "values": [1, 0], "phase": 0}`:                        `$.joints[0].motion[0].phase: has no meaning for motion kind spline`,
		`{"kind": "spline", "times": [0], "values": [1]}`:                                          `$.joints[0].motion[0].times: wrong length 1, must have at least 2 entries`,
		`{"kind": "table", "times": [0, 1], "accelerations": [1, 0], "outside": "stop"}`:           `$.joints[0].motion[0].outside: must be one of error, hold (value "stop")`,
		`{"kind": "table", "times": [0, 1], "accelerations": [1, 0], "interpolation": 1}`:          `$.joints[0].motion[0].interpolation`,
		`{"kind": "table", "times": [0, 1], "accelerations": [1, 0], "values": [0, 1]}`:            `$.joints[0].motion[0].values: has no meaning for motion kind table`,
		`{"kind": "polynomial", "coefficients": [1], "outside": "hold"}`:                           `$.joints[0].motion[0].outside: has no meaning for motion kind polynomial`,
		`{"kind": "spline", "times": [0, 0], "values": [1, 0]}`:                                    `!$.joints[0].motion[0].times[1]: is not after 0 (value 0)`,
		`{"kind": "spline", "times": [0, 1], "values": [1]}`:                                       `!$.joints[0].motion[0].values: wrong length 1, must have 2 entries`,
		`{"kind": "spline", "times": [0, 1], "values": [1, 0], "rates": [1, 1]}`:                   `$.joints[0].motion[0].rates: has no meaning for ends not_a_knot`,
		`{"kind": "table", "times": [0, 1], "accelerations": [1], "interpolation": "linear"}`:      `!$.joints[0].motion[0].accelerations: wrong length 1, must have 2 entries`,
		`{"kind": "table", "times": [0, 1], "accelerations": [1, 2], "interpolation": "constant"}`: `!$.joints[0].motion[0].accelerations: wrong length 2, must have 1 entries`,
	} {
		_, err := model.Read(strings.NewReader(moved(text)), "m")
		require.Error(t, err, text)
		says, relational := strings.CutPrefix(want, "!") // not expressible in a schema
		assert.Contains(t, err.Error(), says)
		if !relational {
			assert.Error(t, schematest.Validate(t, schema, moved(text)), text)
		}
	}
}
