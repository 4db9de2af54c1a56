package state

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

// exact is the largest inconsistency of constraints that may be rounding: that up to which a
// kkt.Solver takes rows for redundant.
const exact = 1e-12

// Acceleration is what rung accel writes: a result, how far its constraints
// contradict each other, nil where they do so by no more than rounding, and by how much the rank of
// a tree method differs from that of the sparse one, nil if it does not.
type Acceleration struct {
	*rung.Result
	Contradiction *Contradiction  `json:"contradiction,omitempty"`
	RankDiffers   *RankDifference `json:"rank_differs,omitempty"`
}

// RankDifference says that a tree method takes constraints for redundant that the sparse one does not, or
// the other way round.
type RankDifference struct {
	Sparse int    `json:"sparse"` // Rank of the sparse method
	Text   string `json:"text"`
}

// DifferenceOf compares the ranks by method and by the sparse one, nil if they agree.
func DifferenceOf(rank, sparse int, method string) *RankDifference {
	if rank == sparse {
		return nil
	}
	return &RankDifference{sparse, fmt.Sprintf("%s finds rank %d, the sparse method %d: some constraints are so nearly dependent that they differ about them; "+
		"accelerations may be wrong in what these decide", method, rank, sparse)}
}

// Contradiction says how far constraints are from holding at acceleration level.
type Contradiction struct {
	Relative float64 `json:"relative"` // see kkt.Solver.Inconsistency
	Joint    string  `json:"joint"`    // with the worst row
	Text     string  `json:"text"`
}

// contradictionOf describes the contradiction of the constraints in the solution of
// s, a solver of p, with accelerations computed by method.
func contradictionOf(p *rung.Plan, s *kkt.Solver, method string) *Contradiction {
	size := s.Inconsistency()
	if size <= exact {
		return nil
	}
	j := p.Layout().NodeJoint(s.Refinement().Worst.Node)
	c := &Contradiction{Relative: size, Joint: p.Mechanism().JointName(j)}
	which := "those of least squares"
	if method != shell.SparseMethod {
		which = "those of the rows that " + method + " keeps, the others do not hold"
	}
	c.Text = fmt.Sprintf("constraints contradict each other by %.2g of what their terms make, most in joint %s; accelerations are %s",
		size, fault.Text(c.Joint, sheet.TextWidth), which)
	return c
}
