//rung:norace it measures time, on one thread

package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

const (
	root     = "../.."
	standard = root + "/reference/standard"
)

// subjectOf returns the mechanism of a name.
func subjectOf(t *testing.T, name string) *subject {
	i := slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return &subjects[i]
}

// TestMeasure goes the whole way with little: measures the pendulum, writes the record, the page and the picture.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n"+tablesBegin+"\nold\n"+tablesEnd+"\nafter\n"), 0o600))
	o, err := parse([]string{"-root", root, "-record", filepath.Join(dir, "record.json"), "-page", page, "-only", "^a01",
		"-rounds", "2", "-longest", "5e-4", "-samples", "4"}, io.Discard)
	require.NoError(t, err)
	o.Quiet = true
	require.NoError(t, o.run())

	r, err := readRecord(o.Record)
	require.NoError(t, err)
	b, err := os.ReadFile(o.Record)
	require.NoError(t, err)
	checkSchema(t, string(b))
	require.Len(t, r.Mechanisms, 1)
	var names []string
	for _, s := range r.Mechanisms[0].Series {
		names = append(names, s.Integrator)
		assert.NotEmpty(t, s.Ended, s.name())
	}
	var want []string
	for _, i := range runs.Integrators() {
		want = append(want, i.String())
	}
	assert.Equal(t, want, names, "every integrator of Rung")
	for _, e := range r.Engines[1:] {
		assert.NotEmpty(t, e.Missing, e.Name)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, part := range []string{"before\n" + tablesBegin, tablesEnd + "\nafter\n", "Simbody: **not measured**",
		"MuJoCo: **not measured**", "(page/a01-pendulum.svg)", "| Rung, rattle |"} {
		assert.Contains(t, string(text), part)
	}
	assert.NotContains(t, string(text), "\nold\n")
	wellFormed(t, filepath.Join(dir, "page", "a01-pendulum.svg"))
}

func checkSchema(t *testing.T, text string) {
	schema, err := os.ReadFile("record.schema.json")
	require.NoError(t, err)
	require.NoError(t, schematest.Validate(t, schematest.Compile(t, schema), text))
}

func wellFormed(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, path)
	}
}

// TestPageIsOfRecord: tables and pictures of docs/precision.md are what the record gives, and it is of all mechanisms and integrators.
func TestPageIsOfRecord(t *testing.T) {
	b, err := os.ReadFile("record.json")
	require.NoError(t, err)
	checkSchema(t, string(b))
	r, err := readRecord("record.json")
	require.NoError(t, err)
	page := filepath.Join(root, "docs", "precision.md")
	before, after, err := beside.Around(page, tablesBegin, tablesEnd)
	require.NoError(t, err)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, before+r.tables("precision")+after, string(text), "go run ./bench/precision -draw")
	require.Len(t, r.Mechanisms, len(subjects))
	for i := range r.Mechanisms {
		m := &r.Mechanisms[i]
		assert.Equal(t, subjects[i].name, m.Name)
		drawing, err := os.ReadFile(filepath.Join(pictures(page), m.Name+".svg"))
		require.NoError(t, err)
		assert.Equal(t, newChart(m).svg(), string(drawing), m.Name)
		for _, integrator := range runs.Integrators() {
			has := func(s series) bool { return s.Engine == beside.Ours && s.Integrator == integrator.String() }
			assert.True(t, slices.ContainsFunc(m.Series, has), "%s, %v", m.Name, integrator)
		}
	}
}

