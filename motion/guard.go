package motion

import "github.com/rung-mbd/rung/mechanism"

func (n *Newton) enter() {
	if n == nil || n.fac == nil {
		panic("motion: zero Newton; use NewNewton")
	}
	if !n.guard.Enter() {
		panic("motion: Newton used by two goroutines")
	}
}

func (d *Dynamics) mustBe() {
	if d == nil || d.solver == nil {
		panic("motion: zero Dynamics; use NewDynamics")
	}
}

// mustHaveState panics without a state.
func mustHaveState(st *mechanism.State) {
	if st == nil {
		panic("motion: no state")
	}
}
