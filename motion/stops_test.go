package motion_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// TestImpacts: a mass between two stops with restitution e, whose rates after the bounces are v·eⁿ until they are below
// the impact speed, when the spring takes over.
func TestImpacts(t *testing.T) {
	const e, v, slow = 0.7, 1.0, 0.2
	m := slider(func(j *model.Joint, b *model.Body) {
		b.Velocity.Linear[2] = v
		j.Limits = []*model.Limit{{Lower: -0.1, Upper: 0.1, Stop: model.Stop{
			Normal: contact.Normal{Stiffness: 1e4, Dissipation: 0.5}, Restitution: e, ImpactSpeed: slow,
		}}}
	})
	for name, run := range map[string]func(p *rung.Plan, o sim.Options, st *mechanism.State) *sim.Simulation{
		"dopri5": func(p *rung.Plan, o sim.Options, st *mechanism.State) *sim.Simulation {
			return runExplicit(p, 1e-9, o, st)
		},
		"generalized-alpha": func(p *rung.Plan, o sim.Options, st *mechanism.State) *sim.Simulation {
			return runImplicit(p, 0, 1e-2, o, st)
		},
	} {
		plan := planOf(t, m)
		var rates, times []float64
		var changes []sim.StopChange
		stops := sim.NewStops(plan.Mechanism(), motion.NewDynamics(plan), func(i int, what sim.StopChange, st *mechanism.State) error {
			rates, times, changes = append(rates, math.Abs(st.Bodies[0].Velocity[2])), append(times, st.Time), append(changes, what)
			return nil
		})
		st := plan.Initial()
		require.NoError(t, stops.Arm(st))
		require.NoError(t, run(plan, sim.Options{Projector: sim.NoProjector, Events: stops.Events()}, st).Run(4))
		n := 0
		at, speed := 0.1/v, v
		for ; speed > slow; n++ {
			assert.Equal(t, sim.StopImpact, changes[n], name)
			assert.InDelta(t, speed, rates[n], 1e-12, name)
			assert.InDelta(t, at, times[n], 1e-12, name)
			speed *= e
			at += 0.2 / speed
		}
		taken, impacts := stops.Taken()
		assert.EqualValues(t, n, impacts)
		assert.InDelta(t, (v*v-speed*speed)/2, taken, 1e-12)
		require.Greater(t, len(changes), n+1, name)
		assert.Equal(t, []sim.StopChange{sim.StopTouch, sim.StopLeave}, changes[n:n+2])
		if name == "dopri5" { // fixed steps are long beside the contact
			assert.Less(t, rates[n+1], rates[n])
		}
	}
}

// jaw is a four-bar linkage of hinges in space, which are redundant,
// on a body that floats, with a stop of restitution e at the crank.
func jaw(t *testing.T, e float64) *rung.Plan {
	t.Helper()
	b := rung.NewBuilder("jaw").Gravity(0, 0, 0)
	z := spatial.Vec3{0, 0, 1}
	p := []spatial.Vec3{{0, 0}, {0.3, 0.8}, {1.5, 1.1}, {1.4, -0.1}}
	base := b.Rod("base", 3, 0.05, p[0], p[3])
	crank := b.Rod("crank", 1, 0.05, p[0], p[1])
	coupler := b.Rod("coupler", 2, 0.05, p[1], p[2])
	rocker := b.Rod("rocker", 1.5, 0.05, p[2], p[3])
	b.Revolute("a", base, crank, p[0], z)
	b.Revolute("b", crank, coupler, p[1], z)
	b.Revolute("c", coupler, rocker, p[2], z)
	b.Revolute("d", base, rocker, p[3], z)
	m, err := b.Model()
	require.NoError(t, err)
	m.Joints[0].Limits = []*model.Limit{{Lower: -9, Upper: 0.3, Stop: model.Stop{
		Normal: contact.Normal{Stiffness: 1e4}, Restitution: e, ImpactSpeed: 1e-3,
	}}}
	return planOf(t, m)
}

