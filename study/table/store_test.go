package table_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
	"github.com/rung-mbd/rung/study/table"
)

// parts is the number of parts of the sweeps below, of 32 runs each but for the last.
const (
	parts    = 3
	partRuns = 32
	runs     = 80
)

// newSweep returns a study of a four-bar, some of whose cranks are too long to close.
func newSweep(t *testing.T, change func(s *study.Study)) *sweep.Sweep {
	t.Helper()
	const path = "../../docs/four-bar.model.json"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s := &study.Study{
		Run: study.Run{Until: 0.02, Step: 0.01, Every: 0.01, Integrator: "rk4"}, Sampling: study.Halton, Draws: runs, Seed: 3,
		Parameters:   []study.Parameter{{Name: "crank", Path: "joints[A].predecessor_frame.position[0]", Law: study.Uniform, Low: 0.9, High: 6}},
		Outputs:      []study.Output{{Name: "last", Column: "joint.O.q", Take: study.Final}},
		Trajectories: []string{"joint.*.q"},
	}
	if change != nil {
		change(s)
	}
	w, err := sweep.New(s, "study", sweep.Source{Text: text, Name: path, Slopes: objective.Slopes})
	require.NoError(t, err)
	return w
}

// files returns options with files in a folder.
func files(dir, name string) table.Options {
	return table.Options{Runs: filepath.Join(dir, name+".parquet"), Trajectories: filepath.Join(dir, name+"-paths.parquet")}
}

func content(t *testing.T, o table.Options) (both [2]string) {
	t.Helper()
	for i, path := range []string{o.Runs, o.Trajectories} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		both[i] = string(text)
		assert.NoDirExists(t, path+".parts")
	}
	return both
}

var errStopped = errors.New("stopped")

// interrupt runs a sweep that is stopped in its last part.
func interrupt(t *testing.T, w *sweep.Sweep, o table.Options) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	n := 0
	o.Threads, o.Add = 1, func(k int) {
		if n += k; n == (parts-1)*partRuns+1 {
			cancel(errStopped)
		}
	}
	counts, err := table.Run(ctx, w, o)
	require.ErrorIs(t, err, errStopped)
	require.Zero(t, counts)
	require.NoFileExists(t, o.Runs)
}

// TestRun: an interrupted sweep goes on with its parts, names a damaged one and computes it again; the files are those of a
// sweep that nothing has happened to, on any number of goroutines, and progress is that of all runs.
func TestRun(t *testing.T) {
	dir, w := t.TempDir(), newSweep(t, nil)
	whole := files(dir, "whole")
	failed := 0
	whole.Threads = 2
	counts, err := table.Run(context.Background(), w, whole)
	require.NoError(t, err)
	require.Equal(t, runs, counts.Computed)
	columns := []table.Column{{Name: study.StatusColumn, Kind: table.Text}, {Name: study.ReasonColumn, Kind: table.Text}}
	require.NoError(t, table.Read(whole.Runs, study.RunsFormat, columns, func(cells []table.Cell) error {
		if cells[0].Text == study.Failed {
			failed++
		}
		assert.Equal(t, cells[0].Text == study.Done, cells[1].Null)
		return nil
	}))
	require.Equal(t, failed, counts.Failed)
	require.Positive(t, counts.Failed)

	o := files(dir, "killed")
	interrupt(t, w, o)
	damaged := filepath.Join(o.Trajectories+".parts", "00000001.parquet")
	data, err := os.ReadFile(damaged)
	require.NoError(t, err)
	data[len(data)/2] ^= 4
	require.NoError(t, os.WriteFile(damaged, data, 0o666))
	var stages []string
	var totals, steps []int
	warned := 0
	o.Resume = true
	o.Stage = func(name string, total int) {
		stages, totals, steps = append(stages, name), append(totals, total), append(steps, 0)
	}
	o.Add = func(n int) { steps[len(steps)-1] += n }
	o.Warn = func(damage error, run int) {
		warned++
		assert.ErrorIs(t, damage, outfile.ErrDamaged)
		assert.ErrorContains(t, damage, damaged)
		assert.Equal(t, partRuns, run)
	}
	counts, err = table.Run(context.Background(), w, o)
	require.NoError(t, err)
	assert.Equal(t, runs-partRuns, counts.Computed)
	assert.Equal(t, 1, warned)
	assert.Equal(t, []string{"running", "joining"}, stages)
	assert.Equal(t, []int{runs, parts}, totals)
	assert.Equal(t, totals, steps)
	assert.Equal(t, content(t, whole), content(t, o))

	counts, err = table.Run(context.Background(), w, o)
	require.NoError(t, err)
	assert.Zero(t, counts, "a whole sweep has nothing to do")
	assert.Len(t, stages, 2)
}

