package study

import (
	"slices"

	"github.com/rung-mbd/rung/motion/runs"
)

// Integrators of studies besides those of runs.Integrators: fixed steps of package batch, many runs side by side.
const (
	RolloutRungeKutta4  = "rollout-rk4"
	RolloutSemiImplicit = "rollout-semi-implicit"
)

// integrators returns the names that studies take; the first one is the default.
func integrators() (names []string) {
	for _, i := range runs.Integrators() {
		names = append(names, i.String())
	}
	return append(names, rollouts()...)
}

func rollouts() []string { return []string{RolloutRungeKutta4, RolloutSemiImplicit} }

// IsRollout reports whether an integrator is of rollouts, RolloutRungeKutta4 or RolloutSemiImplicit.
func IsRollout(name string) bool { return slices.Contains(rollouts(), name) }

// needsStep reports whether an integrator has no error control.
func needsStep(name string) bool {
	i, err := runs.ParseIntegrator(name)
	return IsRollout(name) || err == nil && i.NeedsStep()
}
