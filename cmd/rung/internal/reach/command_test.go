package reach_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/reach"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

var command = clitest.Of(reach.Commands)

func ikFile(name string) string { return clitest.Reference("ik", name) }

// posed is the document of a run of rung ik --json.
type posed struct {
	Status, Method, Engine string
	Steps, Restarts        int
	Targets                []struct {
		Name            string
		Linear, Angular float64
		Reached         bool
	}
	Driven []struct {
		Joint string
		Value float64
		Limit *string
	}
	Solutions [][]float64
}

func poses(t *testing.T, status int, args ...string) (p posed) {
	t.Helper()
	r := command.Run(append([]string{"ik", "--json"}, args...)...)
	require.Equal(t, status, r.Status, r.Err)
	require.NoError(t, json.Unmarshal([]byte(r.Out), &p))
	return p
}

// tip returns where the end of the planar arm is in a model.
func tip(t *testing.T, path string) [2]float64 {
	t.Helper()
	m, err := model.ReadFile(path)
	require.NoError(t, err)
	p := m.Bodies[2].Pose
	a := 2 * math.Atan2(p.Orientation[3], p.Orientation[0])
	return [2]float64{p.Position[0] + 0.3*math.Cos(a), p.Position[1] + 0.3*math.Sin(a)}
}

// TestIK poses an arm, a Stewart platform and a walker; the model that is written is in the pose.
func TestIK(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	arm := ikFile("fik-3r-reach.model.json")
	p := poses(t, shell.ExitDone, arm, "--reach", "link3 at 0.3,0,0 = 0.6,0.4,0", "-o", out)
	assert.Equal(t, "reached", p.Status)
	assert.Equal(t, "tree", p.Engine)
	is := tip(t, out)
	assert.InDelta(t, 0.6, is[0], 1e-8)
	assert.InDelta(t, 0.4, is[1], 1e-8)

	p = poses(t, shell.ExitDone, ikFile("stewart.model.json"), ikFile("stewart.task.json"), "--tolerance", "1e-12", "-o", out)
	want := []float64{0.36398722635193259, 0.41196436675461656, 0.35295961864898784, 0.29136646982213932, 0.14622300638608565, 0.13783577348630049}
	require.Len(t, p.Driven, len(want))
	for i, q := range want {
		assert.InDelta(t, q, p.Driven[i].Value, 1e-11)
	}
	again := poses(t, shell.ExitDone, out, ikFile("stewart.task.json"))
	assert.Zero(t, again.Steps, "it is there already")

	assert.Equal(t, "reached", poses(t, shell.ExitDone, ikFile("walker.model.json"), ikFile("walker.task.json")).Status)
	text := command.OK(t, "ik", ikFile("walker.model.json"), ikFile("walker.task.json"))
	for _, want := range []string{"targets reached after", "trunk.0", "foot4", "motor4", "rad", "reached"} {
		assert.Contains(t, text, want)
	}
}

// TestIKFailures: the reason is told, the document printed, and no model written unless the nearest pose is wanted.
func TestIKFailures(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	arm := ikFile("fik-3r-reach.model.json")
	far := []string{arm, "--reach", "link3 at 0.3,0,0 = 3,4,0", "--restarts", "2", "-o", out}
	p := poses(t, shell.ExitFailed, far...)
	assert.Equal(t, "nearest", p.Status)
	assert.InDelta(t, 5-1.2, p.Targets[0].Linear, 1e-9)
	assert.NoFileExists(t, out)
	r := command.Run(append([]string{"ik"}, far...)...)
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Equal(t, "rung: "+arm+`: targets not reached: out of reach; "link3 at 0.3,0,0" is off by 3.8 m`+"\n", r.Err)
	assert.Contains(t, r.Out, "out of reach: no motion of the driven freedoms brings the targets nearer")
	assert.Contains(t, r.Out, "not reached")

	p = poses(t, shell.ExitDone, append(far, "--nearest")...)
	assert.Equal(t, "nearest", p.Status)
	is := tip(t, out)
	assert.InDelta(t, 1.2*0.6, is[0], 1e-6)
	assert.InDelta(t, 1.2*0.8, is[1], 1e-6)

	// A limit is named.
	m, err := model.ReadFile(arm)
	require.NoError(t, err)
	for i := range m.Joints {
		m.Joints[i].Limits = []*model.Limit{{Lower: -0.3, Upper: 0.2}}
	}
	bounded := filepath.Join(t.TempDir(), "bounded.json")
	require.NoError(t, model.WriteFile(bounded, m))
	r = command.Run("ik", bounded, "--reach", "link3 at 0.3,0,0 = 0,1.1,0", "--restarts", "2")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "targets not reached: against a limit")
	assert.Contains(t, r.Out, "against limits: j1 at its upper limit")

	// A start outside of the limits is told.
	for i := range m.Joints {
		m.Joints[i].Limits = []*model.Limit{{Lower: 3, Upper: 4}}
	}
	require.NoError(t, model.WriteFile(bounded, m))
	r = command.Run("ik", bounded, "--reach", "link3 at 0.3,0,0 = 0.3,0.3,0", "--restarts", "2")
	assert.Contains(t, strings.Join(strings.Fields(r.Out), " "), "outside their limits at the start, to which the first step went:")

	// Targets that contradict each other are named, with their rows.
	r = command.Run("ik", arm, "--reach", "link3 = 0.5,0.2,0", "--reach", "link3 at 0.3,0,0 = 0.5,0.9,0")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "contradict")
}

