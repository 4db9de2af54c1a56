package adjoint

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// RattleField is a field for steps of RATTLE.
type RattleField[F any] interface {
	RatesField[F]
	// HoldErrors sets the field to the pose at the end of a step. ResidualTo then has the changes of the position errors of the joints in
	// its rows. RatesAnswerTo and RoughAnswerTo keep the matrix of the start.
	HoldErrors(start, end *mechanism.State) error
	// ErrorsAnswerTo is RatesAnswerTo with the matrix of the end. RoughAnswerTo is RatesAnswerTo without refinement: the caller iterates
	// its error away.
	ErrorsAnswerTo(x, right []float64) error
	RoughAnswerTo(x, right []float64) error
	// AddMassTo adds to f scale·M·a, with the inertias and the armature at the start and the change a of velocities. f and a have six
	// numbers a body.
	AddMassTo(f, a []float64, scale float64)
	// ErrorsBackTo is the transpose of the position errors at the end for the cotangents y of the rows. It adds the cotangents of poses to
	// x, PerBody numbers a body, and the cotangents of parameters to p, unless p is nil.
	ErrorsBackTo(x, p, y []float64) error
}

// ErrChord is the error for a step of RATTLE in which the joints turn by so much that the corrections for its derivative do not converge.
var ErrChord = errors.New("derive/adjoint: the joints turn by too much in a step of RATTLE")

const (
	// chordSteps is the largest number of corrections with the matrix of the start of a step. Each correction leaves a part of about the
	// angle that bodies turn in the step.
	chordSteps = 60
	// chordTol is the size of the last correction, relative to the largest answer: rounding.
	chordTol = 1e-15
	// chordLeft is the size of the last correction that is accepted if further ones do not become smaller.
	chordLeft = 1e-12
)

// rattleStep is the linear map of one step of RATTLE, theory.md (V20), and its transpose. Besides the state, a step takes over the
// accelerations a at the end of the step before.
type rattleStep[F any] struct {
	mech  *mechanism.Mechanism
	field RattleField[F]
	ratesStep[F]

	h       float64
	turn    []float64        // rotation vector Θ of the free travel, three a body
	turned  []spatial.Quat   // exp Θ
	closed  []spatial.Quat   // exp(−x), the rotation that has closed the joints
	closing []float64        // x of (V20), six a body: −x has closed the joints
	middle  mechanism.State  // the pose of the end, with the velocities for the accelerations there
	last    []float64        // change of velocities by the projection at the end, six a body
	from    *mechanism.State // the start of the step
	start   mechanism.State
	acc     []float64
	dxi     []float64 // PerBody a body
	sum     []float64 // six a body and one a row

	correction       []float64   // of the change of closing, six a body
	first, firstRows []float64   // answer of the first correction, and its rows
	lines            [][]float64 // memory of tableOf
	most             []float64   // largest answer of closeAhead or closeBack so far, by direction or objective
}

// newRattleStep allocates the memory of a step of m.
func newRattleStep[F any](m *mechanism.Mechanism, field RattleField[F]) *rattleStep[F] {
	nb := m.NumBodies()
	s := &rattleStep[F]{mech: m, field: field, ratesStep: newRatesStep[F](m, field), turn: make([]float64, 3*nb)}
	s.closing, s.last, s.acc = make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, 6*nb)
	s.dxi, s.sum, s.correction = make([]float64, PerBody*nb), make([]float64, 6*nb+field.Rows()), make([]float64, 6*nb)
	s.first, s.firstRows = make([]float64, 6*nb), make([]float64, field.Rows())
	s.turned, s.closed = make([]spatial.Quat, nb), make([]spatial.Quat, nb)
	s.middle.Bodies, s.start.Bodies = make([]mechanism.BodyState, nb), make([]mechanism.BodyState, nb)
	return s
}

// tableOf returns n rows with so many columns in memory of the step. Their contents are undefined.
func (s *rattleStep[F]) tableOf(n, columns int) [][]float64 {
	if len(s.lines) != n || n > 0 && len(s.lines[0]) != columns {
		s.lines = table(n, columns)
	}
	return s.lines
}

