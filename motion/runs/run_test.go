package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// linkage returns two windows of linked four-bars, moving.
func linkage(t *testing.T) *model.Model {
	t.Helper()
	m, err := bench.NFourBar(2, 0.5, 1)
	require.NoError(t, err)
	return m
}

func planOf(t *testing.T, m *model.Model) *kkt.Plan {
	t.Helper()
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	return p
}

func newRun(t *testing.T, m *model.Model, o runs.Options) *runs.Simulation {
	t.Helper()
	s, err := runs.New(planOf(t, m), o)
	require.NoError(t, err)
	return s
}

// TestZeroOptions: the zero value is a run that keeps the energy and the joints, and no rows.
func TestZeroOptions(t *testing.T) {
	s := newRun(t, linkage(t), runs.Options{})
	row, _, err := s.Row()
	require.NoError(t, err)
	before := row.Energy
	require.NoError(t, s.Run(1))
	row, _, err = s.Row()
	require.NoError(t, err)
	after := row.Energy
	assert.InDelta(t, before.Kinetic+before.Potential(), after.Kinetic+after.Potential(), 1e-5)
	assert.InDelta(t, 1, s.Time(), 1e-15)
	assert.NotZero(t, s.Stats().Steps)
	assert.Less(t, s.Stats().Worst.Position, 1e-6)
	assert.Nil(t, s.Rows())
	assert.Nil(t, s.Fit())
	assert.Empty(t, s.Warnings())
	assert.Equal(t, sim.DefaultTolerance, s.Tolerance())
	require.NoError(t, s.Close())
	assert.PanicsWithValue(t, "motion/runs: Run after Close", func() { _ = s.Run(2) })
}

// TestRows: without a place for rows they are kept, those of the file are the same, and OnRow sees all.
func TestRows(t *testing.T) {
	m := linkage(t)
	kept := newRun(t, m, runs.Options{Every: 0.1, Columns: []string{"joint.*.q", "energy.*"}})
	require.NoError(t, kept.Run(1))
	require.Len(t, kept.Rows(), 11)
	names := kept.Columns().Names()
	assert.Equal(t, "time", names[0])
	assert.Len(t, kept.Rows()[3], len(names))

	var text bytes.Buffer
	var seen [][]float64
	o := runs.Options{Until: 1, Columns: []string{"joint.*.q", "energy.*"}, Files: runs.Files{CSV: &text}}
	o.OnRow = func(_ *sim.Row, values []float64) error {
		seen = append(seen, append([]float64(nil), values...))
		return nil
	}
	s := newRun(t, m, o)
	assert.Equal(t, 1./runs.OutputParts, s.Every())
	require.NoError(t, s.Run(1))
	require.NoError(t, s.Close())
	assert.Len(t, seen, runs.OutputParts+1)
	assert.Nil(t, s.Rows())
	assert.Equal(t, 102, bytes.Count(text.Bytes(), []byte("\n")))
	assert.Equal(t, kept.Rows()[1], seen[10])
	assert.EqualValues(t, runs.OutputParts+1, s.Told().Rows)

	_, err := runs.New(planOf(t, m), runs.Options{Files: runs.Files{CSV: &text}})
	require.EqualError(t, err, "motion/runs: rows need Every, or Until for a part of the run")
	late := *m
	late.Time = 2
	_, err = runs.New(planOf(t, &late), runs.Options{Until: 1, Files: runs.Files{CSV: &text}})
	require.EqualError(t, err, "motion/runs: Until 1 is not after the start, 2 s")
}

// TestRowRefused: a row that OnRow refuses comes again, and is in the file once.
func TestRowRefused(t *testing.T) {
	m := linkage(t)
	run := func(refuses bool) (text string, s *runs.Simulation) {
		var b bytes.Buffer
		o, refused := runs.Options{Every: 0.1, Files: runs.Files{CSV: &b}}, false
		o.OnRow = func(*sim.Row, []float64) error {
			if refused = refuses && !refused; refused {
				return errors.New("not yet")
			}
			return nil
		}
		s = newRun(t, m, o)
		for s.Run(0.5) != nil {
		}
		require.NoError(t, s.Close())
		return b.String(), s
	}
	want, _ := run(false)
	got, s := run(true)
	require.Equal(t, want, got)
	require.EqualValues(t, 6, s.Told().Rows)
	require.InDelta(t, 0.5, s.Told().Last, 1e-9)
}

