package state

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
)

const (
	namedRedundant = 12                      // largest number of redundant joints, or of freedoms beyond limits, that are named
	Closed         = mechanism.HoldTolerance // largest residual of a closed joint: m or rad, and per second
)

// moves returns the mobility (count of independent velocities) and, where it differs, the count of independent displacements
// that the joints allow.
func moves(c *results.Constraints) string {
	if c.Reaches > 0 {
		return fmt.Sprintf("mobility %d, reaches %d", c.Mobility, c.Reaches)
	}
	return fmt.Sprintf("mobility %d", c.Mobility)
}

// printSummary writes the lines below the tables: constraints, reactions, state, energy and cost.
func printSummary(p *sheet.Page, r *rung.Result, joints *jointDigest) {
	c := &r.Constraints
	p.Blank()
	if r.Knows("constraints.rank") {
		p.Item("constraints", fmt.Sprintf("%s, rank %d, %s", sheet.Plural(c.Rows, "row"), c.Rank, moves(c)))
	} else {
		p.Item("constraints", sheet.Plural(c.Rows, "row"))
	}
	if r.RankDiffers != nil {
		p.Item("", "RANK DIFFERS: "+r.RankDiffers.Text)
	}
	if r.Contradiction != nil {
		p.Item("contradiction", r.Contradiction.Text)
	}
	if r.Knows("constraints.redundant") {
		p.Item("redundant", redundancy(c))
		printDependent(p, c.DependentRows)
	}
	switch {
	case !r.Knows("constraints.distance"): // printPieces says why
	case r.Contradiction != nil && c.NearSingular && c.Distance >= kkt.NearSingularDistance:
		p.Item("singularity", fmt.Sprintf("PERHAPS NEARLY SINGULAR, which the contradiction hides: distance %.3g, %s",
			c.Distance, weakest(c)))
	default:
		p.Item("singularity", singularity(c))
	}
	if r.IllScaled != nil {
		p.Item("scale", scale(r.IllScaled))
	}
	if r.Knows("joints.total_wrench") {
		p.Item("reactions", Reactions(joints.open, joints.n, c))
	}
	p.Item("state", violations(joints, r.Violation))
	if n := len(r.Couplings); n > 0 {
		p.Item("couplings", coupled(r.Couplings, r.Knows("couplings.multiplier"), r.Violation))
	}
	printLimits(p, r.BeyondLimits)
	p.Item("energy", fmt.Sprintf("kinetic %s J, potential %s J", sheet.Short(r.Energy.Kinetic), sheet.Short(r.Energy.Potential)))
	s := &r.Solve
	if r.Method != motion.Sparse.String() {
		p.Item("solve", fmt.Sprintf("%s, %s; %s flops for H and K, factor %s nonzeros, %s flops; residual of the loops %.2g",
			r.Method, sheet.Plural(s.Unknowns, "unknown"), sheet.Count(s.FormationFlops), sheet.Count(s.FactorNonzeros), sheet.Count(s.FactorFlops), s.Residual))
		return
	}
	how := "ordering " + r.Ordering
	if r.Ranks != nil {
		how = "in pieces"
	}
	p.Item("solve", fmt.Sprintf("%s, %s, %s; factor %s nonzeros, %s flops; %s, residual %.2g",
		r.Method, sheet.Plural(s.Unknowns, "unknown"), how, sheet.Count(s.FactorNonzeros), sheet.Count(s.FactorFlops),
		sheet.Plural(s.Refinements, "refinement"), s.Residual))
	if s.CorrectedPivots > 0 {
		p.Item("", sheet.Plural(s.CorrectedPivots, "pivot")+" lost to rounding and replaced")
	}
	if r.Ranks != nil {
		printPieces(p, r)
	}
}

// printPieces writes the sizes of the pieces of a model on ranks, and the fields that are left out.
func printPieces(p *sheet.Page, r *rung.Result) {
	largest, bytes := 0, int64(0)
	for _, x := range r.Ranks.Pieces {
		largest, bytes = max(largest, x.Bodies), max(bytes, x.Bytes)
	}
	p.Item("pieces", fmt.Sprintf("%s of at most %s, root %s; %s between them; at most %s bytes sent by a rank",
		sheet.Plural(r.Ranks.Ranks, "rank"), sheet.Plural(largest, "body"), r.Ranks.Root, sheet.Plural(r.Ranks.Held, "row"), sheet.Count(bytes)))
	label := "left out"
	for _, x := range r.LeftOut {
		p.Item(label, strings.Join(x.Fields, ", ")+": "+x.Reason)
		label = ""
	}
}

// printLimits writes the freedoms of joints that are beyond their limits, at most namedRedundant of them.
func printLimits(p *sheet.Page, list []results.BeyondLimit) {
	for i := range list {
		if i == namedRedundant {
			p.Item("", fmt.Sprintf("and %d more", len(list)-i))
			return
		}
		label := ""
		if i == 0 {
			label = "limits"
		}
		p.Item(label, list[i].String())
	}
}

