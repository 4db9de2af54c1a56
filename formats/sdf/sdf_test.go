package sdf_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// tol is rounding of a few rotations.
const tol = 1e-14

// read reads a document called main.sdf, with other files beside it, after the name of each.
func read(text string, o source.Options, more ...string) (*source.Result, *source.Report, error) {
	root, box := fstest.MapFS{"main.sdf": {Data: []byte(text)}}, fstest.MapFS{}
	for i := 0; i < len(more); i += 2 {
		if name, ok := strings.CutPrefix(more[i], "box:"); ok {
			box[name] = &fstest.MapFile{Data: []byte(more[i+1])}
		} else {
			root[more[i]] = &fstest.MapFile{Data: []byte(more[i+1])}
		}
	}
	return sdf.Read(source.NewFiles(root, map[string]fs.FS{"box": box}), source.Name{Path: "main.sdf"}, &o)
}

// model17 returns a document with one model.
func model17(contents string) string {
	return `<sdf version="1.7"><model name="m">` + contents + `</model></sdf>`
}

const inertial = `<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1.25</iyy><izz>1.5</izz></inertia></inertial>`

// must reads a document that has no errors.
func must(t *testing.T, text string, more ...string) *model.Model {
	t.Helper()
	r, _, err := read(text, source.Options{}, more...)
	require.NoError(t, err)
	require.NoError(t, model.Check(r.Model))
	return r.Model
}

func body(t *testing.T, m *model.Model, name string) *model.Body {
	t.Helper()
	for i := range m.Bodies {
		if m.Bodies[i].Name == name {
			return &m.Bodies[i]
		}
	}
	require.Fail(t, "no body "+name)
	return nil
}

// at compares the pose of a body with x y z and angles about fixed axes.
func at(t *testing.T, b *model.Body, p ...float64) {
	t.Helper()
	check.CloseVec(t, b.Pose.Position[:], p[:3], tol, 10, "position of %s", b.Name)
	E := spatial.Quat(b.Pose.Orientation).Mat()
	W := assembly.RollPitchYaw(p[3], p[4], p[5]).Mat()
	check.CloseVec(t, E[:], W[:], tol, 1, "orientation of %s", b.Name)
}

// TestFrames: poses in other frames, of links, joints, frames and nested models, in any order.
func TestFrames(t *testing.T) {
	m := must(t, model17(`
		<pose>1 0 0 0 0 1.5707963267948966</pose>
		<link name="b"><pose relative_to="f">0 0 1 0 0 0</pose>`+inertial+`</link>
		<frame name="f" attached_to="a"><pose>2 0 0 0 0 0</pose></frame>
		<frame name="g"><pose relative_to="j">0 5 0 0 0 0</pose></frame>
		<link name="a"><pose>0 3 0 0 0 0</pose>`+inertial+`</link>
		<joint name="j" type="revolute"><pose>0 0 -1 0 0 0</pose><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
		<model name="n" placement_frame="c::corner"><pose relative_to="b">0 0 0 0 0 0</pose>
			<model name="c"><pose>0 0 7 0 0 0</pose><link name="l">`+inertial+`</link><frame name="corner"><pose>1 1 1 0 0 0</pose></frame></model>
		</model>
		<link name="q"><pose rotation_format="quat_xyzw" relative_to="__model__">0 0 0 0 0 0.6 0.8</pose>`+inertial+`</link>
		<link name="d"><pose degrees="true" relative_to="n::c::l">0 0 0 90 0 0</pose>`+inertial+`</link>`))
	quarter := math.Pi / 2
	at(t, body(t, m, "a"), -2, 0, 0, 0, 0, quarter)
	at(t, body(t, m, "b"), -2, 2, 1, 0, 0, quarter)
	at(t, body(t, m, "n::c::l"), -1, 1, 0, 0, 0, quarter)
	at(t, body(t, m, "q"), 1, 0, 0, 0, 0, quarter+2*math.Asin(0.6))
	at(t, body(t, m, "d"), -1, 1, 0, quarter, 0, quarter)
	var g *model.Frame
	for i := range m.Frames {
		if m.Frames[i].Name == "g" {
			g = &m.Frames[i]
		}
	}
	require.NotNil(t, g)
	assert.Equal(t, "b", g.Body, "the canonical link is the first")
	check.CloseVec(t, g.Pose.Position[:], []float64{0, 5, -1}, tol, 5, "frame g")
	require.Len(t, m.Joints, 1)
	check.CloseVec(t, m.Joints[0].PredecessorFrame.Position[:], []float64{2, 0, 0}, tol, 2, "P")
	check.CloseVec(t, m.Joints[0].SuccessorFrame.Position[:], []float64{0, 0, -1}, tol, 1, "S")
}

