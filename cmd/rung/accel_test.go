package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/state"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
)

// goldenTol is relative to the scale of a quantity: the reference's own
// tolerance is below 1e-12 of it for the four-bar.
const goldenTol = 1e-9

// expected is what the test reads of an expected.json file.
type expected struct {
	Bodies []struct {
		Name string
		Com  [3]float64 `json:"com_acceleration"`
		Ang  [3]float64 `json:"angular_acceleration"`
	}
	Joints []struct {
		Name   string
		Unique bool                                `json:"wrench_unique"`
		Total  struct{ Force, Moment [3]*float64 } `json:"total_wrench"`
	}
	Constraints struct{ Rows, Rank, Redundant, Mobility int }
	Energy      struct{ Kinetic, Potential float64 }
	Scale       map[string]float64
}

func accelJSON(t *testing.T, args ...string) (r rung.Result) {
	t.Helper()
	out := ok(t, append([]string{"accel", "--json"}, args...)...)
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	_, err := d.Token()
	require.Error(t, err, "one document and nothing else")
	return r
}

func TestAccelGolden(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(reference, "golden", "four-bar.expected.json"))
	require.NoError(t, err)
	var e expected
	require.NoError(t, json.Unmarshal(b, &e))
	for _, o := range shell.OrderingNames() {
		r := accelJSON(t, golden("four-bar"), "--ordering", o)
		assert.Equal(t, "rung-result/1", r.Format)
		assert.Equal(t, "four-bar", r.Name)
		assert.Equal(t, "sparse", r.Method)
		if o != "auto" {
			assert.Equal(t, o, r.Ordering)
		}
		for i, w := range e.Bodies {
			assert.Equal(t, w.Name, r.Bodies[i].Name)
			for k := range 3 {
				assert.InDelta(t, w.Com[k], r.Bodies[i].ComAcceleration[k], goldenTol*e.Scale["linear_acceleration"])
				assert.InDelta(t, w.Ang[k], r.Bodies[i].AngularAcceleration[k], goldenTol*e.Scale["angular_acceleration"])
			}
		}
		for i, w := range e.Joints {
			assert.Equal(t, w.Name, r.Joints[i].Name)
			assert.Equal(t, w.Unique, r.Joints[i].WrenchUnique)
			for k := range 3 {
				if f := w.Total.Force[k]; f != nil {
					assert.InDelta(t, *f, r.Joints[i].TotalWrench.Force[k], goldenTol*e.Scale["force"])
				}
				if m := w.Total.Moment[k]; m != nil {
					assert.InDelta(t, *m, r.Joints[i].TotalWrench.Moment[k], goldenTol*e.Scale["moment"])
				}
			}
		}
		c := r.Constraints
		assert.Equal(t, e.Constraints, struct{ Rows, Rank, Redundant, Mobility int }{c.Rows, c.Rank, c.Redundant, c.Mobility})
		assert.InDelta(t, e.Energy.Kinetic, r.Energy.Kinetic, goldenTol*e.Scale["energy"])
		assert.InDelta(t, e.Energy.Potential, r.Energy.Potential, goldenTol*e.Scale["energy"])
	}
}

// TestAccelJSON compares the streamed document with encoding/json's.
func TestAccelJSON(t *testing.T) {
	for _, name := range []string{"four-bar", "islands", "single-body", "driven-mixed", "ball-ladder-50"} {
		m, err := rung.Open(golden(name))
		require.NoError(t, err)
		m.Name = "a \"quoted\"\n<name> \u2028"
		r, err := rung.Accelerate(m, rung.Options{})
		require.NoError(t, err)
		if name == "islands" {
			r.Contradiction = &results.Contradiction{Relative: 1e-5, Joint: "a \"joint\"", Text: "words"}
		}
		var b bytes.Buffer
		require.NoError(t, state.WriteResult(&b, r))
		want, err := json.Marshal(r)
		require.NoError(t, err)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, b.Bytes()))
		var got, exp any
		require.NoError(t, json.Unmarshal(compact.Bytes(), &got))
		require.NoError(t, json.Unmarshal(want, &exp))
		assert.Equal(t, exp, got)
	}
}

func TestAccelJSONNotFinite(t *testing.T) {
	for _, r := range []*rung.Result{
		{Time: math.NaN()},
		{Energy: results.Energy{Kinetic: math.Inf(1)}},
		{Bodies: []results.Body{{ComAcceleration: [3]float64{0, math.Inf(-1), 0}}}},
	} {
		require.ErrorIs(t, state.WriteResult(new(bytes.Buffer), r), shell.ErrNotFinite)
	}
}

