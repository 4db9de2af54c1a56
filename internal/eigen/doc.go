// Package eigen is the one door to the iterative dense routines of gonum:
// eigenvalues, singular values, and what estimates a condition number. These trust
// their arguments. With an infinite number some of them run for ever, and with one
// that is not a number they panic. The functions here refuse such matrices, with an
// error that the caller completes with the place in the mechanism.
package eigen
