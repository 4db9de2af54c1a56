package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/check"
)

// TestSweepParameters: the numbers of a model that a study can vary are printed, and nothing is run.
func TestSweepParameters(t *testing.T) {
	path := check.ModelPath(t, "four-bar")
	text := ok(t, "sweep", "--parameters", path)
	assert.Contains(t, text, "\nbodies[crank].mass\t1\tkg\n")
	assert.Contains(t, text, "gravity[1]\t-9.81\tm/s²\n")

	for _, flag := range []string{"--out", "--plot", "--from"} {
		r := rungRun("sweep", "--parameters", path, flag, "x.parquet")
		assert.Equal(t, 2, r.Status)
		assert.Contains(t, r.Err, "--parameters runs nothing: it is not for "+flag)
	}
	r := rungRun("sweep", "--parameters", "none.json")
	assert.Contains(t, r.Err, "none.json: no such file")
}
