package formula

import "math"

// Jet is a number that depends on x and y, with its derivatives up to
// the second order: forward differentiation, docs/ground.md (G7).
type Jet struct{ Z, X, Y, XX, XY, YY float64 }

// mul returns a b.
func (a *Jet) mul(b *Jet) Jet {
	return Jet{
		a.Z * b.Z,
		a.X*b.Z + a.Z*b.X,
		a.Y*b.Z + a.Z*b.Y,
		a.XX*b.Z + 2*a.X*b.X + a.Z*b.XX,
		a.XY*b.Z + a.X*b.Y + a.Y*b.X + a.Z*b.XY,
		a.YY*b.Z + 2*a.Y*b.Y + a.Z*b.YY,
	}
}

// add returns a + s b.
func (a *Jet) add(s float64, b *Jet) Jet {
	return Jet{a.Z + s*b.Z, a.X + s*b.X, a.Y + s*b.Y, a.XX + s*b.XX, a.XY + s*b.XY, a.YY + s*b.YY}
}

// div returns a/b: the quotient q has a = q b.
func (a *Jet) div(b *Jet) (q Jet) {
	r := 1 / b.Z
	q.Z = a.Z / b.Z
	q.X = (a.X - q.Z*b.X) * r
	q.Y = (a.Y - q.Z*b.Y) * r
	q.XX = (a.XX - 2*q.X*b.X - q.Z*b.XX) * r
	q.XY = (a.XY - q.X*b.Y - q.Y*b.X - q.Z*b.XY) * r
	q.YY = (a.YY - 2*q.Y*b.Y - q.Z*b.YY) * r
	return q
}

// of returns g(a). The arguments are the value of the function at a.Z and its first and second derivative.
func (a *Jet) of(g, g1, g2 float64) Jet {
	return Jet{g, g1 * a.X, g1 * a.Y, g1*a.XX + g2*a.X*a.X, g1*a.XY + g2*a.X*a.Y, g1*a.YY + g2*a.Y*a.Y}
}

// power returns a^c for a number c. The cases 0, 1 and 2 are separate, because the general formula has a negative power of a, which is
// infinite at zero.
func (a *Jet) power(c float64) Jet {
	switch c {
	case 0:
		return Jet{Z: 1}
	case 1:
		return *a
	case 2:
		return a.of(a.Z*a.Z, 2*a.Z, 2)
	}
	return a.of(math.Pow(a.Z, c), c*math.Pow(a.Z, c-1), c*(c-1)*math.Pow(a.Z, c-2))
}

// pow returns a^b, for a > 0.
func (a *Jet) pow(b *Jet) Jet {
	if *b == (Jet{Z: b.Z}) {
		return a.power(b.Z)
	}
	l := a.log()
	l = l.mul(b)
	p := math.Pow(a.Z, b.Z)
	return l.of(p, p, p)
}

// atan2 returns the angle of the point (b, a) from the first axis, in radians.
func (a *Jet) atan2(b *Jet) Jet {
	// The derivatives are those of atan(a/b) or, where b is smaller, of −atan(b/a).
	var t Jet
	if math.Abs(b.Z) >= math.Abs(a.Z) {
		q := a.div(b)
		t = q.atan()
	} else {
		q := b.div(a)
		q = q.atan()
		t = q.of(-q.Z, -1, 0)
	}
	t.Z = math.Atan2(a.Z, b.Z)
	return t
}

// unary returns operation o of one argument. The method turn has the circular and hyperbolic functions.
func (a *Jet) unary(o op) Jet {
	switch o {
	case opNeg:
		return a.of(-a.Z, -1, 0)
	case opExp:
		e := math.Exp(a.Z)
		return a.of(e, e, e)
	case opLog:
		return a.log()
	case opSqrt:
		s := math.Sqrt(a.Z)
		return a.of(s, 0.5/s, -0.25/(s*a.Z))
	case opAbs:
		return a.abs()
	}
	return a.turn(o)
}

// log returns the natural logarithm of a.
func (a *Jet) log() Jet {
	r := 1 / a.Z
	return a.of(math.Log(a.Z), r, -r*r)
}

// abs returns |a|. At a = 0 its derivatives are zero, the mean of both sides.
func (a *Jet) abs() Jet {
	switch {
	case a.Z > 0:
		return *a
	case a.Z < 0:
		return a.of(-a.Z, -1, 0)
	}
	return Jet{Z: a.Z * 0} // a NaN remains a NaN
}

// atan returns the angle with the tangent a.
func (a *Jet) atan() Jet {
	r := 1 / (1 + a.Z*a.Z)
	return a.of(math.Atan(a.Z), r, -2*a.Z*r*r)
}

// turn returns a circular or hyperbolic function, or the inverse of a circular function.
func (a *Jet) turn(o op) Jet {
	switch o {
	case opSin:
		s, c := math.Sincos(a.Z)
		return a.of(s, c, -s)
	case opCos:
		s, c := math.Sincos(a.Z)
		return a.of(c, -s, -c)
	case opTan:
		t := math.Tan(a.Z)
		return a.of(t, 1+t*t, 2*t*(1+t*t))
	case opAsin:
		r := 1 / ((1 - a.Z) * (1 + a.Z))
		return a.of(math.Asin(a.Z), math.Sqrt(r), a.Z*r*math.Sqrt(r))
	case opAcos:
		r := 1 / ((1 - a.Z) * (1 + a.Z))
		return a.of(math.Acos(a.Z), -math.Sqrt(r), -a.Z*r*math.Sqrt(r))
	case opAtan:
		return a.atan()
	case opSinh:
		s, c := math.Sinh(a.Z), math.Cosh(a.Z)
		return a.of(s, c, s)
	case opCosh:
		s, c := math.Sinh(a.Z), math.Cosh(a.Z)
		return a.of(c, s, c)
	case opTanh:
		t, c := math.Tanh(a.Z), 1/math.Cosh(a.Z)
		return a.of(t, c*c, -2*t*c*c)
	}
	panic("formula: no such function")
}

// binary returns operation o of two arguments. series.binary has the same cases. One generic function for both would be slower, because
// it would call the operations through a dictionary.
func (a *Jet) binary(o op, b *Jet) Jet {
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
	if o.second(a.Z, b.Z) {
		return *b
	}
	return *a
}

// second reports whether the minimum or maximum of two numbers is the second number b. It is b if b is NaN.
func (o op) second(a, b float64) bool {
	switch o {
	case opMin:
		return b < a || b != b
	case opMax:
		return b > a || b != b
	}
	panic("formula: no such operation")
}
