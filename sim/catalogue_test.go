package sim_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// exactTol is of values that two ways compute.
	exactTol = 1e-12
	// slopeTol is of a central difference over slopeStep.
	slopeStep, slopeTol = 1e-4, 1e-5
)

// turnedRod is a rod of 2 m and 3 kg that a motion turns about y, with a marker at its end. Its angle is 0.3 + 2t + t².
func turnedRod() *model.Model {
	m := model.New("spun")
	m.Bodies = []model.Body{{
		Name: "rod", Mass: 3, Com: [3]float64{1}, Inertia: model.Inertia{XX: 0.01, YY: 1, ZZ: 1},
		Pose:     model.Pose{Orientation: [4]float64{math.Cos(0.15), 0, math.Sin(0.15)}},
		Velocity: model.Velocity{Angular: [3]float64{0, 2}},
	}}
	alongY := [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2} // z to y
	m.Joints = []model.Joint{{
		Name: "pin", Type: model.Revolute, Predecessor: model.World, Successor: "rod",
		PredecessorFrame: model.Pose{Orientation: alongY}, SuccessorFrame: model.Pose{Orientation: alongY},
		Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0.3, 2, 1}}},
	}}
	m.Frames = []model.Frame{{Name: "tip", Body: "rod", Pose: model.Pose{Position: [3]float64{2}}}, {Name: "wall", Body: model.World, Pose: model.Pose{Position: [3]float64{0, 0, 5}}}}
	return m
}

// markers returns the frames of m, of the first body or the world, as markers.
func markers(m *model.Model) (list []sim.Marker) {
	for _, f := range m.Frames {
		body := 0
		if f.Body == model.World {
			body = mechanism.World
		}
		list = append(list, sim.Marker{Name: f.Name, Body: body, Point: f.Pose.Position})
	}
	return list
}

// selected fills the columns that are like the patterns at the start of m.
func selected(t *testing.T, m *model.Model, patterns ...string) map[string]float64 {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	all := sim.NewCatalogue(plan.Mechanism(), markers(m))
	c, err := all.Select(patterns, motion.NewDynamics(plan))
	require.NoError(t, err)
	require.Len(t, c.Names(), c.Len())
	require.Len(t, c.Units(), c.Len())
	require.NoError(t, c.Fill(&sim.Row{State: plan.Initial()}))
	values := map[string]float64{}
	for i, n := range c.Names() {
		values[n] = c.Values[i]
	}
	require.Len(t, values, c.Len(), "names differ")
	return values
}

// TestChosenByHand compares columns with what the motion of one rod is by hand.
func TestChosenByHand(t *testing.T) {
	v := selected(t, turnedRod(), "*")
	s, c := math.Sincos(0.3)
	const g = 9.81
	for name, want := range map[string]float64{
		"joint.pin.q": 0.3, "joint.pin.qd": 2, "joint.pin.qdd": 2,
		"marker.tip.px": 2 * c, "marker.tip.pz": -2 * s, "marker.tip.vx": -4 * s, "marker.tip.vz": -4 * c,
		"marker.wall.pz": 5, "marker.wall.vz": 0,
		"drive.pin":  4*2 - 3*g*c,                     // I about the pin is 1 + 3; the weight turns it on
		"rod.alphay": 2, "rod.accx": 0, "rod.accz": 0, // the origin is on the pin
		"pin.force.x": 3 * (-2*s - 4*c), "pin.force.z": 3 * (g - 2*c + 4*s),
		"rod.wy": 2,
	} {
		got, ok := v[name]
		require.True(t, ok, name)
		assert.InDelta(t, want, got, exactTol*100, name)
	}
}

// TestChosenTurns: a prescribed angle has the turns of its motion, at any
// time and whatever was before, so that resumed runs write the same bytes.
func TestChosenTurns(t *testing.T) {
	plan, err := rung.NewPlan(turnedRod(), rung.Options{})
	require.NoError(t, err)
	for _, at := range []float64{0, 1, 2, 30, -40} {
		c, err := sim.NewCatalogue(plan.Mechanism(), nil).Select([]string{"joint.pin.q", "joint.pin.qd"}, motion.NewDynamics(plan))
		require.NoError(t, err)
		st := plan.Initial().Clone()
		want := 0.3 + 2*at + at*at
		st.Time = at
		st.Bodies[0].Rotation = spatial.Exp(spatial.Vec3{0, want})
		require.NoError(t, c.Fill(&sim.Row{State: st}))
		require.InDelta(t, want, c.Values[1], 1e-11, "at %g s", at)
	}
}

// TestChosenAgree compares the columns of the catalogue with the columns of trajectories without it.
func TestChosenAgree(t *testing.T) {
	for _, name := range []string{"rover", "stewart", "tracked", "excavator"} {
		m, err := bench.Generate(name, 2, 1)
		require.NoError(t, err)
		plan, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		mech, row := plan.Mechanism(), &sim.Row{State: plan.Initial()}
		v := selected(t, m, "*")
		same := func(c *sim.Columns, prefix string) {
			require.NoError(t, c.Fill(row))
			units := c.Units()
			require.Len(t, units, c.Len())
			for i, n := range c.Names() {
				got, ok := v[prefix+n]
				if !ok {
					got, ok = v[n]
				}
				require.True(t, ok, n)
				assert.Equal(t, c.Values[i], got, "%s: %s", name, n)
			}
		}
		c := sim.NewColumns(mech, nil)
		joints := []int{0, 1}
		c.AddWrenches(motion.NewDynamics(plan), joints)
		same(c, "")
		if mech.NumContacts() > 0 {
			same(sim.NewContactColumns(mech), "contact.")
		}
	}
}

