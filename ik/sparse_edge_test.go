package ik

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Two bodies on a universal and a cylindrical joint, and two levels: the first ends at the upper limit of the
// cylinder's slide, where its rows and that of the limit depend on each other.
const edgeModel = `{"format": "rung-model/1", "name": "rand", "bodies": [{"name": "b0", "mass": 0.7386877850111905, "com": [-0.03333076926641169, 0.060855423376020304, -0.1237557966378775], "inertia": {"xx": 0.05, "yy": 0.05500000000000001, "zz": 0.06}, "pose": {"position": [-0.23959941294061346, -0.5903919482470669, -0.04580007189460071], "orientation": [0.522497587544505, 0.6947840342238571, 0.3047982117126437, 0.38906229184356705]}}, {"name": "b1", "mass": 0.8117238126039684, "com": [-0.011577309650892924, -0.33449625649472836, -0.13666171095425128], "inertia": {"xx": 0.05, "yy": 0.05500000000000001, "zz": 0.06}, "pose": {"position": [-0.6846261130920692, -0.7549060723291962, 0.3483381678303395], "orientation": [0.5445716041270687, 0.625167469658328, 0.45975827064623137, 0.318166207243732]}}], "joints": [{"name": "j0", "type": "universal", "predecessor": "world", "successor": "b0", "predecessor_frame": {"position": [-0.23096311314628154, -0.575710185025154, -0.05240905657914308], "orientation": [0.7166445211934845, 0.25369060059946075, 0.6270119602776143, -0.17005208343231162]}, "successor_frame": {"position": [0.015136557910398113, -0.010156813245392122, 0.0012418870020244833], "orientation": [0.7520757345407074, 0.518930563464509, 0.049968417563981286, -0.40323233633181504]}}, {"name": "j1", "type": "cylindrical", "predecessor": "b0", "successor": "b1", "predecessor_frame": {"position": [-0.6031369337104827, -0.38185232666978586, -0.3546681184244024], "orientation": [0.1699341652470375, 0.0851464260852918, 0.7622575974098472, 0.6187372793016934]}, "successor_frame": {"position": [0.011863963304542938, 0.05221736135452838, -0.1603017520471032], "orientation": [0.05786599301116939, -0.03250875945924496, 0.7780077666812767, 0.6247388433536565]}, "limits": [{"lower": -0.773551514072196, "upper": 0.9827314514286253}, {"upper": 1.0397631649386503}]}]}`

// requireInside checks that driven freedoms are within the limits that the problem has.
func requireInside(t *testing.T, p *Problem, r *Result, what string) {
	t.Helper()
	for i, d := range r.Driven {
		tol := limitTol
		if !p.angle[i] {
			tol *= p.length
		}
		require.GreaterOrEqual(t, d.Value, p.lower[i]-tol, "%s: %s.%d", what, d.Joint, d.Freedom)
		require.LessOrEqual(t, d.Value, p.upper[i]+tol, "%s: %s.%d", what, d.Joint, d.Freedom)
	}
}

// TestSparseEdge: a level does not leave a limit at which the one before has ended, nor what that one has reached.
func TestSparseEdge(t *testing.T) {
	m, err := model.Read(strings.NewReader(edgeModel), "edge")
	require.NoError(t, err)
	one := [4]float64{1}
	task := Task{Solver: Options{Length: 0.5, Method: Sparse, Nearest: true}, Targets: []Target{
		{
			Name: "t0", Type: Point, Body: "b1", Frame: model.Pose{Orientation: one}, Orientation: one,
			Position: [3]float64{-0.7324985910743147, -0.550942148845308, 0.622129474772003}, Weight: []float64{0, 1, 0.5},
		},
		{
			Name: "t1", Type: Distance, Body: "b1", Frame: model.Pose{
				Position:    [3]float64{0.38014121636744924, -0.3206245831834307, 0.11449935836949499},
				Orientation: [4]float64{0.1341958398978568, 0.08201791413445422, -0.09121875490905608, 0.9833329431418351},
			},
			Orientation: one, RelativeTo: "b0", Position: [3]float64{0.35659284259824675, -0.10535419443027554, 0.19401799053157281},
			Length: 0.656653926642911, Priority: 1,
		},
	}}
	alone := task
	alone.Targets = task.Targets[:1]
	first, _ := sparseOf(t, m, alone)
	s, st := sparseOf(t, m, task)
	before, err := first.Reach(st.Clone())
	require.NoError(t, err) // the task asks for the nearest
	r, err := s.Reach(st)
	require.NoError(t, err)
	require.Equal(t, AgainstLimit, r.Status)
	require.InDelta(t, before.Targets[0].Linear, r.Targets[0].Linear, 1e-9)
	requireInside(t, s.p, r, "edge")
}

// TestSparseLevelsInside: no level of random tasks leaves the limits of a chain.
func TestSparseLevelsInside(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(5, 5))
	tasks := 300
	for k := range tasks {
		n := 3 + rng.IntN(5)
		task := limited(n, -0.2-rng.Float64(), 0.2+rng.Float64(), tipAt(n, 2*rng.Float64()-1, 2*rng.Float64()-1))
		for l := range 2 {
			g := tipAt(n, 2*rng.Float64()-1, 2*rng.Float64()-1)
			g.Name, g.Body, g.Priority = fmt.Sprint("g", l), fmt.Sprintf("b%d", rng.IntN(n)), 1+l
			task.Targets = append(task.Targets, g)
		}
		task.Targets[0].Weight = []float64{1, math.Round(rng.Float64()), 0}
		s, st := sparseOf(t, chainModel(n, 0.1), task)
		r, err := s.Reach(st)
		if err != nil {
			require.ErrorIs(t, err, ErrUnreached)
		}
		requireInside(t, s.p, r, fmt.Sprint("task ", k))
	}
}

// TestSparseLoopsInside: where loops are closed after steps, the limits still hold.
func TestSparseLoopsInside(t *testing.T) {
	check.Long(t)
	m, err := bench.Generate("scissor", 6, 1)
	require.NoError(t, err)
	plan := mustPlan(t, m)
	mech := plan.Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, mech.Initial()))
	rng := rand.New(rand.NewPCG(5, 5))
	tasks := 40
	for i := range tasks {
		var task Task
		for j := range m.Joints {
			if m.Joints[j].Type == model.Revolute && rng.Float64() < 0.5 {
				q := coordinate(mech, mechanism.Freedom{Joint: j}, k, mech.Initial())
				task.Limits = append(task.Limits, Limit{Freedom: m.Joints[j].Name, Lower: q - 0.05 - rng.Float64()/2, Upper: q + 0.05 + rng.Float64()/2})
			}
		}
		for l := range 2 {
			b := rng.IntN(len(m.Bodies))
			at := mech.Initial().Bodies[b].Position.Add([3]float64{rng.Float64() - 0.5, rng.Float64() - 0.5})
			task.Targets = append(task.Targets, Target{Name: fmt.Sprint("g", l), Type: Point, Body: m.Bodies[b].Name, Priority: l, Position: at})
		}
		s, st := sparseOf(t, m, task)
		r, err := s.Reach(st)
		if err != nil {
			require.ErrorIs(t, err, ErrUnreached)
		}
		requireInside(t, s.p, r, fmt.Sprint("task ", i))
	}
}
