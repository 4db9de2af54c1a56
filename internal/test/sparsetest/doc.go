// Package sparsetest makes graphs of mechanisms as bare patterns, and matrices with
// random values on patterns, for the tests of the packages that know no
// mechanism.
//
// As in package order, a body is a node of sign +1 and a joint one of sign −1.
package sparsetest
