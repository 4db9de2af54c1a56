package ik

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// drum is a body on a hinge, whose angle has a spring of the given stiffness, N·m/rad.
func drum(t *testing.T, stiffness ...float64) *kkt.Plan {
	t.Helper()
	m := model.New("drum")
	m.Bodies = []model.Body{{Name: "drum", Mass: 1, Com: [3]float64{0.1}, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "hinge", Type: joints.Revolute, Predecessor: model.World, Successor: "drum", Stiffness: stiffness}}
	return mustPlan(t, m)
}

// sameTurns compares the coordinate of the drum in a state with the one of its result.
func sameTurns(t *testing.T, plan *kkt.Plan, st *mechanism.State, r *Result) {
	t.Helper()
	q, _ := plan.Mechanism().Coordinate(mechanism.Freedom{}, st)
	assert.InDelta(t, r.Driven[0].Value, q, 1e-9)
}

// allMethods are methods with the engines on which they run.
var allMethods = []Options{
	{Engine: TreeEngine}, {Engine: DrivenEngine}, {Method: FIKMethod, Engine: TreeEngine}, {Method: FIKMethod, Engine: DrivenEngine}, {Method: Sparse},
}

// TestWoundStates: states of a search and of a path have an angle with a spring wound as the driven coordinate of the result, by every
// method. So a search from there begins at that coordinate.
func TestWoundStates(t *testing.T) {
	plan := drum(t, 0.5)
	for _, o := range allMethods {
		for _, to := range []float64{3.4, 40} {
			t.Run(fmt.Sprintln(o.Method, o.Engine, to), func(t *testing.T) {
				task := &Task{Targets: []Target{{Name: "turn", Type: Coordinate, Freedom: "hinge", Value: to, Turns: true}}}
				s := testSolver(t, testProblem(t, plan, task), o)
				st := plan.Initial()
				for search := range 2 {
					r, err := s.Reach(st)
					require.NoError(t, err)
					require.InDelta(t, to, r.Driven[0].Value, 1e-6)
					sameTurns(t, plan, st, r)
					if search == 1 {
						require.Zero(t, r.Steps, "it is there")
					}
				}
				task.Path = &Path{Times: []float64{0, 1}, Step: 0.1, Exact: true, Targets: []Waypoints{{Target: "turn", Value: []float64{to, to + 0.2}}}}
				s = testSolver(t, testProblem(t, plan, task), o)
				require.NoError(t, s.Track(context.Background(), plan.Initial(), func(now float64, st *mechanism.State, r *Result) error {
					require.InDelta(t, to+0.2*now, r.Driven[0].Value, 1e-6)
					sameTurns(t, plan, st, r)
					return nil
				}))
			})
		}
	}
}

// TestWoundWithoutSpring: a search counts the turns of an angle without a spring where the state carries it, and a path from its start on.
func TestWoundWithoutSpring(t *testing.T) {
	plan := drum(t)
	for _, o := range allMethods {
		t.Run(fmt.Sprintln(o.Method, o.Engine), func(t *testing.T) {
			task := &Task{Targets: []Target{{Name: "turn", Type: Coordinate, Freedom: "hinge", Value: 40, Turns: true}}}
			s := testSolver(t, testProblem(t, plan, task), o)
			st := plan.Initial()
			plan.Mechanism().CarryAngles(st)
			r, err := s.Reach(st)
			require.NoError(t, err)
			sameTurns(t, plan, st, r)
			r, err = s.Reach(st)
			require.NoError(t, err)
			require.Zero(t, r.Steps, "it is there")
			sameTurns(t, plan, st, r)
			task.Limits = []Limit{{Freedom: "hinge", Lower: 39, Upper: 41}}
			r, err = testSolver(t, testProblem(t, plan, task), o).Reach(st)
			require.NoError(t, err)
			require.Empty(t, r.Outside, "its limits are of the angle with all turns")
			require.Zero(t, r.Steps)
			task.Limits = nil
			task.Path = &Path{Times: []float64{0, 1}, Step: 0.1, Exact: true, Targets: []Waypoints{{Target: "turn", Value: []float64{40, 40.2}}}}
			s = testSolver(t, testProblem(t, plan, task), o)
			require.NoError(t, s.Track(context.Background(), plan.Initial(), func(now float64, st *mechanism.State, r *Result) error {
				sameTurns(t, plan, st, r)
				return nil
			}))
		})
	}
}

// TestWoundPassive: the angle of a passive joint with a spring is counted on the way, too.
func TestWoundPassive(t *testing.T) {
	m := crankRocker()
	m.Joints[2].Stiffness = []float64{0.5}
	plan := mustPlan(t, m)
	mech := plan.Mechanism()
	start, _ := mech.Coordinate(mechanism.Freedom{Joint: 0}, plan.Initial())
	before, _ := mech.Coordinate(mechanism.Freedom{Joint: 2}, plan.Initial())
	task := &Task{Driven: []string{"a"}, Targets: []Target{{Name: "a", Type: Coordinate, Freedom: "a", Value: start + 6*math.Pi, Turns: true}}}
	for _, o := range []Options{{Engine: DrivenEngine}, {Method: Sparse}} {
		t.Run(o.Method.String(), func(t *testing.T) {
			st := plan.Initial()
			_, err := testSolver(t, testProblem(t, plan, task), o).Reach(st)
			require.NoError(t, err)
			after, _ := mech.Coordinate(mechanism.Freedom{Joint: 2}, st)
			require.InDelta(t, before-6*math.Pi, after, 1e-6, "the coupler turns back against the crank")
		})
	}
}
