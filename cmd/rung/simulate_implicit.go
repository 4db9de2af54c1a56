package main

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

// alphaIntegrator is the implicit method that --integrator takes.
const alphaIntegrator = "generalized-alpha"

// alphaTolerance is the tolerance of a step of alphaIntegrator where none is given:
// a method of order 2 takes long for that of dopri5.
const alphaTolerance = 1e-6

var tolUsage = fmt.Sprintf("relative error that a step may make (%s: default %v)", alphaIntegrator, alphaTolerance)

// implicit reports whether the integrator is alphaIntegrator.
func (f *simulateFlags) implicit() bool { return f.integrator == alphaIntegrator }

func (f *simulateFlags) addRho(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.rho, "rho", sim.DefaultRho, "part of the fastest vibrations that a step of "+alphaIntegrator+" leaves, in [0, 1)")
}

// noteRho is note for --rho and what is different with it.
func (f *simulateFlags) noteRho(cmd *cobra.Command) {
	f.rhoSet = cmd.Flags().Changed("rho")
	if f.implicit() && !f.tolSet {
		f.tol = alphaTolerance
	}
}

// checkRho is check for --rho and what is different with it.
func (f *simulateFlags) checkRho() error {
	switch {
	case f.rhoSet && !f.implicit():
		return useErrorf("--rho is of %s, not of %s", alphaIntegrator, f.integrator)
	case !(f.rho >= 0 && f.rho < 1):
		return useErrorf("--rho %v is not in [0, 1)", f.rho)
	case f.implicit() && f.method != sparseMethod:
		return useErrorf("%s needs --method sparse: its Newton matrix is that of the sparse method", alphaIntegrator)
	case f.implicit() && f.stabilise == baumgarte:
		return useErrorf("%s meets the joints by itself: --stabilise baumgarte is not for it", alphaIntegrator)
	}
	return nil
}

// dynamics returns what solves for the plan; newton is nil unless the integrator is
// implicit.
func (f *simulateFlags) dynamics(plan *rung.Plan) (d *motion.Dynamics, newton *motion.Newton) {
	if !f.implicit() {
		return motion.NewDynamics(plan), nil
	}
	newton = motion.NewNewton(plan)
	return newton.Dynamics, newton
}

// stepper returns the integrator.
func (f *simulateFlags) stepper(mech *mechanism.Mechanism, move *mover, newton *motion.Newton) sim.Stepper {
	var tol sim.Tolerance
	if !f.stepSet {
		tol.Relative = f.tol
	}
	if f.implicit() {
		return sim.NewGeneralizedAlpha(mech, newton, sim.GeneralizedAlphaOptions{
			Rho: f.rho, Annihilate: f.rho == 0, Tolerance: tol, Fixed: f.stepSet, RawVelocities: f.stabilise == none,
		})
	}
	return sim.NewRungeKutta(mech, move.dynamics, f.tableau(), tol)
}
