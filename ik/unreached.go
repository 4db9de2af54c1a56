package ik

import (
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// reasons has by status the words that say why targets are not reached.
var reasons = [numStatuses]string{
	Nearest:      "out of reach",
	AgainstLimit: "against a limit",
	Stuck:        "stuck",
	Conflicting:  "targets contradict each other",
	OutOfSteps:   "steps or time used up",
	Unstable:     "feedback inverse kinematics does not converge",
}

// Unreached returns an error that wraps ErrUnreached, with the reason and with the target that is off by the most. It returns nil if the
// status is Reached.
func (r *Result) Unreached() error {
	if r.Status == Reached {
		return nil
	}
	text := "targets not reached: " + reasons[r.Status]
	if t := r.Worst(); t != nil {
		text += fmt.Sprintf("; %s is off by %s", fault.Name(t.Name), t.missing())
	}
	return &unreached{text}
}

type unreached struct{ text string }

func (u *unreached) Error() string { return u.text }
func (u *unreached) Unwrap() error { return ErrUnreached }

// Worst returns the unreached target with the largest error, where 1 rad counts as 1 m; nil if all are reached.
func (r *Result) Worst() *TargetResult {
	most := algebra.NewPeak(-1)
	for i := range r.Targets {
		if t := &r.Targets[i]; !t.Reached {
			most.Take(max(t.Linear, t.Angular), i)
		}
	}
	if most.At < 0 {
		return nil
	}
	return &r.Targets[most.At]
}

// missing returns the errors of a target as text, with three digits and units.
func (t *TargetResult) missing() string {
	digits3 := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	switch {
	case t.Angular == 0:
		return digits3(t.Linear) + " m"
	case t.Linear == 0:
		return digits3(t.Angular) + " rad"
	}
	return digits3(t.Linear) + " m and " + digits3(t.Angular) + " rad"
}
