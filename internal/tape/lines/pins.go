package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// apart returns −R and −V. R is the distance of the origin of a body's pin from the pin E that it belongs on, and V is the velocity of
// this origin relative to the pin E.
func apart(k *Kernel) (r, v []Val) {
	near := k.times(at('C', 0), k.vec(at('D', 0), 3))
	v, r = k.cross(k.vec(at('B', atOmega), 3), near), make([]Val, 3)
	for i := range v {
		v[i] = k.sub(k.sub(k.ld(at('E', places.PinVelocity+i)), at('B', atVelocity+i)), v[i])
		r[i] = k.sub(k.sub(k.ld(at('E', i)), at('B', i)), near[i])
	}
	for i, x := range k.cross(k.vec(at('E', places.PinOmega), 3), r) { // −ω×R is ω×r
		v[i] = k.sub(v[i], x)
	}
	return r, v
}

// ownAxis returns the axis of a body's pin in world axes.
func ownAxis(k *Kernel) []Val { return k.times(at('C', 0), k.vec(at('D', places.PinAxis), 3)) }

// slower returns the angular velocity of the pin E minus the angular velocity of the body B.
func slower(k *Kernel) []Val {
	w := make([]Val, 3)
	for i := range w {
		w[i] = k.sub(k.ld(at('E', places.PinOmega+i)), at('B', atOmega+i))
	}
	return w
}

// backOnHinge writes BackOnHinge. Let R and V be the distance and the relative velocity of the origins, z and s the axes of the pin and of
// the body, and w the relative angular velocity. The motions are −(z×s, R) and −(w − (w·z)·z, V).
func backOnHinge(k *Kernel) {
	r, v := apart(k)
	k.put(at('A', 3), r...)
	k.put(at('A', 9), v...)
	s := ownAxis(k)
	z := k.vec(at('E', places.PinAxis), 3)
	t := k.cross(s, z)
	k.put(at('A', 0), t...)
	squares(k, t, r)
	w := slower(k)
	along := k.dot(anys(w), anys(z))
	for i := range w {
		k.st(at('A', 6+i), k.fnma(along, z[i], w[i]))
	}
}

// putOnPin writes PutOnPin: the axis s of the body, r in body axes, is turned onto the axis of the pin, and then its origin is moved there.
// The record takes the square of the displacement.
func putOnPin(k *Kernel) {
	// s = r + 2·p₀·(p×r) + 2·p×(p×r)
	p := k.vec(at('A', atRotation), 4)
	over := excess(k, p)
	t := twice(k, k.cross(p[1:], k.vec(at('C', places.PinAxis), 3)))
	s := k.cross(p[1:], t)
	for i := range s {
		s[i] = k.add(k.fma(t[i], p[0], s[i]), at('C', places.PinAxis+i))
	}
	v, square := apartFrom(k, s, at('D', places.PinAxis))
	ontoAxis(k, p, v, over, square, 'A', 'B')
	near := make([]Val, 3)
	for i := range near {
		near[i] = k.dot([]any{k.ld(at('C', 0)), k.ld(at('C', 1)), k.ld(at('C', 2))}, lanesOf('B', 3*i, 3, 1))
		x := k.sub(k.ld(at('D', i)), near[i])
		moved := k.sub(x, at('A', i))
		k.st(at('A', i), x)
		square = k.fma(moved, moved, square)
	}
	k.st(at('E', 0), k.add(square, at('E', 0)))
	ontoRates(k, k.vec(at('A', atOmega), 3), near, 'D', 0)
}

// twice returns 2·x.
func twice(k *Kernel, x []Val) []Val {
	for i := range x {
		x[i] = k.add(x[i], x[i])
	}
	return x
}

// apartFrom returns v = ½·s×z and the square of s×z, where s is the axis of a body and z the axis of a pin.
func apartFrom(k *Kernel, s []Val, pin Mem) (v []Val, square Val) {
	v = k.cross(s, k.vec(pin, 3))
	square = k.dot(anys(v), anys(v))
	for i := range v {
		v[i] = k.mul(v[i], constant(half))
	}
	return v, square
}

// ontoAxis turns a body with the rotation p by the angle 2·atan|v| about v, and stores its rotation in
// state and its axes in axes. |v| is half the sine of the angle between two axes, so the turn is this angle up to terms of the third
// order. p·p is 1 + over, and square is the square of 2·v.
func ontoAxis(k *Kernel, p, v []Val, over, square Val, state, axes byte) {
	// (1, v)·p, of length one: its square is (1 + v²)·p².
	out := []Val{
		k.fnma(v[2], p[3], k.fnma(v[1], p[2], k.fnma(v[0], p[1], p[0]))),
		k.fnma(v[2], p[2], k.fma(v[1], p[3], k.fma(v[0], p[0], p[1]))),
		k.fnma(v[0], p[3], k.fma(v[2], p[1], k.fma(v[1], p[0], p[2]))),
		k.fnma(v[1], p[1], k.fma(v[0], p[2], k.fma(v[2], p[0], p[3]))),
	}
	k.put(at(state, atRotation), scaledBack(k, out, longer(k, over, square))...)
	axesOf(k, state, atRotation, axes)
}

