// Package team runs independent tasks on a fixed set of goroutines without
// allocating. Which goroutine runs a task is left to chance; a task's result must
// not depend on it.
//
//	t := team.New(4)
//	t.Run(1000, job) // job.Do is called for tasks 0 to 999
//
// A [Watch] is the context at which the workspaces of one goroutine and its team look in long loops, to end early.
package team
