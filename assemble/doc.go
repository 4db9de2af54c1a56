// Package assemble fills the sparse KKT system of a mechanism, RBDA eq. 8.64 and
// [theory.md (1)]:
//
//	⎡  I     P T ⎤ ⎡  a ⎤   ⎡ P Tᵃ τ − v×*Iv + fˣ ⎤
//	⎣ TᵀPᵀ    0  ⎦ ⎣ −λ ⎦ = ⎣ σ̇ − (TᵀPᵀ)˙ v      ⎦
//
// The pattern is found once for a mechanism ([Layout]), and the values at each state
// ([System.FillTo], [Weighted.FillTo]) without allocation.
//
//	layout := assemble.NewLayout(mech) // once a mechanism; goroutines share it
//	system := layout.NewSystem()       // once a goroutine
//	err := system.FillTo(st)           // at each state, O(bodies + joints)
//	k := system.Matrix.At(5, 5)        // a number of the matrix
//
// [System] is (1) as it stands, for exports, inspection and tests. [Weighted] is the same
// system in mass-weighted coordinates, [theory.md (11)], the one that is factored.
//
// Frame: every body at its own centre of mass, world axes. An acceleration is
// (ω̇, classical acceleration of the centre of mass). It differs from the
// book's spatial acceleration by ω×v. A row of a joint carries the blocks
// ±TᵀX, X the shift from the centre of mass to the joint: [theory.md (8)].
//
// [theory.md (1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#the-system
// [theory.md (8)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#the-rows-of-a-joint
// [theory.md (11)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#mass-weighted-coordinates
package assemble
