package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// RatesField is a field for steps that project velocities onto the joints. Its residual is M·a − Jᵀλ with the rows J·v − σ below, theory.md
// (V17).
type RatesField[F any] interface {
	TangentField[F]
	// PushOneTo is PushTo for direction k alone.
	PushOneTo(da, dx []float64, k int) error
	// HoldRates sets the field to st, whose velocities a projection has changed by change, six numbers a body, so that they satisfy the
	// joints. off is the component of change along motions that the joints allow, zero if the change was the least one. The field owns off.
	HoldRates(st *mechanism.State, change []float64) (off []float64, err error)
	// ResidualTo stores in r the change of the residual: for the change dx of the state, along the parameters of direction k (−1: none),
	// and for the change da of the accelerations (nil: none). After HoldRates, dx has changes of poses only.
	//
	// Shapes: r has six entries a body and one a row, dx PerBody a body. da has six a body, or as many as r: behind the accelerations are
	// then the multipliers with their signs changed.
	ResidualTo(r, dx []float64, k int, da []float64) error
	// ResidualBackTo is the transpose of ResidualTo for the cotangent y of the residual. It adds the cotangents of the state to x, and the
	// cotangents of the parameters to p, which may be nil. It stores in da the cotangents of the accelerations, and also of the multipliers
	// if da is as long as y.
	ResidualBackTo(x, p, da, y []float64) error
	// RatesAnswerTo solves the equations of the last HoldRates for the changes of velocities and multipliers. The last entries of right,
	// one a row, are the values of J·a. The matrix is symmetric.
	RatesAnswerTo(x, right []float64) error
	// Rows returns the number of rows.
	Rows() int
}

// noDirection is the argument k of RatesField.ResidualTo for changes without parameters.
const noDirection = -1

// AlphaField is a field for steps of generalized-α. Besides the residual of RatesField it has the residual of a step: M·u − f − Jᵀλ with
// the position errors of the joints below.
type AlphaField[F any] interface {
	RatesField[F]
	// HoldStep sets the field to st, the end of a step, with its accelerations u and multipliers lambda. position and velocity are ∂q/∂u
	// and ∂v/∂u, theory.md (56).
	HoldStep(st *mechanism.State, u, lambda []float64, position, velocity float64) error
	// Reacts reports whether forces depend on the multipliers, as they do where friction grows with a reaction.
	Reacts() bool
	// StepAnswerTo solves the equations of the last HoldStep with the symmetric matrix of Newton's method, shapes as RatesAnswerTo. It is
	// the preconditioner of the iterations.
	StepAnswerTo(x, right []float64) error
}

// ratesStep is the linear map of a projection of velocities, and its transpose.
type ratesStep[F any] struct {
	rates    RatesField[F]
	length   float64   // typical length of the mechanism
	dx, back []float64 // PerBody a body
	da, dv   []float64 // six a body
	right, y []float64 // six a body and one a row
}

// newRatesStep allocates a ratesStep for m.
func newRatesStep[F any](m *mechanism.Mechanism, field RatesField[F]) ratesStep[F] {
	nb := m.NumBodies()
	n := 6*nb + field.Rows()
	return ratesStep[F]{
		rates: field, length: m.TypicalLength(), dx: make([]float64, PerBody*nb), back: make([]float64, PerBody*nb), da: make([]float64, 6*nb),
		dv: make([]float64, 6*nb), right: make([]float64, n), y: make([]float64, n),
	}
}

// alphaState holds changes or cotangents of all that a step of generalized-α takes over: x of the state, PerBody numbers a body; w of the
// offset, u and a of the two accelerations, and change of the last change of a, six numbers a body each.
type alphaState struct{ x, w, u, a, change []float64 }

// KeptPerBody is the number of entries a body of Gradient.Kept for generalized-α: w, u, a and change.
const KeptPerBody = 24

// newAlphaState returns an alphaState of zeros for nb bodies.
func newAlphaState(nb int) alphaState {
	return alphaState{x: make([]float64, PerBody*nb)}.over(make([]float64, KeptPerBody*nb))
}

// over returns z with w, u, a and change as slices of kept, which has KeptPerBody entries a body.
func (z alphaState) over(kept []float64) alphaState {
	six := len(kept) / 4
	z.w, z.u, z.a, z.change = kept[:six], kept[six:2*six], kept[2*six:3*six], kept[3*six:]
	return z
}

// alphaStep is the linear map of one step of generalized-α, theory.md (V17), and its transpose.
type alphaStep[F any] struct {
	mech  *mechanism.Mechanism
	k     *sim.GeneralizedAlpha // does the trial steps
	c     sim.Alphas
	field AlphaField[F]

	h     float64
	x     []float64       // exponential coordinates of the end, six a body
	raw   mechanism.State // the end with the velocities of the method: before the projection
	minus []float64       // change of velocities that HoldRates is given: −offset
	ratesStep[F]
	free   []float64 // right side of the iteration: six a body, and one a row where forces depend on the multipliers
	krylov *krylov
	solved []float64 // solution of the iteration, shaped as free
	acc    []float64 // accelerations, six a body
}

