package adjoint

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// mover closes stages by moving the first body along x. It counts the stages.
type mover struct {
	by     float64
	fails  error
	closed int
}

func (p *mover) ClosePositions(st *mechanism.State) error {
	p.closed++
	st.Bodies[0].Position[0] += p.by
	return p.fails
}

func (p *mover) ProjectVelocities(*mechanism.State) error { return nil }

// TestStagesOfARun: a step whose open stages lead elsewhere is computed with closed ones. If the run may have closed stages, the way that
// leads nearer counts; if it has closed all, the closed way counts in any case, and its error is the error of the step.
func TestStagesOfARun(t *testing.T) {
	const h, by, same = 0.01, 1e-4, 1e-13
	mech, err := mechanism.New(modeltest.Arm(3))
	require.NoError(t, err)
	closer := &mover{by: by}
	tab := sim.RungeKutta4()
	fields := make([]Field[bent], len(tab.B))
	for i := range fields {
		fields[i] = &jointed{swarm{mech: mech, p: []float64{0.7, 0.3, 1.1}}}
	}
	s := newStep(mech, tab, fields)
	none, some, all := NewTape(mech), NewTape(mech), NewTape(mech)
	some.MayClose, all.ClosesAll = true, true
	// end returns the end of the step from the initial state, with stages closed by a projector; nil: with open stages.
	at := mech.Initial()
	end := func(p sim.Projector) *mechanism.State {
		s.closer, s.closed = p, p != nil
		require.NoError(t, s.run(at, h))
		return s.end.Clone()
	}
	closed, open := end(closer), end(nil)
	for _, c := range []struct {
		name   string
		tape   *Tape
		closer *mover
		end    *mechanism.State
		closed bool
		calls  int // stages closed by a first step
	}{
		{"an open run", none, closer, open, false, 0},
		{"one that may have closed stages, but not here", some, closer, open, false, 0},
		{"one that has closed them here", some, closer, closed, true, 3},
		{"another change is farther from the end", some, &mover{by: 3 * by}, closed, false, 3},
		{"all stages are closed", all, closer, closed, true, 3},
		{"wherever that leads", all, &mover{by: 3 * by}, closed, true, 3},
		{"open stages lead to the same end", all, closer, open, false, 0},
	} {
		c.closer.closed = 0
		s.closeStages(c.closer)
		s.follow(c.tape)
		gap, err := s.tried(at, c.end)
		require.NoError(t, err, c.name)
		require.Equal(t, c.closed, s.closed, c.name)
		require.Equal(t, c.closer.by == by, gap < same, c.name)
		require.Equal(t, c.calls, c.closer.closed, c.name)
	}

	// Without a projector no stage is closed.
	s.closeStages(nil)
	s.follow(all)
	_, err = s.tried(at, closed)
	require.NoError(t, err)
	require.False(t, s.closed)

	// Open stages are tried at each eighth step.
	s.closeStages(closer)
	s.follow(all)
	for step := range 3 * (closedWait + 1) {
		_, err = s.tried(at, closed)
		require.NoError(t, err)
		require.Equal(t, closedWait-step%(closedWait+1), s.wait)
	}
	s.closeStages(closer)
	require.Zero(t, s.wait, "a new projector begins anew")

	// A projection that fails is no reason to take open stages if the run has closed all.
	broken := &mover{by: by, fails: errors.New("does not close")}
	s.closeStages(broken)
	s.follow(all)
	_, err = s.tried(at, closed)
	require.ErrorIs(t, err, broken.fails)
	s.follow(some)
	_, err = s.tried(at, closed)
	require.NoError(t, err)
	require.False(t, s.closed)
}
