package adjoint

import "github.com/rung-mbd/rung/spatial"

// stepAhead replaces the changes z of the start of a step by the changes of its end, with the velocities of the method, along the
// parameters of direction k (−1: none), theory.md (V17). The field holds the step.
func (s *alphaStep[F]) stepAhead(z *alphaState, k int) error {
	c, h := &s.c, s.h
	f, m := c.F/(1-c.M), c.M/(1-c.M)
	for i := range s.raw.Bodies {
		y := z.x[PerBody*i:][:PerBody]
		theta := (*spatial.Vec3)(s.x[6*i:])
		var own [6]float64
		for j := range 6 {
			at := 6*i + j
			// a₁, x and v₁ of (51) without the part of δu₁, which follows below.
			a := f*z.u[at] - m*z.a[at]
			own[j] = h*(y[6+j]+z.w[at]) + h*h*((0.5-c.Beta)*z.a[at]+c.Beta*a)
			y[6+j] += z.w[at] + h*((1-c.Gamma)*z.a[at]+c.Gamma*a)
			z.change[at] = a - z.a[at]
			z.a[at] = a
		}
		// q₁ = exp(x)·q₀, (V1).
		phi := (*spatial.Vec3)(y[:3])
		spatial.DexpTo((*spatial.Vec3)(own[:]), theta, (*spatial.Vec3)(own[:]))
		*phi = spatial.Exp(*theta).Rotate(*phi)
		for j := range 6 {
			y[j] += own[j]
		}
	}
	// δu₁, (V18), and the poses, velocities and a₁ by it.
	if err := s.field.ResidualTo(s.right, z.x, k, nil); err != nil {
		return err
	}
	if err := s.forwardSolve(z.u); err != nil {
		return err
	}
	s.moveTo(s.dx, z.u)
	for i, x := range s.dx {
		z.x[i] += x
	}
	for i, u := range z.u {
		z.a[i] += c.Gain * u
		z.change[i] += c.Gain * u
	}
	return nil
}

// ratesAhead takes the changes z over the projection of velocities at the end of a step. The field holds the rates there.
func (s *alphaStep[F]) ratesAhead(z *alphaState, k int) error {
	for i := range s.raw.Bodies {
		copy(s.dv[6*i:], z.x[PerBody*i+6:][:6])
	}
	if err := s.leastAhead(z.x, k, s.dv); err != nil {
		return err
	}
	for i := range s.raw.Bodies {
		v := z.x[PerBody*i+6:][:6]
		for j := range 6 {
			z.w[6*i+j] = v[j] - s.y[6*i+j]
			v[j] = s.y[6*i+j]
		}
	}
	return nil
}

// leastAhead stores in s.y the changes of the projected velocities. x holds the changes of poses, and dv the changes of the velocities
// before the projection.
func (s *ratesStep[F]) leastAhead(x []float64, k int, dv []float64) error {
	clear(s.dx)
	addPoses(s.dx, x)
	for i, v := range dv {
		s.da[i] = -v
	}
	if err := s.rates.ResidualTo(s.right, s.dx, k, s.da); err != nil {
		return err
	}
	negate(s.right)
	return s.rates.RatesAnswerTo(s.y, s.right)
}

// keepAhead replaces the changes z at the end of a step by the changes that the next step takes over. r is the length of the next step
// divided by the length of this one.
func (s *alphaStep[F]) keepAhead(z *alphaState, r float64) {
	for i, c := range z.change {
		z.a[i] += s.c.Shift * (r - 1) * c
		z.w[i] *= r * r
	}
}