// newAlphaStep allocates a step of k over m.
func newAlphaStep[F any](m *mechanism.Mechanism, k *sim.GeneralizedAlpha, field AlphaField[F]) *alphaStep[F] {
	nb := m.NumBodies()
	n := 6 * nb
	if field.Reacts() {
		n += field.Rows()
	}
	s := &alphaStep[F]{mech: m, k: k, c: k.Coefficients(), field: field, krylov: newKrylov(n)}
	s.free, s.solved = make([]float64, n), make([]float64, n)
	s.raw.Bodies = make([]mechanism.BodyState, nb)
	s.ratesStep = newRatesStep[F](m, field)
	for _, v := range []*[]float64{&s.x, &s.minus, &s.acc} {
		*v = make([]float64, 6*nb)
	}
	return s
}

// position and velocity are ∂q/∂u and ∂v/∂u, theory.md (56).
func (s *alphaStep[F]) position() float64 { return s.c.Gain * s.c.Beta * s.h * s.h }
func (s *alphaStep[F]) velocity() float64 { return s.c.Gain * s.c.Gamma * s.h }

// span takes over the step from at to end: its length, the exponential coordinates of its end, and the state there with the velocities of
// the method.
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

// hold sets the field to the equations at the end of the step.
func (s *alphaStep[F]) hold(end *sim.AlphaEnd) error {
	return s.field.HoldStep(&s.raw, end.Accelerations, end.Multipliers, s.position(), s.velocity())
}

// holdRates sets the field to the projection at the end of the step. gap is the distance between the projected velocities and the nearest
// ones on the joints, in the unit of StepError.Gap.
func (s *alphaStep[F]) holdRates(end *mechanism.State) (gap float64, err error) {
	off, err := s.field.HoldRates(end, s.minus)
	L := s.length
	for i := 0; i < len(off); i += 6 {
		w, v := spatial.Vec3(off[i:]), spatial.Vec3(off[i+3:])
		gap = max(gap, s.h*w.Norm(), s.h*v.Norm()/L)
	}
	return gap, err
}

// projects reports whether steps project velocities onto the joints.
func (s *alphaStep[F]) projects() bool { return s.k.Projects() && s.field.Rows() > 0 }

// The argument of weigh: which vectors the iteration is on.
const (
	onChanges    = false
	onCotangents = true
)

// weigh sets the scales of the metric of the iterations. For changes they are √m of a body for linear parts, √m·L for angular parts, and
// 1/√m of the heaviest body for multipliers; for cotangents they are the reciprocals. L is the typical length.
func (s *alphaStep[F]) weigh(inverse bool) {
	L := s.length
	most := 0.0
	for i := range s.mech.Bodies {
		most = max(most, s.mech.Bodies[i].Mass)
	}
	for i := range s.mech.Bodies {
		m := max(s.mech.Bodies[i].Mass, leastMass*most)
		// Without masses all bodies weigh the same.
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

// leastMass is the least mass of a body in the metric of the iterations, relative to the largest mass. Another value only changes the
// number of iterations.
const leastMass = 1e-3

// moveTo stores in dx the change of the end of the step for the change du of the accelerations there.
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

// moveBackTo is the transpose of moveTo: it adds to du the cotangents of the accelerations for the cotangents x of the end of the step.
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

// scaleRows divides the entries of the rows by ∂q/∂u: the preconditioner has rows of accelerations, the residual has rows of positions.
func (s *alphaStep[F]) scaleRows(right []float64) {
	for i := len(s.x); i < len(right); i++ {
		right[i] /= s.position()
	}
}

// forwardSolve stores in du the change of the accelerations at the end. s.right holds the change of the residual with these accelerations
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
	s.weigh(onChanges)
	err := s.krylov.solve(s.solved, s.free, func(w, v []float64) error {
		s.moveTo(s.back, v)
		if err := s.field.ResidualTo(s.right, s.back, noDirection, v); err != nil {
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

// backSolve stores in s.y the cotangent of the residual for the cotangent bar of the accelerations at the end. It is the transpose of
// forwardSolve with the opposite sign.
func (s *alphaStep[F]) backSolve(bar []float64) error {
	s.weigh(onCotangents)
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

// addPoses adds the entries of x for poses to to. Both have PerBody entries a body, six of which are for the pose.
func addPoses(to, x []float64) {
	for i := 0; i < len(to); i += PerBody {
		for j := range 6 {
			to[i+j] += x[i+j]
		}
	}
}
