package ground

import (
	"context"
	"fmt"

	"github.com/rung-mbd/rung/internal/formula"
	"github.com/rung-mbd/rung/internal/halt"
)

// ExpressionError reports where a text is no expression.
type ExpressionError struct {
	Expression string
	Position   int    // number of the character, from 1
	Text       string // what was expected there, and what was found
}

func (e *ExpressionError) Error() string {
	return fmt.Sprintf("ground: expression, character %d: %s", e.Position, e.Text)
}

// Function returns the surface z = expression in x and y, both in m.
//
// An expression has numbers, pi, x, y, the operations + - * / and ^ (power, which binds to the right and before a
// sign), parentheses, and the functions sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs min max.
// atan2, min and max take two arguments. Derivatives are exact, by forward differentiation. At a kink of
// abs, min and max they are the derivatives of one side, or the mean of both.
//
// It returns an *ExpressionError if the text is no expression. It does not check whether the formula is finite:
// see Probe.
//
// Cost: O(length).
func Function(expression string) (*Surface, error) {
	f, wrong := formula.Parse(expression)
	if wrong != nil {
		return nil, (*ExpressionError)(wrong)
	}
	return &Surface{kind: kindFunction, f: f}, nil
}

// functionAt is Surface.At for an expression.
func functionAt(f *formula.Formula, x, y float64) (Patch, error) {
	p := Patch(f.At(x, y))
	if !p.finite() {
		return Patch{}, ErrNotFinite
	}
	return p, nil
}

// probes is the number of places along each axis at which Probe looks.
const probes = 33

// Probe looks at 33 × 33 places of a rectangle, its border among them, and returns the first one at which s has no
// finite height or slope, with the error of Surface.At; nil if there is none. e is finite.
//
// Cost: 1089 evaluations, usually less than a millisecond. It returns the cause of ctx if ctx ends. It panics if s or ctx is nil.
func Probe(ctx context.Context, s *Surface, e Extent) error {
	halt.Must(ctx)
	if s == nil {
		panic("ground: no surface")
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	for j := range probes {
		for i := range probes {
			if flag.Up() {
				return context.Cause(ctx)
			}
			x := e.Min[0] + (e.Max[0]-e.Min[0])*float64(i)/(probes-1)
			y := e.Min[1] + (e.Max[1]-e.Min[1])*float64(j)/(probes-1)
			if _, err := s.At(x, y); err != nil {
				return fmt.Errorf("%w at x %v, y %v", err, x, y)
			}
		}
	}
	return nil
}
