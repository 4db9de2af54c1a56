package objective

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// alphaProblem makes the problem of a run by generalized-α of a reference model.
func alphaProblem(t *testing.T, name string, o runs.Options, columns []string, paths ...string) *Problem {
	t.Helper()
	file := filepath.Join("..", "..", "reference", "derivatives", name+".model.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	o.Integrator = runs.GeneralizedAlpha
	p := &Objective{At: AtRun, Run: o}
	for i, c := range columns {
		p.Terms = append(p.Terms, Term{Name: c, Column: c, Weight: 1, Power: 1},
			Term{Name: c + " all along", Column: c, Take: Integral, Weight: 1, Power: 2, Target: float64(i)})
	}
	for _, path := range paths {
		p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
	}
	g, err := NewProblem(p, "o.json", Source{Text: text, Name: file})
	require.NoError(t, err)
	return g
}

// TestAlphaBothWays: gradients of runs by generalized-α are the transpose of tangents, with fixed and with adaptive steps, with projected
// velocities or without, at any damping.
func TestAlphaBothWays(t *testing.T) {
	const (
		same = 1e-12
		// chosen is the tolerance for adaptive steps: the first ones are of 1e-4 s, and accelerations have the rounding of poses divided by its square.
		chosen = 1e-8
	)
	for name, c := range map[string]struct{ columns, paths []string }{
		"pendulum":              {[]string{"joint.pin1.q", "link1.alphaz"}, []string{"bodies[0].mass"}},
		"driven-mixed":          {[]string{"joint.m2.q0", "joint.m2.qd0"}, []string{"bodies[0].mass", "bodies[1].com[0]"}},
		"springs":               {[]string{"joint.close.q3"}, []string{"bodies[1].mass", "forces[0].stiffness"}},
		"four-bar":              {[]string{"joint.p2.q", "coupler.vy", "joint.p2.qdd"}, []string{"bodies[coupler].com[1]", "gravity[1]"}},
		"gear-pair":             {[]string{"joint.ja.q"}, []string{"bodies[0].mass"}},
		"floating-slider-crank": {[]string{"base.px"}, []string{"bodies[0].mass"}},
		"armature-four-bar":     {[]string{"joint.p1.q", "coupler.vy"}, []string{"bodies[coupler].mass", "joints[p0].armature[0]"}},
	} {
		if testing.Short() && name != "four-bar" {
			continue
		}
		for how, o := range map[string]runs.Options{
			"fixed":        {Until: 0.05, Step: 0.005},
			"long":         {Until: 0.06, Step: 0.02},
			"chosen":       {Until: 0.05, Tolerance: 1e-5},
			"raw, rho 0":   {Until: 0.05, Step: 0.005, Stabilization: runs.None, Annihilate: true},
			"rho 0.95":     {Until: 0.05, Tolerance: 1e-4, Rho: 0.95},
			"cut at extra": {Until: 0.05, Step: 0.005, Every: 0.0125},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				tol := same
				if o.Step == 0 {
					tol = chosen
				}
				g := alphaProblem(t, name, o, c.columns, c.paths...)
				r, err := g.Gradient(context.Background())
				require.NoError(t, err)
				a, err := g.ahead(context.Background(), true)
				require.NoError(t, err)
				assert.InDelta(t, r.Run.Projection, a.told.Projection, 1e-15)
				assert.Less(t, r.Run.Projection, 1e-5, "of velocities that are not the nearest ones")
				if o.Stabilization == runs.None {
					assert.Zero(t, r.Run.Projection)
				}
				values, slopes := a.sums(g)
				for i := range values {
					assert.InDelta(t, values[i], r.Terms[i].Value, same*max(1, math.Abs(values[i])), r.Terms[i].Name)
					for k, x := range slopes[i] {
						back := r.Parameters[k].Terms[i]
						assert.InDelta(t, x, back, tol*max(1, math.Abs(x)), "%s by %s", r.Terms[i].Name, r.Parameters[k].Name)
					}
				}
			})
		}
	}
}

// TestAlphaRevolve: gradients of runs by generalized-α whose states do not fit in memory have the same bits.
func TestAlphaRevolve(t *testing.T) {
	g := alphaProblem(t, "four-bar", runs.Options{Until: 0.2, Step: 0.002}, []string{"joint.p2.q"}, "bodies[coupler].mass", "gravity[1]")
	whole, err := g.Gradient(context.Background())
	require.NoError(t, err)
	g.memory = 90_000
	c, err := g.run(context.Background())
	require.NoError(t, err)
	require.Equal(t, 100, c.pieces[0].Steps())
	require.Less(t, c.pieces[0].Bytes(), int64(100*8*95), "not all states are there")
	parts, err := g.Gradient(context.Background())
	require.NoError(t, err)
	assert.Equal(t, whole, parts)
}

