package kkt

import "github.com/rung-mbd/rung/mechanism"

// enter begins a use of s, which ends when its guard is left. It panics on misuse.
func (s *Solver) enter() {
	if s == nil || s.plan == nil {
		panic("kkt: zero Solver; use Plan.NewSolver")
	}
	if !s.guard.Enter() {
		panic("kkt: Solver used by two goroutines")
	}
	s.owner.follow()
}

func (v *Inverse) enter() {
	if v == nil || v.base == nil {
		panic("kkt: zero Inverse; use Plan.NewInverse")
	}
	if !v.guard.Enter() {
		panic("kkt: Inverse used by two goroutines")
	}
}

// mustBe panics unless p has been made by NewPlan or one of its kin.
func (p *Plan) mustBe() {
	if p == nil || p.mech == nil {
		panic("kkt: zero Plan; use NewPlan")
	}
}

// mustHaveState panics without a state.
func mustHaveState(st *mechanism.State) {
	if st == nil {
		panic("kkt: no state")
	}
}
