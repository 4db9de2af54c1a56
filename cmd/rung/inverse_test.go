package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/tree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// forceTol is the error of a force, relative to the largest.
	forceTol = 1e-9
	// sidesTol is the difference of forces, distances and residuals between the
	// sparse and the tree side, relative to the largest of the model: what the
	// wrenches of the two sides may differ by.
	sidesTol = 1e-8
	// trustedResidual is the residual of too few actuators whose digits count; far
	// below it is rounding.
	trustedResidual = 1e-3
)

// inverted is a run of rung inverse --json.
type inverted struct {
	answers.Inverse
	status int
}

func invert(t *testing.T, args ...string) (r inverted) {
	t.Helper()
	run := rungRun(append([]string{"inverse", "--json"}, args...)...)
	require.NotEqual(t, shell.ExitUse, run.Status, run.Err)
	require.NotEmpty(t, run.Out, run.Err)
	d := json.NewDecoder(strings.NewReader(run.Out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r.Inverse))
	r.status = run.Status
	return r
}

// forces returns the forces of r.
func (r *inverted) forces() (u []float64) {
	for _, a := range r.Actuators {
		u = append(u, a.Force)
	}
	return u
}

// actuatorSets returns choices of actuators of a mechanism, as --actuated takes
// them: independent variables of the spanning tree, the same without the last,
// the last one alone, and all there are. Freedoms without a scalar coordinate are
// left out.
func actuatorSets(t *testing.T, mech *mechanism.Mechanism) (sets []string) {
	t.Helper()
	usable := func(j, k int) bool {
		_, err := mech.Prescribe([]mechanism.Freedom{{Joint: j, Freedom: k}})
		return err == nil
	}
	plan, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	s := plan.NewSolver(tree.Projection, tree.SolverOptions{})
	require.NoError(t, s.Solve(mech.Initial()))
	var proper, all []string
	for _, d := range s.IndependentTo(nil) {
		l := &plan.Links[slices.IndexFunc(plan.Links, func(l tree.Link) bool { return int32(d) < l.Dof+l.NumDof })]
		if l.Joint >= 0 && usable(int(l.Joint), d-int(l.Dof)) {
			proper = append(proper, plan.DofName(d))
		}
	}
	for j := range mech.Joints {
		for k := range mech.Joints[j].Kind.Freedoms() {
			if usable(j, k) {
				all = append(all, fmt.Sprintf("%s.%d", mech.JointName(j), k))
			}
		}
	}
	sets = append(sets, strings.Join(all, ","))
	if n := len(proper); n > 0 {
		sets = append(sets, strings.Join(proper, ","), proper[n-1], strings.Join(proper[:n-1], ","))
	}
	return sets
}

// TestInverseMethods compares the tree methods with the sparse one on all models
// of the reference that have a loop, for actuators that are enough, too many and
// too few, held still and for the accelerations the model has by itself.
func TestInverseMethods(t *testing.T) {
	check.Long(t)
	count := map[string]int{}
	for _, name := range sampled(goldenNames(t), 2) {
		m, err := model.ReadFile(golden(name))
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		if mech.Graph().Loops == 0 {
			continue
		}
		scale := max(1, check.ReadExpected(t, name).Scale.Force)
		file := filepath.Join(t.TempDir(), "a.json")
		require.NoError(t, os.WriteFile(file, []byte(ok(t, "accel", golden(name), "--json")), 0o600))
		for _, set := range actuatorSets(t, mech) {
			if set == "" {
				continue
			}
			for _, wanted := range [][]string{nil, {"--accel", file}} {
				args := append([]string{golden(name), "--actuated", set}, wanted...)
				want := invert(t, args...)
				count[fmt.Sprint(want.Status, " ", want.status)]++
				methods := shell.MethodNames()[1:]
				for _, method := range methods {
					what := fmt.Sprintf("%s %s %v", name, method, args[2:])
					got := invert(t, append(args, "--method", method)...)
					assert.Equal(t, method, got.Method)
					assert.Equal(t, want.status, got.status, what)
					assert.Equal(t, want.Status, got.Status, what)
					assert.Equal(t, want.Uncontrolled, got.Uncontrolled, what)
					u := want.forces()
					check.CloseVec(t, got.forces(), u, sidesTol, max(scale, check.MaxAbs(u)), "%s", what)
					check.Close(t, got.Distance, want.Distance, sidesTol, max(1, want.Distance), "%s: distance", what)
					if want.Residual > trustedResidual {
						check.Close(t, got.Residual, want.Residual, sidesTol, 1/trustedResidual, "%s: residual", what)
					}
				}
			}
		}
	}
	least := 20
	for _, c := range []string{"proper 0", "redundant 0", "under 0", "under 1"} {
		assert.Greater(t, count[c], least, c)
	}
	assert.Len(t, count, 4)
}

