package ik

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// report fills in the result at the current pose of the method, which is stored in st. The status is the status of the first level that is
// not reached.
func (s *Solver) report(st *mechanism.State) {
	r := &s.result
	r.Status, r.Outside = Reached, s.now.outside
	r.Conflicts = r.Conflicts[:0]
	for l := range s.m.levels() {
		if at := s.m.status(l); at != Reached && r.Status == Reached {
			r.Status = at
		}
	}
	s.reportTargets()
	s.reportDriven()
	s.m.reportTo(r)
	s.m.violation(r, st)
}

// reportTargets fills in the results of the targets. Conflicts are listed level by level.
func (s *Solver) reportTargets() {
	for l := range s.p.levels {
		for t := range s.p.targets {
			g, out := &s.p.targets[t], &s.result.Targets[t]
			if g.level != l {
				continue
			}
			e := s.m.errorsOf(t)
			out.Name, out.Priority = g.Name, g.Priority
			out.Linear, out.Angular = g.missingOf(e)
			out.Reached = out.Linear <= g.tolerance[0] && out.Angular <= g.tolerance[1]
			for i := range g.n {
				if s.m.pulls(t) {
					s.result.Conflicts = append(s.result.Conflicts, Conflict{Target: g.Name, Row: int(g.own[i]), Residual: e[i] / g.weight[i]})
				}
			}
		}
	}
}

// reportDriven fills in the results of the driven freedoms.
func (s *Solver) reportDriven() {
	for i, q := range s.m.coordinates() {
		s.result.Driven[i].Value, s.result.Driven[i].Limit = q, s.m.side(i)
	}
}

// worst returns the error for the target that is off by the most, relative to its tolerance.
func (s *Solver) worst() Unreached {
	u := Unreached{Status: s.result.Status, Unit: "m"}
	most := algebra.NewPeak(0)
	for t := range s.result.Targets {
		r, tol := &s.result.Targets[t], s.p.targets[t].tolerance
		if r.Reached {
			continue
		}
		if most.Take(r.Linear/tol[0], 2*t); most.At == 2*t {
			u.Target, u.Off, u.Unit = r.Name, r.Linear, "m"
		}
		if most.Take(r.Angular/tol[1], 2*t+1); most.At == 2*t+1 {
			u.Target, u.Off, u.Unit = r.Name, r.Angular, "rad"
		}
	}
	return u
}

// overflow returns an error that wraps ErrOverflow if a number of the result is infinite or undefined. The manipulability may be.
func (r *Result) overflow() error {
	for i := range r.Targets {
		if t := &r.Targets[i]; !algebra.AllFinite(t.Linear, t.Angular) {
			return fault.Errorf("%w: how far target %s is off is not finite", ErrOverflow, fault.Name(t.Name))
		}
	}
	for i := range r.Driven {
		if d := &r.Driven[i]; !algebra.AllFinite(d.Value, d.Rate) {
			return fault.Errorf("%w: freedom %d of joint %s is not finite", ErrOverflow, d.Freedom, fault.Name(d.Joint))
		}
	}
	if !algebra.Finite(r.ClosingError) || !algebra.AllFinite(r.SingularValues...) {
		return ErrOverflow
	}
	return nil
}
