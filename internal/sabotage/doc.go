// Command sabotage takes guards out of the code, one at a time, and expects a test to fail for each.
//
// A guard is a comparison with a tolerance, what is joined to it by && or ||, and the constant itself. A tolerance is a constant of a
// package that is written with a point or an exponent. A condition is made true and is made false; a constant is multiplied by a thousand
// and divided by it. A change that no test notices is a guard that nobody watches: it gets a test, or it goes. Some constants only
// choose between ways to the same answer. Their comments say "Another value costs time only.", or, where that holds for one side, "A smaller value costs time only." or
// "A larger value costs time only.", also those of whole numbers. One that only keeps a quotient finite says "Any value as small does." Such changes are left out and counted, in conditions too.
//
// The tests are built once, with all guards in the hands of package probe, which says at run time which one is changed. A first run of each
// test notes what it meets, so that a change is tried on those tests alone, the quickest first.
//
//	go run ./internal/sabotage [-packages ./factor,./kkt] [-tests ./factor,./kkt,.] [-only REGEXP] [-shard 1/4] [-list]
//
// It prints a line for each change that no test noticed, then the counts. Exit status 1 says that there are such changes.
package main
