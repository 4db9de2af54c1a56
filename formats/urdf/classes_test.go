package urdf_test

import (
	"strings"
	"testing"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestClasses walks the list of elements and attributes of the format and its dialects.
func TestClasses(t *testing.T) {
	const mass = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>`
	const robot = `<link name="a">` + mass + `</link><link name="b">` + mass + `</link><link name="c">` + mass + `</link>` +
		`<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>` +
		`<joint name="k" type="prismatic"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/></joint><frame name="p" link="a"/><frame name="q" link="b"/>`
	base := func(of string) string {
		text := robot
		for _, part := range [][2]string{
			{"robot/loop_joint", `<loop_joint name="l" type="revolute"><link1 link="b"/><link2 link="c"/></loop_joint>`},
			{"robot/loop", `<loop name="l" type="revolute"><predecessor link="b"/><successor link="c"/></loop>`},
			{"robot/coupling", `<coupling name="l" ratio="2"><predecessor link="b"/><successor link="c"/></coupling>`},
			{"robot/gazebo/joint", `<gazebo><joint name="l" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint></gazebo>`},
			{"robot/drake:joint", `<drake:joint name="l" type="universal"><parent link="b"/><child link="d"/></drake:joint><link name="d">` + mass + `</link>`},
			{"robot/drake:ball_constraint", `<drake:ball_constraint><drake:ball_constraint_body_A name="b"/><drake:ball_constraint_body_B name="c"/><drake:ball_constraint_p_AP value="0 0 1"/></drake:ball_constraint>`},
			{"robot/drake:linear_bushing_rpy", `<drake:linear_bushing_rpy><drake:bushing_frameA name="p"/><drake:bushing_frameC name="q"/></drake:linear_bushing_rpy>`},
		} {
			if of == part[0] || strings.HasPrefix(of, part[0]+"/") {
				text += part[1]
			}
		}
		if strings.HasPrefix(of, "robot/loop_joint/parent") || strings.HasPrefix(of, "robot/loop_joint/child") {
			text = robot + `<loop_joint name="l" type="revolute"><parent link="b"/><child link="c"/></loop_joint>`
		}
		if of == "robot/joint/mimic" {
			text = strings.Replace(text, "</joint>", `<mimic joint="k"/></joint>`, 1)
		}
		if strings.Contains(of, "thread_pitch") {
			text = strings.Replace(strings.Replace(text, `name="j" type="revolute"`, `name="j" type="screw"`, 1), `name="l" type="revolute"`, `name="l" type="screw"`, 1)
		}
		return `<robot name="r" xmlns:drake="d">` + text + `</robot>`
	}
	values := map[string]string{
		"@name": "x", "@xyz": "0 0 1", "@rpy": "0 0 0", "@type": "continuous", "@link": "b", "child@link": "b", "parent@link": "a", "successor@link": "c", "link2@link": "c", "axis@frame": "parent", "@joint": "k", "@reference": "b",
		"@size": "1 1 1", "@ixx": "1", "@quat_xyzw": "0 0 0 1", "@scale": "1 1 1", "@filename": "x.stl", "@rgba": "1 1 1 1", "@upper": "2", "@lower": "-1",
		"loop_joint@type": "revolute", "loop@type": "revolute", "parent": "b", "child": "c", "pose": "0 0 0 0 0 0", "xyz": "0 0 1", "@relative_to": "", "@degrees": "false", "@rotation_format": "euler_rpy", "@expressed_in": "",
		"use_parent_model_frame": "false", "static": "false", "lower": "-1", "drake:ball_constraint_p_AP@value": "0 0 1", "drake:ball_constraint_p_BQ@value": "0 0 1",
		"drake:ball_constraint_body_A@name": "b", "drake:ball_constraint_body_B@name": "c", "drake:bushing_frameA@name": "p", "drake:bushing_frameC@name": "q",
		"drake:bushing_torque_stiffness@value": "1 1 1", "drake:bushing_torque_damping@value": "1 1 1", "drake:bushing_force_stiffness@value": "1 1 1", "drake:bushing_force_damping@value": "1 1 1",
		"turnGravityOff@value": "false", "gravity@value": "true", "@balanceinertia": "false", "@version": "1.0",
	}
	formatstest.Classes(t, "testdata/classes.txt", base, values, func(doc []byte, o *source.Options) *source.Report {
		_, report, _ := from(string(doc), "", *o)
		return report
	})
}
