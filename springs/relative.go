package springs

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// ErrHalfTurn is returned for two frames that are half a turn apart: the shorter way from one to the other is not unique.
var ErrHalfTurn = errors.New("springs: frames are half a turn apart")

// halfTurn is the cosine of half the angle between two frames up to which they count as half a turn apart.
const halfTurn = 1e-10

// Relative is the pose of a frame B relative to a frame A, docs/springs.md (E4). With θ the rotation vector from A to B, H =
// A·exp(θ/2) the axes half-way, and d the vector from the origin of A to the origin of B,
//
//	x = (θ, d),   both in the axes of H.
//
// If A and B are exchanged, H stays and x changes its sign.
type Relative struct {
	H        spatial.Mat3 // columns are the axes half-way, world axes
	Theta, D spatial.Vec3 // θ, rad, and d, m; axes of H

	// Functions of u = θ² and their derivatives, docs/springs.md (E5):
	// g = (θ/2)/sin(θ/2), h = (1−g)/u and t = tan(θ/4)/θ.
	g, h, t    float64
	gu, hu, tu float64
}

// SetTo sets r by the rotations qA and qB of A and B, unit quaternions to the world, and by the vector line from the origin of A to the
// origin of B, world axes, m.
//
// Cost: O(1), no allocation. It returns ErrHalfTurn.
func (r *Relative) SetTo(qA, qB *spatial.Quat, line *spatial.Vec3) error {
	q := qA.Conj().Mul(*qB).Normalize()
	if q[0] < 0 {
		q = spatial.Quat{-q[0], -q[1], -q[2], -q[3]}
	}
	if !(q[0] > halfTurn) {
		return ErrHalfTurn
	}
	v := spatial.Vec3{q[1], q[2], q[3]}
	s := v.Norm()
	scale := 2.0 // θ/sin(θ/2)
	if s > 0 {
		scale = 2 * math.Atan2(s, q[0]) / s
	}
	r.Theta = v.Scale(scale)
	half := qA.Mul(spatial.Quat{1 + q[0], q[1], q[2], q[3]}).Normalize()
	half.MatTo(&r.H)
	r.D = r.H.TMulVec(*line)
	r.functions(r.Theta.Dot(r.Theta), s, q[0])
	return nil
}

// smallTurn is u = θ², rad², below which series are more accurate than the closed forms.
const smallTurn = 1

// The coefficients of the series of x/sin x and of tan x/x, in powers of x².
var (
	sineSeries = [...]float64{
		1, 1.0 / 6, 7.0 / 360, 31.0 / 15120, 127.0 / 604800, 73.0 / 3421440, 1414477.0 / 653837184000, 8191.0 / 37362124800,
		16931177.0 / 762187345920000, 5749691557.0 / 2554547108585472000, 91546277357.0 / 401428831349145600000, 3324754717.0 / 143888775912161280000,
	}
	tangentSeries = [...]float64{
		1, 1.0 / 3, 2.0 / 15, 17.0 / 315, 62.0 / 2835, 1382.0 / 155925, 21844.0 / 6081075, 929569.0 / 638512875, 6404582.0 / 10854718875,
		443861162.0 / 1856156927625, 18888466084.0 / 194896477400625, 113927491862.0 / 2900518163668125,
	}
)

// functions stores in r the functions g, h and t and their derivatives by u, at u = θ². s and c are the sine and cosine of θ/2.
func (r *Relative) functions(u, s, c float64) {
	if u < smallTurn {
		const x, y = 1.0 / 4, 1.0 / 16 // (θ/2)²/u and (θ/4)²/u
		r.g, r.gu = series(sineSeries[:], x*u)
		r.gu *= x
		h, hu := series(sineSeries[1:], x*u) // (g−1)/(u/4)
		r.h, r.hu = -x*h, -x*x*hu
		t, tu := series(tangentSeries[:], y*u)
		r.t, r.tu = t/4, y*tu/4
		return
	}
	theta := math.Sqrt(u)
	tan := s / (1 + c) // tan(θ/4)
	r.g = theta / 2 / s
	r.gu = (1 - r.g*c) / (4 * theta * s)
	r.h = (1 - r.g) / u
	r.hu = -(r.gu + r.h) / u
	r.t = tan / theta
	r.tu = ((1+tan*tan)/4 - r.t) / (2 * u)
}

// series returns the polynomial with the coefficients c, of increasing powers, at x, and its derivative.
func series(c []float64, x float64) (p, d float64) {
	for i := len(c) - 1; i >= 0; i-- {
		d = d*x + p
		p = p*x + c[i]
	}
	return p, d
}

// X returns x = (θ, d).
func (r *Relative) X() [6]float64 {
	return [6]float64{r.Theta[0], r.Theta[1], r.Theta[2], r.D[0], r.D[1], r.D[2]}
}

// Twist is a motion of A and B, world axes: velocities, or small displacements.
type Twist struct {
	A, B spatial.Vec3 // rotations of A and B, rad/s or rad
	Line spatial.Vec3 // translation of B's origin minus translation of A's origin, m/s or m
}

// local is a Twist in the axes of H: the mean rotation, the rotation of B minus the rotation of A, and Line.
type local struct{ mean, turn, line spatial.Vec3 }

// local returns w in the axes of H.
func (r *Relative) local(w *Twist) local {
	return local{r.H.TMulVec(w.A.Add(w.B).Scale(0.5)), r.H.TMulVec(w.B.Sub(w.A)), r.H.TMulVec(w.Line)}
}

