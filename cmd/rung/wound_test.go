package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// TestWoundModels: a model that is written in the state of a path or of a search has its torsion spring wound as that state has. The pose
// of the drum is at 3 rad.
func TestWoundModels(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"drum.json": `{"format": "rung-model/1", "name": "drum", "gravity": [0, 0, 0],
			"bodies": [{"name": "drum", "mass": 1, "com": [0.1, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1},
				"pose": {"orientation": [0.0707372016677029, 0, 0, 0.9974949866040544]}}],
			"joints": [{"name": "hinge", "type": "revolute", "predecessor": "world", "successor": "drum", "stiffness": [0.5], "rest": [20]}]}`,
		"task.json": `{"format": "rung-ik/1", "targets": [{"name": "turn", "type": "coordinate", "freedom": "hinge", "value": 3.4}],
			"path": {"times": [0, 1], "step": 0.1, "exact": true, "turn": {"value": [3.4, 3.6]}}}`,
		"objective.json": `{"format": "rung-objective/1", "model": "drum.json", "at": "equilibrium", "terms": [{"column": "joint.hinge.q"}],
			"parameters": [{"path": "joints[hinge].rest[0]", "bounds": [19, 25]}]}`,
	} {
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o666))
	}
	ok(t, "ik", at("drum.json"), at("task.json"), "--model-out", at("moving.json"))
	ok(t, "optimize", at("objective.json"), "-o", at("settled.json"))
	for name, turns := range map[string]int64{"moving.json": 1, "settled.json": 3} { // 3.4 rad and 19 rad
		m, err := model.ReadFile(at(name))
		require.NoError(t, err)
		assert.Equal(t, []int64{turns}, m.Joints[0].Turns, name)
	}
}
