package kkt

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Response is the map Φ from loads on the bodies to the accelerations that they make at one pose, with all joints, couplings and
// armature: the block of the bodies in the inverse of theory.md (2). Without joints it is M⁻¹. One factor serves any number of
// loads, as in task-space control (the inverse of the operational inertia, J·Φ·Jᵀ) and in model reduction.
// Prescribed freedoms keep their rates. Φ is symmetric and positive semidefinite, and Φ·M projects velocities on the motions that the
// joints allow, in the metric of the inertias.
//
// It owns its memory and belongs to one goroutine at a time.
type Response struct {
	s   *Solver
	st  *mechanism.State
	run int // Factored.runs of the factor that At has made, 0 if there is none
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

// factor factors the system at r.st with zero right side, in the first way that works.
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
	// The factor comes with the forward half of a solve for this right side. This uses it up, so that all later right sides are alike.
	s.now.SolveTo(s.now.x, s.now.Right)
	r.run = s.now.runs()
	return nil
}

// AccelerationsTo stores in a the accelerations Φ·f by the loads f alone, for any number of loads one after the other. Each is refined as
// Solver.Solve refines, in the first way to factor whose solution holds. Its bits do not depend on the other loads.
//
// Shapes: for each load f has six numbers a body, a wrench about the centre of mass, moment first; a has as many, ω̇ and then the
// acceleration of the centre of mass. a may be f. Frame: world axes.
// Cost: a few solves a load, no allocation except by the last resorts of Solver.Solve. It returns the errors of Solver.Solve with
// the number of the load; a has the accelerations of the loads before it. It panics without At or on a length mismatch.
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

// one is AccelerationsTo for a single load. If the load before has needed another factor, it first makes the factor of At again.
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

// InverseInertiaTo stores in dst the inverse inertia J·Φ·Jᵀ of a task: Λ⁻¹ of operational-space control, exactly symmetric. The velocities
// of the task are J times the velocities of the bodies. The result is singular if the mechanism does not allow all motions of the task. It
// stores Φ·Jᵀ in a, the accelerations by a unit force along each row.
//
// Shapes: J and a have k rows of six numbers a body, as f and a of AccelerationsTo; dst has k². Cost: AccelerationsTo for k loads and
// O(k²·bodies), no allocation. Errors are those of AccelerationsTo. It panics as AccelerationsTo does, and if a is J.
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

// enter panics if r is zero or in use, and follows changes of its inputs. Its guard has to be left afterwards.
func (r *Response) enter() {
	if r == nil || r.s == nil {
		panic("kkt: zero Response; use Plan.NewResponse")
	}
	if !r.s.guard.Enter() {
		panic("kkt: Response used by two goroutines")
	}
	r.s.owner.follow()
}
