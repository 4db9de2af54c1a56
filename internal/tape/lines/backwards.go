package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// backwards returns the instructions of the adjoint of a step of RungeKutta4, docs/theory.md (V4) with the origin of a body's frame instead
// of its centre of mass, and of the adjoint of the projection onto the joints, (V6). Package places has the offsets of a body's numbers.
func backwards() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	series := " are the coefficients of dexp (tape.Dexp)."
	add("BackEnd", "takes the derivatives of a body C to the slopes and to the beginning of a step that ends there, in E: A is its state "+
		"at the last stage, B what it has over the step, D how far the next stage is and the weight of the last one, F"+series, backEnd)
	add("BackSlopes", "stores in A the derivatives by the slopes of a stage, and in F the weights of its accelerations: B are the axes of "+
		"the body, C its centre of mass, E how far the next stage is and the weight of this one.", backSlopes)
	add("BackStage", "takes the derivatives of a body B at a stage to the stages before it and to the beginning of the step, in A: "+
		"C is the rotation since then, D"+series, backStage)
	add("BackStart", "adds the derivatives by the beginning of a step, in A, to the derivatives of a body B at the first stage.", backStart)
	add("BackWrench", "adds the wrench of the joint A on S to the six numbers C, moment before force, and subtracts its wrench on P from B.",
		backWrench)
	return list
}

// derivatives are the places of four vectors of derivatives of a body: by a rotation, by the position of a point, by the angular velocity
// and by the velocity of the point.
type derivatives struct{ turn, place, angular, linear Mem }

// derivativesAt returns the derivatives that are stored one after another from m on.
func derivativesAt(m Mem) derivatives { return derivatives{m, m.behind(3), m.behind(6), m.behind(9)} }

// dexpBack returns y = dexp(−Θ)·x and back = exp(−Θ)·x, (V1): y = x − α Θ×x + β Θ×(Θ×x), and back = x − Θ×y. Θ is turn, and x is read
// from memory. The coefficients of α and β are at series.
func dexpBack(k *Kernel, turn []Val, x, series Mem) (y, back []Val) {
	square := k.dot(anys(turn), anys(turn))
	sum := func(from int) Val {
		s := k.ld(series.behind(from + places.DexpTerms - 1))
		for i := places.DexpTerms - 2; i >= 0; i-- {
			s = k.fma(s, square, series.behind(from+i))
		}
		return s
	}
	once := k.cross(turn, k.vec(x, 3))
	twice := k.cross(turn, once)
	alpha, beta := sum(0), sum(places.DexpTerms)
	y = make([]Val, 3)
	for i := range y {
		y[i] = k.fnma(alpha, once[i], k.fma(beta, twice[i], x.behind(i)))
	}
	back = k.cross(y, turn)
	for i := range back {
		back[i] = k.add(back[i], x.behind(i))
	}
	return y, back
}

// transposed is the argument of turnRate for the transposed matrix.
const transposed = true

// turnRate returns the rate of the rotation Θ since the beginning of a step: ω − ½Θ×ω + Θ×(Θ×ω)/12, where ω is rate. If transposed is set,
// it multiplies by the transposed matrix, which is the matrix for −Θ.
func turnRate(k *Kernel, turn, rate []Val, transposed bool) []Val {
	x, first := k.cross(turn, rate), k.fnma
	if transposed {
		first = k.fma
	}
	out := make([]Val, 3)
	for i := range out {
		out[i] = first(x[i], constant(half), rate[i])
	}
	for i, y := range k.cross(turn, x) {
		out[i] = k.fma(y, constant(places.Twelfth), out[i])
	}
	return out
}

// backEnd writes BackEnd, (V4) at the end of a step: Θ̄ = dexp(−Θ)·φ̄ and φ̄₀ = exp(−Θ)·φ̄ for the rotation Θ over the step.
func backEnd(k *Kernel) {
	end, from := derivativesAt(at('E', places.StepEnd)), derivativesAt(at('C', places.BackRotation))
	arm, start := at('C', places.BackArm), derivativesAt(at('E', places.StepStart))
	// Derivatives by the origin o of the frame: c = o + k, ċ = ȯ + ω×k, where k is the arm.
	inner := k.plus(k.crossed(from.linear, at('C', places.BackOmega)), from.place)
	k.put(start.turn, k.plus(k.cross(k.vec(arm, 3), inner), from.turn)...)
	for _, m := range []Mem{start.angular, end.angular} {
		k.put(m, k.plus(k.crossed(arm, from.linear), from.angular)...)
	}
	for _, d := range []derivatives{start, end} {
		k.carry(d.place, from.place, 3)
		k.carry(d.linear, from.linear, 3)
	}
	// The rotation over the whole step.
	rate := turnRate(k, k.vec(at('B', atTurn), 3), k.vec(at('A', atOmega), 3), !transposed)
	turn := make([]Val, 3)
	for i := range turn {
		turn[i] = k.fma(rate[i], at('D', 1), at('B', atSum+3+i))
	}
	y, back := dexpBack(k, turn, start.turn, at('F', 0))
	k.put(end.turn, y...)
	k.put(start.turn, back...)
	zero := k.null()
	for i := range 12 {
		k.st(at('E', places.StepNext+i), zero)
	}
}

