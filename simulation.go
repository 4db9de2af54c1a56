package rung

import "github.com/rung-mbd/rung/motion/runs"

// Types of package runs.
type (
	Simulation        = runs.Simulation // a run: a state that moves through time, with events, rows and files
	SimulationOptions = runs.Options    // how it moves, and what is kept; the zero value is the default
	SimulationFiles   = runs.Files      // where it writes, and where it goes on from
)

// NewSimulation sets up a run of a mechanism, as rung simulate does, with equal bits for equal options. The zero
// SimulationOptions stand for accelerations by the sparse system, steps by error control, drift that is projected away,
// and a start that fits the joints.
//
// Its errors are those of runs.New: a *runs.OptionError or a *runs.StartError mostly. It panics if p is nil.
func NewSimulation(p *Plan, o SimulationOptions) (*Simulation, error) { return runs.New(p, o) }
