package bring_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/bring"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/state"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
)

// command has the subcommands of bring, and those that read what they write.
var command = clitest.Of(
	func() []*cobra.Command { return []*cobra.Command{bring.New(), bring.NewExport()} },
	state.Commands,
)

func golden(name string) string { return clitest.Reference("golden", name+".model.json") }

// foreign returns the path of a file of a foreign format.
func foreign(name string) string { return clitest.Reference("import", name) }

// altered writes a file of reference/import with parts of it replaced, and returns its path.
func altered(t *testing.T, name string, pairs ...string) string {
	t.Helper()
	data, err := os.ReadFile(foreign(name))
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, string(data), pairs[i])
	}
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(data))), 0o600))
	return path
}

// TestImport: files of foreign formats become models with the closed form
// of a leaning parallelogram, and subcommands about states read them.
func TestImport(t *testing.T) {
	want := 2 * 9.81 * math.Sin(0.4) / (5. / 3)
	for name, left := range map[string]string{"four-bar.sdf": "four-bar::left", "four-bar.asmt": "left"} {
		out := filepath.Join(t.TempDir(), "out.json")
		text := command.OK(t, "import", foreign(name), "-o", out, "--strict")
		assert.Contains(t, text, "3 bodies, 4 joints")
		clitest.RequireColumns(t, text)
		m, err := rung.Open(out)
		require.NoError(t, err)
		require.NotNil(t, m.Source)
		assert.Equal(t, name, m.Source.File)
		assert.NotEmpty(t, m.Source.Report)
		assert.Equal(t, left, m.Bodies[0].Name)
		for _, path := range []string{out, foreign(name)} {
			r := command.Run("accel", path, "--json")
			require.Equal(t, shell.ExitDone, r.Status, r.Err)
			assert.Empty(t, r.Err, "nothing is dropped")
			var got rung.Result
			require.NoError(t, json.Unmarshal([]byte(r.Out), &got))
			assert.InEpsilon(t, want, got.Bodies[0].AngularAcceleration.Norm(), 1e-12)
			assert.InDelta(t, 0, got.Bodies[1].AngularAcceleration.Norm(), 1e-12)
			assert.Equal(t, 1, got.Constraints.Mobility)
			assert.Equal(t, 3, got.Constraints.Redundant)
		}
		// What goes to standard output is the model that goes to the file.
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		r := command.Run("import", foreign(name), "-o", "-")
		assert.Equal(t, string(data), r.Out)
		assert.Equal(t, text, r.Err)
		for _, args := range [][]string{
			{"analyze", foreign(name)}, {"assemble", foreign(name), "-o", out}, {"modes", foreign(name), "--moving"},
			{"inverse", foreign(name), "--actuated", m.Joints[0].Name},
		} {
			command.OK(t, args...)
		}
		clitest.MustFit(t, "import", command.OK(t, "import", foreign(name), "--json"))
		clitest.MustFit(t, "import", command.OK(t, "import", foreign(name), "--json", "--close"))
	}
	assert.Contains(t, command.OK(t, "__complete", "import", ""), "asmt")
	assert.Contains(t, command.OK(t, "__complete", "import", "--base", ""), "floating")
}

// TestImportFlags: flags change the model as they say.
func TestImportFlags(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	read := func(args ...string) *model.Model {
		t.Helper()
		command.OK(t, append([]string{"import", "-o", out}, args...)...)
		m, err := rung.Open(out)
		require.NoError(t, err)
		return m
	}
	sdf := foreign("four-bar.sdf")
	assert.Equal(t, [3]float64{0, -1, 0.5}, read(sdf, "--gravity=0,-1,0.5").Gravity)
	assert.Len(t, read(sdf, "--keep-fixed").Bodies, 4)

	// One hinge turned: the loop is open, until it is closed.
	text := command.OK(t, "import", sdf, "--pose", "four-bar::a=0.1")
	assert.Contains(t, text, "open by")
	m := read(sdf, "--pose", "four-bar::a=0.1", "--close")
	r := command.Run("accel", out)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Greater(t, math.Abs(m.Bodies[0].Pose.Orientation[0]-read(sdf).Bodies[0].Pose.Orientation[0]), 1e-3)

	// Rounding of six digits is taken out, or left in.
	rough := altered(t, "four-bar.asmt", "0.9210609940028851", "0.921061", "\t\t\t-0.3894183423086505", "\t\t\t-0.389418")
	text = command.OK(t, "import", rough)
	assert.Contains(t, text, "does not quite close its loop")
	assert.Contains(t, text, "none, or closed in this pose")
	assert.Contains(t, command.OK(t, "import", rough, "--snap", "0"), "open by")

	// Included models come from folders with names.
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.sdf"), []byte(`<sdf version="1.6"><model name="box"><link name="b"/></model></sdf>`), 0o600))
	host := filepath.Join(t.TempDir(), "host.sdf")
	require.NoError(t, os.WriteFile(host, []byte(`<sdf version="1.9"><world name="w"><include><uri>model://box</uri><pose>1 2 3 0 0 0</pose></include></world></sdf>`), 0o600))
	assert.Equal(t, [3]float64{1, 2, 3}, read(host, "--package-dir", "box="+dir).Bodies[0].Pose.Position)
	r = command.Run("import", host)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, `no folder was given for the package "box"`)
}

