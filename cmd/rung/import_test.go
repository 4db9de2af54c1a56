package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// foreign returns the path of a file of a foreign format.
func foreign(name string) string { return filepath.Join(reference, "import", name) }

// TestForeign: subcommands read files of foreign formats as they read models.
func TestForeign(t *testing.T) {
	for name, left := range map[string]string{"four-bar.sdf": "four-bar::left", "four-bar.asmt": "left"} {
		ok(t, "simulate", foreign(name), "--until", "0.3", "--out", filepath.Join(t.TempDir(), "out.csv"))
		assert.Contains(t, ok(t, "__complete", "simulate", foreign(name), "--bodies", left[:len(left)-1]), left)
	}
}

// TestImportMeshes: a model names its meshes by the way from its folder, those of packages too, if they are in it.
func TestImportMeshes(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"urdf", "meshes"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	robot := filepath.Join(dir, "urdf", "robot.urdf")
	link := `<visual><geometry><mesh filename="%s"/></geometry></visual>`
	text := `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`
	for _, name := range []string{"package://pack/meshes/a.obj", "../meshes/a.obj", "./near.obj", "gone.obj", "package://other/a.obj"} {
		text += fmt.Sprintf(link, name)
	}
	require.NoError(t, os.WriteFile(robot, []byte(text+"</link></robot>"), 0o600))
	mesh := []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
	for _, name := range []string{"meshes/a.obj", "urdf/near.obj"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), mesh, 0o600))
	}
	files := func(out string) (list []string) {
		ok(t, "import", robot, "-o", out, "--package-dir", "pack="+dir)
		m, err := rung.Open(out)
		require.NoError(t, err)
		for i := range m.Visuals {
			list = append(list, m.Visuals[i].File)
		}
		return list
	}
	above := filepath.Join(dir, "robot.json")
	assert.Equal(t, []string{"meshes/a.obj", "meshes/a.obj", "urdf/near.obj", "gone.obj", "package://other/a.obj"}, files(above))
	assert.Equal(t, []string{"package://pack/meshes/a.obj", "../meshes/a.obj", "near.obj", "gone.obj", "package://other/a.obj"},
		files(filepath.Join(dir, "urdf", "robot.json")), "not outside of the folder of the model")
	r := command.Run("draw", above, "-o", filepath.Join(dir, "r.svg"))
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Equal(t, 2, strings.Count(r.Err, "warning"), r.Err)
}

// energyTol bounds the change of the energy over ten seconds, relative to the largest of the kinetic energy and one
// joule, at the usual tolerance of a step, 1e-8; driftTol that of the joints.
const energyTol, driftTol = 1e-5, 1e-8

// TestImportedRobots: robots are imported, closed and simulated for ten seconds with the drift of native models; modes
// and inverse kinematics run on them. Those of other authors are looked for outside of the project.
func TestImportedRobots(t *testing.T) {
	check.Long(t) // ten seconds of motion
	for name, c := range map[string]struct {
		body         string
		conservative bool
	}{
		foreign("gripper.urdf"):             {"", true},
		"urdf-strandbeest/Strandbeest.urdf": {"crank_axle", true},
		foreign("truth/walker.urdf"):        {"crank", true},
		foreign("truth/biped.xml"):          {"", false},
		"mjcf-cassie/cassie.xml":            {"", false}, // which has dampers, and falls
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			path := name
			if !strings.HasPrefix(path, reference) {
				path = formatstest.Others(t, filepath.FromSlash(name))
			}
			out := filepath.Join(t.TempDir(), "robot.json")
			ok(t, "import", path, "--close", "-o", out)
			var s struct {
				Finished bool
				Energy   struct {
					LargestChange  float64 `json:"largest_change"`
					LargestKinetic float64 `json:"largest_kinetic"`
					Conservative   bool
				}
				Drift struct{ Position, Velocity float64 }
			}
			require.NoError(t, json.Unmarshal([]byte(ok(t, "simulate", out, "--until", "10", "--json", "--out", out+".csv")), &s))
			assert.True(t, s.Finished)
			assert.Less(t, max(s.Drift.Position, s.Drift.Velocity), driftTol)
			assert.Equal(t, c.conservative, s.Energy.Conservative)
			if c.conservative {
				assert.Less(t, s.Energy.LargestChange, energyTol*max(1, s.Energy.LargestKinetic))
			}
			ok(t, "modes", out, "--moving", "--count", "2")
			if c.body != "" {
				r := command.Run("ik", out, "--reach", c.body+" = 0,0,0", "--nearest", "--json")
				assert.NotEqual(t, shell.ExitUse, r.Status, r.Err)
			}
		})
	}
}

