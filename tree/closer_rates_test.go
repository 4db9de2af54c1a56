package tree

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// rateTol is the rounding of a rate relative to the velocities it comes from.
const rateTol = 1e-9

// CloseRatesTo changes the dependent entries of qd so that the constraints hold
// at velocity level, K·q̇ = σ, at the closed q and the time t.
//
// Shapes: q has NumQ entries, qd NumDof.
// Cost: that of the elimination of a Projection, no allocation.
// It returns ErrInconsistent if no rates do, *IndependentError, and errors as
// CloseTo does; qd is then undefined. It panics on a length mismatch.
func (c *closer) CloseRatesTo(qd, q []float64, t float64) error {
	s := c.s
	s.ok = false
	if err := s.w.Set(q, qd, t); err != nil {
		return err
	}
	if err := s.prepare(nil); err != nil {
		return err
	}
	c.m.eliminate(s)
	if err := c.m.checkChoice(s); err != nil {
		return err
	}
	return c.rates(qd)
}

// rates adds to qd the correction −K_d⁻¹·(K·q̇ − σ) and checks all rows.
func (c *closer) rates(qd []float64) error {
	s := c.s
	if err := s.w.ErrorsTo(s.errors[0], s.errors[1]); err != nil {
		return err
	}
	before := 0.0
	for i, e := range s.errors[1] {
		s.rk[i] = -e
		before = max(before, math.Abs(e))
	}
	c.m.biasTo(c.dq, s, s.rk)
	for d := range qd {
		c.dq[d] *= s.colScale[d]
		qd[d] += c.dq[d]
	}
	// Rows that were left out agree only if the rates exist.
	s.K.MulVecTo(s.dl, c.dq)
	tol := consistentTol*before + rateTol*s.w.speed()
	for i := range s.dl {
		if r := math.Abs(s.dl[i] - s.rk[i]); !(r <= tol) {
			return s.K.at(i, fault.Errorf("%w: its rate is off by %.3g", ErrInconsistent, r))
		}
	}
	return nil
}

// speed returns the largest component of the velocity of a link, rad/s or m/s.
func (w *Workspace) speed() float64 {
	v := 0.0
	for i := range w.links {
		for _, x := range w.links[i].v {
			v = max(v, math.Abs(x))
		}
	}
	return v
}
