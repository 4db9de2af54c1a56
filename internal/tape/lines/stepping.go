package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// Places of the numbers that a body keeps throughout a step. They begin with its state at the beginning of the step.
const (
	atTurn = bodyPlaces // rotation since the beginning of the step
	atSum  = 16         // weighted sums of velocities, rates of the rotation, and accelerations
)

// stepping returns the instructions of rollouts. Each does a part of a step for one body.
func stepping() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	add("Rate", "stores in A the acceleration of the origin of a body's frame and its angular acceleration, world axes: B is the solution, C the axes and Eᵀω, D the constants of the body. It adds NaN to E if a number is not finite.", func(k *Kernel) {
		a := rates(k, k.vec(at('B', 0), 6))
		k.put(at('A', 0), a...)
		notice(k, at('E', 0), a)
	})
	first := "stores in B the state A of a body at the beginning of a step of RungeKutta4, and in A its state at the second stage."
	next := "stores in A the state of a body at the next stage of RungeKutta4."
	last := "stores in A the state of a body at the end of a step of RungeKutta4. The record takes the square of its angular velocity."
	operands := " C are its accelerations (Rate), D the time to the next stage and the weight of this one, E the record. B holds the body's numbers that are kept throughout the step."
	add("FirstStage", first+operands, func(k *Kernel) { stage(k, firstStage) })
	add("NextStage", next+operands, func(k *Kernel) { stage(k, nextStage) })
	add("LastStage", last+operands, func(k *Kernel) { stage(k, lastStage) })
	const few = true
	moved := " It adds NaN to the record E if a number is not finite. The step size is behind the record."
	add("Euler", "advances the state A of a body by a step of SemiImplicit: B is the weighted acceleration, D the constants of the body. C holds the axes and Eᵀω, and takes the new axes. The record takes the distance of the quaternion's square from one, and the square of the angular velocity."+moved, euler)
	add("EulerRoot", "does the same for a body on a hinge to the ground: B is its column N, F the solution of its group. It turns the body about the pin: D are the constants of the hinge. The record takes the square of the body's deviation from the pin."+moved, eulerRoot)
	add("EulerPin", "does the same for a body on a hinge in a group. It puts the body on the pin of its parent, which is behind the frame C: D are the constants of the hinge. The record takes the square of the displacement."+moved, func(k *Kernel) { eulerPin(k, !few) })
	narrow(list, func(k *Kernel) { eulerPin(k, few) })
	moves := "moves the state A of a body by two solutions, the displacement and the change of velocity: C are the axes, D the constants of the body. It rounds the numbers of the state to multiples of 1e-100."
	add("Moved", moves+" B are the solutions."+moved, displace)
	add("MovedRoot", moves+" The body is on a hinge to the ground: D are the constants of the hinge (EulerRoot), B is its column N, F the solutions of its group, N lanes apart."+moved, movedRoot)
	return list
}

// euler writes Euler: with the step size h, the accelerations (rates) change the velocities, and the new velocities the position and the
// rotation, by exp(h·ω). The sum of all numbers is NaN if one of them is not finite.
func euler(k *Kernel) {
	a := rates(k, k.vec(at('B', 0), 6))
	h := k.ld(at('E', places.Step))
	bad := k.total(a)
	for i := range 3 {
		v := k.fma(h, a[i], at('A', atVelocity+i))
		k.st(at('A', atVelocity+i), v)
		x := k.fma(h, v, at('A', i))
		k.st(at('A', i), x)
		bad = k.add(bad, k.add(v, x))
	}
	turn, fast, half := make([]Val, 3), make([]Val, 3), k.mul(h, constant(half))
	for i := range turn {
		w := k.fma(h, a[3+i], at('A', atOmega+i))
		k.st(at('A', atOmega+i), w)
		turn[i] = k.mul(half, w)
		bad = k.add(bad, w)
		fast[i] = w
	}
	fastest(k, fast)
	p := rotated(k, turn, at('A', atRotation), constant(places.Series))
	k.st(at('E', notUnit), k.max(k.abs(excess(k, p)), at('E', notUnit)))
	k.put(at('A', atRotation), unit(k, p)...)
	notice(k, at('E', notFinite), []Val{bad})
	axesOf(k, 'A', atRotation, 'C')
}

