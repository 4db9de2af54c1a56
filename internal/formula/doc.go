// Package formula has expressions in two variables x and y. They are parsed once, then
// evaluated with their exact derivatives up to the second order (docs/ground.md (G7)).
// Surfaces of the ground and laws of springs are such expressions, but the package imports neither.
//
// A [Formula] is a list of steps on a stack, whose elements are numbers with derivatives, each a [Jet]. It never changes once it
// is made.
package formula
