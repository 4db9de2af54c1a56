package ik_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/check"
)

// TestOptionErrors: every rule that is broken is named, all at once.
func TestOptionErrors(t *testing.T) {
	J := ik.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0})
	for _, c := range []struct {
		o    ik.FIKOptions
		want string
	}{
		{ik.FIKOptions{Form: 7}, fmt.Sprintf("ik: option Form: %v is no form", ik.Form(7))},
		{ik.FIKOptions{Design: 9}, fmt.Sprintf("ik: option Design: %v is no design", ik.Design(9))},
		{ik.FIKOptions{Design: ik.DesignTune}, "ik: option Design: tune is for a Solver: a filter of its own takes what Tune returns"},
		{ik.FIKOptions{Design: ik.DesignGiven}, "ik: option P: missing: the design given takes it from here"},
		{ik.FIKOptions{Design: ik.DesignNorm, P: []float64{1}}, "ik: option P: given and so is a design"},
		{ik.FIKOptions{Design: ik.DesignNorm, A: []float64{-1, -1}}, "ik: option A: 2 numbers, the design needs one"},
		{ik.FIKOptions{A: []float64{-1, 0}}, "ik: option A[1]: 0 is not negative"},
		{ik.FIKOptions{A: []float64{math.Inf(-1)}}, "ik: option A: -Inf is not negative"},
		{ik.FIKOptions{Form: ik.FormF, H: 0.01, A: []float64{math.NaN()}}, "ik: option A: NaN is not finite"},
		{ik.FIKOptions{Form: ik.FormF, H: 0.01, Adapt: true}, "ik: option Adapt: true has no step to change in form F"},
		{ik.FIKOptions{A: []float64{-1, -1, -1}}, "ik: option A: 3 numbers, not 1 or 2"},
		{ik.FIKOptions{H: -1}, "ik: option H: -1 is no time"},
		{ik.FIKOptions{Inner: -1}, "ik: option Inner: -1 is no number of iterations"},
		{ik.FIKOptions{Feedback: math.Inf(1)}, "ik: option Feedback: +Inf is no gain"},
		{ik.FIKOptions{J0: ik.NewDense(3, 2, nil)}, "ik: option J0: 3×2 is not 2×3"},
		{ik.FIKOptions{Gains: []float64{1, 1}}, "ik: option Gains: 2 numbers, not 1 or 3"},
		{ik.FIKOptions{Gains: []float64{1, -1, 1}}, "ik: option Gains[1]: -1 is negative or not finite"},
		{ik.FIKOptions{Gains: []float64{0}}, "ik: option Gains: 0 lets nothing move"},
		{ik.FIKOptions{P: []float64{1, 2, 3}}, "ik: option P: 3 numbers, not 1, 2 or 4"},
		{ik.FIKOptions{P: []float64{0}}, "ik: option P: 0 is not positive"},
		{ik.FIKOptions{P: []float64{1, -2}}, "ik: option P[1]: -2 is not positive"},
		{ik.FIKOptions{P: []float64{1, 2, 3, 1}}, "ik: option P[1][0]: 3 is not P[0][1] = 2\nik: option P[1][1]: 1 makes P not positive definite: its pivot is -8"},
		{ik.FIKOptions{P: []float64{1, math.NaN(), 3, 1}}, "ik: option P: NaN is not finite"},
		{
			ik.FIKOptions{P: []float64{-1}, A: []float64{1}, H: -2, Inner: -3},
			"ik: option H: -2 is no time\nik: option Inner: -3 is no number of iterations\nik: option A: 1 is not negative\nik: option P: -1 is not positive",
		},
		{ik.FIKOptions{Riccati: ik.RiccatiOptions{W: -3}}, "ik: option W: -3 is not positive"},
	} {
		_, err := ik.NewFIK(J, c.o)
		require.EqualError(t, err, c.want)
		var bad *ik.OptionError
		require.ErrorAs(t, err, &bad)
	}
	J.Data[4] = 0
	_, err := ik.NewFIK(J, ik.FIKOptions{})
	require.ErrorIs(t, err, ik.ErrRank)
	require.EqualError(t, err, "ik: the Jacobian of the design is not of full rank: its singular values go from 1 down to 0")
	J.Data[0] = 0
	_, err = ik.NewFIK(J, ik.Figure())
	require.ErrorIs(t, err, ik.ErrRank)
	wide := ik.NewDense(201, 202, nil)
	diag := make([]float64, 201)
	for i := range diag {
		wide.Row(i)[i], diag[i] = 1, -1-float64(i)
	}
	_, err = ik.NewFIK(wide, ik.FIKOptions{P: unit(201), A: diag})
	require.ErrorContains(t, err, "option A: 201 numbers with more than 200 rows")
	f, err := ik.NewFIK(wide, ik.FIKOptions{P: []float64{1}, A: diag})
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
	require.Equal(t, "variable fixed", fmt.Sprint(ik.FormV, ik.FormF))
	require.Equal(t, "riccati norm tune given", fmt.Sprint(ik.DesignRiccati, ik.DesignNorm, ik.DesignTune, ik.DesignGiven))
}

