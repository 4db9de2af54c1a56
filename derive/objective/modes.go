package objective

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// modeStep is the first step of a parameter for differences of eigenvalues, relative to its size (sizeOf). With Richardson's
	// extrapolation their error is its fourth power, plus the error of the equilibria, 1e-13 of their size, divided by it.
	modeStep = 2e-3
	// smallerSteps is the number of times a step is made ten times smaller, if the model does not allow the step, or an eigenvalue moves
	// too close to others.
	smallerSteps = 3
	// clusterTol is the gap between two eigenvalues, relative to the larger one, below which neither has a derivative.
	clusterTol = 1e-6
	// rigidTol is the size of an eigenvalue, relative to the largest one, below which its motion meets no force.
	rigidTol = 1e-7
	// growthTol is the real part of an eigenvalue, relative to its size, above which a mode grows: below is rounding.
	growthTol = 1e-9
	// partOfGap is the largest displacement of an eigenvalue, relative to its gap, with which it is still identified.
	partOfGap = 0.25
)

// spectrum is the eigenvalues about an equilibrium st.
type spectrum struct {
	st    *mechanism.State
	list  []complex128
	modes []int     // indices in list of one of each pair, in the order of modes
	gaps  []float64 // by term: distance of its eigenvalue to the nearest other one
}

// ofModes stores in r the terms of the modes about the equilibrium, and their derivatives by the parameters, which the equilibrium follows.
// The state space is exact. Its changes, third derivatives, are differences of order 4.
func (g *Problem) ofModes(ctx context.Context, r *Result) error {
	st, err := g.state(ctx)
	if err != nil {
		return err
	}
	if err := g.d.At(st); err != nil {
		return err
	}
	s, err := g.d.StateSpace(derive.StateSpaceOptions{})
	if err != nil {
		return err
	}
	list, err := s.Eigenvalues()
	if err != nil {
		return err
	}
	from := &spectrum{st: st, list: list, modes: listed(list), gaps: make([]float64, len(g.modes))}
	for i, c := range g.modes {
		if c.mode >= len(from.modes) {
			return fmt.Errorf("derive/objective: there is no mode %d: the mechanism has %d", c.mode+1, len(from.modes))
		}
		l := list[from.modes[c.mode]]
		from.gaps[i] = gap(list, from.modes[c.mode])
		switch {
		case cmplx.Abs(l) <= rigidTol*largest(list):
			return fmt.Errorf("derive/objective: mode %d meets no force, so that its eigenvalue has no derivative", c.mode+1)
		case from.gaps[i] <= clusterTol*cmplx.Abs(l):
			return fmt.Errorf("derive/objective: mode %d has the eigenvalue of another mode, so that it has no derivative", c.mode+1)
		}
		value, _ := c.of(l, 0)
		r.Terms[i].Value, _ = g.terms[i].value(value)
	}
	none := func(*derive.Changes, int, int, *more) {}
	if err := g.along(g.d, g.parameters, none); err != nil {
		return err // a parameter without a derivative
	}
	for k := range g.parameters {
		if err := g.differenceModes(ctx, r, k, from); err != nil {
			return err
		}
	}
	return nil
}

// differenceModes stores in r the derivatives by parameter k.
func (g *Problem) differenceModes(ctx context.Context, r *Result, k int, at *spectrum) error {
	h := g.stepOf(k)
	var why error
	for range 1 + smallerSteps {
		var slopes []complex128
		if slopes, why = g.slopesOfModes(ctx, k, h, at); why == nil {
			for i, c := range g.modes {
				value, slope := c.of(at.list[at.modes[c.mode]], slopes[i])
				_, outer := g.terms[i].value(value)
				r.Parameters[k].Terms[i] = outer * slope
			}
			return nil
		}
		if ctx.Err() != nil {
			return why
		}
		h /= 10
	}
	return fault.Errorf("derive/objective: parameter %s: %w", fault.Name(g.o.Parameters[k].Name), why)
}

// stepOf returns the first step of parameter k.
func (g *Problem) stepOf(k int) float64 {
	return g.stepBy(k, modeStep, func(i int) (turns, place bool) {
		p := g.parameters[k][i]
		return p.Turns(), p.Moves()
	})
}

