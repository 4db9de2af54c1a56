package adjoint

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// RattleField is what differentiates steps of RATTLE.
type RattleField[F any] interface {
	RatesField[F]
	// HoldErrors goes to the pose at the end of a step: ResidualTo then has the position errors of the joints in the rows. RatesAnswerTo
	// and RoughAnswerTo are with the matrix of its start.
	HoldErrors(start, end *mechanism.State) error
	// ErrorsAnswerTo is RatesAnswerTo with the matrix of the end, and RoughAnswerTo is it with an error that an iteration takes back.
	ErrorsAnswerTo(x, right []float64) error
	RoughAnswerTo(x, right []float64) error
	// AddMassTo adds to f, six numbers a body, scale times what inertias and armature at the start make of the change a of velocities.
	AddMassTo(f, a []float64, scale float64)
	// ErrorsBackTo adds to x, PerBody numbers a body, the cotangents of poses at the end for those of the rows, y, and those of parameters
	// to p, unless that is nil.
	ErrorsBackTo(x, p, y []float64) error
}

// ErrChord is for a step of RATTLE whose joints turn by so much that its derivative is not found.
var ErrChord = errors.New("derive/adjoint: the joints turn by too much in a step of RATTLE")

const (
	// chordSteps is the largest number of corrections with the matrix of the start of a step, each of which leaves about as much as bodies
	// turn in it.
	chordSteps = 60
	// chordTol is the part that is left then: rounding.
	chordTol = 1e-15
	// chordLeft is the part that may be left where corrections no longer make it smaller.
	chordLeft = 1e-12
)

// rattleStep is the linear map of one step of RATTLE, theory.md (V20), and its transpose. Beside the state, a step takes over the
// accelerations a at which the one before has ended.
type rattleStep[F any] struct {
	mech  *mechanism.Mechanism
	field RattleField[F]
	ratesStep[F]

	h       float64
	turn    []float64       // Θ of the travel, three a body
	turned  []spatial.Quat  // exp Θ
	closed  []spatial.Quat  // exp of −x, of the rotation that has closed the joints
	closing []float64       // x, six a body: what has closed the joints
	middle  mechanism.State // the end with the velocities at which the accelerations there are taken
	last    []float64       // change of velocities that has closed their rows
	from    *mechanism.State
	start   mechanism.State // as from, at which directions are held
	acc     []float64
	dxi     []float64 // PerBody a body
	sum     []float64 // six a body and one a row

	correction       []float64 // of what closes the joints, six a body
	first, firstRows []float64 // the first of its rows, and the answer to them
	lines            [][]float64
	most             []float64 // by objective or direction: the largest answer of closeAhead or closeBack so far
}

// newRattleStep allocates the memory of a step of m.
func newRattleStep[F any](m *mechanism.Mechanism, field RattleField[F]) *rattleStep[F] {
	nb := m.NumBodies()
	s := &rattleStep[F]{mech: m, field: field, ratesStep: newRatesStep[F](nb, field), turn: make([]float64, 3*nb)}
	s.closing, s.last, s.acc = make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, 6*nb)
	s.dxi, s.sum, s.correction = make([]float64, PerBody*nb), make([]float64, 6*nb+field.Rows()), make([]float64, 6*nb)
	s.first, s.firstRows = make([]float64, 6*nb), make([]float64, field.Rows())
	s.turned, s.closed = make([]spatial.Quat, nb), make([]spatial.Quat, nb)
	s.middle.Bodies, s.start.Bodies = make([]mechanism.BodyState, nb), make([]mechanism.BodyState, nb)
	return s
}

// tableOf returns n lists of numbers, each to be written before it is read, in memory of the step.
func (s *rattleStep[F]) tableOf(n, columns int) [][]float64 {
	if len(s.lines) != n || n > 0 && len(s.lines[0]) != columns {
		s.lines = table(n, columns)
	}
	return s.lines
}