// TestInverseRefuses holds the exit status and message of what cannot be asked.
func TestInverseRefuses(t *testing.T) {
	check.Long(t)
	big := filepath.Join(t.TempDir(), "chain.json")
	ok(t, "generate", "chain", "30000", "-o", big)
	last := shell.MethodNames()[len(shell.MethodNames())-1]
	for _, method := range shell.MethodNames() {
		for says, c := range map[string]struct {
			args   []string
			status int
		}{
			"given twice":                      {[]string{golden("driven-crank"), "--actuated", "p1,p1.0"}, shell.ExitUse},
			`no joint "elbow"`:                 {[]string{golden("four-bar"), "--actuated", "elbow"}, shell.ExitUse},
			"no scalar":                        {[]string{golden("ball-ladder-5"), "--actuated", "lb1.0"}, shell.ExitUse},
			"no actuators: .* prescribes none": {[]string{golden("four-bar")}, shell.ExitUse},
			"finite":                           {[]string{golden("four-bar"), "--actuated", "p1", "--time", "Inf"}, shell.ExitUse},
			"not controlled":                   {[]string{golden("rbda-8-3"), "--actuated", "joint1"}, shell.ExitFailed},
		} {
			r := rungRun(append(append([]string{"inverse"}, c.args...), "--method", method)...)
			assert.Equal(t, c.status, r.Status, "%s %v", method, c.args)
			assert.Regexp(t, says, r.Err, method)
		}
		if method == last || method != motion.Sparse.String() {
			r := rungRun("inverse", big, "--actuated", "j0", "--method", method)
			assert.Equal(t, shell.ExitFailed, r.Status, r.Err)
			assert.Contains(t, r.Err, method+": too much memory for 30000 bodies")
		}
	}
	assert.Equal(t, shell.ExitUse, rungRun("inverse", golden("four-bar"), "--actuated", "p1", "--method", "tree-aba").Status)
}

// TestInverseOfAccelerations asks for what the model does by itself.
func TestInverseOfAccelerations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	path := check.ModelPath(t, "four-bar")
	require.NoError(t, os.WriteFile(file, []byte(ok(t, "accel", path, "--json")), 0o600))
	for _, method := range shell.MethodNames() {
		args := []string{path, "--actuated", "p1", "--accel", file, "--method", method}
		assert.Contains(t, ok(t, append([]string{"inverse"}, args...)...), "status        proper")
		doc := invert(t, args...)
		assert.InDelta(t, 0, doc.Actuators[0].Force, forceTol)
		assert.Less(t, doc.Distance, forceTol)
	}
	piped := rungWith(readFile(t, file), "inverse", path, "--actuated", "p1", "--accel", "-", "--json")
	assert.Equal(t, shell.ExitDone, piped.Status, piped.Err)
	assert.Equal(t, ok(t, "inverse", path, "--actuated", "p1", "--accel", file, "--json"), piped.Out)
	piped = rungWith("{}", "inverse", path, "--actuated", "p1", "--accel", "-")
	assert.Equal(t, shell.ExitUse, piped.Status)
	assert.Contains(t, piped.Err, "rung: stdin: $.format: wrong format")
	const head = `{"format": "rung-result/1", "bodies": [{"name": "crank", `
	for rest, want := range map[string]string{ // numbers that are not there are no zeros
		`"angular_acceleration": [0, 0, 0]}]}`:                                   "com_acceleration",
		`"angular_acceleration": [0, 0], "com_acceleration": [0, 0, 0]}]}`:       "angular_acceleration",
		`"angular_acceleration": [0, 0, 0], "com_acceleration": [0, 0, 0, 0]}]}`: "com_acceleration",
		`"angular_acceleration": [0, null, 0], "com_acceleration": [0, 0, 0]}]}`: "angular_acceleration",
	} {
		piped = rungWith(head+rest, "inverse", path, "--actuated", "p1", "--accel", "-")
		assert.Equal(t, shell.ExitUse, piped.Status)
		assert.Contains(t, piped.Err, "rung: stdin: $.bodies[0]."+want+": has to be three numbers")
	}
}
