package objective

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// TestChattering: of a run whose forces have a corner in each step only some steps are taken apart, and the result says so.
func TestChattering(t *testing.T) {
	m := &model.Model{Bodies: []model.Body{{Name: "a", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	// A branch that changes in the middle of each step of 1 s.
	kinks := &branches{list: []branch{{at: func(st *mechanism.State) side { return side{law: int(st.Time+0.5) % 2} }}}}
	st := plan.Initial()
	b := newBends(plan, sim.RungeKutta4(), kinks, st)
	tape := adjoint.NewTape(mech)
	require.NoError(t, tape.Add(st))
	b.begin(st)
	const steps = 2000
	for range steps {
		st.Time++
		require.NoError(t, tape.Add(st))
		require.NoError(t, b.over(tape, true, st))
	}
	assert.True(t, b.rough)
	assert.Greater(t, b.taken, moreParts)
	assert.LessOrEqual(t, b.taken, steps+moreParts+2*len(bendNear))
	assert.Nil(t, newBends(plan, nil, kinks, st), "implicit steps")
}

// TestCornerAtTimeZero: a step that begins before the time zero is taken apart at a corner there.
func TestCornerAtTimeZero(t *testing.T) {
	m := &model.Model{Bodies: []model.Body{{Name: "a", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	kinks := &branches{list: []branch{{at: func(st *mechanism.State) side { return side{law: cmp.Compare(st.Time, 0)} }}}}
	st := plan.Initial()
	st.Time = -0.5
	b := newBends(plan, sim.RungeKutta4(), kinks, st)
	b.begin(st)
	st.Time = 0.5
	parts, err := b.parts(st)
	require.NoError(t, err)
	require.NotEmpty(t, parts)
}
