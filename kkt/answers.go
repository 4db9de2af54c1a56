package kkt

import (
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Answers solves the whole system, theory.md (2), at one state for any right sides, in the rows of bodies and of joints, with one factor.
// Derivatives of accelerations and multipliers are such solutions, theory.md (D1). Each is refined as Solver.Solve refines.
//
// It owns its memory and belongs to one goroutine at a time.
type Answers struct {
	s   *Solver
	st  *mechanism.State
	run int // Factored.runs of the factor that At has made, 0 if there is none

	redundant int     // rows that are redundant by that factor
	dropped   float64 // largest pivot of the redundant rows
	misfit    Misfit  // of the solution of At

	bodies bool      // loads and velocities of the state count, and At solves
	clear  bool      // rows of velocities alone are left out
	x      []float64 // the solution of At

	narrow bool      // flywheels are in the system, but not in right sides and answers: those are of impulses
	wide   []float64 // memory of ProductTo

	together []*together // of TogetherTo, by factor
}

// AnswersKind is the system that Answers solves.
type AnswersKind uint8

// The kinds. The kinds for velocities and positions use the metric of the inertias without armature, as package closing does. Held
// inertia is the inertia that mechanism.Singular gives to bodies without inertia in some direction.
const (
	AnswersOfDynamics   AnswersKind = iota // with armature, without held inertia
	AnswersOfVelocities                    // the least change of velocities, with held inertia
	// AnswersOfPositions is the least displacement. Rows of velocities alone do not count (joints.Kind.VelocityRows), and there is no held
	// inertia.
	AnswersOfPositions
	AnswersOfImpulses // the change of velocities by impulses: AnswersOfDynamics without flywheels in right sides and answers
	// AnswersOfSteps is the change that holds the rows over a step of RATTLE (Corrector): AnswersOfImpulses with held inertia.
	AnswersOfSteps
)

// Misfit is the largest residual of the rows for an answer. Where rows depend on each other, right sides may contradict each other.
type Misfit struct {
	Ratio      float64 // the largest residual of a row relative to the size of its terms; at rounding level where all rows hold
	Constraint int     // joint or coupling of that row (mechanism.Mechanism.NumConstraints), −1 for none
	Row        int     // of the joint; −1 for none
}

// NewAnswers allocates answers of the plan.
func (p *Plan) NewAnswers(kind AnswersKind) *Answers {
	p.mustBe()
	switch kind {
	case AnswersOfDynamics:
		s := p.newSolver()
		return &Answers{s: s, bodies: true, x: make([]float64, len(s.x))}
	case AnswersOfVelocities, AnswersOfPositions:
		s := p.newPlainSolver()
		if kind == AnswersOfPositions {
			s = p.newSolverOf(p) // this one takes the held inertia off
		}
		a := &Answers{s: s, clear: kind == AnswersOfPositions && len(p.mech.Nonholonomic()) > 0, x: make([]float64, len(s.x))}
		s.doubles = a.clear
		return a
	case AnswersOfImpulses, AnswersOfSteps:
		s := p.newSolver()
		if kind == AnswersOfSteps {
			s.release = nil
		}
		return &Answers{s: s, x: make([]float64, len(s.x)), narrow: s.places != nil}
	}
	panic("kkt: unknown kind of answers")
}

// Layout returns the layout of right sides and answers: the bodies, then the flywheels of armature in AnswersOfDynamics, then joints and
// couplings. It is not to be changed.
func (a *Answers) Layout() *assemble.Layout {
	if a.narrow {
		return a.s.owner.layout
	}
	return a.s.plan.layout
}

// At factors the system at st, which is kept and must not change before the next At. Answers of dynamics solve it too (Solution).
//
// Cost: that of Solver.Solve, no allocation. Errors are those of Solver.Solve. It panics if st is nil or of another mechanism.
func (a *Answers) At(st *mechanism.State) error {
	a.enter()
	defer a.s.guard.Leave()
	mustHaveState(st)
	a.st, a.run = st, 0
	s := a.s
	if !a.bodies {
		err := a.factor()
		a.redundant = s.now.Weak
		return s.orCause(err)
	}
	err := a.solve(st)
	if err = s.orCause(err); err != nil {
		return err
	}
	copy(a.x, s.x)
	a.run, a.redundant, a.misfit, a.dropped = s.now.runs(), s.now.Weak, a.fit(), s.ref.Doubt
	return nil
}

// fit returns the Misfit of the solution of s.
func (a *Answers) fit() Misfit {
	s := a.s
	fit := Misfit{Ratio: s.inconsistency, Constraint: -1, Row: -1}
	if node := s.ref.Worst.Node; node >= 0 {
		fit.Constraint, fit.Row = s.plan.layout.NodeConstraint(node), s.ref.Worst.Row
	}
	return fit
}

// solve is Solver.Solve, without its guard.
func (a *Answers) solve(st *mechanism.State) error {
	s := a.s
	if s.bearings != nil {
		return s.settle(st, s.once)
	}
	return s.once(st)
}

// factor factors the system at a.st with zero right side, in the first way that works, without the rows of velocities alone if a.clear is
// set.
func (a *Answers) factor() error {
	s := a.s
	a.run, s.st = 0, a.st
	if err := s.assembleWhole(); err != nil {
		return err
	}
	if a.clear {
		p := s.plan.layout.Pattern
		for node := s.plan.layout.FirstJoint(); node < p.Len(); node++ {
			from, to := s.sys.ClearVelocityRows(node)
			for i := from; i < to; i++ {
				s.sys.Scale[int(p.Off[node])+i] = 1 // of a row of zeros, which counts as redundant
			}
		}
	}
	clear(s.sys.Right)
	s.alter()
	// Without the forward half of a solve for this right side, all later right sides are alike.
	right := s.whole.Right
	s.whole.Right = nil
	err := s.factorize()
	if s.whole.Right = right; err != nil {
		return err
	}
	a.run = s.now.runs()
	return nil
}

// Solution returns the solution of At: accelerations of the bodies, numbers of flywheels, then multipliers with their signs changed. It is
// not to be changed. It panics without At, and unless the answers are of dynamics.
func (a *Answers) Solution() []float64 {
	if a.st == nil || a.run == 0 || !a.bodies {
		panic("kkt: no solution")
	}
	return a.x
}

// Reactions returns the forces of the joints at the solution of At. It panics as Solution does.
func (a *Answers) Reactions() Reactions {
	return Reactions{a.s.plan.layout, a.s.now.kin, a.s.st, a.Solution()}
}

// Redundant returns the number of rows that the factor of At takes for redundant. It panics without At.
func (a *Answers) Redundant() int {
	if a.st == nil || a.run == 0 {
		panic("kkt: no factor")
	}
	return a.redundant
}

// Misfit returns the largest residual of the rows for the solution of At. It is above rounding where redundant rows contradict each other.
// It panics as Solution does.
func (a *Answers) Misfit() Misfit {
	_ = a.Solution()
	return a.misfit
}

// Weakest returns the row that is nearest to being redundant by the factor at hand, with its joint or coupling; −1 for none. pivot is the
// pivot of the row, relative to its scale; it is 0 if there is no factor, because only orthogonal factors or twice the digits have led to
// an answer. dropped is the largest pivot of a row that counts as redundant, in answers of dynamics: rounding, or the square of a small
// distance from a singular pose. It panics without At.
func (a *Answers) Weakest() (constraint, row int, pivot, dropped float64) {
	_ = a.Redundant()
	if !a.s.now.Current() {
		return -1, -1, 0, a.dropped
	}
	node, row, pivot := a.s.now.Weakest()
	if node < 0 {
		return -1, -1, pivot, a.dropped
	}
	return a.s.plan.layout.NodeConstraint(node), row, pivot, a.dropped
}

// AnswerTo stores in x the solution for a right side in the order of Layout. right has a wrench about the centre of mass for each body,
// moment first, then the entries of flywheels, then the right sides of the rows. x has accelerations, and multipliers with their signs
// changed; multipliers of rows that count as redundant are zero. accuracy is the predicted relative error of the accelerations.
//
// Frame: world axes. Cost: a few solves, no allocation except by the last resorts of Solver.Solve. It returns the errors of
// Solver.Solve; ErrInconsistent names a row that others contradict. It panics without At or on a
// length mismatch.
func (a *Answers) AnswerTo(x, right []float64) (fit Misfit, accuracy float64, err error) {
	a.enter()
	defer a.s.guard.Leave()
	if n := a.Layout().Pattern.Dim(); len(x) != n || len(right) != n {
		panic("kkt: length mismatch")
	}
	return a.answersTo(x, right)
}

// answersTo is AnswerTo without its guard and checks.
func (a *Answers) answersTo(x, right []float64) (fit Misfit, accuracy float64, err error) {
	if !a.narrow {
		return a.answerTo(x, right)
	}
	y, b := a.s.withFlywheels(right)
	if fit, accuracy, err = a.answerTo(y, b); err == nil {
		a.takeTo(x, y)
	}
	return fit, accuracy, err
}

// answerTo is answersTo for right sides and solutions with all scalars of the system, flywheels included.
func (a *Answers) answerTo(x, right []float64) (fit Misfit, accuracy float64, err error) {
	s := a.s
	if a.st == nil || a.run == 0 {
		panic("kkt: no factor")
	}
	fit.Constraint, fit.Row = -1, -1
	if !s.keeps(a.run) {
		if err := a.factor(); err != nil {
			return fit, 0, s.orCause(err)
		}
	}
	s.stage = factored
	s.setRight(right)
	s.way, s.free = s.now.Way(), algebra.MaxAbs(s.sys.Right[:s.plan.first()])
	err = s.refine()
	fit = a.fit()
	if err == nil {
		copy(x, s.x)
	}
	accuracy = s.ref.Error
	s.stage = factored
	if err = s.orCause(err); err != nil {
		return fit, accuracy, fault.Errorf("kkt: %w", err)
	}
	return fit, accuracy, nil
}

// TogetherTo is AnswerTo for many right sides, of which eight at a time pass through the factor. accuracy has the predicted relative
// errors of the accelerations. It is NaN for a right side that has no answer here, and AnswerTo has to solve it; x[k] has no meaning then.
// This happens if rows contradict each other. It happens to all right sides if the factor alone does not give answers, because they take
// twice the digits or the removal of held inertia, and to a right side alone. The bits of an answer do not depend on the other right
// sides, but differ from those of AnswerTo.
//
// Shapes: as AnswerTo for each entry; x[k] is not right[k]. Cost: about a few solves for eight right sides, no allocation after the first
// call. It panics as AnswerTo does.
func (a *Answers) TogetherTo(x, right [][]float64, accuracy []float64) {
	a.enter()
	defer a.s.guard.Leave()
	if len(x) != len(right) || len(x) != len(accuracy) {
		panic("kkt: length mismatch")
	}
	if a.st == nil || a.run == 0 {
		panic("kkt: no factor")
	}
	for k := range accuracy {
		if n := a.Layout().Pattern.Dim(); len(x[k]) != n || len(right[k]) != n {
			panic("kkt: length mismatch")
		}
		accuracy[k] = math.NaN()
	}
	s := a.s
	if a.clear || a.narrow || s.release != nil || s.plan.spread.wide() || !s.keeps(a.run) && a.factor() != nil {
		return
	}
	t := a.needMany()
	for len(x) > 1 {
		n := min(abreast, len(x))
		t.solveTogether(&s.core, x[:n], right[:n], accuracy[:n])
		x, right, accuracy = x[n:], right[n:], accuracy[n:]
	}
}

// needMany returns the memory for right sides together with the factor at hand.
func (a *Answers) needMany() *together {
	now := a.s.now.Factored
	for _, t := range a.together {
		if t.isOf(now) {
			return t
		}
	}
	t := newTogether(now)
	a.together = append(a.together, t)
	return t
}

// RoughTo is AnswerTo without refinement and its checks, for iterations that find the residual by ProductTo. Where the factor keeps all
// rows, it is AnswerTo, as a solve without refinement is no answer then.
//
// Cost: a solve, no allocation. It returns the errors of AnswerTo. It panics as that does, and unless Plain.
func (a *Answers) RoughTo(x, right []float64) error {
	a.enter()
	defer a.s.guard.Leave()
	s := a.s
	a.mustBePlain(x, right)
	if !s.keeps(a.run) {
		if err := a.factor(); err != nil {
			return s.orCause(err)
		}
	}
	s.stage = factored
	if s.now.Way() != DropWeak {
		_, _, err := a.answersTo(x, right)
		return err
	}
	y := s.now.x
	if a.narrow {
		y, right = s.withFlywheels(right)
	}
	s.setRight(right)
	s.now.SolveTo(y, s.sys.Right)
	a.takeTo(x, y)
	s.now.accelerations(x, x)
	return s.orCause(nil)
}

// ProductTo stores in right the product of the matrix with x: the right side whose answer is x. It includes rows that count as redundant.
//
// Frame, shapes: as AnswerTo; right is not x. Cost: O(bodies + joints), no allocation after the first. It panics without At, on a
// length mismatch, for AnswersOfPositions where rows are left out, and for AnswersOfDynamics with armature.
func (a *Answers) ProductTo(right, x []float64) {
	a.enter()
	defer a.s.guard.Leave()
	s := a.s
	a.mustFit(x, right)
	if a.narrow {
		wide, y := s.withFlywheels(x)
		s.sys.WeighTo(y, y)
		s.sys.Matrix.MulVecTo(wide, y)
		s.turnFlywheels(y, wide)
		a.productTo(wide, y)
		a.takeTo(right, wide)
		return
	}
	if a.wide == nil {
		a.wide = make([]float64, len(x))
	}
	if n := s.plan.first(); algebra.MaxAbs(x[:n]) == 0 {
		a.forcesTo(right, x)
		return
	}
	copy(a.wide, x)
	s.sys.WeighTo(a.wide, x)
	a.productTo(right, a.wide)
}

// forcesTo is productTo for bodies that do not accelerate: the wrenches of the multipliers, Jᵀ·x, and zeros in the rows.
func (a *Answers) forcesTo(right, x []float64) {
	m := a.s.sys.Matrix
	p := m.Pattern
	clear(right)
	for i := p.Positive(); i < p.Len(); i++ {
		y := x[p.Off[i]:p.Off[i+1]]
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			v, o := m.Val[p.Pos[k]:p.Pos[k+1]], p.Off[p.Ind[k]]
			r := (*[6]float64)(right[o:])
			for _, y := range y {
				q := (*[6]float64)(v)
				for c := range r {
					r[c] += q[c] * y
				}
				v = v[6:]
			}
		}
	}
	a.s.sys.WrenchesTo(right, right)
}

