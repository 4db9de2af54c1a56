// Package runs sets up runs: how a mechanism is moved in time, and what is kept of it. It is what rung simulate does, for
// Go programs.
//
//	s, err := runs.New(plan, runs.Options{Until: 10, Files: runs.Files{Trajectory: "four-bar.csv"}})
//	err = s.Run(10) // s
//	err = s.Close()
//
// [Options] are a plain struct. The zero value is a good run: accelerations by the sparse system, steps of
// the Dormand-Prince pair by error control, drift projected away, a start that fits the joints.
//
// A [Simulation] is a sim.Simulation with all of that: events of contacts, cables and stops, ruts, energies, warnings,
// files that are whole whenever the process ends, and checkpoints from which a run goes on to the bit. Equal options give
// the bits of rung simulate. It belongs to one goroutine; a plan may have many.
//
// Cost: a step is that of the integrator; a row costs O(bodies + joints). Neither allocates but for rows in memory and events.
//
// Errors: an [OptionError] for options that are wrong, a [StartError] where the mechanism cannot be run or not from its
// state, a [FileError] where a file cannot be written, and those of sim.Simulation.Run.
//
// # Rows
//
// Where Options.Every is set and nothing else is said, rows are kept in memory:
//
//	s, err := runs.New(plan, runs.Options{Every: 0.01, Columns: []string{"joint.*.q", "energy.*"}})
//	err = s.Run(1)
//	names, rows := s.Columns().Names(), s.Rows()
//
// They go to a writer or a file as comma-separated values, or to a file of another [Format].
//
// # To go on
//
// With a checkpoint a run goes on from where it was ended, and leaves the bytes of one that was not:
//
//	files := runs.Files{Trajectory: "a.csv", Checkpoint: "a.ckpt", Resume: true}
//	s, err := runs.New(plan, runs.Options{Until: 10, Files: files})
//
// A program that keeps checkpoints itself takes them from [Simulation.Checkpoint] and gives one to Options.Resume.
//
// # As a document
//
// [Read] and Options.Write have the part of the options that decides about the motion and its rows as rung-run/1:
//
//	o, err := runs.Read(f, "run.json")
//	s, err := runs.New(plan, *o)
//	err = s.Run(o.Until)
//
// # Motions that are prescribed
//
// A [Kinematics] follows a motion whose freedoms are all prescribed, and tells what drives it:
//
//	err := runs.AddDrives(m, []runs.Drive{{Joint: "crank", Rate: 3}}) // rad/s, before the plan
//	k, err := runs.NewKinematics(plan, runs.Options{Every: 0.01})
//	err = k.Run(2)
//	rows := k.Rows()
//
// # The integrator alone
//
// [NewMover] makes the stepper and the projector for programs with a sim.Simulation of their own.
//
// Frame: world axes. Units: SI.
package runs
