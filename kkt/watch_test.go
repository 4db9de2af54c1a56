package kkt_test

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
)

// TestContexts: what can take long ends with its context, before it begins and in the middle, with the cause. What it has
// worked on gives the bits of a fresh one afterwards, and states are as they were.
func TestContexts(t *testing.T) {
	for _, family := range check.Some([]string{"ladder", "nfourbar", "scissor", "revolute-net"}, 2) {
		n := check.Few(12, 6)
		p := newPlan(t, generate(t, family, n, 1), order.Auto)
		s, c, sys := p.NewSolver(), closing.NewCloser(p, closing.Options{}), linear.NewSystem(p)
		st, off := p.Initial(), p.Initial()
		off.Bodies[0].Position[0] += 1e-3
		closed := off.Clone()
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ClosePositions(closed))
		fresh := p.NewSolver()
		require.NoError(t, fresh.Solve(st))
		want := make([]float64, 6*p.Mechanism().NumBodies())
		fresh.AccelerationsTo(want)
		report, err := fresh.Report()
		require.NoError(t, err)
		again := func() {
			got := make([]float64, len(want))
			require.NoError(t, s.Solve(st))
			s.AccelerationsTo(got)
			require.Equal(t, want, got, family)
			r, err := s.Report()
			require.NoError(t, err)
			require.Equal(t, report, r, family)
		}
		work := map[string]func(ctx context.Context) error{
			"plan": func(ctx context.Context) error {
				_, err := kkt.NewPlanContext(ctx, p.Mechanism(), kkt.Options{})
				return err
			},
			"solve": func(ctx context.Context) error { return s.SolveContext(ctx, st) },
			"report": func(ctx context.Context) error {
				require.NoError(t, s.Solve(st))
				_, err := s.ReportContext(ctx)
				return err
			},
			"close": func(ctx context.Context) error {
				now := off.Clone()
				err := c.ClosePositionsContext(ctx, now)
				if err != nil {
					require.Equal(t, off, now)
				} else {
					require.Equal(t, closed, now)
				}
				return err
			},
			"equilibrium": func(ctx context.Context) error {
				now := st.Clone()
				_, err := linear.EquilibrateContext(ctx, p, now, linear.EquilibriumOptions{Steps: 3})
				if context.Cause(ctx) != nil && err != nil {
					require.Equal(t, st, now)
				}
				return err
			},
			"modes": func(ctx context.Context) error {
				defer sys.Watch(ctx)()
				if err := sys.Linearize(st); err != nil {
					return err
				}
				_, err := sys.Modes(linear.ModeOptions{Count: 3, Method: linear.Sparse})
				return err
			},
			"nearby": func(ctx context.Context) error { _, err := mobility.CompareContext(ctx, p, st); return err },
		}
		for name, do := range work {
			again := again
			if name != "solve" && name != "report" { // the others leave s alone
				again = func() {}
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(assert.AnError)
			require.ErrorIs(t, do(ctx), assert.AnError, "%s, %s", family, name)
			again()
			for _, after := range []time.Duration{10 * time.Microsecond, 300 * time.Microsecond} {
				ctx, cancel := context.WithCancelCause(context.Background())
				timer := time.AfterFunc(after, func() { cancel(assert.AnError) })
				if err := do(ctx); err != nil && (name != "equilibrium" || context.Cause(ctx) != nil && errors.Is(err, assert.AnError)) {
					require.ErrorIs(t, err, assert.AnError, "%s, %s", family, name)
				}
				timer.Stop()
				cancel(nil)
				again()
			}
		}
		again()
	}
}

// TestBounds: a mechanism beyond the bounds is refused with its price.
func TestBounds(t *testing.T) {
	mech, err := mechanism.New(generate(t, "grid", 30, 1))
	require.NoError(t, err)
	p := kkt.NewPlan(mech, kkt.Options{})
	for _, o := range []kkt.Options{{MaxFlops: p.Counts().Flops - 1}, {MaxNonZeros: p.Counts().NonZeros - 1}} {
		_, err := kkt.NewPlanContext(context.Background(), mech, o)
		cost := new(factor.CostError)
		require.ErrorAs(t, err, &cost)
		require.Equal(t, p.Counts(), cost.Counts)
		require.PanicsWithValue(t, "kkt: bounds and orders are for NewPlanContext", func() { kkt.NewPlan(mech, o) })
	}
	_, err = kkt.NewPlanContext(context.Background(), mech, kkt.Options{MaxFlops: p.Counts().Flops, MaxNonZeros: p.Counts().NonZeros})
	require.NoError(t, err)
}

// TestAnalysesDoNotBlock: while one goroutine analyses the orthogonal factorization of a plan, another one reports on
// that plan, with the same result.
//
//rung:race
func TestAnalysesDoNotBlock(t *testing.T) {
	p := newPlan(t, generate(t, "scissor", 6, 1), order.Auto)
	st := p.Initial()
	begun, done := make(chan struct{}), make(chan struct{})
	var once sync.Once
	base, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx := halt.WithLook(base, func() bool {
		if stack := string(debug.Stack()); strings.Contains(stack, "AnalyzeSpanContext") {
			once.Do(func() {
				close(begun)
				<-done
			})
		}
		return false
	})
	var slow *kkt.Report
	ended := make(chan error)
	go func() {
		s := p.NewSolver()
		err := s.Solve(st)
		if err == nil {
			slow, err = s.ReportContext(ctx)
		}
		ended <- err
	}()
	<-begun
	s := p.NewSolver()
	require.NoError(t, s.Solve(st))
	quick, err := s.Report() // never returns if it waits for the other
	require.NoError(t, err)
	close(done)
	require.NoError(t, <-ended)
	require.Equal(t, quick, slow)
}
