package ground

import (
	"context"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/halt"
)

// op is an operation of an expression. Operations on two numbers come last.
type op uint8

const (
	opNumber op = iota
	opX
	opY
	opNeg
	opSin
	opCos
	opTan
	opAsin
	opAcos
	opAtan
	opSinh
	opCosh
	opTanh
	opExp
	opLog
	opSqrt
	opAbs
	opAdd
	opSub
	opMul
	opDiv
	opPow
	opAtan2
	opMin
	opMax
)

// two reports whether an operation takes two numbers.
func (o op) two() bool { return o >= opAdd }

// step is an operation on a stack of numbers.
type step struct {
	op     op
	number float64 // of opNumber
}

// Sizes of stacks. Most expressions need the small one, which is sooner cleared.
const (
	smallStack = 12
	mostStack  = 64
)

// function is an expression in x and y as steps on a stack.
type function struct {
	steps []step
	depth int // of the stack
}

// Function returns the surface z = expression in x and y, both in m.
//
// An expression has numbers, pi, x, y, the operations + - * / and ^ (power, which binds to the right and before a sign), round
// brackets, and the functions sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs min max. atan2, min and max take
// two arguments. Derivatives are those of the formula, by forward differentiation; at a kink of abs, min and max those of one
// side, or their mean.
//
// It returns an *ExpressionError for what is no expression. A formula that is not finite somewhere is no error here: see Probe.
//
// Cost: O(length).
func Function(expression string) (*Surface, error) {
	f, err := parse(expression)
	if err != nil {
		return nil, err
	}
	return &Surface{kind: kindFunction, f: f}, nil
}

// DependsOnY reports whether s is a Function with y in its expression.
//
// Cost: O(length).
func (s *Surface) DependsOnY() bool {
	return s.kind == kindFunction && slices.ContainsFunc(s.f.steps, func(p step) bool { return p.op == opY })
}

// Slope returns value and slopes of a Function at x and y, where second derivatives need not be finite. It panics for other surfaces.
//
// Cost: that of At. It returns ErrNotFinite.
func (s *Surface) Slope(x, y float64) (z, zx, zy float64, err error) {
	if s.kind != kindFunction {
		panic("ground: no function")
	}
	p := s.f.patch(x, y)
	if t := p.Z*0 + p.X*0 + p.Y*0; t != 0 {
		return 0, 0, 0, ErrNotFinite
	}
	return p.Z, p.X, p.Y, nil
}

// at is Surface.At.
func (f *function) at(x, y float64) (Patch, error) {
	p := f.patch(x, y)
	if !p.finite() {
		return Patch{}, ErrNotFinite
	}
	return p, nil
}

// patch does the steps.
func (f *function) patch(x, y float64) Patch {
	if f.depth <= smallStack {
		var stack [smallStack]jet
		return f.run(stack[:], x, y)
	}
	var stack [mostStack]jet
	return f.run(stack[:], x, y)
}

// run does the steps on a stack that is deep enough.
func (f *function) run(stack []jet, x, y float64) Patch {
	n := 0
	for _, s := range f.steps {
		switch {
		case s.op == opNumber:
			stack[n] = jet{Z: s.number}
			n++
		case s.op == opX:
			stack[n] = jet{Z: x, X: 1}
			n++
		case s.op == opY:
			stack[n] = jet{Z: y, Y: 1}
			n++
		case s.op.two():
			n--
			stack[n-1] = stack[n-1].binary(s.op, &stack[n])
		default:
			stack[n-1] = stack[n-1].unary(s.op)
		}
	}
	return Patch(stack[0])
}

// probes is how many places each way Probe looks at.
const probes = 33

// Probe looks at 33 × 33 places of a rectangle, its border among them, and returns the first one at which s has no finite height
// or slope, with the error of Surface.At; nil if there is none. e is finite.
//
// Cost: 1089 evaluations, no more than a ms as a rule. It returns the error of ctx, if that ends.
func Probe(ctx context.Context, s *Surface, e Extent) error {
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