// TestRow: a row may be asked for at any time and is the one that the recorder gets there; the run does not notice, also
// where reactions are among its columns and in its friction.
func TestRow(t *testing.T) {
	m := linkage(t)
	m.Joints[0].Friction = []model.Friction{{Coefficient: 0.1, Radius: 0.005, Speed: 0.1}}
	run := func(looks bool) (*runs.Simulation, [][]float64) {
		o := runs.Options{Every: 0.04, Columns: []string{"joint.*", "energy.*", "drift.*", "*.force.*"}}
		if looks {
			o.OnStep = func(s *runs.Simulation) error {
				row, _, err := s.Row()
				if err == nil && row.State.Time != s.Time() {
					err = errEnd
				}
				return err
			}
		}
		s := newRun(t, m, o)
		_, first, err := s.Row()
		require.NoError(t, err)
		first = slices.Clone(first)
		require.NoError(t, s.Run(0.4)) // before friction and reactions find no balance
		require.Equal(t, s.Rows()[0], first)
		_, last, err := s.Row()
		require.NoError(t, err)
		require.Equal(t, s.Rows()[10][0], last[0])
		check.CloseVec(t, s.Rows()[10], last, 1e-9, 1, "the last row")
		return s, s.Rows()
	}
	quiet, want := run(false)
	asked, got := run(true)
	assert.Equal(t, want, got)
	assert.Equal(t, quiet.State(), asked.State())
	assert.Equal(t, quiet.Stats(), asked.Stats())
}

// TestBearingsNearFlat: where two windows come near their flat pose, reactions have lost digits. Friction and reactions agree as well as these allow: they
// did not at some states. Within some 4e-4 rad of the pose, at 0.4525 s, friction is more than the reaction that makes it, and the run ends there by name.
func TestBearingsNearFlat(t *testing.T) {
	m := linkage(t)
	m.Joints[0].Friction = []model.Friction{{Coefficient: 0.1, Radius: 0.005, Speed: 0.1}}
	var ends []*mechanism.State
	for _, o := range []runs.Options{
		{Tolerance: 1e-10}, {Tolerance: 1e-10, Method: motion.TreeDirect}, {Tolerance: 1e-10, Method: motion.TreeLambda}, {Integrator: runs.GeneralizedAlpha, Tolerance: 1e-9},
	} {
		s := newRun(t, m, o)
		require.NoError(t, s.Run(0.452), o.Integrator)
		ends = append(ends, s.State().Clone())
		err := s.Run(0.6)
		require.Regexp(t, `t = 0\.452\d*: joint "g0": friction and reactions find no balance$`, err)
	}
	for i, tol := range []float64{0, 1e-7, 1e-7, 1e-5} {
		for k := range ends[0].Bodies {
			a, b := ends[0].Bodies[k].Omega, ends[i].Bodies[k].Omega
			require.LessOrEqual(t, a.Sub(b).Norm(), tol, "%d: %v %v", i, a, b)
		}
	}
}

// errEnd ends runs after some steps.
var errEnd = errors.New("end")

