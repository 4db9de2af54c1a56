package mjcf_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestViewers: what viewers alone need refuses no model, and is dropped with a line. Where the same shape gives a body its
// mass, it is an error.
func TestViewers(t *testing.T) {
	const given = `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>`
	for name, c := range map[string]struct {
		before, geom, says string
		shapes             int  // that are left
		read               bool // also where the mass counts
	}{
		"size":        {"", `<geom size="wide"/>`, `"wide" is not a number`, 0, false},
		"negative":    {"", `<geom size="-1"/>`, "is not positive", 0, false},
		"none":        {"", `<geom/>`, "is not positive", 0, false},
		"type":        {"", `<geom type="ball" size="1"/>`, `"ball" is none of`, 0, false},
		"two points":  {"", `<geom type="capsule" size="0.1" fromto="0 0 0 0 0 0"/>`, "its points coincide", 0, false},
		"pos":         {"", `<geom size="0.1" pos="0 0"/>`, "has 2 numbers in place of 3", 0, false},
		"quat":        {"", `<geom size="0.1" quat="0 0 0 0"/>`, "has no direction", 0, false},
		"orientation": {"", `<geom size="0.1" quat="1 0 0 0" euler="0 0 0"/>`, "is given twice", 0, false},
		"no mesh":     {"", `<geom type="mesh" mesh="m"/>`, `mesh "m" does not exist`, 0, false},
		"colour":      {"", `<geom size="0.1" rgba="red"/>`, `"red" is not a number`, 1, true},
		"contact":     {"", `<geom size="0.1" contype="x"/>`, `"x" is not a number`, 1, true},
		"material":    {`<asset><material name="m" rgba="1 2"/></asset>`, `<geom size="0.1" material="m"/>`, "has 2 numbers in place of 4", 1, true},
		"scale":       {`<asset><mesh name="m" file="m.stl" scale="1 1"/></asset>`, `<geom type="mesh" mesh="m"/>`, "has 2 numbers in place of 3", 0, false},
		"vertices":    {`<asset><mesh name="m" vertex="0 0 zero" face="0 1 2"/></asset>`, `<geom type="mesh" mesh="m"/>`, `"zero" is not a number`, 0, false},
		"rule":        {`<asset><mesh name="m" file="m.stl" inertia="guess"/></asset>`, `<geom type="mesh" mesh="m"/>`, `"guess" is none of`, 0, false},
		"class":       {"", `<geom size="0.1" class="nowhere"/>`, `attribute "class" is unknown: "nowhere"`, 0, false},
		"defaults":    {`<default><geom size="wide"/></default>`, `<geom/>`, `"wide" is not a number`, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			doc := func(mass string) map[string]string {
				return map[string]string{"main.xml": `<mujoco>` + c.before + `<worldbody>` + pendulum + `<body name="b"><freejoint/>` + mass + c.geom + `<geom size="0.2"/></body></worldbody></mujoco>`}
			}
			m, report, err := from(doc(given), source.Options{})
			require.NoError(t, err)
			formatstest.Sound(t, report)
			assert.Len(t, m.Bodies, 2)
			assert.Len(t, m.Visuals, 1+c.shapes)
			require.Equal(t, 1, report.Dropped())
			_, _, err = from(doc(given), source.Options{Strict: true})
			require.ErrorContains(t, err, c.says)

			if _, report, err = from(doc(""), source.Options{}); c.read {
				require.NoError(t, err)
				formatstest.Sound(t, report)
				return
			}
			require.ErrorContains(t, err, "error: ")
		})
	}
}

// TestGroundShapes: a body that stands on the ground needs no mass, so none of its shapes is needed.
func TestGroundShapes(t *testing.T) {
	_, report, err := from(map[string]string{"main.xml": `<mujoco><worldbody><body name="post"><geom size="wide"/></body>` + pendulum + `</worldbody></mujoco>`}, source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	assert.Equal(t, 1, report.Dropped())
}

// TestRangesOfNothing: a range whose first number is not below the second is none, as for the simulator, unless it is
// said to hold.
func TestRangesOfNothing(t *testing.T) {
	for _, c := range []struct {
		attrs  string
		limits []float64
		err    string
	}{
		{`range="0 0"`, nil, ""},
		{`range="1 -1"`, nil, ""},
		{`range="1 -1" limited="auto"`, nil, ""},
		{`range="-90 90"`, []float64{-math.Pi / 2, math.Pi / 2}, ""},
		{`range="0 0" limited="false"`, nil, ""},
		{`range="0 0" limited="true"`, nil, "the lower limit is not below the upper one"},
		{`actuatorfrcrange="0 0"`, nil, ""},
	} {
		text := `<mujoco><worldbody>` + strings.Replace(pendulum, `axis="0 1 0"`, `axis="0 1 0" `+c.attrs, 1) + `</worldbody></mujoco>`
		m, report, err := from(map[string]string{"main.xml": text}, source.Options{Strict: true})
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.attrs)
			continue
		}
		require.NoError(t, err, c.attrs)
		formatstest.Sound(t, report)
		if c.limits == nil {
			assert.Empty(t, m.Joints[0].Limits, c.attrs)
		} else {
			assert.InDeltaSlice(t, c.limits, []float64{m.Joints[0].Limits[0].Lower, m.Joints[0].Limits[0].Upper}, 1e-15)
		}
	}
}

