package urdf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
)

// from reads a robot from memory, with a file of loops beside it.
func from(text, loops string, o source.Options) (*model.Model, *source.Report, error) {
	fsys := fstest.MapFS{"r.urdf": {Data: []byte(text)}, "loops.yaml": {Data: []byte(loops)}}
	if loops != "" {
		o.Loops = "loops.yaml"
	}
	r, report, err := urdf.Read(source.NewFiles(fsys, nil), source.Name{Path: "r.urdf"}, &o)
	if err != nil {
		return nil, report, err
	}
	return r.Model, report, nil
}

func TestElements(t *testing.T) {
	formatstest.Elements(t, filepath.Join("testdata", "elements.txt"), func(doc []byte) *source.Report {
		_, report, _ := from(string(doc), "", source.Options{})
		return report
	})
}

const inertial = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`

// arm is a robot of two links on the ground, with something more in it.
func arm(more string) string {
	return `<robot name="arm"><link name="base"/><link name="a">` + inertial + `</link><link name="b">` + inertial + `</link>` +
		`<joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>` +
		`<joint name="jb" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>` + more + `</robot>`
}

// TestRefused holds that what cannot be read ends in short lines with places that say why.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, loops, want string }{
		"root":       {text: "<sdf/>", want: `r.urdf:1:1: error: /sdf: element "sdf": the file has to begin with robot`},
		"empty":      {text: "<robot/>", want: "has no link"},
		"xacro":      {text: arm(`<xacro:macro name="x"/>`), want: "this is a template: run xacro first"},
		"expression": {text: arm(`<link name="${x}"/>`), want: "this is a template: run xacro first"},
		"erb":        {text: `<robot><% x %></robot>`, want: "run erb first"},
		"link twice": {text: arm(`<link name="a"/>`), want: `link "a": stands twice`},
		"no parent":  {text: arm(`<joint name="x" type="fixed"><child link="a"/></joint>`), want: `element "parent": is missing`},
		"unknown":    {text: arm(`<joint name="x" type="fixed"><parent link="z"/><child link="a"/></joint>`), want: `link "z": does not exist`},
		"itself":     {text: arm(`<joint name="x" type="fixed"><parent link="a"/><child link="a"/></joint>`), want: "joins a link to itself"},
		"type":       {text: arm(`<joint name="x" type="hinge"><parent link="a"/><child link="b"/></joint>`), want: `is unknown: "hinge"`},
		"axis":       {text: arm(`<joint name="x" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>`), want: "has no direction"},
		"number":     {text: arm(`<link name="c"><inertial><mass value="1,5"/></inertial></link>`), want: `"1,5" is not a number`},
		"inertia":    {text: arm(`<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9"/></inertial></link>`), want: "two together have to be at least the third"},
		"mimic":      {text: arm(`<link name="c">` + inertial + `</link><joint name="x" type="continuous"><parent link="a"/><child link="c"/><mimic joint="y"/></joint>`), want: `joint "y": does not exist`},
		"key":        {text: arm(""), want: "robots of this format have none"},
		"pose":       {text: arm(""), want: `joint "none": has no coordinate that could be set`},
		"node": {text: arm(`<link name="n"/><joint name="x" type="continuous"><parent link="a"/><child link="n"/></joint>` +
			`<loop_joint name="l" type="continuous"><link1 link="n"/><link2 link="b"/></loop_joint><loop_joint name="m" type="spherical"><link1 link="n"/><link2 link="base"/></loop_joint>`),
			want: "has no mass and 3 joints; --massless mass gives it a small mass"},
		"strict":      {text: arm(`<mystery/>`), want: `dropped: /robot/mystery: element "mystery": unknown to this reader`},
		"product":     {text: arm(`<link name="c"><inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0.5"/></inertial></link><joint name="x" type="continuous"><parent link="a"/><child link="c"/></joint>`), want: "mass"},
		"no trace":    {text: arm(`<link name="c"><inertial><mass value="0"/><inertia ixx="1" iyy="-1" izz="0"/></inertial></link><joint name="x" type="continuous"><parent link="a"/><child link="c"/></joint>`), want: "mass"},
		"asymmetric":  {text: arm(`<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1" iyx="-0.1"/></inertial></link>`), want: `attribute "iyx" of "inertia": an inertia is symmetric, and ixy is another number, which counts; its value is "-0.1"`},
		"loop":        {text: arm(`<loop name="l" type="floating"><predecessor link="a"/><successor link="b"/></loop>`), want: "a loop that is floating is none"},
		"yaml":        {text: arm(""), loops: "a: [", want: "file of loops"},
		"yaml type":   {text: arm(""), loops: "[{type: 4d, a: a, b: b}]", want: `its type is unknown: "4d"`},
		"yaml bomb":   {text: arm(""), loops: "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nloops: [*c,*c]", want: "file of loops"},
		"yaml lists":  {text: arm(""), loops: "closed_loop: [[a]]\ntype: [3d]", want: "has to have two names"},
		"yaml joints": {text: arm(""), loops: "joint_name: [ja]\njoint_type: []", want: "differ in length"},
		"yaml words":  {text: arm(""), loops: "loop: [{type: 3d, a: a, b: b}]", want: "names no list of loops or joints"},
		"yaml types":  {text: arm(""), loops: "closed_loop: [[a, b]]\ntype: [3d, 6d]", want: "its list type has 2 entries, its list closed_loop 1"},
	} {
		t.Run(name, func(t *testing.T) {
			o := source.Options{Strict: name == "strict" || name == "asymmetric"}
			switch name {
			case "key":
				o.Key = "home"
			case "pose":
				o.Pose = map[string]float64{"none": 1}
			}
			_, _, err := from(c.text, c.loops, o)
			require.ErrorContains(t, err, c.want)
			for line := range strings.Lines(err.Error()) {
				require.Less(t, len(line), 400)
			}
		})
	}
	_, _, err := urdf.Read(source.NewFiles(fstest.MapFS{"r.urdf": {Data: []byte(arm(""))}}, nil), source.Name{Path: "r.urdf"}, &source.Options{Loops: "../x.yaml"})
	require.ErrorContains(t, err, "the path leaves the folder that may be read")
}

