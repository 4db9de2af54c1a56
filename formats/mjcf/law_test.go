package mjcf_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// driftTol is what a run with a tolerance of 1e-10 may leave of an equation that it does not know.
const driftTol = 1e-8

// three are bodies a, b and c that turn about y, and tendons and equalities between them.
func three(tendons, equalities string) map[string]string {
	text := `<mujoco><compiler angle="radian"/><worldbody>`
	for k, name := range []string{"a", "b", "c"} {
		text += fmt.Sprintf(`<body name=%q pos="0 %d 0"><joint name=%q axis="0 1 0" ref="%g"/><inertial pos="0.%d 0 -1" mass="1" diaginertia="1 1 1"/></body>`, name, k, name, 0.5*float64(k), k+1)
	}
	return map[string]string{"main.xml": text + `</worldbody><tendon>` + tendons + `</tendon><equality>` + equalities + `</equality></mujoco>`}
}

// turnedY returns the angles about y of the bodies of three, which are the angles of the file less ref.
func turnedY(m *model.Model) (q [3]float64) {
	for k := range q {
		o := m.Bodies[k].Pose.Orientation
		q[k] = 2 * math.Atan2(o[2], o[0])
	}
	return q
}

// TestTendonPowers: the length of a tendon follows powers of the length of another, which is a sum of two coordinates, or of one
// that stands twice. Lengths count from the reference pose.
func TestTendonPowers(t *testing.T) {
	const first = `<fixed name="t"><joint joint="a" coef="2"/></fixed>`
	for name, c := range map[string]struct {
		tendon string
		length func(q [3]float64) float64
		law    bool
	}{
		"two":   {`<fixed name="u"><joint joint="b" coef="1"/><joint joint="c" coef="-3"/></fixed>`, func(q [3]float64) float64 { return q[1] - 3*q[2] }, true},
		"twice": {`<fixed name="u"><joint joint="b" coef="1"/><joint joint="b" coef="-3"/></fixed>`, func(q [3]float64) float64 { return -2 * q[1] }, false},
		"gone":  {`<fixed name="u"><joint joint="b" coef="1"/><joint joint="c" coef="2"/><joint joint="c" coef="-2"/></fixed>`, func(q [3]float64) float64 { return q[1] }, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, report, err := from(three(first+c.tendon, `<tendon tendon1="t" tendon2="u" polycoef="0 0.5 -2 0.3 0.1"/>`), source.Options{Strict: true})
			require.NoError(t, err)
			formatstest.Sound(t, report)
			require.Len(t, m.Couplings, 1)
			require.Equal(t, c.law, m.Couplings[0].Law != nil)
			require.Equal(t, 2, formatstest.Mobility(t, m))
			most := 0.0
			formatstest.Along(t, m, 0.5, func(m *model.Model) {
				q := turnedY(m)
				x := c.length(q)
				assert.InDelta(t, 2*q[0], 0.5*x-2*x*x+0.3*x*x*x+0.1*x*x*x*x, driftTol)
				most = max(most, math.Abs(x))
			})
			assert.Greater(t, most, 0.01)
		})
	}
	for equality, message := range map[string]string{
		`<tendon tendon1="t" tendon2="w" polycoef="0 1 1"/>`:       "powers of a tendon over more than two joints",
		`<tendon tendon1="t" tendon2="v" polycoef="0 1 1"/>`:       `does not exist: "v"`,
		`<tendon tendon1="t" tendon2="t" polycoef="0 nan 1"/>`:     `"nan" is not a number`,
		`<tendon tendon1="t" tendon2="t" polycoef="0 1 1 1 1 1"/>`: "has 6 numbers",
	} {
		_, _, err := from(three(first+`<fixed name="w"><joint joint="a" coef="1"/><joint joint="b" coef="1"/><joint joint="c" coef="1"/></fixed>`, equality), source.Options{})
		require.ErrorContains(t, err, message)
		require.ErrorContains(t, err, "main.xml:1:")
	}
	for tendon, message := range map[string]string{
		`<fixed name="u"><joint joint="d" coef="1"/></fixed>`:                                          `does not exist: "d"`,
		`<fixed name="u"><joint joint="a"/></fixed>`:                                                   `"coef": is missing`,
		`<fixed name="u"><joint coef="1"/></fixed>`:                                                    `"joint": is missing`,
		`<fixed name="u" stiffness="1"><joint joint="d" coef="1"/><joint joint="a" coef="1"/></fixed>`: `does not exist: "d"`,
		`<fixed name="u"><joint joint="a" coef="nan"/></fixed>`:                                        `"nan" is not a number`,
	} {
		_, _, err := from(three(tendon, ""), source.Options{})
		require.ErrorContains(t, err, message, tendon)
		require.ErrorContains(t, err, "main.xml:1:")
	}
}

