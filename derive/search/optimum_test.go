package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/motion/runs"
)

// ball falls freely, so that its acceleration is gravity: a point of two numbers, for objectives with closed forms.
const ball = `{"format": "rung-model/1", "name": "ball", "gravity": [1, 1, 0.5], "bodies": [{"name": "ball", "mass": 2,
 "inertia": {"xx": 1, "yy": 1, "zz": 1, "xy": 0, "xz": 0, "yz": 0}}], "joints": []}`

// nearest is the squared distance to (3, 4), plus a little of the third number of gravity.
func nearest() *objective.Objective {
	o := &objective.Objective{At: objective.AtState}
	for i, target := range []float64{3, 4} {
		c := "ball.acc" + string('x'+rune(i))
		o.Terms = append(o.Terms, objective.Term{Name: c, Column: c, Weight: 1, Power: 2, Target: target})
	}
	for _, path := range []string{"gravity[0]", "gravity[1]"} {
		o.Parameters = append(o.Parameters, objective.Parameter{Name: path, Paths: []string{path}})
	}
	return o
}

func constraint(column string, kind objective.ConstraintKind, bound float64) objective.Constraint {
	return objective.Constraint{Term: objective.Term{Name: column, Column: column, Weight: 1, Power: 1}, Kind: kind, Bound: bound}
}

func optimize(t *testing.T, o *objective.Objective, how search.OptimizeOptions) *search.Optimum {
	t.Helper()
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(ball), Name: "m.json"})
	require.NoError(t, err)
	r, err := search.Optimize(context.Background(), p, how)
	require.NoError(t, err)
	return r
}

// TestOptimize has closed forms: without conditions, with bounds of each kind, and with constraints, with their multipliers.
func TestOptimize(t *testing.T) {
	const tol = 1e-5
	inf := math.Inf(1)
	bounds := func(k int, lo, hi float64) func(*objective.Objective) {
		return func(o *objective.Objective) { o.Parameters[k].Bounds = &[2]float64{lo, hi} }
	}
	with := func(list ...objective.Constraint) func(*objective.Objective) {
		return func(o *objective.Objective) { o.Constraints = list }
	}
	for name, c := range map[string]struct {
		change     func(o *objective.Objective)
		x, y       float64
		status     search.Status
		multiplier []float64 // of the constraints, or of the bounds of x and y
	}{
		"free":    {bounds(0, 0, inf), 3, 4, search.Converged, nil},
		"wide":    {bounds(0, 0, 9), 3, 4, search.Converged, nil},
		"at most": {bounds(0, -inf, 2), 2, 4, search.AtBounds, []float64{-2, 0}},
		"at least": {func(o *objective.Objective) {
			o.Terms[1].Target = -4
			o.Parameters[1].Bounds = &[2]float64{-1, inf}
		}, 3, -1, search.AtBounds, []float64{0, 6}},
		"both":       {bounds(0, 0, 2), 2, 4, search.AtBounds, []float64{-2, 0}},
		"from bound": {bounds(0, 1, 9), 3, 4, search.Converged, nil},
		"far":        {bounds(0, 0, 1e7), 3, 4, search.Converged, nil},
		"farther":    {bounds(0, -1e8, 1e8), 3, 4, search.Converged, nil},
		"less":       {with(constraint("ball.accx", objective.AtMost, 1)), 1, 4, search.Converged, []float64{4}},
		"more":       {with(constraint("ball.accy", objective.AtLeast, 7)), 3, 7, search.Converged, []float64{6}},
		"idle":       {with(constraint("ball.accy", objective.AtMost, 7)), 3, 4, search.Converged, []float64{0}},
		"equal":      {with(constraint("ball.accy", objective.Equals, 2)), 3, 2, search.Converged, []float64{4}},
		"impossible": {
			with(constraint("ball.accx", objective.AtLeast, 2), constraint("ball.vx", objective.AtLeast, 1)), 3, 4, search.Violated, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := nearest()
			c.change(o)
			r := optimize(t, o, search.OptimizeOptions{})
			assert.Equal(t, c.status, r.Status)
			if c.status != search.Violated {
				assert.InDelta(t, c.x, r.Parameters[0].Value, tol)
				assert.InDelta(t, c.y, r.Parameters[1].Value, tol)
			}
			for i, want := range c.multiplier {
				if len(r.Constraints) > 0 {
					assert.InDelta(t, want, r.Constraints[i].Multiplier, 1e-4)
				} else {
					assert.InDelta(t, want, r.Parameters[i].Multiplier, 1e-4)
				}
			}
			assert.NotEmpty(t, r.Iterations)
		})
	}
}

