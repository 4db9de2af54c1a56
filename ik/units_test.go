package ik

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// enlarged returns a copy of m whose lengths are s times as large.
func enlarged(m *model.Model, s float64) *model.Model {
	out := *m
	times := func(v [3]float64) [3]float64 { return [3]float64{s * v[0], s * v[1], s * v[2]} }
	out.Gravity = times(m.Gravity)
	out.Bodies, out.Joints, out.Forces = append([]model.Body(nil), m.Bodies...), append([]model.Joint(nil), m.Joints...), nil
	for i := range out.Bodies {
		b := &out.Bodies[i]
		b.Com, b.Pose.Position, b.Velocity.Linear = times(b.Com), times(b.Pose.Position), times(b.Velocity.Linear)
		for _, x := range []*float64{&b.Inertia.XX, &b.Inertia.YY, &b.Inertia.ZZ, &b.Inertia.XY, &b.Inertia.XZ, &b.Inertia.YZ} {
			*x *= s * s
		}
	}
	for i := range out.Joints {
		j := &out.Joints[i]
		j.PredecessorFrame.Position, j.SuccessorFrame.Position = times(j.PredecessorFrame.Position), times(j.SuccessorFrame.Position)
		j.Length, j.Pitch = s*j.Length, s*j.Pitch
		j.Stiffness, j.Damping, j.Force, j.Rest = nil, nil, nil, nil
	}
	return &out
}

// enlargedTask returns a copy of a task whose lengths are s times as large. lengths tells which freedoms are.
func enlargedTask(task *Task, s float64, lengths map[string]bool) *Task {
	out := *task
	out.Solver.Length *= s
	out.Targets = append([]Target(nil), task.Targets...)
	for i := range out.Targets {
		t := &out.Targets[i]
		for k := range 3 {
			t.Frame.Position[k] *= s
			t.Position[k] *= s
		}
		t.Tolerance[0] *= s
	}
	out.Limits = append([]Limit(nil), task.Limits...)
	for i := range out.Limits {
		if l := &out.Limits[i]; lengths[l.Freedom] {
			l.Lower, l.Upper = s*l.Lower, s*l.Upper
		}
	}
	if task.Posture != nil {
		p := *task.Posture
		p.Values = append([]Coordinated(nil), p.Values...)
		for i := range p.Values {
			if lengths[p.Values[i].Freedom] {
				p.Values[i].Value *= s
			}
		}
		out.Posture = &p
	}
	return &out
}

