package mjcf_test

import (
	"strings"
	"testing"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestClasses walks the list of elements and attributes of the format.
func TestClasses(t *testing.T) {
	const mass = `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>`
	base := func(element string) string {
		main, free, equality, tendon := `<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>`, "", "", ""
		switch name := element[strings.LastIndex(element, "/")+1:]; {
		case name == "freejoint":
			free = `<body name="f"><freejoint/>` + mass + `</body>`
		case strings.Contains(element, "/geom"):
			main = ""
		case strings.HasPrefix(element, "mujoco/equality/"):
			switch name {
			case "connect":
				equality = `<connect body1="b" body2="c" anchor="0 0 0"/>`
			case "weld":
				equality = `<weld body1="b" body2="c"/>`
			case "joint":
				equality = `<joint joint1="j" joint2="k"/>`
			case "tendon":
				equality = `<tendon tendon1="t" tendon2="u"/>`
			}
		}
		if strings.Contains(element, "tendon") {
			tendon = `<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed><fixed name="u"><joint joint="k" coef="1"/></fixed></tendon>`
		}
		if strings.Contains(element, "tendon/spatial") {
			tendon = `<tendon><spatial name="t" stiffness="3"><site site="s1"/><site site="s2"/></spatial></tendon>`
		}
		body := `<body name="b"><joint name="j" axis="0 1 0"/>` + main + `<geom size="0.1"/><site name="s1"/><body name="c"><joint name="k" axis="0 1 0"/>` + mass + `<site name="s2" pos="1 0 0"/></body></body>`
		if free != "" {
			body = free
			body = strings.Replace(body, `name="f"`, `name="b"`, 1)
		}
		text := `<mujoco><default><joint/></default><asset><mesh name="x" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 3 2 0 1 3 1 2 3"/></asset><worldbody>` + body + `</worldbody>` + tendon
		if equality != "" {
			text += `<equality>` + equality + `</equality>`
		}
		return text + `</mujoco>`
	}
	values := map[string]string{
		"@type": "ball", "geom@type": "box", "site@type": "box", "flag@frictionloss": "enable", "flag@gravity": "disable", "texture@type": "2d", "light@type": "spot", "@quat": "1 0 0 0", "@axisangle": "0 0 1 0.3", "@euler": "1 2 3", "@xyaxes": "1 0 0 0 1 0", "@zaxis": "0 0 1", "@pos": "0 0 0", "@axis": "0 0 1", "@range": "-1 1",
		"@limited": "true", "@actuatorfrcrange": "-1 1", "@actuatorfrclimited": "true", "@fromto": "0 0 0 0 0 1", "@size": "0.1 0.1 0.1", "@diaginertia": "1 1 1", "@fullinertia": "1 1 1 0 0 0",
		"@name": "x", "@class": "main", "@childclass": "main", "@gravity": "0 0 -9", "@wind": "0 0 0", "@mesh": "x", "@anchor": "0 0 0", "@relpose": "0 0 0 1 0 0 0", "@body1": "b", "@body2": "c",
		"@site1": "s1", "@site2": "s2", "@joint1": "j", "@joint2": "k", "@polycoef": "0 1 0 0 0", "@tendon1": "t", "@tendon2": "u", "@springlength": "1", "@angle": "radian", "@eulerseq": "XYZ",
		"@autolimits": "true", "@balanceinertia": "true", "@strippath": "true", "@coordinate": "local", "@inertiafromgeom": "auto", "@inertiagrouprange": "0 5", "@alignfree": "false", "@fusestatic": "true",
		"@exactmeshinertia": "true", "@active": "true", "@shellinertia": "true", "@mocap": "false", "@vertex": "0 0 0 1 0 0 0 1 0 0 0 1", "@face": "0 2 1 0 3 2 0 1 3 1 2 3", "@refpos": "0 0 0",
		"@refquat": "1 0 0 0", "@scale": "1 1 1", "@inertia": "exact", "@file": "part/x.xml", "@rgba": "1 1 1 1", "@springdamper": "0 0", "@constraint": "enable", "@equality": "enable", "@frictionloss": "1",
		"@limit": "enable", "@passive": "enable", "@spring": "enable", "@damper": "enable", "@joint": "j", "@site": "s1", "@geom": "x", "@material": "x", "@meshdir": "d", "@assetdir": "d",
	}
	formatstest.Classes(t, "testdata/classes.txt", base, values, func(doc []byte, o *source.Options) *source.Report {
		_, report, _ := from(map[string]string{"main.xml": string(doc), "part/x.xml": "<x/>"}, *o)
		return report
	})
}
