package scene

import "github.com/rung-mbd/rung/mechanism"

// Recording has the states of a mechanism over time, for drawing, such as a replay.Replay.
type Recording interface {
	// Times returns the times, s, increasing.
	Times() []float64
	// StateTo stores the state at time i in st.
	StateTo(st *mechanism.State, i int) error
}
