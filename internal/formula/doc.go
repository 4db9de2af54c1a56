// Package formula has expressions in two variables x and y: parsed once, then
// evaluated with their exact derivatives up to the second order (docs/ground.md (G7)).
// Surfaces of the ground and laws of springs are such expressions. It knows neither.
//
// A [Formula] is the steps of an expression on a stack of numbers, each a [Jet]. It never changes once it is made.
package formula
