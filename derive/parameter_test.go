package derive_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
)

// parametersTried is the number of parameters of each model that are drawn at random.
const parametersTried = 5

// TestParameters compares derivatives by all kinds of numbers with differences between models with other numbers, whose states follow.
func TestParameters(t *testing.T) {
	var models []*model.Model
	for _, pattern := range []string{
		"../reference/truth/*/model.json", "../reference/joints/*.model.json", "../reference/golden/type-*.model.json",
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			m, err := model.ReadFile(file)
			require.NoError(t, err)
			if m.Name = strings.TrimSuffix(filepath.Base(file), ".model.json"); m.Name == "model.json" {
				m.Name = filepath.Base(filepath.Dir(file))
			}
			models = append(models, m)
		}
	}
	for seed := range check.Random(uint64(2), 1) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sprung := modeltest.Composites(seed, 4, 1)
		modeltest.AddSprings(sprung, rng)
		models = append(models, sprung, modeltest.Rolling(seed), modeltest.Bowls(seed), modeltest.Beads(seed), modeltest.Cams(seed),
			modeltest.Follow(t, modeltest.Composites(seed, 4, 0), rng, 1), modeltest.Couple(t, modeltest.Composites(seed, 4, 0), rng, 1))
	}
	tried := map[string]int{}
	for i, m := range check.Some(models, 7) {
		t.Run(m.Name, func(t *testing.T) { parameterSlopes(t, m, uint64(i), tried) })
	}
	t.Logf("%d kinds of numbers: %v", len(tried), tried)
}

// parameterSlopes is TestParameters for one model.
func parameterSlopes(t *testing.T, m *model.Model, seed uint64, tried map[string]int) {
	text, err := json.Marshal(m)
	require.NoError(t, err)
	inputs, err := study.NewInputs(text, m.Name)
	require.NoError(t, err)
	all := inputs.All()
	rng := check.Rand(seed)
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	d, st := closed(t, m)
	count := 0
	for _, x := range all {
		if count == parametersTried {
			return
		}
		p, err := d.Parameter(x.Path)
		if err != nil {
			require.ErrorIs(t, err, derive.ErrParameter, x.Path)
			continue
		}
		if !strings.HasPrefix(x.Path, "bodies") || !strings.Contains(x.Path, "pose") && !strings.Contains(x.Path, "velocity") {
			count++
			parameterSlope(t, m, d, st, inputs, x, p)
			tried[kindOf(x.Path)]++
		}
	}
}

// kindOf returns a path without the contents of its brackets.
func kindOf(path string) string {
	var s strings.Builder
	depth := 0
	for _, r := range path {
		if r == '[' {
			depth++
		}
		if depth == 0 {
			s.WriteRune(r)
		}
		if r == ']' {
			depth--
		}
	}
	return s.String()
}

// parameterSlope compares the derivatives by one parameter.
func parameterSlope(
	t *testing.T, m *model.Model, d *derive.Derivatives, st *mechanism.State, inputs *study.Inputs, x study.Input, p *derive.Parameter,
) {
	was := inputs.All()
	in, out := d.NewDirections(1), d.NewChanges(1)
	scale := max(0.03, math.Abs(x.Value))
	in.SetFollow(0, true)
	in.AddParameter(0, p, scale)
	err := d.ForwardTo(out, in, derive.Options{})
	if errors.Is(err, derive.ErrBreaksLoop) || errors.Is(err, derive.ErrNoDerivatives) {
		return
	}
	require.NoError(t, err, x.Path)
	time := 0.0
	if x.Path == "time" {
		time = scale
	}
	for _, h := range [2]float64{step, -step} { // a number at the end of its range
		set(t, inputs, x.Path, x.Value+h*scale)
		_, err := inputs.Model()
		reset(t, inputs, was)
		if err != nil {
			return
		}
	}
	at := func(h float64) []float64 {
		set(t, inputs, x.Path, x.Value+h*scale)
		other, err := inputs.Model()
		require.NoError(t, err)
		reset(t, inputs, was)
		require.NoError(t, other.Load(t.Context(), os.DirFS(".")))
		mech, err := mechanism.New(other)
		require.NoError(t, err)
		to := moved(d, st, out, in, h, time)
		return results(t, d, kkt.NewPlan(mech, kkt.Options{}).NewSolver(), to)
	}
	defer func() {
		if t.Failed() {
			t.Logf("%s of %s", x.Path, m.Name)
		}
	}()
	requireSlope(t, changesOf(d, out), at)
}

// set sets a number, and normalizes its quaternion.
func set(t *testing.T, inputs *study.Inputs, path string, x float64) {
	require.NoError(t, inputs.Set(path, x))
	at := strings.LastIndex(path, ".orientation[")
	if at < 0 {
		return
	}
	var q spatial.Quat
	head := path[:at+len(".orientation[")]
	for _, y := range inputs.All() {
		if strings.HasPrefix(y.Path, head) {
			q[y.Path[len(head)]-'0'] = y.Value
		}
	}
	for k, v := range q.Normalize() {
		require.NoError(t, inputs.Set(head+string(rune('0'+k))+"]", v))
	}
}

// reset restores all numbers.
func reset(t *testing.T, inputs *study.Inputs, was []study.Input) {
	for i, x := range inputs.All() {
		if x.Value != was[i].Value {
			require.NoError(t, inputs.Set(was[i].Path, was[i].Value))
		}
	}
}
