package motion

import "github.com/rung-mbd/rung/mechanism"

// mustHaveState panics without a state.
func mustHaveState(st *mechanism.State) {
	if st == nil {
		panic("motion: no state")
	}
}
