// Package directions reads documents of rung-directions/1: directions along which the state of a mechanism, its loads and the numbers of
// its model change. The documents use the names of the model, which derive.Derivatives.Named looks up.
//
//	list, err := directions.Read(file, "along.json")
//	in, err := d.Named(list) // d of derive.New, at a state
//
// Frame: world axes. A rotation φ takes R to exp(φ×)R about the centre of mass, and velocities are held as numbers ([docs/derivatives.md]).
// Units: SI with rad, per unit of the direction.
//
// Cost: O(bytes). Errors: a *model.Problems with everything that is wrong with the document, each with its place.
//
// [docs/derivatives.md]: https://github.com/rung-mbd/rung/blob/main/docs/derivatives.md
package directions
