package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

const (
	labelWidth     = 14   // columns of a label
	namedRedundant = 12   // redundant joints that are named
	closed         = 1e-6 // residual of a joint, m, rad or per second, that passes as closed
)

// printSummary writes what the constraints are like, and the cost, in words.
func printSummary(w io.Writer, r *acceleration) {
	c := &r.Constraints
	fmt.Fprintln(w)
	item(w, "constraints", fmt.Sprintf("%s, rank %d, mobility %d", plural(c.Rows, "row"), c.Rank, c.Mobility))
	if r.RankDiffers != nil {
		item(w, "", "RANK DIFFERS: "+r.RankDiffers.Text)
	}
	if r.Contradiction != nil {
		item(w, "contradiction", r.Contradiction.Text)
	}
	item(w, "redundant", redundancy(c))
	if r.Contradiction != nil && c.NearSingular && c.Distance >= kkt.NearSingularDistance {
		item(w, "singularity", fmt.Sprintf("PERHAPS NEARLY SINGULAR, which the contradiction hides: distance %.3g, weakest joint %s",
			c.Distance, fault.Text(c.WeakestJoint, textWidth)))
	} else {
		item(w, "singularity", singularity(c))
	}
	if r.IllScaled != nil {
		item(w, "scale", scale(r.IllScaled))
	}
	item(w, "reactions", reactions(r.Joints, c))
	item(w, "state", violations(r.Joints))
	item(w, "energy", fmt.Sprintf("kinetic %s J, potential %s J", short(r.Energy.Kinetic), short(r.Energy.Potential)))
	s := &r.Solve
	if r.Method != sparseMethod {
		item(w, "solve", fmt.Sprintf("%s, %s, residual of the loops %.2g", r.Method, plural(s.Unknowns, "unknown"), s.Residual))
		return
	}
	item(w, "solve", fmt.Sprintf("%s, %s, ordering %s; factor %s nonzeros, %s flops; %s, residual %.2g",
		r.Method, plural(s.Unknowns, "unknown"), r.Ordering, count(s.FactorNonzeros), count(s.FactorFlops),
		plural(s.Refinements, "refinement"), s.Residual))
	if s.CorrectedPivots > 0 {
		item(w, "", plural(s.CorrectedPivots, "pivot")+" lost to rounding and replaced")
	}
}

func redundancy(c *rung.ConstraintsResult) string {
	if c.Redundant == 0 {
		return "none"
	}
	var names []string
	for i, j := range c.RedundantJoints {
		if i == namedRedundant {
			names = append(names, fmt.Sprintf("and %d more", len(c.RedundantJoints)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s (%d)", fault.Text(j.Name, textWidth), j.Rows))
	}
	return plural(c.Redundant, "row") + ": " + strings.Join(names, ", ")
}

func singularity(c *rung.ConstraintsResult) string {
	if c.WeakestJoint == "" {
		return "none possible: no joint constrains anything"
	}
	where := fmt.Sprintf("distance %.3g, weakest joint %s", c.Distance, fault.Text(c.WeakestJoint, textWidth))
	if c.NearSingular {
		return fmt.Sprintf("NEARLY SINGULAR: %s; accelerations change fast with the pose here", where)
	}
	return "not near: " + where
}

// scale says which body or joint doubles or the data do not do for.
func scale(s *rung.IllScaledResult) string {
	if s.Body != "" {
		return "BADLY SCALED at body " + fault.Text(s.Body, textWidth) + ": " + s.Text
	}
	return "BADLY SCALED at joint " + fault.Text(s.Joint, textWidth) + ": " + s.Text
}

func reactions(joints []rung.JointResult, c *rung.ConstraintsResult) string {
	n := 0
	for i := range joints {
		if !joints[i].WrenchUnique {
			n++
		}
	}
	if n == 0 {
		return "all determined"
	}
	choice := fmt.Sprintf("one choice of many (least norm, to %.2g)", c.NormResidual)
	if !c.LeastNorm {
		choice = fmt.Sprintf("SOME CHOICE of many: that of least norm could not be computed (residual %.2g)", c.NormResidual)
	}
	return fmt.Sprintf("undetermined in %d of %s, where redundant constraints share the load; components marked * are %s",
		n, plural(len(joints), "joint"), choice)
}

// violations says how well the state satisfies the joints.
func violations(joints []rung.JointResult) string {
	var pos, vel float64
	var jp, jv string
	for i := range joints {
		j := &joints[i]
		if j.PositionResidual > pos {
			pos, jp = j.PositionResidual, j.Name
		}
		if j.VelocityResidual > vel {
			vel, jv = j.VelocityResidual, j.Name
		}
	}
	text := fmt.Sprintf("joints closed to %.2g in position, %.2g in velocity", pos, vel)
	if pos > closed {
		text = fmt.Sprintf("VIOLATES joint %s by %.2g in position (m or rad)", fault.Text(jp, textWidth), pos)
		if vel > closed {
			text += fmt.Sprintf(", joint %s by %.2g in velocity", fault.Text(jv, textWidth), vel)
		}
	} else if vel > closed {
		text = fmt.Sprintf("VIOLATES joint %s by %.2g in velocity (m/s or rad/s)", fault.Text(jv, textWidth), vel)
	}
	return text
}

// count returns n, with three digits and a unit prefix where it is long.
func count(n int64) string {
	if n < 1e4 {
		return strconv.FormatInt(n, 10)
	}
	x, unit := float64(n), ""
	for _, unit = range [...]string{"k", "M", "G", "T"} {
		if x /= 1e3; x < 999.5 {
			break
		}
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + unit
}

// item writes a label and a text, wrapped between words.
func item(w io.Writer, label, text string) {
	line := fmt.Sprintf("%-*s", labelWidth, label)
	width := labelWidth
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width+1+n > tableWidth:
			fmt.Fprintln(w, line)
			line, width = strings.Repeat(" ", labelWidth), labelWidth
		default:
			line, width = line+" ", width+1
		}
		line, width = line+word, width+n
	}
	fmt.Fprintln(w, line)
}
