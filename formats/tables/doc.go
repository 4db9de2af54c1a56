// Package tables keeps models whose bodies and joints are tables that are read by ranges, so that nobody has to hold the
// whole: models of rung-model/1 that fit no memory, for package dist.
//
//	err := tables.Write("ladder.tables", m)
//	f, err := tables.Open("ladder.tables")
//	part, bodies, joints, err := f.Part(0, 1000) // with neighbours, and the rows of all
//
// A model is a folder of three files:
//
//	bodies-DIGEST.parquet   a row a body: name, mass, centre of mass, inertia, pose, velocity
//	joints-DIGEST.parquet   a row a joint: name, type, rows of both bodies (−1: the world), frames, pitch, length
//	head.json               rung-tables/1: the numbers of both, their digests, and all else as a document of rung-model/1
//
// The document of the head has what no column holds: couplings, terrains, force elements, frames, visuals, the source,
// and joints with a list (limits, springs, motions, drives and so on), with the bodies that these name. Their rows stand
// beside. Every reader holds the head, so it should be small beside the tables. Rows are in the order of the model. Frames
// and units are those of package model.
//
// The three files are one: a writer that is killed, that has no room or that meets another one leaves the old model or the
// new one, and a reader gets all of one model or an error with the name of the file. The head names the tables and has the
// digests of their bytes, and its rename is the moment in which one model takes the place of the other. The steps are those of
// folders with a head in internal/outfile; [docs/model-format.md] has them for users.
//
// [docs/model-format.md]: https://github.com/rung-mbd/rung/blob/main/docs/model-format.md
package tables
