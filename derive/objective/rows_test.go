package objective_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// wave is a file of data at times that are not multiples of a step; the first time is the start.
func wave(n int, until float64) fstest.MapFS {
	var b strings.Builder
	b.WriteString("# a sensor\ntime, other, y\n")
	for i := range n {
		u := float64(i) / float64(n-1)
		fmt.Fprintf(&b, "%v,,%v\n", until*u*(0.9+0.1*u), math.Sin(5*u))
	}
	return fstest.MapFS{"data/wave.csv": {Data: []byte(b.String())}}
}

// lastBody returns the name of the last body of a model.
func lastBody(t *testing.T, text string) string {
	t.Helper()
	var names struct{ Bodies []struct{ Name string } }
	require.NoError(t, json.Unmarshal([]byte(text), &names))
	return names.Bodies[len(names.Bodies)-1].Name
}

// problemOf makes a problem with such data.
func problemOf(t *testing.T, o *objective.Objective, text string, until float64) *objective.Problem {
	t.Helper()
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(text), Name: "m.json", Data: wave(13, until)})
	require.NoError(t, err)
	return p
}

// difference returns a central difference of order 4 of the value of a problem by one parameter.
func difference(t *testing.T, p *objective.Problem, k int, h float64) float64 {
	t.Helper()
	at := func(by float64) float64 {
		values := p.Values()
		values[k] += by
		q, err := p.With(values)
		require.NoError(t, err)
		r, err := q.Value(context.Background())
		require.NoError(t, err)
		return r.Value
	}
	whole, half := (at(h)-at(-h))/(2*h), (at(h/2)-at(-h/2))/h
	return (4*half - whole) / 3
}

// TestRowsDifference compares gradients of data, extremes and integrals over runs of fixed steps with differences of the same runs, and the
// way back with the way forwards. Parameters are masses, a position in a body, a frame, and a spring; some change together.
func TestRowsDifference(t *testing.T) {
	// Without projection, differences are exact for the computed run.
	const h, tol, same = 1e-3, 2e-8, 1e-11
	for name, c := range map[string]struct {
		column string
		paths  []string
	}{
		"driven-mixed": {"joint.m2.q0", []string{"bodies[0].mass", "bodies[1].com[0]"}},
		"springs":      {"joint.close.q3", []string{"bodies[1].mass", "forces[0].stiffness"}},
		"four-bar":     {"joint.p2.q", []string{"bodies[coupler].mass", "bodies[coupler].com[1]", "gravity[1]"}},
		"gear-pair":    {"joint.ja.q", []string{"bodies[0].mass"}},
	} {
		if testing.Short() && name != "four-bar" && name != "gear-pair" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m := text(t, name)
			last := lastBody(t, m)
			o := &objective.Objective{
				At: objective.AtRun, Run: runs.Options{Until: 0.1, Integrator: runs.RungeKutta4, Step: 0.004, Every: 0.01, Stabilization: runs.None},
				Terms: []objective.Term{
					{Name: "data", Column: c.column, Take: objective.Data, File: "data/wave.csv", From: "y", Sigma: 0.3, Weight: 2},
					{Name: "more", Column: last + ".vx", Take: objective.Data, File: "data/wave.csv", From: "y", Weight: 1},
					{Name: "least", Column: last + ".wz", Take: objective.Min, Weight: 3, Power: 2, Target: 0.1},
					{Name: "most", Column: c.column, Take: objective.Max, Weight: 1, Power: 1},
					{Name: "sum", Column: last + ".py", Take: objective.Integral, Weight: 1, Power: 2, Target: 2},
					{Name: "end", Column: last + ".qx", Weight: 1, Power: 1},
					{Name: "shake", Column: last + ".accx", Take: objective.Integral, Weight: 0.01, Power: 2},
					{Name: "jerk", Column: strings.Replace(c.column, ".q", ".qdd", 1), Weight: 0.01, Power: 1},
				},
			}
			for _, path := range c.paths {
				o.Parameters = append(o.Parameters, objective.Parameter{Name: path, Paths: []string{path}})
			}
			o.Parameters = append(o.Parameters, objective.Parameter{Name: "both", Paths: []string{"bodies[0].inertia.zz", "bodies[1].inertia.zz"}})
			p := problemOf(t, o, m, 0.1)
			r, err := p.Gradient(context.Background())
			require.NoError(t, err)
			for k := range r.Parameters {
				want := difference(t, p, k, h*max(1e-2, math.Abs(r.Parameters[k].Value)))
				assert.InDelta(t, want, r.Parameters[k].Gradient, tol*max(1, math.Abs(want)), r.Parameters[k].Name)
			}
			value, err := p.Value(context.Background())
			require.NoError(t, err)
			for i := range value.Terms {
				assert.InDelta(t, r.Terms[i].Value, value.Terms[i].Value, same*max(1, math.Abs(r.Terms[i].Value)), r.Terms[i].Name)
			}
			list, err := p.ResidualSlopes(context.Background())
			require.NoError(t, err)
			require.Len(t, list, 26)
			assert.Zero(t, list[0].Time)
			sum, slopes := 0.0, make([]float64, len(r.Parameters))
			for i := range list {
				sum += list[i].Misfit * list[i].Misfit / 2
				for k, s := range list[i].Slopes {
					slopes[k] += list[i].Misfit * s
				}
			}
			assert.InEpsilon(t, r.Terms[0].Value+r.Terms[1].Value, sum, same)
			for k, s := range slopes {
				back := r.Parameters[k].Terms[0] + r.Parameters[k].Terms[1]
				assert.InDelta(t, back, s, same*max(1, math.Abs(s)), "forwards and back by %s", r.Parameters[k].Name)
			}
		})
	}
}

