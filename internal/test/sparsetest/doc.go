// Package sparsetest makes graphs of mechanisms as patterns of matrices, and matrices with
// random values on patterns, for the tests of packages that do not import package
// mechanism.
//
// As in package order, a body is a node of sign +1 and a joint one of sign −1.
package sparsetest
