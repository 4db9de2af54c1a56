package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
)

// Solver solves the forward dynamics of one mechanism. It owns all memory it
// needs and belongs to one goroutine at a time.
type Solver struct {
	core
	guard guard.Guard
	side  *Workspace // for users besides s: the one of the core, or with armature one for the system of the constraints

	bearings *bearings // nil if no friction grows with a reaction
	release  *releaser // corrects for the held inertia; nil if there is none, or if it stays

	places []int32   // by scalar of the system without armature: its scalar in the system with armature; nil without armature
	wide   []float64 // scratch of withFlywheels: a solution and a right side with armature
}

// NewSolver allocates a solver of the plan.
func (p *Plan) NewSolver() *Solver {
	p.mustBe()
	if p.ground == nil || p.mech.NumBearings() > 0 { // bearings need the multipliers of every solve, which the whole system has
		return p.newSolver()
	}
	s := &Solver{core: newCore(p, p)}
	s.side, s.ground = s.work, p.ground.newGrounded(s.work)
	return s
}

// newSolver is NewSolver for the whole system.
func (p *Plan) newSolver() *Solver {
	return p.newSolverOf(p.dynamic())
}

// newSolverOf returns a solver of p for the whole system of q, which is p or its geared plan.
func (p *Plan) newSolverOf(q *Plan) *Solver {
	s := &Solver{core: newCore(p, q)}
	s.side = s.work
	if q != p {
		s.side = &Workspace{plan: p, team: s.work.team, watch: s.work.watch}
		s.places, s.wide = withoutFlywheels(p.layout, q.layout), make([]float64, 2*len(s.x))
	}
	if q.held != nil {
		s.release = newReleaser(&s.core)
	}
	s.needWhole()
	s.bearings = newBearings(&s.core)
	return s
}

// withoutFlywheels returns, for each scalar of layout l, its scalar in the layout geared of the same mechanism with flywheels. The rows of
// armature, which l does not have, are the last ones of their joint.
func withoutFlywheels(l, geared *assemble.Layout) []int32 {
	nb := int32(l.Mech.NumBodies())
	places := make([]int32, 0, l.Pattern.Dim())
	for i := range 6 * nb {
		places = append(places, i)
	}
	for node := l.FirstJoint(); node < l.Pattern.Len(); node++ {
		at := geared.Pattern.Off[geared.ConstraintNode(l.NodeConstraint(node))]
		for k := range int32(l.Pattern.Size[node]) {
			places = append(places, at+k)
		}
	}
	return places
}

// withFlywheels returns memory x for a solution of the system with armature. In right it returns e, a right side of the system without
// armature, with zeros in the entries of flywheels and their rows. Both are valid until the next call.
func (s *Solver) withFlywheels(e []float64) (x, right []float64) {
	n := len(s.x)
	x, right = s.wide[:n], s.wide[n:]
	clear(right)
	for i, at := range s.places {
		right[at] = e[i]
	}
	return x, right
}

// turnFlywheels stores in y the numbers of flywheels and of their rows, theory.md (A1), that follow from the accelerations of the bodies in
// y. right is the product of the matrix with a y in which these numbers are zero.
func (s *Solver) turnFlywheels(y, right []float64) {
	l := s.plan.layout
	for _, j := range l.Mech.Geared() {
		fly := l.FlywheelNode(int(j))
		if fly < 0 {
			continue
		}
		var I [6]float64
		n := int32(l.Mech.Joints[j].GearedInertias(&I))
		at, row := l.Pattern.Off[fly], l.Pattern.Off[l.JointNode(int(j))+1]-n
		for k := range n {
			y[at+k], y[row+k] = math.Sqrt(I[k])*right[row+k], I[k]*right[row+k]
		}
	}
}

// ErrReaction is wrapped by the error of a Solve in which the friction of a joint grows with a reaction that the
// constraints do not determine.
var ErrReaction = errors.New("kkt: friction of a reaction that is not unique")

// orCause returns err or, if the context of s has ended, the cause. There are no results then.
func (s *Solver) orCause(err error) error {
	cause := s.work.watch.Err()
	if cause == nil {
		return err
	}
	s.drop()
	return fault.Errorf("kkt: %w", cause)
}

// enter panics if s is zero or in use, and follows changes of its inputs. Its guard has to be left afterwards.
func (s *Solver) enter() {
	if s == nil || s.plan == nil {
		panic("kkt: zero Solver; use Plan.NewSolver")
	}
	if !s.guard.Enter() {
		panic("kkt: Solver used by two goroutines")
	}
	s.owner.follow()
}

// newPlainSolver returns a solver of the whole system without
// armature, in which rods and point masses keep the held inertia.
func (p *Plan) newPlainSolver() *Solver {
	s := p.newSolverOf(p)
	s.release = nil
	return s
}

// drop ends the results of s, whose state is about to change.
func (s *Solver) drop() {
	if s.stage = empty; s.now != nil {
		s.now.Changed()
	}
}
