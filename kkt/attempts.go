package kkt

import (
	"errors"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
)

// attempt is something that a core tries on its way to a solution.
type attempt struct {
	name string
	when func(s *core, err error) bool  // whether it is made; err is what those before have ended with, nil for a solution
	run  func(s *core, err error) error // makes it, and returns what is left of err
}

// attempts are made one after the other, in the order of their cost and reach.
var attempts = [...]attempt{
	{"the factor at hand, or orthogonal factors where the plan begins with these", always, (*core).useFactor},
	{"other factors: of the whole system in place of the reduced one, by the ways up to KeepAll", fails, (*core).useNext},
	{"orthogonal factors of the rows", (*core).mayBeOrthogonal, (*core).useOrthogonal},
	{"accelerations of the bodies", succeeds, (*core).finish},
	{"twice the digits", (*core).preciseFor, (*core).usePrecise},
}

// solve makes the attempts at a solution of the system that has been factored.
func (s *core) solve() (err error) {
	s.mustHaveFactor()
	for i := range attempts {
		if a := &attempts[i]; a.when(s, err) {
			err = a.run(s, err)
		}
	}
	return err
}

func always(*core, error) bool         { return true }
func succeeds(_ *core, err error) bool { return err == nil }
func fails(_ *core, err error) bool    { return err != nil }

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

// next factors in the next ways, after one has failed with err, until judge has nothing against a factor. It explains the error
// of the last way. The reduced system has one way only: the rows of the joints of its trees are not in it, and they would show a
// pivot that is wrongly taken for a true one.
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

// takeFactor has nothing against any factor.
func (s *core) takeFactor() error { return nil }

// useFactor solves with the factor at hand, or with orthogonal factors where the plan begins with these.
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

// mayBeOrthogonal reports whether orthogonal factors may do where all others have ended with err.
func (s *core) mayBeOrthogonal(err error) bool {
	return errors.Is(err, ErrInaccurate) && algebra.AllFinite(s.sys.Right...)
}

// useOrthogonal solves with orthogonal factors. Where these do not do either, err stays.
func (s *core) useOrthogonal(err error) error {
	if s.orthogonal() {
		return nil
	}
	return err
}

// usePrecise solves with twice the digits. Where that fails, the result or error so far stays, and s.imprecise says why.
func (s *core) usePrecise(err error) error {
	if s.imprecise = s.refineMore(); s.imprecise == nil {
		return nil
	}
	return err
}

// preciseFor reports whether a Solve that ended with err goes on with twice the digits. Numbers
// that overflow in doubles overflow there too.
func (s *core) preciseFor(err error) bool {
	if s.doubles {
		return false
	}
	if err == nil {
		return s.plan.spread.wide() && s.plan.symbolic.Counts.Flops <= preciseSolveFlops
	}
	return s.plan.symbolic.Counts.Flops <= preciseSolveFlops && errors.Is(err, ErrInaccurate) && !s.overflows()
}

// refineMore solves with twice the digits, and takes the result in place of that of the factor.
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
