package taskfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// mutated makes broken tasks from good ones: numbers become extreme, values get another type, entries are lost, doubled
// or exchanged, names become others of the document.
type mutated struct {
	docs  []string
	plans []*kkt.Plan
}

const mutatedFIK = `{"format": "rung-ik/1", "driven": ["j1", "j2", "j3"], "limits": {"j1": [-3, 3]}, "rates": {"j2": 4},
 "targets": [{"name": "tip", "type": "point", "body": "link3", "point": [0.3, 0, 0], "position": [0.6, 0.4, 0], "weight": [1, 2, 0], "tolerance": [1e-6, 1e-6]},
  {"name": "third", "type": "coordinate", "freedom": "j3", "value": 0.2, "priority": 1, "turns": true}],
 "posture": {"gain": 0.5, "values": {"j1": 0.1}}, "solver": {"method": "fik", "steps": 30},
 "path": {"times": [0, 0.5, 1], "interpolation": "spline", "step": 0.1, "tip": {"position": [[0.6, 0.4, 0], [0.5, 0.5, 0], [0.4, 0.6, 0]]}, "third": {"value": [0.2, 0.1, 0.2]}},
 "fik": {"form": "variable", "design": "riccati", "w": 4, "m": 5, "v": [1, 2, 3], "q0": {"j1": 0.3, "j2": 0.5}, "gains": {"j1": 1}, "feedback": 5, "adapt": true, "inner": 2}}`

const mutatedGiven = `{"format": "rung-ik/1", "hold": ["j3"],
 "targets": [{"name": "tip", "type": "point", "body": "link3", "frame": {"position": [0.3, 0, 0], "orientation": [1, 0, 0, 0]}, "position": [0.6, 0.4, 0], "weight": [1, 1, 0]},
  {"name": "far", "type": "distance", "body": "link2", "to": {"body": "link1", "point": [0, 0, 0]}, "length": 0.5, "priority": 1},
  {"name": "look", "type": "axis", "body": "link3", "axis": [1, 0, 0], "direction": [0, 1, 0], "weight": [0, 1], "priority": 2},
  {"name": "mass", "type": "com", "bodies": ["link1", "link2"], "relative_to": "link3", "position": [0, 0, 0], "weight": [1, 0, 0], "priority": 3},
  {"name": "turn", "type": "orientation", "body": "link3", "relative_to": "link1", "orientation": [1, 0, 0, 0], "weight": [0, 0, 3], "priority": 3},
  {"name": "line", "type": "plane", "body": "link3", "position": [0.1, 0.2, 0], "direction": [1, 1, 0], "priority": 4}],
 "solver": {"method": "dls", "steps": 10, "restarts": 1, "seed": 3, "damping": 0.1, "max_time": 0.05, "length": 0.5, "all": true, "nearest": true, "threads": 1},
 "fik": {"form": "fixed", "design": "given", "A": [0.9, 0.8, 0.9, 0.9, 0.9, 0.9, 0.9], "P": 0.1, "h": 0.01}}`

func newMutated(t testing.TB) *mutated {
	t.Helper()
	u := &mutated{}
	add := func(modelFile, doc string) {
		m, err := model.ReadFile(modelFile)
		require.NoError(t, err)
		u.docs, u.plans = append(u.docs, doc), append(u.plans, plantest.New(t, m, order.Auto))
		task, err := Read(strings.NewReader(doc), "task.json")
		require.NoError(t, err)
		_, err = ik.NewProblem(u.plans[len(u.plans)-1], task)
		require.NoError(t, err)
	}
	ref := func(name string) string { return check.Reference(t, "ik", name) }
	read := func(file string) string {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(b)
	}
	add(ref("fik-3r-reach.model.json"), mutatedFIK)
	add(ref("fik-3r-reach.model.json"), mutatedGiven)
	add("../../examples/reach/arm.json", read("../../examples/reach/carry.json"))
	add("../../examples/reach/stewart.json", read("../../examples/reach/circle.json"))
	add(ref("stewart.model.json"), read(ref("stewart.task.json")))
	add(ref("walker.model.json"), read(ref("walker.task.json")))
	return u
}

// nodes lists how to reach each value of a document, in a fixed order.
func nodes(v any, set func(any), list []func(edit func(v any) (any, bool))) []func(edit func(any) (any, bool)) {
	list = append(list, func(edit func(any) (any, bool)) {
		if w, keep := edit(v); keep {
			set(w)
		}
	})
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			list = nodes(v[k], func(w any) {
				if v[k] = w; w == (gone{}) {
					delete(v, k)
				}
			}, list)
		}
	case []any:
		for i := range v {
			list = nodes(v[i], func(w any) {
				if v[i] = w; w == (gone{}) {
					v[i] = v[0]
				}
			}, list)
		}
	}
	return list
}

// gone stands for a value that is taken away.
type gone struct{}

// strange are values that stand where others should.
var strange = []any{nil, true, "x", "world", "", "link3", "j2", 7.5, -1.0, 0.0, 1.0, 3.0, []any{}, []any{1.0, 2.0}, map[string]any{}, map[string]any{"body": "link1"},
	"sparse", "least", "tune", "norm", "given", "fixed", "riccati", "driven", "spline", strings.Repeat("é\x00\"", 200)}

// sizes are numbers at and beyond the ends of what is taken, and some in between.
var sizes = []float64{0, 1e-320, 1e-300, 1e-100, 1e-51, 1e-49, 1e-20, 1e-9, 0.5, 2, 9, 1e6, 1e15, 1e19, 1e49, 1e50, 1.1e50, 1e150, 1e200, 1e308, math.MaxFloat64}

