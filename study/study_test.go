package study_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/study"
)

const whole = `{"format": "rung-study/1", "model": "m.json", "run": {"until": 1, "integrator": "rk4", "step": 0.01},
 "sampling": {"type": "latin-hypercube", "draws": 8, "seed": 5},
 "parameters": [
  {"name": "g", "path": "gravity[1]", "values": [-9.81, -1.62]},
  {"path": "bodies[crank].mass", "uniform": [1, 2]},
  {"name": "n", "path": "bodies[1].mass", "grid": {"from": 1, "to": 2, "count": 3}},
  {"name": "x", "path": "joints[\"A\"].predecessor_frame.position[0]", "normal": {"mean": 1, "deviation": 0.1}}],
 "outputs": [{"column": "crank.px", "take": "final"}], "trajectories": ["joint.*.q"]}`

func read(t *testing.T, text string) *study.Study {
	t.Helper()
	s, err := study.Read(strings.NewReader(text), "s.json")
	require.NoError(t, err)
	return s
}

// TestGradients: numbers by names of parameters and by paths, a column of each output by each.
func TestGradients(t *testing.T) {
	s := read(t, strings.Replace(whole, `"trajectories"`, `"gradients": ["n", "bodies[rocker].mass"], "trajectories"`, 1))
	assert.Equal(t, []string{"d(crank.px.final)/d(n)", "d(crank.px.final)/d(bodies[rocker].mass)"}, s.GradientColumns())
	assert.Equal(t, "bodies[1].mass", s.GradientPath(0))
	assert.Equal(t, "bodies[rocker].mass", s.GradientPath(1))
	assert.Empty(t, read(t, whole).GradientColumns())
}

// TestDraws: the grid is the product of its lists with the last one fastest, all its points have the same draws, and
// those of a Latin hypercube have one value in each of as many parts.
func TestDraws(t *testing.T) {
	s := read(t, whole)
	require.Equal(t, 6, s.Grid())
	require.Equal(t, 48, s.Runs())
	d := s.NewDraws()
	var drawn [][4]float64
	for i := range s.Runs() {
		var v [4]float64
		d.ValuesTo(v[:], i)
		point := i / 8
		assert.Equal(t, []float64{-9.81, -1.62}[point/3], v[0])
		assert.Equal(t, []float64{1, 1.5, 2}[point%3], v[2])
		if i < 8 {
			drawn = append(drawn, v)
		}
		assert.Equal(t, drawn[i%8][1], v[1])
		assert.Equal(t, drawn[i%8][3], v[3])
	}
	var parts, tails []int
	for _, v := range drawn {
		parts = append(parts, int(8*(v[1]-1)))
		tails = append(tails, int(8*0.5*math.Erfc(-(v[3]-1)/0.1/math.Sqrt2)))
	}
	slices.Sort(parts)
	slices.Sort(tails)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, parts)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, tails)
}

// TestSamplings: moments of all samplings, another seed gives other draws, the same seed the same.
func TestSamplings(t *testing.T) {
	values := func(kind, seed string) [][4]float64 {
		text := strings.Replace(strings.Replace(whole, "latin-hypercube", kind, 1), `"draws": 8, "seed": 5`, `"draws": 4000, "seed": `+seed, 1)
		d := read(t, text).NewDraws()
		list := make([][4]float64, 4000)
		for i := range list {
			d.ValuesTo(list[i][:], i)
		}
		return list
	}
	for kind, tol := range map[string]float64{"random": 0.03, "latin-hypercube": 1e-3, "halton": 2e-3, "sobol": 1e-3} {
		a := values(kind, "5")
		assert.Equal(t, a, values(kind, "5"), kind)
		assert.NotEqual(t, a, values(kind, "6"), kind)
		var mean, square, normal, both float64
		for _, v := range a {
			u, z := v[1]-1.5, (v[3]-1)/0.1
			require.True(t, v[1] > 1 && v[1] < 2)
			mean, square, normal, both = mean+u, square+u*u, normal+z*z, both+u*z
		}
		n := float64(len(a))
		assert.InDelta(t, 0, mean/n, tol, kind)
		assert.InDelta(t, 1.0/12, square/n, tol, kind)
		assert.InDelta(t, 1, normal/n, 0.08, kind)
		assert.InDelta(t, 0, both/n, 0.03, kind)
	}
}

