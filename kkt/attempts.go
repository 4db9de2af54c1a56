package kkt

import (
	"errors"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
)

// attempt is a method that a core tries to find a solution.
type attempt struct {
	name string
	when func(s *core, err error) bool  // reports whether it is made; err is the result so far, nil for a solution
	run  func(s *core, err error) error // makes it, and returns the new result
}

// attempts are made one after another. Later ones take more time and solve more systems.
var attempts = [...]attempt{
	{"the factor at hand, or orthogonal factors if the plan begins with these", always, (*core).useFactor},
	{"other factors: of the whole system in place of the reduced one, by the ways up to KeepAll", fails, (*core).useNext},
	{"orthogonal factors of the rows", (*core).mayBeOrthogonal, (*core).useOrthogonal},
	{"accelerations of the bodies", succeeds, (*core).finish},
	{"twice the digits", (*core).preciseFor, (*core).usePrecise},
}

// solve solves the factored system by the attempts.
func (s *core) solve() (err error) {
	s.mustHaveFactor()
	for i := range attempts {
		if a := &attempts[i]; a.when(s, err) {
			err = a.run(s, err)
		}
	}
	return err
}

// always reports true: the attempt is made in any case.
func always(*core, error) bool { return true }

// succeeds reports whether there is a solution so far.
func succeeds(_ *core, err error) bool { return err == nil }

// fails reports whether there is no solution so far.
func fails(_ *core, err error) bool { return err != nil }

// factorize factors in the first way that works.
func (s *core) factorize() error {
	if s.stage < assembled {
		panic("kkt: not assembled")
	}
	s.stage = assembled
	if err := s.now.Factorize(DropWeak); err != nil {
		return s.next(err, (*core).takeFactor)
	}
	s.stage, s.way = factored, DropWeak
	return nil
}

// next factors in the next ways, after a way has failed with err, until judge accepts a factor by returning nil. If all fail, it returns
// the error of the last way with its place. The reduced system has only one way, and the whole system follows it: the reduced system
// lacks the rows of the joints of its trees, whose residuals would show that a pivot is wrongly taken as independent.
func (s *core) next(err error, judge func(*core) error) error {
	if cause := s.work.watch.Err(); cause != nil {
		return cause
	}
	from := s.now.NextWay()
	if s.reduced() {
		s.whyWhole = whyWhole(err)
		if err := s.assembleWhole(); err != nil {
			return err
		}
		from = DropWeak
	}
	err = Try(from, KeepAll, err, func(w Way) (done bool, err error) {
		if err = s.now.Factorize(w); err == nil {
			s.stage, s.way = factored, w
			err = judge(s)
		}
		return err == nil || s.work.watch.Err() != nil, err
	})
	if err != nil {
		s.stage = assembled
		s.now.Changed()
		return s.describe(err)
	}
	return nil
}

// takeFactor accepts any factor.
func (s *core) takeFactor() error { return nil }

// useFactor solves with the factor at hand, or with orthogonal factors if the plan begins with these.
func (s *core) useFactor(error) error {
	s.stage, s.imprecise = factored, nil
	if s.plan.orthogonal && algebra.AllFinite(s.sys.Right...) {
		if s.orthogonal() {
			return nil
		}
		s.way = s.now.Way()
	}
	return s.refineOnce()
}

// useNext solves with the next factors.
func (s *core) useNext(err error) error { return s.next(err, (*core).refineOnce) }

// mayBeOrthogonal reports whether orthogonal factors may find a solution after all others have ended with err.
func (s *core) mayBeOrthogonal(err error) bool {
	return errors.Is(err, ErrInaccurate) && algebra.AllFinite(s.sys.Right...)
}

// useOrthogonal solves with orthogonal factors. If these fail too, it returns err.
func (s *core) useOrthogonal(err error) error {
	if s.orthogonal() {
		return nil
	}
	return err
}

// usePrecise solves with twice the digits. If that fails, the solution so far remains, it returns err, and s.imprecise has the reason.
func (s *core) usePrecise(err error) error {
	if s.imprecise = s.refineMore(); s.imprecise == nil {
		return nil
	}
	return err
}

// preciseFor reports whether a Solve whose result so far is err continues with twice the digits. Numbers
// that overflow in doubles overflow with twice the digits too.
func (s *core) preciseFor(err error) bool {
	if s.doubles {
		return false
	}
	if err == nil {
		return s.plan.spread.wide() && s.plan.symbolic.Counts.Flops <= preciseSolveFlops
	}
	return s.plan.symbolic.Counts.Flops <= preciseSolveFlops && errors.Is(err, ErrInaccurate) && !s.overflows()
}

// refineMore solves with twice the digits, and replaces the solution. After an error the solution is unchanged.
func (s *core) refineMore() error {
	if s.more == nil {
		s.more = s.plan.newPrecise()
		s.more.fac.Heed(s.work.watch)
		s.more.sys.Heed(s.work.watch)
	}
	p := s.more
	if p.own = nil; s.altered {
		p.own = s.right
	}
	if err := p.solve(s.st, s.violation()); err != nil {
		return err
	}
	p.was = append(p.was[:0], s.x...)
	p.sys.AccelerationsTo(s.x, p.x)
	if s.overflown() >= 0 {
		copy(s.x, p.was)
		return errImprecise
	}
	for i := s.plan.first(); i < len(s.x); i++ {
		s.x[i] = dd.Float(p.x[i])
	}
	s.stage, s.way, s.multipliers, s.ref.Error = solved, TwiceTheDigits, true, p.error
	s.inconsistency, s.ref.Worst = p.worst.Ratio, p.worst
	return nil
}
