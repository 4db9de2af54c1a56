// Package runs sets up runs: the integration of a mechanism in time, and the recording of its motion, as the command rung simulate does,
// for Go programs.
//
//	s, err := runs.New(plan, runs.Options{Until: 10, Files: runs.Files{Trajectory: "four-bar.csv"}})
//	err = s.Run(10) // s
//	err = s.Close()
//
// [Options] are a plain struct. The zero value is a good default: accelerations by the sparse system, steps of
// the Dormand-Prince pair by error control, projection of drift, and an error if the first state violates the joints.
//
// A [Simulation] is a sim.Simulation with all of the following: events of contacts, cables and stops, ruts, energies, warnings,
// files that are complete whenever the process ends, and checkpoints from which a run continues to the same bits. With equal options it has
// the bits of rung simulate. Only one goroutine may use a Simulation; a plan may have many.
//
// Cost: a step costs what the integrator takes; a row O(bodies + joints). Both allocate only for rows in memory and events.
//
// Errors: an [OptionError] for faults of options, a [StartError] if the mechanism cannot be run, or not from its first
// state, a [FileError] if a file cannot be written, and the errors of sim.Simulation.Run.
//
// # Rows
//
// If Options.Every is set and rows have no other destination, they are kept in memory:
//
//	s, err := runs.New(plan, runs.Options{Every: 0.01, Columns: []string{"joint.*.q", "energy.*"}})
//	err = s.Run(1)
//	names, rows := s.Columns().Names(), s.Rows()
//
// They go to a writer or a file as comma-separated values, or to a file of another [Format].
//
// # Continuing a run
//
// With a checkpoint a run continues from where it was ended, and writes the same bytes as without the interruption:
//
//	files := runs.Files{Trajectory: "a.csv", Checkpoint: "a.ckpt", Resume: true}
//	s, err := runs.New(plan, runs.Options{Until: 10, Files: files})
//
// A program that stores checkpoints itself gets them from [Simulation.Checkpoint] and gives one to Options.Resume.
//
// # Options as a document
//
// [Read] and Options.Write read and write the part of the options that determines the motion and its rows, as rung-run/1:
//
//	o, err := runs.Read(f, "run.json")
//	s, err := runs.New(plan, *o)
//	err = s.Run(o.Until)
//
// # Prescribed motions
//
// A [Kinematics] follows a motion whose freedoms are all prescribed, and records the forces that drive it:
//
//	err := runs.AddDrives(m, []runs.Drive{{Joint: "crank", Rate: 3}}) // rad/s, before the plan
//	k, err := runs.NewKinematics(plan, runs.Options{Every: 0.01})
//	err = k.Run(2)
//	rows := k.Rows()
//
// # The integrator alone
//
// [NewMover] returns the stepper and the projector, for programs with their own sim.Simulation.
//
// Frame: world axes. Units: SI.
package runs