// axisOf returns the z axis of a joint's successor frame in the world.
func axisOf(t *testing.T, m *model.Model, j *model.Joint) spatial.Vec3 {
	t.Helper()
	b := body(t, m, j.Successor)
	return spatial.Quat(b.Pose.Orientation).Rotate(spatial.Quat(j.SuccessorFrame.Orientation).Rotate(spatial.Vec3{0, 0, 1}))
}

// TestAxes: axes are in the joint's frame, in others, and by the rules of old versions in the model's frame.
func TestAxes(t *testing.T) {
	text := func(version, axis string) string {
		return `<sdf version="` + version + `"><model name="m"><pose>0 0 0 0 0 1.5707963267948966</pose><link name="a"><pose>0 0 0 1.5707963267948966 0 0</pose>` + inertial +
			`</link><joint name="j" type="revolute"><pose>0 0 0 0 1.5707963267948966 0</pose><parent>world</parent><child>a</child><axis>` + axis + `</axis></joint></model></sdf>`
	}
	// World axes of the model: x = y, y = −x, z = z; of the link: x =
	// y, y = z, z = x; of the joint: x = −x, y = z, z = y.
	for _, c := range []struct {
		version, axis string
		want          spatial.Vec3
	}{
		{"1.7", `<xyz>0 0 3</xyz>`, spatial.Vec3{0, 1, 0}},
		{"1.7", `<xyz>0 2 0</xyz>`, spatial.Vec3{0, 0, 1}},
		{"1.12", `<xyz expressed_in="__model__">0 1 0</xyz>`, spatial.Vec3{-1, 0, 0}},
		{"1.12", `<xyz expressed_in="a">0 1 0</xyz>`, spatial.Vec3{0, 0, 1}},
		{"1.6", `<xyz>0 0 1</xyz>`, spatial.Vec3{0, 1, 0}},
		{"1.6", `<xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>`, spatial.Vec3{-1, 0, 0}},
		{"1.4", `<xyz>0 1 0</xyz>`, spatial.Vec3{-1, 0, 0}},
		{"1.4", `<xyz>0 0 1</xyz><use_parent_model_frame>false</use_parent_model_frame>`, spatial.Vec3{0, 1, 0}},
		{"1.7", ``, spatial.Vec3{0, 1, 0}},
	} {
		m := must(t, text(c.version, c.axis))
		got := axisOf(t, m, &m.Joints[0])
		check.CloseVec(t, got[:], c.want[:], tol, 1, "%s %s", c.version, c.axis)
	}
}

// joints17 is a chain of two links with a joint between them.
func joints17(joint string) string {
	return model17(`<link name="a">` + inertial + `</link><link name="b"><pose>1 0 0 0 0 0</pose>` + inertial + `</link>` + joint)
}

