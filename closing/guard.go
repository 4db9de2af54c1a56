package closing

import "github.com/rung-mbd/rung/mechanism"

// enter begins a call, which ends when its guard is left. It panics if c is a zero Closer or in use by another goroutine, and computes the
// units anew if inputs have changed the bodies since the last call.
func (c *Closer) enter() {
	if c == nil || c.mech == nil {
		panic("closing: zero Closer; use NewCloser")
	}
	if !c.guard.Enter() {
		panic("closing: Closer used by two goroutines")
	}
	if c.mech.Edition() != c.edition {
		c.measureUnits()
	}
}

// mustHaveState panics without a state.
func mustHaveState(st *mechanism.State) {
	if st == nil {
		panic("closing: no state")
	}
}