// TestAdaptive: adaptive steps end at the times of data, too, and any of the rows may have the minimum.
func TestAdaptive(t *testing.T) {
	const h, tol = 1e-3, 1e-5 // steps change with the parameter
	m := text(t, "four-bar")
	o := &objective.Objective{
		At: objective.AtRun, Run: runs.Options{Until: 0.5, Tolerance: 1e-10},
		Terms: []objective.Term{
			{Name: "data", Column: "coupler.px", Take: objective.Data, File: "data/wave.csv", From: "y", Weight: 1},
			{Name: "end", Column: "coupler.py", Take: objective.Max, Weight: 1, Power: 1},
		},
		Parameters: []objective.Parameter{
			{Name: "place", Paths: []string{"joints[p2].predecessor_frame.position[0]"}}, {Name: "mass", Paths: []string{"bodies[coupler].mass"}},
		},
	}
	p := problemOf(t, o, m, 0.5)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	for k := range r.Parameters {
		want := difference(t, p, k, h)
		assert.InDelta(t, want, r.Parameters[k].Gradient, tol*max(1, math.Abs(want)), r.Parameters[k].Name)
	}
}

// TestSeveralRuns: experiments add up to the results of each alone, and a setting applies to its experiment only.
func TestSeveralRuns(t *testing.T) {
	m := text(t, "pendulum")
	run := runs.Options{Until: 0.3, Integrator: runs.RungeKutta4, Step: 0.01}
	data := objective.Term{Name: "y", Column: "joint.pin1.q", Take: objective.Data, File: "data/wave.csv", From: "y", Weight: 1}
	parameters := []objective.Parameter{{Name: "m", Paths: []string{"bodies[link1].mass"}}}
	one := &objective.Objective{At: objective.AtRun, Run: run, Terms: []objective.Term{data}, Parameters: parameters}
	two := &objective.Objective{At: objective.AtRun, Parameters: parameters, Runs: []objective.Experiment{
		{Name: "as it is", Run: run, Terms: []objective.Term{data}},
		{Name: "other", Run: run, Terms: []objective.Term{data}, Set: []objective.Setting{{Path: "gravity[1]", Value: 1}}},
	}}
	p := problemOf(t, two, m, 0.3)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	a, err := problemOf(t, one, m, 0.3).Gradient(context.Background())
	require.NoError(t, err)
	b, err := problemOf(t, one, strings.Replace(m, "-9.81", "1", 1), 0.3).Gradient(context.Background())
	require.NoError(t, err)
	require.Len(t, r.Terms, 2)
	assert.Equal(t, "other: y", r.Terms[1].Name)
	assert.Equal(t, a.Value+b.Value, r.Value)
	assert.NotEqual(t, a.Value, b.Value)
	assert.Equal(t, []float64{a.Parameters[0].Gradient, b.Parameters[0].Gradient}, r.Parameters[0].Terms)
	list, err := p.Residuals(context.Background())
	require.NoError(t, err)
	require.Len(t, list, 26)
	assert.Equal(t, "other", list[13].Run)
	moved, err := p.With([]float64{2})
	require.NoError(t, err)
	assert.Equal(t, []float64{2}, moved.Values())
}

