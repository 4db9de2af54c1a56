// Package tables stores models with their bodies and joints in tables that can be read by ranges. It is for models
// that do not fit into memory, in package dist.
//
//	err := tables.Write("ladder.tables", m)
//	f, err := tables.Open("ladder.tables")
//	part, bodies, joints, err := f.Part(0, 1000) // with neighbours, and the rows of all
//
// A model is a folder of three files:
//
//	bodies-DIGEST.parquet   a row for each body: name, mass, centre of mass, inertia, pose, velocity
//	joints-DIGEST.parquet   a row for each joint: name, type, rows of both bodies (−1: the world), frames, pitch, length
//	head.json               rung-tables/1: the numbers of bodies and joints, the digests of the tables, and the rest as a document of
//
// rung-model/1
//
// The document in the head has everything without a column: couplings, terrains, force elements, frames, visuals, the source,
// and joints with a list (limits, springs, motions, drives and so on), with the bodies that these name; the head also has their
// rows. Every reader keeps the head in memory, so it should be small compared to the tables. Rows are in the order of the model.
// Frames and units are as in package model.
//
// Writing is atomic: a writer that is killed, runs out of space or conflicts with another one leaves the old model or the
// new one, and a reader gets one complete model or an error with the name of the file. The head names the tables and has the
// digests of their bytes; the new model replaces the old one when the head is renamed. The steps are described in
// internal/outfile, for folders with a head, and for users in [docs/model-format.md].
//
// [docs/model-format.md]: https://github.com/rung-mbd/rung/blob/main/docs/model-format.md
package tables
