package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// RatesField is what differentiates steps that bring velocities back to the joints: by the residual M·a − Jᵀλ with
// J·v − σ below, theory.md (V17).
type RatesField[F any] interface {
	TangentField[F]
	// PushOneTo is PushTo for direction k alone.
	PushOneTo(da, dx []float64, k int) error
	// HoldRates goes to a state whose velocities have been changed by change, six numbers a body, such that they fit
	// the joints. off is the part of that along motions that the joints allow, where the change was not the least one;
	// it is the field's.
	HoldRates(st *mechanism.State, change []float64) (off []float64, err error)
	// ResidualTo stores in r how the residual changes with the state by dx, along the parameters of direction k, −1 for
	// none, and with accelerations by da, or nil. Of rates, dx has changes of poses alone.
	//
	// Shapes: r has six entries a body and one a row, dx PerBody a body, da six a body, or as many as r: multipliers with their signs
	// changed are behind them then.
	ResidualTo(r, dx []float64, k int, da []float64) error
	// ResidualBackTo adds to x and p the cotangents of the state and of the parameters for the cotangent y of the
	// residual, and stores in da those of accelerations, and of multipliers if it is as long. p may be nil.
	ResidualBackTo(x, p, da, y []float64) error
	// RatesAnswerTo solves the equations of the last HoldRates for changes of velocities and multipliers, the rows being
	// J·a = the rest of right. The matrix is symmetric.
	RatesAnswerTo(x, right []float64) error
	// Rows returns how many rows there are.
	Rows() int
}

// AlphaField is what differentiates steps of generalized-α: of the residual of a step, M·u − f − Jᵀλ with the position
// errors of the joints below, too.
type AlphaField[F any] interface {
	RatesField[F]
	// HoldStep goes to the end of a step, with the accelerations and multipliers there. position and velocity are ∂q/∂u
	// and ∂v/∂u, (56).
	HoldStep(st *mechanism.State, u, lambda []float64, position, velocity float64) error
	// Reacts reports whether forces depend on the multipliers: whether friction grows with a reaction.
	Reacts() bool
	// StepAnswerTo solves about the equations of HoldStep as RatesAnswerTo does: what an iteration is preconditioned by.
	StepAnswerTo(x, right []float64) error
}

// ratesStep is the linear map of velocities that are brought back to the joints, and its transpose.
type ratesStep[F any] struct {
	rates    RatesField[F]
	dx, back []float64 // PerBody a body
	da, dv   []float64 // six a body
	right, y []float64 // six a body and one a row
}

// newRatesStep allocates the memory for nb bodies.
func newRatesStep[F any](nb int, field RatesField[F]) ratesStep[F] {
	n := 6*nb + field.Rows()
	return ratesStep[F]{
		rates: field, dx: make([]float64, PerBody*nb), back: make([]float64, PerBody*nb), da: make([]float64, 6*nb),
		dv: make([]float64, 6*nb), right: make([]float64, n), y: make([]float64, n),
	}
}

// alphaState is what changes, or has a cotangent, where a step of generalized-α begins or ends: PerBody numbers a body
// of the state, six of the offset, of the accelerations u and a, and of the change of a in the last step.
type alphaState struct{ x, w, u, a, change []float64 }

// KeptPerBody is the number of cotangents of a body that Gradient.Kept has.
const KeptPerBody = 24

// newAlphaState returns changes of zero for nb bodies.
func newAlphaState(nb int) alphaState {
	return alphaState{x: make([]float64, PerBody*nb)}.over(make([]float64, KeptPerBody*nb))
}

// over returns z with what is kept in memory of its own.
func (z alphaState) over(kept []float64) alphaState {
	six := len(kept) / 4
	z.w, z.u, z.a, z.change = kept[:six], kept[six:2*six], kept[2*six:3*six], kept[3*six:]
	return z
}

// alphaStep is the linear map of one step of generalized-α, theory.md (V17), and its transpose.
type alphaStep[F any] struct {
	mech  *mechanism.Mechanism
	k     *sim.GeneralizedAlpha // that does trial steps
	c     sim.Alphas
	field AlphaField[F]

	h     float64
	x     []float64       // exponential coordinates of the end, six a body
	raw   mechanism.State // the end with the velocities of the method
	minus []float64       // −offset
	ratesStep[F]
	free   []float64 // unknowns of the iteration: six a body, and one a row where forces depend on the multipliers
	krylov *krylov
	solved []float64 // as free
	acc    []float64
}

