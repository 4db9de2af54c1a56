package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// adjoints returns the instructions of gradients: the adjoints of Newton's and Euler's equations, docs/theory.md (D8), and of joints
// whose lines turn with P, (D11), (D12). Package places has the offsets of the numbers of a body and a joint.
func adjoints() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	add("BackBody", "stores in A the numbers of a body for its joints: B is its state, C its axes, D its centre of mass, "+
		"E its accelerations.", backBody)
	add("BackEuler", "stores the derivatives of a body A by the rotation and the angular velocity in its balance of moments. "+
		"B is its inertia, C its axes and Eᵀω.", backEuler)
	add("BackFrames", "stores arms and relative accelerations of a joint in A, as if it did not slide: B and C are the bodies of P and S, "+
		"D axes and origin of P in its body, E the origin of S.", backFrames)
	add("BackSeparation", "stores the relative motion of the joint A, which slides: B and C are the bodies of P and S.", backSeparation)
	add("BackAllow", "corrects arm and relative acceleration of the joint A for the part C of the relative position that the joint allows, "+
		"and the part D of its rate. B is the body of P.", backAllow)
	add("BackAlong", "stores −(B·C, B·C'): two vectors along the axes B, in world axes.", func(k *Kernel) {
		for j := range 2 {
			for i, v := range k.times(at('B', 0), k.vec(at('C', 3*j), 3)) {
				k.st(at('A', 3*j+i), k.sub(k.null(), v))
			}
		}
	})
	add("BackActs", "stores in the joint A the derivatives by its wrench, along its lines too, by the rotation of P and by the arms. "+
		"B and C are the bodies of P and S.", backActs)
	add("BackJoint", "adds to the bodies B and C of the joint A the derivatives through their rotations and the arms.", backJoint)
	add("BackSlider", "adds to the bodies B and C of the joint A, which slides, the derivatives through its relative position and rate.",
		backSlider)
	return list
}

// carry copies n vectors.
func (k *Kernel) carry(to, from Mem, n int) {
	for i := range n {
		k.st(to.behind(i), k.ld(from.behind(i)))
	}
}

// plus returns the sum of x and a vector in memory, of three components.
func (k *Kernel) plus(x []Val, m Mem) []Val {
	out := make([]Val, 3)
	for i := range out {
		out[i] = k.add(x[i], m.behind(i))
	}
	return out
}

// onto adds x to a vector in memory.
func (k *Kernel) onto(m Mem, x []Val) { k.put(m, k.plus(x, m)...) }

// from subtracts x from a vector in memory.
func (k *Kernel) from(m Mem, x []Val) { k.put(m, k.less(k.vec(m, 3), x)...) }

// sum returns x + y.
func (k *Kernel) sum(x, y []Val) []Val {
	out := make([]Val, len(x))
	for i := range out {
		out[i] = k.add(x[i], y[i])
	}
	return out
}

// crossed returns the cross product of two vectors in memory.
func (k *Kernel) crossed(x, y Mem) []Val { return k.cross(k.vec(x, 3), k.vec(y, 3)) }

// symmetric returns I·x for the symmetric matrix I at m, stored as 00, 11, 22, 10, 20, 21.
func (k *Kernel) symmetric(m Mem, x []Val) []Val {
	I := func(i int) Mem { return m.behind(i) }
	return []Val{
		k.dot(anys(x), []any{I(0), I(3), I(4)}),
		k.dot(anys(x), []any{I(3), I(1), I(5)}),
		k.dot(anys(x), []any{I(4), I(5), I(2)}),
	}
}

// backBody writes BackBody: copies, and the arm E·com from the origin of the frame to the centre of mass.
func backBody(k *Kernel) {
	k.carry(at('A', places.BackAxes), at('C', 0), 9)
	k.carry(at('A', places.BackPosition), at('B', places.Position), 3)
	k.put(at('A', places.BackArm), k.times(at('C', 0), k.vec(at('D', 0), 3))...)
	k.carry(at('A', places.BackVelocity), at('B', places.Velocity), 3)
	k.carry(at('A', places.BackOmega), at('B', places.Omega), 3)
	k.carry(at('A', places.BackAlpha), at('E', 0), 6)
}