// TestImpactBalances: an impulse within a floating mechanism with redundant joints changes neither momentum nor angular
// momentum, keeps the joints, turns the rate around, and takes as much energy as it says.
func TestImpactBalances(t *testing.T) {
	for _, e := range []float64{0, 0.5, 1} {
		plan := jaw(t, e)
		mech := plan.Mechanism()
		d := motion.NewDynamics(plan)
		st := plan.Initial()
		rng := rand.New(rand.NewPCG(1, 7))
		for i := range st.Bodies {
			for k := range 3 {
				st.Bodies[i].Velocity[k], st.Bodies[i].Omega[k] = rng.NormFloat64(), rng.NormFloat64()
			}
		}
		require.NoError(t, d.ProjectVelocities(st))
		k := mech.NewKinematics()
		measure := func(st *mechanism.State) (momentum [6]float64, energy, rate, off float64) {
			require.NoError(t, mech.KinematicsTo(k, st))
			for i := range st.Bodies {
				b, c := &st.Bodies[i], k.Bodies[i].Com
				p := b.Velocity.Add(b.Omega.Cross(c)).Scale(mech.Bodies[i].Mass)
				l := k.I[i].MulVec(b.Omega).Add(b.Position.Add(c).Cross(p))
				for j := range 3 {
					momentum[j] += l[j]
					momentum[3+j] += p[j]
				}
			}
			for j := range mech.Joints {
				_, v := mech.Residuals(j, k, st)
				off = max(off, v)
			}
			var jk mechanism.JointKinematics
			var qd [6]float64
			mech.JointTo(&jk, 0, k, st)
			mech.Joints[0].RatesTo(&qd, &jk.Frames)
			return momentum, mech.EnergyAt(k, st).Kinetic, qd[0], off
		}
		var before, after [6]float64
		var energy, rate float64
		stops := sim.NewStops(mech, d, func(i int, what sim.StopChange, st *mechanism.State) error {
			require.Equal(t, sim.StopImpact, what)
			before, energy, rate, _ = measure(st)
			return nil
		})
		if _, _, r, _ := measure(st); r < 0 {
			for i := range st.Bodies {
				st.Bodies[i].Velocity, st.Bodies[i].Omega = st.Bodies[i].Velocity.Neg(), st.Bodies[i].Omega.Neg()
			}
		}
		st.Internal = make([]float64, mech.NumInternal())
		response, err := stops.Events()[0].Action(st)
		require.NoError(t, err)
		require.Equal(t, sim.Restart, response)
		var left, turned, off float64
		after, left, turned, off = measure(st)
		for i := range before {
			assert.InDelta(t, before[i], after[i], 1e-12)
		}
		assert.InDelta(t, -e*rate, turned, 1e-12)
		assert.Less(t, off, 1e-12)
		taken, _ := stops.Taken()
		assert.InDelta(t, energy-left, taken, 1e-12)
		assert.Greater(t, taken, -1e-15)
	}
}

// TestImpactsAtOnce: two balls meet each other and the wall at the same instant. The impulses go on until nothing comes
// on any more, with momentum and, for e = 1, energy kept.
func TestImpactsAtOnce(t *testing.T) {
	hard := model.Stop{Normal: contact.Normal{Stiffness: 1e4}, Restitution: 1, ImpactSpeed: 1e-3}
	m := slider(func(j *model.Joint, b *model.Body) {
		b.Pose.Position[2], b.Velocity.Linear[2] = -0.1, 1
		j.Limits = []*model.Limit{{Lower: -9, Upper: 0, Stop: hard}}
	})
	m.Bodies = append(m.Bodies, model.Body{Name: "second", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
		Pose: model.Pose{Position: [3]float64{0, 0, -0.2}}, Velocity: model.Velocity{Linear: [3]float64{0, 0, 2}}})
	m.Joints = append(m.Joints,
		model.Joint{Name: "rail", Type: model.Prismatic, Predecessor: model.World, Successor: "second"},
		model.Joint{Name: "gap", Type: model.Prismatic, Predecessor: "second", Successor: "mass", Limits: []*model.Limit{{Lower: 0, Upper: 9, Stop: hard}}})
	plan := planOf(t, m)
	stops := sim.NewStops(plan.Mechanism(), motion.NewDynamics(plan), nil)
	st := plan.Initial()
	require.NoError(t, stops.Arm(st))
	s := runExplicit(plan, 1e-9, sim.Options{Projector: sim.NoProjector, Events: stops.Events(), EventSamples: sim.ImpactSamples}, st)
	require.NoError(t, s.Run(0.3))
	assert.InDelta(t, -1, s.State().Bodies[0].Velocity[2], 1e-9)
	assert.InDelta(t, -2, s.State().Bodies[1].Velocity[2], 1e-9)
	assert.InDelta(t, -0.2, s.State().Bodies[0].Position[2], 1e-9)
	taken, impacts := stops.Taken()
	assert.EqualValues(t, 4, impacts)
	assert.InDelta(t, 0, taken, 1e-12)
}

