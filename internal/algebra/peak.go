package algebra

import "math"

// Alike is the relative difference up to which two numbers count as equal, since rounding may decide which one is larger. The
// difference is relative to the larger number.
const Alike = 1e-6

// Peak finds the largest of some numbers and its place. Several numbers may equal the largest one up to Alike. Peak then takes
// the one with the lowest place, in whichever order the numbers come, so that a name in a message does not depend on the last
// bit. Rounding is far below Alike. Only for numbers whose relative difference is close to Alike may the place depend on
// the order. Numbers are not negative, or NaN.
type Peak struct {
	Most  float64 // the largest number; NaN if one of them is NaN; the floor as long as no number is above the floor
	Value float64 // the number at the place At
	At    int     // the place; −1 as long as no number is above the floor
	floor float64 // numbers up to it have no place
}

// NewPeak returns a Peak without a place. Numbers up to floor get no place, and differences up to floor count as rounding. With
// floor −1 zeros get a place too.
func NewPeak(floor float64) Peak { return Peak{Most: floor, Value: floor, At: -1, floor: floor} }

// Low returns the bound below which a further number changes neither the largest number nor its place.
func (p *Peak) Low() float64 {
	if p.At < 0 {
		return p.floor
	}
	return max(p.floor, p.Most*(1-Alike)-max(p.floor, 0))
}

// Take adds the number x at the place at.
func (p *Peak) Take(x float64, at int) { p.Join(Peak{Most: x, Value: x, At: at}) }

// Join adds the result of q, which has the same floor and has seen other numbers.
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

// Largest returns the index of the largest magnitude of v, the first index if magnitudes are equal up to Alike. It returns −1 if
// v is empty.
func Largest(v []float64) int {
	p := NewPeak(-1)
	for i, x := range v {
		p.Take(math.Abs(x), i)
	}
	return p.At
}