// TestJoints: what the types become.
func TestJoints(t *testing.T) {
	ends := `<parent>a</parent><child>b</child>`
	for _, c := range []struct {
		joint string
		kind  model.JointType
		pitch float64
	}{
		{`type="continuous">` + ends + `<axis/>`, model.Revolute, 0},
		{`type="prismatic">` + ends + `<axis><xyz>1 1 0</xyz></axis>`, model.Prismatic, 0},
		{`type="ball">` + ends, model.Spherical, 0},
		{`type="universal">` + ends + `<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>`, model.Universal, 0},
		{`type="revolute2">` + ends + `<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>`, model.Universal, 0},
		{`type="revolute2">` + ends + `<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 1</xyz></axis2>`, model.Composite, 0},
		{`type="screw">` + ends + `<axis/><screw_thread_pitch>0.01</screw_thread_pitch>`, model.Helical, 0.01 / (2 * math.Pi)},
		{`type="screw">` + ends + `<axis/><thread_pitch>50</thread_pitch>`, model.Helical, -1. / 50},
		{`type="screw">` + ends + `<axis/><thread_pitch>50</thread_pitch><screw_thread_pitch>-1</screw_thread_pitch>`, model.Helical, -1 / (2 * math.Pi)},
		{`type="screw">` + ends + `<axis/>`, model.Helical, 1 / (2 * math.Pi)},
	} {
		m := must(t, joints17(`<joint name="j" `+c.joint+`</joint>`))
		require.Len(t, m.Joints, 1, c.joint)
		assert.Equal(t, c.kind, m.Joints[0].Type, c.joint)
		assert.InDelta(t, c.pitch, m.Joints[0].Pitch, tol, c.joint)
		assert.Equal(t, "a", m.Joints[0].Predecessor)
	}
	m := must(t, joints17(`<joint name="j" type="revolute">`+ends+`<axis><xyz>0 1 0</xyz><dynamics><damping>0.1</damping><spring_stiffness>3</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>
		<limit><lower>-1</lower><upper>1e16</upper><effort>7</effort><velocity>-1</velocity></limit></axis></joint>`))
	j := m.Joints[0]
	assert.Equal(t, [3]float64{0.1, 3, 0.2}, [3]float64{j.Damping[0], j.Stiffness[0], j.Rest[0]})
	assert.Equal(t, model.Limit{Lower: -1, Upper: math.Inf(1), Force: 7}, *j.Limits[0])
	m = must(t, joints17(`<joint name="j" type="fixed">`+ends+`</joint>`))
	require.Len(t, m.Bodies, 1)
	assert.Equal(t, 4.0, m.Bodies[0].Mass)
	assert.Equal(t, [3]float64{0.5}, m.Bodies[0].Com)
	assert.Equal(t, "b", m.Frames[0].Name)
}

// TestPose: coordinates move what hangs on a joint.
func TestPose(t *testing.T) {
	r, _, err := read(joints17(`<joint name="j" type="revolute"><parent>a</parent><child>b</child><pose>-1 0 0 0 0 0</pose><axis/></joint>`),
		source.Options{Pose: map[string]float64{"j": math.Pi / 2}})
	require.NoError(t, err)
	at(t, body(t, r.Model, "b"), 0, 1, 0, 0, 0, math.Pi/2)
}