// span finds how a step from at, which takes over the accelerations a, has come to end, where it has left those of next.
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

// gapOf returns how far what has closed the joints was from the least change, as StepError.Gap, and an error if that is too far: a search
// has closed them. unit is the time, s, by which changes off of velocities count, 1 for those of poses.
func (s *rattleStep[F]) gapOf(off []float64, unit float64) (gap float64, err error) {
	L, most := s.mech.TypicalLength(), algebra.NewPeak(0)
	for i := 0; i < len(off); i += 6 {
		w, v := spatial.Vec3(off[i:]), spatial.Vec3(off[i+3:])
		most.Take(max(unit*w.Norm(), unit*v.Norm()/L), i/6)
	}
	if gap = most.Most; !(gap <= gapTol) {
		err = &StepError{Time: s.middle.Time, Body: most.At, Name: s.mech.BodyName(most.At), Gap: gap}
	}
	return gap, err
}

// holdStart goes to the start of the step with what has closed the poses at its end, and returns how far that was from the least change.
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

// movedBy stores in s.dxi how poses at the end move for changes x of what closes the joints: by −D x.
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

// movedBack adds to x the transpose of movedBy for cotangents of poses.
func (s *rattleStep[F]) movedBack(x, poses []float64) {
	for i := range s.from.Bodies {
		theta, phi := (*spatial.Vec3)(s.closing[6*i:]), (*spatial.Vec3)(poses[PerBody*i:])
		var turn spatial.Vec3
		spatial.DexpTo(&turn, theta, phi) // dexp of −x transposed is that of x
		for j := range 3 {
			x[6*i+j] -= turn[j]
			x[6*i+3+j] -= poses[PerBody*i+3+j]
		}
	}
}

// closeAhead stores in x the changes of what closes the joints: those of s.right, the residual at the start, and of the position
// errors at the end in its rows. The field holds errors at the end, and answers with the matrices of both. Rows are asked of that of the
// end alone, as those at the start may contradict them where they are redundant. k is the number of the direction.
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
		// What is left of the rows: J₁·(−D y) is wanted to be −rows.
		s.movedBy(s.correction)
		if err := s.field.ResidualTo(s.right, s.dxi, -1, nil); err != nil {
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
		} else { // by what is more than the first answer: of rows at rounding level alone, redundant ones would contradict each other
			for i, y := range s.first {
				s.y[i] -= y
			}
		}
		// Without the part that the joints allow at the start it is along their forces there.
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

// largestOf returns the largest size of an answer for an objective or a direction so far.
func (s *rattleStep[F]) largestOf(k int, size float64) float64 {
	for len(s.most) <= k {
		s.most = append(s.most, 0)
	}
	s.most[k] = max(s.most[k], size)
	return s.most[k]
}

// chordEnds reports whether corrections end with that of number n, of size step behind one of size was, and an error if they fail. most is
// the largest size of an answer so far: what is rounding of that is rounding of the derivative, too. Motions that the joints forbid,
// such as those out of a plane, leave nothing else.
func chordEnds(n int, step, was, most float64) (bool, error) {
	switch {
	case step <= chordTol*most, n > 0 && step < was && step/was*step <= chordTol*most: // the next one would leave that
		return true, nil
	case n > 1 && !(step < was/2) || n == chordSteps:
		if step <= chordLeft*most {
			return true, nil
		}
		return false, ErrChord
	}
	return false, nil
}

// closeBack stores in s.sum the cotangents of the residual at the start and of the errors at the end, for the cotangents bar of what
// closes the joints: the transpose of closeAhead, for objective k. bar is lost.
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
		// What is left: bar − M η − Dᵀ J₁ᵀ ν.
		s.field.AddMassTo(bar, s.y[:six], -1)
		clear(s.back)
		if err := s.field.ErrorsBackTo(s.back, nil, s.y[six:]); err != nil {
			return err
		}
		s.movedBack(bar, s.back)
	}
}
