package ik

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// loopCase is a mechanism with loops, of reference unless it has a model:
// its task, the wants of each pose, and the driven coordinates there.
type loopCase struct {
	name  string
	model *model.Model
	task  *Task
	wants [][]wanted
	found [][]float64
}

func loopCases(t testing.TB) []loopCase {
	stewart, walker := loopCase{name: "stewart", task: stewartTask()}, loopCase{name: "walker", task: walkerTask()}
	for _, row := range csvRows(t, "stewart.targets") {
		stewart.wants = append(stewart.wants, []wanted{{position: spatial.Vec3(num(t, row, "px", "py", "pz")), orientation: spatial.Quat(num(t, row, "qw", "qx", "qy", "qz"))}})
		stewart.found = append(stewart.found, num(t, row, stewartLegs...))
	}
	for _, row := range csvRows(t, "walker.targets") {
		x := num(t, row, "trunk.theta", "trunk.x", "trunk.y")
		list := []wanted{{position: spatial.Vec3{x[1], x[2]}, orientation: spatial.Exp(spatial.Vec3{2: x[0]})}}
		for k := range 4 {
			foot := "foot" + strconv.Itoa(k+1)
			list = append(list, wanted{position: spatial.Vec3(num(t, row, foot+".x", foot+".y", foot+".z"))})
		}
		walker.wants, walker.found = append(walker.wants, list), append(walker.found, append(x, num(t, row, walkerDriven[1:]...)...))
	}
	return []loopCase{stewart, walker, deltaCase(t)}
}

// deltaCase returns the delta robot of the tests and its places, by their closed form.
func deltaCase(t testing.TB) loopCase {
	c, rng := loopCase{name: "delta"}, rand.New(rand.NewPCG(8, 3))
	c.model, c.task = delta(t)
	for range 25 {
		p := spatial.Vec3{0.3*rng.Float64() - 0.15, 0.3*rng.Float64() - 0.15, -0.45 - 0.2*rng.Float64()}
		angles := deltaAngles(p)
		c.wants, c.found = append(c.wants, []wanted{{position: p, orientation: spatial.IdentityQuat()}}), append(c.found, angles[:])
	}
	return c
}

// start returns a solver of the case, its first state and one to move.
func (c *loopCase) start(t testing.TB) (*Solver, *mechanism.State) {
	t.Helper()
	for i := range c.task.Targets {
		c.task.Targets[i].Tolerance = [2]float64{1e-12, 1e-12}
	}
	m := c.model
	if m == nil {
		m = readModel(t, c.name)
	}
	p, err := NewProblem(mustPlan(t, m), c.task)
	require.NoError(t, err)
	s, err := p.NewSolver(c.task.Solver)
	require.NoError(t, err)
	return s, p.plan.Initial()
}

// TestReachLoops: from the pose of the model each reference pose is
// allReached to 1e-12, with the driven coordinates of the reference.
func TestReachLoops(t *testing.T) {
	for _, engine := range loopEngines {
		for _, c := range loopCases(t) {
			c.task.Solver.Engine = engine
			s, first := c.start(t)
			aim := func(i int, w wanted) { s.eng.aim(i, w) }
			if s.m.engine() == nil {
				aim = sparseIn(s).aim
			}
			for i := range c.wants {
				st := first.Clone()
				for k, w := range c.wants[i] {
					aim(k, w)
				}
				r, err := s.Reach(st)
				require.NoError(t, err, "%s, pose %d", c.name, i)
				require.Equal(t, Reached, r.Status)
				require.Equal(t, engine, r.Engine)
				for k := range r.Driven {
					check.Close(t, r.Driven[k].Value, c.found[i][k], 1e-10, 1, "%v, %s, pose %d, freedom %d", engine, c.name, i, k)
				}
				mech := s.p.plan.Mechanism()
				kin := mech.NewKinematics()
				require.NoError(t, mech.KinematicsTo(kin, st))
				_, off, _ := mech.WorstJoint(kin, st)
				require.LessOrEqual(t, off, 1e-13, "%v, %s, pose %d", engine, c.name, i)
			}
		}
	}
}

// TestReachInOwnOrder: a plan with an elimination order of one's own leads to the same poses, by a driven mechanism that finds
// an order for its rows.
func TestReachInOwnOrder(t *testing.T) {
	for _, c := range loopCases(t) {
		library, first := c.start(t)
		plan := library.p.plan
		own, err := kkt.NewPlanContext(context.Background(), plan.Mechanism(), kkt.Options{Order: order.OfBodies(plan.Layout().Pattern, []int32{1, 0})})
		require.NoError(t, err)
		p, err := NewProblem(own, c.task)
		require.NoError(t, err)
		s, err := p.NewSolver(c.task.Solver)
		require.NoError(t, err)
		for k, w := range c.wants[0] {
			library.eng.aim(k, w)
			s.eng.aim(k, w)
		}
		want, err := library.Reach(first.Clone())
		require.NoError(t, err)
		got, err := s.Reach(first.Clone())
		require.NoError(t, err)
		require.Equal(t, want.Status, got.Status, c.name)
		for k := range got.Driven {
			check.Close(t, got.Driven[k].Value, want.Driven[k].Value, 1e-10, 1, "%s, freedom %d", c.name, k)
		}
	}
}

// BenchmarkReach solves the reference poses one after the other.
func BenchmarkReach(b *testing.B) {
	for _, c := range loopCases(b) {
		b.Run(c.name, func(b *testing.B) {
			s, st := c.start(b)
			b.ReportAllocs()
			i, steps := 0, 0
			for b.Loop() {
				for k, w := range c.wants[i%len(c.wants)] {
					s.eng.aim(k, w)
				}
				r, err := s.Reach(st)
				if err != nil {
					b.Fatal(err)
				}
				steps += r.Steps
				i++
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps")
		})
	}
}