// TestResume: a run that is ended in the middle and goes on from its checkpoint leaves the bytes of one that was not, in
// every file.
func TestResume(t *testing.T) {
	check.Long(t)
	m, err := bench.Rover(1, 1)
	require.NoError(t, err)
	for i := range m.Bodies { // it falls
		m.Bodies[i].Pose.Position[2] += 0.05
	}
	files := func() runs.Files {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		return runs.Files{Trajectory: at("run.csv"), Contacts: at("contacts.csv"), Events: at("events.csv"), Checkpoint: at("run.ckpt")}
	}
	o := runs.Options{Until: 0.5, Every: 0.013, Start: sim.Close, Model: m, Files: files()}
	whole := newRun(t, m, o)
	require.NoError(t, whole.Run(0.5))
	require.NoError(t, whole.Close())
	want := o.Files

	o.Files = files()
	steps := 0
	o.OnStep = func(*runs.Simulation) error {
		if steps++; steps == 40 {
			return errEnd
		}
		return nil
	}
	first := newRun(t, m, o)
	require.ErrorIs(t, first.Run(0.5), errEnd)
	require.NoError(t, first.Close())
	assert.Less(t, first.Time(), 0.5)
	assert.Empty(t, first.Left())

	o.Files.Resume = true
	second := newRun(t, m, o)
	assert.InDelta(t, first.Time(), second.Time(), 0)
	require.NoError(t, second.Run(0.5))
	require.NoError(t, second.Close())
	assert.Equal(t, whole.State(), second.State())
	for _, pair := range [][2]string{{want.Trajectory, o.Files.Trajectory}, {want.Contacts, o.Files.Contacts}, {want.Events, o.Files.Events}} {
		a, err := os.ReadFile(pair[0])
		require.NoError(t, err)
		b, err := os.ReadFile(pair[1])
		require.NoError(t, err)
		assert.Equal(t, string(a), string(b), filepath.Base(pair[0]))
	}
	list, more := whole.Events()
	assert.NotEmpty(t, list)
	assert.Zero(t, more)

	o.Step, o.Integrator = 1e-3, runs.RungeKutta4
	_, err = runs.New(planOf(t, m), o)
	require.ErrorIs(t, err, sim.ErrCheckpoint)
}

// TestResumeFromMemory: a program keeps the checkpoint itself, through a writer and a reader, and rows in memory; files, if
// there are some, go on as well.
func TestResumeFromMemory(t *testing.T) {
	m := linkage(t)
	run := func(dir string, pause bool) (rows [][]float64, text []byte, end *mechanism.State) {
		o := runs.Options{Until: 1, Every: 0.05, OnStep: func(s *runs.Simulation) error {
			if pause && s.Time() > 0.5 {
				return errEnd
			}
			return nil
		}}
		if dir != "" {
			o.Files.Trajectory = filepath.Join(dir, "run.csv")
		}
		s := newRun(t, m, o)
		var kept bytes.Buffer
		if err := s.Run(1); pause {
			require.ErrorIs(t, err, errEnd)
			c, err := s.Checkpoint()
			require.NoError(t, err)
			require.NoError(t, c.Write(&kept))
			require.NoError(t, s.Close())
			rows = s.Rows()

			pause = false
			o.Resume, err = sim.DecodeCheckpoint(&kept)
			require.NoError(t, err)
			other := o
			other.Tolerance = 1e-6
			_, err = runs.New(planOf(t, m), other)
			require.ErrorIs(t, err, sim.ErrCheckpoint)
			require.ErrorContains(t, err, "motion/runs: Resume: ")
			other = o
			other.Until = 0.1
			_, err = runs.New(planOf(t, m), other)
			require.ErrorContains(t, err, "motion/runs: Resume: the run is at ")
			s = newRun(t, m, o)
			require.NotNil(t, s.Resumed())
			require.NoError(t, s.Run(1))
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, s.Close())
		if dir != "" {
			var err error
			text, err = os.ReadFile(o.Files.Trajectory)
			require.NoError(t, err)
		}
		return append(rows, s.Rows()...), text, s.State()
	}
	rows, _, end := run("", false)
	paused, _, pausedEnd := run("", true)
	assert.Equal(t, rows, paused)
	assert.Equal(t, end, pausedEnd)
	_, text, _ := run(t.TempDir(), false)
	_, pausedText, _ := run(t.TempDir(), true)
	assert.NotEmpty(t, text)
	assert.Equal(t, string(text), string(pausedText))
}

// TestOldTrajectoryStays: a run that fails without a checkpoint leaves an older trajectory as it was, and says where its
// rows are.
func TestOldTrajectoryStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.csv")
	require.NoError(t, os.WriteFile(path, []byte("old\n"), 0o666))
	o := runs.Options{Every: 0.1, Files: runs.Files{Trajectory: path}, OnStep: func(s *runs.Simulation) error {
		if s.Time() > 0.5 {
			return errEnd
		}
		return nil
	}}
	s := newRun(t, linkage(t), o)
	require.ErrorIs(t, s.Run(1), errEnd)
	require.NoError(t, s.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old\n", string(text))
	require.Len(t, s.Left(), 1)
	assert.Contains(t, s.Left()[0], path+" is as it was")
}

