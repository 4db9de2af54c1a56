// Package parquet records trajectories of package sim in Apache Parquet files.
//
// A file has the columns of sim.Columns in their order, all of double precision and required.
// Its metadata has [FormatKey] and [ModelKey]. Row groups have a fixed number of rows. Recording
// needs the memory of a few row groups. Close needs another 2 kB or so for
// each column of each row group, as the footer describes them all.
//
//	rows, err := parquet.New("run.parquet", sim.NewColumns(mech, nil), parquet.Options{})
//	run := sim.New(mech, method, st, sim.Options{Projector: d, Recorder: rows, Every: 0.01})
//	err = run.Run(10)
//	err = rows.Close()
//
// A Parquet file cannot be read without its footer, which holds the positions of all row
// groups and is written last. So the row groups of a run that has not ended are kept beside the
// file as parts, each a Parquet file. Their folder has the name of the file plus [PartsEnding]; a
// reader that accepts a folder reads them together. Close joins them. A process that is killed
// leaves them, and [Resume] continues with them. Other files in that folder are not touched. Files and parts are sealed with a checksum
// (rung.seal in the metadata): Resume and Close name a file that has been changed or damaged.
//
// The package is separate from sim so that sim needs no library of the format.
package parquet
