package tape

import (
	"math"
	"unsafe"

	"github.com/rung-mbd/rung/internal/tape/places"
)

// Lanes is the number of states that are computed together.
const Lanes = 8

// Code says what an instruction does.
type Code uint32

// End ends every tape.
const End Code = 0

// String names the instruction.
func (c Code) String() string {
	if int(c) >= len(codeNames) {
		return "unknown"
	}
	return codeNames[c]
}

// Op is an instruction. Operands are places in the workspace, in bytes, or in the array of shared numbers (SharedForm).
//
// An operand that the instruction writes may be the same place as one that it reads, if each number is read before the
// place takes another. Apart from that, the two must not overlap: kernels keep in registers what they have read.
type Op struct {
	Code          Code
	N             uint32 // repetitions of its loop, or length of a row
	A, B, C, D, E uint32
	F             uint32 // bytes from one row of a destination to the next, or one more operand
}

// operands returns A to F.
func (o *Op) operands() [6]uint32 { return [6]uint32{o.A, o.B, o.C, o.D, o.E, o.F} }

// least is what Moved adds to numbers and takes away again: what is left of them are multiples of 1e-100. Numbers whose
// products are below the smallest normal one make processors a hundred times slower.
const least = 0x1p-280

// NewWorkspace returns n places of Lanes numbers each, on a line of the cache. There is room behind them for runs in Go.
func NewWorkspace(n int) []float64 {
	w := make([]float64, (n+room)*Lanes+7)
	for uintptr(unsafe.Pointer(&w[0]))%64 != 0 {
		w = w[1:]
	}
	return w[: n*Lanes : (n+room)*Lanes]
}

// Front returns the numbers that every array of shared numbers begins with; package places says what they are.
func Front(weak, square float64) []float64 {
	list := append([]float64{0, 1, 0.5, 2, weak, square, least}, Series[:]...)
	list = append(list, 1./12)
	return append(list, Arc[:]...)
}

// SharedForm returns the code of the same instruction where some of its operands are shared numbers: numbers that are one for
// all states, one behind the other in an array of their own. The bits of operands say which: A is the first. Zero stands for
// an instruction that has no such form, and c itself for one that has no other.
func SharedForm(c Code) (form Code, operands uint8) {
	form = sharedForms[c]
	return form, sharedOperands[form]
}

// Run runs a tape on a workspace (NewWorkspace), with an array of shared numbers.
//
// Cost: no allocation. It panics if the tape is empty or does not end with End, or if the array does not begin with those of Front. Places are not
// checked: they are those of whoever has made the tape for workspaces and arrays of that size (Check).
func Run(w, shared []float64, list []Op) {
	if len(list) == 0 || list[len(list)-1].Code != End {
		panic("tape: no end")
	}
	if len(shared) < places.Front {
		panic("tape: no shared numbers")
	}
	runBest(w, shared, list)
}

// Check reports whether a tape stays in a workspace of n places and an array of so many shared numbers: whether its codes exist, loops
// have turns, and operands in the workspace begin and end there. Of operands in the array it sees where they begin.
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

// stays reports whether operand k of an instruction, at p bytes, is in a workspace of n places as far as it is read and written.
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

// Shaped returns the code for n rows of six numbers, the first full of which have all of them while the others are zero
// in their last three; first is Gram1of1, Rows1of1 or Columns1of1. Rows may be taken for
// fuller than they are: there are not all shapes.
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

// larger is the maximum of the processor: b if one of the two is no number.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// more returns x if a > b, else y.
func more(a, b, x, y float64) float64 {
	if a > b {
		return x
	}
	return y
}

// Arc are the numbers of angles: atan(v) = v + v·z·Σ c_k zᵏ, z = v², is exact to rounding up to v = tan π/16.
var Arc = [places.ArcSeries + places.ArcTerms]float64{
	math.Sqrt2 - 1, math.Pi / 4, math.Pi / 2, math.Pi, 2 * math.Pi, 1 / (2 * math.Pi), 0x1.8p52,
	-1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13, -1. / 15, 1. / 17, -1. / 19, 1. / 21, -1. / 23, 1. / 25,
}

// Dexp are the coefficients of α = (1 − cos θ)/θ² and of β = (θ − sin θ)/θ³ in θ², docs/theory.md (V1): up to a radian they are exact to
// 2e-11.
var Dexp = [2 * places.DexpTerms]float64{
	1. / 2, -1. / 24, 1. / 720, -1. / 40320, 1. / 3628800, -1. / 479001600,
	1. / 6, -1. / 120, 1. / 5040, -1. / 362880, 1. / 39916800, -1. / 6227020800,
}

// Series are the coefficients of rotations: of sin(a)/a and of cos(a) in a². Five each are exact to rounding up to angles
// of 0.1, a turn of 0.2.
var Series = [10]float64{
	1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
	1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320,
}
