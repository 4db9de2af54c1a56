package tape

import (
	"math"
	"unsafe"

	"github.com/rung-mbd/rung/internal/tape/places"
)

// Lanes is the number of states that are computed together.
const Lanes = 8

// Code is the number of an instruction's kind.
type Code uint32

// End ends every tape.
const End Code = 0

// String returns the name of the instruction.
func (c Code) String() string {
	if int(c) >= len(codeNames) {
		return "unknown"
	}
	return codeNames[c]
}

// Op is an instruction. Operands are offsets in bytes in the workspace or in the array of shared numbers (SharedForm).
//
// An operand that the instruction writes may begin at the same place as an operand that it reads, if each number is read before it
// is overwritten. Otherwise the two must not overlap, because kernels keep numbers that they have read in registers.
type Op struct {
	Code          Code
	N             uint32 // number of turns of its loop, or length of a row
	A, B, C, D, E uint32
	F             uint32 // bytes from one row of a destination to the next, or one more operand
}

// operands returns the operands A to F.
func (o *Op) operands() [6]uint32 { return [6]uint32{o.A, o.B, o.C, o.D, o.E, o.F} }

// least is added to numbers by Moved and subtracted again, which rounds them to multiples of 1e-100. Products of smaller numbers may be
// subnormal, which make processors a hundred times slower.
const least = 0x1p-280

// NewWorkspace returns n places of Lanes numbers each, which begin at a cache line. The slice has capacity for the scratch of runs in
// Go.
func NewWorkspace(n int) []float64 {
	w := make([]float64, (n+room)*Lanes+7)
	for uintptr(unsafe.Pointer(&w[0]))%64 != 0 {
		w = w[1:]
	}
	return w[: n*Lanes : (n+room)*Lanes]
}

// Front returns the constants that every array of shared numbers begins with, in the order of package places.
func Front(weak, square float64) []float64 {
	list := append([]float64{0, 1, 0.5, 2, weak, square, least}, Series[:]...)
	list = append(list, 1./12)
	return append(list, Arc[:]...)
}

// SharedForm returns the code of the same instruction with shared operands. Shared numbers are the same for
// all states, and are stored once, in an array of their own. Bit k of operands is set if operand k is shared, where A is operand 0. The
// form is 0 if the instruction has no such form, and c itself if it has only this form.
func SharedForm(c Code) (form Code, operands uint8) {
	form = sharedForms[c]
	return form, sharedOperands[form]
}

// Run runs a program on a workspace (NewWorkspace), with an array of shared numbers that begins with Front.
//
// Cost: no allocation. It panics if the program is empty or does not end with End, or if the array is shorter than Front. It does not
// check operands: the program has to be made for a workspace and an array of these sizes (Check).
func Run(w, shared []float64, list []Op) {
	if len(list) == 0 || list[len(list)-1].Code != End {
		panic("tape: no end")
	}
	if len(shared) < places.Front {
		panic("tape: no shared numbers")
	}
	runBest(w, shared, list)
}

// Check reports whether a program stays in a workspace of n places and an array of this many shared numbers: whether its codes exist,
// loops have turns, operands in the workspace begin and end there, and operands in the array begin there.
func Check(list []Op, n, shared int) bool {
	for i := range list {
		o := &list[i]
		if int(o.Code) >= numCodes || spans[o.Code].loops && o.N == 0 {
			return false
		}
		for k, p := range o.operands() {
			if sharedOperands[o.Code]>>k&1 == 1 {
				if p%8 != 0 || int64(p) >= 8*int64(shared) {
					return false
				}
			} else if !o.stays(k, p, n) {
				return false
			}
		}
	}
	return len(list) > 0 && list[len(list)-1].Code == End
}

// stays reports whether the instruction reads and writes operand k, which begins at byte p, only within a workspace of n places.
func (o *Op) stays(k int, p uint32, n int) bool {
	s := &spans[o.Code]
	for _, x := range [2]*span{&s.reads[k], &s.writes[k]} {
		if !x.used {
			continue
		}
		if first, last := x.of(o, p); p%(8*Lanes) != 0 || first < 0 || last >= n {
			return false
		}
	}
	return true
}

// Shaped returns the code for n rows of six numbers. The last three numbers of a row are zero, except in the first full rows. The
// argument first is Gram1of1, Rows1of1 or Columns1of1. The code may be for more full rows than there are, because not all shapes have
// codes.
//
// It panics unless n is 1 to 6 and full at most n.
func Shaped(first Code, n, full int) Code {
	best, found := 0, false
	for i, s := range shapes {
		if s[0] == n && s[1] >= full && (!found || s[1] < shapes[best][1]) {
			best, found = i, true
		}
	}
	if !found {
		panic("tape: no such shape")
	}
	return first + Code(best)*(Gram2of2-Gram1of1)
}

// larger returns the maximum in the way of the processor: b if one of the two is NaN.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// more returns x if a > b, and y otherwise.
func more(a, b, x, y float64) float64 {
	if a > b {
		return x
	}
	return y
}

// Arc are the constants of angles: atan(v) = v + v·z·Σ c_k zᵏ, where z = v². The series is exact to rounding for v ≤ tan π/16.
var Arc = [places.ArcSeries + places.ArcTerms]float64{
	math.Sqrt2 - 1, math.Pi / 4, math.Pi / 2, math.Pi, 2 * math.Pi, 1 / (2 * math.Pi), 0x1.8p52,
	-1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13, -1. / 15, 1. / 17, -1. / 19, 1. / 21, -1. / 23, 1. / 25,
}

// Dexp are the coefficients of the series of α = (1 − cos θ)/θ² and of β = (θ − sin θ)/θ³ in θ², docs/theory.md (V1). For θ ≤ 1 rad the
// series are exact to 2e-11.
var Dexp = [2 * places.DexpTerms]float64{
	1. / 2, -1. / 24, 1. / 720, -1. / 40320, 1. / 3628800, -1. / 479001600,
	1. / 6, -1. / 120, 1. / 5040, -1. / 362880, 1. / 39916800, -1. / 6227020800,
}

// Series are the coefficients of rotations: five of sin(a)/a and five of cos(a) in a². The series are exact to rounding for a ≤ 0.1 rad,
// which is half the angle of a rotation.
var Series = [10]float64{
	1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
	1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320,
}
