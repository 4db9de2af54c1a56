package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// Kernels lists the instructions. A is the destination unless noted. 3×3 matrices and blocks are stored by rows.
func Kernels() []*Kernel {
	list := append(append(vectors(), mechanics()...), angles()...)
	list = append(append(append(append(list, factor()...), shaped()...), trees()...), stepping()...)
	return addShared(append(append(list, adjoints()...), backwards()...))
}

// define appends a kernel whose lines body adds.
func define(list *[]*Kernel, name, doc string, body func(k *Kernel)) {
	k := newKernel(name, doc)
	body(k)
	*list = append(*list, k)
}

// narrow adds to the last kernel of the list a variant for few registers, whose lines body adds.
func narrow(list []*Kernel, body func(k *Kernel)) {
	k := list[len(list)-1]
	k.Narrow = newKernel(k.Name, k.Doc)
	body(k.Narrow)
}

// vectors returns the instructions on vectors of three components.
func vectors() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	add("Copy", "stores B in A, N lanes.", func(k *Kernel) {
		k.loop(func() { k.st(at('A', 0), k.ld(at('B', 0))); k.step('A', 1); k.step('B', 1) })
	})
	add("Add", "stores B + C, N lanes.", func(k *Kernel) {
		k.loop(func() {
			k.st(at('A', 0), k.add(at('B', 0), at('C', 0)))
			k.step('A', 1)
			k.step('B', 1)
			k.step('C', 1)
		})
	})
	add("Sub", "stores B − C, N lanes.", func(k *Kernel) {
		k.loop(func() {
			k.st(at('A', 0), k.sub(at('B', 0), at('C', 0)))
			k.step('A', 1)
			k.step('B', 1)
			k.step('C', 1)
		})
	})
	add("Scaled", "stores B + C·D with one factor D, N lanes.", func(k *Kernel) {
		d := k.pin(k.ld(at('D', 0)))
		k.loop(func() {
			k.st(at('A', 0), k.fma(d, at('C', 0), at('B', 0)))
			k.step('A', 1)
			k.step('B', 1)
			k.step('C', 1)
		})
	})
	add("Less", "stores B − C·D, a lane.", func(k *Kernel) { k.st(at('A', 0), k.fnma(at('C', 0), at('D', 0), at('B', 0))) })
	add("Masked", "stores B + C where D is one, and B where D is zero, N lanes.", func(k *Kernel) {
		d, h := k.pin(k.ld(at('D', 0))), k.pin(k.ld(constant(half)))
		k.loop(func() {
			b := k.ld(at('B', 0))
			k.st(at('A', 0), k.more(d, h, k.add(b, at('C', 0)), b))
			k.step('A', 1)
			k.step('B', 1)
			k.step('C', 1)
		})
	})
	add("Mul3", "stores B·C.", func(k *Kernel) { product(k, 3, 1) })
	add("TMul3", "stores Bᵀ·C.", func(k *Kernel) { product(k, 1, 3) })
	vector := func(k *Kernel, first, step int, end func(i int, v Val) Val) {
		c := k.vec(at('C', 0), 3)
		out := make([]Val, 3)
		for i := range out {
			out[i] = end(i, k.dot(anys(c), lanesOf('B', i*first, 3, step)))
		}
		k.put(at('A', 0), out...)
	}
	same := func(_ int, v Val) Val { return v }
	add("MulVec", "stores B·C.", func(k *Kernel) { vector(k, 3, 1, same) })
	add("TMulVec", "stores Bᵀ·C.", func(k *Kernel) { vector(k, 1, 3, same) })
	add("TMulNeg", "stores −Bᵀ·C.", func(k *Kernel) {
		vector(k, 1, 3, func(_ int, v Val) Val { return k.sub(k.null(), v) })
	})
	add("TMulAdd", "stores D + Bᵀ·C.", func(k *Kernel) {
		vector(k, 1, 3, func(i int, v Val) Val { return k.add(v, at('D', i)) })
	})
	add("Column", "stores the column of a matrix that begins at B.", func(k *Kernel) {
		k.put(at('A', 0), k.ld(at('B', 0)), k.ld(at('B', 3)), k.ld(at('B', 6)))
	})
	add("OnZ", "stores z·C₂ with z the third column of B.", func(k *Kernel) {
		c := k.ld(at('C', 2))
		k.put(at('A', 0), k.mul(c, at('B', 2)), k.mul(c, at('B', 5)), k.mul(c, at('B', 8)))
	})
	add("OffZ", "stores x·C₀ + y·C₁ with x, y the first columns of B.", func(k *Kernel) {
		x, y := k.ld(at('C', 0)), k.ld(at('C', 1))
		for i := range 3 {
			k.st(at('A', i), k.fma(x, at('B', 3*i), k.mul(y, at('B', 3*i+1))))
		}
	})
	add("Cross", "stores B×C.", func(k *Kernel) {
		k.put(at('A', 0), k.cross(k.vec(at('B', 0), 3), k.vec(at('C', 0), 3))...)
	})
	add("AddCross", "stores D + B×C.", func(k *Kernel) {
		x := k.cross(k.vec(at('B', 0), 3), k.vec(at('C', 0), 3))
		for i, v := range x {
			x[i] = k.add(v, at('D', i))
		}
		k.put(at('A', 0), x...)
	})
	add("SubCross", "stores D − B×C.", func(k *Kernel) {
		x := k.cross(k.vec(at('C', 0), 3), k.vec(at('B', 0), 3))
		for i, v := range x {
			x[i] = k.add(v, at('D', i))
		}
		k.put(at('A', 0), x...)
	})
	add("Dot", "stores B·C of vectors.", func(k *Kernel) {
		k.st(at('A', 0), k.dot(anys(k.vec(at('B', 0), 3)), lanesOf('C', 0, 3, 1)))
	})
	add("Unit", "stores B/|B|, then |B|.", func(k *Kernel) {
		b := k.vec(at('B', 0), 3)
		r := k.sqrt(k.dot(anys(b), anys(b)))
		k.put(at('A', 0), k.div(b[0], r), k.div(b[1], r), k.div(b[2], r), r)
	})
	add("Quotient", "stores B/C, a lane.", func(k *Kernel) { k.st(at('A', 0), k.div(at('B', 0), at('C', 0))) })
	add("Departure", "raises A to the distance from one of the squared norm of the rotation in the state B of a body, if that is larger. It adds NaN to C if a number of the state is not finite.", func(k *Kernel) {
		b := k.vec(at('B', 3), 4)
		k.st(at('A', 0), k.max(k.abs(k.sub(k.dot(anys(b), anys(b)), constant(one))), at('A', 0)))
		list := k.vec(at('B', 0), 3)
		for i := 7; i < 13; i++ {
			list = append(list, k.ld(at('B', i)))
		}
		notice(k, at('C', 0), append(list, b[0]))
	})
	return list
}