// redundancy returns the line about redundant rows. It names at most namedRedundant joints and couplings.
func redundancy(c *results.Constraints) string {
	if c.Redundant == 0 {
		return "none"
	}
	var names []string
	for _, j := range c.RedundantJoints[:min(len(c.RedundantJoints), namedRedundant)] {
		names = append(names, fmt.Sprintf("%s (%d)", fault.Text(j.Name, sheet.TextWidth), j.Rows))
	}
	for _, name := range c.RedundantCouplings[:min(len(c.RedundantCouplings), namedRedundant-len(names))] {
		names = append(names, "coupling "+fault.Text(name, sheet.TextWidth))
	}
	if more := len(c.RedundantJoints) + len(c.RedundantCouplings) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return sheet.Plural(c.Redundant, "row") + ": " + strings.Join(names, ", ")
}

// weakest names the weakest joint or coupling.
func weakest(c *results.Constraints) string {
	if c.WeakestCoupling != "" {
		return "weakest coupling " + fault.Text(c.WeakestCoupling, sheet.TextWidth)
	}
	return "weakest joint " + fault.Text(c.WeakestJoint, sheet.TextWidth)
}

// singularity returns the line about how near the pose is to a singular one.
func singularity(c *results.Constraints) string {
	if c.WeakestJoint == "" && c.WeakestCoupling == "" {
		return "none possible: no joint constrains anything"
	}
	where := fmt.Sprintf("distance %.3g, %s", c.Distance, weakest(c))
	if c.NearSingular {
		return fmt.Sprintf("NEARLY SINGULAR: %s; accelerations change fast with the pose here", where)
	}
	return "not near: " + where
}

// scale returns the line about the body or joint that is badly scaled: its data differ too much in size for double precision.
func scale(s *results.IllScaled) string {
	if s.Body != "" {
		return "BADLY SCALED at body " + fault.Text(s.Body, sheet.TextWidth) + ": " + s.Text
	}
	return "BADLY SCALED at joint " + fault.Text(s.Joint, sheet.TextWidth) + ": " + s.Text
}

// Reactions returns the line about reactions: in how many joints (open) they are undetermined, and which choice of them is shown.
func Reactions(open, joints int, c *results.Constraints) string {
	if open == 0 {
		return "all determined"
	}
	choice := fmt.Sprintf("one choice of many (least norm, to %.2g)", c.NormResidual)
	if !c.LeastNorm {
		choice = fmt.Sprintf("SOME CHOICE of many: that of least norm could not be computed (residual %.2g)", c.NormResidual)
	}
	return fmt.Sprintf("undetermined in %d of %s, where redundant constraints share the load; components marked * are %s",
		open, sheet.Plural(joints, "joint"), choice)
}

// coupled returns the line about couplings: how many multipliers are undetermined (unless known is false: they are left out), and
// the largest residuals of the couplings at the state. v is the verdict of mechanism.Mechanism.Holds, nil if the state satisfies
// all constraints.
func coupled(list []results.Coupling, known bool, v *results.Violation) string {
	n, most := 0, algebra.NewPeak(-1)
	for i := range list {
		if !list[i].MultiplierUnique {
			n++
		}
		most.Take(max(list[i].PositionResidual, list[i].VelocityResidual), i)
	}
	text := "all determined"
	if !known {
		text = "multipliers left out"
	} else if n > 0 {
		text = fmt.Sprintf("undetermined in %d of %s", n, sheet.Plural(len(list), "coupling"))
	}
	w := &list[most.At]
	if v != nil && max(w.PositionResidual, w.VelocityResidual) > Closed {
		return fmt.Sprintf("%s; VIOLATES coupling %s by %.2g, its rate by %.2g", text, fault.Text(w.Name, sheet.TextWidth), w.PositionResidual, w.VelocityResidual)
	}
	return text + fmt.Sprintf("; closed to %.2g, their rates to %.2g", w.PositionResidual, w.VelocityResidual)
}

// violations returns the line about the residuals of the joints at the state. v is the verdict of mechanism.Mechanism.Holds, nil
// if the state satisfies all constraints.
func violations(d *jointDigest, v *results.Violation) string {
	far, fast := d.position > Closed, d.velocity > Closed
	at := fault.Text(d.positionOf, sheet.TextWidth)
	rateAt := fault.Text(d.velocityOf, sheet.TextWidth)
	closed := fmt.Sprintf("joints closed to %.2g in position, %.2g in velocity", d.position, d.velocity)
	switch {
	case v == nil:
		return closed
	case far && fast:
		return fmt.Sprintf("VIOLATES joint %s by %.2g in position (m or rad), joint %s by %.2g in velocity", at, d.position, rateAt, d.velocity)
	case far:
		return fmt.Sprintf("VIOLATES joint %s by %.2g in position (m or rad)", at, d.position)
	case fast:
		return fmt.Sprintf("VIOLATES joint %s by %.2g in velocity (m/s or rad/s)", rateAt, d.velocity)
	}
	// No residual of a joint is above Closed, but the state is violated nevertheless: in a mechanism smaller than 1 m the tolerance
	// of lengths is smaller, or a coupling is violated.
	return closed + "; VIOLATES " + fault.Text(v.Name, sheet.TextWidth)
}
