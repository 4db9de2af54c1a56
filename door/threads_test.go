package door_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/rung-mbd/rung/door"
)

// TestThreads: goroutines that ask, solve, run and make at once on one model get what one gets, to the bit.
//
//rung:race
func TestThreads(t *testing.T) {
	m := open(t, "../docs/four-bar.model.json")
	want := answersOf(t, m)
	var wait sync.WaitGroup
	for k := range 6 {
		wait.Go(func() {
			for i := range 3 {
				if got := answersOf(t, m); !slices.EqualFunc(want, got, bytes.Equal) {
					t.Errorf("goroutine %d, time %d: other answers", k, i)
				}
			}
		})
	}
	wait.Wait()
}

// answersOf asks a model for much, and makes all that can be made of it.
func answersOf(t *testing.T, m *door.Model) (list [][]byte) {
	add := func(text []byte, err error) {
		if err != nil {
			t.Error(err)
		}
		list = append(list, text)
	}
	for _, what := range []string{"accel", "analyze", "knobs", "names", "svg", "state", "columns"} {
		add(m.Document(here, what, nil, nil))
	}
	numbers := func(x any, err error) { add(fmt.Append(nil, x), err) }
	x, acc := make([]float64, m.Sizes().State), make([]float64, 6*m.Sizes().Bodies)
	numbers(x, m.InitialTo(x))
	numbers(m.KnobAt("gravity[1]"))
	s := m.NewSolver()
	numbers(nil, s.Set([]int{1}, []float64{-9}))
	numbers(acc, s.AccelerationsTo(acc, x))
	r, err := m.NewRun(nil, []byte(`{"tolerance": 1e-6}`))
	if err != nil {
		t.Error(err)
		return list
	}
	numbers(nil, r.To(here, 0.02, 0))
	numbers(x, r.StateTo(x))
	b, err := m.NewBatch([]byte(`{"threads": 3}`))
	if err != nil {
		t.Error(err)
		return list
	}
	const n = 40
	states, all, failed := slices.Repeat(x, n), slices.Repeat(acc, n), make([]byte, n)
	for _, i := range []int{3, 17, 39} { // rows that are no states
		clear(states[i*len(x)+4:][:4])
	}
	states[5*len(x)+4] *= 2 // and one that becomes one
	numbers(nil, b.AccelerationsTo(here, all, n, states, nil, failed))
	numbers(all, nil)
	numbers(failed, b.Rollout(here, n, states, nil, nil, failed, []byte(`{"step": 1e-3, "steps": 3, "as_it_is": true}`)))
	numbers(states, nil)
	for _, i := range []int{3, 17, 39} {
		if err := b.Error(i); err == nil || failed[i] != 1 {
			t.Errorf("row %d: %v, %d", i, err, failed[i])
		}
	}
	return list
}
