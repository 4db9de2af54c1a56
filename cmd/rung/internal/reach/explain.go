package reach

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
)

// rounding is the error of a target up to which it is due to rounding: rad, and for lengths relative to the typical length of
// the mechanism.
const rounding = 1e-13

// explain returns the reason why the targets were not reached, and advice; "" if they were.
func (r *posing) explain(result *ik.Result) string {
	switch result.Status {
	case ik.Nearest:
		if t := result.Worst(); t != nil && t.Linear <= rounding*r.plan.Mechanism().TypicalLength() && t.Angular <= rounding {
			return "met to rounding: the tolerance is finer than the numbers are"
		}
		if result.Restarts > 0 {
			return fmt.Sprintf("out of reach: no motion of the driven freedoms brings the targets nearer, from any of %d starts", result.Restarts+1)
		}
		return "out of reach: no motion of the driven freedoms brings the targets nearer; other starts (--restarts) may find other poses"
	case ik.AgainstLimit:
		held := r.limited(result)
		if held == nil {
			held = []string{"those of freedoms that are driven"}
		}
		text := "against limits: " + sheet.Enumerate(held, ", ") + "; without them the targets would come nearer"
		if r.task.Path != nil && slices.ContainsFunc(result.Driven, func(d ik.DrivenResult) bool { return d.Rate != 0 }) {
			text += "; a slower path, or \"stretch\": true in it, leaves time for rates"
		}
		return text
	case ik.Stuck:
		return "stuck: in this pose the driven freedoms do not move the targets the way they should go, not even at second order; start from another one (--restarts), or, of feedback inverse kinematics, take a full P"
	case ik.Conflicting:
		return "targets of one priority contradict each other: " + sheet.Enumerate(conflicts(result), ", ") + "; give one of them a lower priority, or take rows out by weights of 0"
	case ik.OutOfSteps:
		return "still getting nearer when the steps or the time were used up: give more --steps or --max-time"
	case ik.Unstable:
		return "feedback inverse kinematics does not converge at these gains: a shorter h, or \"adapt\": true, helps"
	}
	return ""
}

// limited names the driven freedoms that are at a limit, nil if none is.
func (r *posing) limited(result *ik.Result) (names []string) {
	for i := range result.Driven {
		d := &result.Driven[i]
		if side := sides[d.Limit]; side != "" {
			names = append(names, r.freedom(i)+" "+side)
		}
		if _, _, rate := r.problem.Bounds(i); math.Abs(d.Rate) >= rate*(1-1e-9) {
			names = append(names, r.freedom(i)+" at its largest rate")
		}
	}
	return names
}

// sides are the texts for ik.DrivenResult.Limit.
var sides = map[int8]string{-1: "at its lower limit", 1: "at its upper limit"}

// conflicts names the rows of targets that contradict others.
func conflicts(r *ik.Result) (names []string) {
	for _, c := range r.Conflicts {
		names = append(names, fmt.Sprintf("%s (row %d, off by %s)", fault.Text(c.Target, sheet.NameWidth), c.Row, sheet.Digits3(c.Residual)))
	}
	return names
}

// freedom names driven freedom i for people.
func (r *posing) freedom(i int) string { return fault.Text(r.problem.DrivenName(i), sheet.NameWidth) }
