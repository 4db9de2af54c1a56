// Package ground has the surfaces under wheels and feet:
// heights z = f(x, y) over the x–y plane of the world, z up.
//
// A [Surface] is a plane, a grid of heights, a function given as an expression, or a sum of surfaces. [Surface.At]
// gives the height at a place and all its derivatives up to the second order, by exact formulas and not by differences.
// A surface is immutable, so that any number of goroutines may share it; [Tiles] are the exception.
//
// The heights of a grid are a [Field]. It comes from a slice, from files ([CSV], [PNG], [ReadFile]) or from random
// numbers ([Random]); [NewGrid] interpolates between its nodes.
//
// Lengths are in m, frame: the world's axes. Equations are numbered in [docs/ground.md].
//
//	f, err := ground.ReadFile(ctx, os.DirFS("data"), "field.csv", &ground.CSV{Spacing: [2]float64{0.5, 0.5}})
//	s, err := ground.NewGrid(ctx, f, ground.Options{})
//	p, err := s.At(1.2, 3.4)
//	n := p.Normal()
//
// [docs/ground.md]: https://github.com/rung-mbd/rung/blob/main/docs/ground.md
package ground
