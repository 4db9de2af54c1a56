package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion/runs"
)

// sliderCrank is a slider-crank with a spring on the slider and a known torque on the crank; other numbers are guesses.
func sliderCrank(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/slider-crank.model.json")
	require.NoError(t, err)
	return string(b)
}

// wanted are eight numbers of the slider-crank with their true values.
var wanted = []struct {
	path  string
	truth float64
}{
	{"bodies[crank].mass", 1.3}, {"bodies[rod].mass", 0.8}, {"bodies[slider].mass", 1.9}, {"joints[main].damping[0]", 0.05},
	{"joints[guide].stiffness[0]", 140}, {"joints[guide].rest[0]", 0.16}, {"joints[wrist].predecessor_frame.position[0]", 0.42},
	{"joints[guide].predecessor_frame.position[1]", 0.03},
}

// record makes a file of data with columns a and b: the angle of the crank and the position of the slider, with noise of these deviations.
func record(t *testing.T, o *objective.Objective, model string, truth []float64, noise [2]float64, seed uint64) fstest.MapFS {
	t.Helper()
	const n = 100
	times := "time,a,b\n"
	for i := range n {
		times += fmt.Sprintf("%v,0,0\n", o.Run.Until*float64(i+1)/n)
	}
	file := fstest.MapFS{"d.csv": {Data: []byte(times)}}
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(model), Name: "m.json", Data: file})
	require.NoError(t, err)
	p, err = p.With(truth)
	require.NoError(t, err)
	list, err := p.Residuals(context.Background())
	require.NoError(t, err)
	require.Len(t, list, 2*n)
	rng := rand.New(rand.NewPCG(1, seed))
	var text strings.Builder
	text.WriteString("time,a,b\n")
	for i := range n {
		fmt.Fprintf(&text, "%v,%v,%v\n", list[i].Time, list[i].Value+noise[0]*rng.NormFloat64(), list[n+i].Value+noise[1]*rng.NormFloat64())
	}
	return fstest.MapFS{"d.csv": {Data: []byte(text.String())}}
}

// fitting returns the objective of a fit of two columns.
func fitting(columns [2]string, sigma [2]float64, until float64, paths ...string) *objective.Objective {
	o := &objective.Objective{At: objective.AtRun, Run: runs.Options{Until: until, Tolerance: check.Few(1e-9, 1e-7)}}
	for i, c := range columns {
		o.Terms = append(o.Terms, objective.Term{
			Name: c, Column: c, Take: objective.Data, File: "d.csv", From: string('a' + rune(i)), Sigma: sigma[i], Weight: 1, Power: 1,
		})
	}
	for _, path := range paths {
		o.Parameters = append(o.Parameters, objective.Parameter{Name: path, Paths: []string{path}})
	}
	return o
}

// TestFitSliderCrank recovers eight numbers of a slider-crank from noisy data within three deviations, in at most eight iterations.
func TestFitSliderCrank(t *testing.T) {
	o, source, truth, _ := noisySliderCrank(t)
	p, err := objective.NewProblem(o, "o.json", source)
	require.NoError(t, err)
	r, err := search.Fit(context.Background(), p, search.Options{})
	require.NoError(t, err)
	assert.Equal(t, search.Converged, r.Status)
	assert.LessOrEqual(t, len(r.Iterations), 8)
	assert.Empty(t, r.Unidentified)
	assert.Equal(t, 200, r.Residual.Count)
	assert.InDelta(t, 1, r.Residual.RMS, 0.15)
	for k, x := range r.Parameters {
		require.NotNil(t, x.Deviation, x.Name)
		assert.Less(t, math.Abs(x.Value-truth[k]), 3**x.Deviation, x.Name)
		assert.Less(t, *x.Deviation, 0.1*x.Value, x.Name)
		assert.InDelta(t, 1, *r.Correlation[k][k], 1e-12)
	}
}

// noisySliderCrank returns the fit of a slider-crank to noisy records, and the numbers with which they were made.
func noisySliderCrank(t *testing.T) (o *objective.Objective, source objective.Source, truth []float64, noise [2]float64) {
	noise = [2]float64{1e-3, 1e-4}
	o = fitting([2]string{"joint.main.q", "slider.px"}, noise, 1.5)
	o.Hold = []string{"crank"}
	for _, w := range wanted {
		o.Parameters = append(o.Parameters, objective.Parameter{Name: w.path, Paths: []string{w.path}})
		truth = append(truth, w.truth)
	}
	model := sliderCrank(t)
	return o, objective.Source{Text: []byte(model), Name: "m.json", Data: record(t, o, model, truth, noise, 5)}, truth, noise
}

