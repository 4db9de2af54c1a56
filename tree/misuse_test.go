package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// TestMisuse: programming errors of the caller panic with a constant text.
func TestMisuse(t *testing.T) {
	m, err := bench.Generate("ladder", 6, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	s := p.NewSolver(tree.Projection, tree.SolverOptions{})
	require.NoError(t, s.Solve(mech.Initial()))
	w, n := s.Workspace(), p.NumDof()
	var f [6]float64
	type row struct {
		want string
		do   func()
	}
	rows := []row{
		{"tree: no destination", func() { s.FreedomForcesTo(nil, 0) }},
		{"tree: no destination", func() { s.ArmatureForceTo(nil, 0) }},
		{"tree: no force", func() { w.AddGeneralizedForceTo(make([]float64, n), 0, tree.World, nil, 1) }},
		{"tree: path mismatch", func() { w.AddGeneralizedForceTo(make([]float64, n), 0, 1, new(spatial.Force), 1) }},
		{"tree: foreign constraints", func() { _ = w.ConstraintsTo(nil) }},
		{"tree: no loop function", func() { p.NewClosure(nil, 1) }},
		{"tree: zero Plan; use NewPlan", func() { new(tree.Plan).NewWorkspace() }},
	}
	for _, i := range []int{-7, 1 << 30} {
		rows = append(rows,
			row{"tree: link out of range", func() { p.CommonAncestor(i, 0) }},
			row{"tree: link out of range", func() { p.CommonAncestor(0, i) }},
			row{"tree: link out of range", func() { w.Velocity(i) }},
			row{"tree: link out of range", func() { w.Shift(i) }},
			row{"tree: link out of range", func() { w.JacobianTo(make([]spatial.Motion, n), i, spatial.Vec3{}) }},
			row{"tree: link out of range", func() { w.AddGeneralizedForceTo(make([]float64, n), i, tree.World, new(spatial.Force), 1) }},
			row{"tree: link out of range", func() { w.AddGeneralizedForceTo(make([]float64, n), 0, i, new(spatial.Force), 1) }},
			row{"tree: joint out of range", func() { s.ArmatureForceTo(&f, i) }},
			row{"tree: joint out of range", func() { s.FreedomForcesTo(&f, i) }},
			row{"tree: joint out of range", func() { s.TotalWrench(i) }},
			row{"tree: row out of range", func() { s.Kept(i) }},
		)
	}
	for _, x := range rows {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