// TestAlphaOrder: gradients converge with the order 2 of the method to those of an explicit method with small steps.
func TestAlphaOrder(t *testing.T) {
	gradient := func(o runs.Options, integrator runs.Integrator) float64 {
		g := alphaProblem(t, "four-bar", o, []string{"joint.p2.q", "coupler.vy"}, "bodies[coupler].com[1]")
		g.o.Run.Integrator = integrator
		r, err := g.Gradient(context.Background())
		require.NoError(t, err)
		return r.Parameters[0].Gradient
	}
	want := gradient(runs.Options{Until: 0.1, Step: 0.001}, runs.RungeKutta4)
	coarse := gradient(runs.Options{Until: 0.1, Step: 0.01}, runs.GeneralizedAlpha) - want
	fine := gradient(runs.Options{Until: 0.1, Step: 0.005}, runs.GeneralizedAlpha) - want
	assert.InDelta(t, 2, math.Log2(coarse/fine), 0.2, "%v %v", coarse, fine)
}

// rubbing is the problem of the reference pendulum with friction that grows with the reaction of its pin.
func rubbing(t *testing.T, o runs.Options, paths ...string) *Problem {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "reference", "derivatives", "pendulum.model.json"))
	require.NoError(t, err)
	rubs := bytes.Replace(text, []byte(`"force": [0.4],`),
		[]byte(`"force": [0.4], "friction": [{"coefficient": 0.3, "radius": 0.05, "speed": 0.3}],`), 1)
	require.NotEqual(t, text, rubs)
	p := *alphaProblem(t, "pendulum", o, []string{"joint.pin1.q", "joint.pin1.qd"}).o
	for _, path := range paths {
		p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
	}
	g, err := NewProblem(&p, "o.json", Source{Text: rubs, Name: "m.json"})
	require.NoError(t, err)
	return g
}

// TestAlphaDifference compares gradients of runs by generalized-α with differences of the same runs: with armature, also of prescribed
// freedoms, and with friction that grows with a reaction.
func TestAlphaDifference(t *testing.T) {
	const (
		h   = 1e-3
		tol = 2e-7 // the error of Newton's method divided by the steps of differences
	)
	o := runs.Options{Until: 0.1, Step: 0.004}
	for name, g := range map[string]*Problem{
		"armature": alphaProblem(t, "armature-four-bar", o, []string{"joint.p1.q", "coupler.vy"},
			"bodies[coupler].mass", "joints[p0].armature[0]", "gravity[1]", "joints[p0].damping[0]"),
		"friction": rubbing(t, o, "joints[pin1].friction[0].coefficient", "joints[pin1].friction[0].radius", "bodies[0].mass", "gravity[1]"),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			differences(t, g, r, h, tol)
			bothWays(t, g, r)
		})
	}
}

// TestAlphaRubs: with friction that grows with a reaction, gradients over implicit and over explicit steps converge to each other as steps
// get short.
func TestAlphaRubs(t *testing.T) {
	gradient := func(step float64, integrator runs.Integrator) []float64 {
		g := rubbing(t, runs.Options{Until: 0.2, Step: step}, "joints[pin1].friction[0].coefficient")
		g.o.Run.Integrator = integrator
		r, err := g.Gradient(context.Background())
		require.NoError(t, err)
		return r.Parameters[0].Terms
	}
	want, got := gradient(0.002, runs.RungeKutta4), gradient(0.002, runs.GeneralizedAlpha)
	for i := range want {
		assert.InDelta(t, want[i], got[i], 1e-3*math.Abs(want[i]), "of order 2")
	}
}

// TestAlphaStiff: the first step takes over an error that stiff forces suppress, such as of a wheel on the ground, and so does its
// derivative, which was once wrong by 1.6e-3 without an error.
func TestAlphaStiff(t *testing.T) {
	const h, tol = 1e-3, 4e-5
	file := filepath.Join("..", "..", "reference", "ground", "disc-roll.model.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	p := &Objective{At: AtRun, Run: runs.Options{Until: 0.1, Step: 0.004, Integrator: runs.GeneralizedAlpha}}
	p.Terms = []Term{{Name: "x", Column: "wheel.px", Weight: 1, Power: 1}, {Name: "v", Column: "wheel.vx", Weight: 1, Power: 1}}
	p.Parameters = []Parameter{{Name: "mass", Paths: []string{"bodies[0].mass"}}}
	g, err := NewProblem(p, "o.json", Source{Text: text, Name: file})
	require.NoError(t, err)
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	values := g.Values()
	var sides [2]*Result
	for i, by := range [2]float64{h, -h} {
		q, err := g.With([]float64{values[0] + by})
		require.NoError(t, err)
		sides[i], err = q.Value(context.Background())
		require.NoError(t, err)
	}
	require.InDelta(t, 3e-4, r.Run.Matrix, 1e-4, "more than the error below")
	for i := range r.Terms {
		want := (sides[0].Terms[i].Value - sides[1].Terms[i].Value) / (2 * h)
		assert.InDelta(t, want, r.Parameters[0].Terms[i], tol*math.Abs(want), r.Terms[i].Name)
	}
	bothWays(t, g, r)
}

// TestAlphaMatrixWithoutSprings: without springs and dampers the first matrix leaves nothing out but rounding.
func TestAlphaMatrixWithoutSprings(t *testing.T) {
	const rounding = 1e-12
	m, err := bench.Ladder(10, 1)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, model.Write(&text, m))
	last := m.Bodies[len(m.Bodies)-1].Name
	for step := 0.001; step < 0.009; step += 0.001 {
		p := &Objective{At: AtRun, Run: runs.Options{Until: 2 * step, Step: step, Integrator: runs.GeneralizedAlpha}}
		for _, c := range []string{".px", ".vy", ".alphaz"} {
			p.Terms = append(p.Terms, Term{Name: c, Column: last + c, Weight: 1, Power: 1})
		}
		p.Parameters = []Parameter{{Name: "mass", Paths: []string{"bodies[0].mass"}}}
		g, err := NewProblem(p, "o.json", Source{Text: text.Bytes(), Name: "m.json"})
		require.NoError(t, err)
		r, err := g.Gradient(context.Background())
		require.NoError(t, err)
		require.Less(t, r.Run.Matrix, rounding)
	}
}

