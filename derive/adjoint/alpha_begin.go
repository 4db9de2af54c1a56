package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// beginning is the first step of a run, which has no history, theory.md (54), (55).
type beginning struct {
	at    *mechanism.State // the start
	end   sim.AlphaEnd     // end of the trial step
	u, du []float64        // accelerations at the start, and their change over the trial step

	matrix *mechanism.State // state at which the last matrix of the trial step was made
	where  matrixPlace
	turned []spatial.Quat   // rotations of the bodies from the start to matrix
	st     *mechanism.State // the pose of matrix, with other velocities

	// e is the local error of the positions over the step, and x its component along motions that the joints allow. Both are in axes that
	// have turned with the bodies from the start to matrix.
	e, x []float64

	ofMatrix []float64 // changes or cotangents of the poses of matrix, PerBody a body
	ofError  []float64 // cotangents of e
	left     float64   // of the objective at hand (Gradient.Matrix)
}

// matrixPlace says at which state of a trial step its matrix was made.
type matrixPlace uint8

const (
	atStart     matrixPlace = iota
	atPredicted             // at the end that the accelerations of the start predict
	atEnd                   // at an iterate that equals the end but for the last correction
)

// begin does the trial step of length h from at, and finds the local error and its component that the joints allow.
func (s *alphaStep[F]) begin(at *mechanism.State, h float64) (b *beginning, err error) {
	six := len(s.x)
	b = &beginning{u: make([]float64, six), du: make([]float64, six), e: make([]float64, six), x: make([]float64, six), at: at}
	b.ofMatrix, b.ofError = make([]float64, 2*six), make([]float64, six)
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
	b.placeMatrix(s.mech, h)
	b.turn(b.e, b.e)
	if err := s.holdMatrix(b); err != nil {
		return nil, err
	}
	if err := s.holdSoft(b, nil); err != nil {
		return nil, err
	}
	clear(s.dx)
	if err := s.field.ResidualTo(s.right, s.dx, noDirection, b.e); err != nil { // M·e
		return nil, err
	}
	clear(s.right[six:])
	if err := s.field.StepAnswerTo(s.y, s.right); err != nil {
		return nil, err
	}
	copy(b.x, s.y)
	return b, nil
}

// placeMatrix finds the state at which the matrix of the trial step of length h was made, and sets b.where, b.turned and b.st.
func (b *beginning) placeMatrix(m *mechanism.Mechanism, h float64) {
	b.matrix, b.st = b.end.Matrix.Clone(), b.end.Matrix.Clone()
	b.turned = make([]spatial.Quat, len(b.at.Bodies))
	for i := range b.turned {
		b.turned[i] = b.matrix.Bodies[i].Rotation.Mul(b.at.Bodies[i].Rotation.Conj())
	}
	if b.matrix.Time == b.at.Time {
		return
	}
	b.where = atPredicted
	for i := range b.turned {
		turn, travel := b.predicted(m, i, h)
		from, to, com := &b.at.Bodies[i], &b.matrix.Bodies[i], m.Bodies[i].Com
		x := b.turned[i].Log().Sub(turn)
		y := to.Position.Add(to.Rotation.Rotate(com)).Sub(from.Position.Add(from.Rotation.Rotate(com))).Sub(travel)
		if !(x.Norm() <= predictedTol && y.Norm() <= predictedTol*(1+travel.Norm())) {
			b.where = atEnd
		}
	}
}

// predictedTol is the largest distance between a body's pose and its predicted pose, in rad or m and relative to the travel, at which the
// matrix counts as made at the prediction. Matrices that near to each other are equal but for rounding.
const predictedTol = 1e-10

// predicted returns the rotation vector of body i, and the travel of its centre of mass, over a step of length h with the accelerations of
// the start.
func (b *beginning) predicted(m *mechanism.Mechanism, i int, h float64) (turn, travel spatial.Vec3) {
	v, arm := [6]float64{}, b.at.Bodies[i].Rotation.Rotate(m.Bodies[i].Com)
	b.at.Bodies[i].ComVelocityTo(&v, &arm)
	for j, u := range b.u[6*i : 6*i+6] {
		v[j] = h*v[j] + h*h/2*u
	}
	return spatial.Vec3(v[:3]), spatial.Vec3(v[3:])
}

// turn stores in to the vectors of from, given in the axes of the start, in the axes that have turned with the bodies to matrix.
func (b *beginning) turn(to, from []float64) {
	for i, q := range b.turned {
		for j := 6 * i; j < 6*i+6; j += 3 {
			v := q.Rotate(spatial.Vec3(from[j:]))
			copy(to[j:], v[:])
		}
	}
}

