package joints

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// The rows T of a composite joint are the orthonormal complement of the columns of S, with 1 rad taken as 1 m, and the
// duals D are S(SᵀS)⁻¹, so that DᵀS = 1, theory.md (C5). Both move with S. Of all that keep TᵀS = 0 and DᵀS = 1 we take
// the derivatives without a part among the rows: T˚ = −D·S˚ᵀT, D˚ = −D·S˚ᵀD. So a row has T˚·V̂ = −T·S˚q̇, theory.md
// (C6). Other bases of the rows, and other duals, make the same reactions of the whole joint.

// complement is what rows are made of at one Posture. Frame: axes of P, about the origin of S.
type complement struct {
	Posture
	T     [6]spatial.Force       // 6 − n rows
	D     [MaxAxes]spatial.Force // n duals
	worst float64                // how near S is to losing rank: the size of the inverse of R, columns of length 1
}

// orthogonal is the factorization of S with columns of length 1 by Householder's method.
type orthogonal struct {
	R      [MaxAxes][MaxAxes]float64
	v      [MaxAxes][6]float64 // Householder vectors
	beta   [MaxAxes]float64    // 2/v·v
	length [MaxAxes]float64    // of the columns
}

// factor computes o from the columns of S.
func (o *orthogonal) factor(p *Posture) {
	for k := range p.n {
		S := (*[6]float64)(&p.S[k])
		o.length[k] = math.Sqrt(dot6(S, S))
		x, scale := &o.v[k], 1/o.length[k]
		for i := range x {
			x[i] = scale * S[i]
		}
		for j := range k {
			o.reflect(j, x)
			o.R[j][k] = x[j]
		}
		clear(x[:k])
		alpha := -math.Sqrt(dot6(x, x))
		if x[k] < reflectBack*-alpha {
			alpha = -alpha
		}
		o.R[k][k] = alpha
		x[k] -= alpha
		if o.beta[k] = 0; alpha != 0 {
			o.beta[k] = 2 / dot6(x, x)
		}
	}
}

// reflectBack is the entry of a column of length 1 below which it is reflected to the other side. The rows jump there.
// Zero would lose the fewest digits, but axes along each other and across each other have zeros.
const reflectBack = -0.4137

// reflect applies the reflection of column k to x.
func (o *orthogonal) reflect(k int, x *[6]float64) {
	v := &o.v[k]
	s := o.beta[k] * dot6(v, x)
	for i := k; i < 6; i++ {
		x[i] -= s * v[i]
	}
}

// column stores column j of the orthogonal matrix of n reflections in x.
func (o *orthogonal) column(x *[6]float64, j, n int) {
	*x = [6]float64{}
	x[j] = 1
	for k := n - 1; k >= 0; k-- {
		o.reflect(k, x)
	}
}

// leastPivot is the least pivot of R that is divided by: below it S has lost its rank.
const leastPivot = 1e-14

// settle finds the Posture of s at f and its complement.
func (c *complement) settle(s *Spec, f *Frames) {
	var (
		x       pose
		o       orthogonal
		inverse [MaxAxes][MaxAxes]float64
		Q       [6]float64
	)
	x.set(f)
	c.find(s.Axes, &x, f.Near)
	o.factor(&c.Posture)
	n := c.n
	c.worst = o.invert(&inverse, n)
	for k := range n { // D = Q·R⁻ᵀ, by the lengths of the columns
		o.column(&Q, k, n)
		for i := range k + 1 {
			w := inverse[i][k] / o.length[i]
			for e := range Q {
				c.D[i][e] += w * Q[e]
			}
		}
	}
	for k := n; k < 6; k++ { // T is across S
		o.column((*[6]float64)(&c.T[k-n]), k, n)
	}
}

// invert stores the inverse of R, of n columns, in inv and returns its size, the root of the sum of the squares of its entries.
func (o *orthogonal) invert(inv *[MaxAxes][MaxAxes]float64, n int) float64 {
	sum := 0.0
	for k := range n {
		pivot := o.R[k][k]
		if math.Abs(pivot) < leastPivot {
			pivot = math.Copysign(leastPivot, pivot)
		}
		inv[k][k] = 1 / pivot
		for i := k - 1; i >= 0; i-- {
			t := 0.0
			for j := i; j < k; j++ {
				t -= inv[i][j] * o.R[j][k]
			}
			inv[i][k] = t / pivot
		}
		for i := range k + 1 {
			sum += inv[i][k] * inv[i][k]
		}
	}
	return math.Sqrt(sum)
}

