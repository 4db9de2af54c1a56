package ik

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// keptTol is the part by which the errors of a level may differ with and without the levels below it.
const keptTol = 1e-9

// TestRingKept: the tip of a second link is wanted at the shoulder, from which it stays 0.2 away, all around. A third
// link reaches its own target, as the first two may turn as one.
func TestRingKept(t *testing.T) {
	check.Long(t)
	plan := planar(t, 0.5, 0.3, 0.4)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		far, phi := 0.25+0.3*rng.Float64(), 2*math.Pi*rng.Float64()
		elbow := tipOf(2, 0.3, 0, 0)
		elbow.Name = "elbow"
		tip := tipOf(3, 0.4, far*math.Cos(phi), far*math.Sin(phi))
		tip.Priority = 1
		for _, e := range []Engine{TreeEngine, DrivenEngine} {
			p := testProblem(t, plan, &Task{Targets: []Target{elbow, tip}})
			r, err := testSolver(t, p, Options{Nearest: true, Engine: e}).Reach(plan.Mechanism().Initial())
			require.NoError(t, err)
			require.Equal(t, Nearest, r.Status)
			check.Close(t, r.Targets[0].Linear, 0.2, keptTol, 1, "ring")
			require.True(t, r.Targets[1].Reached, "off by %v after %d steps", r.Targets[1].Linear, r.Steps)
			s, st := testSolver(t, p, Options{Nearest: true, Engine: e}), plan.Mechanism().Initial()
			first := st.Clone()
			require.Zero(t, testing.AllocsPerRun(1, func() {
				copy(st.Bodies, first.Bodies)
				_, _ = s.Reach(st)
			}))
		}
	}
}

// TestRingsKept: the second link as in TestRingKept; the third one, out of reach too, turns the ring towards its
// target. What is left are two links that reach theirs from there.
func TestRingsKept(t *testing.T) {
	plan := planar(t, 0.5, 0.3, 0.4, 0.25, 0.2)
	rng := rand.New(rand.NewPCG(2, 7))
	for range 10 {
		phi, psi, far := 2*math.Pi*rng.Float64(), 2*math.Pi*rng.Float64(), 0.1+0.3*rng.Float64()
		elbow, wrist := tipOf(2, 0.3, 0, 0), tipOf(3, 0.4, 1.5*math.Cos(phi), 1.5*math.Sin(phi))
		elbow.Name, wrist.Name, wrist.Priority = "elbow", "wrist", 1
		tip := tipOf(5, 0.2, 0.6*math.Cos(phi)+far*math.Cos(psi), 0.6*math.Sin(phi)+far*math.Sin(psi))
		tip.Priority = 2
		st := plan.Mechanism().Initial()
		s := testSolver(t, testProblem(t, plan, &Task{Targets: []Target{elbow, wrist, tip}}), Options{Nearest: true, Steps: 500})
		bend(t, s, st, []float64{phi - 0.3, 2, -2, 0.4, 0.5})
		r, err := s.Reach(st)
		require.NoError(t, err)
		check.Close(t, r.Targets[0].Linear, 0.2, keptTol, 1, "ring")
		check.Close(t, r.Targets[1].Linear, 0.9, keptTol, 1, "wrist")
		require.True(t, r.Targets[2].Reached, "off by %v after %d steps", r.Targets[2].Linear, r.Steps)
	}
}

// bush returns a random tree with two tips, and a task: the first target
// of them, at priority 0, is out of reach, the second one within.
func bush(t testing.TB, rng *rand.Rand, limits bool) (*kkt.Plan, *Task) {
	b := build.New("bush")
	vec := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	grow := func(name string, before build.Body, at spatial.Vec3, links int) (build.Body, spatial.Vec3) {
		for i := range links {
			to := at.Add(vec().Scale(0.25))
			body := b.Rod(fmt.Sprint(name, i), 1, 0.02, at, to)
			if limits && rng.IntN(4) == 0 {
				b.Prismatic(fmt.Sprint("slide", name, i), before, body, at, vec())
			} else {
				b.Revolute(fmt.Sprint("turn", name, i), before, body, at, vec())
			}
			before, at = body, to
		}
		return before, at
	}
	trunk, at := grow("trunk", build.World, spatial.Vec3{}, 1+rng.IntN(3))
	_, left := grow("left", trunk, at, 2+rng.IntN(2))
	_, right := grow("right", trunk, at, 2+rng.IntN(3))
	m, err := b.Model()
	require.NoError(t, err)
	task := &Task{}
	for _, body := range m.Bodies {
		if !limits {
			break
		}
		name := "turn" + body.Name
		for _, j := range m.Joints {
			if j.Name == "slide"+body.Name {
				name = j.Name
			}
		}
		low := -0.3 - rng.Float64()
		if rng.IntN(3) > 0 && name[0] == 't' {
			low = math.Inf(-1)
		}
		task.Limits = append(task.Limits, Limit{Freedom: name, Lower: low, Upper: 0.3 + rng.Float64()})
	}
	last := func(prefix string) string {
		name := ""
		for _, body := range m.Bodies {
			if len(body.Name) > len(prefix) && body.Name[:len(prefix)] == prefix {
				name = body.Name
			}
		}
		return name
	}
	task.Targets = []Target{
		{Name: "left", Type: Point, Body: last("left"), Frame: model.Pose{Position: spatial.Vec3{0.1, 0.05}}, Position: left.Add(vec().Scale(2.5))},
		{Name: "right", Type: Point, Body: last("right"), Position: right.Add(vec().Scale(0.1)), Priority: 1},
	}
	return testPlan(t, m), task
}

