package door_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/require"
)

var here = context.Background()

// open returns a model of the pages.
func open(t *testing.T, path string) *door.Model {
	t.Helper()
	m, err := door.Open(here, path, nil)
	require.NoError(t, err)
	return m
}

// initial returns the state of a model.
func initial(t *testing.T, m *door.Model) []float64 {
	t.Helper()
	x := make([]float64, m.Sizes().State)
	require.NoError(t, m.InitialTo(x))
	return x
}

// closeTo holds got to want within tol of the largest.
func closeTo(t *testing.T, want, got []float64, tol float64, what ...any) {
	t.Helper()
	require.Len(t, got, len(want), what...)
	large := 1.0
	for _, x := range want {
		large = max(large, math.Abs(x))
	}
	for i := range want {
		require.InDelta(t, want[i], got[i], tol*large, what...)
	}
}

// models are those of the reference and of the pages.
func models(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"../docs/*.model.json", "../reference/golden/*.json", "../reference/golden/*/*.json"} {
		list, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range list {
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "rung-model/1") {
				paths = append(paths, path)
			}
		}
	}
	require.NotEmpty(t, paths)
	return paths
}

// TestModels: states of all models there and back to the bit, and the document of accelerations is that of package rung.
func TestModels(t *testing.T) {
	for _, path := range models(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m := open(t, path)
			x := initial(t, m)
			st := m.Plan().Initial()
			st.SetFlat(x)
			require.Equal(t, m.Plan().Initial(), st)
			doc, err := rung.Open(path)
			require.NoError(t, err)
			want, wrong := rung.Accelerate(doc, rung.Options{})
			text, err := m.Document(here, "accel", nil, nil)
			if wrong != nil {
				require.EqualError(t, err, wrong.Error())
				require.Equal(t, door.Failed, door.StatusOf(err))
				return
			}
			require.NoError(t, err)
			wantText, err := json.Marshal(want)
			require.NoError(t, err)
			require.JSONEq(t, string(wantText), string(text))
			got, acc := make([]float64, 6*m.Sizes().Bodies), make([]float64, 6*m.Sizes().Bodies)
			require.NoError(t, m.NewSolver().AccelerationsTo(got, x))
			plan, err := rung.NewPlan(doc, rung.Options{})
			require.NoError(t, err)
			s := plan.NewSolver()
			require.NoError(t, s.Solve(plan.Initial())) // without a report, for which the solution is refined
			s.AccelerationsTo(acc)
			require.Equal(t, acc, got)
		})
	}
}

// TestKnobs: each knob is taken by a solver, is the number of the document that its path names, and goes back.
func TestKnobs(t *testing.T) {
	for _, path := range models(t) {
		m := open(t, path)
		s, x := m.NewSolver(), initial(t, m)
		first, again := make([]float64, 6*m.Sizes().Bodies), make([]float64, 6*m.Sizes().Bodies)
		if s.AccelerationsTo(first, x) != nil {
			continue
		}
		for i, k := range m.Knobs() {
			at, err := m.KnobAt(k.Path)
			require.NoError(t, err)
			require.Equal(t, i, at, k.Path)
			if strings.Contains(k.Path, ".motion[") || strings.HasSuffix(k.Path, ".value") {
				continue // whose rate is another then
			}
			require.NoError(t, s.Set([]int{i}, []float64{k.Value*1.001 + 1e-9}), k.Path)
			require.NoError(t, s.Set([]int{i}, []float64{k.Value}), k.Path)
		}
		require.NoError(t, s.AccelerationsTo(again, x))
		closeTo(t, first, again, 1e-11, path) // bodies of one's own are solved in another way
	}
}

