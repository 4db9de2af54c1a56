// Package run sets up runs: how a mechanism is moved in time, and what is kept of it. It is what rung simulate does, for
// Go programs.
//
//	s, err := run.New(plan, run.Options{Until: 10, Files: run.Files{Trajectory: "four-bar.csv"}})
//	err = s.Run(10)
//	err = s.Close()
//
// Options are a plain struct. The zero value is a good run: accelerations by the sparse system, steps of
// the Dormand-Prince pair by error control, drift projected away, a start that fits the joints.
//
// A Simulation is a sim.Simulation with all of that: events of contacts, cables and stops, ruts, energies, warnings,
// files that are whole whenever the process ends, and checkpoints from which a run goes on to the bit. Equal options give
// the bits of rung simulate.
//
// NewMover makes the integrator alone, for programs with a sim.Simulation of their own.
//
// Frame: world axes. Units: SI.
package run