// product adds the product of two 3×3 matrices B and C. Element (i, j) of the first factor is at i·row + j·col of B.
func product(k *Kernel, row, col int) {
	var b [9]Val
	for i := range b {
		b[i] = k.ld(at('B', i))
	}
	for j := range 3 {
		for i := range 3 {
			x := []any{b[i*row], b[i*row+col], b[i*row+2*col]}
			k.st(at('A', 3*i+j), k.dot(x, lanesOf('C', j, 3, 3)))
		}
	}
}

// minus makes an instruction subtract a term that it otherwise adds.
const minus = true

// mechanics returns the instructions of bodies and joints.
func mechanics() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	add("Body", "stores axes and Eᵀω of a body in A, and C⁻¹·(−ω×Iω, m·g) in E; B is its rotation, with its angular velocity seven vectors behind, C its constants, D gravity.", body)
	add("Axes", "stores the axes of a body in A: B is its rotation.", axes)
	add("Point", "stores numbers of a point of a body in A: the position of the body, the point relative to it, the velocity of the point. B is the state of the body, C its axes, D the point in these axes.", func(k *Kernel) {
		r, near := k.vec(at('D', 0), 3), make([]Val, 3)
		for i := range 3 {
			k.st(at('A', i), k.ld(at('B', i)))
			near[i] = k.dot(anys(r), lanesOf('C', 3*i, 3, 1))
		}
		k.put(at('A', 3), near...)
		for i, v := range k.cross(k.vec(at('B', 10), 3), near) {
			k.st(at('A', 6+i), k.add(v, at('B', 7+i)))
		}
	})
	add("Apart", "stores in A the vector from point C to point B (Point), along the axes D, and F bytes behind it its rate relative to a body with the angular velocity E.", func(k *Kernel) {
		r, v := make([]Val, 3), make([]Val, 3)
		for i := range 3 {
			r[i] = k.add(k.sub(k.ld(at('B', i)), at('C', i)), k.sub(k.ld(at('B', 3+i)), at('C', 3+i)))
		}
		for i, x := range k.cross(k.vec(at('E', 0), 3), r) {
			v[i] = k.sub(k.sub(k.ld(at('B', 6+i)), at('C', 6+i)), x)
		}
		for i := range 3 {
			k.st(at('A', i), k.dot(anys(r), lanesOf('D', i, 3, 3)))
			k.st(at('A', i).row('L', 1), k.dot(anys(v), lanesOf('D', i, 3, 3)))
		}
	})
	add("Tilt", "stores in A the sines, with the other sign, of the rotation of a hinge's axis z, D in the axes C, relative to the axes B, about the first two axes of B. F bytes behind it stores the rates; E is the angular velocity of the body of C relative to the body of B.", func(k *Kernel) {
		z := make([]Val, 3)
		for i := range z {
			z[i] = k.dot([]any{k.ld(at('D', 0)), k.ld(at('D', 3)), k.ld(at('D', 6))}, lanesOf('C', 3*i, 3, 1))
		}
		k.st(at('A', 0), k.dot(anys(z), lanesOf('B', 1, 3, 3)))
		k.st(at('A', 1), k.sub(k.null(), k.dot(anys(z), lanesOf('B', 0, 3, 3))))
		w := k.vec(at('E', 0), 3)
		for i := range 2 {
			k.st(at('A', i).row('L', 1), k.sub(k.null(), k.dot(anys(w), lanesOf('B', i, 3, 3))))
		}
	})
	add("SumSquares", "adds the squares of N lanes at B to A.", func(k *Kernel) {
		s := k.pin(k.null())
		k.loop(func() { b := k.ld(at('B', 0)); k.gather("fma", s, b, b); k.step('B', 1) })
		k.st(at('A', 0), k.add(s, at('A', 0)))
	})
	add("Weigh", "adds C⁻¹·(moment, force) to A: B the force, C the moment, world axes, D the weight, E the axes.", func(k *Kernel) {
		n := k.lower(at('D', 0), k.timesT(at('E', 0), k.vec(at('C', 0), 3)))
		f := k.timesT(at('E', 0), k.vec(at('B', 0), 3))
		root := k.ld(at('D', 6))
		for i := range 3 {
			k.st(at('A', i), k.add(n[i], at('A', i)))
		}
		for i := range 3 {
			k.st(at('A', 3+i), k.fma(f[i], root, at('A', 3+i)))
		}
	})
	add("Unweigh", "stores C⁻ᵀ·B in A, world axes: C the axes, D the weight. It adds NaN to E if a number is not finite.", func(k *Kernel) {
		x := k.vec(at('B', 0), 6)
		w := k.lowerT(at('D', 0), x)
		root := k.ld(at('D', 6))
		v := []Val{k.mul(x[3], root), k.mul(x[4], root), k.mul(x[5], root)}
		out := make([]Val, 6)
		for i := range out {
			y := w
			if i > 2 {
				y = v
			}
			out[i] = k.dot(anys(y), lanesOf('C', 3*(i%3), 3, 1))
			k.st(at('A', i), out[i])
		}
		notice(k, at('E', 0), out)
	})
	add("Forces", "stores N rows of forces along columns of B: (L⁻¹·(arm×e), e/√m), C the arm, D the weight.", func(k *Kernel) {
		alongColumns(k, func(e []Val) {
			k.put(at('A', 0), k.lower(at('D', 0), k.cross(k.vec(at('C', 0), 3), e))...)
			root := k.ld(at('D', 6))
			k.put(at('A', 3), k.mul(e[0], root), k.mul(e[1], root), k.mul(e[2], root))
		})
	})
	add("Moments", "stores the first halves of N rows of moments about columns of B: L⁻¹·e, D the weight.", func(k *Kernel) {
		alongColumns(k, func(e []Val) { k.put(at('A', 0), k.lower(at('D', 0), e)...) })
	})
	add("Wrench", "stores the row of the wrench B (moment, force), world axes: (L⁻¹·(Eᵀn + arm×Eᵀf), Eᵀf/√m), C the axes, D the weight, E the arm in body axes.", func(k *Kernel) {
		x := k.vec(at('B', 0), 6)
		n, f := k.timesT(at('C', 0), x[:3]), k.timesT(at('C', 0), x[3:])
		for i, v := range k.cross(k.vec(at('E', 0), 3), f) {
			n[i] = k.add(n[i], v)
		}
		k.put(at('A', 0), k.lower(at('D', 0), n)...)
		root := k.ld(at('D', 6))
		k.put(at('A', 3), k.mul(f[0], root), k.mul(f[1], root), k.mul(f[2], root))
	})
	add("Squares", "stores in A the squared norms of N rows of six numbers at B, plus the numbers at C.", func(k *Kernel) {
		k.loop(func() {
			b := k.vec(at('B', 0), 6)
			s := k.ld(at('C', 0))
			for _, v := range b {
				s = k.fma(v, v, s)
			}
			k.st(at('A', 0), s)
			k.step('A', 1)
			k.step('B', 6)
			k.step('C', 1)
		})
	})
	centripetal := func(k *Kernel, minus bool) {
		w, r := k.vec(at('B', 0), 3), k.vec(at('C', 0), 3)
		wr, ww := k.dot(anys(w), anys(r)), k.dot(anys(w), anys(w))
		for i := range 3 {
			a := k.fnma(ww, r[i], k.mul(wr, w[i]))
			if minus {
				k.st(at('A', i), k.sub(at('D', i), a))
			} else {
				k.st(at('A', i), k.add(a, at('D', i)))
			}
		}
	}
	add("Centripetal", "stores D + B×(B×C).", func(k *Kernel) { centripetal(k, !minus) })
	add("LessCentripetal", "stores D − B×(B×C).", func(k *Kernel) { centripetal(k, minus) })
	add("Pull", "stores the force of a spring-damper on its end A: B the line and the relative velocity behind it, C stiffness, damping and rest length, D the square of the smallest length at which the line has a direction. It adds NaN to E if the line is shorter.", func(k *Kernel) {
		x := k.vec(at('B', 0), 3)
		q := k.dot(anys(x), anys(x))
		r := k.sqrt(q)
		n := []Val{k.div(x[0], r), k.div(x[1], r), k.div(x[2], r)}
		rate := k.dot(anys(n), lanesOf('B', 3, 3, 1))
		t := k.fma(k.sub(r, at('C', 2)), at('C', 0), k.mul(rate, at('C', 1)))
		k.put(at('A', 0), k.mul(n[0], t), k.mul(n[1], t), k.mul(n[2], t))
		z := k.null()
		near := k.more(q, at('D', 0), z, k.div(z, z))
		k.st(at('E', 0), k.add(near, at('E', 0)))
	})
	add("HingeBias", "stores Bᵀ·(ω×(ω×C)) and Bᵀ·ω: B the axes of a joint in those of a body, C the arm of the joint, D is ω, body axes.", func(k *Kernel) {
		w, r := k.vec(at('D', 0), 3), k.vec(at('C', 0), 3)
		wr, ww := k.dot(anys(w), anys(r)), k.dot(anys(w), anys(w))
		a := make([]Val, 3)
		for i := range a {
			a[i] = k.fnma(ww, r[i], k.mul(wr, w[i]))
		}
		for i := range 3 {
			k.st(at('A', i), k.dot(anys(a), lanesOf('B', i, 3, 3)))
		}
		for i := range 3 {
			k.st(at('A', 3+i), k.dot(anys(w), lanesOf('B', i, 3, 3)))
		}
	})
	add("Torque", "adds L⁻¹·(B·C) to A: C a moment along the axes B of a joint in those of a body, D the weight of the body.", func(k *Kernel) {
		for i, v := range k.lower(at('D', 0), k.times(at('B', 0), k.vec(at('C', 0), 3))) {
			k.st(at('A', i), k.add(v, at('A', i)))
		}
	})
	add("Verdict", "stores in A one in lanes whose solve is accurate by its record B and the limits C, whose number of weak rows is D, and in which E is one; zero in the others.", func(k *Kernel) {
		// The sum of the products with zero is NaN if a number of the record is not finite.
		bad, z := k.ld(at('B', notFinite)), k.null()
		for _, i := range []int{overPivot, doubt, bodyPivot, bigResidual, badResidual, sizes, notUnit} {
			bad = k.fma(z, at('B', i), bad)
		}
		ok := k.more(constant(one), k.abs(bad), k.ld(at('E', 0)), z)
		for _, x := range []struct{ entry, limit int }{{overPivot, 1}, {doubt, 2}, {bodyPivot, 3}, {notUnit, 4}, {badResidual, 5}} {
			ok = k.more(at('B', x.entry), at('C', x.limit), z, ok)
		}
		ok = k.more(at('B', bigResidual), k.mul(k.ld(at('B', sizes)), at('C', 0)), z, ok)
		ok = k.more(k.abs(k.sub(at('B', weakRows), at('D', 0))), z, z, ok)
		k.st(at('A', 0), ok)
	})
	add("Wanting", "stores in A one in lanes whose solve needs a correction, by its record B and the limits C of its residuals and pivots; zero in the others.", func(k *Kernel) {
		u, z := k.ld(constant(one)), k.null()
		want := k.more(at('B', overPivot), at('C', 1), u, z)
		k.st(at('A', 0), k.more(at('B', bigResidual), k.mul(k.ld(at('B', sizes)), at('C', 0)), u, want))
	})
	add("Size", "stores in C the squared norm of six numbers at B, and raises A to it if it is larger.", func(k *Kernel) {
		b := k.vec(at('B', 0), 6)
		s := k.dot(anys(b), anys(b))
		k.st(at('C', 0), s)
		k.st(at('A', 0), k.max(s, at('A', 0)))
	})
	return list
}

