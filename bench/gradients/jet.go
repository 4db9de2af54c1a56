package main

import "github.com/rung-mbd/rung/internal/dd"

// jet is a number v with its derivative d along a direction (a dual number), with 32 digits.
type jet struct{ v, d dd.Num }

func (a jet) plus(b jet) jet  { return jet{dd.Add(a.v, b.v), dd.Add(a.d, b.d)} }
func (a jet) minus(b jet) jet { return jet{dd.Sub(a.v, b.v), dd.Sub(a.d, b.d)} }
func (a jet) times(b jet) jet {
	return jet{dd.Mul(a.v, b.v), dd.Add(dd.Mul(a.v, b.d), dd.Mul(a.d, b.v))}
}

// triple is a vector of three components with derivatives.
type triple [3]jet

// fixed returns a vector with derivatives 0.
func fixed(x [3]float64) (t triple) {
	for i := range t {
		t[i].v = dd.Of(x[i])
	}
	return t
}

func (a triple) plus(b triple) triple {
	return triple{a[0].plus(b[0]), a[1].plus(b[1]), a[2].plus(b[2])}
}

func (a triple) minus(b triple) triple {
	return triple{a[0].minus(b[0]), a[1].minus(b[1]), a[2].minus(b[2])}
}

func (a triple) by(s jet) triple { return triple{a[0].times(s), a[1].times(s), a[2].times(s)} }

func (a triple) dot(b triple) jet {
	return a[0].times(b[0]).plus(a[1].times(b[1])).plus(a[2].times(b[2]))
}

func (a triple) cross(b triple) triple {
	return triple{
		a[1].times(b[2]).minus(a[2].times(b[1])),
		a[2].times(b[0]).minus(a[0].times(b[2])),
		a[0].times(b[1]).minus(a[1].times(b[0])),
	}
}

// axes are three unit vectors, the columns of a rotation matrix.
type axes [3]triple

// rotation returns the rotation of a quaternion of doubles, w first, which is normalized with 32 digits; four zeros stand for the
// identity.
func rotation(q [4]float64) (E axes) {
	if q == ([4]float64{}) {
		q[0] = 1
	}
	n := dd.Num{}
	for _, x := range q {
		n = dd.Add(n, dd.Product(x, x))
	}
	product := func(a, b float64) dd.Num { return dd.Div(dd.MulFloat(dd.Product(a, b), 2), n) }
	one := dd.Of(1)
	w, x, y, z := q[0], q[1], q[2], q[3]
	E[0][0].v = dd.Sub(one, dd.Add(product(y, y), product(z, z)))
	E[0][1].v = dd.Add(product(x, y), product(w, z))
	E[0][2].v = dd.Sub(product(x, z), product(w, y))
	E[1][0].v = dd.Sub(product(x, y), product(w, z))
	E[1][1].v = dd.Sub(one, dd.Add(product(x, x), product(z, z)))
	E[1][2].v = dd.Add(product(y, z), product(w, x))
	E[2][0].v = dd.Add(product(x, z), product(w, y))
	E[2][1].v = dd.Sub(product(y, z), product(w, x))
	E[2][2].v = dd.Sub(one, dd.Add(product(x, x), product(y, y)))
	return E
}

// times returns E·x.
func (E *axes) times(x triple) triple { return E[0].by(x[0]).plus(E[1].by(x[1])).plus(E[2].by(x[2])) }

// back returns Eᵀ·x.
func (E *axes) back(x triple) triple { return triple{E[0].dot(x), E[1].dot(x), E[2].dot(x)} }
