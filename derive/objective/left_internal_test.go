package objective

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/motion/runs"
)

// TestLeftPart: numbers that are zero count with their size if there are no others, and gradients that are rounding do not make a small
// part large.
func TestLeftPart(t *testing.T) {
	const tol = 1e-12
	g := alphaProblem(t, "four-bar", runs.Options{Until: 0.1, Step: 0.01}, []string{"joint.p2.q"}, "gravity[0]", "bodies[coupler].mass")
	of := func(value float64, slopes ...float64) *Result {
		r := &Result{Terms: []TermResult{{Value: value}}, Parameters: g.parameterResults(1)}
		for k, x := range slopes {
			r.Parameters[k].Terms[0] = x
		}
		return r
	}
	mass := g.Values()[1]
	assert.Zero(t, g.Values()[0])
	assert.InEpsilon(t, 0.1/mass, g.leftPart(of(1, 50, 10), 0, 1), tol, "by the mass")
	assert.InEpsilon(t, 1.0/50, g.leftPart(of(1, 50, 0), 0, 1), tol, "by gravity, which is zero")
	assert.InEpsilon(t, 1e-4, g.leftPart(of(1, 0, 1e-19), 0, 1e-10), tol, "a gradient of rounding")
	assert.InEpsilon(t, 1e-2, g.leftPart(of(0, 0, 1e-19), 0, 1e-14), tol, "of a term that is zero")
	assert.Zero(t, g.leftPart(&Result{Terms: []TermResult{{Value: 1}}}, 0, 1), "without parameters")
}