// TestInertia: stated masses and inertias of links, and defaults.
func TestInertia(t *testing.T) {
	m := must(t, model17(`<link name="a"/><link name="b"><inertial><pose>1 2 3 0 0 1.5707963267948966</pose><mass>3</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia></inertial></link>`))
	assert.Equal(t, 1.0, m.Bodies[0].Mass)
	assert.Equal(t, model.Inertia{XX: 1, YY: 1, ZZ: 1}, m.Bodies[0].Inertia)
	I := m.Bodies[1].Inertia
	check.CloseVec(t, []float64{I.XX, I.YY, I.ZZ, I.XY}, []float64{2, 1, 2.5, -0.1}, tol, 1, "turned")
	assert.Equal(t, [3]float64{1, 2, 3}, m.Bodies[1].Com)

	// Each shape against the same one as fine slices along its axis, on which the mass is summed.
	slices := func(lo, hi float64, area, xx, yy func(z float64) float64) (mass, com, Ixx, Iyy, Izz float64) {
		const n = 20000
		for k := range n {
			z, h := lo+(hi-lo)*(float64(k)+0.5)/n, (hi-lo)/n
			dm := 1000 * area(z) * h
			mass, com = mass+dm, com+dm*z
			Ixx, Iyy, Izz = Ixx+dm*(yy(z)+z*z), Iyy+dm*(xx(z)+z*z), Izz+dm*(xx(z)+yy(z))
		}
		com /= mass
		return mass, com, Ixx - mass*com*com, Iyy - mass*com*com, Izz
	}
	disc := func(r func(z float64) float64) (area, xx func(z float64) float64) {
		return func(z float64) float64 { return math.Pi * r(z) * r(z) }, func(z float64) float64 { return r(z) * r(z) / 4 }
	}
	ball := func(a float64) func(z float64) float64 {
		return func(z float64) float64 { return math.Sqrt(max(0, a*a-z*z)) }
	}
	for geometry, c := range map[string]struct {
		lo, hi float64
		r      func(z float64) float64
		wide   float64 // of y against x
	}{
		`<sphere><radius>0.3</radius></sphere>`:                                        {-0.3, 0.3, ball(0.3), 1},
		`<cylinder><radius>0.3</radius><length>0.8</length></cylinder>`:                {-0.4, 0.4, func(float64) float64 { return 0.3 }, 1},
		`<capsule><radius>0.3</radius><length>0.8</length></capsule>`:                  {-0.7, 0.7, func(z float64) float64 { return ball(0.3)(max(0, math.Abs(z)-0.4)) }, 1},
		`<cone><radius>0.3</radius><length>0.8</length></cone>`:                        {-0.4, 0.4, func(z float64) float64 { return 0.3 * (0.4 - z) / 0.8 }, 1},
		`<ellipsoid><radii>0.3 0.6 0.5</radii></ellipsoid>`:                            {-0.5, 0.5, func(z float64) float64 { return 0.3 * ball(1)(z/0.5) }, 2},
		`<mesh><uri>cube.obj</uri><scale>0.5 1 0.25</scale></mesh>`:                    {-0.125, 0.125, nil, 0},
		`<box><size>0.5 1 0.25</size></box>`:                                           {-0.125, 0.125, nil, 0},
		`<mesh><uri>model://box/meshes/cube.obj</uri><scale>0.5 1 0.25</scale></mesh>`: {-0.125, 0.125, nil, 0},
	} {
		cube := "v -.5 -.5 -.5\nv .5 -.5 -.5\nv -.5 .5 -.5\nv .5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv -.5 .5 .5\nv .5 .5 .5\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
		m := must(t, strings.Replace(model17(`<link name="a"><inertial auto="true"/><collision name="c"><pose>0 0 2 0 0 0</pose><geometry>`+geometry+`</geometry></collision></link>`), "1.7", "1.11", 1),
			"cube.obj", cube, "box:meshes/cube.obj", cube)
		var area, xx, yy func(z float64) float64
		if c.r != nil {
			area, xx = disc(c.r)
			round := area
			area, yy = func(z float64) float64 { return c.wide * round(z) }, func(z float64) float64 { return c.wide * c.wide * xx(z) }
		} else {
			area, xx, yy = func(float64) float64 { return 0.5 }, func(float64) float64 { return 0.25 / 12 }, func(float64) float64 { return 1. / 12 }
		}
		mass, com, Ixx, Iyy, Izz := slices(c.lo, c.hi, area, xx, yy)
		b := &m.Bodies[0]
		assert.InEpsilon(t, mass, b.Mass, 1e-6, geometry)
		assert.InDelta(t, 2+com, b.Com[2], 1e-6, geometry)
		assert.InEpsilon(t, Ixx, b.Inertia.XX, 1e-6, geometry)
		assert.InEpsilon(t, Iyy, b.Inertia.YY, 1e-6, geometry)
		assert.InEpsilon(t, Izz, b.Inertia.ZZ, 1e-6, geometry)
	}
}

// TestGravity: links on which gravity does not act stay where they are, also as parts of others, and gravity is that of
// the options if they have one.
func TestGravity(t *testing.T) {
	text := `<sdf version="1.7"><world name="w"><gravity>0 0 -3</gravity><model name="m"><link name="a"><gravity>0</gravity>` + inertial + `</link>
		<link name="b">` + inertial + `</link></model></world></sdf>`
	for g, o := range map[float64]source.Options{-3: {}, -7: {Gravity: &[3]float64{0, 0, -7}}} {
		r, _, err := read(text, o)
		require.NoError(t, err)
		got, err := rung.Accelerate(r.Model, rung.Options{})
		require.NoError(t, err)
		assert.InDelta(t, 0, got.Bodies[0].ComAcceleration[2], tol)
		assert.InDelta(t, g, got.Bodies[1].ComAcceleration[2], tol)
		assert.Equal(t, "m::a", got.Bodies[0].Name)
	}
	assert.Equal(t, [3]float64{0, 0, -9.8}, must(t, model17(`<link name="a"/>`)).Gravity)
}