// TestShares: the shares are all runs, one after the other.
func TestShares(t *testing.T) {
	s := read(t, whole)
	for of := 1; of < 60; of++ {
		next := 0
		for i := range of {
			first, last := s.Share(i, of)
			require.Equal(t, next, first)
			require.LessOrEqual(t, first, last)
			next = last
		}
		require.Equal(t, s.Runs(), next)
	}
	first, last := s.Share(math.MaxInt-1, math.MaxInt)
	require.Equal(t, []int{s.Runs() - 1, s.Runs()}, []int{first, last})
}

// TestTooManyRuns: a grid in Go of more points than an int holds is a panic, and not one of fewer.
func TestTooManyRuns(t *testing.T) {
	list := study.Parameter{Law: study.Values, List: make([]float64, 1<<14)}
	s := study.Study{Parameters: []study.Parameter{list, list}}
	require.Equal(t, 1<<28, s.Runs())
	s.Draws = math.MaxInt
	require.Panics(t, func() { s.Runs() })
	s.Parameters = append(s.Parameters, list, list, list) // 1<<70: the lower half of the bits is zero
	require.Panics(t, func() { s.Grid() })
}

// TestBase puts the values in their places, and nothing else changes.
func TestBase(t *testing.T) {
	text, err := os.ReadFile("../docs/four-bar.model.json")
	require.NoError(t, err)
	s := read(t, whole)
	b, err := s.NewBase(text, "s.json")
	require.NoError(t, err)
	want, err := model.Read(bytes.NewReader(text), "m.json")
	require.NoError(t, err)
	for k := range 2 {
		v := []float64{-3, 7 + float64(k), 8, 0.25}
		changed, err := b.With(v)
		require.NoError(t, err)
		got, err := model.Read(bytes.NewReader(changed), "m.json")
		require.NoError(t, err)
		want.Gravity[1], want.Bodies[0].Mass, want.Bodies[1].Mass, want.Joints[1].PredecessorFrame.Position[0] = v[0], v[1], v[2], v[3]
		var a, c bytes.Buffer
		require.NoError(t, model.Write(&a, want))
		require.NoError(t, model.Write(&c, got))
		require.Equal(t, a.String(), c.String())
	}
}

// TestRefused: what is wrong is refused with its place. Where the schema can tell, it refuses that, too.
func TestRefused(t *testing.T) {
	check := schematest.Compile(t, study.Schema())
	fits := func(text string) bool {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err, text)
		return check.Validate(v) == nil
	}
	require.True(t, fits(whole))
	for _, c := range []struct {
		old, new, want string
		schema         bool // it refuses that
	}{
		{`"model": "m.json",`, ``, `$.model: missing field`, true},
		{`"m.json"`, `""`, `$.model: is empty`, true},
		{`, "step": 0.01`, ``, `$.run.step: missing field: rk4 has no error control`, true},
		{`"step": 0.01`, `"step": 0.01, "tolerance": 1`, `$.run.tolerance: excludes step: steps are fixed or chosen by their error (value 1)`, true},
		{`"step": 0.01`, `"step": -1`, `$.run.step: is not above 0 (value -1)`, true},
		{`rk4`, `euler`, `$.run.integrator: must be one of dopri5, rk4, generalized-alpha, force-balance, rattle, rollout-rk4, rollout-semi-implicit (value "euler")`, true},
		{`latin-hypercube`, `faure`, `$.sampling.type: must be one of random, latin-hypercube, halton, sobol (value "faure")`, true},
		{`"draws": 8`, `"draws": 0`, `$.sampling.draws: is not from 1 to 10000000 (value 0)`, true},
		{`"draws": 8`, `"draws": 9000000`, `$: the study takes 5.4e+07 runs, more than 1e+07 runs: take fewer values in the grids, or draw them`, false},
		{`[-9.81, -1.62]`, `[]`, `$.parameters[0].values: is empty`, true},
		{`[1, 2]`, `[2, 2]`, `$.parameters[1].uniform: is an empty range: the second number is not above the first (value [2, 2])`, false},
		{`[1, 2]`, `[1, 2], "values": [1]`, `$.parameters[1]: has 2 of values, grid, uniform, normal, must have one`, true},
		{`"to": 2`, `"to": 1`, `$.parameters[2].grid.to: is an empty range: it is from (value 1)`, false},
		{`"count": 3`, `"count": 1`, `$.parameters[2].grid.count: is not from 2 to 10000000 (value 1)`, true},
		{`"deviation": 0.1`, `"deviation": 0`, `$.parameters[3].normal.deviation: is not above 0 (value 0)`, true},
		{`bodies[crank].mass`, `bodies[crank.mass`, `$.parameters[1].path: has a bracket that does not end (value "bodies[crank.mass")`, false},
		{`"name": "n"`, `"name": "g"`, `$.parameters[2]: the name of the column is that of $.parameters[0] (value "g")`, false},
		{`"name": "n"`, `"name": "run"`, `$.parameters[2]: the name of the column is that of the number of the run (value "run")`, false},
		{`"take": "final"`, `"take": "final"}, {"name": "again", "column": "crank.px", "take": "final"`, `$.outputs[1]: is taken by $.outputs[0] already (value "crank.px")`, false},
		{`"take": "final"`, `"take": "mean"`, `$.outputs[0].take: must be one of final, min, max (value "mean")`, true},
		{`"outputs": [{"column": "crank.px", "take": "final"}],`, `"gradients": ["g"],`, `$.gradients: are of outputs, and there are none`, true},
		{`"trajectories"`, `"gradients": [], "trajectories"`, `$.gradients: is empty`, true},
		{`"trajectories"`, `"gradients": ["g", "g"], "trajectories"`, `$.gradients[1]: the name of the column is that of $.gradients[0] (value "d(crank.px.final)/d(g)")`, false},
		{`"outputs": [{"column": "crank.px", "take": "final"}], "trajectories": ["joint.*.q"]`, `"x": 1`, `$: keeps nothing: outputs or trajectories are missing`, true},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		require.NotEqual(t, whole, text, c.old)
		require.True(t, json.Valid([]byte(text)), text)
		_, err := study.Read(strings.NewReader(text), "s.json")
		p := new(model.Problems)
		require.True(t, errors.As(err, &p), "%s: %v", c.want, err)
		assert.Contains(t, err.Error(), "s.json: "+c.want)
		assert.Equal(t, !c.schema, fits(text), c.want)
	}
}

