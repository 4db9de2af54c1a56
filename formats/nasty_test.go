package formats_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
)

// Parts of small files, each a pendulum or two.
const (
	urdfMass = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>`
	mjcfMass = `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>`
	sdfMass  = `<inertial><mass>1</mass></inertial>`
)

func urdf(inside string) string {
	return `<robot name="r"><link name="world"/>` + "\n" + `<link name="a">` + urdfMass + `</link><joint name="j" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint>` + "\n" + inside + `</robot>`
}

func mjcf(inside string) string {
	return `<mujoco><worldbody><body name="a"><joint name="j"/>` + mjcfMass + "</body>\n" + inside + `</worldbody></mujoco>`
}

func sdf(inside string) string {
	return `<sdf version="1.9"><model name="m"><link name="a">` + sdfMass + "</link>\n" + inside + `</model></sdf>`
}

// TestNasty: each of these files ends in one line that names the file, the place and what is wrong there.
func TestNasty(t *testing.T) {
	utf16Text := func(s string) string {
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, append([]uint16{0xfeff}, utf16.Encode([]rune(s))...))
		return b.String()
	}
	deep := func(name string) string { return strings.Repeat("<"+name+">", 20_000) }
	for name, c := range map[string]struct {
		file, text string
		says       []string
	}{
		"entity":            {"r.urdf", `<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>` + urdf("<link name=\"&b;\"/>"), []string{"r.urdf:1:1", "entities"}},
		"foreign entity":    {"r.sdf", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>` + sdf("&e;"), []string{"r.sdf:1:1", "entities"}},
		"unknown entity":    {"r.mjcf", mjcf("<body name=\"&secret;\"/>"), []string{"r.mjcf:2:", "&secret;"}},
		"depth":             {"r.urdf", "<robot>" + deep("link"), []string{"r.urdf:1:", "deeper than"}},
		"UTF-16":            {"r.urdf", utf16Text(urdf("")), []string{"r.urdf", "UTF-16"}},
		"Latin-2":           {"r.sdf", `<?xml version="1.0" encoding="iso-8859-2"?>` + sdf(""), []string{"r.sdf:1:", "iso-8859-2"}},
		"truncated":         {"r.mjcf", mjcf("")[:60], []string{"r.mjcf:1:", "the file ends"}},
		"truncated in tag":  {"r.urdf", urdf("")[:70], []string{"r.urdf:2:"}},
		"empty":             {"r.sdf", "", []string{"r.sdf"}},
		"zeros":             {"r.urdf", strings.Repeat("\x00", 100), []string{"r.urdf"}},
		"attribute twice":   {"r.urdf", urdf(`<link name="b" name="c"/>`), []string{"r.urdf:3:", `"name"`}},
		"name twice":        {"r.urdf", urdf(`<link name="a"/>`), []string{"r.urdf:3:1", "/robot/link[3]", `"a"`, "twice"}},
		"joint twice":       {"r.mjcf", mjcf(`<body name="b"><joint name="j"/>` + mjcfMass + `</body>`), []string{"r.mjcf:2:", "/mujoco/worldbody/body[2]/joint", `"j"`, "twice"}},
		"link twice":        {"r.sdf", sdf(`<link name="a"/>`), []string{"r.sdf:2:1", "/sdf/model/link[2]", `"a"`}},
		"not a number":      {"r.urdf", urdf(`<link name="b">` + strings.Replace(urdfMass, `value="1"`, `value="nan"`, 1) + `</link>`), []string{"r.urdf:3:", "/robot/link[3]/inertial/mass", `"nan"`}},
		"infinite":          {"r.sdf", sdf(`<link name="b"><pose>inf 0 0 0 0 0</pose></link>`), []string{"r.sdf:2:", "/sdf/model/link[2]/pose", "inf"}},
		"huge":              {"r.mjcf", mjcf(`<body name="b"><freejoint/><inertial pos="0 0 0" mass="1e309" diaginertia="1 1 1"/></body>`), []string{"r.mjcf:2:", "/mujoco/worldbody/body[2]/inertial", "1e309"}},
		"hexadecimal":       {"r.urdf", urdf(`<link name="b">` + strings.Replace(urdfMass, `value="1"`, `value="0x1p4"`, 1) + `</link>`), []string{"r.urdf:3:", `"0x1p4"`}},
		"underscores":       {"r.urdf", urdf(`<link name="b">` + strings.Replace(urdfMass, `value="1"`, `value="1_000"`, 1) + `</link>`), []string{"r.urdf:3:", `"1_000"`}},
		"comma":             {"r.mjcf", mjcf(`<body name="b" pos="0,5 0 1"><freejoint/>` + mjcfMass + `</body>`), []string{"r.mjcf:2:", "/mujoco/worldbody/body[2]", `"0,5"`}},
		"units":             {"r.urdf", urdf(`<link name="b">` + strings.Replace(urdfMass, `value="1"`, `value="1 kg"`, 1) + `</link>`), []string{"r.urdf:3:", "/robot/link[3]/inertial/mass", "value"}},
		"negative mass":     {"r.urdf", urdf(`<link name="b">` + strings.Replace(urdfMass, `value="1"`, `value="-1"`, 1) + `</link><joint name="k" type="floating"><parent link="a"/><child link="b"/></joint>`), []string{"r.urdf:3:", "/robot/link[3]", `"b"`, "-1"}},
		"inertia":           {"r.sdf", sdf(`<link name="b"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz></inertia></inertial></link>`), []string{"r.sdf:2:1", "/sdf/model/link[2]", `"b"`, "9"}},
		"massless fork":     {"r.urdf", urdf(`<link name="f"/><link name="b">` + urdfMass + `</link><link name="c">` + urdfMass + `</link>` + fork("a", "f") + fork("f", "b") + fork("f", "c")), []string{"r.urdf:3:1", "/robot/link[3]", `"f"`, "3 joints"}},
		"missing parent":    {"r.urdf", urdf(`<joint name="k" type="fixed"><child link="a"/></joint>`), []string{"r.urdf:3:1", "/robot/joint[2]", `"parent"`, "missing"}},
		"no such parent":    {"r.urdf", urdf(`<link name="b"/><joint name="k" type="fixed"><parent link="x"/><child link="b"/></joint>`), []string{"r.urdf:3:", "/robot/joint[2]/parent", `"x"`}},
		"no such child":     {"r.sdf", sdf(`<joint name="k" type="fixed"><parent>a</parent><child>x</child></joint>`), []string{"r.sdf:2:1", "/sdf/model/joint", `"x"`}},
		"own parent":        {"r.urdf", urdf(`<joint name="k" type="revolute"><parent link="a"/><child link="a"/></joint>`), []string{"r.urdf:3:1", "/robot/joint[2]", `"k"`, "itself"}},
		"joint type":        {"r.urdf", urdf(`<link name="b"/><joint name="k" type="hinge"><parent link="a"/><child link="b"/></joint>`), []string{"r.urdf:3:", `"hinge"`}},
		"axis":              {"r.urdf", urdf(`<link name="b">` + urdfMass + `</link><joint name="k" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>`), []string{"r.urdf:3:", "/robot/joint[2]/axis"}},
		"frames in a ring":  {"r.sdf", sdf(`<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>`), []string{"r.sdf:2:", `"f"`}},
		"include of itself": {"r.mjcf", `<mujoco><include file="r.mjcf"/></mujoco>`, []string{"r.mjcf:1:9", "r.mjcf", "twice"}},
		"path upwards":      {"r.mjcf", `<mujoco><include file="../../secret.xml"/></mujoco>`, []string{"r.mjcf:1:9", "../../secret.xml"}},
		"path of the root":  {"r.sdf", sdf(`<include><uri>/etc/passwd</uri></include>`), []string{"r.sdf:2:", "/etc/passwd"}},
		"path of the net":   {"r.sdf", sdf(`<include><uri>https://example.org/model</uri></include>`), []string{"r.sdf:2:", "https"}},
		"xacro":             {"r.urdf", urdf(`<xacro:include filename="a"/>`), []string{"r.urdf:3:", "xacro"}},
		"template":          {"r.urdf", urdf(`<link name="${name}"/>`), []string{"r.urdf:3:", "${name}"}},
		"version":           {"r.sdf", `<sdf version="2.0"><model name="m"/></sdf>`, []string{"r.sdf:1:1", "2.0"}},
		"assembly":          {"r.asmt", "freeCAD: 3D CAD with Motion Simulation  by  askoh.com\nAssembly\n\tNotes\n\t\tx\n\tName\n\t\t1\n\tPosition3D\n\t\t0\t0\n", []string{"r.asmt:7:"}},
		"other root":        {"r.xml", "<world/>", []string{"r.xml", `"world"`}},
		"binary USD":        {"r.usd", "PXR-USDC\x00\x08", []string{"r.usd:1:1", "usdcat -o r.usda r.usd"}},
		"package of USD":    {"r.usdz", "PK\x03\x04", []string{"r.usdz:1:1", "usdcat --flatten -o r.usda r.usdz"}},
		"USD in text":       {"r.usda", "#usda 1.0\ndef Xform \"a\" (apiSchemas = [\"PhysicsRigidBodyAPI\"]) {}\n", []string{"r.usda:2:1", "/a", "does not state its mass"}},
		"prose":             {"r.urdf", "a robot, please", []string{"r.urdf"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := source.NewFiles(fstest.MapFS{c.file: {Data: []byte(c.text)}}, nil)
			_, _, err := formats.Read(files, source.Name{Path: c.file}, &source.Options{})
			require.Error(t, err)
			first, rest, _ := strings.Cut(err.Error(), "\n")
			t.Log(first)
			assert.Empty(t, rest)
			assert.Less(t, len(first), 400)
			for _, s := range c.says {
				assert.Contains(t, first, s)
			}
		})
	}
}