// TestKnobsOfForces: springs, wrenches and cables have knobs by their names, which act.
func TestKnobsOfForces(t *testing.T) {
	const text = `{"format": "rung-model/1", "name": "hung", "gravity": [0, 0, 0], "bodies": [
	 {"name": "load", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0, 0, -3]}}], "joints": [
	 {"name": "guide", "type": "prismatic", "predecessor": "world", "successor": "load", "predecessor_frame": {"position": [0, 0, -3]}}],
	 "forces": [{"name": "rope", "type": "cable", "points": [{"body": "world"}, {"body": "load"}], "stiffness": 8, "rest_length": 2},
	 {"name": "push", "type": "wrench", "body": "load", "force": [0, 0, 0], "torque": [0, 0, 0]},
	 {"name": "line", "type": "cable", "points": [{"body": "world", "point": [0, 0, 1]}, {"body": "load"}], "stiffness": 0, "rest_length": 4}]}`
	m, err := door.Read(here, "hung", []byte(text), nil)
	require.NoError(t, err)
	s, x, acc := m.NewSolver(), initial(t, m), make([]float64, 6)
	require.NoError(t, s.AccelerationsTo(acc, x))
	require.InDelta(t, 4, acc[5], 1e-12)
	for path, want := range map[string]float64{"forces[rope].rest_length": 2, "forces[push].force[2]": 5, "forces[line].tension": 10} {
		k, err := m.KnobAt(path)
		require.NoError(t, err)
		was := m.Knobs()[k].Value
		values := map[string]float64{"forces[rope].rest_length": 2.5, "forces[push].force[2]": 2, "forces[line].tension": 12}
		require.NoError(t, s.Set([]int{k}, []float64{values[path]}))
		require.NoError(t, s.AccelerationsTo(acc, x))
		require.InDelta(t, want, acc[5], 1e-12, path)
		require.NoError(t, s.Set([]int{k}, []float64{was}))
	}
	k, err := m.KnobAt("forces[line].stiffness")
	require.NoError(t, err)
	require.Equal(t, "N/m", m.Knobs()[k].Unit)
	require.ErrorContains(t, s.Set([]int{k}, []float64{-1}), "negative")
}

// TestKnobsAct: a force, a mass and a length that are set are those of a model that has them.
func TestKnobsAct(t *testing.T) {
	const file = "../docs/four-bar.model.json"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, err := rung.Open(file)
	require.NoError(t, err)
	m := open(t, file)
	body := doc.Bodies[0].Name
	path := "bodies[" + body + "].mass"
	k, err := m.KnobAt(path)
	require.NoError(t, err)
	require.Equal(t, "kg", m.Knobs()[k].Unit)
	require.True(t, m.Knobs()[k].Geometry)
	s := m.NewSolver()
	require.NoError(t, s.Set([]int{k}, []float64{2 * m.Knobs()[k].Value}))
	x, got := initial(t, m), make([]float64, 6*m.Sizes().Bodies)
	require.NoError(t, s.AccelerationsTo(got, x))
	doc.Bodies[0].Mass *= 2
	want, err := rung.Accelerate(doc, rung.Options{})
	require.NoError(t, err)
	for i, b := range want.Bodies {
		closeTo(t, b.ComAcceleration[:], got[6*i+3:6*i+6], 1e-12, b.Name)
	}
	_, err = m.KnobAt("bodies[" + body + "].mas")
	require.ErrorContains(t, err, "did you mean "+path)
	require.Equal(t, door.Input, door.StatusOf(err))
	require.ErrorContains(t, s.Set([]int{k}, []float64{-1}), "mass")
	require.ErrorContains(t, s.Set([]int{k}, []float64{math.NaN()}), "not finite")
	require.Equal(t, door.Size, door.StatusOf(s.Set([]int{k}, nil)))
	require.Equal(t, door.Input, door.StatusOf(s.Set([]int{1 << 20}, []float64{1})))
	r, err := m.NewRun(nil, nil)
	require.NoError(t, err)
	require.ErrorContains(t, r.Set([]int{k}, []float64{1}), "part of the model")
	other, err := door.Read(here, "text", text, nil)
	require.NoError(t, err)
	require.Equal(t, m.Sizes(), other.Sizes())
}

