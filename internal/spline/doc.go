// Package spline has functions of one variable in cubic pieces, and the cubic spline through points (de Boor 1978, ch.
// IV). Motions over time and laws of springs are such functions. It knows neither.
package spline
