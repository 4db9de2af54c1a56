// Command notrun tells which tests did not run. Its first form stands between go test -json and whoever reads on:
//
//	go test -json ./... | notrun [-v] FILE
//
// It prints what go test prints without -json, and adds to FILE which tests were skipped, why, and which passed. Its second
// form prints what several runs have left in FILE:
//
//	notrun -report FILE
//
// A test that was skipped in one run and passed in another has run. Others are listed by what they say of why, each once. A
// line of FILE may also be that of a step that is no test: the word step, nothing, its name and why it did not run, with
// tabs between them.
package main
