package main

import "github.com/rung-mbd/rung/internal/tape/places"

// Places of what a body has over a step.
const (
	atTurn    = bodyPlaces // rotation since the beginning, after the state there
	atSum     = 16         // weighted sums of velocities, rates of the turn, accelerations
	atSeries  = places.Series
	atTwelfth = places.Twelfth - places.Series
)

// stepping are the instructions of rollouts, each all that is done with one body.
func stepping() (list []*kernel) {
	add := func(name, doc string, body func(k *kernel)) { define(&list, name, doc, body) }
	add("Rate", "stores in A the acceleration of the origin of a body's frame and its angular acceleration, world axes: B is the solution, C the axes and Eᵀω, D the constants of the body. It adds what is not finite, as no number, to E.", func(k *kernel) {
		a := rates(k)
		k.put(at('A', 0), a...)
		notice(k, at('E', 0), a)
	})
	first := "stores in B the state A of a body as that at the beginning of a step of RungeKutta4, and in A that of the second stage."
	next := "stores in A the state of a body at the next stage of RungeKutta4."
	last := "stores in A the state of a body at the end of a step of RungeKutta4."
	operands := " C are its accelerations (Rate), D how far the next stage is and the weight of this one, E the series of sine and cosine and 1/12; B is what a body has over a step."
	add("FirstStage", first+operands, func(k *kernel) { stage(k, true, false) })
	add("NextStage", next+operands, func(k *kernel) { stage(k, false, false) })
	add("LastStage", last+operands, func(k *kernel) { stage(k, false, true) })
	add("Euler", "moves the state A of a body on by a step of SemiImplicit: B is the solution, C the axes and Eᵀω, D the constants of the body, E the record with the series of sine and cosine and the step behind it. It adds what is not finite, as no number, to the record.", func(k *kernel) {
		a := rates(k)
		notice(k, at('E', notFinite), a)
		h := k.ld(at('E', places.Step))
		for i := range 3 {
			v := k.fma(h, a[i], at('A', atVelocity+i))
			k.st(at('A', atVelocity+i), v)
			k.st(at('A', i), k.fma(h, v, at('A', i)))
		}
		turn := make([]val, 3)
		for i := range turn {
			w := k.fma(h, a[3+i], at('A', atOmega+i))
			k.st(at('A', atOmega+i), w)
			turn[i] = k.mul(k.mul(h, w), constant(half))
		}
		k.put(at('A', atRotation), rotated(k, turn, at('A', atRotation), at('E', atSeries))...)
	})
	add("Fastest", "makes A the larger of itself and the square of the vector B.", func(k *kernel) {
		w := k.vec(at('B', 0), 3)
		k.st(at('A', 0), k.max(k.dot(anys(w), anys(w)), at('A', 0)))
	})
	add("Moved", "moves the state A of a body by two solutions B, the displacement and the change of velocity: C are the axes, D the constants of the body, E the record with the series of sine and cosine behind it. It rounds numbers that are next to nothing, and adds what is not finite, as no number, to the record.", func(k *kernel) {
		for row := range 2 {
			turn, move := unweighed(k, 6*row)
			to := row * atVelocity
			sum := k.null()
			for i := range 3 {
				x := outward(k, move, turn, i)
				sum = k.add(sum, x)
				clean(k, at('A', to+i), k.add(x, at('A', to+i)))
			}
			out := make([]val, 3)
			for i := range out {
				out[i] = outward(k, move, turn, 3+i)
			}
			notice(k, at('E', notFinite), append([]val{sum}, out...))
			for i := range out {
				if row == 0 {
					out[i] = k.mul(out[i], constant(half))
				} else {
					clean(k, at('A', atOmega+i), k.add(out[i], at('A', atOmega+i)))
				}
			}
			if row == 0 {
				for i, q := range rotated(k, out, at('A', atRotation), at('E', atSeries)) {
					clean(k, at('A', atRotation+i), q)
				}
			}
		}
	})
	return list
}

