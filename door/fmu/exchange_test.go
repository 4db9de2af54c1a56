package fmu_test

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/door/fmu"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// exchanging returns an instance for model exchange of a model.
func exchanging(t *testing.T, m *model.Model, o fmu.Options) (*fmu.Unit, string) {
	t.Helper()
	var b bytes.Buffer
	made, err := fmu.Write(here, &b, m, "", o)
	require.NoError(t, err)
	require.NoError(t, made.Why)
	folder, _ := unpack(t, b.Bytes())
	u, err := fmu.OpenExchange(here, filepath.Join(folder, "resources"), "")
	require.NoError(t, err)
	return u, filepath.Join(folder, "resources")
}

// TestExchange: derivatives are rates and second rates of the coordinates, which variables tell, too; they follow inputs; a state
// that is saved goes on to the bit, in another instance as well; Reset is as new.
func TestExchange(t *testing.T) {
	u, resources := exchanging(t, read(t, fourBar), options(2))
	first := values(t, u)
	require.Equal(t, 2, u.States())
	x, dx, size := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	require.NoError(t, u.NominalsTo(size))
	require.Equal(t, []float64{1, 1}, size)
	require.NoError(t, u.SetTime(0.1))
	require.NoError(t, u.SetStates([]float64{0.2, -2}))
	require.NoError(t, u.StatesTo(x))
	require.NoError(t, u.DerivativesTo(dx))
	now := values(t, u)
	require.Equal(t, 0.1, now[0])
	require.Equal(t, append(append([]float64{}, x...), dx...), now[states:])
	require.Equal(t, x[1], dx[0])
	require.NoError(t, u.Set([]uint32{force}, []float64{3}))
	require.NoError(t, u.DerivativesTo(size))
	require.NotEqual(t, dx[1], size[1])

	event, err := u.Completed(here)
	require.NoError(t, err)
	require.False(t, event)
	saved, err := u.Save()
	require.NoError(t, err)
	ahead := func(u *fmu.Unit) []float64 {
		require.NoError(t, u.SetTime(0.2))
		require.NoError(t, u.SetStates([]float64{0.3, -1}))
		return values(t, u)
	}
	want := ahead(u)
	other, err := fmu.OpenExchange(here, resources, "")
	require.NoError(t, err)
	for _, i := range []*fmu.Unit{u, other} {
		require.NoError(t, i.Load(saved))
		require.Equal(t, want, ahead(i))
	}
	run, err := fmu.Open(here, resources, "")
	require.NoError(t, err)
	require.Equal(t, door.Input, door.StatusOf(run.Load(saved)))
	require.Equal(t, first, values(t, run)) // co-simulation begins there, too
	require.NoError(t, u.Reset())
	require.Equal(t, first, values(t, u))
}

// TestExchangeChooses: Jansen's legs ask for an event before their coordinate comes to its dead centre, and go on in another one, at the
// same state.
func TestExchangeChooses(t *testing.T) {
	generated, err := bench.Generate("jansen", 1, 1)
	require.NoError(t, err)
	u, _ := exchanging(t, generated, fmu.Options{Version: 3, Outputs: []string{"energy.*"}})
	x, dx := make([]float64, 2), make([]float64, 2)
	require.NoError(t, u.StatesTo(x))
	const h = 1e-3 // s
	for n := range 400 {
		require.NoError(t, u.DerivativesTo(dx))
		x[0] += h * (dx[0] + h/2*dx[1]) // good enough to come to where the coordinate is bad
		x[1] += h * dx[1]
		require.NoError(t, u.SetTime(float64(n+1)*h))
		require.NoError(t, u.SetStates(x))
		event, err := u.Completed(here)
		require.NoError(t, err)
		if !event {
			continue
		}
		energy := values(t, u)[1]
		changed, err := u.Choose(here)
		require.NoError(t, err)
		require.True(t, changed)
		require.InDelta(t, energy, values(t, u)[1], 1e-9*math.Abs(energy))
		require.NoError(t, u.StatesTo(dx))
		require.NotEqual(t, x, dx)
		changed, err = u.Choose(here) // once is enough
		require.NoError(t, err)
		require.False(t, changed)
		return
	}
	t.Fatal("no event")
}

