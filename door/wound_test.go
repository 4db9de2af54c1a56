package door_test

import (
	"context"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/mechanism"
)

// woundModel has a torsion spring, a stop and two actuators at joints that are some turns from where their poses say.
const woundModel = "../cmd/librung/fmi/check/wound.model.json"

// windings are its joints in the order of its angles, and their turns.
var windings = []struct {
	name  string
	turns float64
}{{"shoulder", 3}, {"elbow", -2}, {"drum", 1}, {"barrel", -4}}

// angles returns the angles of a flat state.
func angles(m *door.Model, x []float64) []float64 {
	z := m.Sizes()
	return x[len(x)-z.Angles-z.Internal-z.Bearings:][:z.Angles]
}

// TestWound: states carry the angles of all joints whose turns matter, and every way through them has the bits of package rung.
func TestWound(t *testing.T) {
	m := open(t, woundModel)
	x := initial(t, m)
	require.Equal(t, len(windings), m.Sizes().Angles)
	for i, w := range windings {
		require.InDelta(t, 2*math.Pi*w.turns, angles(m, x)[i], 1e-12, w.name)
	}
	doc, err := rung.Open(woundModel)
	require.NoError(t, err)
	want, err := rung.Accelerate(doc, rung.Options{})
	require.NoError(t, err)
	acc := make([]float64, 6*m.Sizes().Bodies)
	require.NoError(t, m.NewSolver().AccelerationsTo(acc, x))
	for i, b := range want.Bodies {
		require.Equal(t, b.AngularAcceleration[:], acc[6*i:6*i+3], b.Name)
	}
	var again struct {
		Joints []struct {
			Name  string
			Turns []int
		}
	}
	text, err := m.Document(here, "model", x, nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again))
	for i, w := range windings {
		require.Equal(t, []int{int(w.turns)}, again.Joints[i].Turns, w.name)
	}
	further := slices.Clone(x)
	angles(m, further)[0] += 4 * math.Pi
	text, err = m.Document(here, "model", further, nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again))
	for i, w := range windings {
		if i == 0 {
			w.turns += 2
		}
		require.Equal(t, []int{int(w.turns)}, again.Joints[i].Turns, w.name)
	}

	b, err := m.NewBatch(nil)
	require.NoError(t, err)
	got, failed := make([]float64, len(acc)), make([]byte, 1)
	require.NoError(t, b.AccelerationsTo(here, got, 1, x, nil, failed))
	closeTo(t, acc, got, 1e-12)
}

// TestWoundRuns: a state of a run goes on from its numbers as the run does, and no call loses turns.
func TestWoundRuns(t *testing.T) {
	m := open(t, woundModel)
	fixed := []byte(`{"integrator": "rk4", "step": 0.0009765625, "stabilize": "none", "start": "as-it-is"}`)
	r, err := m.NewRun(nil, fixed)
	require.NoError(t, err)
	x := initial(t, m)
	require.NoError(t, r.To(here, 0.75, 0))
	require.NoError(t, r.StateTo(x))
	require.Greater(t, math.Abs(angles(m, x)[0]-6*math.Pi), math.Pi, "the spring unwinds by more than half a turn")
	require.Greater(t, math.Abs(angles(m, x)[0]), math.Pi)
	second, err := m.NewRun(x, fixed)
	require.NoError(t, err)
	require.NoError(t, r.To(here, 1.5, 0))
	require.NoError(t, second.To(here, 1.5, 0))
	end, other := make([]float64, len(x)), make([]float64, len(x))
	require.NoError(t, r.StateTo(end))
	require.NoError(t, second.StateTo(other))
	require.Equal(t, end, other)

	rolled := append([]float64(nil), x...)
	b, err := m.NewBatch(nil)
	require.NoError(t, err)
	failed := make([]byte, 1)
	for range 3 { // calls go on from the rows
		require.NoError(t, b.Rollout(here, 1, rolled, nil, nil, failed, []byte(`{"step": 0.0009765625, "steps": 256}`)))
	}
	require.Equal(t, []byte{0}, failed)
	const projected = 1e-8 // poses of rollouts are put on the joints at each step
	closeTo(t, end, rolled, projected)

	for _, move := range []func(x []float64) error{
		func(x []float64) error { return m.CloseTo(here, x, nil) },
		func(x []float64) error { return m.CloseTo(here, x, []byte(`{"nearest": true}`)) },
		func(x []float64) error { _, err := m.Move(here, "assemble", x, nil); return err },
	} {
		moved := append([]float64(nil), x...)
		moved[1] += 1e-4
		require.NoError(t, move(moved))
		closeTo(t, angles(m, x), angles(m, moved), 1e-2)
	}
	moved := append([]float64(nil), x...)
	_, err = m.Move(here, "equilibrium", moved, nil)
	require.NoError(t, err)
	require.InDelta(t, 2, angles(m, moved)[2], 1e-6, "where the actuator holds the drum")
}

