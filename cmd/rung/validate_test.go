package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var standardFolder = filepath.Join(reference, "standard")

// validated runs rung validate and reads its document.
func validated(t *testing.T, args ...string) *simulate.Validation {
	t.Helper()
	v := new(simulate.Validation)
	d := json.NewDecoder(strings.NewReader(ok(t, append([]string{"validate", standardFolder, "--json"}, args...)...)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(v))
	return v
}

// TestValidate runs the benchmarks that take less than a second: the default method meets
// every limit, and all but Baumgarte's hold the joints.
func TestValidate(t *testing.T) {
	models, most := "a01,a04,spatial", 3
	if testing.Short() {
		models, most = "a01", 1
	}
	v := validated(t, "--short", "--model", models)
	assert.Nil(t, v.Cost)
	required := 0
	for _, r := range v.Runs {
		name := r.Model + ", " + r.Integrator + ", " + r.Method + ", " + r.Stabilize
		assert.Empty(t, r.Failure, name)
		assert.Positive(t, r.Steps, name)
		assert.Equal(t, r.Error < r.Limit, r.Met, name)
		if r.Required {
			required++
			assert.True(t, r.Met, name)
			assert.Less(t, r.Energy, 1e-6, name)
		}
		if r.Stabilize == runs.Projection.String() {
			assert.Less(t, max(r.Position, r.Velocity), rowDrift, name)
		} else {
			assert.Greater(t, r.Velocity, rowDrift, name)
		}
	}
	assert.Equal(t, most, required)
}

// TestValidateNotices: a reference that is off by a part in a thousand is noticed, at one place of
// one component too, and a limit that is missed is the exit status.
func TestValidateNotices(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	for _, name := range []string{"a01-pendulum.model.json", "a01-pendulum.csv"} {
		data, err := os.ReadFile(filepath.Join(standardFolder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	r := rungRun("validate", dir, "--short", "--model", "a01")
	assert.Equal(t, shell.ExitDone, r.Status, r.Err)
	path := filepath.Join(dir, "a01-pendulum.csv")
	lines := strings.Split(readText(t, path), "\n")
	lines[500] = strings.Replace(lines[500], ",-", ",-1", 1) // x, whose digits move by one
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	r = rungRun("validate", dir, "--short", "--model", "a01")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "limits missed: a01-pendulum")
	assert.Contains(t, r.Out, "missed")
}

// TestValidateWrites replaces the table of a page and nothing else.
func TestValidateWrites(t *testing.T) {
	check.Long(t)
	page := filepath.Join(t.TempDir(), "page.md")
	const before, after = "# Title\n\n", "\nMore.\n"
	require.NoError(t, os.WriteFile(page, []byte(before+simulate.ValidateBegin+"old\n"+simulate.ValidateEnd+after), 0o600))
	table := ok(t, "validate", standardFolder, "--short", "--model", "a01", "--write", page)
	text := readText(t, page)
	assert.Equal(t, before+simulate.ValidateBegin+"\n"+table+"\n"+simulate.ValidateEnd+after, text)
	width := 0
	for line := range strings.Lines(table) {
		if width == 0 {
			width = len(line)
		}
		assert.Len(t, line, width)
	}
	require.NoError(t, os.WriteFile(page, []byte("no marks"), 0o600))
	r := rungRun("validate", standardFolder, "--model", "a01", "--write", page)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "there are no lines")
}

// TestValidateCost: the measure of a step's cost is there and in proportion.
func TestValidateCost(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	c, err := simulate.MeasureStepCost(true)
	require.NoError(t, err)
	require.Len(t, c.Sizes, 2)
	for _, s := range c.Sizes {
		assert.Equal(t, 2*s.Windows+1, s.Bodies)
		assert.Equal(t, 1.0, s.Projections)
		assert.Positive(t, s.Step)
	}
	assert.InDelta(t, c.Ratio, c.Sizes[1].Step/c.Sizes[0].Step*81/801, 1e-9)
	assert.Less(t, math.Abs(math.Log2(c.Ratio)), 2.) // a mistake in the measure, not a bound on the speed
}

func TestValidateBadUse(t *testing.T) {
	for _, c := range []struct {
		says string
		args []string
	}{
		{`no benchmark begins with "x"`, []string{"validate", standardFolder, "--model", "x"}},
		{"no such file", []string{"validate", t.TempDir()}},
		{"no such file", []string{"validate", standardFolder, "--write", filepath.Join(t.TempDir(), "x.md")}},
		{`unexpected argument "b"`, []string{"validate", "a", "b"}},
	} {
		r := rungRun(c.args...)
		assert.Equal(t, shell.ExitUse, r.Status, c.args)
		assert.Contains(t, r.Err, c.says)
	}
	clitest.RequireColumns(t, ok(t, "validate", "--help"))
}

// TestValidateUnknownColumn: a reference without the column of work is refused, as another column in its place would be wrong in silence.
func TestValidateUnknownColumn(t *testing.T) {
	for name, column := range map[string]string{"a03-andrews-ivp": "beta", "a05-flyball-governor": "energy"} {
		folder := t.TempDir()
		for _, end := range []string{".model.json", ".csv"} {
			text := readText(t, filepath.Join(standardFolder, name+end))
			if end == ".csv" {
				require.Contains(t, text, ","+column+",")
				head, _, _ := strings.Cut(strings.Replace(text, ","+column+",", ",other,", 1), "\n")
				one := strings.TrimSuffix(strings.Repeat("0,", strings.Count(head, ",")+1), ",")
				text = head + "\n" + one + "\n" + strings.Replace(one, "0", "1e-9", 1) + "\n"
			}
			require.NoError(t, os.WriteFile(filepath.Join(folder, name+end), []byte(text), 0o600))
		}
		r := rungRun("validate", folder, "--model", name[:3], "--short")
		require.Equal(t, shell.ExitUse, r.Status, r.Err)
		require.Equal(t, "rung: "+filepath.Join(folder, name+".csv")+": there is no column \""+column+"\"\n", r.Err)
	}
}

// TestStandardPageIsCurrent: the table in docs/validation.md has the models and methods of the
// command.
func TestStandardPageIsCurrent(t *testing.T) {
	_, rest, found := strings.Cut(readText(t, filepath.Join("..", "..", "docs", "validation.md")), simulate.ValidateBegin)
	require.True(t, found)
	table, _, found := strings.Cut(rest, simulate.ValidateEnd)
	require.True(t, found)
	for _, b := range simulate.StandardBenchmarks {
		assert.Contains(t, table, "| "+b.Model+" ")
		assert.FileExists(t, filepath.Join(standardFolder, b.Model+".csv"))
	}
	var v simulate.Validation
	for _, b := range simulate.StandardBenchmarks {
		for _, how := range b.Methods(false) {
			v.Runs = append(v.Runs, simulate.ValidatedRun{Model: b.Model, Integrator: how.Integrator.String()})
		}
	}
	rows := 0
	for line := range strings.Lines(table) {
		if strings.Contains(line, " tol ") || strings.Contains(line, " h = ") {
			assert.Contains(t, line, "| "+v.Runs[min(rows, len(v.Runs)-1)].Integrator+",")
			rows++
		}
	}
	assert.Equal(t, len(v.Runs), rows)
}
