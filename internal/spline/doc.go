// Package spline has piecewise cubic functions of one variable, and the cubic spline through points (de Boor 1978, ch.
// IV). Motions over time, laws of springs and laws of couplings are such functions. It imports none of them.
package spline
