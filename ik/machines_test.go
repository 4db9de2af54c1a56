package ik

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// machineTol is the largest error relative to a closed form, m or rad; flatTol the same where the merit is flat, so
// that rounding moves coordinates by its root.
const machineTol, flatTol = 1e-12, 1e-7

// onEach solves a task with each of some engines, and calls see with the result.
func onEach(t *testing.T, m *model.Model, task *Task, engines []Engine, see func(e Engine, r *Result, st *mechanism.State)) {
	t.Helper()
	for _, e := range engines {
		plan, o := testPlan(t, m), task.Solver
		o.Engine, o.Nearest = e, true
		own := *task
		own.Solver = o
		p := testProblem(t, plan, &own)
		st := plan.Mechanism().Initial()
		r, err := testSolver(t, p, o).Reach(st)
		require.NoError(t, err)
		require.Less(t, r.ClosingError, 1e-12)
		see(e, r, st)
	}
}

var (
	loopEngines = []Engine{DrivenEngine, SparseEngine}
	treeEngines = []Engine{TreeEngine, DrivenEngine, SparseEngine}
)

// The delta robot of the tests: radii of base and platform, lengths of arms and rods, half the distance of two rods.
const deltaBase, deltaTop, deltaArm, deltaRod, deltaHalf = 0.2, 0.05, 0.3, 0.6, 0.04

// seenFrom returns a place in the frame of a body.
func seenFrom(b *model.Body, place spatial.Vec3) spatial.Vec3 {
	return unitQuat(b.Pose.Orientation).Conj().Rotate(place.Sub(b.Pose.Position))
}

// deltaPlace returns the directions û and t̂ of arm i.
func deltaPlace(i int) (out, along spatial.Vec3) {
	s, c := math.Sincos(2 * math.Pi * float64(i) / 3)
	return spatial.Vec3{c, s}, spatial.Vec3{-s, c}
}

// delta returns the robot with its arms level, and its task: the platform as a point.
func delta(t testing.TB) (*model.Model, *Task) {
	b := build.New("delta")
	wide := deltaBase + deltaArm - deltaTop
	centre := spatial.Vec3{2: -math.Sqrt(deltaRod*deltaRod - wide*wide)}
	platform := b.Rod("platform", 1, deltaTop, centre, centre.Add(spatial.Vec3{2: 0.2}))
	task := &Task{Solver: Options{Length: 1}}
	for i := range 3 {
		out, along := deltaPlace(i)
		hip, knee := out.Scale(deltaBase), out.Scale(deltaBase+deltaArm)
		arm := b.Rod(fmt.Sprint("arm", i), 1, 0.02, hip, knee)
		b.Revolute(fmt.Sprint("motor", i), build.World, arm, hip, along)
		task.Driven = append(task.Driven, fmt.Sprint("motor", i))
		for k, side := range [2]float64{deltaHalf, -deltaHalf} {
			from, to := knee.Add(along.Scale(side)), centre.Add(out.Scale(deltaTop)).Add(along.Scale(side))
			rod := b.Rod(fmt.Sprint("rod", i, k), 0.2, 0.01, from, to)
			b.Universal(fmt.Sprint("knee", i, k), arm, rod, from, along, to.Sub(from).Cross(along))
			b.Spherical(fmt.Sprint("wrist", i, k), rod, platform, to)
		}
	}
	m, err := b.Model()
	require.NoError(t, err)
	task.Targets = []Target{{Name: "platform", Type: Point, Body: "platform", Position: centre, Tolerance: [2]float64{1e-12, 1e-12}}}
	task.Targets[0].Frame.Position = seenFrom(&m.Bodies[0], centre)
	return m, task
}

// deltaAngles returns the angles of the arms with the platform at p,
// knees outwards: each knee is on a sphere about its wrist.
func deltaAngles(p spatial.Vec3) (angles [3]float64) {
	for i := range 3 {
		out, along := deltaPlace(i)
		v := p.Add(out.Scale(deltaTop - deltaBase)) // from the hip to the wrist
		x, y, z := v.Dot(out), v.Dot(along), v[2]
		// (a cos θ − x)² + y² + (−a sin θ − z)² = rod²
		C := (x*x + y*y + z*z + deltaArm*deltaArm - deltaRod*deltaRod) / (2 * deltaArm)
		angles[i] = math.Atan2(-z, x) - math.Acos(C/math.Hypot(x, z))
	}
	return angles
}

// deltaAt returns where the platform is with all arms at one angle.
func deltaAt(angle float64) float64 {
	s, c := math.Sincos(angle)
	wide := deltaBase + deltaArm*c - deltaTop
	return -deltaArm*s - math.Sqrt(deltaRod*deltaRod-wide*wide)
}

