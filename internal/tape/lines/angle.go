package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// angles returns the instruction Angle.
func angles() (list []*Kernel) {
	doc := "stores in A the angle from the axes B to C about the third of B, of the nearest such rotation, " +
		"within half a turn of D: columns in the same axes."
	define(&list, "Angle", doc, func(k *Kernel) {
		entry := func(i, j int) Val { return k.dot(lanesOf('B', i, 3, 3), lanesOf('C', j, 3, 3)) }
		s, c := k.sub(entry(1, 0), entry(0, 1)), k.add(entry(0, 0), entry(1, 1))
		a := arc(k, s, c)
		turns := k.mul(k.sub(k.ld(at('D', 0)), a), constant(places.Arc+places.ArcTurns))
		whole := constant(places.Arc + places.ArcInteger)
		turns = k.sub(k.add(turns, whole), whole)
		k.st(at('A', 0), k.fma(turns, constant(places.Arc+places.ArcTurn), a))
	})
	return list
}

// arc returns the angle of the vector (c, s), NaN for the zero vector. The vector is reflected into the first octant, and turned by −π/4 if
// its angle is closer to π/4 than to 0. A series in the tangent of half the angle gives the angle of this vector, from which the angle of
// (c, s) follows.
func arc(k *Kernel, s, c Val) Val {
	z := k.null()
	high, wide := k.abs(s), k.abs(c)
	lo, hi := k.sub(z, k.max(k.sub(z, high), k.sub(z, wide))), k.max(high, wide)
	limit := k.mul(hi, constant(places.Arc+places.ArcOctant))
	y, x := k.more(lo, limit, k.sub(lo, hi), lo), k.more(lo, limit, k.add(lo, hi), hi)
	from := k.more(lo, limit, constant(places.Arc+places.ArcQuarter), z)
	v := k.div(y, k.add(x, k.sqrt(k.fma(y, y, k.mul(x, x)))))
	square := k.mul(v, v)
	sum := k.ld(constant(places.Arc + places.ArcSeries + places.ArcTerms - 1))
	for i := places.ArcTerms - 2; i >= 0; i-- {
		sum = k.fma(sum, square, constant(places.Arc+places.ArcSeries+i))
	}
	a := k.fma(k.mul(sum, square), v, v)
	a = k.add(from, k.add(a, a))
	a = k.more(high, wide, k.sub(k.ld(constant(places.Arc+places.ArcHalf)), a), a)
	a = k.more(z, c, k.sub(k.ld(constant(places.Arc+places.ArcWhole)), a), a)
	return k.more(z, s, k.sub(z, a), a)
}
