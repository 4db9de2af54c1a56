package joints

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// The rows T of a composite joint are the orthonormal complement of the columns of S, with 1 rad taken as 1 m, and the
// duals D are S(SᵀS)⁻¹, so that DᵀS = 1, theory.md (C5). Both move with S. The conditions TᵀS = 0 and DᵀS = 1 leave the
// components of T˚ and D˚ along the rows free; we set them to zero: T˚ = −D·S˚ᵀT, D˚ = −D·S˚ᵀD. So a row has
// T˚·V̂ = −T·S˚q̇, theory.md (C6). Other bases of the rows, and other duals, give the same reaction of the whole joint.

// complement holds the rows and duals at one Posture. Frame: axes of P, about the origin of S.
type complement struct {
	Posture
	T     [6]spatial.Force       // 6 − n rows
	D     [MaxAxes]spatial.Force // n duals
	worst float64                // Frobenius norm of R⁻¹ (orthogonal): large near a loss of rank of S
}

// orthogonal is the QR factorization of S, its columns scaled to length 1, by Householder reflections.
type orthogonal struct {
	R      [MaxAxes][MaxAxes]float64
	v      [MaxAxes][6]float64 // Householder vectors
	beta   [MaxAxes]float64    // 2/v·v
	length [MaxAxes]float64    // lengths of the columns of S
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

// reflectBack chooses the sign of a pivot of R: α is positive where the entry of the column, over its length, is below it. The
// rows jump where the sign changes. A bound of zero would lose the fewest digits, but joints with parallel or perpendicular
// axes often have entries of zero, and their rows would jump.
const reflectBack = -0.4137

// reflect applies the reflection of column k to x.
func (o *orthogonal) reflect(k int, x *[6]float64) {
	v := &o.v[k]
	s := o.beta[k] * dot6(v, x)
	for i := k; i < 6; i++ {
		x[i] -= s * v[i]
	}
}

// column stores in x column j of the product of the first n reflections.
func (o *orthogonal) column(x *[6]float64, j, n int) {
	*x = [6]float64{}
	x[j] = 1
	for k := n - 1; k >= 0; k-- {
		o.reflect(k, x)
	}
}

// leastPivot replaces smaller pivots of R in divisions: there S has lost its rank.
const leastPivot = 1e-14

// settle computes c, the Posture of s at f with its rows and duals.
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
	for k := range n { // D = Q·R⁻ᵀ, divided by the lengths of the columns
		o.column(&Q, k, n)
		for i := range k + 1 {
			w := inverse[i][k] / o.length[i]
			for e := range Q {
				c.D[i][e] += w * Q[e]
			}
		}
	}
	for k := n; k < 6; k++ { // T is the complement of S
		o.column((*[6]float64)(&c.T[k-n]), k, n)
	}
}

// invert stores in inv the inverse of R, an upper triangle of n columns, and returns the Frobenius norm of the inverse.
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
// in qd the rates of its coordinates, by D of (C5), rad/s and m/s. Entries of qd beyond the
// axes are zero.
//
// Cost: O(1), no allocation. It returns ErrSingular where the pose does not determine the rates.
// It panics if s is not composite.
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
	// lostRank is the norm of R⁻¹ at which S counts as having lost its rank.
	lostRank = 1e10
	// surely is a norm of R⁻¹ so small that rounding of the pose moves no row by as much as firm.
	surely = 100
	// loose is the rounding of a pose, m and rad, for lengths of order 1.
	loose = 1e-15
	// firm is the error of a row, relative to its size, up to which the pose determines the row.
	firm = 1e-9
)

// settled reports whether the pose determines the rows and the duals to the relative accuracy firm. An error δS of the columns
// changes a row T by −D·δSᵀT. An error δ of the pose changes the coordinates by D·δ, and thereby the columns: theory.md (C6).
// Near a pose where S loses its rank, D is large, and so are both errors.
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
			moved[k] += size[i] // from rounding of the columns
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

// rates stores in qd the rates of the coordinates at f, in v the velocity S·q̇ relative to P, and in bias the derivative S˚·q̇
// of v at constant rates, axes of P.
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

// outTo stores in dst the wrench or motion a, turned from the axes of P to world axes.
func outTo(dst, a *[6]float64, EP *spatial.Mat3) {
	EP.MulVecTo((*spatial.Vec3)(dst[:3]), (*spatial.Vec3)(a[:3]))
	EP.MulVecTo((*spatial.Vec3)(dst[3:]), (*spatial.Vec3)(a[3:]))
}

// compositeRows fills out with the rows of the joint, followed by the rows of its prescribed freedoms at the time t (s). It
// returns false if the pose does not determine them.
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

// compositeDuals stores in D the forces that are dual to the motions of a composite joint, world axes, and returns their number.
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

// compositeBend adds the term of a composite joint with the wrench w to B, as BendTo does, theory.md (C7): its axes turn. Changes of
// the force that are combinations of the joint's rows are left out.
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

// compositeMotions stores in S the motions of a composite joint's freedoms, world axes.
func (s *Spec) compositeMotions(S *[6]spatial.Motion, f *Frames) {
	var p Posture
	var x pose
	x.set(f)
	p.find(s.Axes, &x, f.Near)
	for i := range p.n {
		outTo((*[6]float64)(&S[i]), (*[6]float64)(&p.S[i]), &f.EP)
	}
}

// compositeCoordinates stores in q the coordinates of a composite joint. Where f.Near is there, angles are within half a turn
// of the angles in it.
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