// doc returns document which with edits of four bytes each: two choose a value, two what becomes of it.
func (u *mutated) doc(which uint8, edits []byte) (string, *kkt.Plan) {
	n := int(which) % len(u.docs)
	var root any
	if err := json.Unmarshal([]byte(u.docs[n]), &root); err != nil {
		panic(err)
	}
	for ; len(edits) >= 4; edits = edits[4:] {
		list := nodes(root, func(w any) { root = w }, nil)
		k := (256*int(edits[0]) + int(edits[1])) % len(list)
		how, what := edits[2], int(edits[3])
		list[k](func(v any) (any, bool) {
			_, number := v.(float64)
			switch {
			case number && how < 160:
				x := sizes[what/2%len(sizes)]
				if what%2 == 1 {
					x = -x
				}
				return x, true
			case how < 190:
				return gone{}, k > 0
			case how < 220:
				if a, ok := v.([]any); ok && len(a) > 0 {
					return append(slices.Clone(a), a[what%len(a)]), true
				}
				return strange[what%len(strange)], k > 0
			}
			return strange[what%len(strange)], k > 0
		})
	}
	b, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	return string(b), u.plans[n]
}

// known are the errors that a task may meet beside model.Problems and FilterError.
func known(err error) bool {
	for _, e := range []error{ik.ErrUnreached, ik.ErrEngine, ik.ErrOverflow, errEnough, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return errors.As(err, new(*ik.UnderdrivenError)) || errors.As(err, new(*factor.CostError))
}

var errEnough = errors.New("enough samples")

// mostOfPath is the number of samples of a mutated path that are followed.
const mostOfPath = 4

// run does what a task says, a few steps of it, and looks at errors and results.
func (u *mutated) run(t *testing.T, text string, plan *kkt.Plan) {
	t.Helper()
	task, err := Read(strings.NewReader(text), "task.json")
	if task != nil {
		var wrong error
		p, wrong := ik.NewProblem(plan, task)
		if err != nil {
			require.Error(t, wrong, text)
		}
		if err = wrong; err == nil {
			err = follow(t, p, task, text)
		}
	}
	if list := new(model.Problems); errors.As(err, &list) {
		for _, q := range list.List {
			require.True(t, strings.HasPrefix(q.Path, "$") && q.File == "task.json" && q.Rule != "" && len(q.Error()) < 600, "%v\n%s", q, text)
		}
		return
	}
	if e := new(ik.FilterError); errors.As(err, &e) {
		require.True(t, strings.HasPrefix(e.Path, "$.fik") && e.Rule != "", "%v\n%s", err, text)
		return
	}
	require.True(t, err == nil || known(err), "%v\n%s", err, text)
}

// follow moves the mechanism as the problem says.
func follow(t *testing.T, p *ik.Problem, task *ik.Task, text string) error {
	o := task.Solver
	o.Steps, o.Restarts, o.MaxTime = min(max(o.Steps, 1), 20), min(o.Restarts, 1), 100*time.Millisecond
	s, err := p.NewSolver(o)
	if err != nil {
		return err
	}
	look := func(r *ik.Result) {
		b, err := json.Marshal(r)
		require.NoError(t, err, text)
		require.NotEmpty(t, b)
	}
	ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	st := p.Plan().Initial()
	if task.Path == nil {
		r, err := s.ReachContext(ctx, st)
		if r != nil {
			look(r)
		}
		return err
	}
	samples := 0
	return s.Track(ctx, st, func(_ float64, _ *mechanism.State, r *ik.Result) error {
		look(r)
		if samples++; samples == mostOfPath {
			return errEnough
		}
		return nil
	})
}

// TestMutated: no broken task makes anything panic. Every error is one of its document, with a path, or one of those
// that a task may meet; results are documents, with finite numbers.
func TestMutated(t *testing.T) {
	u := newMutated(t)
	rng := rand.New(rand.NewPCG(1, 18))
	each := 2000
	if testing.Short() {
		each = 150
	}
	for i := range u.docs {
		for range each {
			edits := make([]byte, 4*(1+rng.IntN(2)))
			for k := range edits {
				edits[k] = byte(rng.IntN(256))
			}
			text, plan := u.doc(uint8(i), edits)
			u.run(t, text, plan)
		}
	}
}

// FuzzTask is TestMutated with what the fuzzer chooses.
func FuzzTask(tf *testing.F) {
	f := check.NewFuzz(tf)
	u := newMutated(f)
	for i := range u.docs {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{0, 9, 0, 200, 0, 20, 250, 7})
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		text, plan := u.doc(which, edits[:min(len(edits), 16)])
		u.run(t, text, plan)
	})
}

// TestMutatedNumbers puts every extreme number at every number of every task.
func TestMutatedNumbers(t *testing.T) {
	u := newMutated(t)
	some := sizes
	if testing.Short() {
		some = []float64{1e308}
	}
	for i := range u.docs {
		var root any
		require.NoError(t, json.Unmarshal([]byte(u.docs[i]), &root))
		n := len(nodes(root, nil, nil))
		for k := range n {
			for _, x := range some {
				require.NoError(t, json.Unmarshal([]byte(u.docs[i]), &root))
				changed := false
				nodes(root, nil, nil)[k](func(v any) (any, bool) {
					_, changed = v.(float64)
					return x, changed
				})
				if !changed {
					break
				}
				var b bytes.Buffer
				require.NoError(t, json.NewEncoder(&b).Encode(root))
				u.run(t, b.String(), u.plans[i])
			}
		}
	}
}
