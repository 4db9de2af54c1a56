package adjoint

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ahead replaces the changes z of the state and a of the accelerations at the start of a step by the changes at its end, theory.md (V20).
// Entry k is along the parameters of direction k. All directions are taken together, so that the field is set to each state once.
func (s *rattleStep[F]) ahead(end *mechanism.State, z, a [][]float64) (gap float64, err error) {
	six := len(s.closing)
	right := s.tableOf(len(z), len(s.right))
	if gap, err = s.holdStart(); err != nil {
		return gap, err
	}
	// At the start: the change of M₀x − J₀ᵀξ, and from the state to q̃ and w.
	for k := range z {
		clear(s.dx)
		addPoses(s.dx, z[k])
		if err := s.field.ResidualTo(right[k], s.dx, k, nil); err != nil {
			return gap, err
		}
		s.travelAhead(z[k], a[k])
	}
	// At q₁: the change of the position errors, and then (V21).
	if err := s.field.HoldErrors(s.from, end); err != nil {
		return gap, err
	}
	for k := range z {
		clear(s.dx)
		addPoses(s.dx, z[k])
		if err := s.field.ResidualTo(s.right, s.dx, k, nil); err != nil {
			return gap, err
		}
		copy(s.right, right[k][:six])
		if err := s.closeAhead(s.da, k); err != nil {
			return gap, err
		}
		s.movedBy(s.da)
		// q₁ = exp(−x)·q̃ and v½ = w − x/h.
		for i := range s.from.Bodies {
			y := z[k][PerBody*i:]
			for j := range 6 {
				y[j] += s.dxi[PerBody*i+j]
				y[6+j] -= s.da[6*i+j] / s.h
			}
		}
	}
	more, err := s.endAhead(end, z, a)
	return max(gap, more), err
}

// endAhead is the second part of ahead: from closed poses to the end.
func (s *rattleStep[F]) endAhead(end *mechanism.State, z, a [][]float64) (gap float64, err error) {
	if err := s.field.At(s.acc, &s.middle); err != nil {
		return 0, err
	}
	// a₁ = a(q₁, v½ + h/2·a₀), and then v½ + h/2·a₁.
	for k := range z {
		copy(s.dxi, z[k])
		addRates(s.dxi, s.h/2, a[k])
		if err := s.field.PushOneTo(a[k], s.dxi, k); err != nil {
			return 0, err
		}
		addRates(z[k], s.h/2, a[k])
	}
	// The projection to v₁.
	if gap, err = s.holdEnd(end); err != nil {
		return gap, err
	}
	for k := range z {
		for i := range s.from.Bodies {
			copy(s.dv[6*i:], z[k][PerBody*i+6:][:6])
		}
		if err := s.leastAhead(z[k], k, s.dv); err != nil {
			return gap, err
		}
		for i := range s.from.Bodies {
			copy(z[k][PerBody*i+6:][:6], s.y[6*i:])
		}
	}
	return gap, nil
}

// addRates adds s times a, six numbers a body, to the velocities of x.
func addRates(x []float64, s float64, a []float64) {
	for i, v := range a {
		x[PerBody*(i/6)+6+i%6] += s * v
	}
}

// travelAhead replaces the changes z of the start of a step by the changes at the end of the free travel, turned with the closing. a are
// the changes of the accelerations that the step takes over.
func (s *rattleStep[F]) travelAhead(z, a []float64) {
	for i := range s.from.Bodies {
		y := z[PerBody*i:][:PerBody]
		var own [6]float64
		for j := range own {
			y[6+j] += s.h / 2 * a[6*i+j]
			own[j] = s.h * y[6+j]
		}
		theta, phi := (*spatial.Vec3)(s.turn[3*i:]), (*spatial.Vec3)(y[:3])
		spatial.DexpTo((*spatial.Vec3)(own[:]), theta, (*spatial.Vec3)(own[:]))
		*phi = s.turned[i].Rotate(*phi)
		for j := range own {
			y[j] += own[j]
		}
	}
	for i := range s.from.Bodies {
		phi := (*spatial.Vec3)(z[PerBody*i:])
		*phi = s.closed[i].Rotate(*phi)
	}
}