// backEuler writes BackEuler. Let m be minus the derivative by the moment, and t = m×ω. The derivative by the rotation is
// (Iα)×m − α×(Im) + (Iω)×t − ω×(It), and the derivative by the angular velocity is (Iω)×m + It. Vectors are along the axes of the body.
func backEuler(k *Kernel) {
	E, I, spin := at('A', places.BackAxes), at('B', atInertia), at('C', places.Spin)
	m, t, turn, rate := at('A', places.BackLinear), at('A', places.BackTravel), at('A', places.BackRotation), at('A', places.BackAngular)
	zero := k.null()
	for i, v := range k.timesT(E, k.vec(at('A', places.BackTurn), 3)) {
		k.st(m.behind(i), k.sub(zero, v))
	}
	k.put(t, k.crossed(m, spin)...)
	It := k.symmetric(I, k.vec(t, 3))
	k.put(rate, It...)
	k.put(turn, k.cross(It, k.vec(spin, 3))...)
	Iw := k.symmetric(I, k.vec(spin, 3))
	k.onto(turn, k.cross(Iw, k.vec(t, 3)))
	k.onto(rate, k.cross(Iw, k.vec(m, 3)))
	al := k.timesT(E, k.vec(at('A', places.BackAlpha), 3))
	k.put(t, al...)
	k.onto(turn, k.cross(k.symmetric(I, al), k.vec(m, 3)))
	k.onto(turn, k.cross(k.symmetric(I, k.vec(m, 3)), k.vec(t, 3)))
	for _, x := range []Mem{turn, rate} {
		k.put(x, k.times(E, k.vec(x, 3))...)
	}
	zero = k.null()
	k.put(t, zero, zero, zero)
	k.put(m, zero, zero, zero)
}

// backFrames writes BackFrames: ω̇_r, V̊ and both arms, docs/theory.md (4), (7). It assumes that the origins of P and S coincide.
func backFrames(k *Kernel) {
	P := func(o int) Mem { return at('B', o) }
	S := func(o int) Mem { return at('C', o) }
	J := func(o int) Mem { return at('A', o) }
	for j := range 3 {
		for i, v := range k.times(P(places.BackAxes), k.column(at('D', 0), j)) {
			k.st(J(places.BackFrame+3*i+j), v)
		}
	}
	b, s, wP, wS := J(places.BackB), J(places.BackS), P(places.BackOmega), S(places.BackOmega)
	k.put(b, k.less(k.times(P(places.BackAxes), k.vec(at('D', 9), 3)), k.vec(P(places.BackArm), 3))...)
	k.put(s, k.less(k.times(S(places.BackAxes), k.vec(at('E', 0), 3)), k.vec(S(places.BackArm), 3))...)

	wd, Vd := J(places.BackWd), J(places.BackVd)
	w := k.less(k.vec(wS, 3), k.vec(wP, 3))
	k.put(wd, k.less(k.vec(S(places.BackAlpha), 3), k.vec(P(places.BackAlpha), 3))...)
	k.from(wd, k.cross(k.vec(wP, 3), w))
	k.put(Vd, k.less(k.vec(S(places.BackAcceleration), 3), k.vec(P(places.BackAcceleration), 3))...)
	k.onto(Vd, k.crossed(S(places.BackAlpha), s))
	k.onto(Vd, k.cross(k.vec(wS, 3), k.crossed(wS, s)))
	k.from(Vd, k.crossed(P(places.BackAlpha), b))
	k.from(Vd, k.cross(k.vec(wP, 3), k.crossed(wP, b)))
}

// backSeparation writes BackSeparation: R and V, (4), from the arms of BackFrames.
func backSeparation(k *Kernel) {
	P := func(o int) Mem { return at('B', o) }
	S := func(o int) Mem { return at('C', o) }
	R, V, b, s := at('A', places.BackR), at('A', places.BackV), at('A', places.BackB), at('A', places.BackS)
	wP := P(places.BackOmega)
	near := func(arm, of Mem) []Val { return k.plus(k.vec(arm, 3), of) } // from the origin of the body's frame
	far := k.less(k.vec(S(places.BackPosition), 3), k.vec(P(places.BackPosition), 3))
	k.put(R, k.sum(far, k.less(near(s, S(places.BackArm)), near(b, P(places.BackArm))))...)
	k.put(V, k.plus(k.cross(k.vec(S(places.BackOmega), 3), near(s, S(places.BackArm))), S(places.BackVelocity))...)
	k.from(V, k.plus(k.cross(k.vec(wP, 3), near(b, P(places.BackArm))), P(places.BackVelocity)))
	k.from(V, k.crossed(wP, R))
}