// TestAnglesTo: poses of one's own are read within half a turn and the turns of the model; without, within half a turn of the angles of the state.
func TestAnglesTo(t *testing.T) {
	m := open(t, woundModel)
	x := append(initial(t, m), initial(t, m)...)
	n := m.Sizes().State
	for _, row := range [][]float64{x[:n], x[n:]} {
		angles(m, row)[0] = 1
		angles(m, row)[2] = math.NaN()
		copy(row[1+7*2+3:], []float64{math.Cos(0.5), 0, 0, math.Sin(0.5)}) // the drum by one radian
	}
	require.NoError(t, m.AnglesTo(2, x))
	for _, row := range [][]float64{x[:n], x[n:]} {
		got := angles(m, row)
		for i, w := range windings {
			want := 2 * math.Pi * w.turns
			if i == 2 {
				want++
			}
			require.InDelta(t, want, got[i], 1e-12, w.name)
		}
	}
	require.Equal(t, door.Size, door.StatusOf(m.AnglesTo(1, x)))
	x[4], x[5], x[6], x[7] = 0, 0, 0, 0
	require.Equal(t, door.Failed, door.StatusOf(m.AnglesTo(2, x)))
}

// TestWoundReduced: independent coordinates have the accelerations of the wound model, and saved ones go on.
func TestWoundReduced(t *testing.T) {
	m := open(t, woundModel)
	list, err := m.Independent(context.Background(), nil)
	require.NoError(t, err)
	r, err := m.NewReduced(here, list, nil, nil)
	require.NoError(t, err)
	require.Len(t, list, len(windings))
	got := make([]float64, 2*len(list))
	require.NoError(t, r.RatesTo(got))
	doc, err := rung.Open(woundModel)
	require.NoError(t, err)
	want, err := rung.Accelerate(doc, rung.Options{})
	require.NoError(t, err)
	for i, f := range list {
		if f == (mechanism.Freedom{Joint: 0}) {
			require.InEpsilon(t, want.Bodies[0].AngularAcceleration[2], got[len(list)+i], 1e-12)
		}
	}
	saved, err := r.Save()
	require.NoError(t, err)
	other, err := m.NewReduced(here, list, nil, nil)
	require.NoError(t, err)
	require.NoError(t, other.Load(saved))
	again := make([]float64, len(got))
	require.NoError(t, other.RatesTo(again))
	require.Equal(t, got, again)
	for _, angles := range []string{"-1", "1000000000000", "9223372036854775807"} { // memory for that is asked for by no file
		bad := regexp.MustCompile(`"angles":\d+`).ReplaceAll(saved, []byte(`"angles":`+angles))
		require.NotEqual(t, saved, bad)
		require.Equal(t, door.Input, door.StatusOf(other.Load(bad)), angles)
	}
}

// TestReducedWithBearings: a saved motion goes on where bearings rub by their reactions, and their loads are part of the state.
func TestReducedWithBearings(t *testing.T) {
	text := `{"format": "rung-model/1", "bodies": [{"name": "b", "mass": 1, "com": [0.2, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}],
"joints": [{"name": "j", "type": "revolute", "predecessor": "world", "successor": "b", "friction": [{"coefficient": 0.1, "radius": 0.05}]}]}`
	m, err := door.Read(here, "m.json", []byte(text), nil)
	require.NoError(t, err)
	list, err := m.Independent(here, nil)
	require.NoError(t, err)
	r, err := m.NewReduced(here, list, nil, nil)
	require.NoError(t, err)
	want, got := make([]float64, 2), make([]float64, 2)
	require.NoError(t, r.SetStates([]float64{0.1, 2}))
	require.NoError(t, r.RatesTo(want))
	_, err = r.Completed(here)
	require.NoError(t, err)
	saved, err := r.Save()
	require.NoError(t, err)
	other, err := m.NewReduced(here, list, nil, nil)
	require.NoError(t, err)
	require.NoError(t, other.Load(saved))
	require.NoError(t, other.RatesTo(got))
	require.Equal(t, want, got)
}