// TestReplaced: what a joint had on coordinates that the file of loops takes from it is reported.
func TestReplaced(t *testing.T) {
	const joint = `<link name="c">` + inertial + `</link><joint name="jc" type="revolute"><parent link="a"/><child link="c"/><limit lower="-1" upper="1"/></joint>`
	for _, kind := range []string{"SPHERICAL", "UJOINT", "FIXED"} {
		for name, drops := range map[string]int{"ja": 0, "jc": 1} {
			_, report, err := from(arm(joint), "joint_name: ["+name+"]\njoint_type: ["+kind+"]", source.Options{})
			require.NoError(t, err)
			require.Equal(t, drops, report.Dropped(), kind+" "+name)
		}
	}
}

// TestPlanarFriction: friction that the coordinates of a plane do not get is a loss, with one damping and with three.
func TestPlanarFriction(t *testing.T) {
	for _, damping := range []string{`"1 2 3"`, `"0 0 0"`, `"1"`} {
		_, report, err := from(arm(`<link name="c">`+inertial+`</link><joint name="x" type="planar"><parent link="a"/><child link="c"/><dynamics damping=`+damping+` friction="4"/></joint>`), "", source.Options{})
		require.NoError(t, err)
		require.Equal(t, 1, report.Dropped(), damping)
	}
}

// TestRoots holds where roots stand: a link called world, the first root, all or none.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		name, text string
		base       source.Base
		bodies     int
		mobility   int
	}{
		{"world", strings.ReplaceAll(arm(""), `"base"`, `"world"`), source.BaseFloating, 2, 2},
		{"fixed", arm(""), source.BaseAuto, 2, 2},
		{"floating, root without mass", arm(""), source.BaseFloating, 2, 7},
		{"loose", arm(`<link name="c">` + inertial + `</link>`), source.BaseAuto, 3, 8},
		{"circle", `<robot><link name="a">` + inertial + `</link><link name="b">` + inertial + `</link>` +
			`<joint name="x" type="continuous"><parent link="a"/><child link="b"/></joint><joint name="y" type="spherical"><parent link="b"/><child link="a"/></joint></robot>`, source.BaseFloating, 2, 7},
		{"second parent", arm(`<joint name="z" type="spherical"><parent link="base"/><child link="b"/><origin xyz="1 0 0"/></joint>`), source.BaseAuto, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _, err := from(c.text, "", source.Options{Base: c.base})
			require.NoError(t, err)
			require.Len(t, m.Bodies, c.bodies)
			require.Equal(t, c.mobility, formatstest.Mobility(t, m))
		})
	}
}

