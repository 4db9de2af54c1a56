package door_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/stretchr/testify/require"
)

// ask returns a document that holds its schema, as a map.
func ask(t *testing.T, schema string, text []byte, err error) (doc map[string]any) {
	t.Helper()
	require.NoError(t, err)
	s, err := answers.Schema(schema)
	require.NoError(t, err)
	require.NoError(t, schematest.Validate(t, schematest.Compile(t, s), string(text)))
	require.NoError(t, json.Unmarshal(text, &doc))
	return doc
}

// TestAnalyzeAndInverse: what is said of the four-bar, its crank held by the force that statics demands.
func TestAnalyzeAndInverse(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	text, err := m.Document(here, "analyze", nil, nil)
	a := ask(t, "analysis", text, err)
	require.InDelta(t, 3, a["constraints"].(map[string]any)["redundant"], 0)

	x := initial(t, m)
	st := m.Plan().Initial()
	st.Rest() // all bodies hold still without rates
	st.FlatTo(x)
	text, err = m.Document(here, "inverse", x, []byte(`{"actuators": ["O"]}`))
	inv := ask(t, "inverse", text, err)
	require.Equal(t, "proper", inv["status"])
	force := inv["actuators"].([]any)[0].(map[string]any)["force"].(float64)
	k, err := m.KnobAt("joints[O].force[0]")
	require.NoError(t, err)
	s, acc := m.NewSolver(), make([]float64, 6*m.Sizes().Bodies)
	require.NoError(t, s.Set([]int{k}, []float64{force + m.Knobs()[k].Value}))
	require.NoError(t, s.AccelerationsTo(acc, x))
	for i, v := range acc {
		require.InDelta(t, 0, v, 1e-10, i)
	}
	// The same accelerations asked for by number.
	zero, err := json.Marshal(map[string]any{"actuators": []string{"O"}, "accelerations": acc})
	require.NoError(t, err)
	text, err = m.Document(here, "inverse", x, zero)
	again := ask(t, "inverse", text, err)
	require.InDelta(t, force, again["actuators"].([]any)[0].(map[string]any)["force"].(float64), 1e-9*math.Abs(force))
}

// TestMoves: a state is put on its joints, into equilibrium, and to a target; each document holds its schema.
func TestMoves(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	x := initial(t, m)
	x[1] += 1e-3
	text, err := m.Move(here, "assemble", x, nil)
	require.Equal(t, true, ask(t, "assembly", text, err)["closed"])
	st := m.Plan().Initial()
	st.SetFlat(x)
	require.NoError(t, m.Plan().Mechanism().Holds(st))

	text, err = m.Move(here, "equilibrium", x, nil)
	e := ask(t, "equilibrium", text, err)
	require.Equal(t, true, e["found"])
	require.Equal(t, "stable", e["stability"])
	text, err = m.Document(here, "modes", x, []byte(`{"count": 1}`))
	modes := ask(t, "modes", text, err)
	require.NotContains(t, modes, "warnings", "the state is that of the equilibrium")
	lowest := e["lowest_mode"].(map[string]any)["frequency"].(float64)
	require.InDelta(t, lowest, modes["modes"].([]any)[0].(map[string]any)["frequency"].(float64), 1e-9*lowest)
	text, err = m.Document(here, "modes", nil, []byte(`{"count": 1}`))
	require.Contains(t, ask(t, "modes", text, err)["warnings"].([]any)[0], "not in equilibrium")
}

// TestReach: a crank goes to where a point of it is wanted; out of reach, the state stays unless what was reached is asked for.
func TestReach(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	at := initial(t, m)[8:11]
	body := m.Plan().Mechanism().BodyName(1)
	task := func(r float64, more string) []byte {
		return []byte(`{"task": {"format": "rung-ik/1", "driven": ["O"], "targets": [{"name": "tip", "type": "point", "point": [0, 0, 0], "body": "` + body + `", "position": [` +
			num(at[0]*r) + `, ` + num(at[1]*r) + `, ` + num(at[2]*r) + `]}]}` + more + `}`)
	}
	x := initial(t, m)
	_, err := m.Move(here, "ik", x, task(1, ""))
	require.NoError(t, err)
	poses := 1 + 7*m.Sizes().Bodies
	require.InDeltaSlice(t, initial(t, m)[:poses], x[:poses], 1e-9, "it is there already")
	for _, v := range x[poses:] {
		require.Zero(t, v, "at rest")
	}
	y := initial(t, m)
	_, err = m.Move(here, "ik", y, task(100, ""))
	require.Equal(t, door.Failed, door.StatusOf(err))
	require.ErrorContains(t, err, `"tip" is off by`)
	require.Equal(t, initial(t, m), y)
	text, err := m.Move(here, "ik", y, task(100, `, "partial": true`))
	require.NoError(t, err)
	require.NotContains(t, string(text), `"status":"reached"`)
}