// alongColumns calls row for each of N columns e of the matrix B; row adds a row of six numbers at A.
func alongColumns(k *Kernel, row func(e []Val)) {
	k.loop(func() {
		row([]Val{k.ld(at('B', 0)), k.ld(at('B', 3)), k.ld(at('B', 6))})
		k.step('A', 6)
		k.step('B', 1)
	})
}

// axes writes Axes: it stores in A the rotation matrix of the quaternion B.
func axes(k *Kernel) { axesOf(k, 'B', 0, 'A') }

// axesOf stores in to the rotation matrix of the quaternion that begins o vectors behind the operand ptr.
func axesOf(k *Kernel, ptr byte, o int, to byte) {
	q := k.vec(at(ptr, o), 4)
	t := []Val{k.add(q[1], q[1]), k.add(q[2], q[2]), k.add(q[3], q[3])}
	xx, yy, zz := k.mul(q[1], t[0]), k.mul(q[2], t[1]), k.mul(q[3], t[2])
	u := k.ld(constant(one))
	k.st(at(to, 0), k.sub(u, k.add(yy, zz)))
	k.st(at(to, 4), k.sub(u, k.add(xx, zz)))
	k.st(at(to, 8), k.sub(u, k.add(xx, yy)))
	off := func(i, j, a, b, c int) { // products of q[a] and t[b], and of the scalar part and t[c]
		p, w := k.mul(q[a], t[b]), k.mul(q[0], t[c])
		k.st(at(to, i), k.sub(p, w))
		k.st(at(to, j), k.add(p, w))
	}
	off(1, 3, 1, 1, 2)
	off(6, 2, 1, 2, 1)
	off(5, 7, 2, 2, 0)
}

