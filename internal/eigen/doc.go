// Package eigen wraps the iterative dense routines of gonum for eigenvalues, singular
// values and estimates of condition numbers. The rest of the module calls them only
// through this package. The routines do not check their arguments: with an infinite
// number some of them run for ever, and with a NaN they panic. The functions here refuse
// such matrices by an error, to which the caller adds the place in the mechanism.
package eigen
