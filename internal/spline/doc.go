// Package spline has functions of one variable in cubic pieces, and the cubic spline through points (de Boor 1978, ch.
// IV). Motions over time, laws of springs and laws of couplings are such functions. It knows none of them.
package spline
