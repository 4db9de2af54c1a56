package linear_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// planned returns the plan of m.
func planned(t testing.TB, m *model.Model) *kkt.Plan {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

func built(t testing.TB, b *rung.Builder) *kkt.Plan {
	t.Helper()
	m, err := b.Model()
	require.NoError(t, err)
	return planned(t, m)
}

func golden(t testing.TB, name string) *kkt.Plan {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, name))
	require.NoError(t, err)
	return planned(t, m)
}

func random(t testing.TB, n int, seed uint64) *kkt.Plan {
	t.Helper()
	m, err := bench.Generate("random", n, seed)
	require.NoError(t, err)
	return planned(t, m)
}

// resting returns the initial state of p without velocities.
func resting(p *kkt.Plan) *mechanism.State {
	st := p.Initial()
	st.Rest()
	return st
}

// linearized returns the system of p at st.
func linearized(t testing.TB, p *kkt.Plan, st *mechanism.State) *linear.System {
	t.Helper()
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(st))
	return s
}

// modes returns the modes of p at rest in its initial pose.
func modes(t testing.TB, p *kkt.Plan, o linear.ModeOptions) *linear.Modes {
	t.Helper()
	m, err := linearized(t, p, resting(p)).Modes(o)
	require.NoError(t, err)
	return m
}

// emptyModel has no bodies.
func emptyModel() *model.Model { return model.New("empty") }
