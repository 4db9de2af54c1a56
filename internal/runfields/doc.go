// Package runfields reads the fields of a run in documents of runs and of studies, and checks the rules between these fields. Its
// callers pass the names of integrators and methods.
package runfields
