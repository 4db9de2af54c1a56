// Package compare solves one state by any method, that of package kkt or one of package tree, as the same result: what
// the method finds, what only the sparse method tells, and where the two differ.
//
// Frame: world axes. Units: SI.
package compare
