package derive_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestStopNumbers compares derivatives of accelerations by the numbers of a stop with differences, also at their defaults: a stop without
// dissipation has a derivative by it, and the damping of the other law does not affect its force.
func TestStopNumbers(t *testing.T) {
	const tol = 1e-5 // relative to the derivative: one-sided differences
	acceleration := func(n *contact.Normal) float64 {
		_, d := stopped(t, n)
		alpha, _ := d.Acceleration(0)
		return alpha[2]
	}
	hunt := contact.Normal{Stiffness: 50, Exponent: 1.5}
	lossy, linear, damped := hunt, contact.Normal{Type: contact.Linear, Stiffness: 50, Exponent: 1.5}, contact.Normal{Type: contact.Linear, Stiffness: 50, Damping: 2}
	lossy.Dissipation = 0.1
	for i, c := range []struct {
		name string
		n    contact.Normal
		step float64 // 0: the derivative is zero
		of   func(n *contact.Normal) *float64
	}{
		{"stiffness", lossy, 1e-3, func(n *contact.Normal) *float64 { return &n.Stiffness }},
		{"stiffness", damped, 1e-3, func(n *contact.Normal) *float64 { return &n.Stiffness }},
		{"exponent", lossy, 1e-6, func(n *contact.Normal) *float64 { return &n.Exponent }},
		{"exponent", linear, 1e-6, func(n *contact.Normal) *float64 { return &n.Exponent }},
		{"dissipation", hunt, 1e-3, func(n *contact.Normal) *float64 { return &n.Dissipation }},
		{"dissipation", lossy, 1e-3, func(n *contact.Normal) *float64 { return &n.Dissipation }},
		{"dissipation", linear, 0, nil},
		{"damping", linear, 1e-3, func(n *contact.Normal) *float64 { return &n.Damping }},
		{"damping", damped, 1e-3, func(n *contact.Normal) *float64 { return &n.Damping }},
		{"damping", lossy, 0, nil},
	} {
		t.Run(fmt.Sprint(i, " ", c.n.Type, " ", c.name), func(t *testing.T) {
			plan, d := stopped(t, &c.n)
			p, err := d.Parameter("joints[pin1].limits[0].stop." + c.name)
			require.NoError(t, err)
			require.NoError(t, d.At(plan.Initial()))
			in, out := d.NewDirections(1), d.NewChanges(1)
			in.AddParameter(0, p, 1)
			require.NoError(t, d.ForwardTo(out, in, derive.Options{}))
			got := out.Body(0, 0).AngularAcceleration[2]
			if c.step == 0 {
				require.Zero(t, got)
				return
			}
			other := c.n
			*c.of(&other) += c.step
			want := (acceleration(&other) - acceleration(&c.n)) / c.step
			require.NotZero(t, want)
			check.Close(t, got, want, tol, math.Abs(want), "derivative")
		})
	}
}

// stopped is the reference pendulum moving into a stop.
func stopped(t *testing.T, n *contact.Normal) (*kkt.Plan, *derive.Derivatives) {
	t.Helper()
	m, err := model.ReadFile("../reference/golden/pendulum.model.json")
	require.NoError(t, err)
	limit := &model.Limit{Lower: -0.2, Upper: 1}
	limit.Stop.Normal = *n
	m.Joints[0].Limits = []*model.Limit{limit}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	d := derive.New(plan, m)
	require.NoError(t, d.At(plan.Initial()))
	return plan, d
}
