package fik_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
)

// TestOptionErrors: every rule that is broken is named, all at once.
func TestOptionErrors(t *testing.T) {
	J := fik.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0})
	for _, c := range []struct {
		o    fik.Options
		want string
	}{
		{fik.Options{Form: 7}, fmt.Sprintf("ik/fik: option Form: %v is no form", fik.Form(7))},
		{fik.Options{Design: 9}, fmt.Sprintf("ik/fik: option Design: %v is no design", fik.Design(9))},
		{fik.Options{Design: fik.DesignTune}, "ik/fik: option Design: tune is run by Tune: a filter takes what that returns"},
		{fik.Options{Design: fik.DesignGiven}, "ik/fik: option P: missing: the design given takes it from here"},
		{fik.Options{Design: fik.DesignNorm, P: []float64{1}}, "ik/fik: option P: given and so is a design"},
		{fik.Options{Design: fik.DesignNorm, A: []float64{-1, -1}}, "ik/fik: option A: 2 numbers, the design needs one"},
		{fik.Options{A: []float64{-1, 0}}, "ik/fik: option A[1]: 0 is not negative"},
		{fik.Options{A: []float64{math.Inf(-1)}}, "ik/fik: option A: -Inf is not negative"},
		{fik.Options{Form: fik.FormF, H: 0.01, A: []float64{math.NaN()}}, "ik/fik: option A: NaN is not finite"},
		{fik.Options{Form: fik.FormF, H: 0.01, Adapt: true}, "ik/fik: option Adapt: true has no step to change in form F"},
		{fik.Options{A: []float64{-1, -1, -1}}, "ik/fik: option A: 3 numbers, not 1 or 2"},
		{fik.Options{H: -1}, "ik/fik: option H: -1 is no time"},
		{fik.Options{Inner: -1}, "ik/fik: option Inner: -1 is no number of iterations"},
		{fik.Options{J0: fik.NewDense(3, 2, nil)}, "ik/fik: option J0: 3×2 is not 2×3"},
		{fik.Options{Gains: []float64{1, 1}}, "ik/fik: option Gains: 2 numbers, not 1 or 3"},
		{fik.Options{Gains: []float64{1, -1, 1}}, "ik/fik: option Gains[1]: -1 is negative or not finite"},
		{fik.Options{Gains: []float64{0}}, "ik/fik: option Gains: 0 lets nothing move"},
		{fik.Options{P: []float64{1, 2, 3}}, "ik/fik: option P: 3 numbers, not 1, 2 or 4"},
		{fik.Options{P: []float64{0}}, "ik/fik: option P: 0 is not positive"},
		{fik.Options{P: []float64{1, -2}}, "ik/fik: option P[1]: -2 is not positive"},
		{fik.Options{P: []float64{1, 2, 3, 1}}, "ik/fik: option P[1][0]: 3 is not P[0][1] = 2\nik/fik: option P[1][1]: 1 makes P not positive definite: its pivot is -8"},
		{fik.Options{P: []float64{1, math.NaN(), 3, 1}}, "ik/fik: option P: NaN is not finite"},
		{
			fik.Options{P: []float64{-1}, A: []float64{1}, H: -2, Inner: -3},
			"ik/fik: option H: -2 is no time\nik/fik: option Inner: -3 is no number of iterations\nik/fik: option A: 1 is not negative\nik/fik: option P: -1 is not positive",
		},
		{fik.Options{Riccati: fik.RiccatiOptions{W: -3}}, "ik/fik: option W: -3 is not positive"},
	} {
		_, err := fik.New(J, c.o)
		require.EqualError(t, err, c.want)
		var bad *fik.OptionError
		require.ErrorAs(t, err, &bad)
	}
	J.Data[4] = 0
	_, err := fik.New(J, fik.Options{})
	require.ErrorIs(t, err, fik.ErrRank)
	require.EqualError(t, err, "ik/fik: the Jacobian of the design is not of full rank: its singular values go from 1 down to 0")
	J.Data[0] = 0
	_, err = fik.New(J, fik.Figure())
	require.ErrorIs(t, err, fik.ErrRank)
	wide := fik.NewDense(201, 202, nil)
	diag := make([]float64, 201)
	for i := range diag {
		wide.Row(i)[i], diag[i] = 1, -1-float64(i)
	}
	_, err = fik.New(wide, fik.Options{P: unit(201), A: diag})
	require.ErrorContains(t, err, "option A: 201 numbers with more than 200 rows")
	f, err := fik.New(wide, fik.Options{P: []float64{1}, A: diag})
	require.NoError(t, err)
	require.InEpsilon(t, 202, f.LargestEigenvalue(), 10*muTol, "the next eigenvalue is half a hundredth away")
}

