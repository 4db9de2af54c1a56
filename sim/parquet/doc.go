// Package parquet records trajectories of package sim in Apache Parquet files.
//
// A file has the columns of sim.Columns in their order, all of double precision and required.
// Its metadata has [FormatKey] and [ModelKey]. Row groups have a fixed number of rows. While rows
// are recorded, they take the memory of a few row groups. Close keeps some 2 kB besides for
// each column of each row group, as the footer describes them all.
//
//	rows, err := parquet.New("run.parquet", sim.NewColumns(mech, nil), parquet.Options{})
//	run := sim.New(mech, method, st, sim.Options{Projector: d, Recorder: rows, Every: 0.01})
//	err = run.Run(10)
//	err = rows.Close()
//
// A Parquet file cannot be read before its footer is there, which holds the places of all row
// groups and comes last. So the row groups of a run that has not ended are kept beside the
// file, each a Parquet file by itself. Their folder has the name of the file and [PartsEnding]; a
// reader that takes a folder takes them together. Close joins them. A process that is killed
// leaves them, and [Resume] goes on with them. Other files in that folder stay as they are. Files and parts are sealed
// (rung.seal in the metadata): Resume and Close name one that is not as it was written.
//
// It is a package of its own so that sim needs no library of the format.
package parquet