// TestRun: a run has the bits of one in Go whatever the budget, and after it was saved and loaded, with a force that was set on the way.
func TestRun(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	force := -1
	for i, k := range m.Knobs() {
		if strings.HasSuffix(k.Path, ".force[0]") {
			force = i
			break
		}
	}
	require.GreaterOrEqual(t, force, 0)
	const options = `{"tolerance": 1e-9, "every": 0.05, "columns": ["energy.*"], "until": 1}`
	run := func(budget time.Duration, save bool) (x, rows []float64, calls int) {
		r, err := m.NewRun(nil, []byte(options))
		require.NoError(t, err)
		to := func(r *door.Run, end float64) {
			for {
				calls++
				err := r.To(here, end, budget)
				if door.StatusOf(err) == door.More {
					continue
				}
				require.NoError(t, err)
				return
			}
		}
		to(r, 0.5)
		require.NoError(t, r.Set([]int{force}, []float64{0.3}))
		to(r, 0.7)
		if save {
			saved, err := r.Save()
			require.NoError(t, err)
			to(r, 0.9)
			require.NoError(t, r.Set([]int{force}, []float64{5}))
			require.NoError(t, r.Load(saved))
			require.InDelta(t, 0.7, r.Time(), 1e-15)
		}
		to(r, 1)
		x = make([]float64, m.Sizes().State)
		require.NoError(t, r.StateTo(x))
		names, _ := r.Columns()
		rows = make([]float64, len(names)*r.RowsLeft())
		n, err := r.TakeRows(rows)
		require.NoError(t, err)
		require.Equal(t, len(rows), n*len(names))
		require.Zero(t, r.RowsLeft())
		_, err = r.Document()
		require.NoError(t, err)
		return x, rows, calls
	}
	want, rows, _ := run(0, false)
	sliced, same, calls := run(time.Nanosecond, false)
	require.Equal(t, want, sliced)
	require.Equal(t, rows, same)
	require.Greater(t, calls, 10)
	loaded, _, _ := run(0, true)
	require.Equal(t, want, loaded)
}

// TestBudgetOfRows: a call gives back between the rows of a step, too, with the same rows in the end, and after it was saved and loaded there.
func TestBudgetOfRows(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	run := func(budget time.Duration, save bool) (rows []float64, calls int) {
		r, err := m.NewRun(nil, []byte(`{"every": 1e-5, "columns": ["time", "energy.*"]}`))
		require.NoError(t, err)
		for {
			calls++
			if err = r.To(here, 0.003, budget); err == nil {
				break
			}
			require.Equal(t, door.More, door.StatusOf(err), err)
			if save && calls == 7 {
				saved, err := r.Save()
				require.NoError(t, err)
				require.NoError(t, r.Load(saved))
			}
		}
		names, _ := r.Columns()
		rows = make([]float64, len(names)*r.RowsLeft())
		_, err = r.TakeRows(rows)
		require.NoError(t, err)
		return rows, calls
	}
	want, calls := run(0, false)
	require.Equal(t, 1, calls)
	for _, save := range []bool{false, true} {
		sliced, calls := run(time.Nanosecond, save)
		require.Equal(t, want, sliced)
		require.Greater(t, calls, 200)
	}
}

// TestRunEnds: a run ends with its context, with the status Stopped, and goes on.
func TestRunEnds(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	r, err := m.NewRun(nil, []byte(`{"step": 1e-4}`))
	require.NoError(t, err)
	ctx, stop := context.WithCancelCause(here)
	stop(door.ErrStopped)
	require.Equal(t, door.Stopped, door.StatusOf(r.To(ctx, 1, 0)))
	require.NoError(t, r.To(here, 0.01, 0))
	require.Equal(t, door.Input, door.StatusOf(r.To(here, math.NaN(), 0)))
}

// TestRowsThatFit: an array gets as many whole rows as fit; what is left of it stays, and so do other rows.
func TestRowsThatFit(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	taken := func(sizes ...int) (all []float64) {
		r, err := m.NewRun(nil, []byte(`{"every": 0.05, "columns": ["time", "energy.kinetic", "energy.potential"]}`))
		require.NoError(t, err)
		require.NoError(t, r.To(here, 0.3, 0))
		require.Equal(t, 7, r.RowsLeft())
		for _, size := range sizes {
			dst := slices.Repeat([]float64{-1}, size)
			left := r.RowsLeft()
			n, err := r.TakeRows(dst)
			require.NoError(t, err)
			require.Equal(t, min(left, size/3), n)
			require.Equal(t, left-n, r.RowsLeft())
			for _, x := range dst[3*n:] {
				require.Equal(t, -1.0, x)
			}
			all = append(all, dst[:3*n]...)
		}
		return all
	}
	require.Equal(t, taken(21), taken(0, 2, 4, 3, 8, 100))
	r, err := m.NewRun(nil, nil)
	require.NoError(t, err)
	_, err = r.TakeRows(make([]float64, 3))
	require.Equal(t, door.Input, door.StatusOf(err), err)
}

