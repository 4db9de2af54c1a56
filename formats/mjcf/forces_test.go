package mjcf_test

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/springs"
)

// forces is a file with each kind of forces of joints and tendons.
const forces = `<mujoco><option gravity="0 0 0"/><worldbody>
 <site name="wall" pos="0 0 2"/>
 <body name="a"><joint name="a" type="slide" ref="0.1" springref="0.3" stiffness="2 3 5" damping="0.7 0.2 0.1" frictionloss="0.4" range="-1 1"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="sa" pos="0 3 0"/></body>
 <body name="b" pos="1 0 0"><joint name="b" type="slide" stiffness="4" springref="0.2"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="sb" pos="0 0 1"/></body>
 <body name="c" pos="2 0 0"><joint name="c" axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="sc" pos="0 4 0"/></body>
</worldbody><tendon>
 <fixed name="one" stiffness="3" springlength="1" damping="0.5" frictionloss="0.25" armature="0.1"><joint joint="b" coef="-2"/></fixed>
 <fixed name="two" stiffness="3"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed>
 <spatial name="rod" stiffness="6 1 2" damping="1 0.5 0"><site site="sa"/><site site="sc"/></spatial>
 <spatial name="play" stiffness="6" springlength="1 2" damping="1"><site site="wall"/><site site="sb"/></spatial>
 <spatial name="rope" stiffness="7" springlength="0 2.5"><site site="wall"/><site site="sa"/><site site="sb"/></spatial>
 <spatial name="three" stiffness="7"><site site="wall"/><site site="sa"/><site site="sb"/></spatial>
 <spatial name="round" stiffness="7"><site site="wall"/><geom geom="g"/><site site="sb"/></spatial>
 <spatial name="bare" range="0 1"><site site="wall"/><site site="sb"/></spatial>
</tendon></mujoco>`

// TestForces compares what joints and tendons exert with the laws of
// the format, beyond the reference pose and to both sides.
func TestForces(t *testing.T) {
	r, report, err := mjcf.Read(source.NewFiles(fstest.MapFS{"m.xml": {Data: []byte(forces)}}, nil), source.Name{Path: "m.xml"}, &source.Options{})
	require.NoError(t, err)
	m := r.Model
	a, b := &m.Joints[0], &m.Joints[1]
	check.CloseVec(t, []float64{a.Stiffness[0], a.Rest[0], a.Damping[0]}, []float64{2, 0.2, 0.7}, 1e-15, 1, "joint a")
	require.Equal(t, []model.Friction{{Force: 0.4}}, a.Friction)
	require.Equal(t, []*model.Limit{{Lower: -1.1, Upper: 0.9}}, a.Limits)
	law := springs.Laws{Spring: a.Springs[0].Prepared(), Damper: a.Dampers[0].Prepared()}
	for _, x := range []float64{-0.3, 0.4} {
		for _, y := range []float64{-2, 1.5} {
			f, _, _, err := law.At(x, y)
			require.NoError(t, err)
			check.Close(t, f, 3*x*x+5*x*x*x+0.2*y*math.Abs(y)+0.1*y*y*y, 1e-15, 10, "powers at %g, %g", x, y)
		}
	}

	// The tendon of one joint has the length −2q, and the joint has another spring: 4 (q − 0.2) + 12 (q + 0.5).
	got := []float64{b.Stiffness[0], b.Rest[0], b.Damping[0], b.Armature[0], b.Friction[0].Force}
	check.CloseVec(t, got, []float64{16, -5.2 / 16, 2, 0.4, 0.5}, 1e-15, 16, "tendon of one joint")

	force := map[string]*model.ForceElement{}
	for k := range m.Forces {
		force[m.Forces[k].Name] = &m.Forces[k]
	}
	require.Len(t, force, 3)
	// Joint a is 0.2 along z where its spring rests: (0, 3, 0.2) to (2, 4, 0).
	check.Close(t, force["rod"].RestLength, math.Sqrt(4+1+0.04), 1e-15, 1, "rest length")
	check.Close(t, force["play"].RestLength, 2, 0, 1, "rest length")
	for name, c := range map[string]struct {
		stiffness, damping float64
		spring             func(x float64) float64
	}{
		"rod": {6, 1, func(x float64) float64 { return x*x + 2*x*x*x }},
		"play": {0, 1, func(x float64) float64 { // x is the length less 2
			switch {
			case x > 0:
				return 6 * x
			case x < -1:
				return 6 * (x + 1)
			}
			return 0
		}},
	} {
		f := force[name]
		require.Equal(t, model.SpringDamper, f.Type)
		check.CloseVec(t, []float64{f.Stiffness, f.Damping}, []float64{c.stiffness, c.damping}, 0, 1, "%s", name)
		law := springs.Laws{Spring: f.Spring.Prepared()}
		for _, x := range []float64{-1.4, -0.5, 0.3} {
			got, _, _, err := law.At(x, 0)
			require.NoError(t, err)
			check.Close(t, got, c.spring(x), 1e-15, 10, "%s at %g", name, x)
		}
	}
	rope := force["rope"]
	require.Equal(t, model.CableForce, rope.Type)
	check.CloseVec(t, []float64{rope.RestLength, rope.Stiffness}, []float64{2.5, 7}, 0, 1, "rope")
	bodies, at := []string{"world", "a", "b"}, [][3]float64{{0, 0, 2}, {0, 3, 0}, {0, 0, 1}}
	require.Len(t, rope.Cable.Points, 3)
	for k, p := range rope.Cable.Points {
		require.Equal(t, bodies[k], p.Body)
		require.Equal(t, at[k], [3]float64(p.Point))
	}

	var lost []string
	for _, e := range report.Entries {
		if e.Severity == source.Loss {
			lost = append(lost, e.What)
		}
	}
	require.Len(t, lost, 4, "%q", lost) // of two, three and round, and the range of bare
}

// TestLightForced: a link with next to no mass stays a body if a force acts on it.
func TestLightForced(t *testing.T) {
	m, _, err := from(map[string]string{"main.xml": `<mujoco><worldbody><site name="wall" pos="0 0 2"/>` + pendulum + `
		<body name="light" pos="0 0 1"><joint name="l" type="slide"/><inertial pos="0 0 0" mass="1e-10" diaginertia="1e-12 1e-12 1e-12"/><site name="s"/>
		<body name="heavy"><joint name="h"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>
		</worldbody><tendon><spatial name="rope" stiffness="1" damping="1"><site site="wall"/><site site="s"/></spatial></tendon></mujoco>`}, source.Options{})
	require.NoError(t, err)
	require.Len(t, m.Bodies, 3)
	require.Len(t, m.Forces, 1)
}

// TestCompositeTurns: the turns of a joint with motions of all kinds belong to its rotations.
func TestCompositeTurns(t *testing.T) {
	m, _, err := from(map[string]string{"main.xml": `<mujoco><worldbody><body name="a"><joint name="s" type="slide" axis="1 0 0" stiffness="1"/>
		<joint name="h" axis="0 1 1" pos="0 0.1 0" stiffness="2"/><inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>`},
		source.Options{Pose: map[string]float64{"h": 7}})
	require.NoError(t, err)
	require.Equal(t, model.Composite, m.Joints[0].Type)
	require.Equal(t, []int64{0, 1}, m.Joints[0].Turns)
	_, back := same(t, m, roundTol)
	require.Less(t, back, roundTol)
}