// TestIncludes: models of other files, merged or not, of other versions, static, by name.
func TestIncludes(t *testing.T) {
	arm := `<sdf version="1.4"><model name="arm"><pose>0 0 9 0 0 0</pose><link name="x"><pose>1 0 0 0 0 0</pose>` + inertial + `</link><link name="y">` + inertial + `</link>
		<joint name="j" type="revolute"><parent>x</parent><child>y</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>`
	config := `<model><name>box</name><sdf version="1.5">old.sdf</sdf><sdf version="1.9">new.sdf</sdf><sdf version="1.99">future.sdf</sdf></model>`
	m := must(t, `<sdf version="1.10"><world name="w"><include><uri>model://sun</uri></include><include><uri>https://fuel.gazebosim.org/1.0/OpenRobotics/models/Ground Plane</uri></include>
		<include><uri>parts/arm.sdf</uri></include>
		<include><uri>model://box</uri><name>second</name><pose>0 1 0 0 0 0</pose></include>
		<model name="host"><link name="base">`+inertial+`</link><include merge="true"><uri>parts/arm.sdf</uri><pose relative_to="base">0 5 0 0 0 0</pose></include>
		<joint name="k" type="fixed"><parent>base</parent><child>x</child></joint></model>
		<include><uri>parts</uri><static>true</static><name>post</name></include></world></sdf>`,
		"parts/arm.sdf", arm, "parts/model.sdf", arm, "box:model.config", config, "box:new.sdf", arm, "box:old.sdf", "no", "box:future.sdf", "no")
	at(t, body(t, m, "arm::x"), 1, 0, 9, 0, 0, 0)
	at(t, body(t, m, "second::x"), 1, 1, 0, 0, 0, 0)
	at(t, body(t, m, "host::y"), 0, 5, 0, 0, 0, 0)
	var names []string
	for i := range m.Joints {
		names = append(names, m.Joints[i].Name)
	}
	assert.Equal(t, []string{"arm::j", "second::j", "host::j"}, names)
	assert.Len(t, m.Bodies, 6)
}

// TestCouplings: gearboxes and mimics are equations between coordinates.
func TestCouplings(t *testing.T) {
	text := model17(`<link name="base">` + inertial + `</link><link name="a">` + inertial + `</link><link name="b"><pose>1 0 0 0 0 0</pose>` + inertial + `</link>
		<joint name="ja" type="revolute"><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
		<joint name="jb" type="revolute"><parent>base</parent><child>b</child><axis><xyz>0 0 -1</xyz>%s</axis></joint>%s`)
	gear := `<joint name="g" type="gearbox"><parent>a</parent><child>b</child><gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>
		<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>`
	m := must(t, fmt.Sprintf(text, "", gear))
	require.Len(t, m.Couplings, 1)
	// θb about +z is −q of jb: −qb + 3·qa = 0.
	assert.Equal(t, "g", m.Couplings[0].Name)
	ratio := map[string]float64{}
	for _, term := range m.Couplings[0].Terms {
		ratio[term.Joint] = term.Factor
	}
	assert.InDelta(t, -3, ratio["ja"]/ratio["jb"], tol)

	// A hinge from the other side, behind one about another axis, turns the other way.
	turned := strings.Replace(text, "<parent>base</parent><child>a</child>", "<parent>a</parent><child>base</child>", 1)
	m = must(t, fmt.Sprintf(strings.Replace(turned, `<joint name="ja"`, `<joint name="across" type="revolute"><parent>a</parent><child>base</child><axis><xyz>1 0 0</xyz></axis></joint>
		<joint name="ja"`, 1), "", gear))
	ratio = map[string]float64{}
	for _, term := range m.Couplings[0].Terms {
		ratio[term.Joint] = term.Factor
	}
	assert.InDelta(t, 3, ratio["ja"]/ratio["jb"], tol)

	for _, c := range [][3]string{
		{"<gearbox_ratio>3<", "<gearbox_ratio>0<", "its gearbox_ratio is zero"},
		{"<gearbox_ratio>3<", "<gearbox_ratio>nan<", `"nan" is not a number`},
		{"<gearbox_reference_body>base<", "<gearbox_reference_body>c<", `"c" is no frame here`},
		{"<axis><xyz>0 0 1<", "<axis><xyz>0 1 0<", "do not turn against the reference body"},
	} {
		require.Contains(t, gear, c[0])
		_, _, err := read(fmt.Sprintf(text, "", strings.Replace(gear, c[0], c[1], 1)), source.Options{})
		require.ErrorContains(t, err, c[2])
	}
	_, _, err := read(fmt.Sprintf(text, `<mimic joint="jb" axis="axis"/>`, ""), source.Options{})
	require.ErrorContains(t, err, "a coordinate cannot mimic itself")
	_, report, err := read(fmt.Sprintf(text, "", strings.Replace(gear, "<gearbox_ratio>3</gearbox_ratio>", "", 1)), source.Options{})
	require.NoError(t, err)
	said := ""
	for i := range report.Entries {
		said += report.Entries[i].String()
	}
	require.Contains(t, said, "does not say its gearbox_ratio")

	m = must(t, fmt.Sprintf(text, `<mimic joint="ja" axis="axis"><multiplier>2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>`, ""))
	require.Len(t, m.Couplings, 1)
	assert.InDelta(t, 0, m.Couplings[0].Offset, tol) // 0.5 − 2·0.25
}

