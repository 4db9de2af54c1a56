//rung:norace it measures time, on one thread

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const root = "../.."

func subjectOf(t *testing.T, name string) *subject {
	for i := range subjects {
		if subjects[i].name == name {
			return &subjects[i]
		}
	}
	require.Fail(t, name)
	return nil
}

// closedTol is what is left of a closed form: models have doubles.
const closedTol = 1e-14

// TestTruthHasClosedForm: the angle of a row of four-bars, at any rate, theta” = C·sin theta, so that its derivatives are C·cos
// theta and 0.
func TestTruthHasClosedForm(t *testing.T) {
	for _, n := range []int{1, 5} {
		m, err := bench.NFourBar(n, 0.4, 1)
		require.NoError(t, err)
		truth, err := newTruth(m, []int{0})
		require.NoError(t, err)
		pose, rate := truth.coordinate(0)
		C := bench.NFourBarAcceleration(n, 0.4) / math.Sin(0.4)
		_, q := truth.forward(pose)
		assert.InDelta(t, C*math.Cos(0.4), q[0], closedTol*C)
		_, q = truth.forward(rate)
		assert.InDelta(t, 0, q[0], closedTol*C)
		assert.InDelta(t, C*math.Sin(0.4), truth.a[2].Hi, closedTol*C)
	}
}

// referenceTol is what twelve printed digits leave.
const referenceTol = 1e-10