// turnBack is the inverse of turn.
func (b *beginning) turnBack(to, from []float64) {
	for i, q := range b.turned {
		for j := 6 * i; j < 6*i+6; j += 3 {
			v := q.Conj().Rotate(spatial.Vec3(from[j:]))
			copy(to[j:], v[:])
		}
	}
}

// holdMatrix makes the last matrix of the trial step again: the run has softened e with it (motion.Newton.Soften).
func (s *alphaStep[F]) holdMatrix(b *beginning) error {
	s.span(b.at, &b.end)
	return s.field.HoldStep(b.matrix, b.u, b.end.Multipliers, s.position(), s.velocity())
}

// holdSoft sets the field to the pose of matrix with the velocities x (nil: zeros).
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
		s.minus[i] = x[i] - b.e[i] // from e to its component
	}
	_, err := s.field.HoldRates(b.st, s.minus)
	return err
}

// softBack is the transpose of softAhead: the second equation of theory.md (V17) with e in the place of v̂₁ and σ = 0. The component of e
// that the joints allow has the cotangents −z.w. softBack stores the cotangents of e in b.ofError, and the cotangents of the poses of
// matrix in b.ofMatrix. It adds the cotangents of poses at the start to z.x, and the cotangents of the parameters to p.
func (s *alphaStep[F]) softBack(b *beginning, z *alphaState, p []float64) error {
	if err := s.holdMatrix(b); err != nil {
		return err
	}
	if err := s.holdSoft(b, b.x); err != nil {
		return err
	}
	clear(s.right)
	copy(s.right, z.w)
	negate(s.right)
	b.turn(s.right[:len(s.x)], s.right[:len(s.x)])
	given := append([]float64(nil), s.right[:len(s.x)]...)
	if err := s.leastBack(p, s.field.StepAnswerTo); err != nil {
		return err
	}
	clear(b.ofMatrix)
	addPoses(b.ofMatrix, s.back)
	copy(b.ofError, s.dv)
	if err := s.setLeft(b, given); err != nil {
		return err
	}
	// The rows J·x − σ above contain the σ of prescribed motions, which has to be zero. At zero velocities the rows are −σ alone: with the
	// opposite sign their cotangents remove the contribution of σ.
	if err := s.holdSoft(b, nil); err != nil {
		return err
	}
	clear(s.y[:len(s.x)])
	negate(s.y)
	clear(s.back)
	if err := s.field.ResidualBackTo(s.back, p, s.da, s.y); err != nil {
		return err
	}
	addPoses(b.ofMatrix, s.back)
	b.turnsBack(z, given)
	b.turnBack(b.ofError, b.ofError)
	return nil
}

// setLeft sets b.left, a bound of |y·(p K + s D)·x|, in which K and D are held. s.y holds −y, for the cotangents given of x. As the joints
// allow x and y, (p K + s D)·x is M·(e − x), and (p K + s D)·y is given − M·y, but for forces of the joints, which x and y do not feel. The
// matrix is positive semidefinite: by the inequality of Schwarz the bound counts the parts of all springs with the same sign.
func (s *alphaStep[F]) setLeft(b *beginning, given []float64) error {
	y := s.y[:len(s.x)]
	clear(s.dx)
	// part returns a·M·v.
	part := func(a, v []float64) (float64, error) {
		err := s.field.ResidualTo(s.right, s.dx, noDirection, v)
		return algebra.Dot(a, s.right[:len(a)]), err
	}
	all, err := part(b.x, b.e)
	if err != nil {
		return err
	}
	ofX, err := part(b.x, b.x)
	if err != nil {
		return err
	}
	ofY, err := part(y, y)
	if err != nil {
		return err
	}
	b.left = math.Sqrt(max(0, all-ofX)) * math.Sqrt(max(0, -algebra.Dot(y, given)-ofY)) // below zero is rounding
	return nil
}

// turnsBack adds the cotangents of the rotations b.turned to the poses of matrix (b.ofMatrix) and of the start (z.x). given holds the
// cotangents of b.x, in the axes of matrix.
func (b *beginning) turnsBack(z *alphaState, given []float64) {
	for i, q := range b.turned {
		var t spatial.Vec3
		for j := 6 * i; j < 6*i+6; j += 3 {
			t = t.Add(spatial.Vec3(b.e[j:]).Cross(spatial.Vec3(b.ofError[j:])))
			t = t.Sub(spatial.Vec3(b.x[j:]).Cross(spatial.Vec3(given[j:])))
		}
		start := q.Conj().Rotate(t)
		for j := range 3 {
			b.ofMatrix[PerBody*i+j] += t[j]
			z.x[PerBody*i+j] -= start[j]
		}
	}
}