// backOver is the transpose of ahead: it replaces the cotangents in g of the end of a step by the cotangents of its start.
func (s *rattleStep[F]) backOver(end *mechanism.State, g []Gradient) (gap float64, err error) {
	if gap, err = s.holdEnd(end); err != nil {
		return gap, err
	}
	for i := range g {
		if err := s.ratesBack(g[i].Start, g[i].Kept, g[i].Parameters); err != nil {
			return gap, err
		}
	}
	if err := s.field.At(s.acc, &s.middle); err != nil {
		return gap, err
	}
	for i := range g {
		if err := s.middleBack(g[i].Start, g[i].Kept, g[i].Parameters); err != nil {
			return gap, err
		}
	}
	more, err := s.startBack(end, g)
	return max(gap, more), err
}

// startBack is the second part of backOver: from closed poses to the start.
func (s *rattleStep[F]) startBack(end *mechanism.State, g []Gradient) (gap float64, err error) {
	n := len(s.closing)
	if err := s.field.HoldErrors(s.from, end); err != nil {
		return 0, err
	}
	eta := s.tableOf(len(g), n)
	for k := range g {
		x := g[k].Start
		bar := eta[k] // the cotangent of x, by v½ = w − x/h and by q₁ = exp(−x)·q̃
		for i := range s.from.Bodies {
			for j := range 6 {
				bar[6*i+j] = -x[PerBody*i+6+j] / s.h
			}
		}
		s.movedBack(bar, x)
		// (V22): s.sum is η, followed by ν.
		if err := s.closeBack(bar, k); err != nil {
			return gap, err
		}
		copy(bar, s.sum[:n])
		if err := s.field.ErrorsBackTo(x, g[k].Parameters, s.sum[n:]); err != nil {
			return gap, err
		}
		for i := range s.from.Bodies {
			phi := (*spatial.Vec3)(x[PerBody*i:]) // from q₁ to q̃
			*phi = s.closed[i].Conj().Rotate(*phi)
		}
	}
	// At the start: from q̃ and w to the state, and M₀x − J₀ᵀξ with the cotangent −η.
	if gap, err = s.holdStart(); err != nil {
		return gap, err
	}
	for k := range g {
		s.travelBack(g[k].Start, g[k].Kept)
		clear(s.y)
		for i, e := range eta[k] {
			s.y[i] = -e
		}
		clear(s.back)
		if err := s.field.ResidualBackTo(s.back, g[k].Parameters, s.da, s.y); err != nil {
			return gap, err
		}
		addPoses(g[k].Start, s.back)
	}
	return gap, nil
}

// ratesBack takes cotangents back over the projection of the velocities at the end. It replaces x, of the state, and adds to a, of the
// accelerations there, and to p, of the parameters.
func (s *rattleStep[F]) ratesBack(x, a, p []float64) error {
	clear(s.right)
	for i := range s.from.Bodies {
		copy(s.right[6*i:][:6], x[PerBody*i+6:])
	}
	if err := s.leastBack(p, s.field.RatesAnswerTo); err != nil {
		return err
	}
	addPoses(x, s.back)
	for i := range s.from.Bodies {
		for j := range 6 {
			x[PerBody*i+6+j] = s.dv[6*i+j]
			a[6*i+j] += s.h / 2 * s.dv[6*i+j]
		}
	}
	return nil
}

// middleBack takes the cotangents a of the accelerations at the end back to the state there, which it adds to x, and replaces a by the
// cotangents of the accelerations that the step takes over.
func (s *rattleStep[F]) middleBack(x, a, p []float64) error {
	clear(s.dxi)
	if err := pullAccelerations[F](s.field, s.dxi, p, a); err != nil {
		return err
	}
	for i := range s.from.Bodies {
		for j := range 6 {
			x[PerBody*i+j] += s.dxi[PerBody*i+j]
			v := s.dxi[PerBody*i+6+j]
			x[PerBody*i+6+j] += v
			a[6*i+j] = s.h / 2 * v
		}
	}
	return nil
}

// travelBack is the transpose of travelAhead, without the rotation of the closing.
func (s *rattleStep[F]) travelBack(x, a []float64) {
	for i := range s.from.Bodies {
		y := x[PerBody*i:][:PerBody]
		minus, phi := (*spatial.Vec3)(s.turn[3*i:]).Neg(), spatial.Vec3(y[:3])
		own := [6]float64{3: y[3], 4: y[4], 5: y[5]}
		spatial.DexpTo((*spatial.Vec3)(own[:]), &minus, &phi)
		turned := s.turned[i].Conj().Rotate(phi)
		copy(y[:3], turned[:])
		for j := range own {
			y[6+j] += s.h * own[j]
			a[6*i+j] += s.h / 2 * y[6+j]
		}
	}
}
