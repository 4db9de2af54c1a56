package motion

import (
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Dynamics gives an integrator the accelerations of a mechanism, and brings states back to where the joints hold. It has the methods that
// package sim asks for, and belongs to one goroutine at a time.
type Dynamics struct {
	solver *kkt.Solver
	closer *closing.Closer
	drift  *drifter
	bodies int
	time   float64 // of the last accelerations
}

// NewDynamics allocates a Solver and a Closer of the plan. They share a factor, so closing makes the results of the solver invalid.
func NewDynamics(p *kkt.Plan) *Dynamics {
	s := p.NewSolver()
	c := closing.NewCloserOn(s.Workspace(), closing.Options{Tolerance: closing.RunTolerance})
	d := &Dynamics{solver: s, closer: c, drift: newDrifter(s), bodies: p.Mechanism().NumBodies()}
	d.ShareSearches(new(mechanism.Kinematics))
	return d
}

// ShareSearches makes d and k, which belongs to the goroutine of d, share what they find on curves and terrain
// (mechanism.Mechanism.ShareSearches).
func (d *Dynamics) ShareSearches(k *mechanism.Kinematics) { d.solver.ShareSearches(k, d.drift.kin) }

// Solver returns the solver, with the results of the last Accelerations.
func (d *Dynamics) Solver() *kkt.Solver {
	d.mustBe()
	return d.solver
}

// Accelerations stores in a the accelerations at st: six numbers a body, ω̇ then
// the classical acceleration of the centre of mass, world axes.
//
// Cost and errors: as Solver.Solve. It panics unless a has 6 entries a
// body.
func (d *Dynamics) Accelerations(a []float64, st *mechanism.State) error {
	d.mustBe()
	mustHaveState(st)
	if len(a) != 6*d.bodies {
		panic("motion: length mismatch")
	}
	d.time = st.Time
	if err := d.solver.Solve(st); err != nil {
		return err
	}
	d.solver.AccelerationsTo(a)
	return nil
}

// StabilizedAccelerations is Accelerations with feedback in the constraints (RBDA §8.3): with δ and δ̇ the position and velocity errors of
// the joints' rows, a row demands δ̈ = −2α·δ̇ − β²·δ. alpha and beta are in 1/s.
//
// If redundant rows are violated in ways that no displacement of the bodies explains, they contradict each other. The accelerations then
// satisfy them by least squares.
func (d *Dynamics) StabilizedAccelerations(a []float64, st *mechanism.State, alpha, beta float64) error {
	d.mustBe()
	mustHaveState(st)
	if len(a) != 6*d.bodies {
		panic("motion: length mismatch")
	}
	d.time = st.Time
	if err := d.solver.SolveStabilized(st, alpha, beta); err != nil {
		return err
	}
	d.solver.AccelerationsTo(a)
	return nil
}

// ConstraintWrenches solves at st and stores in dst the constraint wrenches of the joints (Solver.ConstraintWrench). Components that
// redundant joints leave undetermined are chosen by least norm (Solver.Report).
//
// Shapes: dst has one entry a joint of the list.
// Cost: a Solve, and with redundant joints a Report, which allocates. It returns the errors of both.
// It panics on a length mismatch or if a joint is out of range.
func (d *Dynamics) ConstraintWrenches(dst []spatial.Force, st *mechanism.State, joints []int) error {
	d.mustBe()
	mustHaveState(st)
	if len(dst) != len(joints) {
		panic("motion: length mismatch")
	}
	if err := d.react(st); err != nil {
		return err
	}
	for i, j := range joints {
		dst[i] = d.solver.ConstraintWrench(j)
	}
	return nil
}

// CouplingMultipliers is ConstraintWrenches for the multipliers of couplings (Solver.CouplingMultiplier).
//
// Shapes: dst has one entry a coupling of the list. It panics on a length mismatch or if a coupling is out of range.
func (d *Dynamics) CouplingMultipliers(dst []float64, st *mechanism.State, couplings []int) error {
	d.mustBe()
	mustHaveState(st)
	if len(dst) != len(couplings) {
		panic("motion: length mismatch")
	}
	if err := d.react(st); err != nil {
		return err
	}
	for i, k := range couplings {
		dst[i] = d.solver.Reactions().CouplingMultiplier(k)
	}
	return nil
}

// react solves at st. With redundant joints it chooses the reactions of least norm.
func (d *Dynamics) react(st *mechanism.State) error {
	d.time = st.Time
	if err := d.solver.Solve(st); err != nil {
		return err
	}
	if _, redundant := d.solver.Nearness(); redundant > 0 {
		if _, err := d.solver.Report(); err != nil {
			return err
		}
	}
	return nil
}

// ClosePositions is Closer.ClosePositions.
func (d *Dynamics) ClosePositions(st *mechanism.State) error {
	d.mustBe()
	d.solver.Corrector().Drop()
	return d.closer.ClosePositions(st)
}

// Exactly is Closer.Exactly, for ClosePositions and ProjectVelocities.
func (d *Dynamics) Exactly(on bool) { d.closer.Exactly(on) }

// AllowMotion is Closer.AllowMotion.
func (d *Dynamics) AllowMotion(v []float64, st *mechanism.State) error {
	d.solver.Corrector().Drop()
	return d.closer.AllowMotion(v, st)
}

// RespondTo is Solver.RespondTo. It makes the results of the last Accelerations invalid.
func (d *Dynamics) RespondTo(v []float64, st *mechanism.State, f mechanism.Freedom) (free float64, err error) {
	return d.solver.RespondTo(v, st, f)
}

// Nearness is Solver.Nearness after the last Accelerations.
func (d *Dynamics) Nearness() (near float64, redundant int) { return d.solver.Nearness() }

// ProjectVelocities is Closer.ProjectVelocities.
func (d *Dynamics) ProjectVelocities(st *mechanism.State) error {
	d.mustBe()
	d.solver.Corrector().Drop()
	return d.closer.ProjectVelocities(st)
}

func (d *Dynamics) mustBe() {
	if d == nil || d.solver == nil {
		panic("motion: zero Dynamics; use NewDynamics")
	}
}