// matrixBack takes the cotangents b.ofMatrix back to the start, if matrix was made at the start or at the prediction. If it was made at the
// end, trialBack takes them.
func (s *alphaStep[F]) matrixBack(b *beginning, z *alphaState) {
	h := b.end.Step
	switch b.where {
	case atStart:
		addPoses(z.x, b.ofMatrix)
	case atPredicted: // by the rotation vector and the travel h·v + h²/2·u
		for i, q := range b.turned {
			y, x := b.ofMatrix[PerBody*i:], z.x[PerBody*i:]
			turn, _ := b.predicted(s.mech, i, h)
			minus, phi := turn.Neg(), spatial.Vec3(y)
			own := [6]float64{3: y[3], 4: y[4], 5: y[5]}
			spatial.DexpTo((*spatial.Vec3)(own[:]), &minus, &phi)
			phi = q.Conj().Rotate(phi)
			for j := range 3 {
				x[j] += phi[j]
				x[3+j] += y[3+j]
			}
			for j, o := range own {
				x[6+j] += h * o
				z.u[6*i+j] += h * h / 2 * o
			}
		}
	}
}

// matrixAhead stores in b.ofMatrix the changes of the poses of matrix, for the changes z of the start and end of the end of the trial step.
func (s *alphaStep[F]) matrixAhead(b *beginning, z *alphaState, end []float64) {
	h := b.end.Step
	clear(b.ofMatrix)
	switch b.where {
	case atStart:
		addPoses(b.ofMatrix, z.x)
	case atEnd:
		addPoses(b.ofMatrix, end)
	case atPredicted: // by the rotation vector and the travel h·v + h²/2·u
		for i, q := range b.turned {
			y, x := b.ofMatrix[PerBody*i:], z.x[PerBody*i:]
			turn, _ := b.predicted(s.mech, i, h)
			var own [6]float64
			for j := range own {
				own[j] = h*x[6+j] + h*h/2*z.u[6*i+j]
			}
			spatial.DexpTo((*spatial.Vec3)(own[:]), &turn, (*spatial.Vec3)(own[:]))
			phi := q.Rotate(spatial.Vec3(x))
			for j := range 3 {
				y[j] = own[j] + phi[j]
				y[3+j] = own[3+j] + x[3+j]
			}
		}
	}
}

// softAhead stores in z.w the change of the offset at the start, for the change e of the local error, in the axes of the start, and for the
// changes b.ofMatrix of the poses of matrix.
func (s *alphaStep[F]) softAhead(b *beginning, z *alphaState, k int, e []float64) error {
	if err := s.holdMatrix(b); err != nil {
		return err
	}
	if err := s.holdSoft(b, nil); err != nil {
		return err
	}
	clear(s.dx)
	addPoses(s.dx, b.ofMatrix)
	if err := s.field.ResidualTo(s.right, s.dx, k, nil); err != nil {
		return err
	}
	still := append([]float64(nil), s.right[len(s.x):]...) // change of σ of prescribed motions: σ counts as zero here
	if err := s.holdSoft(b, b.x); err != nil {
		return err
	}
	b.turn(s.da, e)
	b.turnsAhead(s.da, z, b.e, 1)
	negate(s.da)
	if err := s.field.ResidualTo(s.right, s.dx, k, s.da); err != nil {
		return err
	}
	for i, x := range still {
		s.right[len(s.x)+i] -= x
	}
	negate(s.right)
	if err := s.field.StepAnswerTo(s.y, s.right); err != nil {
		return err
	}
	x := s.y[:len(s.x)]
	b.turnsAhead(x, z, b.x, -1)
	b.turnBack(x, x)
	for i, x := range x {
		z.w[i] = e[i] - x
	}
	return nil
}

// turnsAhead adds to change the change of the vectors x for the change of the rotations b.turned, times sign.
func (b *beginning) turnsAhead(change []float64, z *alphaState, x []float64, sign float64) {
	for i, q := range b.turned {
		t := spatial.Vec3(b.ofMatrix[PerBody*i:]).Sub(q.Rotate(spatial.Vec3(z.x[PerBody*i:]))).Scale(sign)
		for j := 6 * i; j < 6*i+6; j += 3 {
			for k, c := range t.Cross(spatial.Vec3(x[j:])) {
				change[j+k] += c
			}
		}
	}
}