// TestOptions holds what options change.
func TestOptions(t *testing.T) {
	text := arm(`<link name="tool"/><joint name="t" type="fixed"><parent link="b"/><child link="tool"/><origin xyz="0.5 0 0"/></joint>`)
	m, report, err := from(text, "", source.Options{})
	require.NoError(t, err)
	require.Len(t, m.Joints, 2)
	require.Zero(t, report.Counts.Dropped)

	g := [3]float64{0, 0, -1.62}
	m, _, err = from(text, "", source.Options{Gravity: &g, Pose: map[string]float64{"ja": 0.5}})
	require.NoError(t, err)
	require.Equal(t, g, m.Gravity)
	require.NotEqual(t, 1.0, m.Bodies[1].Pose.Position[0])

	m, _, err = from(text, "[{type: 3d, a: tool, b: base}, {type: fixed, a: a, b: jb}]", source.Options{})
	require.NoError(t, err)
	require.Len(t, m.Joints, 4)

	_, _, err = from(text, "", source.Options{Massless: source.RefuseLinks, KeepFixed: true})
	require.ErrorContains(t, err, `link "tool": has no mass`)
}

// TestSnap holds that a loop that is off by rounding holds exactly, and one that is open stays so.
func TestSnap(t *testing.T) {
	loop := func(x string) string {
		return arm(`<loop_joint name="l" type="continuous"><link1 link="b" xyz="1 0 0" rpy="1.5707963 0 0"/><link2 link="base" xyz="` + x + ` 0 0" rpy="1.5708 0 0"/><axis xyz="0 0 1"/></loop_joint>`)
	}
	for _, c := range []struct {
		x       string
		snap    float64
		changed bool
	}{{"2.0000001", 1e-5, true}, {"2.0000001", -1, false}, {"2.1", 0, false}} {
		fsys := fstest.MapFS{"r.urdf": {Data: []byte(loop(c.x))}}
		r, report, err := urdf.Read(source.NewFiles(fsys, nil), source.Name{Path: "r.urdf"}, &source.Options{Snap: c.snap})
		require.NoError(t, err)
		changed := false
		for k := range report.Entries {
			changed = changed || report.Entries[k].Severity == source.Change
		}
		require.Equal(t, c.changed, changed)
		require.Equal(t, c.changed, max(r.Linear, r.Angular) < 1e-15, "%g, %g", r.Linear, r.Angular)
	}
}

// FuzzRead holds that any file ends in errors of bounded size, or in a model that passes the rules of the format.
func FuzzRead(fz *testing.F) {
	f := check.NewFuzz(fz)
	f.Limit = 20 * time.Second
	for _, name := range []string{"dialects.urdf", "gripper.urdf"} {
		data, err := os.ReadFile(check.Reference(f, "import", name))
		require.NoError(f, err)
		f.Add(data, []byte("[{type: 3d, a: base, b: platform}]"))
	}
	f.Add([]byte(arm("")), []byte("closed_loop: [[a, b]]\ntype: [6d]\njoint_name: [ja]\njoint_type: [UJOINT]"))
	f.Fuzz(func(t *testing.T, data, loops []byte) {
		m, report, err := from(string(data), string(loops), source.Options{})
		require.NotNil(t, report)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				require.Less(t, len(line), 2000)
			}
			return
		}
		require.NoError(t, model.Check(m))
		formatstest.Sound(t, report)
	})
}

// TestLarge reads a file of 10 MB: a tree with a loop for each link.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("10 MB")
	}
	var b strings.Builder
	b.WriteString(`<robot name="large"><link name="l0"/>`)
	for k := 1; b.Len() < 10<<20; k++ {
		fmt.Fprintf(&b, "<link name=\"l%d\">\n  <inertial><origin xyz=\"0 0 0.5\" rpy=\"0 0 0\"/><mass value=\"1.25\"/>\n  <inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.02\" iyz=\"0\" izz=\"0.015\"/></inertial></link>\n"+
			"<joint name=\"j%d\" type=\"revolute\"><parent link=\"l%d\"/><child link=\"l%d\"/><origin xyz=\"0.25 0 0\" rpy=\"0 0 1.5707963\"/>\n  <axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"10\" velocity=\"2\"/></joint>\n", k, k, (k-1)/2, k)
	}
	b.WriteString("</robot>")
	begin := time.Now()
	m, _, err := from(b.String(), "", source.Options{})
	require.NoError(t, err)
	t.Logf("%d bytes, %d bodies in %v", b.Len(), len(m.Bodies), time.Since(begin))
}