// TestOptimizeResume: a search that continues from any of its evaluations ends with the same bits, and evaluations of another search are
// refused.
func TestOptimizeResume(t *testing.T) {
	o := nearest()
	o.Constraints = append(o.Constraints, constraint("ball.accx", objective.AtMost, 1))
	var list []search.Evaluation
	r := optimize(t, o, search.OptimizeOptions{OnEvaluation: func(e *search.Evaluation) error {
		list = append(list, *e)
		return nil
	}})
	whole, err := json.Marshal(r)
	require.NoError(t, err)
	require.Greater(t, len(list), 6)
	for _, n := range []int{1, 5, len(list)} {
		computed := 0
		again := optimize(t, o, search.OptimizeOptions{Evaluations: list[:n], OnEvaluation: func(*search.Evaluation) error {
			computed++
			return nil
		}})
		text, err := json.Marshal(again)
		require.NoError(t, err)
		assert.JSONEq(t, string(whole), string(text))
		assert.Equal(t, len(list)-n, computed)
	}
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(ball), Name: "m.json"})
	require.NoError(t, err)
	_, err = search.Optimize(context.Background(), p, search.OptimizeOptions{Evaluations: list[3:]})
	require.ErrorContains(t, err, "of another search")
	for _, spoil := range []func(e *search.Evaluation){ // as a file may be
		func(e *search.Evaluation) { e.Slopes = [][]float64{{}, {}} },
		func(e *search.Evaluation) { e.Slopes = e.Slopes[:1] },
		func(e *search.Evaluation) { e.Constraints = nil },
	} {
		spoiled := slices.Clone(list)
		spoil(&spoiled[0])
		_, err = search.Optimize(context.Background(), p, search.OptimizeOptions{Evaluations: spoiled})
		require.ErrorContains(t, err, "of another search")
	}

	// The search ends with an error of its caller, and with the context.
	end := errors.New("enough")
	_, err = search.Optimize(context.Background(), p, search.OptimizeOptions{OnEvaluation: func(*search.Evaluation) error { return end }})
	require.ErrorIs(t, err, end)
	_, err = search.Optimize(context.Background(), p, search.OptimizeOptions{
		Options: search.Options{OnIteration: func(*search.Iteration) error { return end }},
	})
	require.ErrorIs(t, err, end)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = search.Optimize(ctx, p, search.OptimizeOptions{})
	require.ErrorIs(t, err, context.Canceled)
	limited := optimize(t, o, search.OptimizeOptions{Options: search.Options{Iterations: 2}})
	assert.LessOrEqual(t, len(limited.Iterations), 2)
}

// TestOptimizeFailed: steps to impossible mechanisms are not taken, and an impossible start is an error with the reason.
func TestOptimizeFailed(t *testing.T) {
	o := nearest()
	o.Terms = append(o.Terms[:1], objective.Term{Name: "q", Column: "ball.accz", Weight: 1, Power: 1})
	// A smaller mass has no effect here, and zero mass is no valid model.
	o.Parameters[1] = objective.Parameter{Name: "mass", Paths: []string{"bodies[ball].mass"}}
	r := optimize(t, o, search.OptimizeOptions{})
	assert.InDelta(t, 3, r.Parameters[0].Value, 1e-5)
	assert.InDelta(t, 2, r.Parameters[1].Value, 1e-9)
}

// TestOptimizeBare: a search that reaches a point with a value but no derivative, as where frequencies meet, ends at the best point before.
func TestOptimizeBare(t *testing.T) {
	var list []search.Evaluation
	optimize(t, nearest(), search.OptimizeOptions{OnEvaluation: func(e *search.Evaluation) error {
		list = append(list, *e)
		return nil
	}})
	n := slices.IndexFunc(list[1:], func(e search.Evaluation) bool { return e.Slopes != nil }) + 1
	require.Positive(t, n)
	list[n] = search.Evaluation{Parameters: list[n].Parameters, Failed: true, Reason: "no derivative"}
	r := optimize(t, nearest(), search.OptimizeOptions{Evaluations: list[:n+1]})
	assert.Equal(t, search.Stalled, r.Status)
	assert.Equal(t, list[0].Value, r.Value)
	assert.Equal(t, "no derivative", r.Reason)
	assert.Equal(t, []float64{1, 1}, []float64{r.Parameters[0].Value, r.Parameters[1].Value})
}

// reachProblem is an objective of the solution of a task of examples/reach, by the position of its target.
func reachProblem(t *testing.T, term objective.Term, constraints ...objective.Constraint) *objective.Problem {
	t.Helper()
	dir := "../../examples/reach"
	text, err := os.ReadFile(dir + "/arm.json")
	require.NoError(t, err)
	o := &objective.Objective{At: objective.AtReach, Task: "pick.json", Terms: []objective.Term{term}, Constraints: constraints}
	o.Parameters = []objective.Parameter{{Name: "x", Paths: []string{"task.targets[tip].position[0]"}}}
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: text, Name: "m.json", Data: os.DirFS(dir)})
	require.NoError(t, err)
	return p
}