// beginBack replaces the cotangents z of all that the first step takes over by the cotangents of the state at its start.
func (s *alphaStep[F]) beginBack(at *mechanism.State, b *beginning, z *alphaState, p []float64) error {
	h := b.end.Step
	if err := s.softBack(b, z, p); err != nil {
		return err
	}
	trial := newAlphaState(len(at.Bodies))
	s.matrixBack(b, z)
	change := make([]float64, len(s.x)) // cotangents of b.du
	// The offset is w = e − x. With du = u(end of the trial step) − u: e = Position·h·du − h²/12·ω×u, and a = u + Shift·du.
	for i := range z.w {
		e := z.w[i] + b.ofError[i]
		b.ofError[i] = e
		change[i] = s.c.Position*h*e + s.c.Shift*z.a[i]
		z.u[i] += z.a[i] - change[i]
	}
	for i := range at.Bodies {
		e := spatial.Vec3(b.ofError[6*i:]).Scale(-h * h / 12) // ω×u in e, for the angular part only
		spin, u := spatial.Vec3(b.u[6*i:]).Cross(e), e.Cross(at.Bodies[i].Omega)
		for j := range 3 {
			z.x[PerBody*i+6+j] += spin[j]
			z.u[6*i+j] += u[j]
		}
	}
	// The trial step begins with a = u.
	if err := s.trialBack(b, &trial, change, p); err != nil {
		return err
	}
	for i, x := range trial.x {
		z.x[i] += x
	}
	for i := range z.u {
		z.u[i] += trial.u[i] + trial.a[i]
	}
	// u are the accelerations at the start.
	if err := s.field.At(s.acc, at); err != nil {
		return err
	}
	if err := pullAccelerations[F](s.field, z.x, p, z.u); err != nil {
		return err
	}
	clear(z.w)
	clear(z.u)
	clear(z.a)
	clear(z.change)
	return nil
}

// trialBack takes cotangents from the end of the trial step back to its start, and stores them in trial. They are change, of b.du, and
// b.ofMatrix if the matrix was made at the end.
func (s *alphaStep[F]) trialBack(b *beginning, trial *alphaState, change, p []float64) error {
	if err := s.field.At(s.acc, b.end.State); err != nil {
		return err
	}
	if err := pullAccelerations[F](s.field, trial.x, p, change); err != nil {
		return err
	}
	s.span(b.at, &b.end)
	if s.projects() {
		if _, err := s.field.HoldRates(b.end.State, s.minus); err != nil {
			return err
		}
		if err := s.ratesBack(trial, p); err != nil {
			return err
		}
	}
	if b.where == atEnd {
		addPoses(trial.x, b.ofMatrix)
	}
	if err := s.hold(&b.end); err != nil {
		return err
	}
	return s.stepBack(trial, p)
}

// beginAhead takes the changes z of the state at the start of a run, along the parameters of direction k, to the changes of all that its
// first step takes over.
func (s *alphaStep[F]) beginAhead(at *mechanism.State, b *beginning, z *alphaState, k int) error {
	h := b.end.Step
	trial := newAlphaState(len(at.Bodies))
	copy(trial.x, z.x)
	if err := s.field.At(s.acc, at); err != nil {
		return err
	}
	if err := s.field.PushOneTo(z.u, z.x, k); err != nil {
		return err
	}
	copy(trial.u, z.u)
	copy(trial.a, z.u)
	s.span(at, &b.end)
	if err := s.hold(&b.end); err != nil {
		return err
	}
	if err := s.stepAhead(&trial, k); err != nil {
		return err
	}
	s.matrixAhead(b, z, trial.x)
	if s.projects() {
		if _, err := s.field.HoldRates(b.end.State, s.minus); err != nil {
			return err
		}
		if err := s.ratesAhead(&trial, k); err != nil {
			return err
		}
	}
	if err := s.field.At(s.acc, b.end.State); err != nil {
		return err
	}
	change := make([]float64, len(s.x)) // of b.du
	if err := s.field.PushOneTo(change, trial.x, k); err != nil {
		return err
	}
	e := make([]float64, len(s.x))
	for i := range change {
		change[i] -= z.u[i]
		e[i] = s.c.Position * h * change[i]
		z.a[i] = z.u[i] + s.c.Shift*change[i]
	}
	for i := range at.Bodies {
		spin := spatial.Vec3(z.x[PerBody*i+6:])
		t := spin.Cross(spatial.Vec3(b.u[6*i:])).Add(at.Bodies[i].Omega.Cross(spatial.Vec3(z.u[6*i:])))
		for j := range 3 {
			e[6*i+j] -= h * h / 12 * t[j]
		}
	}
	return s.softAhead(b, z, k, e)
}