// TestFitGoesOn: a fit that continues from any of its iterates ends with the same bits, and a fit ends at its limit of iterations. If the
// deviations of the data are unknown, the deviations of the parameters come from the residuals.
func TestFitGoesOn(t *testing.T) {
	check.Long(t)
	o, source, _, noise := noisySliderCrank(t)
	p, err := objective.NewProblem(o, "o.json", source)
	require.NoError(t, err)
	r, err := search.Fit(context.Background(), p, search.Options{})
	require.NoError(t, err)
	whole, err := json.Marshal(r)
	require.NoError(t, err)
	again, err := search.Fit(context.Background(), p, search.Options{From: r.Iterations[:3]})
	require.NoError(t, err)
	text, err := json.Marshal(again)
	require.NoError(t, err)
	assert.JSONEq(t, string(whole), string(text))

	short, err := search.Fit(context.Background(), p, search.Options{Iterations: 2})
	require.NoError(t, err)
	assert.Equal(t, search.Limit, short.Status)
	assert.Len(t, short.Iterations, 3)

	for i := range o.Terms {
		o.Terms[i].Weight, o.Terms[i].Sigma = 1/(noise[i]*noise[i]), 0
	}
	p, err = objective.NewProblem(o, "o.json", source)
	require.NoError(t, err)
	unknown, err := search.Fit(context.Background(), p, search.Options{})
	require.NoError(t, err)
	assert.InDelta(t, unknown.Residual.Sigma, math.Sqrt(r.Residual.Chi2/192), 1e-6)
	assert.InEpsilon(t, *r.Parameters[0].Deviation*unknown.Residual.Sigma, *unknown.Parameters[0].Deviation, 1e-5)
}

// crank is a single crank with a spring and without weight: only its inertia about the pin matters, not mass and inertia separately.
const crank = `{"format": "rung-model/1", "name": "crank", "bodies": [{"name": "crank", "mass": 2, "com": [0.3, 0, 0],
 "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1, "xy": 0, "xz": 0, "yz": 0}, "velocity": {"linear": [0, 0, 0], "angular": [0, 0, 2]}}],
 "joints": [{"name": "main", "type": "revolute", "predecessor": "world", "successor": "crank", "stiffness": [5], "damping": [0.1]}]}`

// TestFitUnidentified: mass and inertia of a single crank are named together, and a number without influence alone. They stay at their
// start as far as they are not determined, and the rest is found.
func TestFitUnidentified(t *testing.T) {
	o := fitting([2]string{"joint.main.q", "joint.main.qd"}, [2]float64{1e-4, 1e-4}, 2,
		"bodies[crank].mass", "joints[main].damping[0]", "bodies[crank].inertia.zz", "bodies[crank].inertia.xx")
	data := record(t, o, crank, []float64{2.2, 0.15, 0.12, 0.1}, [2]float64{1e-4, 1e-4}, 3)
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(crank), Name: "m.json", Data: data})
	require.NoError(t, err)
	r, err := search.Fit(context.Background(), p, search.Options{})
	require.NoError(t, err)
	assert.Equal(t, search.Converged, r.Status)
	assert.Equal(t, [][]string{{"bodies[crank].inertia.xx"}, {"bodies[crank].mass", "bodies[crank].inertia.zz"}}, r.Unidentified)
	inertia := func(m, zz float64) float64 { return m*0.09 + zz }
	assert.InDelta(t, inertia(2.2, 0.12), inertia(r.Parameters[0].Value, r.Parameters[2].Value), 1e-3)
	assert.InDelta(t, 0.15, r.Parameters[1].Value, 1e-3)
	assert.Equal(t, 0.1, r.Parameters[3].Value)
	for k, determined := range []bool{false, true, false, false} {
		assert.Equal(t, determined, r.Parameters[k].Deviation != nil)
		assert.Equal(t, determined, r.Correlation[k][k] != nil)
	}
}

