package rung

import "github.com/rung-mbd/rung/mechanism"

// enter begins a use of s, which ends with s.guard.Leave. It panics on misuse.
func (s *Solver) enter() {
	if s == nil || s.plan == nil {
		panic("rung: zero Solver; use Plan.NewSolver")
	}
	if !s.guard.Enter() {
		panic("rung: Solver used by two goroutines")
	}
}

func (c *Closer) enter() {
	if c == nil || c.mech == nil {
		panic("rung: zero Closer; use Plan.NewCloser")
	}
	if !c.guard.Enter() {
		panic("rung: Closer used by two goroutines")
	}
}

func (n *Newton) enter() {
	if n == nil || n.fac == nil {
		panic("rung: zero Newton; use NewNewton")
	}
	if !n.guard.Enter() {
		panic("rung: Newton used by two goroutines")
	}
}

func (v *Inverse) enter() {
	if v == nil || v.base == nil {
		panic("rung: zero Inverse; use Plan.NewInverse")
	}
	if !v.guard.Enter() {
		panic("rung: Inverse used by two goroutines")
	}
}

// mustBe panics unless p has been made by NewPlan or one of its kin.
func (p *Plan) mustBe() {
	if p == nil || p.mech == nil {
		panic("rung: zero Plan; use NewPlan")
	}
}

func (d *Dynamics) mustBe() {
	if d == nil || d.solver == nil {
		panic("rung: zero Dynamics; use NewDynamics")
	}
}

func (b *Builder) mustBe() {
	if b == nil || b.m == nil {
		panic("rung: zero Builder; use NewBuilder")
	}
}

// mustHaveState panics without a state.
func mustHaveState(st *mechanism.State) {
	if st == nil {
		panic("rung: no state")
	}
}