// productTo is ProductTo for all scalars of the system, x in weighted coordinates.
func (a *Answers) productTo(right, x []float64) {
	s := a.s
	s.sys.Matrix.MulVecTo(right, x)
	if s.release != nil { // the held inertia is in the matrix, and has to come off: theory.md (H1)
		for i := range s.plan.held {
			h := &s.plan.held[i]
			z := algebra.Dot(h.u[:], x[h.row:][:3])
			for k, u := range h.u {
				right[int(h.row)+k] -= z * u
			}
		}
	}
	s.sys.WrenchesTo(right, right)
}

// takeTo copies the scalars of an answer from y, which has all scalars of the system, to x.
func (a *Answers) takeTo(x, y []float64) {
	if !a.narrow {
		copy(x, y)
		return
	}
	for i, at := range a.s.places {
		x[i] = y[at]
	}
}

// Plain reports whether RoughTo may be called: right sides and answers have the bodies and all rows and nothing else, and the
// factor is the one of the system, without held inertia that would have to come off.
func (a *Answers) Plain() bool {
	return !a.clear && (a.s.plan == a.s.owner || a.narrow) && a.s.release == nil
}

// mustBePlain panics unless Plain, and as mustFit does.
func (a *Answers) mustBePlain(x, right []float64) {
	if !a.Plain() {
		panic("kkt: no rough answers of this kind")
	}
	a.mustFit(x, right)
}

// mustFit panics without At, on a length mismatch, and if right sides do not have the rows of the matrix.
func (a *Answers) mustFit(x, right []float64) {
	switch {
	case a.clear || a.s.plan != a.s.owner && !a.narrow:
		panic("kkt: no products of this kind")
	case len(x) != a.Layout().Pattern.Dim() || len(right) != len(x):
		panic("kkt: length mismatch")
	case a.st == nil || a.run == 0:
		panic("kkt: no factor")
	}
}

// enter panics if a is zero or in use, and follows changes of its inputs. Its guard has to be left afterwards.
func (a *Answers) enter() {
	if a == nil || a.s == nil {
		panic("kkt: zero Answers; use Plan.NewAnswers")
	}
	if !a.s.guard.Enter() {
		panic("kkt: Answers used by two goroutines")
	}
	a.s.owner.follow()
}
