package simulate

import (
	"fmt"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
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
func (f *SimulateFlags) implicit() bool { return f.integrator == alphaIntegrator }

func (f *SimulateFlags) addRho(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.rho, "rho", sim.DefaultRho, "part of the fastest vibrations that a step of "+alphaIntegrator+" leaves, in [0, 1)")
}

// noteRho is note for --rho and what is different with it.
func (f *SimulateFlags) noteRho(cmd *cobra.Command) {
	f.rhoSet = cmd.Flags().Changed("rho")
	if f.implicit() && !f.tolSet {
		f.tol = alphaTolerance
	}
}

// checkRho is check for --rho and what is different with it.
func (f *SimulateFlags) checkRho() error {
	switch {
	case f.rhoSet && !f.implicit():
		return shell.UseErrorf("--rho is of %s, not of %s", alphaIntegrator, f.integrator)
	case !(f.rho >= 0 && f.rho < 1):
		return shell.UseErrorf("--rho %v is not in [0, 1)", f.rho)
	case f.implicit() && f.method.Method != motion.Sparse:
		return shell.UseErrorf("%s needs --method sparse: its Newton matrix is that of the sparse method", alphaIntegrator)
	case f.implicit() && f.stabilise == baumgarte:
		return shell.UseErrorf("%s meets the joints by itself: --stabilise baumgarte is not for it", alphaIntegrator)
	}
	return nil
}
