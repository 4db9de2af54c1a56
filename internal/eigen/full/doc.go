// Package full is internal/eigen for matrices of gonum's package mat. It is a package of its own because that package has a part in
// every program that compiles it.
package full
