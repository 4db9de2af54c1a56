package main

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// own measures calls of Rung in Go.
type own struct {
	fourBar, ladder, rocker *kkt.Plan
}

// newOwn prepares the models of the figures in Go.
func newOwn(p *paths) (o own, err error) {
	for _, x := range []struct {
		path string
		to   **kkt.Plan
	}{{p.fourBar, &o.fourBar}, {p.ladder, &o.ladder}, {p.rocker, &o.rocker}} {
		doc, err := model.ReadFile(x.path)
		if err != nil {
			return o, err
		}
		m, err := mechanism.New(doc)
		if err != nil {
			return o, err
		}
		*x.to = kkt.NewPlan(m, kkt.Options{})
	}
	return o, nil
}

const (
	innerRounds = 5    // in least
	batchStates = 4096 // in a batch
)

// least returns the least processor time of a call, µs, over innerRounds averages of so many calls.
func least(times int, call func() error) (float64, error) {
	best := math.Inf(1)
	for range innerRounds {
		begin := machine.ProcessorTime()
		for range times {
			if err := call(); err != nil {
				return 0, err
			}
		}
		best = min(best, float64(machine.ProcessorTime()-begin)/float64(time.Microsecond)/float64(times))
	}
	return best, nil
}

// figures measures calls and batches for one more round, and returns the values by the names of their subjects.
func (o own) figures() (map[string]float64, error) {
	f := map[string]float64{}
	for _, x := range []struct {
		name  string
		plan  *kkt.Plan
		times int
	}{{"four-bar.go", o.fourBar, 20_000}, {"ladder.go", o.ladder, 100}} {
		s, st := x.plan.NewSolver(), x.plan.Initial()
		var err error
		if f[x.name], err = least(x.times, func() error { return s.Solve(st) }); err != nil {
			return nil, err
		}
	}
	return f, o.batch(f)
}

// batch adds the times of accelerations and steps of a batch, µs per state. The states are in the batch's own order of memory, so
// that no rows are converted.
func (o own) batch(f map[string]float64) error {
	b, err := batch.New(o.rocker, batch.Options{Threads: 1, Forces: []mechanism.Freedom{{}}})
	if err != nil {
		return err
	}
	s, r, out := b.NewStates(batchStates), b.NewResults(batchStates), b.NewOutcome(batchStates)
	for i := range batchStates {
		s.SetForce(i, 0, -1+2*float64(i)/(batchStates-1))
	}
	const solves, steps = 5, 10
	took, err := least(solves, func() error {
		b.Solve(s, r)
		return nil
	})
	if err != nil {
		return err
	}
	f["batch.accel.go"] = took / batchStates
	took, err = least(1, func() error { return b.Rollout(s, &batch.Rollout{Step: 1e-4, Steps: steps}, out) })
	f["batch.step.go"] = took / batchStates / steps
	return err
}

// accelerations returns the accelerations of the four-bar and of the ladder as the bytes of their numbers.
func (o own) accelerations() (b []byte, err error) {
	for _, p := range []*kkt.Plan{o.fourBar, o.ladder} {
		s := p.NewSolver()
		if err := s.Solve(p.Initial()); err != nil {
			return nil, err
		}
		a := make([]float64, 6*p.Mechanism().NumBodies())
		s.AccelerationsTo(a)
		for _, x := range a {
			b = binary.NativeEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b, nil
}

// differing returns the count of numbers, eight bytes each, that differ between two lists; lists of different lengths differ in all
// numbers.
func differing(a, b []byte) (n int) {
	if len(a) != len(b) {
		return max(len(a), len(b)) / 8
	}
	for i := 0; i < len(a); i += 8 {
		if [8]byte(a[i:]) != [8]byte(b[i:]) {
			n++
		}
	}
	return n
}
