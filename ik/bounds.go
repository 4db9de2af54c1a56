package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// MaxRestarts is the largest number of starts at random where no time bounds them (Options.MaxTime).
	MaxRestarts = 10_000_000
	// mostSamples is the largest number of samples of a path.
	mostSamples = 100_000_000
)

// mostNumber is the largest magnitude of a number of a task: squares of errors with their weights are then finite.
const mostNumber = 1e50

// sizeRule returns the rule that one of the numbers breaks by its size, as text for a message; "" if none does.
func sizeRule(v ...float64) string {
	for _, x := range v {
		switch {
		case !algebra.Finite(x):
			return "is not finite"
		case math.Abs(x) > mostNumber:
			return "is beyond 1e50"
		}
	}
	return ""
}