// TestTendonRanges: the range of a tendon over one joint is one of its coordinate.
func TestTendonRanges(t *testing.T) {
	for _, c := range []struct {
		tendon       string
		lower, upper float64 // of b, whose coordinate in the file is 0.5 more
	}{
		{`<fixed limited="true" range="-1 3"><joint joint="b" coef="2"/></fixed>`, -1, 1},
		{`<fixed range="-1 3"><joint joint="b" coef="-2"/></fixed>`, -2, 0},
		{`<fixed range="-1 3"><joint joint="b" coef="1"/></fixed><fixed range="-3 1"><joint joint="b" coef="2"/></fixed>`, -1.5, 0},
	} {
		m, report, err := from(three(c.tendon, ""), source.Options{Strict: true})
		require.NoError(t, err, c.tendon)
		formatstest.Sound(t, report)
		require.Len(t, m.Joints[1].Limits, 1, c.tendon)
		assert.InDelta(t, c.lower, m.Joints[1].Limits[0].Lower, 1e-15)
		assert.InDelta(t, c.upper, m.Joints[1].Limits[0].Upper, 1e-15)
	}
	for tendon, why := range map[string]string{
		`<fixed range="-1 3"><joint joint="b" coef="0"/></fixed>`:                                                       "the tendon has one length",
		`<fixed range="-1 3"><joint joint="b" coef="1"/><joint joint="c" coef="1"/></fixed>`:                            "none of tendons along a path or over several joints",
		`<fixed range="-1 1"><joint joint="b" coef="1"/></fixed><fixed range="2 3"><joint joint="b" coef="1"/></fixed>`: "leaves nothing of the range",
	} {
		_, report, err := from(three(tendon, ""), source.Options{})
		require.NoError(t, err)
		formatstest.Sound(t, report)
		assert.Equal(t, 1, report.Dropped(), tendon)
		_, _, err = from(three(tendon, ""), source.Options{Strict: true})
		assert.ErrorContains(t, err, why)
	}
}

// circles has a body on a hinge and a ball in a row, in either order, with a slide between if there is one.
func circles(joints string) map[string]string {
	return map[string]string{"main.xml": `<mujoco><worldbody><body name="a" pos="0.1 0.2 0.3">` + joints + `<inertial pos="0.3 0.2 -0.1" mass="2" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>`}
}

