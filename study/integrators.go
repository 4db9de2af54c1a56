package study

import "slices"

// The methods by which rung moves mechanisms in time, by the names that rung simulate and studies take.
const (
	DormandPrince    = "dopri5" // the default
	RungeKutta4      = "rk4"
	GeneralizedAlpha = "generalized-alpha"
	ForceBalance     = "force-balance"
	Rattle           = "rattle"
)

// Integrators returns the names that rung simulate takes; the first one is the default.
func Integrators() []string {
	return []string{DormandPrince, RungeKutta4, GeneralizedAlpha, ForceBalance, Rattle}
}

// stepped are the integrators without error control.
var stepped = [...]string{RungeKutta4, ForceBalance, Rattle}

// NeedsStep reports whether an integrator has no error control.
func NeedsStep(name string) bool { return slices.Contains(stepped[:], name) }