// TestGradients: gradients are columns, null where a run has failed or has none, which is told; a sweep that was stopped has the same bytes.
func TestGradients(t *testing.T) {
	w := newSweep(t, func(s *study.Study) {
		s.Gradients = []string{"crank", "bodies[coupler].mass"}
	})
	dir := t.TempDir()
	whole, o := files(dir, "whole"), files(dir, "killed")
	whole.Threads = 2
	_, err := table.Run(context.Background(), w, whole)
	require.NoError(t, err)
	interrupt(t, w, o)
	o.Resume = true
	counts, err := table.Run(context.Background(), w, o)
	require.NoError(t, err)
	require.Equal(t, runs-(parts-1)*partRuns, counts.Computed)
	require.Equal(t, content(t, whole), content(t, o))
	some := 0
	read := func(path string, see func(cells []table.Cell)) {
		columns := []table.Column{
			{Name: study.StatusColumn, Kind: table.Text}, {Name: study.ReasonColumn, Kind: table.Text},
			{Name: "d(last)/d(crank)", Kind: table.Float}, {Name: "d(last)/d(bodies[coupler].mass)", Kind: table.Float},
		}
		require.NoError(t, table.Read(path, study.RunsFormat, columns, func(cells []table.Cell) error {
			see(cells)
			return nil
		}))
	}
	read(whole.Runs, func(cells []table.Cell) {
		done := cells[0].Text == study.Done
		require.Equal(t, done, !cells[2].Null && !cells[3].Null)
		if done && cells[2].Float != 0 && cells[3].Float != 0 {
			some++
		}
	})
	require.Positive(t, some)

	out := newSweep(t, func(s *study.Study) {
		s.Gradients = []string{"joints[A].successor_frame.position[2]"} // out of the plane
	})
	o = files(dir, "out")
	_, err = table.Run(context.Background(), out, o)
	require.NoError(t, err)
	require.NoError(t, table.Read(o.Runs, study.RunsFormat, []table.Column{
		{Name: study.StatusColumn, Kind: table.Text}, {Name: study.ReasonColumn, Kind: table.Text},
		{Name: "d(last)/d(joints[A].successor_frame.position[2])", Kind: table.Float}, {Name: "last", Kind: table.Float},
	}, func(cells []table.Cell) error {
		require.True(t, cells[2].Null)
		if cells[0].Text == study.Done {
			require.False(t, cells[3].Null)
			require.Regexp(t, `^no gradients: .*joint`, cells[1].Text)
		}
		return nil
	}))
}

// TestRunRefuses: parts of another sweep are refused by one that goes on and removed by one that begins; files that do not go
// with the study or cannot be written are errors before a run.
func TestRunRefuses(t *testing.T) {
	dir, w := t.TempDir(), newSweep(t, nil)
	o := files(dir, "a")
	interrupt(t, w, o)
	ran := func(string, int) { assert.Fail(t, "it ran") }
	refused := func(w *sweep.Sweep, change func(o *table.Options)) error {
		o := o
		o.Resume, o.Stage = true, ran
		change(&o)
		_, err := table.Run(context.Background(), w, o)
		require.Error(t, err)
		return err
	}
	other := newSweep(t, func(s *study.Study) { s.Seed = 4 })
	none := newSweep(t, func(s *study.Study) { s.Trajectories = nil })
	stages := func(o *table.Options) { o.Stage = nil }
	assert.ErrorContains(t, refused(other, stages), "is not of this sweep")
	assert.ErrorContains(t, refused(w, func(o *table.Options) { stages(o); o.Index, o.Of = 1, 2 }), "is not of this sweep")
	assert.EqualError(t, refused(none, func(*table.Options) {}), "study/table: "+o.Trajectories+": the study keeps no trajectories")
	assert.EqualError(t, refused(w, func(o *table.Options) { o.Trajectories = "" }), "study/table: the study keeps trajectories, and there is no file for them")
	assert.ErrorIs(t, refused(w, func(o *table.Options) { o.Trajectories = o.Runs }), outfile.ErrHeld)
	assert.ErrorIs(t, refused(w, func(o *table.Options) { o.Runs = filepath.Join(dir, "none", "a.parquet") }), os.ErrNotExist)
	assert.PanicsWithValue(t, "study/table: no file for the runs", func() { _, _ = table.Run(context.Background(), w, table.Options{}) })

	_, err := table.Run(context.Background(), other, o)
	require.NoError(t, err)
	b := files(dir, "b")
	_, err = table.Run(context.Background(), other, b)
	require.NoError(t, err)
	assert.Equal(t, content(t, b), content(t, o))
}

// TestRunFails: a file that can no longer be written is named; the places of the files are free afterwards.
func TestRunFails(t *testing.T) {
	dir, w := t.TempDir(), newSweep(t, nil)
	o := files(dir, "a")
	n := 0
	o.Add = func(int) { // after the first run there is a file where the folder of the parts goes
		if n++; n == 1 {
			assert.NoError(t, os.WriteFile(o.Trajectories+".parts", nil, 0o666))
		}
	}
	_, err := table.Run(context.Background(), w, o)
	failed := new(table.WriteError)
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, filepath.Join(o.Trajectories+".parts", "00000000.parquet"), failed.Path)
	assert.ErrorContains(t, err, "study/table: "+failed.Path+": ")
	require.NoError(t, os.Remove(o.Trajectories+".parts"))
	o.Add = nil
	_, err = table.Run(context.Background(), w, o)
	require.NoError(t, err)
}
