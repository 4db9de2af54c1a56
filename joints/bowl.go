package joints

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// A ball may roll inside a sphere about the origin of P, a bowl, or outside one, a dome: theory.md (W9) and (W10). No field of
// tangent directions on a sphere is continuous everywhere. The rows are along the directions to which x and y of P move by the
// shortest rotation that takes the pole to the normal. The pole is z of P, or −z where the normal is far from z.

// ErrMiddle is the error of EvalTo for a ball at the centre of its bowl.
var ErrMiddle = errors.New("joints: the ball of a rolling joint is in the middle of its bowl, so that it touches nowhere")

const (
	// middle is the distance of a ball from the centre of its sphere, relative to the radius of the sphere, up to which the ball
	// counts as at the centre. An error ε of the position turns the normal by ε/distance: beyond middle the error of the rows is
	// 1e-9 of their size at most.
	middle = 1e-6
	// farPole is the cosine between the normal and z below which the pole is −z. It affects only speed.
	farPole = -0.5
)

// checkBowl returns an error that wraps ErrWheel if the bowl of a rolling joint is invalid.
func (s *Spec) checkBowl() error {
	switch {
	case s.Bowl == 0:
		return nil
	case !algebra.Finite(s.Bowl):
		return fmt.Errorf("%w: the radius %v of its bowl is not finite", ErrWheel, s.Bowl)
	case s.Tyre != s.Radius:
		return fmt.Errorf("%w: only a ball rolls in a bowl, and its tyre radius %v is not its radius %v", ErrWheel, s.Tyre, s.Radius)
	case s.Bowl > 0 && s.Bowl <= s.Radius:
		return fmt.Errorf("%w: the radius %v of its bowl is not above its radius %v", ErrWheel, s.Bowl, s.Radius)
	}
	return nil
}

// placeOnSphere places a ball on its sphere. It replaces w.n, w.t and w.l, the z, x and y axes of P on entry, by the normal and the
// tangent directions at the contact. It returns false if the ball is at the centre of the sphere.
func (w *wheel) placeOnSphere(s *Spec, f *Frames) bool {
	w.side = -math.Copysign(1, s.Bowl)
	w.far = f.R.Norm()
	if !(w.far > middle*math.Abs(s.Bowl)) {
		return false
	}
	w.x, w.y, w.pole = w.t, w.l, w.n
	w.n = f.R.Scale(w.side / w.far)
	if spatial.Dot(&w.n, &w.pole) < farPole {
		w.pole = w.pole.Neg()
	}
	w.t, w.l = w.carried(&w.x), w.carried(&w.y)
	w.p = w.n.Scale(-s.Tyre)
	return true
}

// carried returns x, an axis of P at right angles to the pole, after the shortest rotation that takes the pole z to n:
// x − (n·x)/(1 + n·z)·(z + n).
func (w *wheel) carried(x *spatial.Vec3) spatial.Vec3 {
	q := 1 + spatial.Dot(&w.n, &w.pole)
	return x.Sub(w.pole.Add(w.n).Scale(spatial.Dot(&w.n, x) / q))
}

// leaning returns the change of n as the ball moves by a small d, seen from P: ±(d − n·(n·d))/‖R‖, with the sign of w.side.
func (w *wheel) leaning(d *spatial.Vec3) spatial.Vec3 {
	return d.Sub(w.n.Scale(spatial.Dot(&w.n, d))).Scale(w.side / w.far)
}

// carriedBy returns the change of carried(x) as n changes by a small dn.
func (w *wheel) carriedBy(x, dn *spatial.Vec3) spatial.Vec3 {
	q := 1 + spatial.Dot(&w.n, &w.pole)
	a := spatial.Dot(&w.n, x)
	turn := spatial.Dot(dn, x)/q - a*spatial.Dot(dn, &w.pole)/(q*q)
	return w.pole.Add(w.n).Scale(-turn).Sub(dn.Scale(a / q))
}

// bowlBend adds the term of a ball on a sphere to B, as BendTo does, theory.md (W10): n, t, l and p turn as the ball moves.
func (w *wheel) bowlBend(B *[36]float64, s *Spec, force *spatial.Vec3) {
	normal, along, across := spatial.Dot(force, &w.n), spatial.Dot(force, &w.t), spatial.Dot(force, &w.l)
	for k := range 3 {
		var d spatial.Vec3
		d[k] = 1
		dn := w.leaning(&d)
		df := dn.Scale(normal).Add(w.carriedBy(&w.x, &dn).Scale(along)).Add(w.carriedBy(&w.y, &dn).Scale(across))
		dm := dn.Scale(-s.Tyre).Cross(*force).Add(w.p.Cross(df))
		for i := range 3 {
			B[6*i+3+k], B[18+6*i+3+k] = -dm[i], -df[i]
		}
	}
}
