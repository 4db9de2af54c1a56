package adjoint

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// ratesBack takes the cotangents z of the end of a step, whose velocities are on the joints, to those of the velocities
// of the method: the field holds the rates there.
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

// leastBack takes the cotangents s.right of velocities on the joints to those of the velocities that they have been
// made of, in s.dv, of the pose, in s.back, and of the parameters; answer solves with the matrix.
func (s *ratesStep[F]) leastBack(p []float64, answer func(x, right []float64) error) error {
	if err := answer(s.y, s.right); err != nil {
		return err
	}
	negate(s.y)
	clear(s.back)
	if err := s.rates.ResidualBackTo(s.back, p, s.dv, s.y); err != nil {
		return err
	}
	negate(s.dv) // the change of velocities has −1 times the old ones
	return nil
}

// negate changes the signs of x.
func negate(x []float64) {
	for i := range x {
		x[i] = -x[i]
	}
}

// stepBack takes the cotangents z of the end of a step, with the velocities of the method, to those of its start: the
// field holds the step.
func (s *alphaStep[F]) stepBack(z *alphaState, p []float64) error {
	c, h := &s.c, s.h
	for i := range z.a {
		z.a[i] += z.change[i]
		s.da[i] = z.u[i] + c.Gain*z.a[i]
	}
	s.moveBackTo(s.da, z.x)
	if err := s.backSolve(s.da); err != nil {
		return err
	}
	negate(s.y)
	if err := s.field.ResidualBackTo(z.x, p, s.da, s.y); err != nil {
		return err
	}
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
			at, x, v := 6*i+j, own[j], y[6+j]
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

// keepBack takes the cotangents z of what a step has taken over to what the step before has left, for r times its length.
func (s *alphaStep[F]) keepBack(z *alphaState, r float64) {
	for i, a := range z.a {
		z.change[i] = s.c.Shift * (r - 1) * a
		z.w[i] *= r * r
	}
}

// beginning is the start of a run without history, theory.md (54), (55).
type beginning struct {
	end   sim.AlphaEnd     // of the trial step
	u, du []float64        // accelerations at the start, and their change over the trial step
	e, x  []float64        // local error of the positions over the step, and the part of it that the joints allow
	at    *mechanism.State // the start
	st    *mechanism.State // the start with other velocities
}

// begin does the trial step from at over h.
func (s *alphaStep[F]) begin(at *mechanism.State, h float64) (b *beginning, err error) {
	six := len(s.x)
	b = &beginning{u: make([]float64, six), du: make([]float64, six), e: make([]float64, six), x: make([]float64, six)}
	if b.end, err = s.k.Trial(at, at.Time+h); err != nil {
		return nil, err
	}
	b.end.Multipliers = b.end.Multipliers[:s.field.Rows()]
	if err := s.field.At(b.u, at); err != nil {
		return nil, err
	}
	if err := s.field.At(b.du, b.end.State); err != nil {
		return nil, err
	}
	for i := range six {
		b.du[i] -= b.u[i]
		b.e[i] = s.c.Position * h * b.du[i]
	}
	for i := range at.Bodies {
		t := at.Bodies[i].Omega.Cross(spatial.Vec3(b.u[6*i:]))
		for j := range 3 {
			b.e[6*i+j] -= h * h / 12 * t[j]
		}
	}
	b.at, b.st = at, at.Clone()
	if err := s.holdMatrix(b); err != nil {
		return nil, err
	}
	if err := s.holdSoft(b, nil); err != nil {
		return nil, err
	}
	clear(s.dx)
	if err := s.field.ResidualTo(s.right, s.dx, -1, b.e); err != nil { // M·e
		return nil, err
	}
	clear(s.right[six:])
	if err := s.field.StepAnswerTo(s.y, s.right); err != nil {
		return nil, err
	}
	copy(b.x, s.y)
	return b, nil
}

// holdMatrix makes the matrix that of the start, which the trial step has been iterated with and by which e is softened
// (motion.Newton.Soften).
func (s *alphaStep[F]) holdMatrix(b *beginning) error {
	s.span(b.at, &b.end)
	return s.field.HoldStep(b.at, b.u, b.end.Multipliers, s.position(), s.velocity())
}

// holdSoft goes to the rates at the start with the velocities x, or with none.
func (s *alphaStep[F]) holdSoft(b *beginning, x []float64) error {
	for i := range b.st.Bodies {
		arm := b.st.Bodies[i].Rotation.Rotate(s.mech.Bodies[i].Com)
		var v [6]float64
		if x != nil {
			copy(v[:], x[6*i:])
		}
		b.st.Bodies[i].SetComVelocity(&v, &arm)
	}
	clear(s.minus)
	for i := range x {
		s.minus[i] = x[i] - b.e[i]
	}
	_, err := s.field.HoldRates(b.st, s.minus)
	return err
}

// softBack is the transpose of softAhead: the second equation of theory.md (V17) with e in the place of v̂₁ and σ = 0. The
// cotangents of the part of e that the joints allow are −z.w. softBack stores those of e in s.dv, and adds those of the
// poses at the start to z.x and those of the parameters to p.
func (s *alphaStep[F]) softBack(b *beginning, z *alphaState, p []float64) error {
	if err := s.holdMatrix(b); err != nil {
		return err
	}
	if err := s.holdSoft(b, b.x); err != nil {
		return err
	}
	clear(s.right)
	for i, w := range z.w {
		s.right[i] = -w
	}
	if err := s.leastBack(p, s.field.StepAnswerTo); err != nil {
		return err
	}
	addPoses(z.x, s.back)
	// That was with the σ of prescribed motions in the rows J·x − σ. At zero velocities the rows are −σ alone, so their
	// cotangents with the opposite sign take σ out again.
	if err := s.holdSoft(b, nil); err != nil {
		return err
	}
	clear(s.y[:len(s.x)])
	negate(s.y)
	clear(s.back)
	if err := s.field.ResidualBackTo(s.back, p, s.da, s.y); err != nil {
		return err
	}
	addPoses(z.x, s.back)
	return nil
}

// addPoses adds the cotangents of poses.
func addPoses(to, x []float64) {
	for i := 0; i < len(to); i += PerBody {
		for j := range 6 {
			to[i+j] += x[i+j]
		}
	}
}

// beginBack takes the cotangents z of what the first step has begun with to the state there.
func (s *alphaStep[F]) beginBack(at *mechanism.State, b *beginning, z *alphaState, p []float64) error {
	h := b.end.Step
	if err := s.softBack(b, z, p); err != nil {
		return err
	}
	change := make([]float64, len(s.x)) // cotangents of b.du
	for i := range z.w {
		e := z.w[i] + s.dv[i]
		s.dv[i] = e
		change[i] = s.c.Position*h*e + s.c.Shift*z.a[i]
		z.u[i] += z.a[i] - change[i]
	}
	for i := range at.Bodies {
		e := spatial.Vec3(s.dv[6*i:]).Scale(-h * h / 12)
		spin, u := spatial.Vec3(b.u[6*i:]).Cross(e), e.Cross(at.Bodies[i].Omega)
		for j := range 3 {
			z.x[PerBody*i+6+j] += spin[j]
			z.u[6*i+j] += u[j]
		}
	}
	trial := newAlphaState(len(at.Bodies))
	if err := s.field.At(s.acc, b.end.State); err != nil {
		return err
	}
	if _, err := s.field.PullTo(trial.x, p, change, nil, 0); err != nil {
		return err
	}
	s.span(at, &b.end)
	if s.projects() {
		if _, err := s.field.HoldRates(b.end.State, s.minus); err != nil {
			return err
		}
		if err := s.ratesBack(&trial, p); err != nil {
			return err
		}
	}
	if err := s.hold(&b.end); err != nil {
		return err
	}
	if err := s.stepBack(&trial, p); err != nil {
		return err
	}
	for i, x := range trial.x {
		z.x[i] += x
	}
	for i := range z.u {
		z.u[i] += trial.u[i] + trial.a[i]
	}
	if err := s.field.At(s.acc, at); err != nil {
		return err
	}
	if _, err := s.field.PullTo(z.x, p, z.u, nil, 0); err != nil {
		return err
	}
	clear(z.w)
	clear(z.u)
	clear(z.a)
	clear(z.change)
	return nil
}
