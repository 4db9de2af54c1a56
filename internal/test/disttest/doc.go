// Package disttest has what tests of package dist, and of its carriers, hold against one process.
package disttest
