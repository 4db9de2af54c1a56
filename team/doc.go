// Package team runs independent tasks on a fixed set of goroutines without
// allocating. Which goroutine runs a task is left to chance; a task's result must
// not depend on it.
package team
