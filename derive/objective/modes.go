package objective

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
)

// modeColumn is a number of a mode: its eigenvalue λ, its frequency |λ|/2π, Hz, or its damping ratio −Re λ/|λ|.
type modeColumn struct {
	mode int // as they are listed, from 0 on
	part int // of modeNames
}

var modeNames = []string{"re", "im", "frequency", "damping"}

// newModeColumn finds a column mode.K.re, .im, .frequency or .damping; K is from 1 on.
func newModeColumn(name string) (modeColumn, error) {
	words := strings.Split(name, ".")
	if len(words) == 3 && words[0] == "mode" {
		k, err := strconv.Atoi(words[1])
		if part := slices.Index(modeNames, words[2]); err == nil && k > 0 && part >= 0 {
			return modeColumn{k - 1, part}, nil
		}
	}
	return modeColumn{}, fmt.Errorf("derive/objective: columns of modes are mode.K.re, .im, .frequency and .damping, K from 1 on")
}

// of returns the number of an eigenvalue, and its derivative for that of the eigenvalue.
func (c modeColumn) of(l, dl complex128) (value, slope float64) {
	size := cmplx.Abs(l)
	along := real(l)*real(dl) + imag(l)*imag(dl) // of size, times size
	switch c.part {
	case 0:
		return real(l), real(dl)
	case 1:
		return imag(l), imag(dl)
	case 2:
		return size / (2 * math.Pi), along / size / (2 * math.Pi)
	}
	return -real(l) / size, -real(dl)/size + real(l)*along/(size*size*size)
}

const (
	// modeStep is the change of a parameter relative to its size, or to 1 for one that is zero, by which eigenvalues
	// are differenced. With Richardson's step their error is its fourth power, and that of the equilibria, 1e-13 of
	// their size, over it.
	modeStep = 2e-3
	// clusterTol is the gap between eigenvalues, relative to the larger one, below which they have no derivative of their own.
	clusterTol = 1e-6
)

// ofModes has the terms of the modes about the equilibrium, and their derivatives along the parameters. The
// equilibrium follows. The state space is exact; what it changes by is a difference of order 4, as that would be a
// third derivative.
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
	modes := listed(list)
	for i, c := range g.modes {
		if c.mode >= len(modes) {
			return fmt.Errorf("derive/objective: there is no mode %d: the mechanism has %d", c.mode+1, len(modes))
		}
		l := modes[c.mode]
		if near := nearest(list, l, true); cmplx.Abs(near-l) <= clusterTol*cmplx.Abs(l) {
			return fmt.Errorf("derive/objective: mode %d has the eigenvalue of another mode, so that it has no derivative", c.mode+1)
		}
		value, _ := c.of(l, 0)
		r.Terms[i].Value, _ = g.o.Terms[i].Value(value)
	}
	if _, err := g.along(g.d, g.parameters); err != nil {
		return err // there is no derivative
	}
	for k := range g.parameters {
		if err := g.differenceModes(ctx, r, k, st, modes); err != nil {
			return err
		}
	}
	return nil
}

// differenceModes adds the derivatives along parameter k.
func (g *Problem) differenceModes(ctx context.Context, r *Result, k int, st *mechanism.State, modes []complex128) error {
	h := modeStep * math.Abs(r.Parameters[k].Value)
	if h == 0 {
		h = modeStep
	}
	var moved [4][]complex128
	for i, by := range [4]float64{h, -h, h / 2, -h / 2} {
		list, err := g.eigenvaluesAt(ctx, k, by, st)
		if err != nil {
			return fault.Errorf("derive/objective: parameter %s changed by %g: %w", fault.Name(g.o.Parameters[k].Name), by, err)
		}
		moved[i] = list
	}
	for i, c := range g.modes {
		l := modes[c.mode]
		at := func(j int) complex128 { return nearest(moved[j], l, false) }
		whole, half := (at(0)-at(1))/complex(2*h, 0), (at(2)-at(3))/complex(h, 0)
		value, slope := c.of(l, (4*half-whole)/3)
		_, outer := g.o.Terms[i].Value(value)
		r.Parameters[k].Terms[i] = outer * slope
	}
	return nil
}

// eigenvaluesAt returns the eigenvalues about the equilibrium of the model with a parameter changed.
func (g *Problem) eigenvaluesAt(ctx context.Context, k int, by float64, st *mechanism.State) ([]complex128, error) {
	for i := range g.numbers[k] {
		n := &g.numbers[k][i]
		x, err := n.Value()
		if err != nil {
			return nil, err
		}
		n.Set(x + by)
		defer n.Set(x)
	}
	text, err := g.text.Write()
	if err != nil {
		return nil, fault.Errorf("derive/objective: %w", err)
	}
	m, plan, err := g.read(text)
	if err != nil {
		return nil, err
	}
	from := st.Clone()
	if _, err := linear.EquilibrateContext(ctx, plan, from, linear.EquilibriumOptions{Stationary: true}); err != nil {
		return nil, err
	}
	rest(from)
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

// listed returns one eigenvalue of each pair, in the order of rung modes: those that grow first, then by their size.
func listed(list []complex128) (modes []complex128) {
	for _, l := range list {
		if imag(l) >= 0 {
			modes = append(modes, l)
		}
	}
	slices.SortFunc(modes, func(a, b complex128) int {
		if grows := real(a) > 0; grows != (real(b) > 0) {
			if grows {
				return -1
			}
			return 1
		}
		if x := cmplx.Abs(a) - cmplx.Abs(b); x != 0 {
			return int(math.Copysign(1, x))
		}
		return int(math.Copysign(1, imag(a)-imag(b)))
	})
	return modes
}

// nearest returns the eigenvalue nearest to l, itself left out where others are asked for.
func nearest(list []complex128, l complex128, others bool) complex128 {
	best := cmplx.Inf()
	for _, x := range list {
		if !(others && x == l) && cmplx.Abs(x-l) < cmplx.Abs(best-l) {
			best = x
		}
	}
	return best
}
