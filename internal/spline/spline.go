package spline

// Piece is the part of a function from T on: a cubic polynomial, given by its value and derivatives at T.
type Piece struct {
	T             float64 // begin of the piece
	Q, V, A, Jerk float64 // value and first to third derivatives at T
}

// At returns the value and the first and second derivatives at t.
func (p *Piece) At(t float64) (q, qd, qdd float64) {
	x := t - p.T
	return p.Q + x*(p.V+x*(p.A/2+x*p.Jerk/6)), p.V + x*(p.A+x*p.Jerk/2), p.A + x*p.Jerk
}

// Integral returns the integral of the value from T to t.
func (p *Piece) Integral(t float64) float64 {
	x := t - p.T
	return x * (p.Q + x*(p.V/2+x*(p.A/6+x*p.Jerk/24)))
}

// At returns the value and the first and second derivatives at t of the function with the pieces p. There is at least one piece, and
// pieces are in the order of T. PieceAt tells which piece applies at t.
//
// Cost: O(log pieces), no allocation.
func At(p []Piece, t float64) (q, qd, qdd float64) {
	return p[PieceAt(p, t)].At(t)
}

// ThirdAt returns the third derivative at t of the function with the pieces p; see At.
func ThirdAt(p []Piece, t float64) float64 { return p[PieceAt(p, t)].Jerk }

// PieceAt returns the index of the piece that applies at t: the last one with T ≤ t, and the first piece before the first T.
//
// Cost: O(log pieces), no allocation.
func PieceAt(p []Piece, t float64) int {
	lo, hi := 0, len(p) // the piece is one of lo … hi−1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; t < p[mid].T {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// Ends are the end conditions of a spline.
type Ends uint8

// The end conditions.
const (
	NotAKnot Ends = iota // the third derivative is continuous at the second point and at the last but one; three points give a parabola, two a line
	Natural              // the second derivative is zero at both ends
	Clamped              // the first derivatives at both ends are given
	Periodic             // the first and second derivatives are equal at both ends; the values may differ
)

// Through appends to dst the pieces of the cubic spline through values at times, which increase, and returns dst.
// rates are the first derivatives at both ends; only Clamped ends use them.
//
// Shapes: times and values have the same length, at least 2; the number of pieces is one
// less. Cost: O(times); it allocates if dst has no room, and for Periodic ends.
//
// Let M be the second derivatives at the points (de Boor 1978, ch. IV), h the lengths of the intervals, and s the slopes
// of the chords. At an inner point i
//
//	h[i−1]·M[i−1] + 2(h[i−1] + h[i])·M[i] + h[i]·M[i+1] = 6(s[i] − s[i−1]).
func Through(dst []Piece, times, values []float64, ends Ends, rates [2]float64) []Piece {
	first := len(dst)
	// Until A is known, Jerk is the length h of the interval and V the slope s of its chord.
	for i := range len(times) - 1 {
		h := times[i+1] - times[i]
		dst = append(dst, Piece{Q: values[i], Jerk: h, V: (values[i+1] - values[i]) / h})
	}
	p := dst[first:]
	var last float64
	if ends == Periodic {
		last = periodicCurvatures(p)
	} else {
		last = curvatures(p, ends, rates)
	}
	// The second derivatives at both ends of an interval determine the slope at its start and the third derivative.
	for i := range p {
		next := last
		if i+1 < len(p) {
			next = p[i+1].A
		}
		h := p[i].Jerk
		p[i].T, p[i].V, p[i].Jerk = times[i], p[i].V-h*(2*p[i].A+next)/6, (next-p[i].A)/h
	}
	return dst
}

// curvatures stores in A of each piece the second derivative M at its start, and returns the second derivative at the end of the last
// piece. On entry Jerk is the length of the interval and V the slope of its chord. T becomes the factor t of the elimination.
func curvatures(p []Piece, ends Ends, rates [2]float64) (last float64) {
	n := len(p)
	switch {
	case ends == NotAKnot && n == 1:
		return 0
	case ends == NotAKnot && n == 2:
		M := 2 * (p[1].V - p[0].V) / (p[0].Jerk + p[1].Jerk)
		p[0].A, p[1].A = M, M
		return M
	}
	// Elimination from the front: M[i] = a[i] − t[i]·M[i+1].
	p[0].T, p[0].A = 0, 0
	if ends == Clamped { // 2h·M[0] + h·M[1] = 6(slope − rate)
		p[0].T, p[0].A = 0.5, 3*(p[0].V-rates[0])/p[0].Jerk
	}
	for i := 1; i < n; i++ {
		low, dia, high := p[i-1].Jerk, 2*(p[i-1].Jerk+p[i].Jerk), p[i].Jerk
		if ends == NotAKnot && i == 1 { // M[0] = (1 + r)·M[1] − r·M[2]
			r := p[0].Jerk / p[1].Jerk
			low, dia, high = 0, dia+low*(1+r), high-low*r
		}
		if ends == NotAKnot && i == n-1 { // M[n] = (1 + r)·M[n−1] − r·M[n−2]
			r := p[i].Jerk / p[i-1].Jerk
			low, dia, high = low-high*r, dia+high*(1+r), 0
		}
		dia -= low * p[i-1].T
		p[i].T, p[i].A = high/dia, (6*(p[i].V-p[i-1].V)-low*p[i-1].A)/dia
	}
	if ends == Clamped { // h·M[n−1] + 2h·M[n] = 6(rate − slope)
		e := &p[n-1]
		last = (6*(rates[1]-e.V)/e.Jerk - e.A) / (2 - e.T)
	}
	for i, next := n-1, last; i >= 0; i-- {
		p[i].A -= p[i].T * next
		next = p[i].A
	}
	if ends == NotAKnot {
		r := p[0].Jerk / p[1].Jerk
		p[0].A = (1+r)*p[1].A - r*p[2].A
		r = p[n-1].Jerk / p[n-2].Jerk
		last = (1+r)*p[n-1].A - r*p[n-2].A
	}
	return last
}

// periodicCurvatures is curvatures for Periodic ends. The equation of an inner point also holds at the first point, where the
// last interval takes the place of the previous one. Each piece has M[i] = A + w[i]·M[0], so this equation gives M[0], which is
// also the second derivative at the end.
func periodicCurvatures(p []Piece) float64 {
	n := len(p)
	if n == 1 {
		p[0].A = 0
		return 0
	}
	w := make([]float64, n+1)
	p[0].T, p[0].A, w[0] = 0, 0, 1
	for i := 1; i < n; i++ { // from the front: M[i] = A + w·M[0] − T·M[i+1]
		low := p[i-1].Jerk
		dia := 2*(low+p[i].Jerk) - low*p[i-1].T
		p[i].T, p[i].A, w[i] = p[i].Jerk/dia, (6*(p[i].V-p[i-1].V)-low*p[i-1].A)/dia, -low*w[i-1]/dia
	}
	next := 0.0
	w[n] = 1
	for i := n - 1; i > 0; i-- {
		p[i].A -= p[i].T * next
		w[i] -= p[i].T * w[i+1]
		next = p[i].A
	}
	e := &p[n-1]
	first := (6*(p[0].V-e.V) - e.Jerk*e.A - p[0].Jerk*p[1].A) / (2*(e.Jerk+p[0].Jerk) + e.Jerk*w[n-1] + p[0].Jerk*w[1])
	p[0].A = first
	for i := 1; i < n; i++ {
		p[i].A += w[i] * first
	}
	return first
}