// body writes Body: the axes E, the angular velocity w = Eᵀω along them, and the weighted load, L⁻¹·(I·w×w) and √m·Eᵀg.
func body(k *Kernel) {
	axes(k)
	w := k.timesT(at('A', 0), k.vec(at('B', 7), 3))
	k.put(at('A', places.Spin), w...)
	h := k.symmetric(at('C', atInertia), w)
	k.put(at('E', 0), k.lower(at('C', atWeight), k.cross(h, w))...)
	g := k.timesT(at('A', 0), k.vec(at('D', 0), 3))
	root := k.ld(at('C', atMass))
	k.put(at('E', 3), k.mul(g[0], root), k.mul(g[1], root), k.mul(g[2], root))
}

// Indices, at the places called series, of the coefficients of sin(a)/a and cos(a) in powers of a². For a ≤ 0.1 they are exact to
// rounding.
var (
	sine   = []int{0, 1, 2, 3, 4}
	cosine = []int{5, 6, 7, 8, 9}
)

// rotated returns the quaternion (cos|v|, v·sin|v|/|v|)·q, where v is half a rotation vector. Up to rounding it is as long as q, which
// is at from. The coefficients are at series.
func rotated(k *Kernel, v []Val, from, series Mem) []Val {
	c, u := halfTurn(k, v, series)
	return composed(k, c, u, k.vec(from, 4))
}