// TestCircles: a hinge and a ball in a row hold the centre of the ball on a circle about the hinge, as a rod without mass
// does; with a slide along the hinge, on a cylinder.
func TestCircles(t *testing.T) {
	const hinge, slide, ball = `<joint name="h" axis="0 0 2" pos="1 0 0"/>`, `<joint name="s" type="slide" axis="0 0 -1"/>`, `<joint name="b" type="ball" pos="0 0 0.5"/>`
	axis, centre := spatial.Vec3{1.1, 0.2, 0}, spatial.Vec3{0, 0, 0.5} // of the hinge in the world; of the ball in the body
	for _, c := range []struct {
		joints string
		want   model.JointType
		planar bool
		free   int
	}{
		{hinge + ball, model.PointOnCurve, false, 4},
		{hinge + slide + ball, model.PointOnCurve, true, 5},
		{slide + hinge + ball, model.PointOnCurve, true, 5},
		{`<joint axis="0 0 2"/>` + ball, model.Spherical, false, 3},
		{`<joint axis="0 0 2"/>` + slide + ball, model.SphereInCylinder, false, 4},
		{ball + hinge, model.PointOnCurve, false, 4},
		{ball + slide + hinge, model.PointOnCurve, true, 5},
	} {
		m, report, err := from(circles(c.joints), source.Options{Strict: true})
		require.NoError(t, err, c.joints)
		formatstest.Sound(t, report)
		require.Len(t, m.Joints, 1)
		j := &m.Joints[0]
		require.Equal(t, c.want, j.Type, c.joints)
		require.Equal(t, c.free, formatstest.Mobility(t, m), c.joints)
		if j.Type != model.PointOnCurve {
			continue
		}
		require.Equal(t, c.planar, j.Curve.Planar)
		require.Equal(t, curves.Circle, j.Curve.Kind)
		first := j.Predecessor == model.World
		formatstest.Along(t, m, 0.5, func(m *model.Model) {
			b := &m.Bodies[0]
			place := func(p spatial.Vec3) spatial.Vec3 {
				return spatial.Vec3(b.Pose.Position).Add(spatial.Quat(b.Pose.Orientation).Rotate(p))
			}
			var d spatial.Vec3 // from the axis to the ball's centre, in the frame of the hinge
			if first {
				d = place(centre).Sub(axis)
			} else { // the ball stays in the world, the hinge in the body
				d = spatial.Quat(b.Pose.Orientation).Conj().Rotate(spatial.Vec3{0.1, 0.2, 0.8}.Sub(place(spatial.Vec3{1, 0, 0})))
			}
			assert.InDelta(t, 1, math.Hypot(d[0], d[1]), driftTol, c.joints)
			if !c.planar {
				assert.InDelta(t, map[bool]float64{true: 0.8, false: 0.5}[first], d[2], driftTol, c.joints)
			}
		})
		w, back := same(t, m, roundTol)
		assert.Empty(t, losses(w), c.joints)
		assert.Less(t, back, roundTol, c.joints)
	}
	// What acts on the turn of the hinge has no coordinate there.
	_, _, err := from(circles(`<joint axis="0 0 2" pos="1 0 0" damping="1"/>`+ball), source.Options{})
	require.ErrorContains(t, err, "no joint of the model lets pass these motions in a row")
}

// TestWriteCircles: points on circles go out and come back in motion, placing bodies and closing loops; ways along a circle
// on which something acts, arcs and other curves are refused by name.
func TestWriteCircles(t *testing.T) {
	for _, planar := range []bool{false, true} {
		m, _, err := from(circles(`<joint axis="0 0 2" pos="1 0 0"/><joint type="ball" pos="0 0 0.5"/>`), source.Options{})
		require.NoError(t, err)
		m.Joints[0].Curve.Planar = planar
		formatstest.Along(t, m, 0.2, func(m *model.Model) {
			w, back := same(t, m, roundTol)
			assert.Empty(t, losses(w))
			assert.Less(t, back, roundTol)
		})
		loop := *m
		loop.Joints = append([]model.Joint{{Name: "hold", Type: model.Distance, Predecessor: "world", Successor: m.Bodies[0].Name, Length: 1,
			PredecessorFrame: model.Pose{Position: m.Bodies[0].Pose.Position}, SuccessorFrame: model.Pose{Position: [3]float64{0, 1, 0}}}}, m.Joints...)
		second := loop.Joints[1]
		second.Name = "again"
		loop.Joints = append(loop.Joints, second)
		formatstest.Along(t, &loop, 0.1, func(m *model.Model) {
			w, back := same(t, m, roundTol)
			assert.Empty(t, losses(w))
			assert.Less(t, back, roundTol)
		})
		held := *m
		held.Joints = append([]model.Joint(nil), m.Joints...)
		held.Joints[0].Force = make([]float64, held.Joints[0].Kind().Freedoms())
		held.Joints[0].Force[3] = 1
		arc := *m
		arc.Joints = append([]model.Joint(nil), m.Joints...)
		c := *m.Joints[0].Curve
		c.Range = [2]float64{-1, 1}
		arc.Joints[0].Curve = &c
		for _, bad := range []*model.Model{&held, &arc} {
			require.NoError(t, model.Check(bad))
			writeRefused(t, bad, "the format has no joint of type point_on_curve")
		}
	}
}

// writeRefused requires that nothing is written of m, and why.
func writeRefused(t *testing.T, m *model.Model, why string) {
	t.Helper()
	var b bytes.Buffer
	_, err := mjcf.Write(&b, m)
	require.ErrorContains(t, err, why)
	require.Empty(t, b.Bytes())
}