// newAlphaStep allocates the memory of a step of k over m.
func newAlphaStep[F any](m *mechanism.Mechanism, k *sim.GeneralizedAlpha, field AlphaField[F]) *alphaStep[F] {
	nb := m.NumBodies()
	n := 6 * nb
	if field.Reacts() {
		n += field.Rows()
	}
	s := &alphaStep[F]{mech: m, k: k, c: k.Coefficients(), field: field, krylov: newKrylov(n)}
	s.free, s.solved = make([]float64, n), make([]float64, n)
	s.raw.Bodies = make([]mechanism.BodyState, nb)
	s.ratesStep = newRatesStep[F](nb, field)
	for _, v := range []*[]float64{&s.x, &s.minus, &s.acc} {
		*v = make([]float64, 6*nb)
	}
	return s
}

// position and velocity are ∂q/∂u and ∂v/∂u, theory.md (56).
func (s *alphaStep[F]) position() float64 { return s.c.Gain * s.c.Beta * s.h * s.h }
func (s *alphaStep[F]) velocity() float64 { return s.c.Gain * s.c.Gamma * s.h }

// span sets the chart of a step from at to end, and the velocities of the method at its end.
func (s *alphaStep[F]) span(at *mechanism.State, end *sim.AlphaEnd) {
	s.h = end.State.Time - at.Time
	s.raw.Time, s.raw.Angles, s.raw.Internal, s.raw.Bearings = end.State.Time, end.State.Angles, end.State.Internal, end.State.Bearings
	for i := range at.Bodies {
		a, b := &at.Bodies[i], &end.State.Bodies[i]
		com := s.mech.Bodies[i].Com
		turn := b.Rotation.Mul(a.Rotation.Conj()).Log()
		arm := b.Rotation.Rotate(com)
		travel := b.Position.Add(arm).Sub(a.Position.Add(a.Rotation.Rotate(com)))
		copy(s.x[6*i:], turn[:])
		copy(s.x[6*i+3:], travel[:])
		s.raw.Bodies[i] = *b
		var v [6]float64
		b.ComVelocityTo(&v, &arm)
		for j := range v {
			v[j] += end.Offset[6*i+j]
			s.minus[6*i+j] = -end.Offset[6*i+j]
		}
		s.raw.Bodies[i].SetComVelocity(&v, &arm)
	}
}

// hold goes to the equations of the step.
func (s *alphaStep[F]) hold(end *sim.AlphaEnd) error {
	return s.field.HoldStep(&s.raw, end.Accelerations, end.Multipliers, s.position(), s.velocity())
}

// holdRates goes to the rates at the end of the step, and returns how far the velocities there are from the nearest
// ones, as StepError.Gap.
func (s *alphaStep[F]) holdRates(end *mechanism.State) (gap float64, err error) {
	off, err := s.field.HoldRates(end, s.minus)
	L := s.mech.TypicalLength()
	for i := 0; i < len(off); i += 6 {
		w, v := spatial.Vec3(off[i:]), spatial.Vec3(off[i+3:])
		gap = max(gap, s.h*w.Norm(), s.h*v.Norm()/L)
	}
	return gap, err
}

// projects reports whether velocities are brought back to the joints.
func (s *alphaStep[F]) projects() bool { return s.k.Projects() && s.field.Rows() > 0 }

// weigh sets the metric of the iterations: inertias of bodies, and of multipliers their inverse; or the inverse of it.
func (s *alphaStep[F]) weigh(inverse bool) {
	L := s.mech.TypicalLength()
	most := 0.0
	for i := range s.mech.Bodies {
		most = max(most, s.mech.Bodies[i].Mass)
	}
	for i := range s.mech.Bodies {
		m := max(s.mech.Bodies[i].Mass, leastMass*most)
		if most == 0 {
			m = 1
		}
		root := math.Sqrt(m)
		for j := range 6 {
			x := root
			if j < 3 {
				x *= L
			}
			if inverse {
				x = 1 / x
			}
			s.krylov.scale[6*i+j] = x
		}
	}
	root := 1.0
	if most > 0 {
		root = math.Sqrt(most)
	}
	if !inverse {
		root = 1 / root
	}
	for i := 6 * len(s.mech.Bodies); i < len(s.krylov.scale); i++ {
		s.krylov.scale[i] = root
	}
}