// TestRoundedWeld: a quaternion that is zero but for rounding is none.
func TestRoundedWeld(t *testing.T) {
	text := `<mujoco><worldbody>` + pendulum + `<body name="b" pos="1 0 0"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>` +
		`<equality><weld body1="a" body2="b" relpose="5 5 5 0 1e-19 0 0"/></equality></mujoco>`
	m, _, err := from(map[string]string{"main.xml": text}, source.Options{})
	require.NoError(t, err)
	for i := range m.Joints {
		if j := &m.Joints[i]; j.Name != "j" {
			assert.Equal(t, [3]float64{1, 0, 0}, [3]float64(j.PredecessorFrame.Position))
		}
	}
	assert.Len(t, m.Joints, 2)
}

// TestRoundedTendons: lengths, rests and powers that differ by rounding from what the model can say are that.
func TestRoundedTendons(t *testing.T) {
	text := func(tendon, equality string) map[string]string {
		return map[string]string{"main.xml": `<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j" axis="0 1 0" stiffness="3" springref="0.3"/><inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/>` +
			`<body name="b"><joint name="k" axis="1 0 0"/><joint name="l" axis="0 0 1"/><joint name="m" type="slide" axis="0 0 1"/><inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/></body></body></worldbody>` +
			`<tendon><fixed name="t" ` + tendon + `><joint joint="j" coef="3"/></fixed><fixed name="u"><joint joint="k" coef="1"/><joint joint="l" coef="2"/><joint joint="m" coef="1"/></fixed></tendon><equality>` + equality + `</equality></mujoco>`}
	}
	for _, c := range []struct{ tendon, equality string }{
		{`stiffness="2 1" springlength="0.8999999999999999"`, ""},           // 3 × 0.3, where the joint's own spring rests
		{`stiffness="2" springlength="0.3 0.30000000000000004"`, ""},        // no play
		{"", `<tendon tendon1="t" tendon2="u" polycoef="0 1 1e-17 0 -0"/>`}, // no square
	} {
		_, report, err := from(text(c.tendon, c.equality), source.Options{Strict: true})
		require.NoError(t, err, c)
		formatstest.Sound(t, report)
	}
	for _, c := range []struct{ tendon, equality, says string }{
		{`stiffness="2 1" springlength="0.8"`, "", "rests elsewhere"},
		{`stiffness="2" springlength="0.3 0.31"`, "", "springs have play"},
		{"", `<tendon tendon1="t" tendon2="u" polycoef="0 1 0.1"/>`, "powers of a tendon over more than two joints"},
	} {
		_, _, err := from(text(c.tendon, c.equality), source.Options{Strict: true})
		require.ErrorContains(t, err, c.says)
	}
}

// TestSlantedSlides: two slides and a ball hold a point in the plane of the slides, whatever the angle between them.
func TestSlantedSlides(t *testing.T) {
	text := func(second string) map[string]string {
		return map[string]string{"main.xml": `<mujoco><worldbody><body name="b" pos="1 0 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="` + second + `"/><joint type="ball"/>` +
			`<inertial pos="0 0 0.5" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>`}
	}
	var want []float64
	for _, second := range [...]string{"0 1 0", "1e-8 1 0", "0.6 0.8 0"} {
		m, _, err := from(text(second), source.Options{})
		require.NoError(t, err, second)
		require.Equal(t, 5, formatstest.Mobility(t, m), second)
		got := formatstest.Accelerations(t, m, "b")
		if want == nil {
			want = got
		}
		assert.InDeltaSlice(t, want, got, 1e-13, second)
	}
}
