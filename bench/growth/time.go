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
	minRuns   = 5                     // least number of evaluations for a median,
	enoughRun = 3 * time.Second       // unless fewer take this time together
	batchTime = 20 * time.Microsecond // shorter evaluations are timed in batches that take about this time
	quickPlan = time.Millisecond      // after a plan made faster than this, garbage is not collected: there is little of it
)

// analysed returns the plan of makePlan and the median time of making it, ns, taken together over at least the time least. The
// garbage collector runs at its default pace, as a tight one would take a good part of the time. Before each run the garbage of the
// run before is collected, unless that was a quick one.
func analysed[P any](ctx context.Context, makePlan func() (*P, error), least time.Duration) (plan *P, ns int64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(machine.DefaultGC))
	var times []int64
	for begun := time.Now(); more(ctx, len(times), time.Since(begun), least); {
		plan = nil // two plans at a time would raise the peak of memory
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

// more reports whether a median needs another run after n runs that took t together: at least one run, minRuns runs and the time
// least, but none after enoughRun or once ctx has ended.
func more(ctx context.Context, n int, t, least time.Duration) bool {
	return n == 0 || ctx.Err() == nil && t < max(enoughRun, least) && (n < minRuns || t < least)
}

// timing has the times of an evaluation, ns: assembly, factorization, solution, whole.
type timing [4]int64

// phased is a solver whose evaluation can be done in three steps.
type phased interface {
	Assemble(st *mechanism.State) error
	Factorize() error
	Refine() error
}

// once does one evaluation at st and returns its times.
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

// evaluate returns the median times of evaluations at st by s in three steps, over at least the time least. If an evaluation takes
// less than batchTime, its whole time is measured again by batches of solve, which does the same in one step. A first evaluation,
// which is not timed, touches all memory. evaluate adds to u the processor time used meanwhile, on so many threads.
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

// repeated returns the median time, ns, of a call of solve, which takes about so many ns. Between two readings of the clock it
// calls solve so often that this takes batchTime or more.
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

// median returns the median of v, the lower one of the two middle values if there are two. It sorts v.
func median(v []int64) int64 {
	slices.Sort(v)
	return v[(len(v)-1)/2]
}
