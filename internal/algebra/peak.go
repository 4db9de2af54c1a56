package algebra

import "math"

// Alike is the difference of two numbers, relative to the larger, up to which rounding alone would choose between them.
const Alike = 1e-6

// Peak finds the largest of some numbers and its place. Of places with numbers that are as large up to rounding it takes the first, in
// whichever order the numbers come, so that no name depends on the last bit: rounding is far below Alike, and numbers that differ by about
// as much as that may have another place in another order. Numbers are not negative, or not a number.
type Peak struct {
	Most  float64 // the largest number, NaN if there is one; the floor as long as none is above it
	Value float64 // the number at the place
	At    int     // the place; −1 as long as no number is above the floor
	floor float64
}

// NewPeak returns a Peak without a place. Numbers up to floor have none, and differences up to floor are rounding; −1 gives a place to
// zeros too.
func NewPeak(floor float64) Peak { return Peak{Most: floor, Value: floor, At: -1, floor: floor} }

// Low returns the number below which another one has no effect.
func (p *Peak) Low() float64 {
	if p.At < 0 {
		return p.floor
	}
	return max(p.floor, p.Most*(1-Alike)-max(p.floor, 0))
}

// Take takes in the number x at a place.
func (p *Peak) Take(x float64, at int) { p.Join(Peak{Most: x, Value: x, At: at}) }

// Join takes in what q has found among other numbers above the same floor.
func (p *Peak) Join(q Peak) {
	if q.At < 0 || q.Value <= p.floor || p.At >= 0 && q.Value < p.Low() || p.Most != p.Most {
		return
	}
	if !(q.Most <= p.Most) {
		p.Most = q.Most
	}
	if p.At < 0 || q.At < p.At || !(p.Value >= p.Low()) {
		p.Value, p.At = q.Value, q.At
	}
}

// Largest returns the index of the largest magnitude of v, the first of those that are alike; −1 if v is empty.
func Largest(v []float64) int {
	p := NewPeak(-1)
	for i, x := range v {
		p.Take(math.Abs(x), i)
	}
	return p.At
}
