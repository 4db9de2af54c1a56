package main

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/fault"
)

// exact is the largest inconsistency of constraints that may be rounding: that up to which a
// kkt.Solver takes rows for redundant.
const exact = 1e-12

// acceleration is what rung accel writes: a result, how far its constraints
// contradict each other, nil where they do so by no more than rounding, and by how much the rank of
// a tree method differs from that of the sparse one, nil if it does not.
type acceleration struct {
	*rung.Result
	Contradiction *contradiction  `json:"contradiction,omitempty"`
	RankDiffers   *rankDifference `json:"rank_differs,omitempty"`
}

// rankDifference says that a tree method takes constraints for redundant that the sparse one does not, or
// the other way round.
type rankDifference struct {
	Sparse int    `json:"sparse"` // rank of the sparse method
	Text   string `json:"text"`
}

// differenceOf compares the ranks by method and by the sparse one, nil if they agree.
func differenceOf(rank, sparse int, method string) *rankDifference {
	if rank == sparse {
		return nil
	}
	return &rankDifference{sparse, fmt.Sprintf("%s finds rank %d, the sparse method %d: some constraints are so nearly dependent that they differ about them; "+
		"accelerations may be wrong in what these decide", method, rank, sparse)}
}

// contradiction says how far constraints are from holding at acceleration level.
type contradiction struct {
	Relative float64 `json:"relative"` // see kkt.Solver.Inconsistency
	Joint    string  `json:"joint"`    // with the worst row
	Text     string  `json:"text"`
}

// contradictionOf describes the contradiction of the constraints in the solution of
// s, a solver of p, with accelerations computed by method.
func contradictionOf(p *rung.Plan, s *rung.Solver, method string) *contradiction {
	size := s.Inconsistency()
	if size <= exact {
		return nil
	}
	j := p.Layout().NodeJoint(s.Refinement().Worst.Node)
	c := &contradiction{Relative: size, Joint: p.Mechanism().JointName(j)}
	which := "those of least squares"
	if method != sparseMethod {
		which = "those of the rows that " + method + " keeps, the others do not hold"
	}
	c.Text = fmt.Sprintf("constraints contradict each other by %.2g of what their terms make, most in joint %s; accelerations are %s",
		size, fault.Text(c.Joint, textWidth), which)
	return c
}