// slopesOfModes returns the derivatives of the eigenvalues of the terms by parameter k, from differences of order 4 with the step h. It
// returns an error if the model does not allow the step, or if an eigenvalue moves too far to be identified.
func (g *Problem) slopesOfModes(ctx context.Context, k int, h float64, from *spectrum) ([]complex128, error) {
	var moved [4][]complex128
	for i, by := range [4]float64{h, -h, h / 2, -h / 2} {
		var err error
		if moved[i], err = g.eigenvaluesAt(ctx, k, by, from.st); err != nil {
			return nil, fault.Errorf("derive/objective: changed by %g: %w", by, err)
		}
	}
	slopes := make([]complex128, len(g.modes))
	for i, c := range g.modes {
		l := from.list[from.modes[c.mode]]
		var at [4]complex128
		for j := range at {
			at[j] = nearest(moved[j], l)
			if cmplx.Abs(at[j]-l) > partOfGap*from.gaps[i] {
				return nil, fmt.Errorf("derive/objective: mode %d comes near another one for a change by %g", c.mode+1, h)
			}
		}
		whole, half := (at[0]-at[1])/complex(2*h, 0), (at[2]-at[3])/complex(h, 0)
		slopes[i] = (4*half - whole) / 3
	}
	return slopes, nil
}

// eigenvaluesAt returns the eigenvalues about the equilibrium of the model with parameter k changed by by; the search starts at st.
func (g *Problem) eigenvaluesAt(ctx context.Context, k int, by float64, st *mechanism.State) ([]complex128, error) {
	values := g.Values()
	values[k] += by
	text, _, err := g.TextWith(values)
	if err != nil {
		return nil, err
	}
	m, plan, err := g.read(text)
	if err != nil {
		return nil, err
	}
	from := st.Clone()
	if _, err := linear.EquilibrateContext(ctx, plan, from, linear.EquilibriumOptions{Stationary: true}); err != nil {
		return nil, err
	}
	d := derive.New(plan, m)
	if err := d.At(from); err != nil {
		return nil, err
	}
	s, err := d.StateSpace(derive.StateSpaceOptions{})
	if err != nil {
		return nil, err
	}
	return s.Eigenvalues()
}

// listed returns the indices of one eigenvalue of each pair in the order of rung modes: growing modes first, the fastest before the others,
// then by size. A motion that meets no force has two eigenvalues of zero.
func listed(list []complex128) (modes []int) {
	rigid, most := 0, largest(list)
	for i, l := range list {
		switch {
		case cmplx.Abs(l) <= rigidTol*most:
			if rigid++; rigid%2 == 0 {
				continue
			}
		case imag(l) < 0:
			continue
		}
		modes = append(modes, i)
	}
	slices.SortStableFunc(modes, func(i, j int) int {
		a, b := list[i], list[j]
		growth := func(l complex128) float64 {
			if real(l) > growthTol*cmplx.Abs(l) && cmplx.Abs(l) > rigidTol*most {
				return real(l)
			}
			return 0
		}
		return cmp.Or(cmp.Compare(growth(b), growth(a)), cmp.Compare(cmplx.Abs(a), cmplx.Abs(b)), cmp.Compare(imag(a), imag(b)))
	})
	return modes
}

// largest returns the size of the largest eigenvalue.
func largest(list []complex128) (most float64) {
	for _, l := range list {
		most = max(most, cmplx.Abs(l))
	}
	return most
}

// gap returns the distance of eigenvalue i to the nearest other one.
func gap(list []complex128, i int) float64 {
	least := math.Inf(1)
	for j, l := range list {
		if j != i {
			least = min(least, cmplx.Abs(l-list[i]))
		}
	}
	return least
}

// nearest returns the eigenvalue nearest to l.
func nearest(list []complex128, l complex128) complex128 {
	best := cmplx.Inf()
	for _, x := range list {
		if cmplx.Abs(x-l) < cmplx.Abs(best-l) {
			best = x
		}
	}
	return best
}