func TestAccelStdin(t *testing.T) {
	doc := ok(t, "generate", "ladder", "4", "-o", "-")
	r := rungWith(doc, "accel", "-")
	assert.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Contains(t, r.Out, "ladder-4 at 0 s: 4 bodies, 6 joints")
	r = rungWith(`{"format": "rung-model/1", "bodies": [3]}`, "accel", "-")
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Equal(t, "stdin: $.bodies[0]: is not an object (value 3)\n", r.Err)
}

func TestAccelInvalid(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(reference, "invalid", "index.json"))
	require.NoError(t, err)
	var index []struct {
		File string
		Path string `json:"json_path"`
	}
	require.NoError(t, json.Unmarshal(b, &index))
	require.NotEmpty(t, index)
	lines := map[string]int{}
	for _, c := range index {
		lines[c.File]++
	}
	for _, c := range index {
		path := filepath.Join(reference, "invalid", c.File)
		r := rungRun("accel", path)
		assert.Equal(t, shell.ExitUse, r.Status, c.File)
		assert.Empty(t, r.Out)
		assert.Contains(t, r.Err, path+": "+c.Path+": ", c.File)
		assert.GreaterOrEqual(t, strings.Count(r.Err, "\n"), lines[c.File], "a line each")
	}
}

const disc = `"mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}`

// TestAccelFailures are good models whose forward dynamics cannot be computed.
func TestAccelFailures(t *testing.T) {
	turn := `{"name": "%s", "type": "revolute", "predecessor": "world", "successor": "a",
		"motion": [{"kind": "polynomial", "coefficients": [0, 0, %d]}]}`
	for _, c := range []struct{ says, doc string }{
		{"constraints contradict each other", `{"format": "rung-model/1", "bodies": [{"name": "a", ` + disc + `}], "joints": [` +
			fmt.Sprintf(turn, "one", 1) + "," + fmt.Sprintf(turn, "two", 2) + `]}`},
		{`joint "rod"`, `{"format": "rung-model/1", "bodies": [{"name": "a", ` + disc + `}], "joints": [
			{"name": "rod", "type": "distance", "predecessor": "world", "successor": "a", "length": 1}]}`},
		{`force "spring"`, `{"format": "rung-model/1", "bodies": [{"name": "a", ` + disc + `}], "forces": [
			{"name": "spring", "type": "spring_damper", "a": {"body": "world"}, "b": {"body": "a"}, "stiffness": 1, "damping": 0, "rest_length": 1}]}`},
	} {
		r := rungWith(c.doc, "accel", "-", "--json")
		assert.Equal(t, shell.ExitFailed, r.Status, r.Err)
		assert.Contains(t, r.Err, c.says)
		assert.Equal(t, 1, strings.Count(r.Err, "\n"), r.Err)
		assert.True(t, strings.HasPrefix(r.Err, "rung: stdin: "), r.Err)
		assert.Empty(t, r.Out)
	}
}

// TestAccelContradiction solves for a hinge that is there twice, with motions that
// contradict each other by less than what counts as inconsistent beside gravity.
func TestAccelContradiction(t *testing.T) {
	doc := func(quadratic float64) string {
		hinge := `{"name": "%s", "type": "revolute", "predecessor": "world", "successor": "a",
			"motion": [{"kind": "polynomial", "coefficients": [0, 0, %g]}]}`
		return `{"format": "rung-model/1", "gravity": [0, -9.81, 0], "bodies": [{"name": "a", "com": [1, 0, 0], ` + disc + `}], "joints": [` +
			fmt.Sprintf(hinge, "one", 0.) + "," + fmt.Sprintf(hinge, "two", quadratic) + `]}`
	}
	for _, c := range []struct {
		method    string
		quadratic float64
		says      string
	}{
		{motion.Sparse.String(), 2e-4, "; accelerations are those of least squares"},
		{motion.Sparse.String(), 1e-7, "; accelerations are those of least squares"},
		{"tree-direct", 1e-7, "; accelerations are those of the rows that tree-direct keeps, the others do not hold"},
	} {
		r := rungWith(doc(c.quadratic), "accel", "-", "--json", "--method", c.method)
		require.Equal(t, shell.ExitDone, r.Status, r.Err)
		var got rung.Result
		d := json.NewDecoder(strings.NewReader(r.Out))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&got))
		require.NotNil(t, got.Contradiction)
		// The hinges leave each other a residual of half the difference, 2·quadratic,
		// of a row whose terms make at most gravity on the arm of 1 m.
		size := got.Contradiction.Relative
		assert.Greater(t, size, c.quadratic/100)
		assert.Less(t, size, c.quadratic)
		assert.InEpsilon(t, size, got.Solve.Inconsistency, 1e-15)
		assert.Contains(t, []string{"one", "two"}, got.Contradiction.Joint)
		text := fmt.Sprintf("constraints contradict each other by %.2g of what their terms make, most in joint %s", size, got.Contradiction.Joint) + c.says
		assert.Equal(t, text, got.Contradiction.Text)
		if c.method == motion.Sparse.String() {
			assert.InDelta(t, c.quadratic, got.Bodies[0].AngularAcceleration[2], 1e-3*c.quadratic, "the mean of 0 and twice the coefficient")
		}

		r = rungWith(doc(c.quadratic), "accel", "-", "--method", c.method)
		clitest.RequireColumns(t, r.Out)
		words := strings.Join(strings.Fields(r.Out), " ")
		assert.Contains(t, words, "contradiction "+text+" redundant 6 rows")
		assert.Contains(t, words, "singularity not near: distance 1,", "motions contradict each other, on which no rank depends")
	}
	apart := `{"format": "rung-model/1", "gravity": [0, -9.81, 0], "bodies": [{"name": "a", "com": [1, 0, 0], ` + disc + `}], "joints": [
		{"name": "one", "type": "revolute", "predecessor": "world", "successor": "a"},
		{"name": "two", "type": "revolute", "predecessor": "world", "successor": "a", "successor_frame": {"position": [1e-10, 0, 0]}}]}`
	r := rungWith(apart, "accel", "-")
	words := strings.Join(strings.Fields(r.Out), " ")
	assert.Contains(t, words, "PERHAPS NEARLY SINGULAR, which the contradiction hides: distance 1,", "places contradict each other")
	r = rungWith(doc(0), "accel", "-")
	assert.NotContains(t, r.Out, "contradict")
	assert.NotContains(t, r.Out, "SINGULAR")
	r = rungWith(doc(0), "accel", "-", "--json")
	assert.NotContains(t, r.Out, "contradict")
}