// eulerPin writes EulerPin. The pin determines the position and the velocity of the body, so the linear acceleration is not needed. The
// displacement in the record is relative to the position that the old velocity leads to. With few registers the angular velocity is kept
// in the state.
func eulerPin(k *Kernel, few bool) {
	const pin = places.Frame
	alpha := turned(k, k.vec(at('B', 0), 3), places.HingeWeight)
	h := k.ld(at('E', places.Step))
	over := excess(k, k.vec(at('A', atRotation), 4))
	w, turn, half := make([]Val, 3), make([]Val, 3), k.mul(h, constant(half))
	k.st(at('E', notUnit), k.max(k.abs(over), at('E', notUnit)))
	for i := range w {
		a := k.dot(anys(alpha), lanesOf('C', 3*i, 3, 1))
		w[i] = k.fma(h, a, at('A', atOmega+i))
		turn[i] = k.mul(half, w[i])
	}
	notice(k, at('E', notFinite), w)
	if few {
		k.put(at('A', atOmega), w...)
	}
	// The axis s goes to s + 2·c·(u×s) + 2·u×(u×s).
	c, u := halfTurn(k, turn, constant(places.Series))
	s := make([]Val, 3)
	for i := range s {
		s[i] = k.dot(anys(k.vec(at('D', places.HingeAxis), 3)), lanesOf('C', 3*i, 3, 1))
	}
	t := twice(k, k.cross(u, s))
	for i, x := range k.cross(u, t) {
		s[i] = k.add(s[i], k.fma(c, t[i], x))
	}
	v, square := apartFrom(k, s, at('C', pin+places.PinAxis))
	ontoAxis(k, composed(k, c, u, k.vec(at('A', atRotation), 4)), v, over, square, 'A', 'C')
	near := make([]Val, 3)
	for i := range near {
		near[i] = k.dot(anys(k.vec(at('D', places.HingeOrigin), 3)), lanesOf('C', 3*i, 3, 1))
		x := k.sub(k.ld(at('C', pin+i)), near[i])
		moved := k.sub(x, k.fma(at('E', places.Step), at('A', atVelocity+i), at('A', i)))
		k.st(at('A', i), x)
		square = k.fma(moved, moved, square)
	}
	k.st(at('E', violation), k.add(square, at('E', violation)))
	if few {
		w = k.vec(at('A', atOmega), 3)
	}
	fastest(k, ontoRates(k, w, near, 'C', pin))
}

// fastest raises the number Fastest of the record to the square of the angular velocity w if that is larger.
func fastest(k *Kernel, w []Val) {
	k.st(at('E', places.Fastest), k.max(k.dot(anys(w), anys(w)), at('E', places.Fastest)))
}

// gain returns the angular velocity about the pin of the body in eulerRoot for a unit of its column N.
func gain(k *Kernel) Val {
	return k.dot(anys(turned(k, k.vec(at('B', 0), 3), places.HingeWeight)), lanesOf('D', places.HingeAxis, 3, 1))
}

// eulerRoot writes EulerRoot. The body turns about the axis z of the pin, which is a unit vector up to rounding. The factor 2 − z·z keeps
// rounding from adding up over steps.
func eulerRoot(k *Kernel) {
	z := k.vec(at('D', places.HingePin+places.PinAxis), 3)
	h := k.ld(at('E', places.Step))
	rate := k.mul(k.dot(anys(z), lanesOf('A', atOmega, 3, 1)), k.sub(k.ld(constant(two)), k.dot(anys(z), anys(z))))
	rate = k.fnma(k.mul(gain(k), at('F', 0)), h, rate)
	notice(k, at('E', notFinite), []Val{rate})
	k.st(at('E', places.Fastest), k.max(k.mul(rate, rate), at('E', places.Fastest)))
	c, s := turnAbout(k, k.mul(k.mul(h, constant(half)), rate))

	// The deviation of the body from the pin: the distance R of its origin, and the sine of the angle of its axis.
	arm, off := k.vec(at('D', places.HingeOrigin), 3), make([]Val, 3)
	for i := range off {
		off[i] = k.sub(k.sub(k.ld(at('D', places.HingePin+i)), k.dot(anys(arm), lanesOf('C', 3*i, 3, 1))), at('A', i))
	}
	// The axis of the body is close to z. The rotation with the quaternion (1, v), up to its length, turns it to z.
	// The rotation about z follows: (c, s·z)·(1, v) = (c, c·v + s·z + s·z×v), because v is orthogonal to z.
	own, r := make([]Val, 3), k.vec(at('D', places.HingeAxis), 3)
	for i := range own {
		own[i] = k.dot(anys(r), lanesOf('C', 3*i, 3, 1))
	}
	v, square := apartFrom(k, own, at('D', places.HingePin+places.PinAxis))
	k.st(at('E', violation), k.add(k.add(square, k.dot(anys(off), anys(off))), at('E', violation)))
	turn := k.cross(z, v)
	for i := range turn {
		turn[i] = k.fma(s, k.add(turn[i], z[i]), k.mul(c, v[i]))
	}
	p := k.vec(at('A', atRotation), 4)
	over := excess(k, p)
	k.st(at('E', notUnit), k.max(k.abs(over), at('E', notUnit)))
	k.put(at('A', atRotation), scaledBack(k, composed(k, c, turn, p), longer(k, over, square))...)
	axesOf(k, 'A', atRotation, 'C')

	near := make([]Val, 3)
	for i := range near {
		near[i] = k.dot(anys(k.vec(at('D', places.HingeOrigin), 3)), lanesOf('C', 3*i, 3, 1))
		k.st(at('A', i), k.sub(k.ld(at('D', places.HingePin+i)), near[i]))
	}
	w := make([]Val, 3)
	for i := range w {
		w[i] = k.mul(rate, at('D', places.HingePin+places.PinAxis+i))
	}
	k.put(at('A', atOmega), w...)
	k.put(at('A', atVelocity), k.cross(near, w)...)
}

