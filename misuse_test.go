package rung_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/motion"
)

// TestMisuse: what the caller could know is a panic with a constant text, in the packages above a plan.
func TestMisuse(t *testing.T) {
	var none context.Context
	p := familyPlan(t, "ladder", 6)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	out, r := b.NewOutcome(3), b.NewResults(3)
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"kkt: no destination", func() { s.Reactions().MultipliersTo(nil, 0) }},
		{"kkt: no destination", func() { s.Reactions().ArmatureForceTo(nil, 0) }},
		{"closing: no workspace", func() { closing.NewCloserOn(nil, closing.Options{}) }},
		{"rung: nil context", func() { _, _ = closing.NewCloserContext(none, p.NewWorkspace(), closing.Options{}) }},
		{"mobility: no mechanism", func() { mobility.Clusters(nil, nil) }},
		{"mobility: no model", func() { _, _ = mobility.FindReleases(nil, nil) }},
		{"motion: no plan", func() { motion.NewWheels(nil) }},
		{"motion: option out of range", func() { _, _ = motion.NewRattle(p, motion.RattleOptions{Tolerance: math.Inf(1)}) }},
		{"motion: option out of range", func() { _, _ = motion.NewBalance(p, motion.BalanceOptions{Tolerance: math.Inf(1)}) }},
		{"batch: state out of range", func() { out.Steps(3) }},
		{"batch: state out of range", func() { out.OneByOne(-1) }},
		{"batch: state out of range", func() { out.Singular(3) }},
		{"batch: state out of range", func() { _ = out.Error(3) }},
		{"batch: body out of range", func() { r.ComAcceleration(0, -1) }},
		{"batch: body out of range", func() { r.AngularAcceleration(0, 99) }},
		{"batch: state out of range", func() { _ = b.Holds(b.NewStates(1), 1) }},
		{"batch: foreign states", func() { _ = b.Holds(nil, 0) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
