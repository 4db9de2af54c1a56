package study

import "slices"

// The methods by which rung moves mechanisms in time, by the names that rung simulate and studies take.
const (
	DormandPrince    = "dopri5" // the default
	RungeKutta4      = "rk4"
	GeneralizedAlpha = "generalized-alpha"
	ForceBalance     = "force-balance"
	Rattle           = "rattle"

	// Those of studies alone: fixed steps of package batch, many runs side by side.
	RolloutRungeKutta4  = "rollout-rk4"
	RolloutSemiImplicit = "rollout-semi-implicit"
)

// Integrators returns the names that rung simulate takes; the first one is the default.
func Integrators() []string {
	return []string{DormandPrince, RungeKutta4, GeneralizedAlpha, ForceBalance, Rattle}
}

// Rollouts returns the names that studies take besides.
func Rollouts() []string { return []string{RolloutRungeKutta4, RolloutSemiImplicit} }

// IsRollout reports whether an integrator is one of Rollouts.
func IsRollout(name string) bool { return slices.Contains(Rollouts(), name) }

// stepped are the integrators without error control.
var stepped = [...]string{RungeKutta4, ForceBalance, Rattle, RolloutRungeKutta4, RolloutSemiImplicit}

// NeedsStep reports whether an integrator has no error control.
func NeedsStep(name string) bool { return slices.Contains(stepped[:], name) }
