// Command notrun tells which tests did not run. Its first form reads the output of go test -json:
//
//	go test -json ./... | notrun [-v] FILE
//
// It prints the output of go test without -json, and appends to FILE the tests that were skipped, with their reasons, and the tests
// that passed. Its second form prints the tests in FILE, which several runs may have written, that did not run:
//
//	notrun -report FILE
//
// A test that was skipped in one run and passed in another has run. The others are listed by their reasons. A
// line of FILE may also belong to a step that is no test: the word step, nothing, its name and the reason why it did not run,
// separated by tabs.
package main
