package growth

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	minRuns   = 5                     // evaluations behind a median, which together take the least time asked for
	enoughRun = 3 * time.Second       // unless fewer take this long
	batchTime = 20 * time.Microsecond // shorter evaluations are timed so many in a row that they take this
	quickPlan = time.Millisecond      // what a quicker plan leaves behind is less than a collection of garbage is worth
)

// analysed returns what makePlan makes and the median time of that, in ns, with
// the collector's default pace: a tight one would take a good part of the time. What
// the plan before has left is collected first, unless that was a quick one.
func analysed[P any](ctx context.Context, makePlan func() (*P, error), least time.Duration) (plan *P, ns int64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(machine.DefaultGC))
	var times []int64
	for begun := time.Now(); more(ctx, len(times), time.Since(begun), least); {
		plan = nil // two at a time would count as peak memory
		if n := len(times); n == 0 || times[n-1] > quickPlan.Nanoseconds() {
			runtime.GC()
		}
		t := time.Now()
		if plan, err = makePlan(); err != nil {
			return nil, 0, err
		}
		times = append(times, time.Since(t).Nanoseconds())
	}
	return plan, median(times), nil
}

// more reports whether a median over n runs that took t needs more, to take least: none once ctx has ended, after the first.
func more(ctx context.Context, n int, t, least time.Duration) bool {
	return n == 0 || ctx.Err() == nil && t < max(enoughRun, least) && (n < minRuns || t < least)
}

// timing is one evaluation: assembly, factorization, solution, all, in ns.
type timing [4]int64

// phased solves in three steps.
type phased interface {
	Assemble(st *mechanism.State) error
	Factorize() error
	Refine() error
}

// once solves at st and returns the times.
func once(s phased, st *mechanism.State) (t timing, err error) {
	t0 := time.Now()
	if err := s.Assemble(st); err != nil {
		return t, err
	}
	t1 := time.Now()
	if err := s.Factorize(); err != nil {
		return t, err
	}
	t2 := time.Now()
	if err := s.Refine(); err != nil {
		return t, err
	}
	t3 := time.Now()
	return timing{t1.Sub(t0).Nanoseconds(), t2.Sub(t1).Nanoseconds(), t3.Sub(t2).Nanoseconds(), t3.Sub(t0).Nanoseconds()}, nil
}

// evaluate returns the median times of solving at st by s in three steps, or by solve in one where that is short.
// One evaluation before touches all memory for the first time. evaluate counts in u what was used meanwhile on so many threads.
func evaluate(
	ctx context.Context, s phased, solve func() error, st *mechanism.State, threads int, least time.Duration, u *Usage,
) (times timing, err error) {
	if err := solve(); err != nil {
		return times, err
	}
	runtime.GC()
	runs := make([]timing, 0, 1024)
	end := u.begin(threads)
	for begun := time.Now(); more(ctx, len(runs), time.Since(begun), least); {
		t, err := once(s, st)
		if err != nil {
			return times, err
		}
		runs = append(runs, t)
	}
	end()
	times = medians(runs)
	if times[3] < batchTime.Nanoseconds() {
		defer u.begin(threads)()
		times[3], err = repeated(ctx, solve, times[3], least)
	}
	return times, err
}

// repeated returns the median time of solve, which takes about so many ns; where
// that is short it is called some times between two looks at the clock.
func repeated(ctx context.Context, solve func() error, about int64, least time.Duration) (int64, error) {
	batch := batchTime.Nanoseconds()/max(about, 1) + 1
	times := make([]int64, 0, 1024)
	for begun := time.Now(); more(ctx, len(times), time.Since(begun), least); {
		t := time.Now()
		for range batch {
			if err := solve(); err != nil {
				return 0, err
			}
		}
		times = append(times, time.Since(t).Nanoseconds()/batch)
	}
	return median(times), nil
}

// medians returns the median of each column.
func medians(runs []timing) (m timing) {
	column := make([]int64, len(runs))
	for k := range m {
		for i := range runs {
			column[i] = runs[i][k]
		}
		m[k] = median(column)
	}
	return m
}

// median returns the lower median of v, which it sorts.
func median(v []int64) int64 {
	slices.Sort(v)
	return v[(len(v)-1)/2]
}