// TestDataRefused: files of data that do not fit the run are named with the line and the value.
func TestDataRefused(t *testing.T) {
	m := text(t, "pendulum")
	for _, c := range [][2]string{
		{"time,y\n0,1\n0.1,2\n0.1,3\n", `line 4, column 1: \"0.1\" is not after the time before it, 0.1`},
		{"time,y\n0,1\n0.7,2\n", `line 3: the time 0.7 is not in the run, from 0 to 0.3 s`},
		{"time,y\n0,1\n1e-12,2\n", `line 3: from the time 0 to 1e-12 is too short for a step`},
		{"time,y\n0,1\n0.1,many\n", `line 3, column 5: \"many\" is not a finite number`},
		{"time,y\n0,1\n0.1,NaN\n", `line 3, column 5: \"NaN\" is not a finite number`},
		{"time,y\n0,1\n0.1\n", `record on line 3: wrong number of fields`},
		{"t,y\n0,1\n", `the file has no column \"time\"`},
		{"time,z\n0,1\n", `the file has no column \"y\"`},
		{"time,y\n0,\n", `column \"y\" has no values`},
		{"", `the file is empty`},
	} {
		o := &objective.Objective{At: objective.AtRun, Run: runs.Options{Until: 0.3}, Terms: []objective.Term{
			{Name: "y", Column: "joint.pin1.q", Take: objective.Data, File: "d.csv", From: "y", Weight: 1},
		}}
		source := objective.Source{Text: []byte(m), Name: "m.json", Data: fstest.MapFS{"d.csv": {Data: []byte(c[0])}}}
		_, err := objective.NewProblem(o, "o.json", source)
		require.ErrorAs(t, err, new(*model.Problems), c[1])
		assert.ErrorContains(t, err, "$.terms[0].data")
		assert.ErrorContains(t, err, strings.ReplaceAll(c[1], `\"`, `"`))
		o.Terms[0].File = "none.csv"
		_, err = objective.NewProblem(o, "o.json", source)
		require.ErrorContains(t, err, "does not exist")
	}
}