// crane returns a tree with turning, sliding, planar and cylindrical
// joints, and a task of its tool at some place, in reach or not.
func crane(t testing.TB, rng *rand.Rand) (*model.Model, *Task, map[string]bool) {
	b := build.New("crane")
	before, lengths, at := build.World, map[string]bool{}, spatial.Vec3{}
	task := &Task{Solver: Options{Length: 1}}
	for i, kind := range []joints.Kind{joints.Planar, joints.Revolute, joints.Prismatic, joints.Cylindrical, joints.Revolute} {
		to := at.Add(spatial.Vec3{0.2 + 0.3*rng.Float64(), rng.Float64() - 0.5, rng.Float64() - 0.5})
		body := b.Rod(fmt.Sprint("link", i), 1, 0.02, at, to)
		name, axis := fmt.Sprint("j", i), spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		switch kind {
		case joints.Planar:
			b.Planar(name, before, body, at, axis)
			lengths[name+".1"], lengths[name+".2"] = true, true
			task.Limits = append(task.Limits, Limit{Freedom: name + ".1", Lower: -0.1, Upper: 0.2})
		case joints.Revolute:
			b.Revolute(name, before, body, at, axis)
			task.Limits = append(task.Limits, Limit{Freedom: name, Lower: -0.5, Upper: 1})
		case joints.Prismatic:
			b.Prismatic(name, before, body, at, axis)
			lengths[name] = true
			task.Limits = append(task.Limits, Limit{Freedom: name, Lower: -0.05, Upper: 0.3})
		default:
			b.Cylindrical(name, before, body, at, axis)
			lengths[name+".1"] = true
		}
		before, at = body, to
	}
	m, err := b.Model()
	require.NoError(t, err)
	place := at.Add(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(0.3 + rng.Float64()))
	q := spatial.Exp(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
	task.Targets = []Target{
		{Name: "tool", Type: PoseTarget, Body: "link4", Position: place, Orientation: q, Tolerance: [2]float64{1e-9, 1e-9}},
		{Name: "elbow", Type: Point, Body: "link2", Position: place.Scale(0.5), Priority: 1, Tolerance: [2]float64{1e-9, 1e-9}},
	}
	task.Posture = &Posture{Gain: 1, Values: []Coordinated{{"j2", 0.1}, {"j1", 0.2}}}
	return m, task, lengths
}

// sameAtAnySize: a task takes the same steps to rounding, whatever the unit of length is.
func sameAtAnySize(t *testing.T, m *model.Model, task *Task, lengths map[string]bool, o Options) *Result {
	o.Nearest = true
	solve := func(s float64) *Result {
		plan := testPlan(t, enlarged(m, s))
		scaled := enlargedTask(task, s, lengths)
		r, err := testSolver(t, testProblem(t, plan, scaled), o).Reach(plan.Mechanism().Initial())
		require.NoError(t, err)
		return r
	}
	want := solve(1)
	for _, s := range []float64{1024, 1e3, 1e-3} {
		r := solve(s)
		tol := 1e-8
		// Where the merit is flat, rounding says when a search ends, be it with the number of steps that it may take.
		if flat := func(s Status) bool { return s == Nearest || s == AgainstLimit }; o.Steps == 0 || !flat(want.Status) && !flat(r.Status) {
			require.Equal(t, want.Status, r.Status, "unit %v, %v", 1/s, o.Method)
		}
		if want.Status == Reached || want.Status == OutOfSteps && r.Status == OutOfSteps {
			require.Equal(t, want.Steps, r.Steps, "unit %v, %v", 1/s, o.Method)
		} else {
			tol = 1e-6 // rounding says where, too
		}
		for i, d := range r.Driven {
			name := d.Joint
			if _, single := lengths[name]; !single && (lengths[name+".1"] || lengths[name+".2"]) {
				name = fmt.Sprintf("%s.%d", d.Joint, d.Freedom)
			}
			x := d.Value
			if lengths[name] {
				x /= s
			}
			check.Close(t, x, want.Driven[i].Value, tol, 1, "unit %v, %v, %s", 1/s, o.Method, name)
		}
	}
	return want
}

// TestUnits: steps do not depend on the unit of length.
func TestUnits(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(5, 5))
	ends := map[Status]int{}
	cranes := 6
	for range cranes {
		m, task, lengths := crane(t, rng)
		for _, e := range []Engine{TreeEngine, DrivenEngine} {
			ends[sameAtAnySize(t, m, task, lengths, Options{Engine: e}).Status]++
			for _, method := range []Method{DLS, Constant} {
				sameAtAnySize(t, m, task, lengths, Options{Method: method, Engine: e, Steps: 8})
			}
			one := *task // without damping, rows that limits or levels before leave dependent make rounding large
			one.Targets, one.Posture, one.Limits = task.Targets[:1], nil, nil
			for _, method := range []Method{Pinv, Transpose, Adaptive, Selective} {
				sameAtAnySize(t, m, &one, lengths, Options{Method: method, Engine: e, Steps: 8})
			}
		}
	}
	require.Greater(t, ends[Reached]+ends[Nearest]+ends[AgainstLimit], cranes, "%v", ends)
	for _, c := range loopCases(t) {
		lengths := map[string]bool{"trunk.1": true, "trunk.2": true}
		for _, leg := range stewartLegs {
			lengths[leg] = true
		}
		task := *c.task
		task.Targets = append([]Target(nil), task.Targets...)
		for k, w := range c.wants[0] {
			task.Targets[k].Position, task.Targets[k].Orientation, task.Targets[k].Tolerance = w.position, w.orientation, [2]float64{1e-11, 1e-11}
		}
		for _, method := range []Method{DLS, Constant, Adaptive} {
			m := c.model
			if m == nil {
				m = readModel(t, c.name)
			}
			sameAtAnySize(t, m, &task, lengths, Options{Method: method, Steps: 60})
		}
	}
}
