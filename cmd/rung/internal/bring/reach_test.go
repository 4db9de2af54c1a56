package bring_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

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
			command.OK(t, "import", path, "--close", "-o", robot)
			m, home := open(robot)
			var a struct {
				Loops       int
				Constraints struct{ Mobility int }
			}
			require.NoError(t, json.Unmarshal([]byte(command.OK(t, "analyze", robot, "--json")), &a))
			assert.Equal(t, c.loops, a.Loops)
			assert.Equal(t, c.mobility, a.Constraints.Mobility)
			target := home.Add(c.off)
			if c.pose != "" {
				other := filepath.Join(dir, "other.json")
				command.OK(t, "import", path, "--pose", c.pose, "--close", "-o", other)
				_, target = open(other)
			}
			require.Greater(t, target.Sub(home).Norm(), 0.01)
			text := make([]string, 3)
			for k := range text {
				text[k] = strconv.FormatFloat(target[k], 'g', -1, 64)
			}
			var p struct{ Status string }
			require.NoError(t, json.Unmarshal([]byte(command.OK(t, append([]string{"ik", "--json", robot, "--reach", c.body + " = " + strings.Join(text, ","), "-o", posed}, c.args...)...)), &p))
			assert.Equal(t, "reached", p.Status)
			_, is := open(posed)
			assert.Less(t, is.Sub(target).Norm(), reachTol)

			var r rung.Result
			require.NoError(t, json.Unmarshal([]byte(command.OK(t, "accel", posed, "--json")), &r))
			require.Len(t, r.Joints, len(m.Joints))
			for i := range r.Joints {
				assert.Less(t, r.Joints[i].PositionResidual, shutTol, r.Joints[i].Name)
			}
			// Modes without dampers are as many as the freedoms; with them, or where the pose is kept by no balance of
			// forces, eigenvalues are twice as many.
			for _, path := range []string{robot, posed} {
				var list answers.Modes
				require.NoError(t, json.Unmarshal([]byte(command.OK(t, "modes", "--json", path, "--moving", "--count", strconv.Itoa(2*c.mobility))), &list))
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
