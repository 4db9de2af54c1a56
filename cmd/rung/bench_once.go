package main

import (
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/team"
)

// oncePolicies are the ways to factor, in the order in which a solver takes them.
var oncePolicies = [...]factor.Policy{factor.WhereWeak, factor.Everywhere}

// solveOnce returns the median time of a solution, in ns, that is neither checked
// nor refined: the backward half, as the right side is eliminated with the matrix,
// and the way back from mass-weighted coordinates. With the factorization this is
// what a solver of linear systems takes for the same.
func solveOnce(plan *rung.Plan, threads int, least time.Duration) (int64, error) {
	l, t := plan.Layout(), team.New(threads)
	sys := l.NewWeightedOn(t)
	symbolic := factor.Analyze(l.Pattern, plan.Order(), plan.Anchors()...)
	sys.FixAnchors(symbolic.Anchors())
	if err := sys.FillTo(plan.Initial()); err != nil {
		return 0, err
	}
	fac := symbolic.NewFactorOn(t)
	factorize := func() (err error) {
		for _, policy := range oncePolicies {
			if err = fac.FactorizeFor(sys.B, sys.W, sys.Scale, rung.DefaultEpsilon, policy); err == nil {
				return nil
			}
		}
		return err
	}
	x := make([]float64, l.Pattern.Dim())
	times := make([]int64, 0, 1024)
	for begun, warm := time.Now(), false; more(len(times), time.Since(begun), least); warm = true {
		if err := factorize(); err != nil {
			return 0, err
		}
		t := time.Now()
		fac.SolveTo(x, sys.B)
		sys.AccelerationsTo(x, x)
		if took := time.Since(t).Nanoseconds(); warm { // x has been touched
			times = append(times, took)
		}
	}
	return median(times), nil
}