// backSlopes writes BackSlopes: the derivatives k̄ and l̄ of (V4) by the slopes of a stage, from the derivatives by the next stage and by
// the end.
func backSlopes(k *Kernel) {
	weight, next := k.ld(at('E', 1)), k.ld(at('E', 0))
	for i := range 12 {
		k.st(at('A', places.StepSlope+i), k.fma(next, at('A', places.StepNext+i), k.mul(weight, at('A', places.StepEnd+i))))
	}
	slope := derivativesAt(at('A', places.StepSlope))
	// ö = c̈ − ω̇×k − …
	arm := k.times(at('B', 0), k.vec(at('C', 0), 3))
	k.put(at('F', 0), k.less(k.vec(slope.angular, 3), k.cross(arm, k.vec(slope.linear, 3)))...)
	k.carry(at('F', 3), slope.linear, 3)
}

// byOrigin stores in to the derivatives by the motion of the origin o of the frame of a body B at a stage, where ȯ = ċ − ω×k and
// ö = c̈ − ω̇×k − ω×(ω×k). They include the derivatives that come through the slopes, but not those through the slope of the rotation.
func byOrigin(k *Kernel, to derivatives) {
	from, slope := derivativesAt(at('B', places.BackRotation)), derivativesAt(at('A', places.StepSlope))
	arm, w, b := at('B', places.BackArm), at('B', places.BackOmega), slope.linear
	k.carry(to.place, from.place, 3)
	// With q = v̄ − b×ω: φ̄ + k×(c̄ + q×ω − b×ω̇), and ω̄ + k×q − (ω×k)×b.
	k.put(to.linear, k.less(k.vec(from.linear, 3), k.crossed(b, w))...)
	inner := k.less(k.plus(k.crossed(to.linear, w), from.place), k.crossed(b, at('B', places.BackAlpha)))
	k.put(to.turn, k.plus(k.cross(k.vec(arm, 3), inner), from.turn)...)
	k.put(to.angular, k.plus(k.crossed(arm, to.linear), from.angular)...)
	k.from(to.angular, k.cross(k.crossed(w, arm), k.vec(b, 3)))
	k.put(to.linear, k.sum(k.vec(from.linear, 3), k.vec(slope.place, 3))...)
}

// backStage writes BackStage, (V4) at a stage, with κ = 1/12 in (V3).
func backStage(k *Kernel) {
	slope, next, start := at('A', places.StepSlope), derivativesAt(at('A', places.StepNext)), derivativesAt(at('A', places.StepStart))
	w := at('B', places.BackOmega)
	turn := func() []Val { return k.vec(at('C', 0), 3) }
	byOrigin(k, next)
	k.onto(next.angular, turnRate(k, turn(), k.vec(slope, 3), transposed))
	for _, d := range [3][2]Mem{{start.place, next.place}, {start.angular, next.angular}, {start.linear, next.linear}} {
		k.onto(d[0], k.vec(d[1], 3))
	}
	y, back := dexpBack(k, turn(), next.turn, at('D', 0))
	k.onto(start.turn, back)
	k.put(next.turn, y...)
	// The rate of the rotation depends on Θ. With y = slope, the derivative is ½ y×ω + ((Θ×ω)×y + ω×(y×Θ))/12.
	x := k.cross(k.cross(turn(), k.vec(w, 3)), k.vec(slope, 3))
	x = k.sum(x, k.cross(k.vec(w, 3), k.cross(k.vec(slope, 3), turn())))
	for i, y := range k.crossed(slope, w) {
		x[i] = k.fma(y, constant(half), k.mul(x[i], constant(places.Twelfth)))
	}
	k.onto(next.turn, x)
}

// backStart writes BackStart: (V4) at the first stage, which is the beginning of the step, so that Θ is zero.
func backStart(k *Kernel) {
	to, sum := derivativesAt(at('B', places.BackRotation)), derivativesAt(at('A', places.StepNext))
	start, arm := derivativesAt(at('A', places.StepStart)), at('B', places.BackArm)
	byOrigin(k, sum)
	k.onto(sum.angular, k.vec(at('A', places.StepSlope), 3))
	for _, d := range [4][2]Mem{{to.turn, start.turn}, {to.place, start.place}, {to.angular, start.angular}, {to.linear, start.linear}} {
		k.put(d[0], k.sum(k.vec(d[1], 3), k.vec(sum.turn.behind(d[0].Off-to.turn.Off), 3))...)
	}
	// Derivatives by the motion of the centre of mass.
	k.from(to.angular, k.crossed(arm, to.linear))
	k.from(to.turn, k.cross(k.vec(arm, 3), k.plus(k.crossed(to.linear, at('B', places.BackOmega)), to.place)))
}

// backWrench writes BackWrench: the wrench is (N + s×F, F) on S's body, with the arm s, and (N + b×F, F) taken from P's.
func backWrench(k *Kernel) {
	N, F := at('A', places.BackMoment), at('A', places.BackForce)
	k.onto(at('C', 0), k.plus(k.crossed(at('A', places.BackS), F), N))
	k.onto(at('C', 3), k.vec(F, 3))
	k.from(at('B', 0), k.plus(k.crossed(at('A', places.BackB), F), N))
	k.from(at('B', 3), k.vec(F, 3))
}