func TestDelta(t *testing.T) {
	m, task := delta(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		p := spatial.Vec3{0.3*rng.Float64() - 0.15, 0.3*rng.Float64() - 0.15, -0.45 - 0.2*rng.Float64()}
		task.Targets[0].Position = p
		want := deltaAngles(p)
		onEach(t, m, task, loopEngines, func(e Engine, r *Result, st *mechanism.State) {
			require.Equal(t, Reached, r.Status, "%v: %v", e, p)
			for i, d := range r.Driven {
				check.Close(t, d.Value, want[i], 2e-11, 1, "%v, arm %d", e, i) // tolerance of the target over the least singular value
			}
			q := st.Bodies[0].Rotation.Mul(unitQuat(m.Bodies[0].Pose.Orientation).Conj())
			require.Less(t, q.Log().Norm(), 1e-11, "the platform stays level")
		})
	}
	// Straight below: arms and rods get straight.
	deep := math.Sqrt((deltaArm+deltaRod)*(deltaArm+deltaRod) - (deltaBase-deltaTop)*(deltaBase-deltaTop))
	task.Targets[0].Position = spatial.Vec3{2: -deep - 0.3}
	onEach(t, m, task, loopEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Equal(t, Nearest, r.Status, "%v", e)
		check.Close(t, r.Targets[0].Linear, 0.3, 1e-11, 1, "%v", e)
		for _, d := range r.Driven {
			check.Close(t, d.Value, math.Pi-math.Asin(deep/(deltaArm+deltaRod)), 10*flatTol, 1, "%v", e)
		}
	})
	// Limits are in the way first.
	for i := range 3 {
		task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprint("motor", i), Lower: -0.3, Upper: 0.6})
	}
	onEach(t, m, task, loopEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Equal(t, AgainstLimit, r.Status, "%v", e)
		check.Close(t, r.Targets[0].Linear, deltaAt(0.6)+deep+0.3, machineTol, 1, "%v", e)
		for _, d := range r.Driven {
			require.Equal(t, int8(1), d.Limit, "%v", e)
		}
	})
}

// cranks returns two cranks of length 0.3, 0.4 apart, and two rods of length 0.5 that meet: driven are the cranks, the
// target is where the rods meet.
func cranks(t testing.TB) (*model.Model, *Task) {
	b := build.New("five-bar")
	tip := spatial.Vec3{0.2, 0.3 + math.Sqrt(0.5*0.5-0.2*0.2)}
	var rods [2]build.Body
	task := &Task{Solver: Options{Length: 1}, Driven: []string{"crank0", "crank1"}}
	for i := range 2 {
		foot := spatial.Vec3{0.4 * float64(i)}
		knee := foot.Add(spatial.Vec3{1: 0.3})
		crank := b.Rod(fmt.Sprint("c", i), 1, 0.02, foot, knee)
		rods[i] = b.Rod(fmt.Sprint("r", i), 1, 0.02, knee, tip)
		b.Revolute(fmt.Sprint("crank", i), build.World, crank, foot, spatial.Vec3{2: 1})
		b.Revolute(fmt.Sprint("knee", i), crank, rods[i], knee, spatial.Vec3{2: 1})
	}
	b.Revolute("tip", rods[0], rods[1], tip, spatial.Vec3{2: 1})
	m, err := b.Model()
	require.NoError(t, err)
	task.Targets = []Target{{Name: "tip", Type: Point, Body: "r0", Frame: model.Pose{Position: seenFrom(&m.Bodies[1], tip)}, Position: tip, Weight: []float64{1, 1, 0}, Tolerance: [2]float64{1e-12, 1e-12}}}
	return m, task
}

