// Package directions reads documents of rung-directions/1: along what one state of a mechanism, its loads and the numbers
// of its model change. Names are those of the model; derive.Derivatives.Named looks them up.
//
//	list, err := directions.Read(file, "along.json")
//	in, err := d.Named(list) // d of derive.New, at a state
//
// Frame: world axes. A rotation φ takes R to exp(φ×)R about the centre of mass, and velocities are held as numbers ([docs/derivatives.md]).
// Units: SI, rad and m, for one unit of the direction.
//
// Cost: O(bytes). Errors: a *model.Problems with everything that is wrong with the document, each with its place.
//
// [docs/derivatives.md]: https://github.com/rung-mbd/rung/blob/main/docs/derivatives.md
package directions
