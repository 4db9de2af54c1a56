// Command sabotage disables the guards in the code, one at a time, and expects a test to fail for each change.
//
// A guard is a comparison with a tolerance, a condition joined to such a comparison by && or ||, or the tolerance itself. A tolerance is
// a constant of a package that is written with a point or an exponent. The command makes a condition always true, then always false; it
// multiplies a constant by a thousand, then divides it by a thousand. If no test notices a change, the guard needs a test or is to be
// removed. Some constants only choose between ways to the same answer. Their comments say "Another value costs time only.", or, where that
// holds for one side, "A smaller value costs time only." or "A larger value costs time only.", also those of whole numbers. The comment of
// a constant that only keeps a quotient finite says "Any value as small does." Such changes are left out and counted, in conditions too.
//
// The tests are built once, with every guard replaced by a call of package probe, which changes one of them at run time. A first run of
// each test records the guards that it reaches. A change is then tried only on the tests that reach its guard, the quickest first.
//
//	go run ./internal/sabotage [-packages ./factor,./kkt] [-tests ./factor,./kkt,.] [-only REGEXP] [-shard 1/4] [-list]
//
// It prints a line for each change, and then the counts. The exit status is 1 if no test noticed some change.
package main