// TestIKBadUse: what is wrong with the command line or the task is status 2, and names the place.
func TestIKBadUse(t *testing.T) {
	arm, stewart := ikFile("fik-3r-reach.model.json"), ikFile("stewart.model.json")
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"format": "rung-ik/1", "driven": ["j9", 7], "targets": [{"name": "a", "type": "point", "body": "link9", "position": [0, 0]}], "x": 1}`), 0o600))
	for _, c := range []struct {
		err  string
		args []string
	}{
		{"no target: give TASK, --reach or --orient", []string{arm}},
		{"unexpected argument", []string{arm, "a.json", "b.json"}},
		{"no body and no target", []string{arm, "--reach", "hand = 0,0,0"}},
		{"want NAME = numbers", []string{arm, "--reach", "link3 0,0,0"}},
		{"want three numbers", []string{arm, "--reach", "link3 = 0,0"}},
		{`want three numbers x,y,z in place of "1"`, []string{arm, "--reach", "link3 at 1 = 0,0,0"}},
		{"want a unit quaternion", []string{arm, "--orient", "link3 = 1,1,0,0"}},
		{"no method \"newton\"; there are auto, fik, dls", []string{arm, "--reach", "link3 = 0,0,0", "--method", "newton"}},
		{"no engine", []string{arm, "--reach", "link3 = 0,0,0", "--engine", "steam"}},
		{"--tolerance", []string{arm, "--reach", "link3 = 0,0,0", "--tolerance", "-1"}},
		{"--steps", []string{arm, "--reach", "link3 = 0,0,0", "--steps", "0"}},
		{"several outputs on standard output", []string{arm, "--reach", "link3 = 0,0,0", "--json", "-o", "-"}},
		{"tree is for mechanisms without loops", []string{stewart, "--reach", "platform = 0,0,0.8", "--engine", "tree"}},
		{"the driven freedoms leave motions free: base1.0", []string{stewart, "--reach", "platform = 0,0,0.8", "--driven", "slide1"}},
		{"no such file", []string{arm, filepath.Join(t.TempDir(), "none.json")}},
	} {
		r := command.Run(append([]string{"ik"}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, "%q: %s", c.args, r.Err)
		assert.Contains(t, r.Err, c.err, "%q", c.args)
		assert.Empty(t, r.Out)
	}
	r := command.Run("ik", arm, bad)
	assert.Equal(t, shell.ExitUse, r.Status)
	var paths []string
	for line := range strings.Lines(r.Err) {
		path, _, _ := strings.Cut(strings.TrimPrefix(line, bad+": "), ":")
		paths = append(paths, path)
	}
	assert.Equal(t, []string{"$.x", "$.driven[0]", "$.driven[1]", "$.targets[0].position", "$.targets[0].body"}, paths, r.Err)
}

// TestIKAll finds the solutions of the reference arm.
func TestIKAll(t *testing.T) {
	p := poses(t, shell.ExitDone, ikFile("ik-6r-all.model.json"), "--reach", "link6 at 0,0,0.1 = 0.4,0.2,0.5", "--orient", "link6 = 1,0,0,0", "--all")
	assert.Greater(t, len(p.Solutions), 1)
	for _, q := range p.Solutions {
		assert.Len(t, q, 6)
	}
}

func example(name string) string { return clitest.Example("reach", name) }

// table reads a file of comma-separated values as columns of numbers; texts are left out.
func table(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	columns := map[string][]float64{}
	for _, row := range all[1:] {
		for k, text := range row {
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				columns[all[0][k]] = append(columns[all[0][k]], x)
			}
		}
	}
	return columns
}

// TestIKPath: the hand follows the path, its model runs along it in a simulation, and pictures are drawn.
func TestIKPath(t *testing.T) {
	dir := t.TempDir()
	out, moving := filepath.Join(dir, "out.csv"), filepath.Join(dir, "moving.json")
	args := []string{"ik", example("arm.json"), example("carry.json"), "--out", out, "--model-out", moving}
	text := command.OK(t, args...)
	assert.Contains(t, text, "path followed to 3 s in 151 samples")
	c := table(t, out)
	require.Len(t, c["time"], 151)
	for k, x := range c["tip.error.linear"] {
		assert.LessOrEqual(t, x, 1e-8, k)
	}
	for _, joint := range []string{"turn.0", "shoulder.0", "elbow.0", "wrist.0"} {
		q, rate, h := c[joint], c[joint+".rate"], c["time"][1]
		for k := 1; k < len(q)-1; k++ {
			assert.InDelta(t, (q[k+1]-q[k-1])/(2*h), rate[k], 2e-3, "%s at sample %d", joint, k)
		}
	}

	// The hand is where the path has it when the model runs by itself.
	m, err := rung.Open(moving)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 3})
	require.NoError(t, err)
	hand, err := p.Mechanism().BodyIndex("hand")
	require.NoError(t, err)
	for k, want := range []spatial.Vec3{{0.4, 0.3, 0.3}, {0.5, 0.1, 0.45}, {0.5, -0.1, 0.45}, {0.4, -0.3, 0.3}} {
		require.NoError(t, s.Run(float64(k)))
		assert.InDelta(t, 0, s.State().Bodies[hand].Position.Sub(want).Norm(), 1e-6, "at %d s", k)
	}
	r := command.Run("ik", example("arm.json"), example("pick.json"), "--out", out)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "for a task with a path")
}

// TestIKPathUnreached: a path that leaves the reach ends there, with status 1, the rows so far, and no model.
func TestIKPathUnreached(t *testing.T) {
	dir := t.TempDir()
	task, out, moving := filepath.Join(dir, "task.json"), filepath.Join(dir, "out.csv"), filepath.Join(dir, "moving.json")
	require.NoError(t, os.WriteFile(task, []byte(`{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "hand", "point": [0.1, 0, 0]}],
		"path": {"times": [0, 1], "step": 0.1, "exact": true, "tip": {"position": [[0.5, 0, 0.3], [0.95, 0, 0.3]]}}}`), 0o600))
	r := command.Run("ik", example("arm.json"), task, "--out", out, "--model-out", moving, "--json")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, `of the path: targets not reached: `)
	assert.Contains(t, r.Out, `"missed": 1`)
	assert.Len(t, table(t, out)["time"], 8, "up to the first beyond 0.8 m")
	assert.NoFileExists(t, moving)
	assert.Contains(t, r.Err, "; "+out+" has the samples up to there")
	r = command.Run("ik", example("arm.json"), task)
	assert.Contains(t, r.Out, "path left at 0.7 s of 1 s in 8 samples")

	// Rates that are too small are named.
	require.NoError(t, os.WriteFile(task, []byte(`{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "hand", "point": [0.1, 0, 0]}],
		"path": {"times": [0, 0.1], "step": 0.01, "exact": true, "tip": {"position": [[0.5, 0.1, 0.3], [0.3, 0.5, 0.3]]}}}`), 0o600))
	r = command.Run("ik", example("arm.json"), task)
	assert.Equal(t, shell.ExitFailed, r.Status)
	text := strings.Join(strings.Fields(r.Out), " ")
	assert.Contains(t, text, "against limits: turn at its largest rate")
	assert.Contains(t, text, `a slower path, or "stretch": true in it, leaves time for rates`)
}

// TestIKFilter: designs run from a task alone; what keeps them from
// running is told at its place in the task, and is bad input.
func TestIKFilter(t *testing.T) {
	arm, task := ikFile("fik-3r-reach.model.json"), filepath.Join(t.TempDir(), "task.json")
	run := func(fik string, args ...string) clitest.Result {
		require.NoError(t, os.WriteFile(task, []byte(`{"format": "rung-ik/1", "solver": {"method": "fik"}, "fik": `+fik+`, "targets": [
			{"name": "tip", "type": "point", "body": "link3", "point": [0.3, 0, 0], "position": [0.6, 0.4, 0], "weight": [1, 1, 0], "tolerance": [1e-6, 1e-6]}]}`), 0o600))
		return command.Run(append([]string{"ik", arm, task}, args...)...)
	}
	for _, fik := range []string{`{}`, `{"design": "norm"}`, `{"design": "tune"}`, `{"form": "fixed"}`, `{"form": "fixed", "design": "tune"}`} {
		r := run(fik, "--json")
		require.Equal(t, shell.ExitDone, r.Status, "%s: %s", fik, r.Err)
		assert.Contains(t, r.Out, `"fik": {`)
	}
	for fik, want := range map[string]string{
		`{"h": 1}`:                                 `$.fik.h: feedback inverse kinematics is unstable: `,
		`{"form": "fixed", "design": "norm"}`:      `write "design": "given", "P": `,
		`{"design": "given"}`:                      `$.fik.P: missing`,
		`{"gains": {"j1": 0, "j2": 0, "j3": 0.0}}`: `$.fik.gains: are all zero`,
		`{"feedback": 1e308}`:                      `$.fik.feedback: is beyond 1e50 (value 1e+308)`,
	} {
		r := run(fik)
		assert.Equal(t, shell.ExitUse, r.Status, fik)
		assert.Contains(t, r.Err, task+": ")
		assert.Contains(t, r.Err, want)
		assert.Empty(t, r.Out)
	}
}

// TestIKFar: numbers that would overflow are refused with their place, or told.
func TestIKFar(t *testing.T) {
	r := command.Run("ik", example("arm.json"), "--reach", "hand = 1e308,0,0", "--json")
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Equal(t, "task: $.targets[0].position: is beyond 1e50 (value [1e+308, 0, 0])\n", r.Err)
	p := poses(t, shell.ExitFailed, example("arm.json"), "--reach", "hand = 1e50,0,0")
	assert.Equal(t, "nearest", p.Status)
	m, err := model.ReadFile(example("arm.json"))
	require.NoError(t, err)
	for i := range m.Joints {
		m.Joints[i].PredecessorFrame.Position[0] *= 1e160
	}
	large := filepath.Join(t.TempDir(), "large.json")
	require.NoError(t, model.WriteFile(large, m))
	r = command.Run("ik", large, "--reach", "hand = 1,0.2,0", "--json")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "numbers overflow: how far target \"hand\" is off is not finite")
}

// TestIKPictures draws a pose and a path; the picture of no kind is refused.
func TestIKPictures(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"arm.json", "pick.json"}, {"arm.json", "carry.json"}} {
		for _, ending := range []string{".svg", ".png"} {
			path := filepath.Join(dir, "picture"+ending)
			command.OK(t, "ik", example(args[0]), example(args[1]), "--plot", path)
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Greater(t, len(b), 10_000)
			if ending == ".svg" {
				assert.Contains(t, string(b), "from the side")
				assert.Contains(t, string(b), "singular value")
			}
		}
	}
	// All starts are drawn, from step 0 on; a path that is stretched is drawn to its end.
	path := filepath.Join(dir, "picture.svg")
	command.OK(t, "ik", example("arm.json"), "--reach", "hand = 0.5,0.3,0.4", "--plot", path)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(b), "steps, one start after the other")
	for _, tick := range []string{">0<", ">5<", ">20<"} {
		assert.Contains(t, string(b), tick)
	}
	// Up is against gravity.
	m, err := model.ReadFile(example("arm.json"))
	require.NoError(t, err)
	m.Gravity = [3]float64{0, -9.81, 0}
	lying := filepath.Join(dir, "lying.json")
	require.NoError(t, model.WriteFile(lying, m))
	for from, axes := range map[string][2]string{example("arm.json"): {"z, m", "y, m"}, lying: {"y, m", "−z, m"}} {
		command.OK(t, "ik", from, "--reach", "hand = 0.5,0.3,0.4", "--plot", path)
		b, err = os.ReadFile(path)
		require.NoError(t, err)
		for _, axis := range axes {
			assert.Contains(t, string(b), ">"+axis+"<")
		}
	}
	task := filepath.Join(dir, "task.json")
	require.NoError(t, os.WriteFile(task, []byte(`{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "hand", "point": [0.1, 0, 0]}],
		"path": {"times": [0, 0.1], "step": 0.01, "exact": true, "stretch": true, "tip": {"position": [[0.5, 0.1, 0.3], [0.3, 0.5, 0.3]]}}}`), 0o600))
	out := filepath.Join(dir, "out.csv")
	command.OK(t, "ik", example("arm.json"), task, "--plot", path, "--out", out)
	times := table(t, out)["time"]
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(b), ">"+strconv.FormatFloat(times[len(times)-1], 'g', 3, 64)+" s<")
	r := command.Run("ik", example("arm.json"), example("pick.json"), "--plot", "picture.gif")
	assert.Equal(t, shell.ExitUse, r.Status)
}
