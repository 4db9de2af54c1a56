//rung:race
package learn_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/mechanism"
)

// inLanes returns rollouts of the machine with and without lanes.
func (x *machine) inLanes(t *testing.T, threads int) (lanes, alone *learn.Rollouts, start *mechanism.State) {
	plan, err := rung.NewPlan(x.model, rung.Options{})
	require.NoError(t, err)
	o := learn.Options{Forces: x.forces, Observe: x.observe, Step: dt, Hold: hold, Acts: acts, Threads: threads}
	alone, err = learn.New(plan, x.model, o)
	require.NoError(t, err)
	o.Lanes = true
	lanes, err = learn.New(plan, x.model, o)
	require.NoError(t, err)
	return lanes, alone, plan.Initial()
}

// TestLanes: runs in lanes have the costs of runs without, but for the error of steps, and their gradients equal differences of their
// costs.
func TestLanes(t *testing.T) {
	const (
		h       = 1e-4
		tol     = 1e-7 // of the largest, as without lanes
		between = 1e-6 // errors of steps of 4 ms
	)
	for _, x := range machines(t)[:2] {
		t.Run(x.name, func(t *testing.T) {
			lanes, alone, start := x.inLanes(t, 1)
			run := func(r *learn.Rollouts, l *linear, slopes bool) learn.Result {
				out, roll := make([]learn.Result, 1), r.Costs
				if slopes {
					roll = r.Gradients
				}
				require.NoError(t, roll(context.Background(), []*mechanism.State{start}, []learn.Law{l}, out))
				require.NoError(t, out[0].Err)
				return out[0]
			}
			l, beside := x.law(), x.law()
			got, want := run(lanes, l, true), run(alone, beside, true)
			require.InDelta(t, want.Cost, got.Cost, between*want.Cost)
			require.Equal(t, got.Cost, run(lanes, x.law(), false).Cost)
			require.Len(t, got.Start, adjoint.PerBody*len(start.Bodies))
			require.InDelta(t, want.Growth, got.Growth, 0.3*want.Growth) // the growth across the joints differs
			largest := 0.0
			for _, s := range l.slope {
				largest = max(largest, math.Abs(s))
			}
			require.NotZero(t, largest)
			for i := range l.slope {
				at := func(by float64) float64 {
					o := x.law()
					o.A[i] += by
					return run(lanes, o, false).Cost
				}
				want := (4*(at(h/2)-at(-h/2))/h - (at(h)-at(-h))/(2*h)) / 3
				require.InDelta(t, want, l.slope[i], tol*largest, "parameter %d", i)
				require.InDelta(t, beside.slope[i], l.slope[i], 10*between*largest, "parameter %d", i)
			}
		})
	}
}

// TestLanesThreads: runs in lanes have the same bits on any number of threads, among any others, and when repeated.
func TestLanesThreads(t *testing.T) {
	x := machines(t)[0]
	var bits sameBits
	for _, threads := range []int{1, 2, 3} {
		r, _, start := x.inLanes(t, threads)
		for range 2 {
			bits.again(t, &x, r, start, 19, 11)
		}
	}
}

// TestLanesErrors: a mechanism without lanes is refused with the reason, and a run that fails does not affect the others.
func TestLanesErrors(t *testing.T) {
	list := machines(t)
	composite := list[2]
	plan, err := rung.NewPlan(composite.model, rung.Options{})
	require.NoError(t, err)
	o := learn.Options{Forces: composite.forces, Observe: composite.observe, Step: dt, Acts: 3, Lanes: true}
	_, err = learn.New(plan, composite.model, o)
	require.ErrorIs(t, err, learn.ErrOptions)
	require.ErrorContains(t, err, "no lanes: composite joints")

	x := list[0]
	r, _, start := x.inLanes(t, 1)
	open, turned := start.Clone(), start.Clone()
	open.Bodies[1].Position[1] += 0.1
	plan, err = rung.NewPlan(x.model, rung.Options{})
	require.NoError(t, err)
	plan.Mechanism().CarryAngles(turned)
	infinite := x.law()
	infinite.A[0] = math.Inf(1)
	fast := start.Clone()
	for k := range fast.Bodies {
		b := &fast.Bodies[k]
		b.Omega, b.Velocity = b.Omega.Scale(1e3), b.Velocity.Scale(1e3)
	}
	starts := []*mechanism.State{open, start, turned, start, fast}
	laws, out := []learn.Law{x.law(), x.law(), x.law(), infinite, x.law()}, make([]learn.Result, 5)
	require.NoError(t, r.Gradients(context.Background(), starts, laws, out))
	var violation *mechanism.ViolationError
	require.ErrorAs(t, out[0].Err, &violation)
	require.ErrorContains(t, out[0].Err, "derive/learn: run 0: ")
	require.NoError(t, out[1].Err)
	require.NotZero(t, out[1].Cost)
	require.ErrorContains(t, out[2].Err, "turns, which lanes do not count")
	require.ErrorIs(t, out[3].Err, mechanism.ErrInput)
	require.ErrorIs(t, out[4].Err, batch.ErrStep)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, r.Costs(ctx, starts[:1], laws[:1], out[:1]), context.Canceled)

	ladder, err := bench.Generate("ladder", 2, 1)
	require.NoError(t, err)
	plan, err = rung.NewPlan(ladder, rung.Options{})
	require.NoError(t, err)
	none, err := learn.New(plan, ladder, learn.Options{Step: dt, Acts: 2, Lanes: true})
	require.NoError(t, err)
	require.PanicsWithValue(t, "stop", func() {
		_ = none.Costs(context.Background(), []*mechanism.State{plan.Initial()}, []learn.Law{stops{}}, out[:1])
	})
}

// TestLanesEnd: if a context ends before the runs do, laws are not called for the end of runs.
func TestLanesEnd(t *testing.T) {
	x := machines(t)[0]
	r, alone, start := x.inLanes(t, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range []*learn.Rollouts{r, alone} {
		l := &counts{}
		err := r.Gradients(ctx, []*mechanism.State{start}, []learn.Law{l}, make([]learn.Result, 1))
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, l.calls)
	}
}

// counts counts its calls.
type counts struct{ calls int }

func (l *counts) Act(_, _ []float64, _ int) float64 { l.calls++; return 0 }
func (l *counts) Back(_, _, _, _ []float64, _ int)  { l.calls++ }

// stops panics.
type stops struct{}

func (stops) Act(_, _ []float64, _ int) float64 { panic("stop") }
func (stops) Back(_, _, _, _ []float64, _ int)  {}