// TestHold: the start of a run, and a closed state, follow while a held body stays: the crank of a slider-crank keeps its angle for any
// lengths of the rods. Gradients are compared with differences of whole runs.
func TestHold(t *testing.T) {
	const h, tol = 1e-3, 1e-6
	m := text(t, "slider-crank-planar")
	var doc struct {
		Joints []struct{ Name, Predecessor, Successor string }
	}
	require.NoError(t, json.Unmarshal([]byte(m), &doc))
	var parameters []objective.Parameter
	for _, j := range doc.Joints {
		if j.Predecessor == "rod" || j.Successor == "rod" {
			path := "joints[" + j.Name + "].predecessor_frame.position[0]"
			parameters = append(parameters, objective.Parameter{Name: path, Paths: []string{path}})
		}
	}
	parameters = append(parameters, objective.Parameter{Name: "com", Paths: []string{"bodies[crank].com[1]"}})
	for _, at := range []objective.At{objective.AtRun, objective.AtClosed} {
		o := &objective.Objective{
			At: at, Hold: []string{"crank"}, Parameters: parameters,
			Terms: terms("slider.px", "slider.vx", "rod.qw", "crank.px", "joint.main.q", "joint.main.qd"),
		}
		if at == objective.AtRun {
			o.Run = runs.Options{Until: 0.05, Integrator: runs.RungeKutta4, Step: 0.005}
		}
		p := problemOf(t, o, m, 0.05)
		r, err := p.Gradient(context.Background())
		require.NoError(t, err)
		for k := range r.Parameters {
			want := difference(t, p, k, h)
			assert.InDelta(t, want, r.Parameters[k].Gradient, tol*max(1, math.Abs(want)), "%v by %s", at, r.Parameters[k].Name)
			if at == objective.AtClosed {
				for i := 3; i < 6; i++ {
					assert.InDelta(t, 0, r.Parameters[k].Terms[i], 1e-10, "the crank does not move")
				}
			}
		}
	}
	o := &objective.Objective{
		At: objective.AtClosed, Hold: []string{"crank"}, Terms: terms("slider.px"),
		Parameters: []objective.Parameter{{Name: "pin", Paths: []string{"joints[main].predecessor_frame.position[0]"}}},
	}
	_, err := problemOf(t, o, m, 1).Gradient(context.Background())
	require.ErrorContains(t, err, "cannot be held")
	assert.ErrorContains(t, err, "crank")
	assert.ErrorContains(t, err, "pin")
	o.Hold = []string{"cranc", "world"}
	_, err = objective.NewProblem(o, "o.json", objective.Source{Text: []byte(m), Name: "m.json"})
	require.ErrorContains(t, err, "$.hold[0]")
	assert.ErrorContains(t, err, "$.hold[1]")
}

// TestNearest: a model whose pose violates its joints starts at the nearest state on them, and gradients differentiate that.
func TestNearest(t *testing.T) {
	const h, tol = 1e-3, 1e-5 // starts have the error of closing
	m := text(t, "slider-crank-planar")
	o := &objective.Objective{
		At: objective.AtRun, Run: runs.Options{Until: 0.05, Integrator: runs.RungeKutta4, Step: 0.005},
		Terms: terms("slider.px", "slider.vx", "crank.qw", "joint.main.qd"),
		Parameters: []objective.Parameter{
			{Name: "crank", Paths: []string{pinOf(t, m)}}, {Name: "mass", Paths: []string{"bodies[rod].mass"}},
			{Name: "com", Paths: []string{"bodies[rod].com[1]"}},
		},
	}
	p := problemOf(t, o, m, 0.05)
	values := p.Values()
	values[0] *= 1.1
	p, err := p.With(values)
	require.NoError(t, err)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	for k := range r.Parameters {
		want := difference(t, p, k, h)
		assert.InDelta(t, want, r.Parameters[k].Gradient, tol*max(1, math.Abs(want)), r.Parameters[k].Name)
	}
}

// TestNearestHeld: if the joints of a model are open and held bodies leave a freedom, or no body is held, starts and closed states follow
// as the nearest state does, also in several runs.
func TestNearestHeld(t *testing.T) {
	const h, tol = 1e-3, 1e-5 // states have the error of closing
	m := fiveBar(t, 1.06)
	for _, hold := range [][]string{nil, {"a"}} {
		for _, at := range []objective.At{objective.AtRun, objective.AtClosed} {
			run := runs.Options{Until: 0.02, Integrator: runs.RungeKutta4, Step: 0.002}
			o := &objective.Objective{
				At: at, Run: run, Hold: hold, Terms: terms("b.qz", "joint.je.q"), Parameters: []objective.Parameter{
					{Name: "rod", Paths: []string{"joints[je].predecessor_frame.position[0]"}},
					{Name: "crank", Paths: []string{"joints[jc].predecessor_frame.position[0]"}}, {Name: "mass", Paths: []string{"bodies[c].mass"}},
				},
			}
			list := []*objective.Objective{o}
			if at == objective.AtRun {
				several := *o
				several.Runs, several.Terms = []objective.Experiment{{Name: "one", Run: run, Terms: o.Terms}}, nil
				list = append(list, &several)
			}
			for _, o := range list {
				p := problemOf(t, o, m, 0.02)
				p, err := p.With(p.Values())
				require.NoError(t, err)
				r, err := p.Gradient(context.Background())
				require.NoError(t, err)
				for k := range r.Parameters {
					want := difference(t, p, k, h)
					assert.InDelta(t, want, r.Parameters[k].Gradient, tol*max(1, math.Abs(want)), "%v %v %s", hold, at, r.Parameters[k].Name)
				}
			}
		}
	}
}

