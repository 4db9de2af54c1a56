package kkt

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Slender rods and point masses have no inertia about some direction n, and so no mass-weighted
// coordinates. In the system they get some inertia h there, the held inertia (mechanism.Singular).
// The system that is factored is then K₀ = K + U·Uᵀ in weighted coordinates. U has a column u
// for each direction n, a unit vector: u = √h·L⁻¹·n in the rows of the body.
//
// The solution of K·x = b is also the solution of K₀·x = b + U·z with z = Uᵀ·x: the right side compensates the torques h·α of the
// held inertia. z = c + B·z is linear, with B = Uᵀ·K₀⁻¹·U, symmetric. An eigenvalue of B is h/(h + m), where m is the
// inertia that the joints add to a combination of such directions. So 1 − B is positive definite where the
// accelerations are determined, well conditioned unless m is far below h, and conjugate gradients find z in a few
// solves. Where nothing resists a rotation, an eigenvalue of 1 − B is zero.
//
// The result does not depend on h: z is corrected until the solution of K₀ by Solve itself, with all its ways to factor, confirms it.

// held is a direction about which a body has no inertia.
type held struct {
	row  int32        // first row of the body
	u    spatial.Vec3 // unit vector in its first three rows
	body int32
	axis spatial.Vec3 // the direction n in body axes
	root float64      // √h: uᵀ·x = √h·n·α
}

// newHeld lists the directions of a mechanism, nil if there are none.
func newHeld(m *mechanism.Mechanism) (list []held) {
	for _, s := range m.Singular() {
		root := math.Sqrt(s.Hold)
		for _, n := range s.Axes {
			h := held{row: 6 * s.Body, body: s.Body, axis: n, root: root}
			m.Bodies[s.Body].Weight().Inertia.MulVecTo(&h.u, &n)
			h.u = h.u.Scale(1 / h.u.Norm())
			list = append(list, h)
		}
	}
	return list
}
