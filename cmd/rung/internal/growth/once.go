package growth

import (
	"time"

	"github.com/rung-mbd/rung/kkt"
)

// solveOnce returns the median time of a solution, in ns, that is neither checked nor refined (kkt.Solver.SolveOnceTo).
func solveOnce(plan *kkt.Plan, least time.Duration) (int64, error) {
	s, a := plan.NewSolver(), make([]float64, 6*plan.Mechanism().NumBodies())
	if err := s.Assemble(plan.Initial()); err != nil {
		return 0, err
	}
	times := make([]int64, 0, 1024)
	for begun, warm := time.Now(), false; more(len(times), time.Since(begun), least); warm = true {
		if err := s.Factorize(); err != nil {
			return 0, err
		}
		t := time.Now()
		s.SolveOnceTo(a)
		if took := time.Since(t).Nanoseconds(); warm { // the memory has been touched
			times = append(times, took)
		}
	}
	return median(times), nil
}