// TestStart: a state that violates the joints is refused by name, closed where that is asked for, or taken as it is.
func TestStart(t *testing.T) {
	m := linkage(t)
	m.Bodies[1].Pose.Position[0] += 0.01
	p := planOf(t, m)
	_, err := runs.New(p, runs.Options{})
	require.ErrorAs(t, err, new(*mechanism.ViolationError))
	require.ErrorAs(t, err, new(*runs.StartError))

	s, err := runs.New(p, runs.Options{Start: sim.Close})
	require.NoError(t, err)
	require.NotNil(t, s.Fit())
	assert.Greater(t, s.Fit().Position.Before, 0.005)
	closed, err := sim.Closed(s.Mechanism(), s.State())
	require.NoError(t, err)
	assert.True(t, closed)
	require.NoError(t, s.Run(0.1))

	s, err = runs.New(p, runs.Options{Start: sim.AsItIs, Stabilization: runs.None})
	require.NoError(t, err)
	assert.Equal(t, p.Initial().Bodies, s.State().Bodies)
	require.NoError(t, s.Run(0.01))

	from := p.Initial()
	from.Time = 3
	s, err = runs.New(p, runs.Options{From: from, Start: sim.Close})
	require.NoError(t, err)
	assert.Equal(t, 3., s.Time())
	assert.NotEqual(t, from.Bodies, s.State().Bodies, "it is a copy that is closed")
}

// TestStops: stops with an impact speed reflect, and tell.
func TestStops(t *testing.T) {
	m := linkage(t)
	m.Joints[0].Limits = []*model.Limit{{Lower: 0.8, Upper: 2.4, Stop: model.Stop{
		Normal: contact.Normal{Stiffness: 1e4, Dissipation: 0.5}, Restitution: 0.7, ImpactSpeed: 0.01,
	}}}
	var told []runs.Event
	s := newRun(t, m, runs.Options{OnEvent: func(e runs.Event) error {
		told = append(told, e)
		return nil
	}})
	require.NoError(t, s.Run(3))
	list, _ := s.Events()
	require.NotEmpty(t, list)
	assert.Equal(t, "g0.0", list[0].Name)
	assert.Equal(t, sim.StopImpact, list[0].What)
	assert.Equal(t, told, list)
	impacts := slices.DeleteFunc(slices.Clone(list), func(e runs.Event) bool { return e.What != sim.StopImpact })
	assert.EqualValues(t, len(impacts), s.Impacts())
	assert.NotNil(t, s.Told().Energy.Joints)
}

// TestFormat: a format of one's own writes the trajectory, and begins where it is left.
func TestFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.list")
	f := &listing{}
	o := runs.Options{Every: 0.5, Files: runs.Files{Trajectory: path, Formats: []runs.Format{{Ending: ".list", Open: f.open}}}}
	s := newRun(t, linkage(t), o)
	require.NoError(t, s.Run(1))
	require.NoError(t, s.Close())
	assert.Equal(t, []float64{0, 0.5, 1}, f.times)
	assert.Equal(t, "closed", f.end)
	assert.Equal(t, path, f.path)

	o.Files.Formats = nil
	_, err := runs.New(planOf(t, linkage(t)), o)
	require.EqualError(t, err, "motion/runs: "+path+": trajectories end in .csv")
}

type listing struct {
	path  string
	times []float64
	end   string
}

func (l *listing) open(path string, _ *sim.Columns, _ *sim.Checkpoint) (runs.Trajectory, error) {
	l.path = path
	return l, nil
}

func (l *listing) Record(r *sim.Row) error {
	l.times = append(l.times, r.State.Time)
	return nil
}
func (l *listing) Mark() (int64, error) { return int64(len(l.times)), nil }
func (l *listing) Sum() string          { return "" }
func (l *listing) Close() error {
	l.end = "closed"
	return nil
}
func (l *listing) Leave() (string, error) {
	l.end = "left"
	return "", nil
}