// TestPresets: presets are the designs that their publications name.
func TestPresets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	J := ik.NewDense(3, 4, random(rng, 12))
	for i := range J.Data {
		J.Data[i] /= 20
	}
	size := 0.0
	for _, x := range J.Data {
		size += x * x
	}
	f, err := ik.NewFIK(J, ik.Figure())
	require.NoError(t, err)
	require.Equal(t, 0.02, f.Step())
	p := (math.Pi/0.02 + 20) / math.Sqrt(size)
	dq, dxd, want := make([]float64, 4), []float64{1, 2, 3}, make([]float64, 4)
	require.NoError(t, f.StepTo(dq, dxd))
	require.NoError(t, f.StepTo(dq, dxd)) // z = h dxd
	J.MulTransTo(want, []float64{0.02 * p, 0.04 * p, 0.06 * p})
	check.CloseVec(t, dq, want, 1e-12, check.MaxAbs(want), "dq")

	for _, c := range []struct {
		o    ik.FIKOptions
		r    ik.RiccatiOptions
		a    float64
		form ik.Form
	}{
		{ik.Gyro(), ik.RiccatiOptions{W: 4, M: []float64{0.05}, V: []float64{1.8 * 1.8}}, -0.05, ik.FormV},
		{ik.Robot(), ik.RiccatiOptions{W: 4, M: []float64{5}}, -5, ik.FormV},
		{ik.FIKOptions{}, ik.RiccatiOptions{}, -5, ik.FormV},
		{ik.FIKOptions{Form: ik.FormF, H: 0.01}, ik.RiccatiOptions{}, math.Exp(-0.05), ik.FormF},
	} {
		P, _, err := ik.Riccati(J, c.r)
		require.NoError(t, err)
		if c.form == ik.FormF {
			for i := range P {
				P[i] *= 0.01
			}
		}
		a, err := ik.NewFIK(J, c.o)
		require.NoError(t, err)
		b, err := ik.NewFIK(J, ik.FIKOptions{Form: c.form, P: P, A: []float64{c.a}, H: c.o.H})
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
	singular := ik.NewDense(2, 3, []float64{0, 0, 0, 1.2, 0.7, 0.3})
	other := ik.NewDense(2, 3, []float64{-0.8, -0.65, -0.3, 0.65, 0.17, 0})
	f, err := ik.NewFIK(singular, ik.FIKOptions{J0: other})
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
	J0 := ik.NewDense(2, 3, append([]float64(nil), r.arm.J.Data...))
	run := func(_ context.Context, o ik.FIKOptions) (int, error) {
		q := append([]float64(nil), start...)
		r.arm.set(q)
		f, err := ik.NewFIK(r.arm.J, o)
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
	best, trials, err := ik.Tune(ctx, ik.FIKOptions{H: 0.08}, J0, run)
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
	again, _, err := ik.Tune(ctx, ik.FIKOptions{H: 0.08}, J0, run)
	require.NoError(t, err)
	require.Equal(t, best, again)

	ended, end := context.WithCancel(ctx)
	end()
	_, _, err = ik.Tune(ended, ik.FIKOptions{}, J0, run)
	require.ErrorIs(t, err, context.Canceled)
	broken := errors.New("broken")
	_, _, err = ik.Tune(ctx, ik.FIKOptions{}, J0, func(context.Context, ik.FIKOptions) (int, error) { return 0, broken })
	require.ErrorIs(t, err, broken)
	_, trials, err = ik.Tune(ctx, ik.FIKOptions{}, J0, func(context.Context, ik.FIKOptions) (int, error) { return 0, ik.ErrUnstable })
	require.ErrorIs(t, err, ik.ErrUnstable)
	require.Len(t, trials, 20)
	_, _, err = ik.Tune(ctx, ik.FIKOptions{H: -1}, J0, run)
	require.EqualError(t, err, "ik: option H: -1 is no time")
}

// TestTuneLeavesOptions: neither the options of the caller nor those of earlier runs change.
func TestTuneLeavesOptions(t *testing.T) {
	J0 := ik.NewDense(1, 1, []float64{1})
	o := ik.FIKOptions{Form: ik.FormF, A: []float64{0.9}}
	var runs []ik.FIKOptions
	_, trials, err := ik.Tune(context.Background(), o, J0, func(_ context.Context, o ik.FIKOptions) (int, error) {
		if runs = append(runs, o); len(runs) < 3 {
			return 0, ik.ErrUnstable
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