func TestFiveBar(t *testing.T) {
	m, task := cranks(t)
	rng := rand.New(rand.NewPCG(4, 3))
	for range 20 {
		x, y := 0.2+0.3*(rng.Float64()-0.5), 0.5+0.2*rng.Float64()
		task.Targets[0].Position = spatial.Vec3{x, y}
		var want, other [2]float64 // less the angle at the start; with the knee on the other side
		for i, side := range [2]float64{1, -1} {
			dx := x - 0.4*float64(i)
			long := math.Hypot(dx, y)
			bend := side * math.Acos((long*long+0.3*0.3-0.5*0.5)/(2*long*0.3))
			want[i], other[i] = math.Atan2(y, dx)+bend-math.Pi/2, math.Atan2(y, dx)-bend-math.Pi/2
		}
		onEach(t, m, task, loopEngines, func(e Engine, r *Result, _ *mechanism.State) {
			require.Equal(t, Reached, r.Status, "%v", e)
			for i, d := range r.Driven {
				if e == SparseEngine && math.Abs(d.Value-want[i]) > 0.1 { // which may go to another branch
					want[i] = other[i]
				}
				check.Close(t, d.Value, want[i], 1e-11, 1, "%v, crank %d, tip at %v %v", e, i, x, y)
			}
		})
	}
	high := math.Sqrt(0.8*0.8 - 0.2*0.2)
	task.Targets[0].Position = spatial.Vec3{0.2, high + 0.5}
	onEach(t, m, task, loopEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Equal(t, Nearest, r.Status, "%v", e)
		check.Close(t, r.Targets[0].Linear, 0.5, 1e-11, 1, "%v", e)
	})
	// With one crank at its limit the tip goes round its knee: from there straight to the target.
	task.Targets[0].Position = spatial.Vec3{0.35, 0.95}
	task.Limits = []Limit{{Freedom: "crank0", Lower: 0.1, Upper: 0.5}}
	s, c := math.Sincos(math.Pi/2 + 0.1)
	onEach(t, m, task, loopEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Equal(t, AgainstLimit, r.Status, "%v", e)
		require.Equal(t, int8(-1), r.Driven[0].Limit, "%v", e)
		check.Close(t, r.Targets[0].Linear, math.Hypot(0.35-0.3*c, 0.95-0.3*s)-0.5, 1e-11, 1, "%v", e)
	})
}

// TestSliderCrankReach: the crank turns to where its slider is wanted, up to the dead centre, or to a limit.
func TestSliderCrankReach(t *testing.T) {
	m := sliderCrank(0.7)
	task := &Task{Driven: []string{"a"}, Targets: []Target{{Name: "slider", Type: Coordinate, Freedom: "d", Tolerance: [2]float64{1e-12}}}, Solver: Options{Length: 1}}
	check1 := func(x, angle, off, tol float64, status Status) {
		task.Targets[0].Value = x
		onEach(t, m, task, loopEngines, func(e Engine, r *Result, _ *mechanism.State) {
			require.Equal(t, status, r.Status, "%v, slider at %v", e, x)
			check.Close(t, r.Driven[0].Value, angle, tol, 1, "%v, slider at %v", e, x)
			check.Close(t, r.Targets[0].Linear, off, machineTol, 1, "%v, slider at %v", e, x)
		})
	}
	for _, x := range []float64{1.9, 1.2, 0.5, 0.1} {
		check1(x, math.Acos(x/2), 0, 2e-11, Reached)
	}
	check1(2.5, 0, 0.5, flatTol, Nearest)
	task.Limits = []Limit{{Freedom: "a", Lower: 0.3, Upper: 1}}
	check1(1.98, 0.3, 1.98-2*math.Cos(0.3), machineTol, AgainstLimit)
	check1(0.2, 1, 2*math.Cos(1)-0.2, machineTol, AgainstLimit)
}

// hands returns a torso that turns about z, or floats, with two arms of two links, 0.3 and 0.25, at its shoulders.
func hands(t testing.TB, floats bool) (*model.Model, *Task) {
	b := build.New("hands")
	torso := b.Rod("torso", 5, 0.1, spatial.Vec3{1: -0.2}, spatial.Vec3{1: 0.2})
	if !floats {
		b.Revolute("waist", build.World, torso, spatial.Vec3{}, spatial.Vec3{2: 1})
	}
	task := &Task{Solver: Options{Length: 1}}
	for i, y := range []float64{0.2, -0.2} {
		shoulder, elbow, hand := spatial.Vec3{0, y}, spatial.Vec3{0.3, y}, spatial.Vec3{0.55, y}
		upper := b.Rod(fmt.Sprint("upper", i), 1, 0.02, shoulder, elbow)
		fore := b.Rod(fmt.Sprint("fore", i), 1, 0.02, elbow, hand)
		b.Revolute(fmt.Sprint("shoulder", i), torso, upper, shoulder, spatial.Vec3{2: 1})
		b.Revolute(fmt.Sprint("elbow", i), upper, fore, elbow, spatial.Vec3{2: 1})
		task.Targets = append(task.Targets, Target{Name: fmt.Sprint("hand", i), Type: Point, Body: fmt.Sprint("fore", i), Weight: []float64{1, 1, 0}, Tolerance: [2]float64{1e-12, 1e-12}})
	}
	m, err := b.Model()
	require.NoError(t, err)
	for i := range m.Bodies {
		for k := range task.Targets {
			if m.Bodies[i].Name == task.Targets[k].Body {
				task.Targets[k].Frame.Position = seenFrom(&m.Bodies[i], spatial.Vec3{0.55, []float64{0.2, -0.2}[k]})
			}
		}
	}
	return m, task
}

