package formula

import (
	"cmp"
	"math"
	"slices"
)

// Constants of the search for jumps and kinks.
const (
	suspects = 6     // number of intervals that are narrowed down, for each number of Numbers
	narrow   = 1e-12 // length to which they are narrowed down, relative to the walk. A smaller value costs time only.

	// jumpTol is the change, over so short an interval and relative to the number's size, that is a jump.
	jumpTol = 1e-3
	// noise is the magnitude up to which a number counts as rounding, relative to the largest number and to Terms.
	noise = 1e-9
	// seamTol is the largest difference of both ends of a period, relative to the number's size.
	seamTol = 1e-6
)

// Numbers are a function and its derivatives up to the second order. A derivative of order k is multiplied by the k-th power of the
// walk's length, so that all have the same unit. Elements that a function does not need are zero.
type Numbers [6]float64

// Walk samples a function along one variable, and searches for a place where the function or one of its derivatives is not finite or
// jumps.
type Walk struct {
	// Value returns the numbers at x, and whether they are finite.
	Value    func(x float64) (n Numbers, finite bool)
	From, To float64
	Parts    int  // intervals between samples
	Holes    bool // places where the numbers are not finite are ignored
	// Terms is the magnitude of the terms whose sum a number is. Where the terms cancel, only their rounding errors remain. Changes of
	// rounding errors are no jumps.
	Terms float64

	start, end Numbers // numbers at From and To in the last call of Look
	size       Numbers // largest magnitude of each number, at least noise times the largest of all and of Terms
}

// Jump is a fault that a Walk finds: number Number changes by Size at X. With Number −1, a number is not finite at X.
type Jump struct {
	Number  int
	X, Size float64
}

// Look returns the first fault that it finds, and false if it finds none.
//
// Cost: some thousand calls of Value; allocates.
func (w *Walk) Look() (Jump, bool) {
	n := make([]Numbers, w.Parts+1)
	ok := make([]bool, w.Parts+1)
	w.size = Numbers{}
	all := w.Terms
	place := func(i int) float64 { return w.From + (w.To-w.From)*float64(i)/float64(w.Parts) }
	for i := range n {
		x := place(i)
		if i == w.Parts {
			x = w.To
		}
		if n[i], ok[i] = w.Value(x); !ok[i] {
			if !w.Holes {
				return Jump{Number: -1, X: x}, true
			}
			continue
		}
		for k, v := range n[i] {
			w.size[k] = max(w.size[k], math.Abs(v))
			all = max(all, w.size[k])
		}
	}
	for k := range w.size {
		w.size[k] = max(w.size[k], noise*all)
	}
	for k := range w.size {
		for _, i := range oddest(n, ok, k) {
			if x, jump := w.narrow(place(i), place(i+1), k); jump != 0 {
				return Jump{k, x, jump}, true
			}
		}
	}
	w.start, w.end = n[0], n[w.Parts]
	return Jump{}, false
}

// Seam compares both ends of a periodic function. Its value is to grow by advance over the walk, and its derivatives are to be equal at
// both ends. Look has found nothing before. Seam returns the first number that differs otherwise, its growth over the walk, and
// true; or false if there is none.
func (w *Walk) Seam(advance float64) (number int, gain float64, found bool) {
	for k := range w.size {
		gain := w.end[k] - w.start[k]
		off := gain
		if k == 0 {
			off -= advance
		}
		if !(math.Abs(off) <= seamTol*max(w.size[k], w.size[0]*noise)) {
			return k, gain, true
		}
	}
	return 0, 0, false
}

// oddest returns up to suspects intervals in which the change of number k differs most from the changes in both neighbours, the largest
// difference first.
func oddest(n []Numbers, ok []bool, k int) []int {
	change := func(i int) (float64, bool) {
		if i < 0 || i+1 >= len(n) || !ok[i] || !ok[i+1] {
			return 0, false
		}
		return n[i+1][k] - n[i][k], true
	}
	odd := make([]float64, len(n)-1)
	var list []int
	for i := range odd {
		d, fine := change(i)
		if !fine {
			continue
		}
		before, first := change(i - 1)
		after, second := change(i + 1)
		switch {
		case first && second:
			d -= (before + after) / 2
		case first:
			d -= before
		case second:
			d -= after
		}
		odd[i] = math.Abs(d)
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(odd[b], odd[a]) })
	return list[:min(suspects, len(list))]
}

// narrow divides an interval from a to b into quarters, and goes on with the quarter in which the change of number k differs most from the
// median. It returns the place where it ends and the change there. The change is 0 if the numbers are not finite, or if they change
// too little for a jump in all quarters.
func (w *Walk) narrow(a, b float64, k int) (x, jump float64) {
	for least := narrow * (w.To - w.From); ; {
		var v [5]float64
		var change [4]float64
		largest := 0.0
		for i := range v {
			n, ok := w.Value(a + (b-a)*float64(i)/4)
			if !ok {
				return a, 0
			}
			if v[i] = n[k]; i > 0 {
				change[i-1] = v[i] - v[i-1]
				largest = max(largest, math.Abs(change[i-1]))
			}
		}
		if largest <= jumpTol*w.size[k] {
			return a, 0
		}
		sorted := change
		slices.Sort(sorted[:])
		middle := (sorted[1] + sorted[2]) / 2
		at := 0
		for i := range change {
			if math.Abs(change[i]-middle) > math.Abs(change[at]-middle) {
				at = i
			}
		}
		h := (b - a) / 4
		a = a + h*float64(at)
		if b = a + h; h <= least || !(a+h/4 > a) {
			return a, change[at]
		}
	}
}
