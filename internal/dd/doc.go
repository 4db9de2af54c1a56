// Package dd computes with about 32 decimal digits: a number is the unevaluated sum of two doubles
// (Dekker 1971, Knuth 1997 §4.2.2).
//
// It is for the few systems whose solution has too few correct digits in double precision. One
// multiplication takes about 10 ns.
package dd
