// Package check holds helpers for the tests of the other packages: comparison
// relative to a stated scale, scaled residuals, seeded random numbers, golden
// files, the reference data, and seeded walks of fuzz targets. Only tests import it.
//
// A test binary that imports it has the flag -update, which rewrites the golden
// files of its package:
//
//	go test ./draw -update
package check
