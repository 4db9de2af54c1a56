// Package disttest compares distributed solves and runs with those of one process, for the tests of package dist and of its carriers.
package disttest
