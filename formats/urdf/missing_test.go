package urdf_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// TestMissingValues: a number without a default that an element lacks is an error, and reads as none.
func TestMissingValues(t *testing.T) {
	const link = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>`
	const robot = `<robot name="r" xmlns:drake="d"><link name="a">` + link + `<link name="b">` + link + `<link name="c">` + link +
		`<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>` +
		`<joint name="k" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/></joint>`
	const spring = `<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="b"/><drake:linear_spring_damper_body_B name="c"/>` +
		`<drake:linear_spring_damper_stiffness value="2"/><drake:linear_spring_damper_damping value="2"/><drake:linear_spring_damper_free_length value="2"/></drake:linear_spring_damper>`
	for element, text := range map[string]string{
		"ratio":               `<coupling name="l"><ratio value="2"/><predecessor link="b"/><successor link="c"/></coupling>`,
		"drake:gear_ratio":    `<transmission><joint name="j"/><actuator><drake:rotor_inertia value="2"/><drake:gear_ratio value="2"/></actuator></transmission>`,
		"drake:rotor_inertia": `<transmission><joint name="j"/><actuator><drake:rotor_inertia value="2"/></actuator></transmission>`,
		"drake:screw_thread_pitch": `<drake:joint name="l" type="screw"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>` +
			`<drake:screw_thread_pitch value="2"/></drake:joint>`,
		"drake:linear_spring_damper_stiffness": spring, "drake:linear_spring_damper_free_length": spring, "drake:linear_spring_damper_damping": spring,
		"drake:linear_spring_damper_p_AP": strings.Replace(spring, `</drake:linear_spring_damper>`, `<drake:linear_spring_damper_p_AP value="2"/></drake:linear_spring_damper>`, 1),
	} {
		full := strings.Replace(text, `p_AP value="2"`, `p_AP value="2 0 0"`, 1)
		_, _, err := from(robot+full+`</robot>`, "", source.Options{})
		require.NoError(t, err, element)
		_, _, err = from(robot+strings.Replace(text, "<"+element+` value="2"/>`, "<"+element+"/>", 1)+`</robot>`, "", source.Options{})
		require.ErrorContains(t, err, `attribute "value"`, element)
		require.ErrorContains(t, err, "is missing", element)
	}
}