// TestBatchTwice: a knob that differs from state to state has one value a state.
func TestBatchTwice(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	_, err := m.NewBatch([]byte(`{"vary": ["bodies[crank].mass", "bodies[rocker].mass", "bodies[crank].mass"]}`))
	require.ErrorContains(t, err, "bodies[crank].mass is given twice")
	require.Equal(t, door.Input, door.StatusOf(err))
}

// TestBatch: rows of a batch are the solutions one by one.
func TestBatch(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	mech := m.Plan().Mechanism()
	b, err := m.NewBatch([]byte(`{"forces": ["` + mech.JointName(0) + `"], "vary": ["bodies[` + mech.BodyName(0) + `].mass"]}`))
	require.NoError(t, err)
	const n = 11
	width := m.Sizes().State
	x := initial(t, m)
	states, forces, masses := make([]float64, 0, n*width), make([]float64, n), make([]float64, n)
	for i := range n {
		states = append(states, x...)
		forces[i], masses[i] = 0.1*float64(i), 1+0.1*float64(i)
	}
	for _, first := range []int{-1, n, math.MaxInt} {
		require.Equal(t, door.Input, door.StatusOf(b.Vary(n, first, masses[:1])), "first %d", first)
	}
	require.NoError(t, b.Vary(n, 0, masses))
	acc, failed := make([]float64, n*6*m.Sizes().Bodies), make([]byte, n)
	require.NoError(t, b.AccelerationsTo(here, acc, n, states, forces, failed))
	s, one := m.NewSolver(), make([]float64, 6*m.Sizes().Bodies)
	mass, err := m.KnobAt("bodies[" + mech.BodyName(0) + "].mass")
	require.NoError(t, err)
	force, err := m.KnobAt("joints[" + mech.JointName(0) + "].force[0]")
	require.NoError(t, err)
	for i := range n {
		require.Zero(t, failed[i])
		require.NoError(t, b.Error(i))
		require.NoError(t, s.Set([]int{mass, force}, []float64{masses[i], forces[i]}))
		require.NoError(t, s.AccelerationsTo(one, x))
		closeTo(t, one, acc[i*len(one):][:len(one)], 1e-11, i)
	}
	into := make([]float64, 2*n*width)
	require.NoError(t, b.Rollout(here, n, states, forces, into, failed, []byte(`{"step": 1e-3, "steps": 10, "every": 5}`)))
	require.Equal(t, states, into[n*width:])
	require.NotEqual(t, states, into[:n*width])
	require.InDelta(t, 0.01+x[0], states[0], 1e-12)
	require.Equal(t, door.Size, door.StatusOf(b.AccelerationsTo(here, acc, n, states[1:], nil, failed)))
	good := slices.Clone(states)
	require.NoError(t, b.AccelerationsTo(here, acc, n, good, nil, failed))
	want := slices.Clone(acc)
	states[1+3], states[1+4], states[1+5], states[1+6] = 0, 0, 0, 0 // the quaternion of a row that is no state
	require.NoError(t, b.AccelerationsTo(here, acc, n, states, nil, failed))
	require.Equal(t, append([]byte{1}, make([]byte, n-1)...), failed)
	require.ErrorContains(t, b.Error(0), mech.BodyName(0))
	require.Equal(t, door.Failed, door.StatusOf(b.Error(0)))
	require.Equal(t, make([]float64, len(one)), acc[:len(one)])
	require.Equal(t, want[len(one):], acc[len(one):])
	row := slices.Clone(states[:width])
	require.NoError(t, b.Rollout(here, n, states, nil, into, failed, []byte(`{"step": 1e-3, "steps": 2}`)))
	require.Equal(t, append([]byte{1}, make([]byte, n-1)...), failed)
	require.ErrorContains(t, b.Error(0), mech.BodyName(0))
	require.Equal(t, row, states[:width])
	require.Equal(t, row, into[:width])
	require.Equal(t, states, into[n*width:])
	require.NoError(t, b.AccelerationsTo(here, acc, n, good, nil, failed))
	require.NoError(t, b.Error(0))

	ctx, end := context.WithCancel(here)
	end()
	require.Equal(t, door.Stopped, door.StatusOf(b.AccelerationsTo(ctx, acc, n, good, nil, failed)))
	was := slices.Clone(good)
	require.Equal(t, door.Stopped, door.StatusOf(b.Rollout(ctx, n, good, nil, nil, failed, []byte(`{"step": 1e-3, "steps": 1000000000}`))))
	require.Equal(t, was, good)
}