// TestImportRefused: with an error nothing is written, the status is 2, and each error is a line.
func TestImportRefused(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	dropping := altered(t, "four-bar.sdf", `<link name="bar">`, `<velocity_decay/><link name="bar"><velocity_decay><linear>0.1</linear></velocity_decay><kinematic>1</kinematic>`)
	sdf := foreign("four-bar.sdf")
	odd := filepath.Join(t.TempDir(), "odd.xml")
	require.NoError(t, os.WriteFile(odd, []byte(`<html/>`), 0o600))
	none := filepath.Join(t.TempDir(), "none.sdf")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"velocity_decay", []string{dropping, "--strict"}},
		{"missing FILE", nil},
		{"files to import end in .urdf, .sdf", []string{golden("four-bar")}},
		{`begin with the element "html" are not read`, []string{odd}},
		{"none.sdf: no such file", []string{none}},
		{"--base \"x\": there are auto, fixed, floating", []string{sdf, "--base", "x"}},
		{"--massless \"x\"", []string{sdf, "--massless", "x"}},
		{"mass=RATIO", []string{sdf, "--massless", "mass=2"}},
		{"mass=RATIO", []string{sdf, "--massless", "fold=0.1"}},
		{"--snap 2", []string{sdf, "--snap", "2"}},
		{"joint=number", []string{sdf, "--pose", "a"}},
		{"joint=number", []string{sdf, "--pose", "a=inf"}},
		{"given twice", []string{sdf, "--pose", "a=1,a=2"}},
		{`"nothing": has no coordinate`, []string{sdf, "--pose", "nothing=1"}},
		{"2 numbers in place of 3", []string{sdf, "--gravity", "1,2"}},
		{"is not a finite number", []string{sdf, "--gravity", "1,2,x"}},
		{"name=folder", []string{sdf, "--package-dir", "a"}},
		{"no such file", []string{sdf, "--package-dir", "a=" + none}},
		{"not a folder", []string{sdf, "--package-dir", "a=" + odd}},
		{"given twice", []string{sdf, "--package-dir", "a=.", "--package-dir", "a=."}},
		{"a model file has to end in .json", []string{sdf, "-o", out + ".txt"}},
		{"--json and the model in one output", []string{sdf, "--json", "-o", "-"}},
		{"a pose by keyframe", []string{sdf, "--key", "home"}},
	} {
		r := command.Run(append([]string{"import", "-o", out}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, "%q", c.args)
		assert.Contains(t, r.Err, c.says, "%q", c.args)
		assert.Empty(t, r.Out)
		assert.NoFileExists(t, out)
	}
	r := command.Run("accel", dropping)
	assert.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Equal(t, 2, strings.Count(r.Err, "dropped: "), r.Err)
	r = command.Run("import", altered(t, "four-bar.sdf", "<xyz>0 1 0</xyz>", "<xyz>0 0 0</xyz>", "<mass>1</mass>", "<mass>-1</mass>"), "-o", out)
	assert.Equal(t, shell.ExitUse, r.Status)
	for line := range strings.Lines(r.Err) {
		assert.Contains(t, line, "four-bar.sdf:")
	}
	assert.GreaterOrEqual(t, strings.Count(r.Err, "\n"), 3)

	// A link that leads out of the folder is not followed by what the file names, but the file itself may be one.
	dir := t.TempDir()
	full, err := filepath.Abs(foreign("four-bar.sdf"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(full, filepath.Join(dir, "link.sdf")))
	command.OK(t, "import", filepath.Join(dir, "link.sdf"))
	host := filepath.Join(dir, "host.sdf")
	for _, uri := range []string{"link.sdf", "../x.sdf", full, "file://" + full, "https://fuel.example/box"} {
		require.NoError(t, os.WriteFile(host, []byte(`<sdf version="1.9"><world name="w"><include><uri>`+uri+`</uri></include></world></sdf>`), 0o600))
		r := command.Run("import", host)
		assert.Equal(t, shell.ExitUse, r.Status, uri)
		assert.Equal(t, 1, strings.Count(r.Err, "\n"), r.Err)
	}
}

// TestImportColumns: the report fits narrow terminals.
func TestImportColumns(t *testing.T) {
	t.Setenv("COLUMNS", "40")
	for _, args := range [][]string{{"import", foreign("four-bar.sdf")}, {"import", foreign("four-bar.asmt")}, {"import", "--help"}} {
		for line := range strings.Lines(command.OK(t, args...)) {
			if line = strings.TrimRight(line, "\n"); !strings.HasPrefix(line, "  rung ") {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), 40, line)
			}
		}
	}
}