// TestLeastKept: a level that cannot be reached keeps its errors, whatever targets later levels have.
func TestLeastKept(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(11, 35))
	n := check.Random(12, 0)
	out, ends := 0, map[Status]int{}
	for i := range n {
		plan, task := bush(t, rng, i%2 == 0)
		for _, e := range []Engine{TreeEngine, DrivenEngine} {
			o := Options{Nearest: true, Engine: e, Steps: 500}
			alone := *task
			alone.Targets = task.Targets[:1]
			r, err := testSolver(t, testProblem(t, plan, &alone), o).Reach(plan.Mechanism().Initial())
			require.NoError(t, err)
			if r.Status == OutOfSteps || r.Status == Reached {
				continue
			}
			want := r.Targets[0].Linear
			s := testSolver(t, testProblem(t, plan, task), o)
			r, err = s.Reach(plan.Mechanism().Initial())
			require.NoError(t, err)
			check.Close(t, r.Targets[0].Linear, want, keptTol, want, "tree %d, engine %v", i, e)
			out++
			ends[denseIn(s).list[1].status]++
			if task.Limits == nil && denseIn(s).list[1].status != Reached && e == TreeEngine {
				noBetter(t, s, task)
			}
		}
	}
	require.Greater(t, out, n)
	require.Greater(t, ends[Reached], n/10, "%v", ends)
	require.Greater(t, ends[Nearest], n/10, "%v", ends)
}

// noBetter: with all targets of one level, each weighing much more than
// the next, the last gets no nearer than by what these weights let it.
func noBetter(t *testing.T, s *Solver, task *Task) {
	const heavy = 1e3
	st, last := s.p.plan.Mechanism().Initial(), len(task.Targets)-1
	s.eng.stateTo(st)
	before := s.result.Targets[last].Linear
	even := *task
	even.Targets = append([]Target(nil), task.Targets...)
	for k, w := last, 1.0; k >= 0; k, w = k-1, w*heavy {
		even.Targets[k].Weight, even.Targets[k].Priority = []float64{w, w, w}, 0
	}
	r, err := testSolver(t, testProblem(t, s.p.plan, &even), Options{Nearest: true, Steps: 1000}).Reach(st)
	require.NoError(t, err)
	require.Greater(t, r.Targets[last].Linear, before*(1-1e-3), "%v after %v", r.Status, before)
}

// TestTwoLeastKept: two levels out of reach both keep their errors, whatever targets a third level has.
func TestTwoLeastKept(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(12, 36))
	n := 20
	told := 0
	for i := range n {
		plan, task := bush(t, rng, i%3 == 0)
		task.Targets[1].Position = [3]float64{3 * rng.NormFloat64(), 3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
		task.Targets = append(task.Targets, Target{
			Name: "middle", Type: Point, Body: task.Targets[1].Body[:len("right")] + "0", Priority: 2,
			Position: [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()},
		})
		solve := func(levels int) (*Result, *Solver) {
			part := *task
			part.Targets = task.Targets[:levels]
			s := testSolver(t, testProblem(t, plan, &part), Options{Nearest: true, Steps: 500})
			r, err := s.Reach(plan.Mechanism().Initial())
			require.NoError(t, err)
			return r, s
		}
		two, s := solve(2)
		if denseIn(s).list[0].status == OutOfSteps || denseIn(s).list[1].status == OutOfSteps || denseIn(s).list[1].status == Reached {
			continue
		}
		three, s := solve(3)
		told++
		for k := range 2 {
			check.Close(t, three.Targets[k].Linear, two.Targets[k].Linear, keptTol, two.Targets[k].Linear, "tree %d, level %d", i, k)
		}
		if task.Limits == nil && denseIn(s).list[2].status == Nearest {
			noBetter(t, s, task)
		}
	}
	require.Greater(t, told, n/2)
}