// turnAbout returns the cosine and the sine of a, in radians, for |a| ≤ 0.1.
func turnAbout(k *Kernel, a Val) (c, s Val) {
	x := k.mul(a, a)
	s, c = sincCos(k, x, constant(places.Series))
	return c, k.mul(s, a)
}

// movedRoot writes MovedRoot. The origin of the frame is at x, and the origin of the pin at o. The body
// turns about the pin by an angle f, so its origin moves by f·(o − x)×z.
func movedRoot(k *Kernel) {
	gain := k.sub(k.null(), gain(k))
	angle, rate := k.mul(gain, at('F', 0)), k.mul(gain, at('F', 0).row('K', 1))
	notice(k, at('E', notFinite), []Val{angle, rate})
	z := k.vec(at('D', places.HingePin+places.PinAxis), 3)
	near := make([]Val, 3)
	for i := range near {
		near[i] = k.sub(k.ld(at('D', places.HingePin+i)), at('A', i))
	}
	for i, m := range k.cross(near, z) {
		clean(k, at('A', i), k.fma(angle, m, at('A', i)))
		clean(k, at('A', atVelocity+i), k.fma(rate, m, at('A', atVelocity+i)))
		clean(k, at('A', atOmega+i), k.fma(rate, z[i], k.ld(at('A', atOmega+i))))
	}
	c, s := turnAbout(k, k.mul(angle, constant(half)))
	for i := range z {
		z[i] = k.mul(s, z[i])
	}
	for i, q := range composed(k, c, z, k.vec(at('A', atRotation), 4)) {
		clean(k, at('A', atRotation+i), q)
	}
}

// displace writes Moved: the displacement moves the origin and rotates the body, and the change of velocity is added.
func displace(k *Kernel) {
	half, turn := constant(half), addOutwards(k, places.Position, at('B', 0))
	for i := range turn {
		turn[i] = k.mul(turn[i], half)
	}
	for i, q := range rotated(k, turn, at('A', atRotation), constant(places.Series)) {
		clean(k, at('A', atRotation+i), q)
	}
	for i, w := range addOutwards(k, atVelocity, at('B', 6)) {
		clean(k, at('A', atOmega+i), k.add(w, at('A', atOmega+i)))
	}
}

// addOutwards adds the linear part of the solution x, in world axes for the origin of the frame (outwards), to the vector o of the state A,
// and returns the angular part.
func addOutwards(k *Kernel, o int, x Mem) (angular []Val) {
	move := outwards(k, k.vec(x, 6))
	for i := range 3 {
		clean(k, at('A', o+i), k.add(move[3+i], at('A', o+i)))
	}
	notice(k, at('E', notFinite), move)
	return move[:3]
}

// rates returns the acceleration of the origin of a body's frame and the angular acceleration of the body, in world axes, for the solution
// x.
func rates(k *Kernel, x []Val) []Val {
	alpha, a := turned(k, x[:3], atWeight), make([]Val, 3)
	carried(k, a, alpha, x[3:])
	// a − ω×(ω×c), along the axes of the body.
	w := k.vec(at('C', places.Spin), 3)
	c := k.vec(at('D', atCom), 3)
	wc, ww := k.dot(anys(w), anys(c)), k.dot(anys(w), anys(w))
	for i := range a {
		a[i] = k.fma(ww, c[i], k.fnma(wc, w[i], a[i]))
	}
	out := make([]Val, 6)
	for i := range out {
		if i > 2 {
			out[i] = k.dot(anys(alpha), lanesOf('C', 3*(i-3), 3, 1))
		} else {
			out[i] = k.dot(anys(a), lanesOf('C', 3*i, 3, 1))
		}
	}
	return out
}

// turned returns L⁻ᵀ·x, the angular part of a motion along the axes of the body; L⁻¹ is o vectors behind D.
func turned(k *Kernel, x []Val, o int) []Val { return k.lowerT(at('D', o), x) }