// TestPlasticImpact: without restitution a mass that is pushed on
// stays on the spring of its stop, and comes to rest there.
func TestPlasticImpact(t *testing.T) {
	m := slider(func(j *model.Joint, b *model.Body) {
		b.Velocity.Linear[2] = 3
		j.Force = []float64{50}
		j.Limits = []*model.Limit{{Lower: -1, Upper: 0.1, Stop: model.Stop{Normal: contact.Normal{Type: contact.Linear, Stiffness: 1e4, Damping: 100}, ImpactSpeed: 0.1}}}
	})
	plan := planOf(t, m)
	stops := sim.NewStops(plan.Mechanism(), motion.NewDynamics(plan), nil)
	st := plan.Initial()
	require.NoError(t, stops.Arm(st))
	s := runExplicit(plan, 1e-9, sim.Options{Projector: sim.NoProjector, Events: stops.Events()}, st)
	require.NoError(t, s.Run(1))
	_, impacts := stops.Taken()
	assert.EqualValues(t, 1, impacts)
	assert.InDelta(t, 0.1+50/1e4, s.State().Bodies[0].Position[2], 1e-9)
}

// TestStopOfTheExample: the leg of examples/stops, whose events are written by hand and whose impacts are projections
// on a fixed knee, strikes at the same times with the same rates and takes the same energy with a stop of the model.
func TestStopOfTheExample(t *testing.T) {
	b := rung.NewBuilder("leg").Gravity(0, -9.81, 0)
	z, hip := spatial.Vec3{0, 0, 1}, spatial.Vec3{}
	at := func(from spatial.Vec3, length, angle float64) spatial.Vec3 {
		return from.Add(spatial.Vec3{length * math.Sin(angle), -length * math.Cos(angle)})
	}
	middle := at(hip, 0.45, 0.9)
	upper := b.Rod("thigh", 7, 0.06, hip, middle)
	lower := b.Rod("shank", 4, 0.04, middle, at(middle, 0.42, 0.9-1.2))
	b.Revolute("hip", rung.World, upper, hip, z)
	knee := b.Revolute("knee", upper, lower, middle, z)
	knee.Limits = []*model.Limit{{Lower: -3, Upper: 1.2, Stop: model.Stop{Normal: contact.Normal{Stiffness: 1e4}, Restitution: 0.4, ImpactSpeed: 0.05}}}
	m, err := b.Model()
	require.NoError(t, err)
	plan := planOf(t, m)
	var times, rates, taken []float64
	last := 0.0
	var stops *sim.Stops
	stops = sim.NewStops(plan.Mechanism(), motion.NewDynamics(plan), func(i int, what sim.StopChange, st *mechanism.State) error {
		if what == sim.StopImpact {
			all, _ := stops.Taken()
			times, rates, taken = append(times, st.Time), append(rates, st.Bodies[1].Omega[2]-st.Bodies[0].Omega[2]), append(taken, all-last)
			last = all
		}
		return nil
	})
	st := plan.Initial()
	require.NoError(t, stops.Arm(st))
	require.NoError(t, runExplicit(plan, 1e-10, sim.Options{Projector: sim.NoProjector, Events: stops.Events()}, st).Run(1.472))
	all, _ := stops.Taken()
	taken = append(taken[1:], all-last)
	data, err := os.ReadFile(filepath.Join("..", "examples", "stops", "output.txt"))
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	require.Len(t, times, 8)
	for n := range times {
		var when, before, after, lost, hand float64
		_, err := fmt.Sscanf(lines[3*n], "%f s: %f → %f rad/s", &when, &before, &after)
		require.NoError(t, err)
		_, err = fmt.Sscanf(strings.TrimSpace(lines[3*n+2]), "energy lost %f, by hand %f J", &lost, &hand)
		require.NoError(t, err)
		assert.InDelta(t, when, times[n], 1e-4)
		assert.InDelta(t, -before, rates[n], 1e-4)
		assert.InDelta(t, lost, taken[n], 1e-5)
	}
}