// backAllow writes BackAllow, (9).
func backAllow(k *Kernel) {
	J := func(o int) Mem { return at('A', o) }
	arm, rate, wP := at('C', 0), at('D', 0), at('B', places.BackOmega)
	k.carry(J(places.BackSlip), rate, 3)
	k.put(J(places.BackGap), k.less(k.vec(J(places.BackR), 3), k.vec(arm, 3))...)
	k.onto(J(places.BackB), k.vec(arm, 3))
	k.from(J(places.BackVd), k.crossed(at('B', places.BackAlpha), arm))
	k.from(J(places.BackVd), k.cross(k.vec(wP, 3), k.sum(k.crossed(wP, arm), k.twice(rate))))
}

// twice returns 2·v.
func (k *Kernel) twice(m Mem) []Val {
	v := k.vec(m, 3)
	for i := range v {
		v[i] = k.add(v[i], v[i])
	}
	return v
}

// backActs writes BackActs, the transpose of δN = φ_P×N and δF = φ_P×F, (D11), and of δs×F and −δa×F, (D12), with a in BackB. Let y and p
// be the derivatives by the moment and the force on a body. The derivatives by N and F are n = y_S − y_P and f = p_S − p_P + y_S×s − y_P×a.
func backActs(k *Kernel) {
	P := func(o int) Mem { return at('B', o) }
	S := func(o int) Mem { return at('C', o) }
	J := func(o int) Mem { return at('A', o) }
	N, F, yP, yS := J(places.BackMoment), J(places.BackForce), P(places.BackTurn), S(places.BackTurn)
	n := k.less(k.vec(yS, 3), k.vec(yP, 3))
	k.put(J(places.BackLines), k.timesT(J(places.BackFrame), n)...)
	k.put(J(places.BackPhi), k.cross(k.vec(N, 3), n)...)
	f := J(places.BackDs) // its final number is stored below
	k.put(f, k.less(k.vec(S(places.BackPush), 3), k.vec(P(places.BackPush), 3))...)
	k.onto(f, k.crossed(yS, J(places.BackS)))
	k.from(f, k.crossed(yP, J(places.BackB)))
	k.put(J(places.BackLines+3), k.timesT(J(places.BackFrame), k.vec(f, 3))...)
	k.onto(J(places.BackPhi), k.crossed(F, f))
	k.put(J(places.BackDs), k.crossed(F, yS)...)
	k.put(J(places.BackDb), k.crossed(yP, F)...)
}

// backJoint writes BackJoint: the transposed derivative (D11), (D12) of the rotations and the arms of a joint. It takes the derivatives by
//
//	ω̇_r = α_S − α_P − ω_P×w,   V̊ = … + α_S×s + ω_S×(ω_S×s) − α_P×b − ω_P×(ω_P×b),   w = ω_S − ω_P,
//
// BackRowTurn and BackRowSlide, to the derivatives by ω_P, ω_S, s and b, and through δs = φ_S×s and δb = φ_P×b to the rotations. The
// derivatives of springs and dampers, by the relative rotation and by w, join them.
func backJoint(k *Kernel) {
	backAxes(k)
	backVelocities(k)
	backArms(k)
}

// backAxes adds to the derivative by the rotation of P, which carries the axes of the joint, the transpose of −φ_P×X in (D11): −X×X̄ for
// X = w, ω̇_r and V̊, with X̄ the derivative by X.
func backAxes(k *Kernel) {
	J := func(o int) Mem { return at('A', o) }
	w := k.less(k.vec(at('C', places.BackOmega), 3), k.vec(at('B', places.BackOmega), 3))
	phi := J(places.BackPhi)
	k.from(phi, k.cross(w, k.vec(J(places.BackRateTurn), 3)))
	k.from(phi, k.crossed(J(places.BackWd), J(places.BackRowTurn)))
	k.from(phi, k.crossed(J(places.BackVd), J(places.BackRowSlide)))
}

