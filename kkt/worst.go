package kkt

import (
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

// worstOf returns the constraint row with the largest residual relative to its terms. The terms are those of factor.Worst
// without the load, as the solution x for b was computed without a factor. r has the residuals; size is the norm of the
// largest part of x.
func worstOf(p *sparse.Pattern, r, b, x, scale []float64, size float64) factor.Worst {
	worst := factor.Worst{Node: -1, Row: -1}
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
			if r[i] == 0 {
				continue
			}
			e := math.Abs(r[i]) / (math.Abs(b[i]) + math.Sqrt(scale[i])*terms)
			if e > max(worst.Ratio, roundingTerm) || math.IsNaN(e) {
				worst = factor.Worst{Ratio: e, Node: node, Row: int(i - p.Off[node])}
			}
		}
	}
	return worst
}

// Terms of worstOf, as in package factor: the part of the whole that counts in each row, and the ratio
// of a residual to its terms that counts as zero.
const (
	restTerm     = 1e-4
	roundingTerm = 1e-14
)