// TestExport: a robot goes out in another format and comes back with
// the same accelerations; what is lost is listed, or refused.
func TestExport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.sdf")
	accelerations := func(path string) (list []results.Body) {
		t.Helper()
		var r rung.Result
		require.NoError(t, json.Unmarshal([]byte(command.OK(t, "accel", path, "--json")), &r))
		return r.Bodies
	}
	robot := filepath.Join(t.TempDir(), "robot.urdf")
	r := command.Run("export", foreign("four-bar.asmt"), "-o", robot, "--strict")
	assert.Contains(t, r.Err, "gravity") // along y
	command.OK(t, "export", foreign("four-bar.sdf"), "-o", robot, "--strict")
	assert.InDelta(t, accelerations(foreign("four-bar.sdf"))[0].AngularAcceleration.Norm(), accelerations(robot)[0].AngularAcceleration.Norm(), 1e-12)
	text := command.OK(t, "export", foreign("four-bar.asmt"), "-o", out, "--strict")
	clitest.RequireColumns(t, text)
	want, got := accelerations(foreign("four-bar.asmt")), accelerations(out)
	for i := range want {
		assert.InDelta(t, 0, want[i].AngularAcceleration.Sub(got[i].AngularAcceleration).Norm(), 1e-12)
		assert.InDelta(t, 0, want[i].ComAcceleration.Sub(got[i].ComAcceleration).Norm(), 1e-12)
	}
	clitest.MustFit(t, "export", command.OK(t, "export", foreign("four-bar.asmt"), "-o", out, "--json"))
	require.NoError(t, os.Remove(out))
	for _, name := range []string{"robot.xml", "robot.MJCF"} {
		name = filepath.Join(filepath.Dir(out), name)
		var doc struct {
			Dropped int
			Report  []struct{ Severity string }
		}
		text := command.OK(t, "export", foreign("gripper.urdf"), "-o", name, "--json")
		clitest.MustFit(t, "export", text)
		require.NoError(t, json.Unmarshal([]byte(text), &doc))
		assert.Equal(t, 1, doc.Dropped) // a limit of a rate
		assert.True(t, slices.ContainsFunc(doc.Report, func(e struct{ Severity string }) bool { return e.Severity == "dropped" }))
		if strings.HasSuffix(name, ".xml") {
			command.OK(t, "accel", name)
		}
		require.NoError(t, os.Remove(name))
		r := command.Run("export", foreign("gripper.urdf"), "-o", name, "--json", "--strict")
		assert.Equal(t, shell.ExitUse, r.Status)
		assert.NoFileExists(t, name)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"missing MODEL", nil},
		{"missing -o OUT", []string{golden("four-bar")}},
		{"files to export end in .sdf, .urdf, .mjcf, .xml, .tables, .json or .fmu", []string{golden("four-bar"), "-o", "x.yaml"}},
		{"no joint of type cylindrical", []string{golden("type-cylindrical"), "-o", out}},
		{"the format has none", []string{golden("driven-crank"), "-o", out, "--strict"}},
		{"no such file", []string{"none.json", "-o", out}},
	} {
		r := command.Run(append([]string{"export"}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, "%q", c.args)
		assert.Contains(t, r.Err, c.says)
		assert.NoFileExists(t, out)
	}
	assert.Contains(t, command.OK(t, "export", golden("driven-crank"), "-o", out), "dropped: ")
	r = command.Run("export", out, "-o", out)
	assert.Equal(t, shell.ExitUse, r.Status)
}

