package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forceTol is the error of a force, relative to the largest.
const forceTol = 1e-9

// TestInverseAgreesWithTree holds mechanisms still by actuators and compares the
// forces with those of the spanning tree (RBDA §8.12).
func TestInverseAgreesWithTree(t *testing.T) {
	for _, c := range []struct {
		name, actuated, status string
	}{
		{"four-bar", "p1", "proper"},
		{"four-bar", "p1,p4", "redundant"},
		{"stewart-6ups", "P1,P2,P3,P4,P5,P6", "proper"},
		{"rbda-8-3", "joint1,joint3.0", "proper"},
	} {
		var doc inverseDocument
		out := ok(t, "inverse", check.ModelPath(t, c.name), "--actuated", c.actuated, "--json")
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		assert.Equal(t, c.status, doc.Status, c.name)
		assert.Less(t, doc.Residual, forceTol)

		m, err := model.ReadFile(check.ModelPath(t, c.name))
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		list, err := parseActuators(mech, strings.Split(c.actuated, ","))
		require.NoError(t, err)
		plan, err := tree.NewPlan(mech, tree.Options{})
		require.NoError(t, err)
		v := plan.NewInverse(list, nil)
		require.NoError(t, v.SolveBodies(mech.Initial(), nil))
		got := make([]float64, len(doc.Actuators))
		for i, a := range doc.Actuators {
			got[i] = a.Force
		}
		check.CloseVec(t, got, v.Forces(), forceTol, check.MaxAbs(v.Forces()), "%s", c.name)
	}
}

// TestInverseOfAccelerations asks for what the model does by itself.
func TestInverseOfAccelerations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	path := check.ModelPath(t, "four-bar")
	require.NoError(t, os.WriteFile(file, []byte(ok(t, "accel", path, "--json")), 0o600))
	out := ok(t, "inverse", path, "--actuated", "p1", "--accel", file)
	assert.Contains(t, out, "status        proper")
	var doc inverseDocument
	require.NoError(t, json.Unmarshal([]byte(ok(t, "inverse", path, "--actuated", "p1", "--accel", file, "--json")), &doc))
	assert.Less(t, doc.Actuators[0].Force, forceTol)
	assert.Less(t, doc.Distance, forceTol)
}
