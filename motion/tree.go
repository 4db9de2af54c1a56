package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// treeMover is a Mover with the accelerations of a method on a spanning tree (RBDA §8.2–8.8). The sparse method does the rest: it computes
// the nearness of a singular pose, and brings states back to where the joints hold. It belongs to one goroutine at a time.
type treeMover struct {
	solver *tree.ClosedSolver
	acc    []spatial.ClassicalAccel
	sparse *Dynamics        // brings states back
	gauge  *kkt.Solver      // for Nearness; the factor of sparse serves its corrections
	last   *mechanism.State // of the last Accelerations
	bears  bool             // the mechanism has friction that grows with reactions
	unique bool             // gauge has found these reactions to be unique
}

// newTree prepares a method other than Sparse for the mechanism of the plan.
//
// Cost, errors and the panic: as NewTreeSolver.
func newTree(p *kkt.Plan, m Method) (*treeMover, error) {
	s, err := NewTreeSolver(p.Mechanism(), m)
	if err != nil {
		return nil, err
	}
	acc := make([]spatial.ClassicalAccel, p.Mechanism().NumBodies())
	bears := p.Mechanism().NumBearings() > 0
	return &treeMover{solver: s, acc: acc, sparse: NewDynamics(p), gauge: p.NewSolver(), bears: bears}, nil
}

// NewTreeSolver returns the solver of a method other than Sparse for a mechanism, without a Mover.
//
// Cost: a tree.Plan, and a matrix with as many rows as there are freedoms of the tree and constraints of the loops.
// It returns the errors of tree.NewPlan and tree.Plan.CheckMemory. It panics for Sparse.
func NewTreeSolver(mech *mechanism.Mechanism, m Method) (*tree.ClosedSolver, error) {
	method, ok := m.Tree()
	if !ok {
		panic("motion: no tree method")
	}
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return nil, err
	}
	if err := plan.CheckMemory(); err != nil {
		return nil, fault.Errorf("motion: %v: %w", m, err)
	}
	return plan.NewSolver(method, tree.SolverOptions{}), nil
}

// Accelerations stores in a the accelerations at st: six numbers a body, ω̇ then
// the classical acceleration of the centre of mass, world axes.
//
// Cost and errors: as tree.ClosedSolver.Solve. It panics unless a has 6 entries a
// body.
func (d *treeMover) Accelerations(a []float64, st *mechanism.State) error {
	mustHaveState(st)
	if len(a) != 6*len(d.acc) {
		panic("motion: length mismatch")
	}
	if d.bears && !d.unique { // the sparse method returns an error if reactions are not unique
		if err := d.gauge.Solve(st); err != nil {
			return err
		}
		d.unique = true
	}
	if err := d.solver.Solve(st); err != nil {
		return err
	}
	d.last = st
	d.solver.AccelerationsTo(d.acc)
	for i := range d.acc {
		copy(a[6*i:6*i+6], d.acc[i][:])
	}
	return nil
}

// Nearness is kkt.Solver.Nearness at the state of the last Accelerations. Where the sparse method has no solution it returns +Inf and 0.
//
// Cost: a kkt.Solver.Solve.
func (d *treeMover) Nearness() (near float64, redundant int) {
	if d.gauge.Solve(d.last) != nil {
		return math.Inf(1), 0
	}
	return d.gauge.Nearness()
}

// ClosePositions is closing.Closer.ClosePositions.
func (d *treeMover) ClosePositions(st *mechanism.State) error { return d.sparse.ClosePositions(st) }

// ProjectVelocities is closing.Closer.ProjectVelocities.
func (d *treeMover) ProjectVelocities(st *mechanism.State) error {
	return d.sparse.ProjectVelocities(st)
}

// Exactly is closing.Closer.Exactly, for ClosePositions and ProjectVelocities.
func (d *treeMover) Exactly(on bool) { d.sparse.Exactly(on) }

// AllowMotion is closing.Closer.AllowMotion.
func (d *treeMover) AllowMotion(v []float64, st *mechanism.State) error {
	return d.sparse.AllowMotion(v, st)
}

// RespondTo is Dynamics.RespondTo.
func (d *treeMover) RespondTo(v []float64, st *mechanism.State, f mechanism.Freedom) (free float64, err error) {
	return d.sparse.RespondTo(v, st, f)
}

// ProjectDrift is Dynamics.ProjectDrift. There is no factor of the last accelerations, so it never takes corrections with it.
func (d *treeMover) ProjectDrift(st *mechanism.State, boundP, boundV float64) (mechanism.Violation, error) {
	return d.sparse.ProjectDrift(st, boundP, boundV)
}
