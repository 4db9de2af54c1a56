package ground

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/formula"
)

// ErrRough is wrapped by the errors of Smooth.
var ErrRough = errors.New("ground: the surface has no two continuous derivatives")

const (
	// A formula is examined for |x| and |y| up to smoothReach, m, along smoothLines lines in each direction, with smoothParts
	// intervals on each line.
	smoothReach              = 20.0
	smoothLines, smoothParts = 5, 128
)

// numberNames are the names of formula.Numbers, in their order.
var numberNames = [6]string{"height", "slope", "slope", "second derivative", "second derivative", "second derivative"}

// Smooth returns nil for a surface that has two continuous derivatives everywhere: a plane, a grid with Spline and Stop, a formula
// without jumps and kinks, tiles, and sums of these. In formulas it searches for jumps and kinks along five lines in each direction,
// for x and y from −20 m to 20 m. Places at which a formula is not finite are no faults here.
//
// Cost: O(parts), for a formula some ten thousand values; allocates. The error wraps ErrRough and says why the surface is not smooth.
func (s *Surface) Smooth() error {
	switch s.kind {
	case kindGrid:
		return SmoothGrid(Options{s.grid.axes[0].interpolation, s.grid.axes[0].outside})
	case kindFunction:
		return smoothFormula(s.f)
	case kindSum:
		for _, part := range s.parts {
			if err := part.Smooth(); err != nil {
				return err
			}
		}
	}
	return nil
}

// SmoothGrid is Smooth for a grid with the options o.
func SmoothGrid(o Options) error {
	switch {
	case o.Interpolation != Spline:
		return fmt.Errorf("%w: a grid with interpolation %v, not %v", ErrRough, o.Interpolation, Spline)
	case o.Outside != Stop:
		return fmt.Errorf("%w: a grid that goes on outside with %v, where its curvature jumps, and does not %v", ErrRough, o.Outside, Stop)
	}
	return nil
}

// smoothFormula is Smooth for a formula.
func smoothFormula(f *formula.Formula) error {
	for along := range 2 {
		for k := range smoothLines {
			at := [2]float64{}
			at[1-along] = smoothReach * (2*float64(k)/(smoothLines-1) - 1)
			w := formula.Walk{From: -smoothReach, To: smoothReach, Parts: smoothParts, Holes: true}
			h := w.To - w.From
			w.Value = func(x float64) (n formula.Numbers, ok bool) {
				at[along] = x
				p := Patch(f.At(at[0], at[1]))
				return formula.Numbers{p.Z, p.X * h, p.Y * h, p.XX * h * h, p.XY * h * h, p.YY * h * h}, p.finite()
			}
			if jump, found := w.Look(); found {
				at[along] = jump.X
				return fmt.Errorf("%w: the %s of its formula jumps at x = %.7g, y = %.7g", ErrRough, numberNames[jump.Number], at[0], at[1])
			}
		}
	}
	return nil
}