// TestAccelerationColumns are the slopes of the columns of velocity.
func TestAccelerationColumns(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	all := sim.NewCatalogue(plan.Mechanism(), nil)
	c, err := all.Select([]string{"*.v?", "*.w?", "joint.*.qd", "*.acc?", "*.alpha?", "joint.*.qdd"}, motion.NewDynamics(plan))
	require.NoError(t, err)
	at := func(h float64) []float64 {
		st := plan.Initial()
		s := sim.New(plan.Mechanism(), sim.NewRungeKutta(plan.Mechanism(), motion.NewDynamics(plan), sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), st, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(h))
		require.NoError(t, c.Fill(&sim.Row{State: s.State()}))
		return append([]float64(nil), c.Values[1:]...)
	}
	n := (c.Len() - 1) / 2
	before, here, after := at(0.1-slopeStep), at(0.1), at(0.1+slopeStep)
	for i := range n {
		assert.InDelta(t, (after[i]-before[i])/(2*slopeStep), here[n+i], slopeTol*(1+math.Abs(here[n+i])), c.Names()[1+n+i])
	}
}

// Subjects are the bodies and joints that columns are of.
func TestSubjects(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	all := sim.NewCatalogue(mech, nil)
	bodies, joints := all.Subjects([]string{mech.BodyName(1) + ".px", "joint." + mech.JointName(2) + ".*", "energy.*"})
	assert.Equal(t, []int{1}, bodies)
	assert.Equal(t, []int{2}, joints)
	bodies, joints = all.Subjects([]string{"*.acc?", "energy.*"})
	assert.Len(t, bodies, mech.NumBodies())
	assert.Empty(t, joints)
}

func TestSelectErrors(t *testing.T) {
	m := turnedRod()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	all := sim.NewCatalogue(plan.Mechanism(), markers(m))
	d := motion.NewDynamics(plan)
	_, err = all.Select([]string{"joint.pin.q", "joint.pim.qd"}, d)
	require.EqualError(t, err, `sim: no column "joint.pim.qd"; there is "joint.pin.qd", "joint.pin.q", "joint.pin.qdd"`)
	_, err = all.Select([]string{"marker.t*p.ax"}, d)
	require.ErrorContains(t, err, `no column "marker.t*p.ax"; there is "marker.tip.`)
	_, err = all.Select([]string{"nothing at all like it"}, d)
	require.EqualError(t, err, `sim: no column "nothing at all like it"`)

	c, err := all.Select([]string{"rod.p?", "time", "*.px", "rod.px"}, nil)
	require.NoError(t, err)
	assert.Equal(t, "time rod.px rod.py rod.pz marker.tip.px marker.wall.px", strings.Join(c.Names(), " "))
	assert.Panics(t, func() { c.AddWrenches(d, []int{0}) })
	assert.Panics(t, func() { _, _ = all.Select([]string{"rod.accx"}, nil) })
	assert.True(t, all.NeedsReactions([]string{"rod.px", "drive.*"}))
	assert.False(t, all.NeedsReactions([]string{"rod.p?", "joint.pin.qd"}))

	m.Frames = append(m.Frames, m.Frames[0])
	all = sim.NewCatalogue(plan.Mechanism(), markers(m))
	_, err = all.Select([]string{"marker.*"}, nil)
	require.EqualError(t, err, `sim: two columns have the name "marker.tip.px"`)
	assert.PanicsWithValue(t, "sim: body out of range", func() { sim.NewCatalogue(plan.Mechanism(), []sim.Marker{{Body: 1}}) })
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		want          bool
	}{
		{"abc", "abc", true}, {"abc", "ab", false}, {"abc", "a*", true}, {"abc", "*c", true}, {"abc", "*b*", true}, {"abc", "a?c", true}, {"abc", "?", false},
		{"", "*", true}, {"", "?", false}, {"a.b.a.b.c", "*a.b.c", true}, {"a.b.a.b", "*a.b.c", false}, {"ä", "?", true}, {"x", "**", true}, {"aab", "a*ab", true},
	} {
		assert.Equal(t, c.want, sim.Like(c.name, c.pattern), "%s %s", c.name, c.pattern)
	}
}

// TestChosenFill records chosen columns without allocation.
func TestChosenFill(t *testing.T) {
	m := turnedRod()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	all := sim.NewCatalogue(plan.Mechanism(), markers(m))
	c, err := all.Select([]string{"joint.*.q*", "marker.*", "energy.*", "rod.p?"}, motion.NewDynamics(plan))
	require.NoError(t, err)
	var out bytes.Buffer
	rec, err := sim.NewCSV(&out, c)
	require.NoError(t, err)
	row := &sim.Row{State: plan.Initial()}
	require.NoError(t, rec.Record(row))
	_, err = all.Select([]string{"marker.*", "energy.*", "joint.pin.q", "joint.pin.qd", "contact.*", "rod.p?"}, nil)
	require.Error(t, err, "there is no contact")
	c, err = all.Select([]string{"marker.*", "energy.*", "joint.pin.q", "joint.pin.qd", "rod.p?"}, nil)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(10, func() { _ = c.Fill(row) }))
}