func TestTwoHands(t *testing.T) {
	m, task := hands(t, false)
	aim := func(a, b spatial.Vec3) { task.Targets[0].Position, task.Targets[1].Position = a, b }
	aim(spatial.Vec3{0.3, 0.35}, spatial.Vec3{0.35, -0.1})
	onEach(t, m, task, treeEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Equal(t, Reached, r.Status, "%v", e)
	})
	// Both are too far ahead: all is straight, and the waist, which either hand would turn, is held by both.
	aim(spatial.Vec3{1, 0.2}, spatial.Vec3{1, -0.2})
	for k := range task.Targets {
		task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprint("elbow", k), Lower: -2, Upper: 2})
	}
	onEach(t, m, task, treeEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Contains(t, []Status{Nearest, Conflicting}, r.Status, "%v", e)
		for k := range r.Targets {
			check.Close(t, r.Targets[k].Linear, 0.45, machineTol, 1, "%v, hand %d", e, k)
		}
	})
	// One hand is bound by its limits: the elbow cannot be less than 1
	// rad, so that the hand is at most this far from its shoulder.
	task.Limits = []Limit{{Freedom: "elbow0", Lower: 1, Upper: 2}, {Freedom: "waist", Lower: -1e-3, Upper: 1e-3}}
	short := math.Sqrt(0.3*0.3 + 0.25*0.25 + 2*0.3*0.25*math.Cos(1))
	aim(spatial.Vec3{0, 1}, spatial.Vec3{0.3, -0.2})
	onEach(t, m, task, treeEngines, func(e Engine, r *Result, _ *mechanism.State) {
		require.Equal(t, AgainstLimit, r.Status, "%v", e)
		require.True(t, r.Targets[1].Reached, "%v, off by %v after %d steps", e, r.Targets[1].Linear, r.Steps)
		// The shoulder is at (−0.2 sin w, 0.2 cos w) for a waist at w, which the first hand turns to zero.
		check.Close(t, r.Targets[0].Linear, 0.8-short, 1e-11, 1, "%v", e)
		for _, d := range r.Driven {
			if d.Joint == "waist" {
				check.Close(t, d.Value, 0, flatTol, 1, "%v", e)
			}
		}
	})
}

// TestFloatingHands: a body that floats with two arms: both hands come to where they should, and as nothing pushes from
// outside, the centre of mass stays.
func TestFloatingHands(t *testing.T) {
	m, task := hands(t, true)
	task.Solver.Passive = true
	task.Limits = []Limit{{Freedom: "elbow0", Lower: 0.1, Upper: 2}, {Freedom: "elbow1", Lower: -2, Upper: 1.8}}
	task.Targets[0].Position, task.Targets[1].Position = spatial.Vec3{0.4, 0.3}, spatial.Vec3{0.45, -0.15}
	centre := func(bodies []mechanism.BodyState) (c spatial.Vec3) {
		total := 0.0
		for i := range bodies {
			b := &m.Bodies[i]
			c = c.Add(bodies[i].Position.Add(bodies[i].Rotation.Rotate(b.Com)).Scale(b.Mass))
			total += b.Mass
		}
		return c.Scale(1 / total)
	}
	before := centre(testPlan(t, m).Mechanism().Initial().Bodies)
	onEach(t, m, task, []Engine{DrivenEngine}, func(e Engine, r *Result, st *mechanism.State) {
		require.Equal(t, Reached, r.Status, "%v, %v", e, r)
		require.Less(t, centre(st.Bodies).Sub(before).Norm(), 1e-12, "%v", e)
		for _, d := range r.Driven {
			require.True(t, d.Joint != "elbow0" || d.Value >= 0.1)
			require.True(t, d.Joint != "elbow1" || d.Value <= 1.8)
		}
	})
	// Far away: nothing reaches there, and the two hands pull against each other.
	task.Targets[0].Position, task.Targets[1].Position, task.Limits = spatial.Vec3{before[0], 5}, spatial.Vec3{before[0], -5}, nil
	onEach(t, m, task, []Engine{DrivenEngine}, func(e Engine, r *Result, st *mechanism.State) {
		require.Contains(t, []Status{Nearest, Conflicting}, r.Status, "%v", e)
		require.Less(t, centre(st.Bodies).Sub(before).Norm(), 1e-11, "%v", e)
		// All in one line through the centre of mass: from hand to hand 0.4 and both arms.
		check.Close(t, r.Targets[0].Linear+r.Targets[1].Linear, 10-0.4-2*0.55, 1e-11, 1, "%v", e)
	})
}
