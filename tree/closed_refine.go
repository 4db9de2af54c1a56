package tree

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// scale sets colScale and rowScale. A freedom is measured in the unit in which its inertia, with all joints beyond it locked, is 1. A row
// is divided by the norm of the terms of its entries in these units, and not of the entries themselves: so entries that are rounding stay
// small.
func (s *ClosedSolver) scale() error {
	for d := range s.colScale {
		row := s.H.Row(d)
		h := row[len(row)-1]
		if !(h > 0) || math.IsInf(h, 1) {
			return s.plan.pivotError(d, h)
		}
		s.colScale[d] = 1 / math.Sqrt(h)
	}
	for i := range s.K.groups {
		g := &s.K.groups[i]
		n := len(g.cols)
		scale := s.rowScale[g.row : g.row+g.rows] // first the norms, then their inverses
		largest := 0.0
		for k := range scale {
			terms := 0.0
			for e, d := range g.cols {
				b := s.K.mag[g.val+k*n+e] * s.colScale[d]
				terms += b * b
			}
			scale[k] = math.Sqrt(terms)
			largest = max(largest, scale[k])
		}
		for k := range scale {
			if largest > 0 {
				scale[k] = 1 / max(scale[k], leastRow*largest)
			}
		}
	}
	if s.G != nil {
		s.scaleGears()
	}
	return nil
}

// refine solves the factored system, corrects the solution, and returns an error if it is not unique, not accurate, or does not satisfy all
// rows.
func (s *ClosedSolver) refine() error {
	if err := s.determined(); err != nil {
		return err
	}
	if err := s.improve(); err != nil {
		return err
	}
	s.checkRows()
	return s.judge()
}

// correct solves the factored system and corrects the solution. It returns ErrInaccurate if the last correction is large.
func (s *ClosedSolver) correct() error {
	if err := s.improve(); err != nil {
		return err
	}
	return s.converged()
}

// converged returns ErrInaccurate, with the joint or body of the largest entry, if the last correction is large.
func (s *ClosedSolver) converged() error {
	if s.correction <= accurateTol {
		return nil
	}
	return s.atWorst(s.dq, fault.Errorf("%w (last relative correction %.3g)", ErrInaccurate, s.correction))
}

// improve solves, and corrects the solution by the residuals of the whole system.
func (s *ClosedSolver) improve() error {
	s.how.solveTo(s, s.qdd, s.all, s.f, s.k)
	load := s.forceNorm(s.f)
	s.correction = math.Inf(1)
	if s.plan.held != nil {
		if err := s.release(); err != nil {
			return err
		}
	}
	for k := 0; k < refineMax && !s.watch.Up(); k++ {
		before := s.correction
		s.residuals(s.qdd, s.all, s.f, s.k)
		s.how.solveTo(s, s.dq, s.dl, s.rf, s.rk)
		size := max(s.accelerationNorm(s.qdd), load)
		for d := range s.qdd {
			s.qdd[d] += s.dq[d]
		}
		for i := range s.all {
			s.all[i] += s.dl[i]
		}
		s.correction = s.accelerationNorm(s.dq)
		if size > 0 {
			s.correction /= size
		}
		// A correction that does not shrink is rounding.
		if s.correction <= refineTol || s.correction > 0.25*before {
			break
		}
	}
	return nil
}

// atWorst returns err as an error at the freedom with the largest of the accelerations x in the scales of the freedoms, or the first that
// is not a number. Its place is the joint, or the body with a floating base.
func (s *ClosedSolver) atWorst(x []float64, err error) error {
	most := algebra.NewPeak(-1)
	for d, c := range s.colScale {
		most.Take(math.Abs(x[d]/c), d)
	}
	if len(s.plan.Links) == 0 {
		return err
	}
	return s.plan.atDof(max(most.At, 0), err)
}

// residuals stores in rf and rk the residuals of f and k for the solution qdd and lambda.
func (s *ClosedSolver) residuals(qdd, lambda, f, k []float64) {
	s.H.MulVecTo(s.rf, qdd)
	for d, h := range s.rf {
		s.rf[d] = f[d] - h
	}
	if s.plan.held != nil {
		s.w.addHeldTo(s.rf, qdd)
	}
	rows := s.K.rows
	s.K.AddMulTransTo(s.rf, lambda[:rows])
	s.K.MulVecTo(s.rk[:rows], qdd)
	if s.G != nil {
		s.G.AddMulTransTo(s.rf, lambda[rows:])
		s.G.MulVecTo(s.rk[rows:], qdd)
		for i, I := range s.G.inertia {
			s.rk[rows+i] += lambda[rows+i] / I
		}
	}
	for i, x := range s.rk {
		s.rk[i] = k[i] - x
	}
}

// scaleGears sets the scales of the rows of gears to √I, with which their pivots are at least one.
func (e *equation) scaleGears() {
	for i, I := range e.G.inertia {
		e.rowScale[e.K.rows+i] = math.Sqrt(I)
	}
}

// accelerationNorm returns the Euclidean norm of the accelerations qdd in the scales of the freedoms, qdd/colScale.
func (e *equation) accelerationNorm(qdd []float64) float64 {
	sum := 0.0
	for d, c := range e.colScale {
		a := qdd[d] / c
		sum += a * a
	}
	return math.Sqrt(sum)
}

// forceNorm returns the Euclidean norm of the generalized forces f in the scales of the freedoms, f·colScale.
func (e *equation) forceNorm(f []float64) float64 {
	sum := 0.0
	for d, c := range e.colScale {
		a := f[d] * c
		sum += a * a
	}
	return math.Sqrt(sum)
}
