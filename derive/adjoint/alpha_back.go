package adjoint

import "github.com/rung-mbd/rung/spatial"

// ratesBack replaces the cotangents z of the end of a step with projected velocities by the cotangents with the velocities of the method.
// It adds the cotangents of parameters to p. The field holds the rates there.
func (s *alphaStep[F]) ratesBack(z *alphaState, p []float64) error {
	clear(s.right)
	for i := range s.raw.Bodies {
		v := z.x[PerBody*i+6:][:6]
		for j := range 6 {
			s.right[6*i+j] = v[j] - z.w[6*i+j]
		}
	}
	if err := s.leastBack(p, s.rates.RatesAnswerTo); err != nil {
		return err
	}
	for i := range s.raw.Bodies {
		y, v := z.x[PerBody*i:], s.dv[6*i:]
		for j := range 6 {
			y[j] += s.back[PerBody*i+j]
			y[6+j] = z.w[6*i+j] + v[j]
		}
	}
	clear(z.w)
	return nil
}

// leastBack is the transpose of leastAhead for the cotangents s.right of the projected velocities. It stores the cotangents of the
// velocities before the projection in s.dv and the cotangents of the poses in s.back, and adds the cotangents of the parameters to p.
// answer solves with the matrix of the projection.
func (s *ratesStep[F]) leastBack(p []float64, answer func(x, right []float64) error) error {
	if err := answer(s.y, s.right); err != nil {
		return err
	}
	negate(s.y)
	clear(s.back)
	if err := s.rates.ResidualBackTo(s.back, p, s.dv, s.y); err != nil {
		return err
	}
	negate(s.dv) // the residual has the old velocities with the factor −1
	return nil
}

// stepBack replaces the cotangents z of the end of a step, with the velocities of the method, by the cotangents of its start: the transpose
// of (51) to (55) and (V18) of theory.md, from the last line to the first. It adds the cotangents of parameters to p. The field holds the
// step.
func (s *alphaStep[F]) stepBack(z *alphaState, p []float64) error {
	c, h := &s.c, s.h
	// The cotangent of u₁: direct, by a₁ and its change, and by poses and velocities, (56).
	for i := range z.a {
		z.a[i] += z.change[i]
		s.da[i] = z.u[i] + c.Gain*z.a[i]
	}
	s.moveBackTo(s.da, z.x)
	// (V18) transposed: s.y has the cotangents of the residual.
	if err := s.backSolve(s.da); err != nil {
		return err
	}
	negate(s.y)
	if err := s.field.ResidualBackTo(z.x, p, s.da, s.y); err != nil {
		return err
	}
	// (51) for u₁ held, transposed.
	f, m := c.F/(1-c.M), c.M/(1-c.M)
	for i := range s.raw.Bodies {
		y := z.x[PerBody*i:][:PerBody]
		theta := spatial.Vec3(s.x[6*i:])
		minus, phi := theta.Neg(), spatial.Vec3(y[:3])
		own := [6]float64{3: y[3], 4: y[4], 5: y[5]}
		spatial.DexpTo((*spatial.Vec3)(own[:]), &minus, &phi)
		turned := spatial.Exp(minus).Rotate(phi)
		copy(y[:3], turned[:])
		for j := range 6 {
			at, x, v := 6*i+j, own[j], y[6+j] // x and v: cotangents of x and v₁ of (51); a: cotangent of a₁
			a := z.a[at] + h*h*c.Beta*x + h*c.Gamma*v
			z.u[at] = f * a
			z.a[at] = h*h*(0.5-c.Beta)*x + h*(1-c.Gamma)*v - m*a - z.change[at]
			y[6+j] = h*x + v
			z.w[at] = y[6+j]
			z.change[at] = 0
		}
	}
	return nil
}

// keepBack is the transpose of keepAhead: it replaces the cotangents z at the start of a step by the cotangents of what the step before has
// left. r is the length of this step divided by the length of the one before.
func (s *alphaStep[F]) keepBack(z *alphaState, r float64) {
	for i, a := range z.a {
		z.change[i] = s.c.Shift * (r - 1) * a
		z.w[i] *= r * r
	}
}