// span takes over the step from at to end. It finds the free travel, the closing of the poses and the projection of the velocities. a are
// the accelerations that the step takes over, and next the accelerations that it has left.
func (s *rattleStep[F]) span(at, end *mechanism.State, a, next []float64) {
	s.h, s.from = end.Time-at.Time, at
	h := s.h
	s.middle.Time, s.middle.Angles, s.middle.Internal, s.middle.Bearings = end.Time, end.Angles, end.Internal, end.Bearings
	for i := range at.Bodies {
		p, q := &at.Bodies[i], &end.Bodies[i]
		com := s.mech.Bodies[i].Com
		arm, armEnd := p.Rotation.Rotate(com), q.Rotation.Rotate(com)
		var w, after [6]float64
		p.ComVelocityTo(&w, &arm)
		q.ComVelocityTo(&after, &armEnd)
		for j := range w {
			w[j] += h / 2 * a[6*i+j]
		}
		turn := spatial.Vec3(w[:3]).Scale(h)
		copy(s.turn[3*i:], turn[:])
		s.turned[i] = spatial.Exp(turn)
		s.closed[i] = q.Rotation.Mul(s.turned[i].Mul(p.Rotation).Conj())
		back := s.closed[i].Log()
		slid := q.Position.Add(armEnd).Sub(p.Position.Add(arm)).Sub(spatial.Vec3(w[3:]).Scale(h))
		var v [6]float64 // before the rows of velocities are closed
		for j := range 3 {
			s.closing[6*i+j], s.closing[6*i+3+j] = -back[j], -slid[j]
		}
		var middle [6]float64
		for j := range v {
			half := w[j] - s.closing[6*i+j]/h
			middle[j] = half + h/2*a[6*i+j]
			v[j] = half + h/2*next[6*i+j]
			s.last[6*i+j] = after[j] - v[j]
		}
		s.middle.Bodies[i] = *q
		s.middle.Bodies[i].SetComVelocity(&middle, &armEnd)
	}
}

// gapOf returns the size of off, the component along allowed motions of the change that has closed the joints, in the unit of
// StepError.Gap. It returns a *StepError if that is too large: the joints were then closed by a search. unit is the time, s, by which
// velocities are multiplied; 1 for poses.
func (s *rattleStep[F]) gapOf(off []float64, unit float64) (gap float64, err error) {
	most := algebra.NewPeak(0)
	for i := 0; i < len(off); i += 6 {
		w, v := spatial.Vec3(off[i:]), spatial.Vec3(off[i+3:])
		most.Take(max(unit*w.Norm(), unit*v.Norm()/s.length), i/6)
	}
	if gap = most.Most; !(gap <= gapTol) {
		err = &StepError{Time: s.middle.Time, Body: most.At, Name: s.mech.BodyName(most.At), Gap: gap}
	}
	return gap, err
}

// holdStart sets the field to the start of the step with the closing of the poses at its end, and returns the gap between this closing and
// the least change.
func (s *rattleStep[F]) holdStart() (float64, error) {
	off, err := s.field.HoldRates(s.from, s.closing)
	if err != nil {
		return 0, err
	}
	return s.gapOf(off, 1)
}

// holdEnd is holdStart for the velocities at the end.
func (s *rattleStep[F]) holdEnd(end *mechanism.State) (float64, error) {
	off, err := s.field.HoldRates(end, s.last)
	if err != nil {
		return 0, err
	}
	return s.gapOf(off, s.h)
}

// movedBy stores in s.dxi the changes −D·x of the poses at the end, theory.md (V21), for the changes x of the closing.
func (s *rattleStep[F]) movedBy(x []float64) {
	clear(s.dxi)
	for i := range s.from.Bodies {
		minus, turn := (*spatial.Vec3)(s.closing[6*i:]).Neg(), spatial.Vec3(x[6*i:]).Neg()
		spatial.DexpTo((*spatial.Vec3)(s.dxi[PerBody*i:]), &minus, &turn)
		for j := range 3 {
			s.dxi[PerBody*i+3+j] = -x[6*i+3+j]
		}
	}
}

// movedBack is the transpose of movedBy: it adds to x the cotangents of the closing for the cotangents of poses.
func (s *rattleStep[F]) movedBack(x, poses []float64) {
	for i := range s.from.Bodies {
		theta, phi := (*spatial.Vec3)(s.closing[6*i:]), (*spatial.Vec3)(poses[PerBody*i:])
		var turn spatial.Vec3
		spatial.DexpTo(&turn, theta, phi) // dexp(−x)ᵀ = dexp(x)
		for j := range 3 {
			x[6*i+j] -= turn[j]
			x[6*i+3+j] -= poses[PerBody*i+3+j]
		}
	}
}

