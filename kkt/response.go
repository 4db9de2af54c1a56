package kkt

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Response is the map Φ from loads on the bodies to the accelerations that they make at one pose, with all joints, couplings and
// armature: the block of the inverse of theory.md (2) that belongs to the bodies. Without joints it is M⁻¹. It answers any number of
// loads on one factor, which is what task-space control (the inverse of the operational inertia, J·Φ·Jᵀ) and reduced models ask for.
// Prescribed freedoms keep their rates. Φ is symmetric and positive semidefinite, and Φ·M projects velocities on those that the joints
// allow, in the metric of the inertias.
//
// It owns its memory and belongs to one goroutine at a time.
type Response struct {
	s   *Solver
	st  *mechanism.State
	run int // of the factor that At has made, 0 without
}

// NewResponse allocates a Response of the plan.
func (p *Plan) NewResponse() *Response {
	p.mustBe()
	return &Response{s: p.newSolver()}
}

// At factors the system at the pose of st, which is kept and must not change before the next At. Velocities and loads have no
// effect. A state that violates the joints is taken as it is.
//
// Cost: that of Solver.Solve, no allocation. Errors are those of Stages.Factorize. It panics if st is nil or of another mechanism.
func (r *Response) At(st *mechanism.State) error {
	r.enter()
	defer r.s.guard.Leave()
	mustHaveState(st)
	r.st = st
	return r.s.orCause(r.factor())
}

// factor factors the system at r.st, in the first way that works.
func (r *Response) factor() error {
	s := r.s
	r.run, s.st = 0, r.st
	if err := s.assembleWhole(); err != nil {
		return err
	}
	clear(s.sys.Right)
	s.alter()
	if err := s.factorize(); err != nil {
		return err
	}
	// The half of a solve that comes with the factor is for this right side. From now on all right sides are alike.
	s.now.SolveTo(s.now.x, s.now.Right)
	r.run = s.now.runs()
	return nil
}

// AccelerationsTo stores in a the accelerations by the loads f alone, Φ·f, of any number of loads one after the other. Each is refined as
// Solver.Solve refines, in the first way to factor whose solution holds, and has the bits that it has alone.
//
// Shapes: f has six numbers a body for each load, a wrench about the centre of mass, moment first; a has as many, ω̇ and then the
// acceleration of the centre of mass. a may be f. Frame: world axes.
// Cost: a few solves a load, no allocation but for what Solver.Solve needs as a last resort. It returns the errors of Solver.Solve with
// the number of the load; a is then whole before it. It panics without At or on a length mismatch.
func (r *Response) AccelerationsTo(a, f []float64) error {
	r.enter()
	defer r.s.guard.Leave()
	n := 6 * r.s.plan.mech.NumBodies()
	if len(a) != len(f) || n == 0 && len(f) > 0 || n > 0 && len(f)%n != 0 {
		panic("kkt: length mismatch")
	}
	if r.st == nil || r.run == 0 {
		panic("kkt: no factor")
	}
	for k := 0; len(f) > 0; k++ {
		if err := r.one(a[:n], f[:n]); err != nil {
			return fault.Errorf("kkt: load %d: %w", k, r.s.orCause(err))
		}
		a, f = a[n:], f[n:]
	}
	return nil
}

// one is AccelerationsTo for a single load. Another way to factor that was needed before is undone.
func (r *Response) one(a, f []float64) error {
	s := r.s
	if !s.keeps(r.run) {
		if err := r.factor(); err != nil {
			return err
		}
	}
	s.stage = factored
	s.setRight(f)
	s.way, s.free = s.now.Way(), algebra.MaxAbs(s.sys.Right)
	err := s.refine()
	if err == nil {
		copy(a, s.x)
	}
	s.stage = factored
	return err
}

// InverseInertiaTo stores in dst the inverse inertia J·Φ·Jᵀ of a task, whose velocities are J times those of the bodies: Λ⁻¹ of
// operational-space control, exactly symmetric. Where the mechanism does not allow all motions of the task it is singular. It stores
// Φ·Jᵀ in a, the accelerations by a unit force along each row.
//
// Shapes: J and a have k rows of six numbers a body, as AccelerationsTo has f and a; dst has k². Cost and errors are those of
// AccelerationsTo, and O(k²·bodies); no allocation. It panics as AccelerationsTo does, and if a is J.
func (r *Response) InverseInertiaTo(dst, a, J []float64) error {
	if r == nil || r.s == nil {
		panic("kkt: zero Response; use Plan.NewResponse")
	}
	if len(a) != len(J) {
		panic("kkt: length mismatch")
	}
	if len(a) > 0 && &a[0] == &J[0] {
		panic("kkt: destination is an argument")
	}
	n := 6 * r.s.plan.mech.NumBodies()
	k := len(J) / max(n, 1)
	if len(dst) != k*k {
		panic("kkt: length mismatch")
	}
	if err := r.AccelerationsTo(a, J); err != nil {
		return err
	}
	for i := range k {
		for j := range i + 1 {
			d := algebra.Dot(J[i*n:][:n], a[j*n:][:n])
			dst[i*k+j], dst[j*k+i] = d, d
		}
	}
	return nil
}

// enter panics if r is zero or in use, and takes up what its inputs have changed.
func (r *Response) enter() {
	if r == nil || r.s == nil {
		panic("kkt: zero Response; use Plan.NewResponse")
	}
	if !r.s.guard.Enter() {
		panic("kkt: Response used by two goroutines")
	}
	r.s.owner.follow()
}