func num(x float64) string { b, _ := json.Marshal(x); return string(b) }

// TestAskedWrong: what is asked wrongly is refused with its name, and the state stays.
func TestAskedWrong(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	for _, c := range []struct{ what, options, want string }{
		{"analyze", `{"method": "x"}`, `$.method: unknown field`},
		{"inverse", `{}`, "option actuators"},
		{"inverse", `{"actuators": []}`, "actuators is an empty list"},
		{"inverse", `{"actuators": ["nobody"]}`, `"nobody"`},
		{"inverse", `{"actuators": ["O.1"]}`, `has no freedom "1"`},
		{"inverse", `{"actuators": ["O.x.0"]}`, `no joint "O.x.0" and no joint "O.x"`},
		{"inverse", `{"actuators": ["O", "O"]}`, `"O"`},
		{"modes", `{"count": 0}`, "count is 0"},
		{"modes", `{"method": "best"}`, "best"},
		{"modes", `{"moving": true, "equilibrium": true}`, "moving and equilibrium exclude each other"},
		{"modes", `{"steady": true, "moving": true}`, "steady takes the motion"},
		{"modes", `{"steady": true, "equilibrium": true}`, "at rest"},
		{"modes", `{"steady": true, "undamped": true}`, "velocity terms"},
		{"modes", `{"steady": true, "method": "sparse"}`, "dense method"},
		{"matrix", `{"right": 1}`, "true or false"},
		{"glb", `{"joint": true}`, "did you mean joints"},
	} {
		_, err := m.Document(here, c.what, nil, []byte(c.options))
		require.ErrorContains(t, err, c.want, c)
		require.Equal(t, door.Input, door.StatusOf(err), c)
	}
	for _, list := range []string{"[1]", "[]"} {
		_, err := m.Document(here, "inverse", nil, []byte(`{"actuators": ["O"], "accelerations": `+list+`}`))
		require.Equal(t, door.Size, door.StatusOf(err), list)
	}
	x := initial(t, m)
	for _, c := range []struct{ what, options, want string }{
		{"equilibrum", ``, "did you mean equilibrium"},
		{"assemble", `{"tolerance": -1}`, "tolerance is -1"},
		{"assemble", `{"hold": ["nobody"]}`, "nobody"},
		{"equilibrium", `{"steps": 0}`, "steps is 0"},
		{"ik", `{}`, "option task is missing"},
		{"ik", `{"task": 3}`, "object"},
		{"ik", `{"task": {"format": "rung-ik/1", "targets": [{"name": "a", "type": "point", "point": [0, 0, 0], "body": "nobody", "position": [0, 0, 0]}]}}`, "nobody"},
	} {
		_, err := m.Move(here, c.what, x, []byte(c.options))
		require.ErrorContains(t, err, c.want, c)
		require.Equal(t, door.Input, door.StatusOf(err), c)
	}
	require.Equal(t, initial(t, m), x)
	ctx, end := context.WithCancel(here)
	end()
	for _, what := range []string{"assemble", "equilibrium"} {
		_, err := m.Move(ctx, what, x, nil)
		require.Equal(t, door.Stopped, door.StatusOf(err), what)
	}
	for _, what := range []string{"analyze", "modes"} {
		_, err := m.Document(ctx, what, x, nil)
		require.Equal(t, door.Stopped, door.StatusOf(err), what)
	}
}

// TestBudget: seconds that are no budget are refused, where a conversion would make of them some time or none.
func TestBudget(t *testing.T) {
	for _, x := range []float64{-1, math.NaN(), math.Inf(-1)} {
		_, err := door.Budget(x)
		require.Equal(t, door.Input, door.StatusOf(err), x)
	}
	for x, want := range map[float64]time.Duration{
		0: 0, 1e-30: 1, 0.25: 250 * time.Millisecond, 1e300: math.MaxInt64, math.Inf(1): math.MaxInt64,
	} {
		got, err := door.Budget(x)
		require.NoError(t, err)
		require.Equal(t, want, got, x)
	}
}