// closeAhead stores in x the change of the closing, theory.md (V21), along direction k. s.right holds the change of the residual at the
// start and, in its rows, the change of the position errors at the end. The field holds the errors at the end, and answers with the
// matrices of start and end. The rows are solved with the matrix of the end only: redundant rows at the start may contradict them.
func (s *rattleStep[F]) closeAhead(x []float64, k int) error {
	six := len(x)
	rows := append(s.sum[:0], s.right...)[six:]
	for i := range six {
		s.right[i] = -s.right[i]
	}
	clear(s.right[six:])
	if err := s.field.RatesAnswerTo(s.y, s.right); err != nil || s.field.Rows() == 0 {
		copy(x, s.y)
		return err
	}
	copy(x, s.y)
	copy(s.correction, x)
	size, was := algebra.MaxAbs(x), math.Inf(1)
	for n := 0; ; n++ {
		// The remainder of the rows: J₁·(−D·y) has to become −rows.
		s.movedBy(s.correction)
		if err := s.field.ResidualTo(s.right, s.dxi, noDirection, nil); err != nil {
			return err
		}
		clear(s.right[:six])
		for i := range rows {
			rows[i] += s.right[six+i]
			s.right[six+i] = rows[i]
			if n > 0 {
				s.right[six+i] += s.firstRows[i]
			}
		}
		if err := s.field.ErrorsAnswerTo(s.y, s.right); err != nil {
			return err
		}
		if n == 0 {
			copy(s.firstRows, rows)
			copy(s.first, s.y)
		} else { // solved together with the first rows: redundant rows at rounding level alone would contradict each other
			for i, y := range s.first {
				s.y[i] -= y
			}
		}
		// Without its component along motions that the joints allow at the start, the correction is along the forces of the joints there.
		copy(s.correction, s.y)
		clear(s.right)
		s.field.AddMassTo(s.right[:six], s.correction, 1)
		if err := s.field.RatesAnswerTo(s.y, s.right); err != nil {
			return err
		}
		for i := range x {
			s.correction[i] -= s.y[i]
			x[i] += s.correction[i]
		}
		step := algebra.MaxAbs(s.correction)
		size = max(size, step)
		if done, err := chordEnds(n, step, was, s.largestOf(k, size)); done || err != nil {
			return err
		}
		was = step
	}
}

// largestOf takes in the size of an answer for direction or objective k, and returns the largest size so far.
func (s *rattleStep[F]) largestOf(k int, size float64) float64 {
	for len(s.most) <= k {
		s.most = append(s.most, 0)
	}
	s.most[k] = max(s.most[k], size)
	return s.most[k]
}

// chordEnds reports whether the corrections end with number n, of the size step, after one of the size was. It returns ErrChord if they do
// not converge. most is the largest size of an answer so far. Rounding relative to most is rounding of the derivative: motions that the
// joints forbid, such as those out of a plane, have answers of nothing but rounding.
func chordEnds(n int, step, was, most float64) (bool, error) {
	switch {
	case step <= chordTol*most, n > 0 && step < was && step/was*step <= chordTol*most: // the second: the expected size of the next correction
		return true, nil
	case n > 1 && !(step < was/2) || n == chordSteps:
		if step <= chordLeft*most {
			return true, nil
		}
		return false, ErrChord
	}
	return false, nil
}

// closeBack is the transpose of closeAhead for objective k, theory.md (V22). It stores in s.sum the cotangents of the residual at the start
// and of the errors at the end, for the cotangents bar of the closing. It overwrites bar.
func (s *rattleStep[F]) closeBack(bar []float64, k int) error {
	six := len(bar)
	clear(s.sum)
	size, was := 0.0, math.Inf(1)
	for n := 0; ; n++ {
		clear(s.right)
		copy(s.right, bar)
		if err := s.field.RoughAnswerTo(s.y, s.right); err != nil {
			return err
		}
		for i, y := range s.y {
			s.sum[i] += y
		}
		step := algebra.MaxAbs(s.y)
		size = max(size, step)
		if done, err := chordEnds(n, step, was, s.largestOf(k, size)); done || err != nil || s.field.Rows() == 0 {
			return err
		}
		was = step
		// The remainder: bar − M η − Dᵀ J₁ᵀ ν.
		s.field.AddMassTo(bar, s.y[:six], -1)
		clear(s.back)
		if err := s.field.ErrorsBackTo(s.back, nil, s.y[six:]); err != nil {
			return err
		}
		s.movedBack(bar, s.back)
	}
}
