package sweep_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
)

// fourBar is a study in Go: some of its cranks are too long to close.
func fourBar(integrator string) *study.Study {
	return &study.Study{
		Run: study.Run{Until: 0.05, Step: 0.01, Every: 0.01, Integrator: integrator}, Sampling: study.Halton, Draws: 40, Seed: 3,
		Parameters: []study.Parameter{
			{Name: "crank", Path: "joints[A].predecessor_frame.position[0]", Law: study.Uniform, Low: 0.9, High: 6},
			{Name: "gravity", Path: "gravity[1]", Law: study.Values, List: []float64{-9.81, -1.62}},
		},
		Outputs:      []study.Output{{Name: "most", Column: "joint.O.q", Take: study.Max}, {Name: "last", Column: "joint.O.q", Take: study.Final}},
		Trajectories: []string{"joint.*.q"},
	}
}

func source(t *testing.T) sweep.Source {
	t.Helper()
	const path = "../../docs/four-bar.model.json"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return sweep.Source{Text: text, Name: path}
}

func open(t *testing.T, s *study.Study) *sweep.Sweep {
	t.Helper()
	w, err := sweep.New(s, "study", source(t))
	require.NoError(t, err)
	return w
}

// plain are results whose errors are text.
func plain(list []sweep.Result) []sweep.Result {
	for i := range list {
		if list[i].Err != nil {
			list[i].Err = errors.New(list[i].Err.Error())
		}
	}
	return list
}

// TestEqualBits: results are the same on any number of goroutines, and in shares.
func TestEqualBits(t *testing.T) {
	for _, integrator := range []string{"rk4", study.RolloutRungeKutta4} {
		t.Run(integrator, func(t *testing.T) {
			w := open(t, fourBar(integrator))
			count, lock := 0, sync.Mutex{}
			all, err := w.Run(context.Background(), sweep.Options{OnRun: func() {
				lock.Lock()
				count++
				lock.Unlock()
			}})
			require.NoError(t, err)
			require.Len(t, all, 80)
			assert.Equal(t, 80, count)
			failed := 0
			for i, r := range all {
				assert.Equal(t, i, r.Run)
				if r.Err != nil {
					failed++
					continue
				}
				require.Len(t, r.Rows, 6)
				assert.InDelta(t, 0.05, r.Rows[5][0], 1e-15)
				assert.Len(t, r.Rows[0], 1+w.Columns().Trajectories)
				assert.GreaterOrEqual(t, r.Outputs[0], r.Outputs[1])
			}
			assert.Greater(t, failed, 10)
			assert.Less(t, failed, 70)
			many, err := w.Run(context.Background(), sweep.Options{Threads: 3})
			require.NoError(t, err)
			assert.Equal(t, plain(all), plain(many))
			var shares []sweep.Result
			for i := range 3 {
				list, err := w.Run(context.Background(), sweep.Options{Index: i, Of: 3})
				require.NoError(t, err)
				shares = append(shares, list...)
			}
			assert.Equal(t, all, plain(shares))
		})
	}
}

// shelf is a Store of which a write fails.
type shelf struct {
	parts map[int][]sweep.Result
	bad   int
}

var errFull = errors.New("full")

func (s *shelf) Has(part int) (bool, error) {
	_, ok := s.parts[part]
	return ok, nil
}

func (s *shelf) Write(part int, results []sweep.Result) error {
	if part == s.bad {
		return errFull
	}
	s.parts[part] = results
	return nil
}

// TestStore: a sweep that was interrupted goes on with what its store has, and leaves what one does that was not.
func TestStore(t *testing.T) {
	w := open(t, fourBar("rk4"))
	all, err := w.Run(context.Background(), sweep.Options{})
	require.NoError(t, err)
	s, runs := &shelf{map[int][]sweep.Result{}, 1}, 0
	o := sweep.Options{Store: s, OnRun: func() { runs++ }}
	_, err = w.Run(context.Background(), o)
	require.ErrorIs(t, err, errFull)
	require.Len(t, s.parts, 1)
	s.bad, runs = -1, 0
	list, err := w.Run(context.Background(), o)
	require.NoError(t, err)
	assert.Nil(t, list)
	_, _, part := w.Share(o)
	assert.Equal(t, 80-part, runs)
	var ordered []sweep.Result
	for k := range len(s.parts) {
		ordered = append(ordered, s.parts[k]...)
	}
	assert.Equal(t, plain(all), plain(ordered))
}