// carried stores in move the motion of the origin of the body's frame along the body's axes, where the centre of mass moves by x/√m and
// the body turns by turn.
func carried(k *Kernel, move, turn, x []Val) {
	root := k.ld(at('D', atWeight+6))
	for i := range move {
		a, b := (i+1)%3, (i+2)%3
		move[i] = k.mul(root, x[i])
		move[i] = k.fma(turn[b], at('D', atCom+a), k.fnma(turn[a], at('D', atCom+b), move[i]))
	}
}

// outwards returns C⁻ᵀ·x in world axes, with the linear part for the origin of the body's frame. C are the axes, D the constants
// of the body.
func outwards(k *Kernel, x []Val) []Val {
	turn, move := turned(k, x[:3], atWeight), make([]Val, 3)
	carried(k, move, turn, x[3:])
	out := make([]Val, 6)
	for i := range 3 {
		out[i] = k.dot(anys(turn), lanesOf('C', 3*i, 3, 1))
		out[3+i] = k.dot(anys(move), lanesOf('C', 3*i, 3, 1))
	}
	return out
}

// notice adds NaN to a place if one of the numbers is not finite, and 0 otherwise. It multiplies the sum of the numbers by zero, so that
// only one operation waits for the previous kernel's store to this place.
func notice(k *Kernel, to Mem, list []Val) {
	k.st(to, k.fma(k.null(), k.total(list), k.ld(to)))
}

// clean stores v, rounded to a multiple of 1e-100, so that products of numbers in a state are not subnormal.
func clean(k *Kernel, to Mem, v Val) { k.st(to, k.sub(k.add(v, constant(least)), constant(least))) }

// whichStage says which stage of RungeKutta4 a kernel leaves.
type whichStage uint8

const (
	firstStage whichStage = iota
	nextStage
	lastStage
)

// stage writes FirstStage, NextStage or LastStage: with the slopes of the stage it adds to the weighted sums, and moves the body to the
// next stage, or by the sums to the end of the step.
func stage(k *Kernel, which whichStage) {
	first := which == firstStage
	if first {
		for i := range bodyPlaces {
			k.st(at('B', i), k.ld(at('A', i)))
		}
	}
	// θ̇ = ω − ½θ×ω + θ×(θ×ω)/12
	rate := k.vec(at('A', atOmega), 3)
	if !first {
		rate = turnRate(k, k.vec(at('B', atTurn), 3), rate, !transposed)
	}
	weight := k.ld(at('D', 1))
	sum := func(i int, x any) Val { // the weighted sum i with the slope x of this stage
		to := at('B', atSum+i)
		if first {
			return k.mul(weight, x)
		}
		return k.fma(weight, x, to)
	}
	var turn []Val
	if which == lastStage {
		turn = endOfStep(k, rate, sum)
	} else {
		turn = atNextStage(k, rate, sum)
	}
	k.put(at('A', atRotation), unit(k, rotated(k, turn, at('B', atRotation), constant(places.Series)))...)
}

// endOfStep stores position and velocities at the end of a step: what they were at its beginning plus the sums. It returns half of the
// rotation over the step, and replaces rate by it.
func endOfStep(k *Kernel, rate []Val, sum func(i int, x any) Val) (turn []Val) {
	half := constant(half)
	for i := range 3 {
		k.st(at('A', i), k.add(sum(i, at('A', atVelocity+i)), at('B', i)))
	}
	for i := range rate {
		rate[i] = k.mul(sum(3+i, rate[i]), half)
	}
	w := make([]Val, 6)
	for i := range w {
		w[i] = k.add(sum(6+i, at('C', i)), at('B', atVelocity+i))
		k.st(at('A', atVelocity+i), w[i])
	}
	fastest(k, w[3:])
	return rate
}

// atNextStage stores the sums, and position and velocities at the next stage: what they were at the beginning plus the time to that stage
// times the slopes. It returns half of the rotation since the beginning, and replaces rate by it.
func atNextStage(k *Kernel, rate []Val, sum func(i int, x any) Val) (turn []Val) {
	half, next := constant(half), k.ld(at('D', 0))
	for i := range 3 {
		v := k.ld(at('A', atVelocity+i))
		k.st(at('B', atSum+i), sum(i, v))
		k.st(at('A', i), k.fma(next, v, at('B', i)))
	}
	for i := range rate {
		k.st(at('B', atSum+3+i), sum(3+i, rate[i]))
		rate[i] = k.mul(rate[i], next)
		k.st(at('B', atTurn+i), rate[i])
		rate[i] = k.mul(rate[i], half)
	}
	for i := range 6 {
		a := k.ld(at('C', i))
		k.st(at('B', atSum+6+i), sum(6+i, a))
		k.st(at('A', atVelocity+i), k.fma(next, a, at('B', atVelocity+i)))
	}
	return rate
}