// TestTruthIsReference: derivatives along directions of states, and gradients by numbers of bodies and loads, are those of
// reference/derivatives on a mechanism with a redundant row, which were made by another program.
func TestTruthIsReference(t *testing.T) {
	const base = root + "/reference/derivatives/bricard-6r."
	m, err := model.ReadFile(base + "model.json")
	require.NoError(t, err)
	truth, err := newTruth(m, nil)
	require.NoError(t, err)
	var want struct {
		Directions []struct {
			Name   string
			Bodies []struct {
				ComAcceleration     spatial.Vec3 `json:"com_acceleration"`
				AngularAcceleration spatial.Vec3 `json:"angular_acceleration"`
				Rotation, Position  spatial.Vec3
				Angular, Linear     spatial.Vec3
			}
		}
	}
	b, err := os.ReadFile(base + "expected.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &want))
	states, numbers := 0, 0
	gradients := make([][]derive.BodyDirection, 6*len(m.Bodies))
	for k := range gradients {
		w := make([]float64, len(gradients))
		w[k] = 1
		gradients[k] = truth.gradient(w)
	}
	for _, d := range want.Directions {
		var list []float64
		u := make([]derive.BodyDirection, len(d.Bodies))
		for i, x := range d.Bodies {
			list = append(list, append(x.AngularAcceleration[:], x.ComAcceleration[:]...)...)
			u[i] = derive.BodyDirection{Rotation: x.Rotation, Position: x.Position, Angular: x.Angular, Linear: x.Linear}
		}
		var of func(g []derive.BodyDirection) float64
		switch d.Name {
		case "state-1", "state-2", "state-3", "pose", "rates":
			got, _ := truth.forward(u)
			assert.Less(t, away(got, list, maxAbs(list)), referenceTol, d.Name)
			states++
			continue
		case "bodies[link3].mass":
			of = func(g []derive.BodyDirection) float64 { return g[2].Mass }
		case "bodies[link2].com[1]":
			of = func(g []derive.BodyDirection) float64 { return g[1].Com[1] }
		case "bodies[link4].inertia.yy":
			of = func(g []derive.BodyDirection) float64 { return g[3].Inertia[1] }
		case "bodies[link4].inertia.xz":
			of = func(g []derive.BodyDirection) float64 { return g[3].Inertia[4] }
		default:
			continue
		}
		for i := range u {
			require.Equal(t, derive.BodyDirection{}, u[i], "%s moves nothing", d.Name)
		}
		got := make([]float64, len(list))
		for k := range got {
			got[k] = of(gradients[k])
		}
		assert.Less(t, away(got, list, maxAbs(list)), referenceTol, d.Name)
		numbers++
	}
	assert.Equal(t, []int{5, 4}, []int{states, numbers})
}

func maxAbs(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// TestTruthRefuses: what the truth does not build is not left out in silence.
func TestTruthRefuses(t *testing.T) {
	for want, change := range map[string]func(m *model.Model){
		"dampers":  func(m *model.Model) { m.Joints[0].Damping = []float64{1} },
		"springs":  func(m *model.Model) { m.Joints[0].Springs = make([]*model.SpringLaw, 1) },
		"friction": func(m *model.Model) { m.Joints[0].Friction = []model.Friction{{Force: 1}} },
		"stops": func(m *model.Model) {
			m.Joints[0].Limits = []*model.Limit{{Upper: 1, Stop: model.Stop{Restitution: 0.5}}}
		},
		"terrains":          func(m *model.Model) { m.Terrains = make([]model.Terrain, 1) },
		"cylindrical":       func(m *model.Model) { m.Joints[1].Type = model.Cylindrical },
		"not one":           func(m *model.Model) { m.Joints[0].Type = model.Spherical },
		"forces and coupli": func(m *model.Model) { m.Forces = make([]model.ForceElement, 1) },
		"no mass":           func(m *model.Model) { m.Bodies[0].Mass = 0 },
	} {
		m, err := bench.NFourBar(1, 0.4, 1)
		require.NoError(t, err)
		change(m)
		_, err = newTruth(m, []int{0})
		require.ErrorContains(t, err, want)
	}
}

// TestMeasure goes the whole way with little: measures the four-bar, writes the record and the page.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n"+tablesBegin+"\nold\n"+tablesEnd+"\nafter\n"), 0o600))
	o, err := parse([]string{"-root", root, "-record", filepath.Join(dir, "record.json"), "-page", page, "-only", "^four-bar$|^stewart",
		"-rounds", "2", "-enough", "0.004"}, io.Discard)
	require.NoError(t, err)
	o.Quiet = true
	require.NoError(t, o.run())
	r, err := readRecord(o.Record)
	require.NoError(t, err)
	b, err := os.ReadFile(o.Record)
	require.NoError(t, err)
	checkSchema(t, string(b))
	require.Len(t, r.Cases, 2)
	requireExact(t, r)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, part := range []string{
		"before\n" + tablesBegin, tablesEnd + "\nafter\n", "Simbody: **not measured**", "ADOL-C: **not measured**",
	} {
		assert.Contains(t, string(text), part)
	}
	assert.NotContains(t, string(text), "\nold\n")
}

// ownTol bounds the errors of Rung on these mechanisms: rounding, times what lengths of a hundred links make of it.
const ownTol = 1e-10

// requireExact: derivatives of Rung are exact.
func requireExact(t *testing.T, r *record) {
	for i := range r.Cases {
		m := &r.Cases[i]
		for _, way := range []string{alongWay, spaceWay} {
			x := m.of(column{beside.Ours, way})
			require.NotNil(t, x, m.Name)
			require.Empty(t, x.Failure, m.Name)
			assert.Less(t, max(x.AccelerationError, x.MatrixError, x.GradientError), ownTol, "%s, %s", m.Name, way)
			assert.Positive(t, x.Gradient, m.Name)
		}
	}
}

func checkSchema(t *testing.T, text string) {
	schema, err := os.ReadFile("record.schema.json")
	require.NoError(t, err)
	require.NoError(t, schematest.Validate(t, schematest.Compile(t, schema), text))
}

// TestPageIsOfRecord: the tables of docs/derivatives.md are what the record gives; it is of all mechanisms and all programs, and
// Rung is exact in it.
func TestPageIsOfRecord(t *testing.T) {
	b, err := os.ReadFile("record.json")
	require.NoError(t, err)
	checkSchema(t, string(b))
	r, err := readRecord("record.json")
	require.NoError(t, err)
	page := filepath.Join(root, "docs", "derivatives.md")
	before, after, err := beside.Around(page, tablesBegin, tablesEnd)
	require.NoError(t, err)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, before+r.tables()+after, string(text), "go run ./bench/gradients -draw")
	requireExact(t, r)
	require.Len(t, r.Cases, len(subjects))
	for i := range subjects {
		s := &subjects[i]
		m := &r.Cases[i]
		assert.Equal(t, s.name, m.Name)
		assert.Equal(t, s.title, m.Title)
		for k := range peers {
			x := m.of(column{peers[k].Name, peers[k].way})
			require.NotNil(t, x, "%s: %s", s.name, peers[k].Name)
		}
	}
	require.Len(t, r.Engines, 1+len(peers))
	for _, e := range r.Engines {
		assert.Empty(t, e.Missing, e.Name)
	}
}

