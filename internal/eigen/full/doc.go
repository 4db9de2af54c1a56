// Package full is internal/eigen for matrices of gonum's package mat. It is a package of its own because mat makes every program
// that imports it larger.
package full
