package kkt_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// twoFourBars returns two four-bars, one beside the other, with the friction of a bearing in a hinge of the first. They are flat, or not.
func twoFourBars(t *testing.T, flat, secondFlat bool) *mechanism.Mechanism {
	angle := map[bool]float64{true: math.Pi / 2, false: 0.7}
	m, err := bench.NFourBar(1, angle[flat], 1)
	require.NoError(t, err)
	m.Joints[1].Friction = []model.Friction{{Coefficient: 0.01, Radius: 0.01}}
	other, err := bench.NFourBar(1, angle[secondFlat], 1)
	require.NoError(t, err)
	for i := range other.Bodies {
		other.Bodies[i].Name = "second " + other.Bodies[i].Name
	}
	for i := range other.Joints {
		j := &other.Joints[i]
		j.Name = "second " + j.Name
		for _, name := range []*string{&j.Predecessor, &j.Successor} {
			if *name != model.World {
				*name = "second " + *name
			}
		}
	}
	m.Bodies, m.Joints = append(m.Bodies, other.Bodies...), append(m.Joints, other.Joints...)
	c, err := mechanism.New(m)
	require.NoError(t, err)
	return c
}

// TestBearingAsksAtEachPose: whether the reaction of a bearing is unique is asked for again where other rows are redundant, as many as
// before. What a Solver has solved before does not matter.
func TestBearingAsksAtEachPose(t *testing.T) {
	plan := kkt.NewPlan(twoFourBars(t, false, true), kkt.Options{})
	unique, not := plan.Initial(), plan.Initial()
	copy(not.Bodies, twoFourBars(t, true, false).Initial().Bodies)
	require.ErrorIs(t, plan.NewSolver().Solve(not), kkt.ErrReaction)
	s := plan.NewSolver()
	require.NoError(t, s.Solve(unique))
	_, before := s.Nearness()
	require.ErrorIs(t, s.Solve(not), kkt.ErrReaction)
	require.NoError(t, s.Solve(unique))
	_, after := s.Nearness()
	require.Equal(t, before, after)
}
