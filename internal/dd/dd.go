package dd

import "math"

// Num is Hi + Lo, with |Lo| at most half a unit in the last place of Hi. The zero value is 0.
type Num = struct{ Hi, Lo float64 }

// Epsilon bounds the relative rounding error of one operation.
const Epsilon = 0x1p-102

// Of returns x.
func Of(x float64) Num { return Num{Hi: x} }

// Float returns the double next to a.
func Float(a Num) float64 { return a.Hi + a.Lo }

// Neg returns −a.
func Neg(a Num) Num { return Num{-a.Hi, -a.Lo} }

// sum returns a + b exactly. The conversions round a and b. Without them, if a or b is a product, a compiler may fuse it with the first
// addition and not with the others, on processors with a fused multiply-add.
func sum(a, b float64) Num {
	a, b = float64(a), float64(b)
	s := a + b
	t := s - a
	return Num{s, (a - (s - t)) + (b - t)}
}

// quick returns a + b exactly for |a| ≥ |b|. It rounds a and b as sum does.
func quick(a, b float64) Num {
	a, b = float64(a), float64(b)
	s := a + b
	return Num{s, b - (s - a)}
}

// Product returns a·b exactly. The conversion rounds the product, so that a compiler cannot fuse it with an addition in the caller.
func Product(a, b float64) Num {
	p := float64(a * b)
	return Num{p, math.FMA(a, b, -p)}
}

// Difference returns a − b exactly.
func Difference(a, b float64) Num { return sum(a, -b) }

// Add returns a + b.
func Add(a, b Num) Num {
	s, t := sum(a.Hi, b.Hi), sum(a.Lo, b.Lo)
	s = quick(s.Hi, s.Lo+t.Hi)
	return quick(s.Hi, s.Lo+t.Lo)
}

// AddFloat returns a + x (Dekker 1971). Its error is a few times Epsilon, relative to |a| + |x|.
func AddFloat(a Num, x float64) Num {
	s := sum(a.Hi, x)
	return quick(s.Hi, s.Lo+a.Lo)
}

// AddProduct returns a + x·y, for sums of products. Lo of the result may be as large as some units in the last place of Hi; the
// next AddFloat or AddProduct makes it small again.
func AddProduct(a Num, x, y float64) Num {
	p := Product(x, y)
	a = AddFloat(a, p.Hi)
	return Num{a.Hi, a.Lo + p.Lo}
}

// Sub returns a − b.
func Sub(a, b Num) Num { return Add(a, Neg(b)) }

// Mul returns a·b.
func Mul(a, b Num) Num {
	p := Product(a.Hi, b.Hi)
	return quick(p.Hi, p.Lo+(float64(a.Hi*b.Lo)+float64(a.Lo*b.Hi)))
}

// MulFloat returns a·b.
func MulFloat(a Num, b float64) Num {
	p := Product(a.Hi, b)
	return quick(p.Hi, p.Lo+float64(a.Lo*b))
}

// Div returns a/b.
func Div(a, b Num) Num {
	q := a.Hi / b.Hi
	r := Sub(a, MulFloat(b, q))
	q2 := r.Hi / b.Hi
	r = Sub(r, MulFloat(b, q2))
	return Add(quick(q, q2), Of(r.Hi/b.Hi))
}

// Sqrt returns √a for a ≥ 0.
func Sqrt(a Num) Num {
	if a.Hi == 0 {
		return Num{}
	}
	x := math.Sqrt(a.Hi)
	r := Sub(a, Product(x, x))
	return quick(x, r.Hi/(2*x))
}