// rates returns the acceleration of the origin of a body's frame, and its angular acceleration, world axes.
func rates(k *kernel) []val {
	alpha, a := unweighed(k, 0)
	// a − ω×(ω×c), along the axes of the body.
	w := k.vec(at('C', 9), 3)
	c := k.vec(at('D', atCom), 3)
	wc, ww := k.dot(anys(w), anys(c)), k.dot(anys(w), anys(w))
	for i := range a {
		a[i] = k.fma(ww, c[i], k.fnma(wc, w[i], a[i]))
	}
	out := make([]val, 6)
	for i := range out {
		out[i] = outward(k, a, alpha, i)
	}
	return out
}

// unweighed returns C⁻ᵀ·B along the axes of the body, the linear part at the origin of its frame; D are the constants of
// the body.
func unweighed(k *kernel, off int) (turn, move []val) {
	x := k.vec(at('B', off), 3)
	M := func(i int) mem { return at('D', atWeight+i) }
	turn = []val{
		k.fma(x[2], M(4), k.fma(x[1], M(3), k.mul(x[0], M(0)))),
		k.fma(x[2], M(5), k.mul(x[1], M(1))),
		k.mul(x[2], M(2)),
	}
	root := k.ld(M(6))
	move = make([]val, 3)
	for i := range move {
		a, b := (i+1)%3, (i+2)%3
		move[i] = k.mul(root, at('B', off+3+i))
		move[i] = k.fma(turn[b], at('D', atCom+a), k.fnma(turn[a], at('D', atCom+b), move[i]))
	}
	return turn, move
}

// outward returns component i of (move, turn) in world axes; C are the axes.
func outward(k *kernel, move, turn []val, i int) val {
	if i > 2 {
		return k.dot(anys(turn), lanesOf('C', 3*(i-3), 3, 1))
	}
	return k.dot(anys(move), lanesOf('C', 3*i, 3, 1))
}

// notice adds what is not finite among some numbers, as no number, to a place: by one product, as kernels wait for each
// other there.
func notice(k *kernel, to mem, list []val) {
	k.st(to, k.fma(k.null(), k.total(list), k.ld(to)))
}

// clean stores v, rounded where it is next to nothing.
func clean(k *kernel, to mem, v val) { k.st(to, k.sub(k.add(v, constant(least)), constant(least))) }

// stage is FirstStage, NextStage or LastStage.
func stage(k *kernel, first, last bool) {
	if first {
		for i := range bodyPlaces {
			k.st(at('B', i), k.ld(at('A', i)))
		}
	}
	// θ̇ = ω − ½θ×ω + θ×(θ×ω)/12
	rate := k.vec(at('A', atOmega), 3)
	if !first {
		turn := k.vec(at('B', atTurn), 3)
		x := k.cross(turn, rate)
		for i := range rate {
			rate[i] = k.fnma(x[i], constant(half), rate[i])
		}
		for i, y := range k.cross(turn, x) {
			rate[i] = k.fma(y, at('E', atTwelfth), rate[i])
		}
	}
	weight := k.ld(at('D', 1))
	sum := func(i int, x any) val {
		to := at('B', atSum+i)
		if first {
			return k.mul(weight, x)
		}
		return k.fma(weight, x, to)
	}
	half := constant(half)
	if last {
		for i := range 3 {
			k.st(at('A', i), k.add(sum(i, at('A', atVelocity+i)), at('B', i)))
		}
		for i := range rate {
			rate[i] = k.mul(sum(3+i, rate[i]), half)
		}
		for i := range 6 {
			k.st(at('A', atVelocity+i), k.add(sum(6+i, at('C', i)), at('B', atVelocity+i)))
		}
	} else {
		next := k.ld(at('D', 0))
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
	}
	k.put(at('A', atRotation), rotated(k, rate, at('B', atRotation), at('E', 0))...)
}
