package joints

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// A ball may roll inside a sphere about the origin of P, a bowl, or outside one, a dome: theory.md (W9) and (W10). Along a sphere no
// directions go on without a jump everywhere. The rows are along those that follow from x and y of P where z, or −z far from it, is
// turned to the normal by the shortest way.

// ErrMiddle is the failure of EvalTo of a ball in a bowl.
var ErrMiddle = errors.New("joints: the ball of a rolling joint is in the middle of its bowl, so that it touches nowhere")

const (
	// middle is the distance from the middle of a sphere, relative to its radius, up to which a ball is there: an error ε of the
	// place turns the normal by ε/distance, so that beyond it rows have lost 1e-9 of their size at the most.
	middle = 1e-6
	// farPole is the cosine between normal and z below which −z is turned. Another value costs time only.
	farPole = -0.5
)

// checkBowl is Check for the sphere of a rolling joint.
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

// enter places a ball on its sphere: n, t and l from the axes of P, which w has in their place. It returns false in the middle.
func (w *wheel) enter(s *Spec, f *Frames) bool {
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

// carried returns an axis x of P across the pole after the shortest rotation that takes the pole z to n: x − (n·x)/(1 + n·z)·(z + n).
func (w *wheel) carried(x *spatial.Vec3) spatial.Vec3 {
	q := 1 + spatial.Dot(&w.n, &w.pole)
	return x.Sub(w.pole.Add(w.n).Scale(spatial.Dot(&w.n, x) / q))
}

// leaning returns by how much n changes as the ball moves by d as seen from P: ±(d − n·(n·d))/‖R‖.
func (w *wheel) leaning(d *spatial.Vec3) spatial.Vec3 {
	return d.Sub(w.n.Scale(spatial.Dot(&w.n, d))).Scale(w.side / w.far)
}

// carriedBy returns the change of carried as n changes by dn.
func (w *wheel) carriedBy(x, dn *spatial.Vec3) spatial.Vec3 {
	q := 1 + spatial.Dot(&w.n, &w.pole)
	a := spatial.Dot(&w.n, x)
	turn := spatial.Dot(dn, x)/q - a*spatial.Dot(dn, &w.pole)/(q*q)
	return w.pole.Add(w.n).Scale(-turn).Sub(dn.Scale(a / q))
}

// bowlBend is BendTo of a ball on a sphere, theory.md (W10): n, t, l and p turn as the ball moves along.
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
