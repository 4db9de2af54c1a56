package sim

import (
	"errors"

	"github.com/rung-mbd/rung/mechanism"
)

// ErrNewton is wrapped by the error of a step whose equations Newton's method does not solve:
// the step is too long, or the joints cannot be met.
var ErrNewton = errors.New("sim: newton iteration does not converge")

// ImplicitDynamics is what an implicit method asks of a mechanism. With accelerations u at the
// end of a step, ω̇ and the acceleration of the centre of mass of each body, it solves by
// simplified Newton iterations, theory.md (52),
//
//	M·u = f(q, v, t) + Jᵀ·λ,   δ(q, t) = 0.
//
// q and v follow from u with ∂q/∂u = position and ∂v/∂u = velocity, theory.md (56). Vectors
// have six entries a body, world axes. Multipliers have one entry a row of the joints, and what
// else the implementation wants to iterate on, such as the forces of springs. They start from
// zero.
type ImplicitDynamics interface {
	Dynamics
	// Rows returns the number of multipliers.
	Rows() int
	// Linearize factors the Newton matrix at st. The result must depend on the
	// arguments alone. Levels below Levels are ways to do so, in
	// the order in which they are to be tried.
	Linearize(st *mechanism.State, position, velocity float64, level int) error
	Levels() int
	// Correct stores in du and dlambda the Newton correction of u and lambda for the
	// end st of a step, with the matrix last factored.
	Correct(du, dlambda []float64, st *mechanism.State, u, lambda []float64, position float64) error
	// Soften replaces a change e of positions or velocities at st by the part that the matrix
	// last factored lets pass: what joints allow and stiff springs do not suppress.
	Soften(e []float64, st *mechanism.State) error
	// Allow changes velocities v, angular and of the centres of mass, until the joints hold at
	// velocity level at the poses of st, as far as that is possible with the matrix last
	// factored. It returns the largest error left, relative to 1 + the largest velocity.
	Allow(v []float64, st *mechanism.State) (left float64, err error)
}