// TestHostileSizes holds that files of some megabytes, each with many of one thing, end in seconds.
func TestHostileSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes")
	}
	const n = 10_000
	many := func(format string, count int) string {
		var b strings.Builder
		for k := range count {
			fmt.Fprintf(&b, format, k)
		}
		return b.String()
	}
	star := many(`<link name="m%[1]d"/><joint name="k%[1]d" type="continuous"><parent link="hub"/><child link="m%[1]d"/></joint>`, n)
	chain := many(`<link name="c%[1]d"/>`, n)
	var links strings.Builder
	for k := 1; k < n; k++ {
		fmt.Fprintf(&links, `<joint name="x%d" type="continuous"><parent link="c%d"/><child link="c%d"/></joint>`, k, k-1, k)
	}
	for name, text := range map[string]string{
		"unknown elements": arm(many("<a/><b%d/>", 200_000)),
		"massless star":    `<robot><link name="hub">` + inertial + `</link>` + star + `</robot>`,
		"massless hub":     `<robot><link name="hub"/>` + star + `</robot>`,
		"massless chain":   `<robot>` + chain + links.String() + `<link name="end">` + inertial + `</link><joint name="e" type="continuous"><parent link="c9999"/><child link="end"/></joint></robot>`,
		"couplings":        `<robot>` + chain + links.String() + many(`<coupling name="q%d" ratio="1"><predecessor link="c0"/><successor link="c9999"/></coupling>`, n) + `</robot>`,
		"gazebo joints":    `<robot>` + chain + links.String() + `<gazebo>` + many(`<joint name="g%d" type="ball"><parent>c0</parent><child>c9999</child></joint>`, n) + `</gazebo></robot>`,
		"second parents":   `<robot>` + chain + links.String() + many(`<joint name="g%d" type="planar"><parent link="c0"/><child link="c9999"/></joint>`, n) + `</robot>`,
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, _, err := from(text, "", source.Options{})
			took := time.Since(begin)
			t.Logf("%d bytes in %v", len(text), took)
			if err != nil {
				require.Less(t, len(err.Error()), 100_000)
			}
			require.Less(t, took, 60*time.Second)
		})
	}
}

// TestGivenMasses: links without mass in a row each get that part of a neighbour with a mass, or else of the lightest link,
// whatever their neighbours have been given. It is between their joints, wherever the file has the centre of what has no
// mass.
func TestGivenMasses(t *testing.T) {
	const n = 60
	joint := func(k int) string {
		return fmt.Sprintf(`<joint name="x%d" type="continuous"><origin xyz="0.2 0 0"/><parent link="c%d"/><child link="c%d"/><axis xyz="%d %d 0"/></joint>`, k, k-1, k, k%2, 1-k%2)
	}
	far := `<inertial><origin xyz="100 0 0"/><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>`
	text := `<robot name="r"><link name="c0">` + inertial + `</link>`
	for k := 1; k < n; k++ {
		text += fmt.Sprintf(`<link name="c%d">%s</link>`, k, far) + joint(k)
	}
	m, report, err := from(text+fmt.Sprintf(`<link name="c%d">%s</link>`, n, inertial)+joint(n)+`</robot>`, "", source.Options{Massless: source.GiveMass})
	require.NoError(t, err)
	for i := range m.Bodies[:n-1] {
		b := &m.Bodies[i]
		require.InEpsilon(t, 1e-6*m.Bodies[n-1].Mass, b.Mass, 1e-12, b.Name)
		require.InDeltaSlice(t, []float64{0.1, 0, 0}, b.Com[:], 1e-12, b.Name)
		require.InEpsilon(t, b.Mass*0.01/6, b.Inertia.XX, 1e-12, b.Name)
	}
	whose := map[string]int{}
	for _, e := range report.Entries {
		for _, x := range [2]string{"1e-06 of its lightest neighbour;", "1e-06 of the lightest link;"} {
			if strings.Contains(e.String(), x) {
				whose[x]++
			}
		}
	}
	require.Equal(t, map[string]int{"1e-06 of its lightest neighbour;": 1, "1e-06 of the lightest link;": n - 2}, whose)
}
