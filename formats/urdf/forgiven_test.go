package urdf_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestViewers: what viewers alone need refuses no robot. What is wrong with it is dropped, with a line.
func TestViewers(t *testing.T) {
	const ball = `<geometry><sphere radius="0.1"/></geometry>`
	for name, c := range map[string]struct {
		inside, says string
		shapes       int // that are left
	}{
		"radius":         {`<geometry><sphere radius="wide"/></geometry>`, `attribute "radius" "wide" is not a number`, 0},
		"size":           {`<geometry><box size="1 2"/></geometry>`, "has 2 numbers in place of 3", 0},
		"scale":          {`<geometry><mesh filename="a.stl" scale="1 x 1"/></geometry>`, `"x" is not a number`, 0},
		"origin":         {`<origin xyz="0 0"/>` + ball, "has 2 numbers in place of 3", 0},
		"rpy":            {`<origin rpy="0 0 90deg"/>` + ball, `"90deg" is not a number`, 0},
		"quaternion":     {`<origin quat_xyzw="0 0 0 0"/>` + ball, "has no direction", 0},
		"not finite":     {`<origin xyz="0 0 nan"/>` + ball, `"nan" is not a number`, 0},
		"colour":         {ball + `<material name="m"><color rgba="1 0"/></material>`, "has 2 numbers in place of 3 to 4", 1},
		"without a name": {ball + `<material><color rgba="red"/></material>`, `"red" is not a number`, 1},
	} {
		for _, kind := range [...]string{"visual", "collision"} {
			t.Run(name+" of a "+kind, func(t *testing.T) {
				text := strings.Replace(arm(""), inertial, inertial+"<"+kind+">"+c.inside+"</"+kind+"><visual>"+ball+"</visual>", 1)
				m, report, err := from(text, "", source.Options{})
				require.NoError(t, err)
				formatstest.Sound(t, report)
				assert.Len(t, m.Bodies, 2)
				assert.Len(t, m.Visuals, 1+c.shapes)
				require.Equal(t, 1, report.Dropped())
				_, _, err = from(text, "", source.Options{Strict: true})
				require.ErrorContains(t, err, c.says)
			})
		}
	}
	m, report, err := from(arm(`<material name="m"><color rgba="1 0 x"/></material><material name="n"/>`), "", source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	assert.Equal(t, 1, report.Dropped())
	assert.Len(t, m.Bodies, 2)
}

// TestRounded: numbers that rounding has left are not taken for what somebody wanted.
func TestRounded(t *testing.T) {
	for name, more := range map[string]string{
		"axis with angles": `<link name="c">` + inertial + `</link><joint name="k" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 1" rpy="0 1.2e-17 0"/></joint>`,
		"both halves of an inertia": `<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1" iyx="0.1000000001" ixz="0" iyz="0"/></inertial></link>` +
			`<joint name="k" type="floating"><parent link="a"/><child link="c"/></joint>`,
		"no mass and next to no inertia": `<link name="c"><inertial><mass value="0"/><inertia ixx="-1e-21" iyy="1e-21" izz="-1e-22"/></inertial></link><joint name="k" type="revolute"><parent link="a"/><child link="c"/></joint>`,
		"next to no mass":                `<link name="c"><inertial><mass value="-1e-19"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link><joint name="k" type="revolute"><parent link="a"/><child link="c"/></joint>`,
	} {
		_, report, err := from(arm(more), "", source.Options{Strict: true})
		require.NoError(t, err, name)
		formatstest.Sound(t, report)
	}
	for name, more := range map[string]string{
		"axis with angles":          `<link name="c">` + inertial + `</link><joint name="k" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 1" rpy="0 0.1 0"/></joint>`,
		"both halves of an inertia": `<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1" iyx="0.11" ixz="0" iyz="0"/></inertial></link>` + `<joint name="k" type="floating"><parent link="a"/><child link="c"/></joint>`,
		"a negative mass":           `<link name="c"><inertial><mass value="-1e-5"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link><joint name="k" type="revolute"><parent link="a"/><child link="c"/></joint>`,
	} {
		_, _, err := from(arm(more), "", source.Options{Strict: true})
		require.Error(t, err, name)
	}
}

// TestMasslessEnd: dampers of joints behind which there is no mass are told as dropped, in whatever order the joints stand.
func TestMasslessEnd(t *testing.T) {
	const links = `<link name="c"/><link name="d"/>`
	one := `<joint name="k" type="revolute"><parent link="a"/><child link="c"/><axis xyz="1 0 0"/><dynamics damping="2"/></joint>`
	two := `<joint name="l" type="revolute"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/><dynamics damping="1"/></joint>`
	for _, joints := range []string{one + two, two + one} {
		m, report, err := from(arm(links+joints), "", source.Options{})
		require.NoError(t, err)
		formatstest.Sound(t, report)
		assert.Len(t, m.Bodies, 2)
		assert.Equal(t, 2, report.Dropped(), joints)
		_, _, err = from(arm(links+joints), "", source.Options{Strict: true})
		require.ErrorContains(t, err, "its link has no mass and is left out", joints)
	}
}

// TestManyTurns: a coordinate of more turns than can be counted is refused with its own value.
func TestManyTurns(t *testing.T) {
	more := `<link name="c">` + inertial + `</link><joint name="k" type="continuous"><parent link="a"/><child link="c"/></joint>`
	_, _, err := from(arm(more), "", source.Options{Pose: map[string]float64{"k": 1e25}})
	require.ErrorContains(t, err, "1e+25 rad are more turns than can be counted")
}

// TestLostLimits: the count of what is dropped has what a line below says.
func TestLostLimits(t *testing.T) {
	for name, c := range map[string]struct {
		more string
		lost int // attributes and elements
	}{
		"limits":   {`<link name="c">` + inertial + `</link><joint name="k" type="revolute"><parent link="a"/><child link="c"/><limit lower="1" upper="1" effort="3"/></joint>`, 2},
		"effort":   {`<link name="c">` + inertial + `</link><joint name="k" type="revolute"><parent link="a"/><child link="c"/><limit effort="-3"/></joint>`, 1},
		"massless": {`<link name="c"/><joint name="k" type="revolute"><parent link="a"/><child link="c"/><dynamics damping="2"/></joint>`, 1},
		"balls":    {`<link name="c"/><link name="d">` + inertial + `</link><joint name="k" type="spherical"><parent link="a"/><child link="c"/><dynamics damping="2"/></joint><joint name="l" type="spherical"><parent link="c"/><child link="d"/><origin xyz="0 0 1"/></joint>`, 1},
		"gazebo":   {`<gazebo><joint name="k" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz><limit><lower>2</lower><upper>1</upper></limit></axis></joint></gazebo>`, 3},
	} {
		_, report, err := from(arm(c.more), "", source.Options{})
		require.NoError(t, err, name)
		formatstest.Sound(t, report)
		assert.Equal(t, 1, report.Dropped(), name)
		assert.Equal(t, c.lost, report.Counts.Dropped, name)
	}
}