// TestErrorFalls: with finer steps RK4 is of its order, and dopri5 is more exact, on the mechanism with loops.
func TestErrorFalls(t *testing.T) {
	p, err := newProblem(subjectOf(t, "a04-bricard-slender"), standard, 20)
	require.NoError(t, err)
	run := func(o runs.Options) (float64, int64) {
		out, err := p.followOnce(&o, math.Inf(1))
		require.NoError(t, err)
		e, err := p.away(out.points)
		require.NoError(t, err)
		return e, out.steps
	}
	const parts = 16
	coarse, steps := run(runs.Options{Integrator: runs.RungeKutta4, Step: p.interval() / parts})
	assert.EqualValues(t, parts*20, steps)
	fine, _ := run(runs.Options{Integrator: runs.RungeKutta4, Step: p.interval() / parts / 2})
	assert.InDelta(t, 4, math.Log2(coarse/fine), 1.5)
	e, _ := run(runs.Options{Tolerance: 1e-8})
	assert.Less(t, e, 1e-6)
	assert.Greater(t, e, p.sure/100, "it is compared with the reference")
}

// TestAway: other numbers of samples, and points that are nowhere, are errors.
func TestAway(t *testing.T) {
	p := &problem{want: []spatial.Vec3{{}, {1, 0, 0}, {2, 0, 0}}, scale: 2}
	e, err := p.away([]spatial.Vec3{{1, 0.5, 0}, {2, 0, 0}})
	require.NoError(t, err)
	assert.InDelta(t, 0.25, e, 1e-15)
	_, err = p.away([]spatial.Vec3{{1, 0, 0}})
	require.ErrorContains(t, err, "1 samples in place of 2")
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e6} {
		_, err = p.away([]spatial.Vec3{{1, 0, 0}, {x, 0, 0}})
		require.ErrorContains(t, err, "sample 2", "%v", x)
	}
}

// TestReferences: tables that are no references, and samples that are not at their rows, are refused with their place.
func TestReferences(t *testing.T) {
	_, err := newProblem(subjectOf(t, "a01-pendulum"), standard, 7)
	require.ErrorContains(t, err, "1000 intervals cannot be taken as 7")
	_, err = newProblem(subjectOf(t, "a01-pendulum"), t.TempDir(), 20)
	require.Error(t, err)
	for text, want := range map[string]string{
		"":                                     "there are no rows",
		"x,y\n":                                "the first columns",
		"t,x,y,z\n0,0,0,0\n1,2\n":              "line 3 has 2 numbers",
		"t,x,y,z\n0,0,0,0\n1,2,a,0\n":          "line 3",
		"t,x,y,z\n0,0,0,0\n1,1,0,0\n3,2,0,0\n": "row 2 is at 1 s and not at 1.5 s",
		"t,x,y,z\n0,0,0,0\n":                   "there are no rows",
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		p, err := newProblem(subjectOf(t, "a01-pendulum"), standard, 20)
		require.NoError(t, err)
		p.want = nil
		require.ErrorContains(t, p.table(path, 2), want, "%q", text)
	}
}

// TestInputs: peers get every mechanism, with all bodies, joints and forces.
func TestInputs(t *testing.T) {
	for i := range subjects {
		s := &subjects[i]
		if s.links > 0 {
			continue // its reference takes a second
		}
		p, err := newProblem(s, standard, 20)
		require.NoError(t, err)
		text, args, err := simbodyInput(p)
		require.NoError(t, err, s.name)
		assert.Empty(t, args)
		lines := strings.Count(string(text), "\n")
		assert.Equal(t, len(p.model.Joints)+len(p.model.Forces)+5, lines, s.name)
		text, args, err = mujocoInput(p)
		require.NoError(t, err, s.name)
		assert.Equal(t, s.planar, slices.Contains(args, "planar=1"))
		assert.Equal(t, s.name == "a03-andrews-ivp", slices.Contains(args, "K1.moment=0.033"))
		assert.Equal(t, len(p.model.Bodies), strings.Count(string(text), "<body "), s.name)
	}
}