// TestNearestOneSide: derivatives by a damping of zero, and by the inertia of a disc without height, are taken to one side.
func TestNearestOneSide(t *testing.T) {
	m := strings.Replace(fiveBar(t, 1.06), `"name":"ja"`, `"damping":[0],"name":"ja"`, 1)
	m = strings.Replace(m, `"xx":0.01`, `"xx":0.1`, 1)
	o := &objective.Objective{
		At: objective.AtRun, Run: runs.Options{Until: 0.02, Integrator: runs.RungeKutta4, Step: 0.002}, Terms: terms("b.qz"),
		Parameters: []objective.Parameter{
			{Name: "damping", Paths: []string{"joints[ja].damping[0]"}}, {Name: "disc", Paths: []string{"bodies[a].inertia.zz"}},
		},
	}
	p := problemOf(t, o, m, 0.02)
	p, err := p.With(p.Values())
	require.NoError(t, err)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	const h, tol = 1e-3, 1e-5
	for k := range r.Parameters {
		var at [3]float64
		for i := range at {
			values := p.Values()
			values[k] += h * float64(i) * max(0.1, values[k])
			q, err := p.With(values)
			require.NoError(t, err)
			x, err := q.Value(context.Background())
			require.NoError(t, err)
			at[i] = x.Value
		}
		want := (4*at[1] - 3*at[0] - at[2]) / (2 * h * max(0.1, p.Values()[k]))
		assert.InDelta(t, want, r.Parameters[k].Gradient, tol*max(1, math.Abs(want)), r.Parameters[k].Name)
	}
}

// fiveBar is a linkage of two cranks a and b, whose rods c and d of length 1 meet in the joint je; in that joint rod c has the length rod.
func fiveBar(t *testing.T, rod float64) string {
	t.Helper()
	type object = map[string]any
	const left, right, crank, apart = 2.0, 1.1, 0.5, 1.2
	sin, cos := math.Sincos(left)
	a := [3]float64{crank * cos, crank * sin}
	sin, cos = math.Sincos(right)
	b := [3]float64{apart + crank*cos, crank * sin}
	turn := math.Atan2(b[1]-a[1], b[0]-a[0])
	bend := math.Acos(math.Hypot(b[0]-a[0], b[1]-a[1]) / 2)
	body := func(name string, at [3]float64, angle, com float64) object {
		sin, cos := math.Sincos(angle / 2)
		return object{
			"name": name, "mass": 1, "com": []float64{com, 0, 0}, "inertia": object{"xx": 0.01, "yy": 0.05, "zz": 0.05, "xy": 0, "xz": 0, "yz": 0},
			"pose": object{"position": at, "orientation": []float64{cos, 0, 0, sin}},
		}
	}
	joint := func(name, p, s string, x, y float64) object {
		return object{
			"name": name, "type": "revolute", "predecessor": p, "successor": s,
			"predecessor_frame": object{"position": []float64{x, 0, 0}, "orientation": []float64{1, 0, 0, 0}},
			"successor_frame":   object{"position": []float64{y, 0, 0}, "orientation": []float64{1, 0, 0, 0}},
		}
	}
	text, err := json.Marshal(object{
		"format": "rung-model/1", "gravity": []float64{0, -9.81, 0},
		"bodies": []object{
			body("a", [3]float64{}, left, 0.25), body("b", [3]float64{apart}, right, 0.25),
			body("c", a, turn+bend, 0.5), body("d", b, math.Pi+turn-bend, 0.5),
		},
		"joints": []object{
			joint("ja", "world", "a", 0, 0), joint("jb", "world", "b", apart, 0), joint("jc", "a", "c", crank, 0),
			joint("jd", "b", "d", crank, 0), joint("je", "c", "d", rod, 1),
		},
	})
	require.NoError(t, err)
	return string(text)
}