// halfTurn returns cos|v|, and v·sin|v|/|v|, which replaces v.
func halfTurn(k *Kernel, v []Val, series Mem) (c Val, u []Val) {
	s, c := sincCos(k, k.dot(anys(v), anys(v)), series)
	for i := range v {
		v[i] = k.mul(v[i], s)
	}
	return c, v
}

// sincCos returns sin(a)/a and cos(a) by their series in a², which is square. The coefficients are at series.
func sincCos(k *Kernel, square Val, series Mem) (s, c Val) {
	sum := func(list []int) Val {
		s := k.ld(at(series.Ptr, series.Off+list[len(list)-1]))
		for i := len(list) - 2; i >= 0; i-- {
			s = k.fma(s, square, at(series.Ptr, series.Off+list[i]))
		}
		return s
	}
	return sum(sine), sum(cosine)
}

// composed returns the quaternion (c, v)·q.
func composed(k *Kernel, c Val, v, q []Val) []Val {
	return []Val{
		k.fnma(v[2], q[3], k.fnma(v[1], q[2], k.fnma(v[0], q[1], k.mul(c, q[0])))),
		k.fnma(v[2], q[2], k.fma(v[1], q[3], k.fma(v[0], q[0], k.mul(c, q[1])))),
		k.fnma(v[0], q[3], k.fma(v[2], q[1], k.fma(v[1], q[0], k.mul(c, q[2])))),
		k.fnma(v[1], q[1], k.fma(v[0], q[2], k.fma(v[2], q[0], k.mul(c, q[3])))),
	}
}

// excess returns p·p − 1 for a quaternion p.
func excess(k *Kernel, p []Val) Val { return k.sub(k.dot(anys(p), anys(p)), constant(one)) }

// unit normalizes a quaternion whose length is 1 up to 2e-6: 1/√(1 + 2h) = 1 − h + 3/2·h² − …
func unit(k *Kernel, p []Val) []Val { return scaledBack(k, p, excess(k, p)) }

// scaledBack is unit for a quaternion p with p·p = 1 + over.
func scaledBack(k *Kernel, p []Val, over Val) []Val {
	h := k.mul(over, constant(half))
	hh := k.mul(h, h)
	r := k.sub(k.fma(hh, constant(half), k.add(hh, constant(one))), h)
	for i := range p {
		p[i] = k.mul(p[i], r)
	}
	return p
}