// reachTol is how near a target has to be reached, m, and shutTol how well joints are closed then, m or rad.
const reachTol, shutTol = 1e-8, 1e-9

// TestImportedReach: a body in the loops of an imported robot is brought to a target, from afar, with all joints closed
// in the pose that is written; and each has as many modes as freedoms. A mechanism of few freedoms has its target from
// another of its poses, as it reaches no others.
func TestImportedReach(t *testing.T) {
	check.Long(t)
	for name, c := range map[string]struct {
		body            string
		pose            string     // of coordinates, where the target is
		off             [3]float64 // of the target, else
		args            []string
		loops, mobility int
		drifts          int // translations that nothing resists: zero is two of their eigenvalues, and listed once
	}{
		foreign("gripper.urdf"):             {body: "tip", pose: "wrist=0.3,drive=0.25", loops: 4, mobility: 2},
		"urdf-strandbeest/Strandbeest.urdf": {body: "pair03_leg1_bars_g_h_i", pose: "joint_crossbar_crank=0.6", loops: 42, mobility: 1},
		// Its base floats and its rods spin, which no joint drives.
		foreign("truth/walker.urdf"): {body: "leg1b_g", pose: "crank=0.5", loops: 18, mobility: 1},
		foreign("truth/biped.xml"):   {body: "left-foot", off: [3]float64{0.03, 0, 0.02}, args: []string{"--method", "sparse"}, loops: 4, mobility: 20, drifts: 3},
		"mjcf-cassie/cassie.xml":     {body: "left-foot", off: [3]float64{0.05, 0, 0.035}, args: []string{"--method", "sparse"}, loops: 4, mobility: 22, drifts: 3},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			path := name
			if !strings.HasPrefix(path, reference) {
				path = formatstest.Others(t, filepath.FromSlash(name))
			}
			dir := t.TempDir()
			robot, posed := filepath.Join(dir, "robot.json"), filepath.Join(dir, "posed.json")
			open := func(path string) (*model.Model, spatial.Vec3) {
				m, err := rung.Open(path)
				require.NoError(t, err)
				k := slices.IndexFunc(m.Bodies, func(b model.Body) bool { return b.Name == c.body })
				require.GreaterOrEqual(t, k, 0)
				return m, m.Bodies[k].Pose.Position
			}
			ok(t, "import", path, "--close", "-o", robot)
			m, home := open(robot)
			var a struct {
				Loops       int
				Constraints struct{ Mobility int }
			}
			require.NoError(t, json.Unmarshal([]byte(ok(t, "analyze", robot, "--json")), &a))
			assert.Equal(t, c.loops, a.Loops)
			assert.Equal(t, c.mobility, a.Constraints.Mobility)
			target := home.Add(c.off)
			if c.pose != "" {
				other := filepath.Join(dir, "other.json")
				ok(t, "import", path, "--pose", c.pose, "--close", "-o", other)
				_, target = open(other)
			}
			require.Greater(t, target.Sub(home).Norm(), 0.01)
			text := make([]string, 3)
			for k := range text {
				text[k] = strconv.FormatFloat(target[k], 'g', -1, 64)
			}
			var p struct{ Status string }
			require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"ik", "--json", robot, "--reach", c.body + " = " + strings.Join(text, ","), "-o", posed}, c.args...)...)), &p))
			assert.Equal(t, "reached", p.Status)
			_, is := open(posed)
			assert.Less(t, is.Sub(target).Norm(), reachTol)

			var r rung.Result
			require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", posed, "--json")), &r))
			require.Len(t, r.Joints, len(m.Joints))
			for i := range r.Joints {
				assert.Less(t, r.Joints[i].PositionResidual, shutTol, r.Joints[i].Name)
			}
			// Modes without dampers are as many as the freedoms; with them, or where the pose is kept by no balance of
			// forces, eigenvalues are twice as many.
			for _, path := range []string{robot, posed} {
				var list answers.Modes
				require.NoError(t, json.Unmarshal([]byte(ok(t, "modes", "--json", path, "--moving", "--count", strconv.Itoa(2*c.mobility))), &list))
				assert.True(t, list.All)
				count := 0
				for i := range list.Modes {
					if count++; list.Damped && list.Modes[i].Eigenvalue[1] != 0 {
						count++ // one stands for a pair
					}
				}
				if list.Damped {
					assert.Equal(t, 2*c.mobility-c.drifts, count)
				} else {
					assert.Equal(t, c.mobility, count)
				}
			}
		})
	}
}
