package rung

import (
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/mechanism"
)

// Dynamics is what an integrator needs of a mechanism: accelerations, and states
// put back on the joints. It has the methods that package sim asks for, and belongs
// to one goroutine at a time.
type Dynamics struct {
	solver *Solver
	closer *Closer
}

// NewDynamics allocates a Solver and a Closer of the plan. They share a factor, so
// that closing ends the results of the solver.
func NewDynamics(p *Plan) *Dynamics {
	s := p.NewSolver()
	return &Dynamics{solver: s, closer: p.newCloserOn(s.fac, team.New(p.threads), CloserOptions{})}
}

// Solver returns the solver, whose results are those of the last Accelerations.
func (d *Dynamics) Solver() *Solver { return d.solver }

// Closing is Closer.Closing.
func (d *Dynamics) Closing() Closing { return d.closer.closing }

// Accelerations stores in a the accelerations at st: six numbers a body, ω̇ then
// the classical acceleration of the centre of mass, world axes.
//
// Cost and errors are those of Solver.Solve. It panics unless a has 6 entries a
// body.
func (d *Dynamics) Accelerations(a []float64, st *mechanism.State) error {
	if len(a) != 6*d.solver.plan.mech.NumBodies() {
		panic("rung: length mismatch")
	}
	d.closer.chord = false
	if err := d.solver.Solve(st); err != nil {
		return err
	}
	d.solver.AccelerationsTo(a)
	return nil
}

// drop ends the results.
func (s *Solver) drop() { s.ok, s.factored = false, false }

// ClosePositions is Closer.ClosePositions.
func (d *Dynamics) ClosePositions(st *mechanism.State) error {
	d.solver.drop()
	return d.closer.ClosePositions(st)
}

// ProjectVelocities is Closer.ProjectVelocities.
func (d *Dynamics) ProjectVelocities(st *mechanism.State) error {
	d.solver.drop()
	return d.closer.ProjectVelocities(st)
}