// TestClose: a state that is moved off its joints is closed; one with the body held is not moved there.
func TestClose(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	x := initial(t, m)
	x[1] += 1e-3
	was := x[1]
	held := m.Plan().Mechanism().BodyName(0)
	require.NoError(t, m.CloseTo(here, x, nil))
	require.NotEqual(t, was, x[1])
	st := m.Plan().Initial()
	st.SetFlat(x)
	require.NoError(t, m.Plan().Mechanism().Holds(st))
	require.NoError(t, m.CloseTo(here, x, []byte(`{"hold": ["`+held+`"]}`)))
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{"holds": []}`)), "close: $.holds: unknown field, did you mean hold?")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{"hold": ["nobody"]}`)), "nobody")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{"nearest": 1}`)), "true or false")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{} {}`)), "more after the end")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{"nearest": true, "nearest": false}`)), "close: $.nearest: duplicate key")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{"hold": [1], "poses": "no"}`)), "close: $.poses: ")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`[]`)), "close: $: ")
	require.ErrorContains(t, m.CloseTo(here, x, []byte(`{"tolerance": -1}`)), "tolerance")
}

// TestDocuments: all documents are there, JSON where they are no pictures, and the model in a state reads back to that state.
func TestDocuments(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	x := initial(t, m)
	other := map[string]string{"svg": "<svg", "page": "<!doctype html", "matrix": "%%MatrixMarket", "glb": "glTF"}
	for _, what := range door.Documents() {
		var options []byte
		if what == "inverse" {
			options = []byte(`{"actuators": ["O"]}`)
		}
		text, err := m.Document(here, what, x, options)
		require.NoError(t, err, what)
		if start, ok := other[what]; ok {
			require.True(t, bytes.HasPrefix(text, []byte(start)), what)
			continue
		}
		require.True(t, json.Valid(text), what)
	}
	r, err := m.NewRun(nil, nil)
	require.NoError(t, err)
	require.NoError(t, r.To(here, 0.3, 0))
	require.NoError(t, r.StateTo(x))
	text, err := m.Document(here, "model", x, nil)
	require.NoError(t, err)
	later, err := door.Read(here, "later", text, nil)
	require.NoError(t, err)
	closeTo(t, x, initial(t, later), 1e-15)
	_, err = m.Document(here, "acel", nil, nil)
	require.ErrorContains(t, err, "did you mean accel")
	_, err = m.Document(here, "accel", nil, []byte(`{"x": 1}`))
	require.ErrorContains(t, err, "accel: $.x: unknown field")
}

// TestForeign: a text of a foreign format is imported, with its report; a text of the own format has no folder unless it is given one.
func TestForeign(t *testing.T) {
	const urdf = `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>`
	m, err := door.Read(here, "r.urdf", []byte(urdf), nil)
	require.NoError(t, err)
	text, err := m.Document(here, "import", nil, nil)
	require.NoError(t, err)
	require.Contains(t, string(text), `"format":"urdf"`)
	_, err = door.Read(here, "r.urdf", []byte("<robot"), nil)
	require.Equal(t, door.Input, door.StatusOf(err))
	_, err = door.Open(here, "nowhere.json", nil)
	require.Equal(t, door.Input, door.StatusOf(err))
	require.ErrorContains(t, err, "nowhere.json")
	for options, want := range map[string]string{
		`{"threads": -1}`: "threads is -1", `{"ordering": "best"}`: "best", `{"epsilon": 0.01}`: "epsilon is 0.01", `{"max_flops": -1}`: "max_flops",
		`{"max_nonzeros": -3}`: "max_nonzeros", `[`: "model: $: ", `{"threads": "two"}`: "$.threads: is not a number",
		`{"max_flops": 1}`: "flops", `{"threads": 1.5}`: "$.threads: ", `{"threads": 3000000000}`: "$.threads: is beyond 32 bits", `{"packages": {"a": 1}}`: "$.packages.a: is not a string",
		`{"packages": {"a": "x", "a": "y"}}`: "$.packages.a: duplicate key",
	} {
		_, err = door.Open(here, "../docs/four-bar.model.json", []byte(options))
		require.ErrorContains(t, err, want, options)
		require.Equal(t, door.Input, door.StatusOf(err), options)
	}
	err = func() error {
		_, err := door.Read(here, "bad", []byte(`{"format": "rung-model/1", "bodies": [{"name": "a", "mass": -1}]}`), nil)
		return err
	}()
	require.Contains(t, string(door.Details(err)), `"path":"$.bodies[0].mass"`)
}

