package tree

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// ErrNotClosed is returned where Newton's method does not close the loops.
var ErrNotClosed = errors.New("tree: loops do not close")

const (
	// closeTol is the largest position error that counts as closed, m or rad, relative to 1 m plus the largest coordinate of a body.
	closeTol = 1e-12
	closeMax = 60 // largest number of Newton steps
	// halvings is how many sizes of a Newton step are tried until the errors get smaller; each is half the one before.
	halvings = 12
)

// closer closes the loops in the joint variables: it changes the dependent
// variables so that the constraints hold at position level (RBDA §8.11, φ(q) =
// 0 by Newton's method). It belongs to one goroutine at a time.
type closer struct {
	s          *ClosedSolver
	m          *projection
	q, try, dq []float64
	zero       []float64 // rates of zero
}

// newCloser allocates a closer that does not change the coordinates whose rates are the given independent entries of q̇. With nil, complete
// pivoting chooses the entries in each step.
//
// It panics as NewSolver does.
func (p *Plan) newCloser(independent []int) *closer {
	s := p.NewSolver(Projection, SolverOptions{Independent: independent})
	return &closer{
		s: s, m: s.how.(*projection), q: make([]float64, p.nq), try: make([]float64, p.nq),
		dq: make([]float64, p.nv), zero: make([]float64, p.nv),
	}
}

// closeTo changes q so that the loops are closed at the time t, starting from q, and returns the number of Newton steps: at least one,
// unless the errors at q are all zero. Dependent variables that the loops do not determine stay.
//
// Shapes: q has NumQ entries.
// Cost: an elimination of a Projection for each step, no allocation.
// It returns ErrNotClosed, with the joint that is farthest from closed, errors
// of Workspace.Set, joints.ErrNoDirection or a *PivotError; q is then
// unchanged. It panics on a length mismatch.
func (c *closer) closeTo(q []float64, t float64) (steps int, err error) {
	s, p := c.s, c.s.plan
	if len(q) != p.nq {
		panic("tree: length mismatch")
	}
	s.ok = false
	copy(c.q, q)
	size, err := c.errorsAt(c.q, t)
	if err != nil {
		return 0, err
	}
	for closed := false; ; steps++ {
		tol := closeTol * (1 + s.w.reach())
		if closed && size <= tol || size == 0 {
			copy(q, c.q)
			return steps, nil
		}
		if steps == closeMax {
			return steps, c.notClosed(size)
		}
		// One more step after the tolerance is reached costs little and squares the error.
		closed = size <= tol
		after, err := c.step(size, t)
		if err != nil {
			return steps, err
		}
		if after >= size {
			if !closed {
				return steps, c.notClosed(size)
			}
			copy(q, c.q)
			return steps + 1, nil
		}
		size = after
	}
}

// step takes a Newton step from c.q, halved until the errors are smaller than size, and returns the size of the errors at the new c.q. If
// no size of the step helps, c.q stays and it returns size.
func (c *closer) step(size, t float64) (float64, error) {
	s, p := c.s, c.s.plan
	if err := s.prepare(nil); err != nil {
		return 0, err
	}
	c.m.eliminate(s)
	// K_d·δq_d = −δ.
	delta := s.errors[0]
	for i := range delta {
		s.rk[i] = -delta[i]
	}
	c.m.biasTo(c.dq, s, s.rk)
	for d := range c.dq {
		c.dq[d] *= s.colScale[d]
	}
	part := 1.0
	for range halvings {
		p.advanceTo(c.try, c.q, c.dq, part)
		after, err := c.errorsAt(c.try, t)
		if err == nil && after < size {
			c.q, c.try = c.try, c.q
			return after, nil
		}
		part /= 2
	}
	_, err := c.errorsAt(c.q, t)
	return size, err
}

// errorsAt makes q at rest at the time t the state in use, stores the errors there, and returns the largest position error, m or rad.
func (c *closer) errorsAt(q []float64, t float64) (float64, error) {
	s := c.s
	if err := s.w.Set(q, c.zero, t); err != nil {
		return 0, err
	}
	if err := s.w.ErrorsTo(s.errors[0], s.errors[1]); err != nil {
		return 0, err
	}
	size := 0.0
	for _, e := range s.errors[0] {
		size = math.Max(size, math.Abs(e))
	}
	return size, nil
}

// notClosed returns ErrNotClosed with the joint that has the largest error. size is this error.
func (c *closer) notClosed(size float64) error {
	s := c.s
	worst := 0
	for i, e := range s.errors[0] {
		if math.Abs(e) > math.Abs(s.errors[0][worst]) {
			worst = i
		}
	}
	return s.K.at(worst, fault.Errorf("%w: it is off by %.3g", ErrNotClosed, size))
}

// reach returns the largest coordinate of a body at the state in use, m.
func (w *Workspace) reach() float64 {
	r := 0.0
	for i := range w.state.Bodies {
		for _, x := range w.state.Bodies[i].Position {
			r = max(r, math.Abs(x))
		}
	}
	return r
}