// TestSum: the checksum of a share is that of study, model and share, and of nothing else.
func TestSum(t *testing.T) {
	sum := func(change func(s *study.Study), text string, o sweep.Options) string {
		s, from := fourBar("rk4"), source(t)
		change(s)
		from.Text = append(from.Text, text...)
		w, err := sweep.New(s, "study", from)
		require.NoError(t, err)
		sum, err := w.Sum(o)
		require.NoError(t, err)
		return sum
	}
	same := func(*study.Study) {}
	want := sum(same, "", sweep.Options{})
	assert.Equal(t, want, sum(same, "", sweep.Options{Threads: 3, Of: 1}))
	assert.Equal(t, want, sum(func(s *study.Study) { s.Model = "elsewhere.json" }, "", sweep.Options{}))
	for what, other := range map[string]string{
		"share": sum(same, "", sweep.Options{Of: 2}), "another share": sum(same, "", sweep.Options{Index: 1, Of: 2}),
		"model": sum(same, "\n", sweep.Options{}), "seed": sum(func(s *study.Study) { s.Seed = 4 }, "", sweep.Options{}),
		"law":    sum(func(s *study.Study) { s.Parameters[0].High = 7 }, "", sweep.Options{}),
		"method": sum(func(s *study.Study) { s.Run.Method = "tree-lambda" }, "", sweep.Options{}),
	} {
		assert.NotEqual(t, want, other, what)
	}
	s := fourBar("rk4")
	s.Parameters[0].High = math.Inf(1)
	w, err := sweep.New(s, "study", source(t))
	require.NoError(t, err)
	_, err = w.Sum(sweep.Options{})
	assert.ErrorContains(t, err, "study/sweep: study: ")
}

// TestEnds: a context that ends is the error, not one of a run.
func TestEnds(t *testing.T) {
	for _, integrator := range []string{"rk4", study.RolloutRungeKutta4} {
		ctx, cancel := context.WithCancelCause(context.Background())
		w := open(t, fourBar(integrator))
		list, err := w.Run(ctx, sweep.Options{OnRun: func() { cancel(errFull) }})
		if integrator == "rk4" { // a rollout is one part, which was done
			assert.ErrorIs(t, err, errFull)
			assert.Nil(t, list)
		}
		_, err = w.Run(ctx, sweep.Options{})
		assert.ErrorIs(t, err, errFull)
	}
}

// TestWrong: what is wrong with a study for its model is told by its place.
func TestWrong(t *testing.T) {
	for place, change := range map[string]func(s *study.Study){
		"$.run.integrator":     func(s *study.Study) { s.Run.Integrator = "euler" },
		"$.run.method":         func(s *study.Study) { s.Run.Method = "guess" },
		"$.run.stabilize":      func(s *study.Study) { s.Run.Stabilize = "hope" },
		"$.run.step":           func(s *study.Study) { s.Run.Step = 0 },
		"$.run.until":          func(s *study.Study) { s.Run.Until = -1 },
		"$.run.every":          func(s *study.Study) { s.Run.Every = 0.03 },
		"$.run.rho":            func(s *study.Study) { s.Run.Rho = 0.5 },
		"$.run.tolerance":      func(s *study.Study) { s.Run.Integrator, s.Run.Tolerance = study.RolloutRungeKutta4, 1e-6 },
		"$.parameters[1].path": func(s *study.Study) { s.Parameters[1].Path = "gravity[" },
		"$.parameters[0].path": func(s *study.Study) { s.Parameters[0].Path = "joints[Z].length" },
		"$.outputs[1].column":  func(s *study.Study) { s.Outputs[1].Column = "joint.Q.q" },
		"$.trajectories[0]":    func(s *study.Study) { s.Trajectories[0] = "nothing" },
	} {
		s := fourBar("rk4")
		change(s)
		_, err := sweep.New(s, "study", source(t))
		p := new(model.Problems)
		if assert.ErrorAs(t, err, &p, place) {
			assert.Equal(t, "study", p.List[0].File)
			assert.Equal(t, place, p.List[0].Path, err)
			assert.NotContains(t, err.Error(), "--")
		}
	}
}

// TestOpen reads a study and the model beside it.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.json"), source(t).Text, 0o666))
	path := filepath.Join(dir, "s.json")
	const text = `{"format": "rung-study/1", "model": "m.json", "run": {"until": 0.02},
 "parameters": [{"path": "gravity[1]", "values": [-9.81, 0]}], "outputs": [{"column": "energy.kinetic", "take": "max"}]}`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	w, err := sweep.Open(path)
	require.NoError(t, err)
	list, err := w.Run(context.Background(), sweep.Options{Threads: 2})
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.NotEqual(t, list[0].Outputs, list[1].Outputs)
	assert.Equal(t, []float64{-9.81}, list[0].Parameters)

	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(text, "m.json", "n.json", 1)), 0o666))
	_, err = sweep.Open(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = sweep.Open(filepath.Join(dir, "t.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
