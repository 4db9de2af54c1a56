package ik

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// checkPoses reaches the targets of a reference file pose by pose, which aim sets, and compares the poses of all bodies.
func checkPoses(t *testing.T, name string, task *Task, aim func(g []target, row map[string]string)) {
	const tol, mostSteps = 1e-12, 7
	places := bodiesOf(t, name)
	for i := range task.Targets {
		task.Targets[i].Tolerance = [2]float64{1e-13, 1e-13}
	}
	for _, metric := range []Metric{Turns, Joints, Inertia} {
		task.Solver.Metric = metric
		s, from := sparseOf(t, readModel(t, name), *task)
		mech := s.p.plan.Mechanism()
		for k, row := range csvRows(t, name+".targets") {
			aim(sparseIn(s).p.targets, row)
			st := from.Clone()
			r, err := s.Reach(st)
			require.NoError(t, err, "pose %d, %v", k, metric)
			require.LessOrEqual(t, r.Steps, mostSteps, "pose %d, %v", k, metric)
			require.LessOrEqual(t, r.ClosingError, 1e-13)
			places.check(t, &drivenEngine{st: st, mech: mech}, row["pose"], tol)
		}
	}
}

// TestSparseStewart compares poses of a Stewart platform with those in closed form.
func TestSparseStewart(t *testing.T) {
	checkPoses(t, "stewart", stewartTask(), func(g []target, row map[string]string) {
		g[0].position = spatial.Vec3(num(t, row, "px", "py", "pz"))
		g[0].orientation = spatial.Quat(num(t, row, "qw", "qx", "qy", "qz"))
		g[0].aim()
	})
}

// TestSparseWalker does so with a walker on four legs with redundant loops.
func TestSparseWalker(t *testing.T) {
	checkPoses(t, "walker", walkerTask(), func(g []target, row map[string]string) {
		v := num(t, row, "trunk.theta", "trunk.x", "trunk.y")
		g[0].position, g[0].orientation = spatial.Vec3{v[1], v[2]}, spatial.Exp(spatial.Vec3{0, 0, v[0]})
		g[0].aim()
		for i, leg := range []string{"1", "2", "3", "4"} {
			foot := "foot" + leg
			g[i+1].position = spatial.Vec3(num(t, row, foot+".x", foot+".y", foot+".z"))
			g[i+1].aim()
		}
	})
}

// nearby are targets for the origins of bodies where these are after a motion that the mechanism allows.
func nearby(t testing.TB, m *model.Model, list []int, push float64) (out []Target) {
	plan := mustPlan(t, m)
	mech, to := plan.Mechanism(), plan.Initial()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, to))
	d := make([]float64, 6*len(to.Bodies))
	for i := range to.Bodies {
		to.Bodies[i].ComVelocityTo((*[6]float64)(d[6*i:]), &k.Bodies[i].Com)
	}
	mech.DisplaceTo(to, to, push, d)
	require.NoError(t, closing.NewCloser(plan, closing.Options{}).ClosePositions(to))
	for _, b := range list {
		name := m.Bodies[b].Name
		out = append(out, Target{Name: name, Type: Point, Body: name, Position: to.Bodies[b].Position, Tolerance: [2]float64{1e-10, 1e-10}})
	}
	return out
}

// TestSparseFamilies reaches poses of ladders, scissors, trees and nets with many targets.
func TestSparseFamilies(t *testing.T) {
	const mostSteps = 30
	for _, x := range []struct {
		family string
		n      int
		long   bool
		nights bool
	}{
		{family: "ladder", n: 10}, {family: "ladder", n: 1000}, {family: "ladder", n: 10000, long: true, nights: true}, {family: "scissor", n: 20},
		{family: "chain", n: 300}, {family: "tree", n: 100}, {family: "grid", n: 12}, {family: "grid", n: 30, long: true}, {family: "grid", n: 96, nights: true},
	} {
		if x.long && testing.Short() || x.nights && check.More() == 1 {
			continue
		}
		m, err := bench.Generate(x.family, x.n, 1)
		require.NoError(t, err)
		list := []int{len(m.Bodies) - 1}
		switch x.family {
		case "grid": // every third body of every third row: 1024 targets for n = 96
			list = nil
			for i := 1; i < x.n; i += 3 {
				for j := 1; j < x.n; j += 3 {
					list = append(list, i*x.n+j)
				}
			}
		case "tree":
			list = []int{len(m.Bodies) - 1, len(m.Bodies) - 2, len(m.Bodies) / 2}
		}
		r, _ := sparsely(t, m, Task{Targets: nearby(t, m, list, 0.2)})
		require.Equal(t, Reached, r.Status, "%s %d", x.family, x.n)
		require.LessOrEqual(t, r.Steps, mostSteps, "%s %d", x.family, x.n)
	}
}

// TestSparseNet: a thousand targets on random bodies of a net, some of
// which nearly depend on each other, are met in few steps.
func TestSparseNet(t *testing.T) {
	const mostSteps = 20
	sizes := check.Few([]int{20, 40}, []int{20})
	if check.More() > 1 {
		sizes = append(sizes, 70)
	}
	for _, n := range sizes {
		for seed := range uint64(2) {
			m, err := bench.Generate("grid", n, 1)
			require.NoError(t, err)
			list := rand.New(rand.NewPCG(1, seed)).Perm(n * n)[:n*n*1000/4900]
			r, _ := sparsely(t, m, Task{Targets: nearby(t, m, list, 0.2)})
			require.Equal(t, Reached, r.Status, "%d rows, %d targets", n, len(list))
			require.LessOrEqual(t, r.Steps, mostSteps, "%d rows, %d targets", n, len(list))
			for i := range r.Targets {
				require.LessOrEqual(t, r.Targets[i].Linear, 1e-10)
			}
			t.Logf("%d targets: %d steps", len(list), r.Steps)
		}
	}
}

// TestSparseNetDoesNotAllocate: conjugate gradients and corrections of levels take no memory either.
func TestSparseNetDoesNotAllocate(t *testing.T) {
	check.Long(t)
	m, err := bench.Generate("grid", 20, 1)
	require.NoError(t, err)
	task := Task{Targets: nearby(t, m, rand.New(rand.NewPCG(1, 0)).Perm(400)[:81], 0.2), Solver: Options{Nearest: true}}
	for i := range task.Targets[:20] {
		task.Targets[i].Priority = 1
	}
	s, from := sparseOf(t, m, task)
	st := from.Clone()
	require.Zero(t, testing.AllocsPerRun(1, func() {
		copy(st.Bodies, from.Bodies)
		if _, err := s.Reach(st); err != nil {
			t.Error(err)
		}
	}))
}