func TestAccelTable(t *testing.T) {
	out := ok(t, "accel", golden("four-bar"))
	clitest.RequireColumns(t, out)
	for _, says := range []string{
		"four-bar at 0 s: 3 bodies, 4 joints\n", "\ncrank            -0.5388    -0.4036          0",
		"20 rows, rank 17, mobility 1", "3 rows: ", "not near: distance", "undetermined in 4 of 4 joints", "sparse, 38 unknowns",
	} {
		assert.Contains(t, out, says)
	}
	assert.NotContains(t, out, "more bodies")

	path := generated(t, "ladder", "50")
	out = ok(t, "accel", path)
	clitest.RequireColumns(t, out)
	assert.Contains(t, out, "… and 30 more bodies (--all lists them)\n")
	assert.Contains(t, out, "… and 55 more joints (--all lists them)\n")
	assert.Contains(t, out, "redundant     none\n")
	assert.Contains(t, out, "reactions     all determined\n")
	out = ok(t, "accel", "--all", path)
	assert.NotContains(t, out, "more bodies")
	assert.Contains(t, out, "\nR24 ")
}

func TestAccelNearSingular(t *testing.T) {
	out := ok(t, "accel", generated(t, "nfourbar", "3", "--theta", "1.5707"))
	assert.Contains(t, out, "NEARLY SINGULAR: distance ")
	assert.Contains(t, out, "weakest joint ")
	r := accelJSON(t, generated(t, "nfourbar", "3", "--theta", "1.5707"))
	assert.True(t, r.Constraints.NearSingular)
	assert.NotEmpty(t, r.Constraints.WeakestJoint)
}

// TestAccelViolated says so if the state does not satisfy the joints.
func TestAccelViolated(t *testing.T) {
	doc := `{"format": "rung-model/1", "bodies": [{"name": "a", ` + disc + `, "pose": {"position": [0.5, 0, 0]}, "velocity": {"linear": [0, 0.25, 0]}}],
		"joints": [{"name": "pin", "type": "spherical", "predecessor": "world", "successor": "a"}]}`
	r := rungWith(doc, "accel", "-")
	assert.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Contains(t, r.Out, "VIOLATES joint pin by 0.5 in position (m or rad), joint pin by\n              0.25 in velocity\n")
}

// TestAccelOddModels are models at the edge of the format.
func TestAccelOddModels(t *testing.T) {
	r := rungWith(`{"format": "rung-model/1", "bodies": []}`, "accel", "-")
	assert.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Contains(t, r.Out, "model at 0 s: 0 bodies, 0 joints\n")
	r = rungWith(`{"format": "rung-model/1", "name": "\u001b[2J", "bodies": [{"name": "a\nb", `+disc+`}]}`, "accel", "-")
	assert.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Contains(t, r.Out, `"\x1b[2J" at 0 s: 1 body, 0 joints`)
	assert.Contains(t, r.Out, "\n\"a\\nb\" ")
	assert.Contains(t, r.Out, "no joint constrains anything")
}