// change returns the changes of θ and d, and the rotation turn of H, by a local twist, docs/springs.md (E6); all in the axes of H.
func (r *Relative) change(w *local) (theta, d, turn spatial.Vec3) {
	theta = w.turn.Scale(r.g).Add(r.Theta.Scale(r.h * r.Theta.Dot(w.turn)))
	turn = w.mean.Sub(r.Theta.Cross(w.turn).Scale(r.t / 2))
	return theta, w.line.Sub(turn.Cross(r.D)), turn
}

// RateTo stores in x the rate or change of (θ, d) by a twist, docs/springs.md (E6).
func (r *Relative) RateTo(x *[6]float64, w *Twist) {
	l := r.local(w)
	theta, d, _ := r.change(&l)
	for i := range 3 {
		x[i], x[3+i] = theta[i], d[i]
	}
}

// WrenchTo stores the wrenches that do the work s·ẋ for the generalized forces s of x, docs/springs.md
// (E7): onA on A at its origin and onB on B at its origin, world axes.
func (r *Relative) WrenchTo(onA, onB *spatial.Force, s *[6]float64) {
	m, f := spatial.Vec3(s[:3]), spatial.Vec3(s[3:])
	c := f.Cross(r.D)
	turn := m.Scale(r.g).Add(r.Theta.Scale(r.h * r.Theta.Dot(m))).Sub(c.Cross(r.Theta).Scale(r.t / 2))
	r.toWorld(onA, onB, &turn, &c, &f)
}

// toWorld stores in onA and onB, in world axes, the wrenches that have the moments c/2 ∓ turn and the forces ∓f in the axes of H, with the
// upper sign on A.
func (r *Relative) toWorld(onA, onB *spatial.Force, turn, c, f *spatial.Vec3) {
	half := c.Scale(0.5)
	F := r.H.MulVec(*f)
	*onA = spatial.NewForce(r.H.MulVec(half.Sub(*turn)), F.Neg())
	*onB = spatial.NewForce(r.H.MulVec(half.Add(*turn)), F)
}

// Variation has the changes of a Relative, of its rates and of its wrenches by one small displacement.
type Variation struct {
	r *Relative

	theta, d, turn spatial.Vec3 // changes of θ and d, and rotation of H; axes of H
	dg, dh, dt     float64      // changes of g, h and t
}

// Variation returns the changes of r by a small displacement w, to first order.
func (r *Relative) Variation(w *Twist) (b Variation) {
	l := r.local(w)
	b.r = r
	b.theta, b.d, b.turn = r.change(&l)
	du := 2 * r.Theta.Dot(b.theta)
	b.dg, b.dh, b.dt = r.gu*du, r.hu*du, r.tu*du
	return b
}

// X returns the change of x = (θ, d).
func (b *Variation) X() [6]float64 {
	return [6]float64{b.theta[0], b.theta[1], b.theta[2], b.d[0], b.d[1], b.d[2]}
}

// RateTo stores in x the change of the rate ẋ by the displacement, for bodies that move with the twist w. The angular velocities of w do
// not change with the displacement, and w.Line changes by line, world axes, m/s.
func (b *Variation) RateTo(x *[6]float64, w *Twist, line *spatial.Vec3) {
	r := b.r
	l := r.local(w)
	_, _, rate := r.change(&l)
	change := local{ // change of l, with the rotation of H
		mean: l.mean.Cross(b.turn), turn: l.turn.Cross(b.turn), line: l.line.Cross(b.turn).Add(r.H.TMulVec(*line)),
	}
	theta, d, _ := r.change(&change)
	along := r.Theta.Dot(l.turn)
	theta = theta.Add(l.turn.Scale(b.dg)).Add(r.Theta.Scale(b.dh*along + r.h*b.theta.Dot(l.turn))).Add(b.theta.Scale(r.h * along))
	// r.change is with θ, d, g, h and t constant; spin is the part of the change of H's angular velocity by their changes.
	spin := r.Theta.Cross(l.turn).Scale(b.dt / 2).Add(b.theta.Cross(l.turn).Scale(r.t / 2)).Neg()
	d = d.Sub(spin.Cross(r.D)).Sub(rate.Cross(b.d))
	for i := range 3 {
		x[i], x[3+i] = theta[i], d[i]
	}
}

// WrenchTo stores the changes of the wrenches of Relative.WrenchTo by the displacement, world axes, for generalized forces s that change by
// ds.
func (b *Variation) WrenchTo(onA, onB *spatial.Force, s, ds *[6]float64) {
	r := b.r
	m, f := spatial.Vec3(s[:3]), spatial.Vec3(s[3:])
	dm, df := spatial.Vec3(ds[:3]), spatial.Vec3(ds[3:])
	c := f.Cross(r.D)
	turn := m.Scale(r.g).Add(r.Theta.Scale(r.h * r.Theta.Dot(m))).Sub(c.Cross(r.Theta).Scale(r.t / 2))
	dc := df.Cross(r.D).Add(f.Cross(b.d))
	dturn := m.Scale(b.dg).Add(dm.Scale(r.g))
	dturn = dturn.Add(r.Theta.Scale(b.dh*r.Theta.Dot(m) + r.h*(b.theta.Dot(m)+r.Theta.Dot(dm)))).Add(b.theta.Scale(r.h * r.Theta.Dot(m)))
	dturn = dturn.Sub(c.Cross(r.Theta).Scale(b.dt / 2)).Sub(dc.Cross(r.Theta).Add(c.Cross(b.theta)).Scale(r.t / 2))
	// The axes of H rotate as well.
	dturn, dc, df = dturn.Add(b.turn.Cross(turn)), dc.Add(b.turn.Cross(c)), df.Add(b.turn.Cross(f))
	r.toWorld(onA, onB, &dturn, &dc, &df)
}
