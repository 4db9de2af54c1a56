// Package tables keeps models whose bodies and joints are tables that are read by ranges, so that nobody has to hold the
// whole: models of rung-model/1 that fit no memory, for package dist.
//
// A model is a folder of three files:
//
//	bodies.parquet   a row a body: name, mass, centre of mass, inertia, pose, velocity
//	joints.parquet   a row a joint: name, type, rows of both bodies (−1: the world), frames, pitch, length
//	head.json        rung-tables/1: the numbers of both, and all else as a document of rung-model/1
//
// The document of the head has what no column holds: couplings, terrains, force elements, frames, visuals, the source,
// and joints with a list (limits, springs, motions, drives and so on), with the bodies that these name. Their rows stand
// beside. Every reader holds the head, so it should be small beside the tables. Both tables carry the digest of the head,
// and rows are in the order of the model. Frames and units are those of package model.
package tables
