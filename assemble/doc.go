// Package assemble fills the sparse KKT system of a mechanism, RBDA eq. 8.64:
//
//	⎡  I     P T ⎤ ⎡  a ⎤   ⎡ P Tᵃ τ − v×*Iv + fˣ ⎤
//	⎣ TᵀPᵀ    0  ⎦ ⎣ −λ ⎦ = ⎣ σ̇ − (TᵀPᵀ)˙ v      ⎦
//
// The pattern is found once for a mechanism (Layout), the values each state
// (FillTo) without allocation.
//
// Weighted is the same system in mass-weighted coordinates, the one that is
// factored; System is for exports, inspection and tests.
//
// Frame: every body at its own centre of mass, world axes. An acceleration is
// (ω̇, classical acceleration of the centre of mass), which differs from the
// book's spatial acceleration by ω×v; a row of a joint carries the blocks
// ±TᵀX, X the shift from the centre of mass to the joint.
package assemble