// TestCloseWithinRanges: of the two poses in which a four-bar closes, that within
// the ranges of the file is found though its coordinates are zero, outside of them,
// in the file. Where no pose is within, one is written, and the report says so.
func TestCloseWithinRanges(t *testing.T) {
	bar := func(lower, upper float64) string {
		const inertial = `<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>`
		limit := fmt.Sprintf(`<limit lower="%g" upper="%g" effort="1" velocity="1"/></joint>`, lower, upper)
		const joint = `<joint name="%s" type="%s"><origin xyz="%g 0 0"/><parent link="%s"/><child link="%s"/><axis xyz="0 0 1"/>`
		return `<robot name="four-bar"><link name="world"/><link name="a">` + inertial + `<link name="b">` + inertial + `<link name="c">` + inertial +
			fmt.Sprintf(joint, "crank", "continuous", 0., "world", "a") + `</joint>` + fmt.Sprintf(joint, "elbow", "continuous", 1., "a", "b") + `</joint>` +
			fmt.Sprintf(joint, "rocker", "revolute", 3., "world", "c") + limit +
			`<loop_joint name="pin" type="revolute"><link1 link="b" xyz="2.5 0 0"/><link2 link="c" xyz="1.5 0 0"/><axis xyz="0 0 1"/></loop_joint></robot>`
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "bar.urdf"), filepath.Join(dir, "bar.json")
	rocker := func(lower, upper float64) (q float64, said string) {
		require.NoError(t, os.WriteFile(in, []byte(bar(lower, upper)), 0o600))
		said = command.OK(t, "import", in, "--close", "-o", out)
		m, err := model.ReadFile(out)
		require.NoError(t, err)
		k := slices.IndexFunc(m.Bodies, func(b model.Body) bool { return b.Name == "c" })
		w := m.Bodies[k].Pose.Orientation
		return 2 * math.Atan2(w[3], w[0]), said
	}
	for _, c := range [][2]float64{{1, 2.6}, {-2.6, -1}} {
		q, said := rocker(c[0], c[1])
		require.True(t, q > c[0] && q < c[1], "%g", q)
		said = strings.Join(strings.Fields(said), " ")
		require.Contains(t, said, "coordinates outside of their ranges in the pose of the file: 1")
		require.NotContains(t, said, "in the closed pose")
	}
	_, said := rocker(0.01, 0.02)
	require.Contains(t, strings.Join(strings.Fields(said), " "), `1 coordinate outside of the range in the closed pose: the first is of joint "rocker"`)
}

// TestImportForgives: files that the programs of their formats read are read, and what is lost is said once.
func TestImportForgives(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	shape := `<visual name="v"><geometry><sphere><radius>wide</radius></sphere></geometry></visual>`
	r := command.Run("import", altered(t, "four-bar.sdf", "<inertial>", strings.Repeat(shape, 25)+"<inertial>"), "-o", out)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Equal(t, 1, strings.Count(r.Out, "dropped: "), r.Out)
	assert.Regexp(t, `\d+\s+more\s+like\s+it\)`, r.Out)
	assert.NotContains(t, r.Out, " 0 dropped")
	command.OK(t, "import", altered(t, "four-bar.asmt", "Omega3D\n\t\t0 \t0 \t0", "Omega3D\n\t\t0.0 \t2.4015135522991e-20\t0.0 "), "-o", out)

	// Errors of one kind are one line.
	r = command.Run("import", altered(t, "four-bar.sdf", "<mass>1</mass>", "<mass>heavy</mass>"), "-o", out)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Equal(t, 1, strings.Count(r.Err, `"heavy" is not a number`), r.Err)
}
