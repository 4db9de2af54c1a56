package kkt

import (
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
)

// worstOf returns the constraint row with the largest residual relative to its terms. The terms are those of factor.Worst
// without the load, as the solution x for b was computed without a factor. r has the residuals; size is the norm of the
// largest part of x.
func worstOf(p *sparse.Pattern, r, b, x, scale []float64, size float64) factor.Worst {
	worst := algebra.NewPeak(factor.RoundingRatio)
	for node := p.Positive(); node < p.Len(); node++ {
		terms := restTerm * size
		for _, i := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			sum := 0.0
			for _, v := range x[p.Off[i]:p.Off[i+1]] {
				sum += v * v
			}
			terms += math.Sqrt(sum)
		}
		for i := p.Off[node]; i < p.Off[node+1]; i++ {
			if r[i] != 0 {
				worst.Take(math.Abs(r[i])/(math.Abs(b[i])+math.Sqrt(scale[i])*terms), int(i))
			}
		}
	}
	return factor.WorstAt(worst.Most, worst.At, p.Off)
}

// restTerm is the part of the size of the solution that is added to the terms of each row, as in package factor.
const restTerm = 1e-4
