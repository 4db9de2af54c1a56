package ik

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// elbowTask is a tip and an elbow of an arm with four links, at two priorities.
func elbowTask(elbow spatial.Vec3) *Task {
	return &Task{Targets: []Target{
		{
			Name: "elbow", Type: Point, Body: "link1", Frame: model.Pose{Position: spatial.Vec3{0.4}}, Position: elbow,
			Weight: []float64{1, 1, 0}, Priority: 7,
		},
		tipOf(4, 0.2, 0.5, 0.3),
	}}
}

// TestPriorities: targets of lower priority do not change the errors of the others, whether they can be met or not.
func TestPriorities(t *testing.T) {
	check.Long(t)
	plan := planar(t, 0.5, 0.4, 0.3, 0.2)
	for _, elbow := range []spatial.Vec3{{0.5, 0.5}, {-0.7, -0.2}, {2, 1}} {
		p := testProblem(t, plan, elbowTask(elbow))
		r, err := testSolver(t, p, Options{Nearest: true, Steps: 500, Restarts: 10}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err)
		require.Less(t, r.Targets[1].Linear, 1e-10, "tip")
		require.True(t, r.Targets[1].Reached)
		if elbow[0] == 0.5 {
			require.Equal(t, Reached, r.Status)
			continue
		}
		require.Equal(t, Nearest, r.Status)
		// By hand: the elbow is as near as tips at this place allow.
		best := bestElbow(elbow)
		require.True(t, r.Targets[0].Linear < best+1e-9 && r.Targets[0].Linear > best-1e-4, "%v, on the grid %v", r.Targets[0].Linear, best)
	}
}

// TestConflict: two targets of one priority that contradict each other are named.
func TestConflict(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	a, b := tipOf(3, 0.3, 0.5, 0.3), tipOf(3, 0.3, 0.5, 0.5)
	b.Name = "other"
	p := testProblem(t, plan, &Task{Targets: []Target{a, b}})
	r, err := testSolver(t, p, Options{}).Reach(plan.Mechanism().Initial())
	require.ErrorIs(t, err, ErrUnreached)
	require.Equal(t, Conflicting, r.Status)
	require.Len(t, r.Conflicts, 4)
	for i, c := range r.Conflicts {
		require.Equal(t, []string{"tip", "tip", "other", "other"}[i], c.Target)
	}
	for i, want := range []float64{0, -0.1, 0, 0.1} {
		require.InDelta(t, want, r.Conflicts[i].Residual, 1e-12)
		require.Equal(t, i%2, r.Conflicts[i].Row)
	}
	require.InDelta(t, 0.1, r.Targets[0].Linear, 1e-12)
	require.InDelta(t, 0.1, r.Targets[1].Linear, 1e-12)
}

// TestPosture: among the poses that meet the target, the one nearest to the posture.
func TestPosture(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	task := &Task{
		Targets: []Target{tipOf(3, 0.3, 0.5, 0.5)},
		Posture: &Posture{Gain: 1, Values: []Coordinated{{"j0", 0.2}, {"j2", -0.3}}},
	}
	p := testProblem(t, plan, task)
	r, err := testSolver(t, p, Options{Restarts: NoRestarts}).Reach(plan.Mechanism().Initial())
	require.NoError(t, err)
	require.True(t, r.Targets[0].Linear < 1e-12)
	far := func(q0, q2 float64) float64 {
		a, b := math.Remainder(q0-0.2, 2*math.Pi), math.Remainder(q2+0.3, 2*math.Pi)
		return a*a + b*b
	}
	// By hand: for each direction of the last link, both elbows.
	best := math.Inf(1)
	for i := range 100000 {
		phi := 2 * math.Pi * float64(i) / 100000
		x, y := 0.5-0.3*math.Cos(phi), 0.5-0.3*math.Sin(phi)
		cos := (x*x + y*y - 0.5*0.5 - 0.4*0.4) / (2 * 0.5 * 0.4)
		for _, q1 := range [2]float64{math.Acos(cos), -math.Acos(cos)} {
			q0 := math.Atan2(y, x) - math.Atan2(0.4*math.Sin(q1), 0.5+0.4*cos)
			if d := far(q0, phi-q0-q1); d < best {
				best = d
			}
		}
	}
	require.InDelta(t, best, far(r.Driven[0].Value, r.Driven[2].Value), 1e-6)
}

// TestPostureWithStarts: the posture is as near with starts that wait as without, as no start follows once the targets are reached.
func TestPostureWithStarts(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	task := &Task{
		Targets: []Target{tipOf(3, 0.3, 0.5, 0.5)},
		Posture: &Posture{Gain: 1, Values: []Coordinated{{"j0", 0.2}, {"j2", -0.3}}},
	}
	p := testProblem(t, plan, task)
	var alone []DrivenResult
	for _, restarts := range []int{NoRestarts, 0} {
		r, err := testSolver(t, p, Options{Restarts: restarts}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err)
		require.Zero(t, r.Restarts)
		if alone == nil {
			alone = append(alone, r.Driven...)
		}
		for i, d := range r.Driven {
			require.InDelta(t, alone[i].Value, d.Value, 1e-7, d.Joint)
		}
	}
}

// bestElbow returns the least distance of the elbow of the arm of TestPriorities from a place, with the tip at (0.5,
// 0.3): on a fine grid of the first two angles, the last two links reach the tip or do not.
func bestElbow(at spatial.Vec3) float64 {
	const n = 3000
	best := math.Inf(1)
	for i := range n {
		q1 := 2 * math.Pi * float64(i) / n
		for j := range n {
			q2 := q1 + 2*math.Pi*float64(j)/n
			x, y := 0.5*math.Cos(q1)+0.4*math.Cos(q2), 0.5*math.Sin(q1)+0.4*math.Sin(q2)
			if left := math.Hypot(0.5-x, 0.3-y); left > 0.3-0.2 && left < 0.3+0.2 {
				best = min(best, math.Hypot(x-at[0], y-at[1]))
			}
		}
	}
	return best
}

// TestPostureAtHand: a posture that the pose already has takes no steps, and counts as reached.
func TestPostureAtHand(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	for _, o := range []Options{{Engine: TreeEngine, Restarts: NoRestarts}, {Engine: DrivenEngine}, {Method: Sparse}} {
		st := plan.Initial()
		at := func(joint int) float64 {
			q, _ := plan.Mechanism().Coordinate(mechanism.Freedom{Joint: joint}, st)
			return q
		}
		task := &Task{
			Targets: []Target{{Name: "q", Type: Coordinate, Freedom: "j0", Value: at(0)}},
			Posture: &Posture{Gain: 1, Values: []Coordinated{{Freedom: "j1", Value: at(1)}, {Freedom: "j2", Value: at(2)}}},
		}
		r, err := testSolver(t, testProblem(t, plan, task), o).Reach(st)
		require.NoError(t, err)
		require.Equal(t, Reached, r.Status)
		require.LessOrEqual(t, r.Steps, 1)
	}
}