// TestOptimizeReach: a target is moved to where the elbow has a given angle, and as far as a constraint allows, compared with the law of
// cosines.
func TestOptimizeReach(t *testing.T) {
	elbow := objective.Term{Name: "elbow", Column: "joint.elbow.q", Weight: 1, Power: 2, Target: 1.2}
	at := func(q float64) float64 { return math.Sqrt(0.4*0.4 + 0.3*0.3 + 2*0.4*0.3*math.Cos(q) - 0.3*0.3) } // the tip is beside the column
	r, err := search.Optimize(context.Background(), reachProblem(t, elbow), search.OptimizeOptions{})
	require.NoError(t, err)
	assert.Equal(t, search.Converged, r.Status)
	assert.InDelta(t, at(1.2), r.Parameters[0].Value, 1e-5)

	p := reachProblem(t, elbow, constraint("joint.elbow.q", objective.AtLeast, 1.3))
	r, err = search.Optimize(context.Background(), p, search.OptimizeOptions{})
	require.NoError(t, err)
	assert.InDelta(t, at(1.3), r.Parameters[0].Value, 1e-5)
	assert.InDelta(t, 0.2, r.Constraints[0].Multiplier, 1e-4)
}

// TestOptimizeToTheEnd: a search that is led to a point without derivative, as at the end of reach, ends at the best point on its way
// there.
func TestOptimizeToTheEnd(t *testing.T) {
	p := reachProblem(t, objective.Term{Name: "elbow", Column: "joint.elbow.q", Weight: 1, Power: 1})
	r, err := search.Optimize(context.Background(), p, search.OptimizeOptions{})
	require.NoError(t, err)
	assert.Equal(t, search.Stalled, r.Status)
	assert.NotEmpty(t, r.Reason)
	assert.Less(t, r.Value, 0.1)
	assert.Greater(t, r.Start, 1.5)
}

// TestFitOverflow: slopes of a misfit that overflow end a fit with an error, instead of counting as slopes of parameters without influence.
func TestFitOverflow(t *testing.T) {
	o := &objective.Objective{At: objective.AtRun, Run: runs.Options{Until: 0.1, Step: 0.1, Integrator: runs.RungeKutta4}}
	for i, sigma := range []float64{1e-310, 1} {
		c := "ball.acc" + string('x'+rune(i))
		o.Terms = append(o.Terms, objective.Term{
			Name: c, Column: c, Take: objective.Data, File: "d.csv", From: c, Sigma: sigma, Weight: 1, Power: 1,
		})
	}
	for _, path := range []string{"gravity[0]", "gravity[1]"} {
		o.Parameters = append(o.Parameters, objective.Parameter{Name: path, Paths: []string{path}})
	}
	data := fstest.MapFS{"d.csv": {Data: []byte("time,ball.accx,ball.accy\n0.1,1,4\n")}}
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(ball), Name: "m.json", Data: data})
	require.NoError(t, err)
	_, err = search.Fit(context.Background(), p, search.Options{})
	require.ErrorContains(t, err, `the misfit of term "ball.accx" at 0.1 s, or its derivative, is not finite`)
}

// TestOptimizeBegins: a search begins at the numbers of the model for bounds at any distance, and refuses bounds so far that these numbers
// would be lost to rounding.
func TestOptimizeBegins(t *testing.T) {
	const tol = 1e-6
	inf := math.Inf(1)
	for _, bounds := range [][2]float64{{0, 2}, {0, 1e3}, {0, 1e8}, {-1e8, 1e8}, {-1e8, inf}, {-inf, 1e8}} {
		o := nearest()
		o.Parameters[0].Bounds = &bounds
		r := optimize(t, o, search.OptimizeOptions{})
		assert.InEpsilon(t, 2*2+3*3, r.Start, tol, "%v", bounds) // gravity is (1, 1)
	}
	for _, bounds := range [][2]float64{{0, 1e18}, {-1e308, 1e308}, {-1e18, inf}, {-inf, 1e18}, {1, 1}} {
		o := nearest()
		o.Parameters[0].Bounds = &bounds
		p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(ball), Name: "m.json"})
		require.NoError(t, err)
		_, err = search.Optimize(context.Background(), p, search.OptimizeOptions{})
		require.ErrorAs(t, err, new(*search.ProblemError))
		require.ErrorContains(t, err, `"gravity[0]"`)
	}
	p, err := objective.NewProblem(nearest(), "o.json", objective.Source{Text: []byte(ball), Name: "m.json"})
	require.NoError(t, err)
	_, err = search.Optimize(context.Background(), p, search.OptimizeOptions{Options: search.Options{From: []search.Iteration{{}}}})
	require.ErrorContains(t, err, "from Evaluations on, not from iterates")
}