func fork(a, b string) string {
	return fmt.Sprintf(`<joint name="%s-%s" type="revolute"><parent link="%s"/><child link="%s"/><axis xyz="0 0 1"/></joint>`, a, b, a, b)
}

// endless is a file that says to have n bytes, of which it gives as many as are read.
type endless struct {
	n    int64
	read *int64
}

func (f endless) Open(name string) (fs.File, error) {
	if name != "r.urdf" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f, nil
}
func (f endless) Stat() (fs.FileInfo, error) { return f, nil }
func (f endless) Read(p []byte) (int, error) {
	if *f.read >= f.n {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = "<a/>"[(*f.read+int64(i))%4]
	}
	*f.read += int64(len(p))
	return len(p), nil
}
func (f endless) Close() error       { return nil }
func (f endless) Name() string       { return "r.urdf" }
func (f endless) Size() int64        { return 100 }
func (f endless) Mode() fs.FileMode  { return 0 }
func (f endless) ModTime() time.Time { return time.Time{} }
func (f endless) IsDir() bool        { return false }
func (f endless) Sys() any           { return nil }

// TestGigabyte: a file of a gigabyte is refused before more than the limit of a file is read, though it says to be short.
func TestGigabyte(t *testing.T) {
	check.Long(t)
	var read int64
	_, _, err := formats.Read(source.NewFiles(endless{1 << 30, &read}, nil), source.Name{Path: "r.urdf"}, &source.Options{})
	require.ErrorContains(t, err, "r.urdf")
	require.NotContains(t, err.Error(), "\n")
	require.LessOrEqual(t, read, int64(source.MaxFile)+1<<20)
	t.Logf("%d bytes read: %v", read, err)
}

// TestGigabyteOnDisk: so is a file of the file system, which is not read at all.
func TestGigabyteOnDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.sdf")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<30)) // zeros that take no place
	require.NoError(t, f.Close())
	begin := time.Now()
	_, _, err = formats.ReadFile(file, nil, &source.Options{})
	require.ErrorContains(t, err, "r.sdf")
	require.NotContains(t, err.Error(), "\n")
	require.Less(t, time.Since(begin), 10*time.Second)
}