// TestFitBounds: a number that would leave its bounds stays at its bound, and the others are optimal with it.
func TestFitBounds(t *testing.T) {
	o := fitting([2]string{"joint.main.q", "joint.main.qd"}, [2]float64{1e-4, 1e-4}, 2, "bodies[crank].mass", "joints[main].damping[0]")
	data := record(t, o, crank, []float64{2.2, 0.15}, [2]float64{1e-4, 1e-4}, 3)
	o.Parameters[1].Bounds = &[2]float64{0.05, 0.12}
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(crank), Name: "m.json", Data: data})
	require.NoError(t, err)
	r, err := search.Fit(context.Background(), p, search.Options{})
	require.NoError(t, err)
	assert.Equal(t, search.AtBounds, r.Status)
	assert.Equal(t, 0.12, r.Parameters[1].Value)
	assert.True(t, r.Parameters[1].AtBound)
	assert.Nil(t, r.Parameters[1].Deviation)
	// The best mass with that damping.
	o.Parameters = o.Parameters[:1]
	alone, err := objective.NewProblem(o, "o.json", objective.Source{
		Text: []byte(strings.Replace(crank, `"damping": [0.1]`, `"damping": [0.12]`, 1)), Name: "m.json", Data: data,
	})
	require.NoError(t, err)
	s, err := search.Fit(context.Background(), alone, search.Options{})
	require.NoError(t, err)
	assert.InDelta(t, s.Parameters[0].Value, r.Parameters[0].Value, 1e-5)
}

// TestFitRefused: fits that are impossible have errors with names.
func TestFitRefused(t *testing.T) {
	base := func() *objective.Objective {
		return fitting([2]string{"joint.main.q", "joint.main.qd"}, [2]float64{1, 1}, 1, "bodies[crank].mass")
	}
	data := fstest.MapFS{"d.csv": {Data: []byte("time,a,b\n0.5,1,1\n")}}
	for _, c := range []struct {
		change func(o *objective.Objective)
		want   string
	}{
		{func(o *objective.Objective) { o.Terms[1].Take = objective.Final }, `"joint.main.qd" takes final: a fit is to data alone`},
		{func(o *objective.Objective) {
			o.Parameters[0].Bounds = &[2]float64{0, 1}
		}, `"bodies[crank].mass" is 2 in the model, above its largest value, 1`},
		{func(o *objective.Objective) { o.Parameters = nil }, `there are no parameters`},
		{func(o *objective.Objective) {
			o.Parameters[0].Bounds = &[2]float64{3, 4}
		}, `"bodies[crank].mass" is 2 in the model, below its least value, 3`},
		{func(o *objective.Objective) {
			for _, path := range []string{"joints[main].damping[0]", "joints[main].stiffness[0]"} {
				o.Parameters = append(o.Parameters, objective.Parameter{Name: path, Paths: []string{path}})
			}
		}, `fewer data than parameters`},
		{func(o *objective.Objective) {
			o.Constraints = []objective.Constraint{{Term: objective.Term{Name: "c", Column: "joint.main.q", Weight: 1, Power: 1}}}
		}, `"c" is a constraint`},
	} {
		o := base()
		c.change(o)
		p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(crank), Name: "m.json", Data: data})
		require.NoError(t, err)
		r, err := search.Fit(context.Background(), p, search.Options{})
		assert.Nil(t, r)
		require.ErrorAs(t, err, new(*search.ProblemError))
		assert.ErrorContains(t, err, c.want)
	}
	p, err := objective.NewProblem(base(), "o.json", objective.Source{Text: []byte(crank), Name: "m.json", Data: data})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = search.Fit(ctx, p, search.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestFitStalled: a fit that is led to impossible bodies ends before them, with the reason.
func TestFitStalled(t *testing.T) {
	o := fitting([2]string{"joint.main.q", "joint.main.qd"}, [2]float64{1e-4, 1e-4}, 2, "bodies[crank].inertia.zz")
	wide := strings.NewReplacer(`"xx": 0.1`, `"xx": 0.2`, `"yy": 0.1`, `"yy": 0.2`).Replace(crank)
	data := record(t, o, wide, []float64{0.3}, [2]float64{1e-4, 1e-4}, 3)
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(crank), Name: "m.json", Data: data})
	require.NoError(t, err)
	r, err := search.Fit(context.Background(), p, search.Options{})
	require.NoError(t, err)
	assert.Equal(t, search.Stalled, r.Status)
	assert.Contains(t, r.Reason, "bodies[0].inertia: breaks the triangle inequality")
	assert.InDelta(t, 0.2, r.Parameters[0].Value, 1e-6)
}
