package sim

import (
	"errors"

	"github.com/rung-mbd/rung/mechanism"
)

// ErrNewton is wrapped by the error of a step whose equations Newton's method does not solve:
// the step is too long, or the joints cannot be satisfied.
var ErrNewton = errors.New("sim: newton iteration does not converge")

// ImplicitDynamics has the methods that an implicit integrator needs. The accelerations u at the
// end of a step are ω̇ and the acceleration of the centre of mass of each body. An ImplicitDynamics
// computes the corrections of simplified Newton iterations, theory.md (52), for
//
//	M·u = f(q, v, t) + Jᵀ·λ,   δ(q, t) = 0.
//
// q and v follow from u with ∂q/∂u = position and ∂v/∂u = velocity, theory.md (56). Vectors
// have six entries for each body, world axes. Multipliers have one entry for each row of the joints, and entries for
// other unknowns of the implementation, such as the forces of springs. They start from
// zero.
type ImplicitDynamics interface {
	Dynamics
	// Rows returns the number of multipliers.
	Rows() int
	// Linearize factors the matrix of Newton's method at st. The result must depend on the
	// arguments alone. Values of level from 0 to Levels − 1 are different ways to factor, in
	// the order in which they are tried.
	Linearize(st *mechanism.State, position, velocity float64, level int) error
	Levels() int
	// Correct stores in du and dlambda the correction of u and lambda for the
	// end st of a step, with the last factored matrix.
	Correct(du, dlambda []float64, st *mechanism.State, u, lambda []float64, position float64) error
	// Soften replaces a change e of positions or velocities at st by its part that joints allow and
	// stiff springs do not suppress, with the last factored matrix.
	Soften(e []float64, st *mechanism.State) error
	// Allow changes velocities v, angular and of the centres of mass, until the joints hold at
	// velocity level at the poses of st, as far as that is possible with the last factored matrix.
	// It returns the largest error left, relative to 1 + the largest velocity.
	Allow(v []float64, st *mechanism.State) (left float64, err error)
}
