package lanes

import "math"

// unitLimit bounds |q·q − 1| of quaternions in Load: 2e-6, less what rounding of it may make.
const unitLimit = 2e-6 - 1e-14

// One lane at a time, in Go. triple and matrix are what a lane holds.
type (
	triple = [3]float64
	matrix = [9]float64
)

func tripleOf(x []Vector, l int) triple { return triple{x[0][l], x[1][l], x[2][l]} }

func matrixOf(x *[9]Vector, l int) (m matrix) {
	for i := range m {
		m[i] = x[i][l]
	}
	return m
}

// setTriple stores s·v in lane l.
func setTriple(x []Vector, l int, s float64, v triple) {
	for i := range v {
		x[i][l] = s * v[i]
	}
}

func more(a, b triple) triple { return triple{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func less(a, b triple) triple { return triple{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// turned returns m·v.
func turned(m *matrix, v triple) triple {
	return triple{
		m[0]*v[0] + m[1]*v[1] + m[2]*v[2],
		m[3]*v[0] + m[4]*v[1] + m[5]*v[2],
		m[6]*v[0] + m[7]*v[1] + m[8]*v[2],
	}
}

// turnedT returns mᵀ·v.
func turnedT(m *matrix, v triple) triple {
	return triple{
		m[0]*v[0] + m[3]*v[1] + m[6]*v[2],
		m[1]*v[0] + m[4]*v[1] + m[7]*v[2],
		m[2]*v[0] + m[5]*v[1] + m[8]*v[2],
	}
}

// lower returns T·v for the lower triangle t of lane l, and lowerT Tᵀ·v.
func lower(t *[6]Vector, l int, v triple) triple {
	return triple{t[0][l] * v[0], t[3][l]*v[0] + t[1][l]*v[1], t[4][l]*v[0] + t[5][l]*v[1] + t[2][l]*v[2]}
}

func lowerT(t *[6]Vector, l int, v triple) triple {
	return triple{t[0][l]*v[0] + t[3][l]*v[1] + t[4][l]*v[2], t[1][l]*v[1] + t[5][l]*v[2], t[2][l] * v[2]}
}

// centripetal returns w×(w×r).
func centripetal(w, r triple) triple { return cross(w, cross(w, r)) }

func gatherPlain(dst []Vector, src []float64, at *[Width]int32) {
	for l, o := range at {
		for i := range dst {
			dst[i][l] = src[int(o)+i]
		}
	}
}

func scatterPlain(dst []float64, at *[Width]int32, src []Vector) {
	for l, o := range at {
		for i := range src {
			dst[int(o)+i] = src[i][l]
		}
	}
}

func loadPlain(t *Body, c *BodyConst, g *[3]float64) bool {
	ok := true
	for l := range Width {
		rest, s := 0.0, &t.State
		for _, i := range [...]int{0, 1, 2, 7, 8, 9, 10, 11, 12} {
			rest += 0 * s[i][l] // zero unless the number is not finite
		}
		w, x, y, z := s[3][l], s[4][l], s[5][l], s[6][l]
		ok = ok && rest == 0 && math.Abs(w*w+x*x+y*y+z*z-1) < unitLimit
		x2, y2, z2 := x+x, y+y, z+z
		E := matrix{
			1 - (y*y2 + z*z2), x*y2 - w*z2, x*z2 + w*y2,
			x*y2 + w*z2, 1 - (x*x2 + z*z2), y*z2 - w*x2,
			x*z2 - w*y2, y*z2 + w*x2, 1 - (x*x2 + y*y2),
		}
		for i, e := range E {
			t.Kin[i][l] = e
		}
		setTriple(t.Kin[9:], l, 1, turned(&E, tripleOf(c.Com[:], l)))
		u := turnedT(&E, tripleOf(s[10:], l))
		setTriple(t.Spin[:], l, 1, u)
		h := lower(&c.L, l, lowerT(&c.L, l, u))
		setTriple(t.Load[:], l, 1, lower(&c.Inv, l, cross(h, u)))
		setTriple(t.Load[3:], l, c.Root[l], turnedT(&E, *g))
		t.Free[l] = 0
		for i := range t.Load {
			t.Free[l] = max(t.Free[l], math.Abs(t.Load[i][l])) // NaN if one is
		}
	}
	return ok
}

func recoverPlain(out *[6]Vector, E *[9]Vector, c *BodyConst, x *[6]Vector) {
	for l := range Width {
		m := matrixOf(E, l)
		setTriple(out[:], l, 1, turned(&m, lowerT(&c.Inv, l, tripleOf(x[:], l))))
		setTriple(out[3:], l, c.InvRoot[l], turned(&m, tripleOf(x[3:], l)))
	}
}

func rotatePlain(t, up *Body) {
	for l := range Width {
		E, F := matrixOf(t.E(), l), matrixOf(up.E(), l)
		for i := range 3 {
			for k := range 3 {
				t.R[3*i+k][l] = E[i]*F[k] + E[3+i]*F[3+k] + E[6+i]*F[6+k]
			}
		}
	}
}

func hingeBiasPlain(t *Body, c *BodyConst, up *Body) {
	for l := range Width {
		R := matrixOf(&t.R, l)
		w, wp := tripleOf(t.Spin[:], l), tripleOf(up.Spin[:], l)
		setTriple(t.Rel[:], l, 1, cross(turned(&R, wp), w))
		a := turned(&R, centripetal(wp, tripleOf(c.ArmP[:], l)))
		setTriple(t.Rel[3:], l, 1, less(a, centripetal(w, tripleOf(c.ArmC[:], l))))
	}
}

func hingeBiasWorldPlain(t *Body, c *BodyConst) {
	for l := range Width {
		setTriple(t.Rel[:], l, 1, triple{})
		setTriple(t.Rel[3:], l, -1, centripetal(tripleOf(t.Spin[:], l), tripleOf(c.ArmC[:], l)))
	}
}

func turnPlain(out *[3]Vector, R *[9]Vector, v *[3]Vector) {
	for l := range Width {
		m := matrixOf(R, l)
		setTriple(out[:], l, 1, turned(&m, tripleOf(v[:], l)))
	}
}

func turnBackPlain(out *[3]Vector, E *[9]Vector, v *[3]Vector) {
	for l := range Width {
		m := matrixOf(E, l)
		setTriple(out[:], l, 1, turnedT(&m, tripleOf(v[:], l)))
	}
}

// movePlain stores in At how the bodies move, and Cᵀ of that in col: with the parents, if up is not nil,
// and by turn and move.
func movePlain(col *[6]Vector, t *Body, c *BodyConst, up *Body, turn, move *[3]Vector) {
	for l := range Width {
		var w, v triple
		if up != nil {
			R, a := matrixOf(&t.R, l), tripleOf(up.At[:], l)
			w = turned(&R, a)
			v = turned(&R, more(tripleOf(up.At[3:], l), cross(a, tripleOf(c.ArmP[:], l))))
		}
		if turn != nil {
			w = more(w, tripleOf(turn[:], l))
		}
		if move != nil {
			v = more(v, tripleOf(move[:], l))
		}
		v = less(v, cross(w, tripleOf(c.ArmC[:], l)))
		setTriple(t.At[:], l, 1, w)
		setTriple(t.At[3:], l, 1, v)
		setTriple(col[:], l, 1, lowerT(&c.L, l, w))
		setTriple(col[3:], l, c.Root[l], v)
	}
}

func particularPlain(rest *[6]Vector, t *Body, c *BodyConst, up *Body) {
	movePlain(rest, t, c, up, (*[3]Vector)(t.Rel[:3]), (*[3]Vector)(t.Rel[3:]))
	t.Size = Vector{}
	dotPlain(&t.Size, rest, rest)
	for i := range rest {
		for l := range Width {
			t.Load[i][l] -= rest[i][l]
		}
	}
}

func dotPlain(sum *Vector, a, b *[6]Vector) {
	for l := range Width {
		for i := range a {
			sum[l] += a[i][l] * b[i][l]
		}
	}
}

func subPlain(a *[6]Vector, t *Vector, b *[6]Vector) {
	for i := range a {
		for l := range Width {
			a[i][l] -= t[l] * b[i][l]
		}
	}
}

func addPlain(a *[6]Vector, t *Vector, b *[6]Vector) {
	for i := range a {
		for l := range Width {
			a[i][l] += t[l] * b[i][l]
		}
	}
}

func scalePlain(a *[6]Vector, t *Vector) {
	for i := range a {
		for l := range Width {
			a[i][l] *= t[l]
		}
	}
}

func inverseRootPlain(s *Vector) {
	for l, v := range s {
		s[l] = 1 / math.Sqrt(v+(v-v)) // NaN for an infinite v
	}
}

// jointPlain is BallRows, and with moments HingeRows: PinRows lane by lane.
func jointPlain(t *Joint, c *JointConst, moments bool) {
	for l := range Width {
		EP, ES, F := matrixOf(&t.EP, l), matrixOf(&t.ES, l), matrixOf(&c.Axes, l)
		var W, A matrix
		for i := range 3 {
			for k := range 3 {
				W[3*i+k] = EP[3*i]*F[k] + EP[3*i+1]*F[3+k] + EP[3*i+2]*F[6+k]
			}
		}
		for i := range 3 {
			for k := range 3 {
				A[3*i+k] = ES[i]*W[k] + ES[3+i]*W[3+k] + ES[6+i]*W[6+k]
				t.W[3*i+k][l], t.A[3*i+k][l] = W[3*i+k], A[3*i+k]
			}
		}
		wp, ws := turnedT(&W, tripleOf(t.OmegaP[:], l)), turnedT(&W, tripleOf(t.OmegaS[:], l))
		arm := tripleOf(c.ArmS[:], l)
		bias := less(centripetal(wp, turnedT(&F, tripleOf(c.ArmP[:], l))), centripetal(ws, turnedT(&A, arm)))
		setTriple(t.B[:], l, 1, bias)
		row := func(rows []Vector, i int, inv *[6]Vector, root float64, n, f triple) {
			q := rows[6*i:][:6]
			setTriple(q, l, 1, lower(inv, l, n))
			setTriple(q[3:], l, root, f)
			for e := range q {
				t.Scale[i][l] += q[e][l] * q[e][l]
			}
		}
		armP := tripleOf(c.ArmP[:], l)
		for k := range 3 {
			t.Scale[k][l] = 0
			f, g := triple{F[k], F[3+k], F[6+k]}, triple{A[k], A[3+k], A[6+k]}
			row(t.P[:], k, &c.InvP, c.RootP[l], cross(armP, f), f)
			row(t.S[:], k, &c.InvS, c.RootS[l], cross(arm, g), g)
		}
		if moments {
			turn := cross(wp, ws)
			for k := range 2 {
				t.B[3+k][l], t.Scale[3+k][l] = turn[k], 0
				row(t.P[:], 3+k, &c.InvP, 0, triple{F[k], F[3+k], F[6+k]}, triple{})
				row(t.S[:], 3+k, &c.InvS, 0, triple{A[k], A[3+k], A[6+k]}, triple{})
			}
		}
	}
}

func productsPlain(y []Vector, step int, v []Vector, n int, x *[6]Vector) {
	for i := range n {
		y[i*step] = Vector{}
		dotPlain(&y[i*step], (*[6]Vector)(v[6*i:]), x)
	}
}

func subProductsPlain(y, v []Vector, n int, x *[6]Vector) {
	for i := range n {
		var t Vector
		dotPlain(&t, (*[6]Vector)(v[6*i:]), x)
		for l := range Width {
			y[i][l] -= t[l]
		}
	}
}