// TestExchangeRefuses: what model exchange does not take is refused, and a model that cannot have coordinates has none.
func TestExchangeRefuses(t *testing.T) {
	u, _ := exchanging(t, read(t, fourBar), options(3))
	x := make([]float64, 2)
	refused := func(err error, text string) {
		t.Helper()
		require.ErrorContains(t, err, text)
		require.Equal(t, door.StatusOf(err) == door.Size || door.StatusOf(err) == door.Input, true)
	}
	refused(u.SetStates([]float64{1}), "there are 2 coordinates and rates, not 1")
	refused(u.SetStates([]float64{0, math.NaN()}), `NaN is not finite`)
	refused(u.SetTime(math.Inf(1)), "time +Inf is not finite")
	three := []float64{7, 7, 7}
	refused(u.StatesTo(three), "not 3")
	require.Equal(t, []float64{7, 7, 7}, three, "what is refused is not written")
	refused(u.Step(here, 0, 1), "the instance is for model exchange, and takes no steps")
	require.NoError(t, u.SetStates([]float64{1e5, 0}))
	err := u.DerivativesTo(x)
	require.Equal(t, door.Failed, door.StatusOf(err))
	require.ErrorContains(t, err, "take co-simulation")
	run, _ := open(t)
	for _, err := range []error{run.SetTime(1), run.SetStates(x), run.StatesTo(x), run.DerivativesTo(x), run.NominalsTo(x), run.IndicatorsTo(nil)} {
		refused(err, "the instance is for co-simulation")
	}

	rover, err := bench.Generate("rover", 1, 1)
	require.NoError(t, err)
	var b bytes.Buffer
	made, err := fmu.Write(here, &b, rover, "", fmu.Options{Version: 2})
	require.NoError(t, err)
	require.Nil(t, made.States)
	require.ErrorContains(t, made.Why, "coordinates")
	folder, _ := unpack(t, b.Bytes())
	_, err = fmu.OpenExchange(here, filepath.Join(folder, "resources"), "")
	refused(err, "the unit has no model exchange: take co-simulation")
	_, err = fmu.Write(here, &b, rover, "", fmu.Options{Version: 2, States: []mechanism.Freedom{{Joint: 1}}})
	refused(err, "coordinates")
	made, err = fmu.Write(here, &b, read(t, fourBar), "", fmu.Options{Version: 2, CoSimulation: true})
	require.NoError(t, err)
	require.Equal(t, fmu.Summary{}, made)
}

// TestExchangeJumps: the value of a motion that would jump is refused, as co-simulation does in its next step, and nothing moves; one at
// which the freedom rests is taken.
func TestExchangeJumps(t *testing.T) {
	const arm = `{"format": "rung-model/1", "bodies": [
		{"name": "a", "mass": 1, "com": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}},
		{"name": "b", "mass": 1, "com": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "pose": {"position": [1, 0, 0]}}], "joints": [
		{"name": "J", "type": "revolute", "predecessor": "world", "successor": "a", "motion": [{"kind": "polynomial", "coefficients": [0]}]},
		{"name": "K", "type": "revolute", "predecessor": "a", "successor": "b", "predecessor_frame": {"position": [1, 0, 0]}}]}`
	m, err := model.Read(strings.NewReader(arm), "arm.json")
	require.NoError(t, err)
	u, resources := exchanging(t, m, fmu.Options{Version: 3, Inputs: []string{"joints[J].motion[0]"}, Outputs: []string{"joint.J.q"}})
	want := values(t, u)
	err = u.Set([]uint32{1}, []float64{1})
	require.ErrorContains(t, err, "joints[J].motion[0] would jump to 1, from 0")
	require.Equal(t, door.Input, door.StatusOf(err))
	require.Equal(t, want, values(t, u))
	require.NoError(t, u.Set([]uint32{1}, []float64{1e-9}))
	run, err := fmu.Open(here, resources, "")
	require.NoError(t, err)
	require.NoError(t, run.Set([]uint32{1}, []float64{1}))
	require.ErrorContains(t, run.Step(here, 0, 0.1), `joint "J"`)
}

// TestExchangeSingular: a step that ends at a singular pose leads on over it, on its branch, also from a saved state.
func TestExchangeSingular(t *testing.T) {
	u, resources := exchanging(t, read(t, fourBar), options(2))
	x, dx := make([]float64, 2), make([]float64, 2)
	require.NoError(t, u.StatesTo(x))
	require.NoError(t, u.SetStates([]float64{0, x[1]})) // the flat pose of the parallelogram
	require.Equal(t, door.Failed, door.StatusOf(u.DerivativesTo(dx)))
	_, err := u.Completed(here)
	require.NoError(t, err)
	changed, err := u.Choose(here)
	require.NoError(t, err)
	require.False(t, changed)
	saved, err := u.Save()
	require.NoError(t, err)
	other, err := fmu.OpenExchange(here, resources, "")
	require.NoError(t, err)
	require.NoError(t, other.Load(saved))
	for _, i := range []*fmu.Unit{u, other} {
		require.NoError(t, i.SetStates([]float64{-0.1 * x[0], x[1]}))
		require.NoError(t, i.DerivativesTo(dx))
		_, err = i.Completed(here)
		require.NoError(t, err)
	}
	require.Equal(t, values(t, u), values(t, other))
}
