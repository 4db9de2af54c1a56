package dist

import (
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/kkt"
)

// refine solves for the rows that are not held and refines as factor.Factor.SolveExactTo does, with rank 0 deciding. It returns the
// verdict on this way to factor, the same on all ranks: holds, fails if the next way has to be tried, or ends together with an error.
func (s *Solver) refine(w kkt.Way) (int, error) {
	u := s.hub
	s.begin(w)
	s.check()
	next := 0
	if u != nil {
		next = u.first(w)
	}
	next = s.tellLeast(next, verdictOnly)
	for next == condense {
		var err error
		if next, err = s.estimate(w); err != nil {
			return ends, err
		}
		if next != correct && next != finish {
			break
		}
		last := next == finish
		r := s.r
		if last {
			r = nil
		}
		step, size := s.fac.CorrectHeld(s.x, r, s.sys.Right, s.y)
		s.steps++
		step = s.sizes(step, size)
		if !last {
			s.check()
		}
		if u != nil {
			next = u.next(w, step, last)
		}
		next = s.tellLeast(next, verdictOnly)
	}
	if next == twice {
		return s.refineTwice(w)
	}
	return next, nil
}

// refineTwice goes on with residuals that have twice the digits, as factor.Factor.SolveExactTo does in one process. Rank 0 computes the θ
// of a step from the products of all ranks.
func (s *Solver) refineTwice(w kkt.Way) (int, error) {
	u := s.hub
	if s.low == nil {
		s.low = make([]float64, len(s.rows))
		if u != nil {
			u.mixing = factor.NewMixing(u.h.Size)
		}
	}
	if u != nil {
		u.mixing.Reset()
	}
	s.checkTwice()
	for next, first := condense, true; ; first = false {
		s.fac.CondenseAllTo(s.right, s.r)
		s.message = append(s.message[:0], s.right...)
		var y, b []float64
		if u != nil {
			u.expect(contents{held: 1})
			y, b = u.y, u.b
		}
		s.say()
		if u != nil {
			u.add(u.b, 0)
			for i, r := range u.sum {
				u.b[i] += r
			}
		}
		err := s.root.SolveTo(y, b)
		if u != nil {
			if next = condense; err != nil {
				next = ends
			}
		}
		if s.tellLeast(next, withSolved) == ends {
			return ends, Agree(s.comm, err)
		}
		step, size := s.fac.AddAllHeld(s.x, s.mix(s.fac.FindAllHeld(s.r, s.y, first)))
		s.steps++
		step = s.sizes(step, size)
		s.checkTwice()
		if u != nil {
			const announced = true
			next = u.next(w, step, !announced)
		}
		if next = s.tellLeast(next, verdictOnly); next != condense {
			return next, nil
		}
	}
}

// mix returns the θ of a step, the same on all ranks; over and under are the products of this rank (factor.Mixing). Rank 0 adds the step to
// its loads.
func (s *Solver) mix(over, under float64) float64 {
	s.message = append(s.message[:0], over, under)
	u := s.hub
	if u != nil {
		u.expect(contents{fixed: 2})
	}
	s.say()
	theta := 0.0
	if u != nil {
		theta = u.mix()
	}
	s.tell(0, theta, 0, verdictOnly)
	return s.verdict[1]
}

// The argument withRows of tell and tellLeast.
const (
	verdictOnly = false
	withSolved  = true // the solution of the held rows, too
)

// tellLeast is tell with the least pivot, which all ranks store in s.least.
func (s *Solver) tellLeast(verdict int, withRows bool) int {
	least := 0.0
	if s.hub != nil {
		least = s.hub.least
	}
	verdict = s.tell(verdict, least, 0, withRows)
	s.least = s.verdict[1]
	return verdict
}

// begin solves for the first time in way w, and finds the size of the solution over all ranks.
func (s *Solver) begin(w kkt.Way) {
	size := s.fac.SolveHeldTo(s.x, s.r, s.sys.Right, s.y)
	s.message = append(s.message[:0], size, s.sys.FreeSize())
	if s.hub != nil {
		s.hub.expect(contents{fixed: 2})
	}
	s.say()
	if u := s.hub; u != nil {
		policy, _, _ := w.Settings()
		last, floor := u.sizes()
		u.floor = floor
		u.conv = factor.NewConvergence(policy, u.contraction, last, floor)
		s.size = u.conv.Size
	}
	s.tell(0, s.size, 0, verdictOnly)
	s.size = s.verdict[1]
}

// sizes returns the largest step of all ranks, and stores the largest size of all ranks in s.size.
func (s *Solver) sizes(step, size float64) float64 {
	s.message = append(s.message[:0], step, size)
	if s.hub != nil {
		s.hub.expect(contents{fixed: 2})
	}
	s.say()
	if u := s.hub; u != nil {
		step, size = u.sizes()
		u.conv.Size = max(size, u.floor)
		s.size = u.conv.Size
	}
	s.tell(0, s.size, step, verdictOnly)
	s.size = s.verdict[1]
	return step
}

// check computes residuals and passes their measures to rank 0.
func (s *Solver) check() {
	s.sayChecked(s.fac.ResidualHeldTo(s.r, s.rows, s.terms, s.sys.Right, s.x, s.size), nil)
}

// checkTwice is check with twice the digits.
func (s *Solver) checkTwice() {
	s.sayChecked(s.fac.ResidualAllHeldTo(s.r, s.rows, s.low, s.terms, s.sys.Right, s.x, s.size), s.low)
}

// sayChecked sends the measures c of residuals, and the parts of this rank in the residuals of held rows, to rank 0. low has the low parts
// of these if they have twice the digits, else it is nil.
func (s *Solver) sayChecked(c factor.Checked, low []float64) {
	s.worst = c.Worst
	s.message = append(append(append(s.message[:0], c.Largest, c.Least, c.Worst.Ratio), s.rows...), low...)
	for i, own := range s.plan.owned {
		if own {
			s.message = append(s.message, s.terms[i])
		}
	}
	if u := s.hub; u != nil {
		u.expect(contents{fixed: 3, held: 1, nodeTerms: true})
		if low != nil {
			u.held = 2
		}
	}
	s.say()
	if s.hub != nil {
		s.hub.check(s.root, s.way)
	}
}

// estimate condenses the residuals to the held rows, and the root solves for these. This gives the error of the solution in
// the energy norm, theory.md (22), and is the first half of a correction. estimate returns the verdict of rank 0, or ends with an error of
// the root.
func (s *Solver) estimate(w kkt.Way) (int, error) {
	energy := s.fac.CondenseTo(s.right, s.r)
	norm := s.fac.NormOf(s.x)
	s.message = append(append(s.message[:0], energy, norm*norm), s.right...)
	u := s.hub
	var y, b []float64
	if u != nil {
		u.expect(contents{fixed: 2, held: 1})
		y, b = u.y, u.b
	}
	s.say()
	if u != nil {
		u.add(u.b, 2)
	}
	err := s.root.SolveTo(y, b)
	next := ends
	if u != nil && err == nil {
		next = u.estimate(w)
	}
	if next = s.tellLeast(next, withSolved); next != ends {
		return next, nil
	}
	return ends, Agree(s.comm, err)
}