// TestRun: a mistake in the run of a study is found as in a document of a run, with the same words at the same place, whether it
// is read or made in Go.
func TestRun(t *testing.T) {
	for _, text := range []string{
		`"step": -1`, `"integrator": "rk4"`, `"step": 1, "tolerance": 1`, `"method": "lu"`, `"stabilize": "glue"`, `"rho": 0.5`, `"rho": "a"`,
		`"integrator": "generalized-alpha", "rho": 1`, `"integrator": "generalized-alpha", "method": "tree-lambda"`,
		`"method": "tree-lambda", "stabilize": "baumgarte"`, `"integrator": "rattle", "step": 1, "stabilize": "none"`, `"every": 0, "until": 3`, `"stepp": 1`,
	} {
		_, err := runs.Read(strings.NewReader(`{"format": "rung-run/1", `+text+`}`), "s.json")
		require.Error(t, err, text)
		if !strings.Contains(text, "until") {
			text += `, "until": 1`
		}
		_, got := study.Read(strings.NewReader(strings.Replace(whole, `"until": 1, "integrator": "rk4", "step": 0.01`, text, 1)), "s.json")
		require.Error(t, got, text)
		assert.Equal(t, strings.Replace(err.Error(), "$.", "$.run.", 1), got.Error(), text)
	}
	s := read(t, whole)
	o, err := s.Run.Options("s.json")
	require.NoError(t, err)
	assert.Equal(t, &runs.Options{Until: 1, Integrator: runs.RungeKutta4, Step: 0.01}, o)
	o, err = (&study.Run{Rho: 0, RhoGiven: true, Integrator: "generalized-alpha", Method: "sparse", Stabilize: "none"}).Options("s.json")
	require.NoError(t, err)
	assert.Equal(t, &runs.Options{Annihilate: true, Integrator: runs.GeneralizedAlpha, Stabilization: runs.None}, o)
	o, err = new(study.Run).Options("s.json")
	require.NoError(t, err)
	assert.Equal(t, &runs.Options{}, o)
	o, err = (&study.Run{Integrator: study.RolloutSemiImplicit, Step: 1}).Options("s.json")
	require.NoError(t, err)
	assert.Equal(t, &runs.Options{Integrator: runs.RungeKutta4, Step: 1}, o)
	for want, r := range map[string]study.Run{
		`s.json: $.run.method: no method "lu"; there are sparse, tree-direct, tree-lambda, tree-projection (value "lu")`: {Method: "lu"},
		`s.json: $.run.stabilize: no stabilization "glue"; there are projection, baumgarte, none (value "glue")`:         {Stabilize: "glue"},
		`s.json: $.run.tolerance: rollout-rk4 has no error control`:                                                      {Integrator: "rollout-rk4", Tolerance: 1},
		`s.json: $.run.step: rk4 has no error control: give step`:                                                        {Integrator: "rk4"},
	} {
		_, err := r.Options("s.json")
		assert.EqualError(t, err, want)
	}
}

