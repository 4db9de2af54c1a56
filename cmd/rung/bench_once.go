package main

import (
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sparse"
)

// oncePolicies are the ways to factor, in the order in which a solver takes them.
var oncePolicies = [...]factor.Policy{factor.WhereWeak, factor.Everywhere}

// solveOnce returns the median time of a solution, in ns, that is neither checked
// nor refined: the backward half, as the right side is eliminated with the matrix,
// and the way back from mass-weighted coordinates. With the factorization this is
// what a solver of linear systems takes for the same.
func solveOnce(plan *rung.Plan, threads int, least time.Duration) (int64, error) {
	t := team.New(threads)
	var (
		fac      *factor.Factor
		W        *sparse.Matrix
		B, scale []float64
		recover  func(a, x []float64)
	)
	if ground, symbolic := plan.Ground(); ground != nil {
		sys := ground.NewGroundedOn(t)
		if _, err := sys.FillTo(plan.Initial()); err != nil {
			return 0, err
		}
		fac, W, B, scale, recover = symbolic.NewFactorOn(t), sys.W, sys.B, sys.Scale, sys.AccelerationsTo
	} else {
		l := plan.Layout()
		sys := l.NewWeightedOn(t)
		if err := sys.FillTo(plan.Initial()); err != nil {
			return 0, err
		}
		fac, W, B, scale, recover = factor.Analyze(l.Pattern, plan.Order()).NewFactorOn(t), sys.W, sys.B, sys.Scale, sys.AccelerationsTo
	}
	factorize := func() (err error) {
		for _, policy := range oncePolicies {
			if err = fac.FactorizeFor(B, W, scale, kkt.DefaultEpsilon, policy); err == nil {
				return nil
			}
		}
		return err
	}
	x, a := make([]float64, len(B)), make([]float64, 6*plan.Mechanism().NumBodies())
	times := make([]int64, 0, 1024)
	for begun, warm := time.Now(), false; more(len(times), time.Since(begun), least); warm = true {
		if err := factorize(); err != nil {
			return 0, err
		}
		t := time.Now()
		fac.SolveTo(x, B)
		recover(a, x)
		if took := time.Since(t).Nanoseconds(); warm { // x has been touched
			times = append(times, took)
		}
	}
	return median(times), nil
}