// SettleTo stores in p the posture of the composite joint s at f, theory.md (C4), and
// in qd the rates of its coordinates, by D of (C5); entries past the axes are zero.
//
// Cost: O(1), no allocation. It returns ErrSingular where the pose does not determine the rates.
func (s *Spec) SettleTo(p *Posture, qd *[6]float64, f *Frames) error {
	var (
		c       complement
		rates   [MaxAxes]float64
		v, bias spatial.Motion
	)
	s.mustBeComposite()
	c.settle(s, f)
	if !c.settled() {
		return ErrSingular
	}
	c.rates(&rates, &v, &bias, f)
	*p, *qd = c.Posture, [6]float64{}
	copy(qd[:], rates[:])
	return nil
}

const (
	// lostRank is the size of R⁻¹ at which S counts as having lost its rank.
	lostRank = 1e10
	// surely is a size of R⁻¹ so small that no error of a pose moves the rows by firm.
	surely = 100
	// loose is the error of a pose that rounding makes, m and rad, for lengths of order 1.
	loose = 1e-15
	// firm is the error of a row, relative to its size, up to which the pose determines the row.
	firm = 1e-9
)

// settled reports whether the pose determines the rows and the duals. An error δS of the columns moves a row T by −D·δSᵀT.
// So does an error δ of the pose, which moves the coordinates by D·δ, and these the columns: theory.md (C6). Near a
// pose where S loses its rank, D is large.
func (c *complement) settled() bool {
	if !(c.worst < lostRank) {
		return false
	}
	if c.worst < surely {
		return true
	}
	var moved [6]float64
	var size [MaxAxes]float64
	for i := range c.n {
		size[i] = norm6((*[6]float64)(&c.D[i]))
	}
	rows := 6 - c.n
	for k := range moved {
		for i := range c.n {
			moved[k] += size[i] // by rounding of the columns
		}
	}
	for j := range c.n {
		var Sd [MaxAxes]spatial.Motion
		var unit [MaxAxes]float64
		unit[j] = 1
		c.RatesTo(&Sd, &unit)
		for i := range c.n {
			for k := range rows {
				moved[k] += size[i] * size[j] * math.Abs(Sd[i].Dot(&c.T[k]))
			}
			for k := range c.n {
				moved[rows+k] += size[i] * size[j] * math.Abs(Sd[i].Dot(&c.D[k])) / size[k]
			}
		}
	}
	for _, x := range moved[:6] {
		if !(loose*x <= firm) {
			return false
		}
	}
	return true
}

func norm6(a *[6]float64) float64 { return math.Sqrt(dot6(a, a)) }

// rates stores in qd the rates of the coordinates, in v the velocity of S that they make, and in bias the derivative of
// v that they make with constant rates, axes of P.
func (c *complement) rates(qd *[MaxAxes]float64, v, bias *spatial.Motion, f *Frames) {
	var world, V spatial.Motion
	var Sd [MaxAxes]spatial.Motion
	f.RelativeVelocityTo(&world)
	f.EP.TMulVecTo((*spatial.Vec3)(V[:3]), (*spatial.Vec3)(world[:3]))
	f.EP.TMulVecTo((*spatial.Vec3)(V[3:]), (*spatial.Vec3)(world[3:]))
	for k := range c.n {
		qd[k] = V.Dot(&c.D[k])
	}
	c.RatesTo(&Sd, qd)
	*v, *bias = spatial.Motion{}, spatial.Motion{}
	for k := range c.n {
		for e := range v {
			v[e] += qd[k] * c.S[k][e]
			bias[e] += qd[k] * Sd[k][e]
		}
	}
}

// outTo stores in dst the wrench or motion a, in axes of P, in world axes.
func outTo(dst, a *[6]float64, EP *spatial.Mat3) {
	EP.MulVecTo((*spatial.Vec3)(dst[:3]), (*spatial.Vec3)(a[:3]))
	EP.MulVecTo((*spatial.Vec3)(dst[3:]), (*spatial.Vec3)(a[3:]))
}

