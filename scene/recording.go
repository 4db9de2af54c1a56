package scene

import "github.com/rung-mbd/rung/mechanism"

// Recording gives the states of a mechanism over time, to be drawn. A replay.Replay is one.
type Recording interface {
	// Times returns the times, s, increasing.
	Times() []float64
	// StateTo stores the state at time i in st.
	StateTo(st *mechanism.State, i int) error
}