// TestInputsRefuse: what the programs of peers do not build is not left out in silence.
func TestInputsRefuse(t *testing.T) {
	problemOf := func(change func(m *model.Model)) *problem {
		p, err := newProblem(subjectOf(t, "a03-andrews-ivp"), standard, 20)
		require.NoError(t, err)
		change(p.model)
		return p
	}
	for _, c := range []struct {
		change func(m *model.Model)
		want   string
	}{
		{func(m *model.Model) { m.Joints[0].Type = model.Cylindrical }, "in the tree"},
		{func(m *model.Model) { m.Joints[len(m.Joints)-1].Type = model.Universal }, "of type universal"},
		{func(m *model.Model) {
			m.Joints[0].Predecessor, m.Joints[0].Successor = m.Joints[0].Successor, model.World
		}, "hangs on a joint"},
		{func(m *model.Model) { m.Forces[0].Type = model.CableForce }, "is not built here"},
		{func(m *model.Model) { m.Forces[1].Force[0] = 1 }, "is not built here"},
	} {
		_, _, err := simbodyInput(problemOf(c.change))
		require.ErrorContains(t, err, c.want)
	}
	for _, change := range []func(m *model.Model){
		func(m *model.Model) { m.Forces[1].Force[0] = 1 },
		func(m *model.Model) { m.Forces[1].Torque[0] = 1 },
	} {
		_, _, err := mujocoInput(problemOf(change))
		require.ErrorContains(t, err, "is not a moment about z")
	}
}

// TestRecordRefuses: what no measurement writes is refused with its place.
func TestRecordRefuses(t *testing.T) {
	list := []run{{At: 1, Seconds: 1, Error: 1}, {At: 1, Failure: "no"}}
	good := record{Format: recordFormat, Mechanisms: []diagram{{Series: []series{{Runs: list}}}}}
	for want, change := range map[string]func(r *record){
		"":                                func(*record) {},
		`format: "x"`:                     func(r *record) { r.Format = "x" },
		"mechanisms[0].series[0].runs[0]": func(r *record) { r.Mechanisms[0].Series[0].Runs[0].Seconds = 0 },
		"runs[0]":                         func(r *record) { r.Mechanisms[0].Series[0].Runs[0].Error = -1 },
		"runs[1]":                         func(r *record) { r.Mechanisms[0].Series[0].Runs[1].At = 0 },
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
	_, err := decodeRecord(strings.NewReader(`{"format": "rung-precision/1", "more": 1}`))
	require.ErrorContains(t, err, "more")
}

// TestFlags: wrong flags are named.
func TestFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"-rounds 0":      {"-rounds", "0"},
		"-longest":       {"-longest", "-1"},
		"-samples":       {"-samples", "0"},
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
	for _, text := range []string{"", tablesBegin + "\n", tablesEnd + "\n", tablesEnd + "\n" + tablesBegin + "\n"} {
		require.NoError(t, os.WriteFile(o.Page, []byte(text), 0o600))
		require.ErrorContains(t, o.run(), "there are no lines", "%q", text)
	}
}

// stairs is a runner with given errors and times.
type stairs []outcome

func (s stairs) run(p *problem, at, limit float64) (*outcome, error) {
	k := int(math.Round(-math.Log10(at / coarsest)))
	if out := s[k]; out.seconds <= limit {
		return &out, nil
	}
	return nil, beside.ErrOver
}

// TestLadder: where a series ends, and why.
func TestLadder(t *testing.T) {
	p := &problem{want: []spatial.Vec3{{}, {1, 0, 0}}, scale: 1}
	at := func(e, seconds float64) outcome {
		return outcome{seconds: seconds, steps: 1, points: []spatial.Vec3{{1, e, 0}}}
	}
	for want, s := range map[string]stairs{
		"a run took longer than 1 s": {at(0.1, 0.1), at(0.01, 2)},
		"a run was ended after 3 s":  {at(0.1, 0.1), at(0.01, 9)},
		"finer runs are no better":   {at(0.1, 0.1), at(1e-8, 0.1), at(1e-8, 0.1), at(2e-8, 0.1), at(1e-9, 0.1)},
		"finest tolerance":           slices.Repeat(stairs{at(0.1, 0.1)}, 12),
	} {
		l := &ladder{runner: s, series: series{By: byTolerance}}
		l.climb(p, 1)
		assert.Equal(t, want, l.Ended)
	}
	l := &ladder{runner: stairs{at(0.1, 0.5), at(0.01, 2)}, series: series{By: byTolerance}}
	l.climb(p, 1)
	l.runner = stairs{at(0.1, 0.25), at(0.01, 3)}
	require.NoError(t, l.again(p, 1))
	assert.Equal(t, []float64{0.25, 2}, []float64{l.Runs[0].Seconds, l.Runs[1].Seconds}, "the least times")
	l.runner = stairs{at(0.2, 0.25), at(0.01, 3)}
	require.ErrorContains(t, l.again(p, 1), "another answer")
}