// compositeRows fills out with the rows of the joint and those of its prescribed freedoms at the time t. It returns
// false if the pose does not determine them.
func (s *Spec) compositeRows(out *Rows, f *Frames, t float64) bool {
	var (
		c       complement
		qd      [MaxAxes]float64
		v, bias spatial.Motion
	)
	c.settle(s, f)
	if !c.settled() {
		return false
	}
	c.rates(&qd, &v, &bias, f)
	f.EP.MulVecTo(&out.Arm, &c.R)
	f.EP.MulVecTo(&out.Slip, (*spatial.Vec3)(v[3:]))
	for k := range 6 - c.n {
		out.TDot[k] = -bias.Dot(&c.T[k])
		outTo((*[6]float64)(&out.T[k]), (*[6]float64)(&c.T[k]), &f.EP)
	}
	out.N = 6 - c.n
	for i := range c.n {
		if s.Prescribed(i) {
			k := out.N
			out.TDot[k] = -bias.Dot(&c.D[i])
			outTo((*[6]float64)(&out.T[k]), (*[6]float64)(&c.D[i]), &f.EP)
			_, out.Sigma[k], out.SigmaDot[k] = s.Motion[i].At(t)
			out.N++
		}
	}
	return true
}

// compositeDuals stores in D the forces, in the world, that are dual to the motions of a composite joint, and returns how many there are.
func (s *Spec) compositeDuals(D *[6]spatial.Force, f *Frames) int {
	var c complement
	c.settle(s, f)
	for i := range c.n {
		outTo((*[6]float64)(&D[i]), (*[6]float64)(&c.D[i]), &f.EP)
	}
	return c.n
}

// compositeFreedoms fills out with a row for each freedom, as FreedomRowsTo.
func (s *Spec) compositeFreedoms(out *Rows, f *Frames) {
	var (
		c       complement
		qd      [MaxAxes]float64
		v, bias spatial.Motion
	)
	c.settle(s, f)
	c.rates(&qd, &v, &bias, f)
	f.EP.MulVecTo(&out.Arm, &c.R)
	f.EP.MulVecTo(&out.Slip, (*spatial.Vec3)(v[3:]))
	for i := range c.n {
		out.TDot[i] = -bias.Dot(&c.D[i])
		outTo((*[6]float64)(&out.T[i]), (*[6]float64)(&c.D[i]), &f.EP)
	}
	out.N = c.n
}

// compositeBend is BendTo of a composite joint, theory.md (C7): its axes turn. Changes that multipliers of the joint's rows can make are
// left out.
func (s *Spec) compositeBend(B *[36]float64, w *spatial.Force, f *Frames) {
	var c complement
	var W spatial.Force
	var D [MaxAxes][6]float64
	c.settle(s, f)
	f.EP.TMulVecTo((*spatial.Vec3)(W[:3]), (*spatial.Vec3)(w[:3]))
	f.EP.TMulVecTo((*spatial.Vec3)(W[3:]), (*spatial.Vec3)(w[3:]))
	for i := range c.n {
		outTo(&D[i], (*[6]float64)(&c.D[i]), &f.EP)
	}
	for j := range c.n {
		var Sd [MaxAxes]spatial.Motion
		var unit [MaxAxes]float64
		unit[j] = 1
		c.RatesTo(&Sd, &unit)
		for i := range c.n {
			g := Sd[i].Dot(&W)
			for k := range 6 {
				for l := range 6 {
					B[6*k+l] += g * D[i][k] * D[j][l]
				}
			}
		}
	}
}

// compositeMotions stores in S the motions of a composite joint's freedoms, in the world.
func (s *Spec) compositeMotions(S *[6]spatial.Motion, f *Frames) {
	var p Posture
	var x pose
	x.set(f)
	p.find(s.Axes, &x, f.Near)
	for i := range p.n {
		outTo((*[6]float64)(&S[i]), (*[6]float64)(&p.S[i]), &f.EP)
	}
}

// compositeCoordinates stores the angles within half a turn of f.Near, if that is there.
func (s *Spec) compositeCoordinates(q *[6]float64, f *Frames) {
	var p Posture
	var x pose
	x.set(f)
	p.find(s.Axes, &x, f.Near)
	for i := range p.n {
		if q[i] = p.Q[i]; f.Near != nil && s.Winds(i) {
			q[i] = algebra.NearTurn(q[i], f.Near[i])
		}
	}
}

// compositeError stores, along each row, the displacement of S from the pose at its coordinates to its actual pose: rotation vector and
// translation, 1 rad as 1 m.
func (s *Spec) compositeError(delta *[6]float64, f *Frames) {
	var (
		c complement
		x pose
		e spatial.Motion
	)
	x.set(f)
	c.settle(s, f)
	c.errorTo(&e, &x)
	for k := range 6 - c.n {
		delta[k] = e.Dot(&c.T[k])
	}
}