// unit returns the unit matrix by rows.
func unit(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

func TestNames(t *testing.T) {
	require.Equal(t, "variable fixed", fmt.Sprint(fik.FormV, fik.FormF))
	require.Equal(t, "riccati norm tune given", fmt.Sprint(fik.DesignRiccati, fik.DesignNorm, fik.DesignTune, fik.DesignGiven))
}

// TestPresets: presets are the designs that their publications name.
func TestPresets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	J := fik.NewDense(3, 4, random(rng, 12))
	for i := range J.Data {
		J.Data[i] /= 20
	}
	size := 0.0
	for _, x := range J.Data {
		size += x * x
	}
	f, err := fik.New(J, fik.Figure())
	require.NoError(t, err)
	require.Equal(t, 0.02, f.Step())
	p := (math.Pi/0.02 + 20) / math.Sqrt(size)
	dq, dxd, want := make([]float64, 4), []float64{1, 2, 3}, make([]float64, 4)
	require.NoError(t, f.StepTo(dq, dxd))
	require.NoError(t, f.StepTo(dq, dxd)) // z = h dxd
	J.MulTransTo(want, []float64{0.02 * p, 0.04 * p, 0.06 * p})
	check.CloseVec(t, dq, want, 1e-12, check.MaxAbs(want), "dq")

	for _, c := range []struct {
		o    fik.Options
		r    fik.RiccatiOptions
		a    float64
		form fik.Form
	}{
		{fik.Gyro(), fik.RiccatiOptions{W: 4, M: []float64{0.05}, V: []float64{1.8 * 1.8}}, -0.05, fik.FormV},
		{fik.Robot(), fik.RiccatiOptions{W: 4, M: []float64{5}}, -5, fik.FormV},
		{fik.Options{}, fik.RiccatiOptions{}, -5, fik.FormV},
		{fik.Options{Form: fik.FormF, H: 0.01}, fik.RiccatiOptions{}, math.Exp(-0.05), fik.FormF},
	} {
		P, _, err := fik.Riccati(J, c.r)
		require.NoError(t, err)
		if c.form == fik.FormF {
			for i := range P {
				P[i] *= 0.01
			}
		}
		a, err := fik.New(J, c.o)
		require.NoError(t, err)
		b, err := fik.New(J, fik.Options{Form: c.form, P: P, A: []float64{c.a}, H: c.o.H})
		require.NoError(t, err)
		for range 30 {
			require.NoError(t, a.StepTo(dq, dxd))
			require.NoError(t, b.StepTo(want, dxd))
		}
		require.Equal(t, want, dq)
		require.Equal(t, a.Step(), b.Step())
	}
}

// TestDesignElsewhere: a design for another pose.
func TestDesignElsewhere(t *testing.T) {
	singular := fik.NewDense(2, 3, []float64{0, 0, 0, 1.2, 0.7, 0.3})
	other := fik.NewDense(2, 3, []float64{-0.8, -0.65, -0.3, 0.65, 0.17, 0})
	f, err := fik.New(singular, fik.Options{J0: other})
	require.NoError(t, err)
	dq := make([]float64, 3)
	for range 3 {
		require.NoError(t, f.StepTo(dq, []float64{-0.1, 0}))
	}
	require.NotZero(t, check.MaxAbs(dq)) // P is full
}

// TestTune: fewer iterations than with the rule of the norm, the same choice each time, h halved where it has to be.
func TestTune(t *testing.T) {
	r := readRun(t, "fik-3r-reach")
	start := r.lines.columns(t, "q", 0)
	r.arm.set(start)
	J0 := fik.NewDense(2, 3, append([]float64(nil), r.arm.J.Data...))
	run := func(_ context.Context, o fik.Options) (int, error) {
		q := append([]float64(nil), start...)
		r.arm.set(q)
		f, err := fik.New(r.arm.J, o)
		if err != nil {
			return 0, err
		}
		dq, dxd, e := make([]float64, 3), make([]float64, 2), make([]float64, 2)
		for k := range 5000 {
			if r.wanted(dxd, e, 0); check.MaxAbs(e) < 1e-4 {
				return k, nil
			}
			if err := f.StepTo(dq, dxd); err != nil {
				return 0, err
			}
			for i := range q {
				q[i] += f.Step() * dq[i]
			}
			r.arm.set(q)
		}
		return 5000, nil
	}
	ctx := context.Background()
	best, trials, err := fik.Tune(ctx, fik.Options{H: 0.08}, J0, run)
	require.NoError(t, err)
	first, least, unstable := 0, math.MaxInt, 0
	for _, x := range trials {
		if x.Iterations < 0 {
			unstable++
			continue
		}
		if first == 0 {
			first = x.Iterations
		}
		least = min(least, x.Iterations)
	}
	n, err := run(ctx, best)
	require.NoError(t, err)
	require.Equal(t, least, n)
	require.Less(t, n, first)
	require.Positive(t, unstable, "%+v", trials)
	again, _, err := fik.Tune(ctx, fik.Options{H: 0.08}, J0, run)
	require.NoError(t, err)
	require.Equal(t, best, again)

	ended, end := context.WithCancel(ctx)
	end()
	_, _, err = fik.Tune(ended, fik.Options{}, J0, run)
	require.ErrorIs(t, err, context.Canceled)
	broken := errors.New("broken")
	_, _, err = fik.Tune(ctx, fik.Options{}, J0, func(context.Context, fik.Options) (int, error) { return 0, broken })
	require.ErrorIs(t, err, broken)
	_, trials, err = fik.Tune(ctx, fik.Options{}, J0, func(context.Context, fik.Options) (int, error) { return 0, fik.ErrUnstable })
	require.ErrorIs(t, err, fik.ErrUnstable)
	require.Len(t, trials, 20)
	_, _, err = fik.Tune(ctx, fik.Options{H: -1}, J0, run)
	require.EqualError(t, err, "ik/fik: option H: -1 is no time")
}

// TestTuneLeavesOptions: neither the options of the caller nor those of earlier runs change.
func TestTuneLeavesOptions(t *testing.T) {
	J0 := fik.NewDense(1, 1, []float64{1})
	o := fik.Options{Form: fik.FormF, A: []float64{0.9}}
	var runs []fik.Options
	_, trials, err := fik.Tune(context.Background(), o, J0, func(_ context.Context, o fik.Options) (int, error) {
		if runs = append(runs, o); len(runs) < 3 {
			return 0, fik.ErrUnstable
		}
		return 100, nil
	})
	require.NoError(t, err)
	require.Equal(t, []float64{0.9}, o.A)
	for i, r := range runs {
		require.Equal(t, trials[i].P, r.P[0], i)
		require.Equal(t, trials[i].A, r.A[0], i)
	}
}
