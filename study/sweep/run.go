package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/study"
)

// Options say which runs are done, and where their results go. The zero value does all of them on one goroutine.
type Options struct {
	Threads int // runs at the same time; 0 stands for 1
	// Index is the share that is run, from 0, out of Of shares; Of 0 stands for 1. The results of all shares, one after the
	// other, are the results of the study.
	Index, Of int

	// Store keeps the results in parts, so that a sweep can go on after an interruption; nil: Run returns the results.
	Store Store
	// OnRun is called after each run, by any of the goroutines; it may be nil.
	OnRun func()
}

// Store keeps the results of parts: parts that it has are not computed again.
type Store interface {
	// Has reports whether all of a part is there. It is asked before anything runs, by one goroutine.
	Has(part int) (bool, error)
	// Write keeps a part, of runs in their order. It is called by several goroutines at a time, for different parts.
	Write(part int, results []Result) error
}

const (
	leastPartRuns   = 32      // least number of runs of a part
	rolloutPartRuns = 512     // the same for rollouts, which take less time
	mostParts       = 1 << 16 // of a share, as each part is a file
)

// Share returns the runs of the share that o chooses, first … last−1, and the number of runs of a part. They depend on the study and
// the share alone.
//
// It panics if there is no such share.
func (s *Sweep) Share(o Options) (first, last, part int) {
	first, last = s.study.Share(o.Index, max(o.Of, 1))
	least := leastPartRuns
	if s.rollout != nil {
		least = rolloutPartRuns
	}
	return first, last, max(least, (last-first)/mostParts+1)
}

// Sum returns a checksum of all that the results of the share depend on: the study, the text of its model, and the share.
// A Store that goes on with the parts of an earlier sweep compares it. Files that the model names, such as terrains,
// are not in it, nor is the name of the model's file.
//
// It returns an error if a number of the study is not finite, and panics if there is no such share.
func (s *Sweep) Sum(o Options) (string, error) {
	s.Share(o)
	of := *s.study
	of.Model = ""
	text, err := json.Marshal(&of)
	if err != nil {
		return "", fault.Errorf("study/sweep: %s: %w", s.name, err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %d\n", o.Index, max(o.Of, 1), len(text), len(s.source.Text))
	h.Write(text)
	h.Write(s.source.Text)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Run does the runs of a share that the store does not have. Without a store it returns their results in the order of their numbers.
// Results have the same bits on any number of goroutines, in shares or whole. A run that fails is a result, and the
// sweep goes on.
//
// Memory: without a store, all results are in memory. It returns the cause for which ctx has ended, and the errors of the
// store; parts that are written by then are whole. It panics if there is no such share.
func (s *Sweep) Run(ctx context.Context, o Options) ([]Result, error) {
	first, last, size := s.Share(o)
	parts := (last - first + size - 1) / size
	var memory *inMemory
	if o.Store == nil {
		memory = &inMemory{make([][]Result, parts)}
		o.Store = memory
	}
	var todo []int
	for k := range parts {
		has, err := o.Store.Has(k)
		if err != nil {
			return nil, err
		}
		if !has {
			todo = append(todo, k)
		}
	}
	do := func(ctx context.Context, w worker, k int) error {
		from := first + k*size
		results, err := w.part(ctx, from, min(from+size, last), o.OnRun)
		if err != nil {
			return err
		}
		return o.Store.Write(k, results)
	}
	if err := s.compute(ctx, max(1, o.Threads), todo, do); err != nil || memory == nil {
		return nil, err
	}
	list := make([]Result, 0, last-first)
	for _, p := range memory.parts {
		list = append(list, p...)
	}
	return list, nil
}

// inMemory is a Store in memory, which has no part at its beginning.
type inMemory struct{ parts [][]Result }

func (m *inMemory) Has(int) (bool, error) { return false, nil }

func (m *inMemory) Write(part int, results []Result) error {
	m.parts[part] = results
	return nil
}

// compute calls do for each part of todo, on as many goroutines with a worker each as threads says. After an error it begins no
// other part, and returns the first error.
func (s *Sweep) compute(ctx context.Context, threads int, todo []int, do func(ctx context.Context, w worker, part int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := make([]worker, min(threads, len(todo)))
	for i := range workers {
		var err error
		if workers[i], err = s.newWorker(); err != nil {
			return err
		}
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(todo) {
					return
				}
				if err := do(ctx, w, todo[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// worker does the runs of parts, one part at a time.
type worker interface {
	// part does the runs from first up to last, which is not one of them. Errors end the sweep.
	part(ctx context.Context, first, last int, done func()) ([]Result, error)
}

// newWorker returns a worker of rollouts, or one that does runs one at a time.
func (s *Sweep) newWorker() (worker, error) {
	if s.rollout != nil {
		return s.rollout.newWorker()
	}
	base, err := s.study.NewBase(s.source.Text, s.name)
	if err != nil {
		return nil, err
	}
	w := &single{s: s, base: base, values: make([]float64, len(s.study.Parameters))}
	w.slopes, err = s.newSlopes()
	return w, err
}

// single does runs one at a time.
type single struct {
	s      *Sweep
	base   *study.Base
	values []float64      // of the parameters
	slopes Differentiated // nil: there are no gradients
}

// part implements worker. The end of ctx ends the sweep; any other error of a simulation is the error of its run alone.
func (w *single) part(ctx context.Context, first, last int, done func()) ([]Result, error) {
	list := make([]Result, 0, last-first)
	for i := first; i < last; i++ {
		w.s.draws.ValuesTo(w.values, i)
		text, err := w.base.With(w.values)
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", i, err)
		}
		k := newKept(w.s, i, w.values)
		if k.Err = w.simulate(ctx, text, k); k.Err == nil && w.slopes != nil {
			w.differentiate(ctx, text, k)
		}
		for _, err := range [2]error{k.Err, k.GradientErr} {
			if err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
				return nil, err
			}
		}
		list = append(list, k.Result)
		if done != nil {
			done()
		}
	}
	return list, nil
}

// simulate integrates the model in text, and adds its rows to k.
func (w *single) simulate(ctx context.Context, text []byte, k *kept) error {
	m, err := w.s.read(text, "model")
	if err != nil {
		return err
	}
	plan, err := newPlan(m)
	if err != nil {
		return err
	}
	o := w.s.options
	if start := plan.Initial().Time; o.Until <= start {
		return fmt.Errorf("until %v is not after the time of the model, %v s", o.Until, start)
	}
	o.Model, o.OnRow = m, k.add
	r, err := runs.New(plan, o)
	if err != nil {
		return err
	}
	return r.RunContext(ctx, o.Until)
}