// TestRunsAreCountedFirst: grids whose product is beyond all memory take none.
func TestRunsAreCountedFirst(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"format": "rung-study/1", "model": "m.json", "run": {"until": 1}, "outputs": [{"column": "a.px", "take": "max"}], "parameters": [`)
	for i := range 40 {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"name": "p%d", "path": "bodies[a].mass", "grid": {"from": 1, "to": 2, "count": 10000000}}`, i)
	}
	b.WriteString("]}")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := study.Read(strings.NewReader(b.String()), "s.json")
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, "s.json: $: the study takes 1e+280 runs, more than 1e+07 runs")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(50<<20), "bytes")
}

// TestPathsRefused: paths that lead to no number of the model.
func TestPathsRefused(t *testing.T) {
	text, err := os.ReadFile("../docs/four-bar.model.json")
	require.NoError(t, err)
	for path, want := range map[string]string{
		`bodies[rod].mass`:   `the model has no entry "rod" in $.bodies`,
		`bodies[3].mass`:     `the model has no entry "3" in $.bodies`,
		`bodies[crank].name`: `$.bodies[0].name of the model is no number`,
		`bodies[crank]`:      `$.bodies[0] of the model is no number`,
		`bodies.crank`:       `the model has no entry "crank" in $.bodies, did you mean [crank]?`,
		`gravity[1].x`:       `the model has nothing inside $.gravity[1]`,
		`gravity[0]`:         `is the number of $.parameters[0]`,
		`time`:               `the model has no "time" in $`,
	} {
		s := read(t, strings.Replace(strings.Replace(whole, "bodies[crank].mass", path, 1), "gravity[1]\"", "gravity[0]\"", 1))
		_, err := s.NewBase(text, "s.json")
		assert.ErrorContains(t, err, "s.json: $.parameters[1].path: "+want, path)
	}
}

// FuzzRead: no document makes the reader panic, and what it takes has draws.
func FuzzRead(f0 *testing.F) {
	f := check.NewFuzz(f0)
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := study.Read(bytes.NewReader(text), "s.json")
		if err != nil || s.Draws > 1000 {
			return
		}
		v := make([]float64, len(s.Parameters))
		s.NewDraws().ValuesTo(v, s.Runs()-1)
	})
}

// TestGoesOn: more draws keep the first ones of Halton and Sobol draws.
func TestGoesOn(t *testing.T) {
	for _, kind := range []string{"halton", "sobol"} {
		few := strings.Replace(whole, "latin-hypercube", kind, 1)
		a, b := read(t, few).NewDraws(), read(t, strings.Replace(few, `"draws": 8`, `"draws": 50`, 1)).NewDraws()
		for i := range 8 {
			var x, y [4]float64
			a.ValuesTo(x[:], i)
			b.ValuesTo(y[:], i)
			require.Equal(t, x, y)
		}
	}
}

// TestSobolLimit: parameters that Sobol draws have no coordinates for are refused.
func TestSobolLimit(t *testing.T) {
	of := func(n int) error {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"path": "x%d", "uniform": [0, 1]}`, i))
		}
		text := `{"format": "rung-study/1", "model": "m.json", "run": {"until": 1}, "sampling": {"type": "sobol", "draws": 10000000, "seed": 1},
		 "parameters": [` + strings.Join(list, ",") + `], "outputs": [{"column": "crank.px", "take": "final"}]}`
		s, err := study.Read(strings.NewReader(text), "s.json")
		if err == nil {
			v := make([]float64, n)
			s.NewDraws().ValuesTo(v, s.Runs()-1)
		}
		return err
	}
	require.NoError(t, of(101))
	require.ErrorContains(t, of(102), "s.json: $.sampling.type: draws at most 101 parameters, not 102; random, latin-hypercube and halton have no such limit (value sobol)")
}
