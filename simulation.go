package rung

import "github.com/rung-mbd/rung/motion/runs"

// Simulation is runs.Simulation: a state that moves through time, with events, rows and files.
//
//   - moves: Run, RunContext, and Checkpoint for resuming
//   - tells: State, Time, Row, Rows, Stats, Events, Impacts
//   - explains: Fit (how the start was closed), Stiffness, Warnings, Stopped
//   - files: Open, Close
//
// and more for commands: go doc runs.Simulation.
type Simulation = runs.Simulation

// SimulationOptions is runs.Options: how a Simulation moves, and what is kept of it. The zero value is the default.
// Write writes them as a document, which runs.Read reads; go doc runs.Options has the fields.
type SimulationOptions = runs.Options

// SimulationFiles is runs.Files: the files that a Simulation writes, and the checkpoint from which it resumes.
type SimulationFiles = runs.Files

// NewSimulation sets up a run of a mechanism, as rung simulate does, with equal bits for equal options. The zero
// SimulationOptions stand for accelerations by the sparse system, steps by error control, drift that is projected away,
// and a start that fits the joints.
//
// It returns the errors of runs.New, mostly a *runs.OptionError or a *runs.StartError. It panics if p is nil.
func NewSimulation(p *Plan, o SimulationOptions) (*Simulation, error) { return runs.New(p, o) }