// TestTables: numbers as they are printed, and who loses.
func TestTables(t *testing.T) {
	assert.Equal(t, []string{"0.0123", "1.23", "123", "1235"},
		[]string{milliseconds(1.234e-5), milliseconds(1.234e-3), milliseconds(0.1234), milliseconds(1.2346)})
	assert.Equal(t, []string{"2", "**0.5**", "", "**Rung has none**"},
		[]string{factor(1, 2), factor(2, 1), factor(1, math.Inf(1)), factor(math.Inf(1), 1)})
	r := &record{
		Engines: []beside.Engine{{Name: beside.Ours, Version: "x"}, {Name: "P", Version: "1"}},
		Mechanisms: []diagram{{Title: "M", Series: []series{
			{Engine: beside.Ours, Integrator: "a", Runs: []run{{At: 1, Seconds: 0.004, Error: 1e-4}, {At: 0.1, Seconds: 0.005, Error: 1e-6}}},
			{Engine: "P", Integrator: "b", Runs: []run{
				{At: 1, Seconds: 0.001, Error: 1e-4}, {At: 0.1, Seconds: 0.006, Error: 1e-6},
				{At: 0.01, Seconds: 0.009, Error: 1e-8}, {At: 0.001, Failure: "no"},
			}},
		}}},
	}
	var b strings.Builder
	assert.Equal(t, &r.Mechanisms[0].Series[1].Runs[2], r.Mechanisms[0].Series[1].finest(), "of those without a failure")
	r.losses(&b)
	assert.Equal(t, "\n### Where Rung loses\n\n2 of the 3 rows that a peer reaches:\n\n"+
		"- M, 1e-3: P, b takes 1.00 ms, Rung's a 4.00 ms, 4 times as long.\n"+
		"- M, 1e-7: P, b takes 9.00 ms; Rung has no run as exact within the limit.\n", b.String())
}

// TestChart: labels have room, the legend too, and what is not drawn is named.
func TestChart(t *testing.T) {
	m := &diagram{Title: "A < B", Seconds: 1}
	for i := range 10 {
		list := []run{{At: 1, Seconds: math.Pow10(-i), Error: math.Pow10(-2 * i)}}
		m.Series = append(m.Series, series{Engine: "Simbody", Integrator: "RungeKuttaMerson", Runs: list})
	}
	m.Series = append(m.Series, series{Engine: beside.Ours, Integrator: "lost", Runs: []run{{At: 1, Failure: "no"}}})
	assert.Empty(t, drawn(&series{Runs: []run{{At: 1, Seconds: 1, Error: 2 * worstDrawn}}}))
	c := newChart(m)
	text := c.svg()
	for _, part := range []string{"A &lt; B", "no point, see the table", "Rung, lost", "1 µs", "prefers-color-scheme:dark"} {
		assert.Contains(t, text, part)
	}
	assert.Less(t, plotTop+15+12*legendLine, chartHeight)
	every := 1 + (c.y1-c.y0)/12
	assert.Greater(t, c.y(math.Pow10(c.y0))-c.y(math.Pow10(c.y0+every)), 20.0, "distance of labels")
	assert.Equal(t, []string{"10 s", "100 ms", "1 µs", "10 ns"}, []string{timeLabel(1), timeLabel(-1), timeLabel(-6), timeLabel(-8)})
	assert.NotPanics(t, func() { newChart(&diagram{Seconds: 1}).svg() })
}