// leastMass is the mass of a body in the metric of iterations, relative to the largest. Another value costs time only.
const leastMass = 1e-3

// moveTo stores in dx how the end of the step changes with the accelerations there by du.
func (s *alphaStep[F]) moveTo(dx, du []float64) {
	p, v := s.position(), s.velocity()
	for i := range s.raw.Bodies {
		u, y := (*[6]float64)(du[6*i:]), (*[PerBody]float64)(dx[PerBody*i:])
		turn := spatial.Vec3{p * u[0], p * u[1], p * u[2]}
		spatial.DexpTo((*spatial.Vec3)(y[:3]), (*spatial.Vec3)(s.x[6*i:]), &turn)
		for j := range 3 {
			y[3+j], y[6+j], y[9+j] = p*u[3+j], v*u[j], v*u[3+j]
		}
	}
}

// moveBackTo adds to du the cotangents of accelerations for those of the end of the step: the transpose of moveTo.
func (s *alphaStep[F]) moveBackTo(du, x []float64) {
	p, v := s.position(), s.velocity()
	for i := range s.raw.Bodies {
		u, y := (*[6]float64)(du[6*i:]), (*[PerBody]float64)(x[PerBody*i:])
		minus := (*spatial.Vec3)(s.x[6*i:]).Neg()
		var turn spatial.Vec3
		spatial.DexpTo(&turn, &minus, (*spatial.Vec3)(y[:3]))
		for j := range 3 {
			u[j] += p*turn[j] + v*y[6+j]
			u[3+j] += p*y[3+j] + v*y[9+j]
		}
	}
}

// scaleRows divides the rows of a right side by ∂q/∂u, as the rows of the preconditioner are those of accelerations.
func (s *alphaStep[F]) scaleRows(right []float64) {
	for i := len(s.x); i < len(right); i++ {
		right[i] /= s.position()
	}
}

// forwardSolve stores in du how the accelerations at the end change for the change s.right of the residual with these
// held.
func (s *alphaStep[F]) forwardSolve(du []float64) error {
	for i := range s.right {
		s.right[i] = -s.right[i]
	}
	s.scaleRows(s.right)
	if err := s.field.StepAnswerTo(s.y, s.right); err != nil {
		return err
	}
	copy(s.free, s.y)
	s.weigh(false)
	err := s.krylov.solve(s.solved, s.free, func(w, v []float64) error {
		s.moveTo(s.back, v)
		if err := s.field.ResidualTo(s.right, s.back, -1, v); err != nil {
			return err
		}
		s.scaleRows(s.right)
		if err := s.field.StepAnswerTo(s.y, s.right); err != nil {
			return err
		}
		copy(w, s.y)
		return nil
	})
	copy(du, s.solved)
	return err
}

// backSolve stores in s.y the cotangent of the residual for the cotangent bar of the accelerations at the end: the
// transpose of forwardSolve, with the opposite sign.
func (s *alphaStep[F]) backSolve(bar []float64) error {
	s.weigh(true)
	answer := func(v []float64) error {
		clear(s.right)
		copy(s.right, v)
		if err := s.field.StepAnswerTo(s.y, s.right); err != nil {
			return err
		}
		s.scaleRows(s.y)
		return nil
	}
	copy(s.free, bar)
	clear(s.free[len(bar):])
	err := s.krylov.solve(s.solved, s.free, func(w, v []float64) error {
		if err := answer(v); err != nil {
			return err
		}
		clear(s.back)
		if err := s.field.ResidualBackTo(s.back, nil, w, s.y); err != nil {
			return err
		}
		s.moveBackTo(w, s.back)
		return nil
	})
	if err != nil {
		return err
	}
	return answer(s.solved)
}

// negate changes the signs of x.
func negate(x []float64) {
	for i := range x {
		x[i] = -x[i]
	}
}

// addPoses adds the cotangents of poses.
func addPoses(to, x []float64) {
	for i := 0; i < len(to); i += PerBody {
		for j := range 6 {
			to[i+j] += x[i+j]
		}
	}
}
