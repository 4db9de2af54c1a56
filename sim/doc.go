// Package sim moves a mechanism through time: integrators on the Lie group of
// rotations and translations, projection on the constraints, events, recording
// and checkpoints.
//
// It does not know how accelerations are computed. Dynamics is the interface it
// needs; the sparse solver and the spanning-tree methods both fit behind it.
// Optional interfaces add what a method may want besides: Projector closes
// positions and velocities, StabilizedDynamics adds feedback of the violations.
//
// # Coordinates
//
// The state is a mechanism.State: pose of the body frames, velocity of their
// origins. A step is computed in exponential coordinates around its start, as
// Munthe-Kaas (1999) does: for each body the rotation vector Θ from where it was,
//
//	R(t) = exp(Θ(t))·R₀,   dΘ/dt = dexp⁻¹(Θ)·ω,
//
// the displacement of its centre of mass, the angular velocity and the velocity of
// the centre of mass. These are plain vectors, and a Runge–Kutta method has its
// full order in them, its error estimate and its continuous extension too. No
// quaternion is ever interpolated or renormalized by more than rounding, and no
// angle is singular as long as no body makes half a turn in one step (such a
// step is refused). Only displacements within a step are added up, so that nothing
// depends on the distance from the world's origin.
//
// # Methods
//
// RungeKutta does one step of an explicit method: the classical one of order 4, or the pair of order 5(4) of Dormand &
// Prince (1980). Simulation drives a Stepper: it chooses steps, fixed ones or by error control with a PI controller
// (Gustafsson 1991; Hairer, Nørsett & Wanner 1993), finds events on the continuous extension, writes rows at chosen
// times, and after each step brings the state back to the constraints where it has left them by more than a tolerance.
// Controllers are called at exact multiples of their periods, where steps end, and set inputs of the mechanism in
// between. Baumgarte is the older remedy, feedback of the violations (RBDA §8.3), for comparison.
//
// GeneralizedAlpha is an implicit Stepper of order 2 for stiff springs and dampers,
// with the joints at position level (Brüls, Cardona & Arnold 2012). It asks for
// more, ImplicitDynamics: residuals and solutions with a Newton matrix.
//
// The three kinds of object are those of the module: Tableau and Options are the
// plan, RungeKutta, GeneralizedAlpha and Simulation own memory and belong to one goroutine, a step
// allocates nothing. Equal binary, input and settings give equal bits, also when a
// run is interrupted and resumed from a Checkpoint.
//
// Frame: world axes. Units: SI.
package sim
