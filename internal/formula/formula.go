package formula

import "slices"

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
	number float64 // operand of opNumber
}

// Sizes of stacks. The small stack is enough for most expressions, and takes less time to clear.
const (
	smallStack = 12
	mostStack  = 64
)

// Formula is an expression in x and y as steps on a stack.
type Formula struct {
	steps []step
	depth int // largest number of elements on the stack
}

// HasY reports whether y is in the expression.
//
// Cost: O(length).
func (f *Formula) HasY() bool {
	return slices.ContainsFunc(f.steps, func(p step) bool { return p.op == opY })
}

// At returns the value at x and y with its derivatives. They may be infinite or NaN.
//
// Cost: O(length), no allocation.
func (f *Formula) At(x, y float64) Jet {
	if f.depth <= smallStack {
		var stack [smallStack]Jet
		return f.run(stack[:], x, y)
	}
	var stack [mostStack]Jet
	return f.run(stack[:], x, y)
}

// run does the steps on a stack with at least f.depth elements, and returns the result.
func (f *Formula) run(stack []Jet, x, y float64) Jet {
	n := 0
	for _, s := range f.steps {
		switch {
		case s.op == opNumber:
			stack[n] = Jet{Z: s.number}
			n++
		case s.op == opX:
			stack[n] = Jet{Z: x, X: 1}
			n++
		case s.op == opY:
			stack[n] = Jet{Z: y, Y: 1}
			n++
		case s.op.two():
			n--
			stack[n-1] = stack[n-1].binary(s.op, &stack[n])
		default:
			stack[n-1] = stack[n-1].unary(s.op)
		}
	}
	return stack[0]
}

// Bent reports whether the expression has branches: whether abs, min or max occur in it.
//
// Cost: O(length).
func (f *Formula) Bent() bool {
	return slices.ContainsFunc(f.steps, func(p step) bool { return p.op == opAbs || p.op == opMin || p.op == opMax })
}

// branchBase is the factor in the hash of Branch, the prime of FNV-1a.
const branchBase = 0x100000001b3

// Branch returns a hash of the branches that abs, min and max take at x and y. It changes if one of them takes another branch.
//
// Cost: as At.
func (f *Formula) Branch(x, y float64) (branch uint64) {
	var stack [mostStack]Jet
	n := 0
	for _, s := range f.steps {
		second := false
		switch {
		case s.op == opNumber:
			stack[n] = Jet{Z: s.number}
			n++
		case s.op == opX:
			stack[n] = Jet{Z: x, X: 1}
			n++
		case s.op == opY:
			stack[n] = Jet{Z: y, Y: 1}
			n++
		case s.op.two():
			n--
			if s.op == opMin || s.op == opMax {
				second = s.op.second(stack[n-1].Z, stack[n].Z)
			}
			stack[n-1] = stack[n-1].binary(s.op, &stack[n])
		default:
			second = s.op == opAbs && stack[n-1].Z < 0
			stack[n-1] = stack[n-1].unary(s.op)
		}
		branch *= branchBase
		if second {
			branch++
		}
	}
	return branch
}
