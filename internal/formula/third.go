package formula

import "math"

// series is a number that depends on a parameter: the first four coefficients of its Taylor series.
type series [4]float64

// ThirdAt returns the third derivatives at x and y: d[k] is taken k times by y and 3 − k times by x. They may be infinite or NaN.
//
// They follow from the third derivatives along (1, 0), (0, 1), (1, 1) and (1, −1). The first two are d[0] and d[3], and the last two
// are d[0] ± 3·d[1] + 3·d[2] ± d[3].
//
// Cost: four times O(length), no allocation.
func (f *Formula) ThirdAt(x, y float64) (d [4]float64) {
	var stack [mostStack]series
	along := func(dx, dy float64) float64 {
		s := f.series(stack[:], series{x, dx}, series{y, dy})
		return 6 * s[3]
	}
	d[0] = along(1, 0)
	if !f.HasY() {
		return d
	}
	d[3] = along(0, 1)
	sum, difference := along(1, 1), along(1, -1)
	d[1] = ((sum-difference)/2 - d[3]) / 3
	d[2] = ((sum+difference)/2 - d[0]) / 3
	return d
}

// series is the method run for series instead of jets.
func (f *Formula) series(stack []series, x, y series) series {
	n := 0
	for _, s := range f.steps {
		switch {
		case s.op == opNumber:
			stack[n] = series{s.number}
			n++
		case s.op == opX:
			stack[n] = x
			n++
		case s.op == opY:
			stack[n] = y
			n++
		case s.op.two():
			n--
			stack[n-1] = stack[n-1].binary(s.op, &stack[n])
		default:
			stack[n-1] = stack[n-1].unary(s.op)
		}
	}
	return stack[0]
}

// of returns g(a). The arguments are the value of the function at a[0] and its first three derivatives.
func (a *series) of(g, g1, g2, g3 float64) series {
	return series{
		g, g1 * a[1], g1*a[2] + g2/2*a[1]*a[1], g1*a[3] + g2*a[1]*a[2] + g3/6*a[1]*a[1]*a[1],
	}
}

// scaled returns s·a.
func (a *series) scaled(s float64) series { return series{s * a[0], s * a[1], s * a[2], s * a[3]} }

// add returns a + s·b.
func (a *series) add(s float64, b *series) series {
	return series{a[0] + s*b[0], a[1] + s*b[1], a[2] + s*b[2], a[3] + s*b[3]}
}

// mul returns a·b.
func (a *series) mul(b *series) (p series) {
	for i := range p {
		for j := range i + 1 {
			p[i] += a[j] * b[i-j]
		}
	}
	return p
}

// div returns a/b. The first coefficient of b is not zero.
func (a *series) div(b *series) (q series) {
	for i := range q {
		q[i] = a[i]
		for j := range i {
			q[i] -= q[j] * b[i-j]
		}
		q[i] /= b[0]
	}
	return q
}

// power returns a^c for a number c.
func (a *series) power(c float64) series {
	if c == 0 || c == 1 || c == 2 || c == 3 {
		p := series{1}
		for range int(c) {
			p = p.mul(a)
		}
		return p
	}
	return a.of(math.Pow(a[0], c), c*math.Pow(a[0], c-1), c*(c-1)*math.Pow(a[0], c-2), c*(c-1)*(c-2)*math.Pow(a[0], c-3))
}

// exp returns the exponential of a.
func (a *series) exp() series { e := math.Exp(a[0]); return a.of(e, e, e, e) }

// log returns the natural logarithm of a.
func (a *series) log() series {
	r := 1 / a[0]
	return a.of(math.Log(a[0]), r, -r*r, 2*r*r*r)
}

// integral returns the series with the value g and the derivative d.
func integral(g float64, d *series) series { return series{g, d[0], d[1] / 2, d[2] / 3} }

// rate returns the derivative of a with respect to the parameter.
func (a *series) rate() series { return series{a[1], 2 * a[2], 3 * a[3]} }

// of1 returns f(a) for a function f with the value g at a[0]. The series d is f'(a): the derivative of the result is d·a'.
func (a *series) of1(g float64, d series) series {
	r := a.rate()
	r = d.mul(&r)
	return integral(g, &r)
}

// unary returns the series of a function of one argument at a.
func (a *series) unary(o op) series {
	switch o {
	case opNeg:
		return a.scaled(-1)
	case opExp:
		return a.exp()
	case opLog:
		return a.log()
	case opSqrt:
		return a.power(0.5)
	case opAbs:
		switch {
		case a[0] > 0:
			return *a
		case a[0] < 0:
			return a.scaled(-1)
		}
		return series{a[0] * 0}
	case opSin:
		s, c := math.Sincos(a[0])
		return a.of(s, c, -s, -c)
	case opCos:
		s, c := math.Sincos(a[0])
		return a.of(c, -s, -c, s)
	case opTan:
		t := math.Tan(a[0])
		u := 1 + t*t
		return a.of(t, u, 2*t*u, 2*u*u+4*t*t*u)
	case opSinh:
		s, c := math.Sinh(a[0]), math.Cosh(a[0])
		return a.of(s, c, s, c)
	case opCosh:
		s, c := math.Sinh(a[0]), math.Cosh(a[0])
		return a.of(c, s, c, s)
	case opTanh:
		t, c := math.Tanh(a[0]), 1/math.Cosh(a[0])
		return a.of(t, c*c, -2*t*c*c, -2*c*c*(c*c-2*t*t))
	}
	return a.inverse(o)
}

// inverse returns an inverse circular function.
func (a *series) inverse(o op) series {
	one := series{1}
	square := a.mul(a)
	switch o {
	case opAsin, opAcos:
		r := one.add(-1, &square)
		r = r.power(-0.5)
		if o == opAsin {
			return a.of1(math.Asin(a[0]), r)
		}
		return a.of1(math.Acos(a[0]), r.scaled(-1))
	case opAtan:
		r := one.add(1, &square)
		return a.of1(math.Atan(a[0]), one.div(&r))
	}
	panic("formula: no such function")
}

// binary returns the series of operation o at a and b. For a minimum or maximum it is the series of the argument that is taken.
func (a *series) binary(o op, b *series) series {
	switch o {
	case opAdd:
		return a.add(1, b)
	case opSub:
		return a.add(-1, b)
	case opMul:
		return a.mul(b)
	case opDiv:
		return a.div(b)
	case opPow:
		return a.pow(b)
	case opAtan2:
		return a.atan2(b)
	}
	if o.second(a[0], b[0]) {
		return *b
	}
	return *a
}

// pow returns a^b, for a > 0.
func (a *series) pow(b *series) series {
	if *b == (series{b[0]}) {
		return a.power(b[0])
	}
	l := a.log()
	l = l.mul(b)
	return l.exp()
}

// atan2 returns the angle of the point (b, a) from the first axis, in radians. Its derivative is (b·a' − a·b')/(a² + b²).
func (a *series) atan2(b *series) series {
	r, s := a.rate(), b.rate()
	x, y, p, q := b.mul(&r), a.mul(&s), a.mul(a), b.mul(b)
	x, p = x.add(-1, &y), p.add(1, &q)
	x = x.div(&p)
	return integral(math.Atan2(a[0], b[0]), &x)
}