// TestStateSpaceOfLongChain: the matrices of a long chain are exact. The inverse of a matrix whose condition grows with the square
// of the length left errors of 1e-7 in them.
func TestStateSpaceOfLongChain(t *testing.T) {
	const tol = 1e-11
	p, err := newProblem(&subject{name: "chain", family: "chain", size: check.Few(60, 30), coordinates: model.Revolute})
	require.NoError(t, err)
	o := newOwn(p)
	require.NoError(t, o.stateSpace())
	assert.Less(t, errorOf(o.secondRates(), p.wantCoords), tol)
}

// TestInputs: peers get every mechanism with all its bodies, joints and directions.
func TestInputs(t *testing.T) {
	for _, name := range []string{"chain-5", "four-bar", "stewart"} {
		p, err := newProblem(subjectOf(t, name))
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "x")
		lines := func() int {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			return strings.Count(string(b), "\n")
		}
		tree := 5 + len(p.model.Joints) - 1 // gravity, three numbers; a line a joint
		_, reason, err := simbodyInput(p, file)
		require.NoError(t, err)
		assert.Empty(t, reason)
		assert.Equal(t, tree+1+len(p.directions), lines(), name)
		_, _, err = adolcInput(p, file)
		require.NoError(t, err)
		assert.Equal(t, tree+2+len(p.directions), lines(), name)
		args, reason, err := mujocoInput(p, file)
		require.NoError(t, err)
		if name == "stewart" {
			assert.NotEmpty(t, reason)
			continue
		}
		assert.Equal(t, name == "four-bar", args[2] == "planar")
	}
}

// TestMotions: how joints move along the directions of coordinates is by 1 in the coordinate itself, and not at all in the others
// and in rates.
func TestMotions(t *testing.T) {
	const tol = 1e-12
	for _, name := range []string{"chain-5", "four-bar", "stewart"} {
		p, err := newProblem(subjectOf(t, name))
		require.NoError(t, err)
		n := len(p.coordinates)
		for k, u := range p.directions {
			for i, j := range p.coordinates {
				m := p.motions(&p.model.Joints[j], u)
				require.Len(t, m, 1)
				want := motion{}
				if i == k {
					want.pose = 1
				}
				if i == k-n {
					want.rate = 1
				}
				assert.InDelta(t, want.pose, m[0].pose, tol, "%s: coordinate %d along %d", name, i, k)
				assert.InDelta(t, want.rate, m[0].rate, tol, "%s: rate %d along %d", name, i, k)
			}
		}
	}
	p, err := newProblem(subjectOf(t, "stewart"))
	require.NoError(t, err)
	for i := range p.model.Joints {
		j := &p.model.Joints[i]
		freedoms := map[model.JointType]int{model.Universal: 2, model.Prismatic: 1, model.Spherical: 3}
		assert.Len(t, p.motions(j, p.directions[0]), freedoms[j.Type])
	}
}

// TestTake: the best step counts, and answers of another size are errors.
func TestTake(t *testing.T) {
	p, err := newProblem(subjectOf(t, "four-bar"))
	require.NoError(t, err)
	var a answer
	good := func() string {
		q, err := json.Marshal(p.wantCoords)
		require.NoError(t, err)
		return `{"evaluation": 1, "matrix": 2, "accelerations": [` + beside.Number(p.a[2].Hi) + `],
			"matrices": [{"step": 1, "columns": [[1], [1]]}, {"step": 0.1, "columns": ` + string(q) + `}]}`
	}()
	require.NoError(t, json.Unmarshal([]byte(good), &a))
	r := result{}
	require.NoError(t, peers[1].take(p, &r, &a))
	assert.Equal(t, 0.1, r.Step)
	assert.Zero(t, r.MatrixError)
	assert.Less(t, r.AccelerationError, 1e-14)
	for _, bad := range []func(a *answer){
		func(a *answer) { a.Accelerations = nil },
		func(a *answer) { a.Matrices = nil },
		func(a *answer) { a.Matrices = a.Matrices[:1]; a.Matrices[0].Columns = [][]float64{{1}} },
		func(a *answer) { a.Bodies = []float64{1} },
		func(a *answer) { a.Matrices = a.Matrices[:1]; a.Matrices[0].Columns = [][]float64{{math.NaN()}, {1}} },
	} {
		var a answer
		require.NoError(t, json.Unmarshal([]byte(good), &a))
		bad(&a)
		require.Error(t, peers[1].take(p, &result{}, &a))
	}
}