// pinOf returns the path of the position of the pin on the crank.
func pinOf(t *testing.T, text string) string {
	t.Helper()
	var doc struct {
		Joints []struct{ Name, Predecessor string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	for _, j := range doc.Joints {
		if j.Predecessor == "crank" {
			return "joints[" + j.Name + "].predecessor_frame.position[0]"
		}
	}
	t.Fatal("no pin")
	return ""
}

// TestTurns: angles of data, integrals and ends continue past half a turn, as in a trajectory, also with steps that turn further than that:
// two wheels turn against each other.
func TestTurns(t *testing.T) {
	const rate, until, tol = 80.0, 2.0, 1e-9
	m := `{"format":"rung-model/1","gravity":[0,0,0],"bodies":[{"name":"w","mass":1,"inertia":{"xx":1,"yy":1,"zz":2,"xy":0,"xz":0,"yz":0},
		"velocity":{"linear":[0,0,0],"angular":[0,0,-40]}},
		{"name":"x","mass":1,"inertia":{"xx":1,"yy":1,"zz":2,"xy":0,"xz":0,"yz":0},"velocity":{"linear":[0,0,0],"angular":[0,0,40]}}],
		"joints":[{"name":"j","type":"revolute","predecessor":"world","successor":"w"},
		{"name":"k","type":"revolute","predecessor":"w","successor":"x"}]}`
	var data strings.Builder
	data.WriteString("time,y\n")
	for i := range 11 {
		at := until * float64(i) / 10
		fmt.Fprintf(&data, "%v,%v\n", at, rate*at)
	}
	for _, step := range []float64{0.01, 0.05} { // by 0.8 rad and by 4 rad
		o := &objective.Objective{
			At: objective.AtRun, Run: runs.Options{Until: until, Integrator: runs.RungeKutta4, Step: step},
			Terms: []objective.Term{
				{Name: "data", Column: "joint.k.q", Take: objective.Data, File: "y.csv", From: "y", Weight: 1},
				{Name: "end", Column: "joint.k.q", Weight: 1, Power: 1},
				{Name: "most", Column: "joint.k.q", Take: objective.Max, Weight: 1, Power: 1},
				{Name: "sum", Column: "joint.k.q", Take: objective.Integral, Weight: 1, Power: 1},
			},
			Parameters: []objective.Parameter{{Name: "push", Paths: []string{"gravity[0]"}}},
		}
		p, err := objective.NewProblem(o, "o.json", objective.Source{
			Text: []byte(m), Name: "m.json",
			Data: fstest.MapFS{"y.csv": {Data: []byte(data.String())}},
		})
		require.NoError(t, err)
		back, err := p.Gradient(context.Background())
		require.NoError(t, err)
		ahead, err := p.Value(context.Background())
		require.NoError(t, err)
		for i, want := range []float64{0, rate * until, rate * until, rate * until * until / 2} {
			assert.InDelta(t, want, back.Terms[i].Value, tol*rate*until, back.Terms[i].Name)
			assert.InDelta(t, want, ahead.Terms[i].Value, tol*rate*until, ahead.Terms[i].Name)
		}
		list, err := p.ResidualSlopes(context.Background())
		require.NoError(t, err)
		for i := range list {
			assert.InDelta(t, 0, list[i].Misfit, tol*rate*until)
		}
	}
}