// backVelocities adds to the derivatives by ω_S and ω_P, with the derivatives A by ω̇_r, B by V̊ and dw by w. It stores ω_P×B in BackPast,
// and B×ω_S in the place of ω̇_r, which is no longer needed.
func backVelocities(k *Kernel) {
	P := func(o int) Mem { return at('B', o) }
	S := func(o int) Mem { return at('C', o) }
	J := func(o int) Mem { return at('A', o) }
	wP, wS, A, B := P(places.BackOmega), S(places.BackOmega), J(places.BackRowTurn), J(places.BackRowSlide)
	s, b, dw, turnS, turnP := J(places.BackS), J(places.BackB), J(places.BackRateTurn), S(places.BackAngular), P(places.BackAngular)

	// The outer ω_S of ω_S×(ω_S×s), ω_P of ω_P×w, and the outer ω_P of ω_P×(ω_P×b), which has the sign of (7).
	k.onto(turnS, k.cross(k.crossed(wS, s), k.vec(B, 3)))
	w := k.less(k.vec(wS, 3), k.vec(wP, 3))
	k.from(turnP, k.cross(w, k.vec(A, 3)))
	k.from(turnP, k.cross(k.crossed(wP, b), k.vec(B, 3)))
	// w, by ω_P×w and by dampers.
	k.onto(dw, k.crossed(wP, A))
	k.onto(turnS, k.vec(dw, 3))
	k.from(turnP, k.vec(dw, 3))
	// The inner ω_S and ω_P.
	past, spinS := J(places.BackPast), J(places.BackWd)
	k.put(past, k.crossed(wP, B)...)
	k.put(spinS, k.crossed(B, wS)...)
	k.onto(turnS, k.crossed(s, spinS))
	k.onto(turnP, k.crossed(b, past))
}

// backArms adds to the derivatives ds and db by the arms s and b, and then to the derivatives by the rotations of S and P. B is the
// derivative by V̊, and theta the derivative by the relative rotation, of springs.
func backArms(k *Kernel) {
	P := func(o int) Mem { return at('B', o) }
	S := func(o int) Mem { return at('C', o) }
	J := func(o int) Mem { return at('A', o) }
	ds, db, B, theta := J(places.BackDs), J(places.BackDb), J(places.BackRowSlide), J(places.BackTheta)
	past, spinS := J(places.BackPast), J(places.BackWd) // as backVelocities leaves them

	k.onto(ds, k.crossed(B, S(places.BackAlpha)))
	k.onto(ds, k.crossed(spinS, S(places.BackOmega)))
	k.from(db, k.crossed(B, P(places.BackAlpha)))
	k.onto(db, k.crossed(past, P(places.BackOmega)))
	k.onto(S(places.BackRotation), k.plus(k.crossed(J(places.BackS), ds), theta))
	k.onto(P(places.BackRotation), k.less(k.plus(k.crossed(J(places.BackB), db), J(places.BackPhi)), k.vec(theta, 3)))
}

// backSlider writes BackSlider. The derivatives by the relative position and its rate include the derivatives by the parts
// that the joint allows.
func backSlider(k *Kernel) {
	P := func(o int) Mem { return at('B', o) }
	S := func(o int) Mem { return at('C', o) }
	J := func(o int) Mem { return at('A', o) }
	wP, dV, rho, s, far := P(places.BackOmega), J(places.BackRate), J(places.BackRho), J(places.BackS), J(places.BackB)
	slip := J(places.BackSlip)
	k.from(P(places.BackAngular), k.cross(k.twice(slip), k.vec(J(places.BackRowSlide), 3)))
	k.onto(P(places.BackRotation), k.cross(k.twice(slip), k.vec(J(places.BackPast), 3)))

	k.onto(far, k.vec(J(places.BackGap), 3)) // to the origin of S
	k.onto(S(places.BackAngular), k.crossed(s, dV))
	k.from(P(places.BackAngular), k.crossed(far, dV))
	k.onto(S(places.BackLinear), k.vec(dV, 3))
	k.from(P(places.BackLinear), k.vec(dV, 3))
	k.from(P(places.BackRotation), k.crossed(J(places.BackV), dV))
	k.from(P(places.BackRotation), k.crossed(far, rho))

	travel := J(places.BackPast) // BackPast is no longer needed
	k.put(travel, k.plus(k.crossed(wP, dV), rho)...)
	k.onto(S(places.BackTravel), k.vec(travel, 3))
	k.from(P(places.BackTravel), k.vec(travel, 3))
	k.put(travel, k.plus(k.crossed(dV, S(places.BackOmega)), travel)...)
	k.onto(S(places.BackRotation), k.crossed(s, travel))
}