// TestSolveAllocatesNothing: a call in a loop allocates nothing.
func TestSolveAllocatesNothing(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	s, x, acc := m.NewSolver(), initial(t, m), make([]float64, 6*m.Sizes().Bodies)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if s.AccelerationsTo(acc, x) != nil {
			panic("no solution")
		}
	}))
}

// TestSavedTargets: a value at which a freedom is held is part of what is saved, and what is not saved is refused.
func TestSavedTargets(t *testing.T) {
	m := open(t, "../reference/golden/driven-crank.model.json")
	motion := -1
	for i, k := range m.Knobs() {
		if strings.Contains(k.Path, ".motion[") {
			motion = i
		}
	}
	require.GreaterOrEqual(t, motion, 0)
	require.Equal(t, "rad", m.Knobs()[motion].Unit)
	r, err := m.NewRun(nil, []byte(`{"step": 0.001, "integrator": "rk4", "start": "as-it-is"}`))
	require.NoError(t, err)
	require.NoError(t, r.Set([]int{motion}, []float64{m.Knobs()[motion].Value}))
	require.NoError(t, r.To(here, 0.01, 0))
	text, err := r.Save()
	require.NoError(t, err)
	require.NoError(t, r.To(here, 0.02, 0))
	want, got := make([]float64, m.Sizes().State), make([]float64, m.Sizes().State)
	require.NoError(t, r.StateTo(want))
	other, err := m.NewRun(nil, []byte(`{"step": 0.001, "integrator": "rk4", "start": "as-it-is"}`))
	require.NoError(t, err)
	require.NoError(t, other.Load(text))
	require.NoError(t, other.To(here, 0.02, 0))
	require.NoError(t, other.StateTo(got))
	require.Equal(t, want, got)
	for _, bad := range []string{"", "{}", `{"format": "rung-saved-run/1"}`, string(text[:len(text)/2]), strings.Replace(string(text), "rk4", "rk5", 1)} {
		err := other.Load([]byte(bad))
		require.Error(t, err, bad)
		require.Equal(t, door.Input, door.StatusOf(err), bad)
	}
	for i := range text {
		text[i] ^= 1
		require.Equal(t, door.Input, door.StatusOf(other.Load(text)), "byte %d", i)
		text[i] ^= 1
	}
	require.NoError(t, other.StateTo(got))
	require.Equal(t, want, got)
}

// FuzzOptions: no options, states or saved runs panic, and each refusal has a status.
func FuzzOptions(tf *testing.F) {
	f := check.NewFuzz(tf)
	m, err := door.Open(here, "../docs/four-bar.model.json", nil)
	require.NoError(tf, err)
	for _, text := range []string{`{"hold": ["crank"], "nearest": true}`, `{"tolerance": 1e-9}`, `{"forces": ["A"], "vary": ["gravity[0]"], "threads": 2}`, `{`, `[]`, "", `{"width": 3, "azimuth": 1}`} {
		f.Add(text, 0.5, uint8(3))
	}
	f.Fuzz(func(t *testing.T, options string, x float64, at uint8) {
		state := make([]float64, m.Sizes().State)
		require.NoError(t, m.InitialTo(state))
		state[int(at)%len(state)] = x
		acc := make([]float64, 6*m.Sizes().Bodies)
		for _, err := range []error{
			m.CloseTo(here, state, []byte(options)),
			m.NewSolver().AccelerationsTo(acc, state),
			func() error { _, err := m.Document(here, "svg", nil, []byte(options)); return err }(),
			func() error { _, err := m.NewRun(state, []byte(options)); return err }(),
			func() error { _, err := m.NewBatch([]byte(options)); return err }(),
			func() error { _, err := door.Open(here, "../docs/four-bar.model.json", []byte(options)); return err }(),
		} {
			require.NotEqual(t, door.Bug, door.StatusOf(err), options)
		}
	})
}
