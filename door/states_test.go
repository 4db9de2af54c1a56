package door_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/door"
	"github.com/stretchr/testify/require"
)

// TestStates: what is no state is refused with the place, quaternions of another length are normalized.
func TestStates(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	x := initial(t, m)
	s, acc, scaled := m.NewSolver(), make([]float64, 6*m.Sizes().Bodies), make([]float64, 6*m.Sizes().Bodies)
	require.NoError(t, s.AccelerationsTo(acc, x))
	for k := range 4 {
		x[1+3+k] *= 3
	}
	require.NoError(t, s.AccelerationsTo(scaled, x))
	closeTo(t, acc, scaled, 1e-13)
	for k := range 4 {
		x[1+3+k] = 0
	}
	name := m.Plan().Mechanism().BodyName(0)
	require.ErrorContains(t, s.AccelerationsTo(acc, x), name)
	require.ErrorContains(t, s.WrenchesTo(make([]float64, 6*m.Sizes().Joints)), "no state has been solved")
	x = initial(t, m)
	x[2] = math.NaN()
	err := s.AccelerationsTo(acc, x)
	require.ErrorContains(t, err, name)
	require.Equal(t, door.Failed, door.StatusOf(err))
	require.Contains(t, string(door.Details(err)), `"body":"`+name+`"`)
	err = s.AccelerationsTo(acc, x[1:])
	require.EqualError(t, err, "door: a state has 40 numbers, not 39")
	require.Equal(t, door.Size, door.StatusOf(err))
	require.NoError(t, s.AccelerationsTo(acc, initial(t, m)))
	w := make([]float64, 6*m.Sizes().Joints)
	require.NoError(t, s.WrenchesTo(w))
	require.NotZero(t, w)
}

// TestNotFinite: whatever is asked about a state, a number that is not finite is refused with its place, and so is what tells no rotation.
func TestNotFinite(t *testing.T) {
	m := open(t, "../cmd/librung/fmi/check/wound.model.json")
	sizes := m.Sizes()
	require.NotZero(t, sizes.Angles)
	body := `body "` + m.Plan().Mechanism().BodyName(0) + `": `
	asked := map[string]func(x []float64) error{
		"close": func(x []float64) error { return m.CloseTo(here, x, nil) },
		"run":   func(x []float64) error { _, err := m.NewRun(x, nil); return err },
	}
	for _, what := range door.Documents() {
		asked[what] = func(x []float64) error { _, err := m.Document(here, what, x, nil); return err }
	}
	for _, what := range door.Moves() {
		asked[what] = func(x []float64) error { _, err := m.Move(here, what, x, nil); return err }
	}
	for what, ask := range asked {
		for _, c := range []struct {
			first, n int // numbers that are changed
			x        float64
			want     string
			body     bool
		}{
			{0, 1, math.NaN(), "mechanism: state not finite: time", false},
			{1, 1, math.Inf(1), "mechanism: " + body + "state not finite", true},
			{1 + 7*sizes.Bodies, 1, math.NaN(), "mechanism: " + body + "state not finite", true},
			{1 + 13*sizes.Bodies, 1, math.NaN(), "mechanism: state not finite: angles", false},
			{4, 4, 0, "door: " + body + "quaternion of length 0 tells no rotation", true},
		} {
			x := initial(t, m)
			for k := range c.n {
				x[c.first+k] = c.x
			}
			err := ask(x)
			require.EqualError(t, err, c.want, what)
			require.Equal(t, door.Failed, door.StatusOf(err), what)
			require.Equal(t, c.body, strings.Contains(string(door.Details(err)), `"body":`), what)
		}
	}
	x := initial(t, m)
	want := slices.Clone(x)
	x[1+13*sizes.Bodies] = math.NaN() // is written, not read
	require.NoError(t, m.AnglesTo(1, x))
	require.Equal(t, want, x)
	x[1] = math.NaN()
	require.EqualError(t, m.AnglesTo(1, x), "mechanism: "+body+"state not finite")
}
