package batch_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// references returns the models of reference/golden and reference/standard by name.
func references(t testing.TB) map[string]*kkt.Plan {
	out := map[string]*kkt.Plan{}
	for _, folder := range []string{"golden", "standard"} {
		files, err := filepath.Glob(filepath.Join(check.Reference(t, folder), "*.model.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			out[strings.TrimSuffix(filepath.Base(f), ".model.json")] = planOf(t, f)
		}
	}
	return out
}

// modelOf returns a model of reference/golden, reference/standard or reference/ground.
func modelOf(t testing.TB, name string) *model.Model {
	for _, folder := range []string{"golden", "standard", "ground"} {
		if m, err := model.ReadFile(filepath.Join(check.Reference(t, folder), name+".model.json")); err == nil {
			return m
		}
	}
	require.Fail(t, "no model "+name)
	return nil
}

func planOf(t testing.TB, path string) *kkt.Plan {
	m, err := model.ReadFile(path)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// someStates returns n states of a mechanism at random: poses of its own, moved by up to reach and closed again, and
// the velocities that the joints allow next to random ones.
func someStates(t testing.TB, p *kkt.Plan, n int, seed uint64, reach float64) []*mechanism.State {
	rng := check.Rand(seed)
	m := p.Mechanism()
	c := closing.NewCloser(p, closing.Options{})
	x, v := make([]float64, 6*m.NumBodies()), make([]float64, 6*m.NumBodies())
	first, k := m.Initial(), m.NewKinematics()
	var out []*mechanism.State
	for tries := 0; len(out) < n; tries++ {
		require.Less(t, tries, 20*n+1000, "no closed states")
		st := m.Initial()
		for i := range x {
			x[i], v[i] = reach*(rng.Float64()-0.5), 4*(rng.Float64()-0.5)
		}
		m.DisplaceTo(st, first, 1, x)
		if c.ClosePositions(st) != nil || m.KinematicsTo(k, st) != nil {
			continue
		}
		for i := range st.Bodies {
			st.Bodies[i].SetComVelocity((*[6]float64)(v[6*i:]), &k.Bodies[i].Com)
		}
		if c.ProjectVelocities(st) == nil {
			out = append(out, st)
		}
	}
	return out
}
