package fik

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/halt"
)

const (
	tuneFactor    = 1.3       // from one P or A to the next
	mostTrials    = 200       // largest number of runs
	mostHalved    = 20        // largest number of runs in a row, each with half the h of the one before
	leastA, mostA = 1e-4, 1e3 // bounds of −A, 1/s
)

// TuneTrial is one run of Tune.
type TuneTrial struct {
	P, A, H    float64
	Iterations int // number of iterations; −1 if the run has returned an error, most often ErrUnstable
}

// tuning is the state of Tune: o has the best P, A and h so far.
type tuning struct {
	ctx    context.Context
	o      Options
	run    func(context.Context, Options) (int, error)
	trials []TuneTrial
}

// Tune searches for numbers P and A and a step h with which a path takes the fewest iterations. It starts from DesignNorm
// for the Jacobian j0. run has to follow the path once with the given options, from the same start each time, and to return the
// number of iterations. If it returns an error that wraps ErrUnstable, h is halved; in form F P is also halved, and α
// replaced by its root. Then P is multiplied by 1.3 as long as this lowers the number of iterations. In form V, −A is then
// multiplied by 1.3 in the same way or, if the first time does not help, divided by 1.3. Tune returns the best options, and all trials in
// order. The result depends on the numbers of iterations alone.
//
// Cost: at most 200 runs. It returns an OptionError for each rule that
// o breaks, joined, the error of run, or the error of ctx.
func Tune(ctx context.Context, o Options, j0 *Dense, run func(context.Context, Options) (int, error)) (Options, []TuneTrial, error) {
	halt.Must(ctx)
	o.Design, o.P = DesignNorm, nil
	if err := o.check(j0.Rows, j0.Cols); err != nil {
		return o, nil, err
	}
	if o.H == 0 {
		o.H = normH
	}
	o, err := o.byNorm(j0)
	if err != nil {
		return o, nil, err
	}
	o.Design = DesignGiven
	t := &tuning{ctx: ctx, o: o, run: run}
	best, err := t.stable(&t.o)
	if err == nil {
		best, _, err = t.raise(best, func(o *Options) { o.P[0] *= tuneFactor })
	}
	helped := false
	if err == nil && o.Form == FormV {
		best, helped, err = t.raise(best, func(o *Options) { o.A[0] = max(o.A[0]*tuneFactor, -mostA) })
	}
	if err == nil && o.Form == FormV && !helped {
		_, _, err = t.raise(best, func(o *Options) { o.A[0] = min(o.A[0]/tuneFactor, -leastA) })
	}
	return t.o, t.trials, err
}

// raise applies change to the options t.o again and again, as long as the number of iterations drops below best. It returns the last best
// number, and whether it has dropped. It returns errors of run other than ErrUnstable.
func (t *tuning) raise(best int, change func(*Options)) (int, bool, error) {
	helped := false
	for {
		next := t.o
		next.P, next.A = slices.Clone(t.o.P), slices.Clone(t.o.A)
		change(&next)
		n, err := t.stable(&next)
		if errors.Is(err, ErrUnstable) || err == nil && n >= best {
			return best, helped, nil
		}
		if err != nil {
			return best, helped, err
		}
		t.o, best, helped = next, n, true
	}
}

// halve halves the time of an iteration. In form F, P has that time as a factor, and α is the decay over it, so that both change.
func (o *Options) halve() {
	o.H /= 2
	if o.Form == FormF { // new slices, as the old ones belong to the caller or have been given to run
		o.P = []float64{o.P[0] / 2}
		o.A = []float64{math.Copysign(math.Sqrt(math.Abs(o.A[0])), o.A[0])}
	}
}

// stable runs with o, halves h as long as the run is unstable, at most mostHalved times, and returns the number of iterations. After
// mostTrials runs it returns math.MaxInt. It returns the error of the last run or of the context.
func (t *tuning) stable(o *Options) (int, error) {
	var err error
	for range mostHalved {
		if err := t.ctx.Err(); err != nil {
			return 0, err
		}
		if len(t.trials) == mostTrials {
			return math.MaxInt, nil
		}
		n := 0
		n, err = t.run(t.ctx, *o)
		trial := TuneTrial{o.P[0], o.A[0], o.H, n}
		if err != nil {
			trial.Iterations = -1
		}
		t.trials = append(t.trials, trial)
		if !errors.Is(err, ErrUnstable) {
			return n, err
		}
		o.halve()
	}
	return 0, err
}