// TestAgain: the least times of rounds and the larger errors count, and a failure in any.
func TestAgain(t *testing.T) {
	r := result{Engine: "P", Evaluation: 2, Matrix: 3, Gradient: 4, MatrixError: 1e-3}
	r.again(&result{Engine: "P", Evaluation: 3, Matrix: 2, Gradient: 5, MatrixError: 2e-3, GradientError: 1})
	assert.Equal(t, result{Engine: "P", Evaluation: 2, Matrix: 2, Gradient: 4, MatrixError: 2e-3, GradientError: 1}, r)
	r.again(&result{Engine: "P", Failure: "no"})
	assert.Equal(t, result{Engine: "P", Failure: "no"}, r)
	r.again(&result{Engine: "P", Evaluation: 3})
	assert.Equal(t, "no", r.Failure)
}

// TestRecordRefuses: what no measurement writes is refused with its place.
func TestRecordRefuses(t *testing.T) {
	good := record{Format: recordFormat, Cases: []diagram{{Results: []result{{Evaluation: 1, Matrix: 1}, {Failure: "no"}}}}}
	for want, change := range map[string]func(r *record){
		"":                    func(*record) {},
		`format: "x"`:         func(r *record) { r.Format = "x" },
		"cases[0].results[0]": func(r *record) { r.Cases[0].Results[0].Evaluation = 0 },
		"results[0]":          func(r *record) { r.Cases[0].Results[0].MatrixError = -1 },
		"results[1]":          func(r *record) { r.Cases[0].Results[1].Failure = "" },
	} {
		b, err := json.Marshal(good)
		require.NoError(t, err)
		var r record
		require.NoError(t, json.Unmarshal(b, &r))
		change(&r)
		b, err = json.Marshal(r)
		require.NoError(t, err)
		_, err = decodeRecord(bytes.NewReader(b))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	_, err := decodeRecord(strings.NewReader(`{"format": "rung-gradients/1", "more": 1}`))
	require.ErrorContains(t, err, "more")
}

// TestFlags: wrong flags are named.
func TestFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"-rounds 0":      {"-rounds", "0"},
		"-enough":        {"-enough", "-1"},
		`"x" is no flag`: {"x"},
	} {
		_, err := parse(args, io.Discard)
		require.ErrorContains(t, err, want)
	}
	o, err := parse([]string{"-root", root, "-only", "nothing", "-page", "-", "-record", filepath.Join(t.TempDir(), "r.json")}, io.Discard)
	require.NoError(t, err)
	o.Quiet = true
	require.ErrorContains(t, o.run(), "no mechanism has such a name")
	o.Page = filepath.Join(t.TempDir(), "none.md")
	require.ErrorContains(t, o.run(), "none.md", "before anything is measured")
}

// TestLosses: who loses, and what was not measured, is said.
func TestLosses(t *testing.T) {
	r := &record{Cases: []diagram{{Title: "M", Results: []result{
		{Engine: beside.Ours, Way: "a", Evaluation: 1e-6, Matrix: 4e-6, Gradient: 1e-6},
		{Engine: beside.Ours, Way: "b", Evaluation: 1e-6, Matrix: 3e-6},
		{Engine: "P", Way: "c", Evaluation: 1e-6, Matrix: 2e-6, Gradient: 2e-6},
		{Engine: "Q", Way: "d", Failure: "why"},
	}}}}
	var b strings.Builder
	r.losses(&b)
	assert.Contains(t, b.String(), "In 1 of the 2 rows")
	assert.Contains(t, b.String(), "- M, derivatives along all directions: P takes 2.00 µs, Rung 3.00 µs, 1.5 times as long.\n"+
		"- M: Q is not measured: why.\n")
}