// TestPlugins: plugins that hold links together do, others are ignored.
func TestPlugins(t *testing.T) {
	m := must(t, `<sdf version="1.9"><world name="w"><model name="m"><link name="a">`+inertial+`</link>
		<plugin filename="gz-sim-detachable-joint-system" name="gz::sim::systems::DetachableJoint"><parent_link>a</parent_link><child_model>n</child_model><child_link>b</child_link></plugin>
		<plugin filename="libgz_attach_links.so" name="gz_attach_links::X"><parent>a</parent><child>n::c</child></plugin><plugin filename="x" name="y"/></model>
		<model name="n"><link name="b">`+inertial+`</link><link name="c">`+inertial+`</link></model></world></sdf>`)
	require.Len(t, m.Bodies, 1)
	assert.Equal(t, 6.0, m.Bodies[0].Mass)
}

// TestRefused: what is wrong is said with its place, on a line each.
func TestRefused(t *testing.T) {
	ends := `<parent>a</parent><child>b</child>`
	solid := func(geometry string) string {
		return model17(`<link name="a"><inertial auto="1"/><collision name="c"><geometry>` + geometry + `</geometry></collision></link>`)
	}
	deep := strings.Repeat(`<model name="m"><link name="l"/>`, 40) + strings.Repeat(`</model>`, 40)
	var chain strings.Builder
	chain.WriteString(`<link name="a"/>`)
	for k := range 20_000 {
		fmt.Fprintf(&chain, `<frame name="f%d"><pose relative_to="f%d"/></frame>`, k, k+1)
	}
	for _, c := range []struct{ text, message string }{
		{`<robot/>`, `the root element is "robot"`},
		{`<sdf version="1.3"/>`, `version "1.3" is not read; 1.4 to 1.12 are`},
		{`<sdf version="2.0"/>`, `version "2.0" is not read`},
		{`<sdf version="1.+7"/>`, `version "1.+7" is not read`},
		{`<sdf version="1.07"/>`, `version "1.07" is not read`},
		{`<sdf version="1.7.0"/>`, `version "1.7.0" is not read`},
		{`<sdf version="1.-7"/>`, `version "1.-7" is not read`},
		{`<sdf version="1.7"/>`, "has neither a model nor a world"},
		{`<sdf version="1.7"><world name="a"/><world name="b"/></sdf>`, "has a world and something beside it"},
		{`<sdf version="1.7"><%= x %></sdf>`, "run erb first"},
		{`<!DOCTYPE a [<!ENTITY b "c">]><sdf version="1.7"/>`, "entities are not read"},
		{model17(`<link name="a"/><link name="a"/>`), `"a": is that of something else`},
		{model17(`<link name="world"/>`), `"world": is empty or reserved`},
		{model17(`<link name="a::b"/>`), "is empty or reserved"},
		{model17(`<link/>`), "is empty or reserved"},
		{model17(`<link name="a"><pose>1 2 3</pose></link>`), "has 3 numbers in place of 6"},
		{model17(`<link name="a"><pose>1 2 3 4 5 nan</pose></link>`), "is not a number"},
		{model17(`<link name="a"><pose rotation_format="quat_xyzw">1 2 3 0 0 0 0</pose></link>`), "its quaternion is zero"},
		{model17(`<link name="a"><pose rotation_format="x">1 2 3 0 0 0</pose></link>`), "neither euler_rpy nor quat_xyzw"},
		{model17(`<link name="a"><pose relative_to="b"/></link>`), `relative to "b", which is no frame here`},
		{model17(`<link name="a"><pose relative_to="f"/></link><frame name="f" attached_to="a"/>`), "is relative to itself"},
		{model17(`<link name="a"/><frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>`), "itself, by way of others"},
		{model17(chain.String()), "more than 10000 in a row"},
		{strings.Replace(model17(`<link name="a"><pose frame="b">0 0 0 0 0 0</pose></link>`), "1.7", "1.6", 1), "no program ever read it"},
		{strings.Replace(model17(`<link name="a"/>`), `name="m"`, `name="m" canonical_link="b"`, 1) + "", ""},
		{model17(`<model name="n" placement_frame="x"><link name="a"/></model>`), `placement frame "x": is no frame of "n"`},
		{joints17(`<joint name="j" type="hinge">` + ends + `</joint>`), `"hinge" is no type of a joint`},
		{joints17(`<joint name="j" type="revolute"><child>b</child><axis/></joint>`), "names no parent"},
		{joints17(`<joint name="j" type="revolute"><parent>c</parent><child>b</child><axis/></joint>`), `its parent "c" is no frame here`},
		{joints17(`<joint name="j" type="revolute"><parent>b</parent><child>b</child><axis/></joint>`), "joins a link to itself"},
		{joints17(`<joint name="j" type="revolute">` + ends + `</joint>`), "has no axis"},
		{joints17(`<joint name="j" type="universal">` + ends + `<axis/></joint>`), "has no axis2"},
		{joints17(`<joint name="j" type="revolute">` + ends + `<axis><xyz>0 0 0</xyz></axis></joint>`), "is zero"},
		{joints17(`<joint name="j" type="revolute">` + ends + `<axis><xyz expressed_in="c">0 0 1</xyz></axis></joint>`), `expressed in "c"`},
		{joints17(`<joint name="j" type="revolute">` + ends + `<axis><limit><lower>x</lower></limit></axis></joint>`), "is not a number"},
		{joints17(`<joint name="j" type="screw">` + ends + `<axis/><screw_thread_pitch>0</screw_thread_pitch></joint>`), "its pitch is zero or infinite"},
		{joints17(`<joint name="j" type="gearbox">` + ends + `<axis/><axis2/><gearbox_reference_body>a</gearbox_reference_body></joint>`), "do not turn against the reference body"},
		{joints17(`<joint name="j" type="revolute">` + ends + `<axis><mimic joint="k"/></axis></joint>`), `no such coordinate of joint "k"`},
		{joints17(`<plugin filename="a" name="DetachableJoint"><parent_link>a</parent_link></plugin>`), "does not name two links"},
		{joints17(`<include><uri>https://fuel.example/x</uri></include>`), `"https" files are not read`},
		{joints17(`<include><uri>../x.sdf</uri></include>`), "leaves the folder"},
		{joints17(`<include><uri>/etc/x.sdf</uri></include>`), "absolute paths are not read"},
		{joints17(`<include><uri>model://other</uri></include>`), `no folder was given for the package "other"`},
		{joints17(`<include><uri>missing.sdf</uri></include>`), "missing.sdf"},
		{joints17(`<include><uri>main.sdf</uri></include>`), "deeper than 32"},
		{joints17(`<include/>`), "names no file"},
		{joints17(`<include merge="1"><uri>arm.sdf</uri><placement_frame>a</placement_frame></include>`), "merging a model by a placement frame"},
		{model17(deep), "models stand deeper than 32"},
		{model17(`<link name="a"><inertial auto="1"/></link>`), "which have none"},
		{model17(`<link name="a"><inertial auto="1"/><collision name="c"><geometry><mesh><uri>x.stl</uri></mesh></geometry></collision></link>`), "an inertial with numbers needs no file"},
		{model17(`<link name="a"><inertial auto="1"/><collision name="c"><geometry><plane/></geometry></collision></link>`), "no volume"},
		{solid(`<cylinder><radius>-0.1</radius><length>1</length></cylinder>`), "no volume"},
		{solid(`<cone><radius>-0.1</radius><length>1</length></cone>`), "no volume"},
		{solid(`<capsule><radius>0.1</radius><length>-1</length></capsule>`), "no volume"},
		{solid(`<box><size>-1 -1 1</size></box>`), "no volume"},
		{solid(`<ellipsoid><radii>1 -1 -1</radii></ellipsoid>`), "no volume"},
		{model17(`<link name="a"><inertial><mass>-1</mass></inertial></link>`), "negative"},
		{model17(`<link name="a"><inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial></link>`), "two together have to be at least the third"},
		{model17(`<static>maybe</static><link name="a"/>`), `"maybe" is neither true nor false`},
	} {
		if c.message == "" {
			continue
		}
		r, report, err := read(c.text, source.Options{}, "arm.sdf", model17(`<link name="x"/>`))
		if !assert.Error(t, err, c.message) {
			continue
		}
		assert.Nil(t, r)
		assert.NotNil(t, report)
		assert.Contains(t, err.Error(), c.message)
		for line := range strings.Lines(err.Error()) {
			assert.Less(t, len(line), 1000)
		}
	}
	_, _, err := read(strings.Replace(model17(`<link name="a"/>`), `name="m"`, `name="m" canonical_link="b"`, 1), source.Options{Key: "home"})
	assert.ErrorContains(t, err, "keyframe")
}