// longer returns q·q − 1 for the quaternion q = (1, v)·p, where over is p·p − 1 and square is the square of 2·v.
func longer(k *Kernel, over, square Val) Val {
	square = k.mul(k.mul(square, constant(half)), constant(half))
	return k.add(k.fma(square, over, over), square)
}

// ontoRates stores in the state A the velocities of a body on a pin, which begins o vectors behind the operand pin. The body moves with the
// pin and turns about the pin's axis as fast as with the angular velocity w. near is the arm from the body's origin to the pin's. It
// returns the new angular velocity.
func ontoRates(k *Kernel, w, near []Val, pin byte, o int) []Val {
	rel := make([]Val, 3)
	for i := range rel {
		rel[i] = k.sub(w[i], at(pin, o+places.PinOmega+i))
	}
	z := k.vec(at(pin, o+places.PinAxis), 3) // unit up to rounding; the factor 2 − z·z keeps rounding from adding up over steps
	rate := k.mul(k.dot(anys(rel), anys(z)), k.sub(k.ld(constant(two)), k.dot(anys(z), anys(z))))
	out := make([]Val, 3)
	for i := range out {
		out[i] = k.fma(rate, z[i], k.ld(at(pin, o+places.PinOmega+i)))
		k.st(at('A', atOmega+i), out[i])
	}
	for i, x := range k.cross(near, out) {
		k.st(at('A', atVelocity+i), k.add(x, at(pin, o+places.PinVelocity+i)))
	}
	return out
}

// backOnUniversal writes BackOnUniversal. Let x be the axis of the pin, y the axis of the body, and n = y×x. The motions are
// −(n·(x·y)/n², R) and −(n·(n·w)/n², V); see backOnHinge.
func backOnUniversal(k *Kernel) {
	r, v := apart(k)
	k.put(at('A', 3), r...)
	k.put(at('A', 9), v...)
	y := ownAxis(k)
	x := k.vec(at('E', places.PinAxis), 3)
	n := k.cross(y, x)
	part := k.div(constant(one), k.dot(anys(n), anys(n)))
	turn := k.mul(part, k.sub(k.null(), k.dot(anys(x), anys(y))))
	rate := k.mul(part, k.dot(anys(n), anys(slower(k))))
	t := make([]Val, 3)
	for i := range n {
		t[i] = k.mul(turn, n[i])
		k.st(at('A', i), t[i])
		k.st(at('A', 6+i), k.mul(rate, n[i]))
	}
	squares(k, t, []Val{k.ld(at('A', 3)), k.ld(at('A', 4)), k.ld(at('A', 5))})
}

// squares adds x·x + y·y to F.
func squares(k *Kernel, x, y []Val) {
	k.st(at('F', 0), k.add(k.add(k.dot(anys(x), anys(x)), k.dot(anys(y), anys(y))), at('F', 0)))
}

// backOnSlider writes BackOnSlider. Let t be the axis of the rotation from P to S times the sine of its angle: t = ½·Σ e_P×e_S, summed over
// the axes e of P and S, or t = 2·q₀·q for the quaternion (q₀, q) of this rotation. The motions are −(t, R − (R·z)·z) and
// −(w, V − (V·z)·z); see backOnHinge.
func backOnSlider(k *Kernel) {
	r, v := apart(k)
	z := k.vec(at('E', places.PinAxis), 3)
	for i, x := range [2][]Val{r, v} {
		along := k.dot(anys(x), anys(z))
		for j := range x {
			k.st(at('A', 6*i+3+j), k.fnma(along, z[j], x[j]))
		}
	}
	k.put(at('A', 6), slower(k)...)
	// a is the rotation of the body times the rotation between its frame and the frame of the pin's body. b is the rotation of the pin's
	// body.
	p, c := k.vec(at('B', atRotation), 4), func(i int) Mem { return at('D', places.PinTurn+i) }
	a := []Val{
		k.fnma(p[3], c(3), k.fnma(p[2], c(2), k.fnma(p[1], c(1), k.mul(p[0], c(0))))),
		k.fnma(p[3], c(2), k.fma(p[2], c(3), k.fma(p[1], c(0), k.mul(p[0], c(1))))),
		k.fnma(p[1], c(3), k.fma(p[3], c(1), k.fma(p[2], c(0), k.mul(p[0], c(2))))),
		k.fnma(p[2], c(1), k.fma(p[1], c(2), k.fma(p[3], c(0), k.mul(p[0], c(3))))),
	}
	b := func(i int) Mem { return at('E', places.PinRotation+i) }
	q := k.fma(a[3], b(3), k.fma(a[2], b(2), k.fma(a[1], b(1), k.mul(a[0], b(0)))))
	q = k.sub(k.null(), k.add(q, q))
	t := make([]Val, 3)
	for i := 1; i <= 3; i++ { // a·b̄
		j, l := i%3+1, (i+1)%3+1
		x := k.fma(a[l], b(j), k.fnma(a[j], b(l), k.fnma(a[0], b(i), k.mul(a[i], b(0)))))
		t[i-1] = k.mul(q, x)
		k.st(at('A', i-1), t[i-1])
	}
	squares(k, t, []Val{k.ld(at('A', 3)), k.ld(at('A', 4)), k.ld(at('A', 5))})
}
