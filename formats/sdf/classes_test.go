package sdf_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/spatial"
)

// TestClasses walks the list of elements and attributes of the format.
func TestClasses(t *testing.T) {
	const model = `<model name="m"><link name="a"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>` +
		`<link name="b"/><link name="c"/>` +
		`<joint name="j" type="%s"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>` +
		`<joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint></model>`
	base := func(path string) string {
		version, kind, text := "1.12", "universal", model
		switch name := path[strings.LastIndex(path, "/")+1:]; {
		case name == "use_parent_model_frame":
			version = "1.6"
		case strings.HasSuffix(name, "thread_pitch"):
			kind = "screw"
		case strings.HasPrefix(name, "gearbox"):
			kind = "gearbox"
		}
		if strings.Contains(path, "/axis2/mimic") {
			kind = "universal"
		}
		put := func(in, before, what string) {
			if strings.Contains(path, in) {
				text = strings.Replace(text, before, what+before, 1)
			}
		}
		put("model/include/", "</model>", `<include><uri>part</uri></include>`)
		put("sdf/world/include/", "<model", `<include><uri>part</uri></include>`)
		put("/axis/mimic/", "</axis>", `<mimic joint="k" axis="axis"/>`)
		put("/axis2/mimic/", "</axis2>", `<mimic joint="k" axis="axis"/>`)
		put("/gearbox", "</joint>", `<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>c</gearbox_reference_body>`)
		if strings.Contains(path, "/gearbox") {
			text = strings.ReplaceAll(text, "0 1 0", "0 0 1")
		}
		put("/gearbox", "</model>", `<joint name="l" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>`)
		put("/drake:joint/", "</model>", `<drake:joint name="p" type="planar"><drake:parent>a</drake:parent><drake:child>b</drake:child></drake:joint>`)
		if strings.HasPrefix(path, "sdf/world/physics") {
			version = "1.4"
		}
		if strings.HasPrefix(path, "sdf/world") {
			text = `<world name="w"><frame name="a"/>` + text + "</world>"
		}
		return `<sdf version="` + version + `">` + fmt.Sprintf(text, kind) + "</sdf>"
	}
	values := map[string]string{
		"pose": "0 0 0 0 0 0", "xyz": "0 0 1", "parent": "a", "child": "b", "gravity": "0 0 -9", "uri": "part", "name": "x", "static": "false",
		"@name": "x", "@type": "fixed", "@relative_to": "a", "@rotation_format": "euler_rpy", "@degrees": "false", "@attached_to": "a", "@canonical_link": "a",
		"@placement_frame": "a", "placement_frame": "l", "@merge": "false", "@joint": "k", "@axis": "axis", "@expressed_in": "a", "@frame": "", "ixx": "2", "iyy": "2", "izz": "2",
		"ixy": "0.1", "ixz": "0.1", "iyz": "0.1", "lower": "-1", "enable_wind": "false", "self_collide": "false", "kinematic": "false", "must_be_base_link": "false",
		"use_parent_model_frame": "false", "@auto": "false", "@version": "1.12", "gearbox_reference_body": "c",
	}
	part := fstest.MapFS{"part/model.sdf": {Data: []byte(`<sdf version="1.12"><model name="p"><link name="l"/></model></sdf>`)}}
	formatstest.Classes(t, "testdata/classes.txt", base, values, func(doc []byte, o *source.Options) *source.Report {
		files := fstest.MapFS{"main.sdf": {Data: doc}}
		for name, f := range part {
			files[name] = f
		}
		_, report, _ := sdf.Read(source.NewFiles(files, nil), source.Name{Path: "main.sdf"}, o)
		return report
	})
}

// TestOldGravity: before 1.6 gravity belongs to the settings of the
// solver, the default ones if there are several.
func TestOldGravity(t *testing.T) {
	read := func(version, inside string) spatial.Vec3 {
		files := fstest.MapFS{"main.sdf": {Data: []byte(`<sdf version="` + version + `"><world name="w">` + inside + `<model name="m"><link name="a"/></model></world></sdf>`)}}
		r, _, err := sdf.Read(source.NewFiles(files, nil), source.Name{Path: "main.sdf"}, &source.Options{})
		require.NoError(t, err)
		return r.Model.Gravity
	}
	const one = `<physics type="ode"><gravity>0 0 -1.5</gravity></physics>`
	require.Equal(t, spatial.Vec3{0, 0, -1.5}, read("1.4", one))
	require.Equal(t, spatial.Vec3{0, 0, -1.5}, read("1.5", one+`<physics type="ode"><gravity>0 0 -2</gravity></physics>`))
	require.Equal(t, spatial.Vec3{0, 0, -2}, read("1.5", one+`<physics type="ode" default="1"><gravity>0 0 -2</gravity></physics>`))
	require.Equal(t, spatial.Vec3{0, 0, -3}, read("1.5", one+`<gravity>0 0 -3</gravity>`))
	require.Equal(t, spatial.Vec3{0, 0, -9.8}, read("1.6", one))
}