// TestAccount: every element that the format has ends in one class, and unknown ones are dropped, which --strict refuses.
func TestAccount(t *testing.T) {
	text := model17(`<link name="a"><frob x="1"><deep/></frob><sensor name="s" type="imu"><imu/></sensor><visual name="v"><geometry><box><size>1 2 3</size></box></geometry></visual></link>`)
	_, report, err := read(text, source.Options{})
	require.NoError(t, err)
	assert.Equal(t, source.Counts{Used: 6, Visual: 5, Ignored: 4, Dropped: 3}, report.Counts)
	_, _, err = read(text, source.Options{Strict: true})
	assert.ErrorContains(t, err, `/sdf/model/link/frob: element "frob"`)
	data, err := os.ReadFile(check.Reference(t, "import", "four-bar.sdf"))
	require.NoError(t, err)
	_, report, err = read(string(data), source.Options{Strict: true})
	require.NoError(t, err)
	assert.Zero(t, report.Counts.Dropped)
}

// TestThroughput: 10 MB are read in linear time; the log says how long that takes.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("timed")
	}
	var b strings.Builder
	for k := 0; b.Len() < 10<<20; k++ {
		fmt.Fprintf(&b, `<link name="l%d"><pose relative_to="l%d">1 0 0 0 0 0.1</pose>%s<visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>`+"\n", k, k-1, inertial)
		if k > 0 {
			fmt.Fprintf(&b, `<joint name="j%d" type="revolute"><parent>l%d</parent><child>l%d</child><axis><xyz>0 0 1</xyz></axis></joint>`+"\n", k, k-1, k)
		}
	}
	text := strings.Replace(model17(b.String()), ` relative_to="l-1"`, "", 1)
	start := time.Now()
	_, _, err := read(text, source.Options{})
	took := time.Since(start)
	require.NoError(t, err)
	t.Logf("%d MB in %v", len(text)>>20, took)
	assert.Less(t, took, 10*time.Second) // it takes less than one where nobody else works; the square of its elements would take hours
}

// FuzzRead: no document panics or hangs; what is read is a model, and what is refused has lines.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Limit = 10 * time.Second
	data, err := os.ReadFile(check.Reference(f, "import", "four-bar.sdf"))
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(joints17(`<joint name="j" type="universal"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint><include><uri>main.sdf</uri></include>`)))
	f.Add([]byte(model17(`<link name="a"><inertial auto="true"/><collision name="c"><geometry><cone/></geometry></collision></link><frame name="f" attached_to="a"/>`)))
	f.Add([]byte(drakes(`<drake:mimic joint="ja"/>`, `<drake:tendon_constraint><drake:tendon_constraint_joint name="ja" a="2"/></drake:tendon_constraint><drake:joint name="j" type="planar"/>`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, report, err := read(string(data), source.Options{})
		require.NotNil(t, report)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NoError(t, model.Check(r.Model))
		formatstest.Sound(t, report)
	})
}