// TestAlphaKinkMatrix: if forces have kinks, the matrix of the trial step is made at the predicted end. Gradients once assumed the start:
// with a stop in between they were wrong by a third.
func TestAlphaKinkMatrix(t *testing.T) {
	const h = 1e-4
	text, err := os.ReadFile(filepath.Join("..", "..", "reference", "derivatives", "four-bar.model.json"))
	require.NoError(t, err)
	const at = `"name": "p3",`
	stopped := bytes.Replace(text, []byte(at), []byte(at+`
		"limits": [{"lower": -0.001, "upper": 0.001, "stop": {"stiffness": 3000, "exponent": 1.5, "dissipation": 0.3}}],`), 1)
	require.NotEqual(t, text, stopped)
	for name, o := range map[string]struct {
		runs.Options
		tol float64 // the change of the matrix is left out of gradients
	}{
		"on the joints": {runs.Options{Until: 0.04, Step: 0.004}, 4e-5},
		"as they are":   {runs.Options{Until: 0.04, Step: 0.004, Stabilization: runs.None}, 1e-3},
	} {
		t.Run(name, func(t *testing.T) {
			p := *alphaProblem(t, "four-bar", o.Options, []string{"coupler.alphaz", "joint.p2.qd"}, "bodies[coupler].mass", "gravity[1]",
				"bodies[rocker].mass").o
			p.Parameters = append(p.Parameters, Parameter{Name: "stop", Paths: []string{"joints[p3].limits[0].stop.stiffness"}})
			g, err := NewProblem(&p, "o.json", Source{Text: stopped, Name: "m.json"})
			require.NoError(t, err)
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			require.InDelta(t, 4e-5, r.Run.Matrix, 1e-5)
			differences(t, g, r, h, o.tol)
			bothWays(t, g, r)
		})
	}
}

// TestAlphaChosenDifference: gradients of adaptive steps are exact for the steps that were taken. Without projection they equal differences
// of runs whose steps end at the same times. If each run chooses its own steps, velocities across the joints have another error of the
// order of h², and differences of runs are wrong: by all of a gradient of 1e-3 here.
func TestAlphaChosenDifference(t *testing.T) {
	const h, tol = 1e-3, 1e-7
	o := runs.Options{Until: 0.1, Tolerance: 1e-6, Stabilization: runs.None}
	columns, paths := []string{"base.vy", "base.px"}, []string{"bodies[3].mass", "joints[0].damping[0]"}
	g := alphaProblem(t, "floating-slider-crank", o, columns, paths...)
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	rows := *g.o
	rows.Terms = append([]Term{{Name: "each step", Column: columns[0], Take: Max, Weight: 1, Power: 1}}, rows.Terms...)
	p, err := NewProblem(&rows, "o.json", g.source)
	require.NoError(t, err)
	c, err := p.run(context.Background())
	require.NoError(t, err)
	ends := new(record)
	for _, st := range c.states[1:] {
		ends.times = append(ends.times, st.Time)
	}
	at := func(values []float64) []float64 {
		q, err := g.With(values)
		require.NoError(t, err)
		same := *q.o
		same.Run.Tolerance, same.Run.Step = 0, o.Until
		q.o = &same
		q.data = append(q.data[:0:0], ends)
		v, err := q.Value(context.Background())
		require.NoError(t, err)
		list := make([]float64, len(v.Terms))
		for i := range list {
			list[i] = v.Terms[i].Value
		}
		return list
	}
	for i, x := range at(g.Values()) {
		require.InDelta(t, r.Terms[i].Value, x, 1e-11, "the same steps")
	}
	for k := range paths {
		side := func(by float64) []float64 {
			values := g.Values()
			values[k] += by
			return at(values)
		}
		a, b, c, d := side(-2*h), side(-h), side(h), side(2*h)
		for i := range a {
			want := (8*(c[i]-b[i]) - (d[i] - a[i])) / (12 * h)
			assert.InDelta(t, want, r.Parameters[k].Terms[i], tol*max(0.01, math.Abs(want)), "%s by %s", r.Terms[i].Name, paths[k])
		}
	}
}
