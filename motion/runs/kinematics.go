package runs

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Kinematics follows a motion whose freedoms are all prescribed, and records rows of it with the forces that drive it, as the command rung
// kinematics. Nothing is integrated, so that nothing drifts. Only one goroutine may use it.
type Kinematics struct {
	o        Options
	mech     *mechanism.Mechanism
	follow   *motion.Follower
	kin      *mechanism.Kinematics
	record   *Record
	begun    bool // the first state is closed
	opened   bool
	start    float64 // time of the first row, s
	count    float64 // number of rows at multiples of Every so far
	complete bool    // the last Run has had no error
}

// kinematicColumns are the patterns of the columns if Options.Columns is not given; patterns without a column are left out.
var kinematicColumns = []string{"joint.*", "drive.*", "marker.*", "*.??", "energy.*"}

// NewKinematics sets up a motion to be followed. It uses the options Model, Until, Every, Columns and OnRow, and Trajectory, CSV and
// Formats of Files. Every or Until has to be given.
//
// It returns an *OptionError for faults of these, and if other options are given. It panics without a plan.
func NewKinematics(p *kkt.Plan, o Options) (*Kinematics, error) {
	if p == nil {
		panic("motion/runs: no plan")
	}
	if err := o.checkKinematics(); err != nil {
		return nil, err
	}
	mech := p.Mechanism()
	if err := o.Span(p.Initial().Time); err != nil {
		return nil, err
	}
	if err := o.checkEvery(p.Initial().Time); err != nil {
		return nil, err
	}
	if len(o.Columns) == 0 {
		all, err := Catalogue(mech, o.Model)
		if err != nil {
			return nil, err
		}
		for _, pattern := range kinematicColumns {
			if all.Has(pattern) {
				o.Columns = append(o.Columns, pattern)
			}
		}
	}
	columns, err := o.SelectColumns(mech, p)
	if err != nil {
		return nil, err
	}
	k := &Kinematics{o: o, mech: mech, follow: motion.NewFollower(p), kin: mech.NewKinematics(), start: p.Initial().Time}
	if k.record, err = NewRecord(mech, columns, o.Files, o.OnRow); err != nil {
		return nil, err
	}
	if k.record.keeps = o.Files.Trajectory == "" && o.Files.CSV == nil && o.OnRow == nil; k.record.keeps {
		if err := o.checkKept(k.start, columns.Len()); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// checkKinematics is Check, and returns an *OptionError for options that Kinematics does not use.
func (o *Options) checkKinematics() error {
	if err := o.Check(); err != nil {
		return err
	}
	f := &o.Files
	for _, x := range [...]struct {
		field string
		given bool
	}{
		{"Integrator", o.Integrator != 0}, {"Step", o.Step != 0}, {"Tolerance", o.Tolerance != 0}, {"Method", o.Method != motion.Sparse},
		{"Stabilization", o.Stabilization != Projection}, {"From", o.From != nil}, {"Resume", o.Resume != nil}, {"Start", o.Start != sim.Refuse},
		{"Bodies", o.Bodies != nil}, {"Wrenches", o.Wrenches != nil}, {"Multipliers", o.Multipliers != nil},
		{"Events", o.Events != nil}, {"Controllers", o.Controllers != nil}, {"OnEvent", o.OnEvent != nil}, {"OnStep", o.OnStep != nil},
		{"Files.Contacts", f.Contacts != ""}, {"Files.Events", f.Events != ""}, {"Files.Checkpoint", f.Checkpoint != ""},
	} {
		if x.given {
			return wrong(x.field, "{"+x.field+"} is of runs, not of a motion that is followed")
		}
	}
	return nil
}

// Start closes the first state; Run calls Start if it has not been called.
//
// It returns the errors of motion.Follower.Start.
func (k *Kinematics) Start(ctx context.Context) error {
	if k.begun {
		return nil
	}
	err := k.follow.Start(ctx)
	k.begun = err == nil
	return err
}

// Open creates the file; Run calls Open if it has not been called.
//
// It returns errors of the operating system, as a *FileError if the file could be opened but not written.
func (k *Kinematics) Open() error {
	if k.opened {
		return nil
	}
	err := k.record.Open(nil)
	k.opened = err == nil
	return err
}

// Run calls Start and Open if necessary, and follows the motion to the time until, s, with rows at multiples of Every and at until. If
// until has been reached already, it adds no row.
//
// It returns the errors of Start, Open and motion.Follower.To, such as a *motion.StuckError at a dead position, a *FileError,
// and the error of OnRow. Earlier rows stay. It panics if until is NaN.
func (k *Kinematics) Run(until float64) error { return k.RunContext(context.Background(), until) }

// RunContext is Run that ends early when ctx does. It then returns the cause.
func (k *Kinematics) RunContext(ctx context.Context, until float64) error {
	if math.IsNaN(until) {
		panic("motion/runs: time is not a number")
	}
	k.complete = false // stays false if run panics
	err := k.run(ctx, until)
	k.complete = err == nil
	return err
}

// run is RunContext without its check of until.
func (k *Kinematics) run(ctx context.Context, until float64) error {
	if err := k.Start(ctx); err != nil {
		return err
	}
	if err := k.Open(); err != nil {
		return err
	}
	if now := k.follow.State().Time; until < now || until == now && k.record.told.Rows > 0 {
		return nil
	}
	n := math.Ceil((until-k.start)/k.o.Every - 1e-9)
	for i := k.count; i <= n; i++ {
		due := k.start + i*k.o.Every
		if err := k.follow.To(ctx, min(due, until)); err != nil {
			return err
		}
		row, err := sim.RowAt(k.mech, k.kin, k.follow.State())
		if err != nil {
			return err
		}
		if err := k.record.Record(&row); err != nil {
			return err
		}
		if due <= until {
			k.count = i + 1
		}
	}
	return nil
}

// Close closes the file. It replaces an old file if the last Run had no error; else the old file stays, and Left names the file with
// the rows. It returns a *FileError.
func (k *Kinematics) Close() error { return k.record.Close(k.complete, false) }

// Left returns, if the new file has not replaced the old one, a text with the names of both.
func (k *Kinematics) Left() []string { return k.record.left }

// Release gives the file free for other writers, complete or not. Close calls Release.
func (k *Kinematics) Release() { k.record.Release() }

// State returns the last state of the motion so far. It belongs to k, and changes with the next Run.
func (k *Kinematics) State() *mechanism.State { return k.follow.State() }

// Steps returns the number of steps so far, and how many were halved because they were too long.
func (k *Kinematics) Steps() (steps, halved int) { return k.follow.Steps() }

// Every returns the time between rows, s.
func (k *Kinematics) Every() float64 { return k.o.Every }

// Columns returns the columns of a row.
func (k *Kinematics) Columns() *sim.Columns { return k.record.columns }

// Rows returns the rows if they are kept in memory, and nil if they go to a file, a writer or OnRow.
func (k *Kinematics) Rows() [][]float64 { return k.record.rows }

// Told returns the summary of the rows so far.
func (k *Kinematics) Told() Told { return k.record.told }

// Drive is a constant rate of a joint with one freedom, rad/s or m/s.
type Drive struct {
	Joint string
	Rate  float64
}

// AddDrives prescribes motions at constant rates for joints of m, from their coordinates in m at the time of m. Prescribed motions that
// the joints have are replaced.
//
// It returns the problems of m, and an *OptionError with the field Drive for joints that do not exist, do not have exactly one
// freedom, or have two drives, and for rates that are not finite. m is then unchanged, or has the drives before that one.
func AddDrives(m *model.Model, drives []Drive) error {
	if len(drives) == 0 {
		return nil
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return err
	}
	st, kin := mech.Initial(), mech.NewKinematics()
	if err := mech.KinematicsTo(kin, st); err != nil {
		return err
	}
	driven := map[int]bool{}
	for _, d := range drives {
		j, err := mech.JointIndex(d.Joint)
		switch {
		case err != nil:
			return wrong("Drive", "{Drive}: %w", fault.Plain(err))
		case !algebra.Finite(d.Rate):
			return wrong("Drive", "{Drive}: the rate %v of joint %s is no finite number", d.Rate, fault.Name(d.Joint))
		case driven[j]:
			return wrong("Drive", "{Drive}: joint %s has two rates", fault.Name(d.Joint))
		}
		driven[j] = true
		jt := &mech.Joints[j]
		if n := jt.Kind.Freedoms(); n != 1 {
			return wrong("Drive", "{Drive}: joint %s has %d freedoms, not one", fault.Name(d.Joint), n)
		}
		var jk mechanism.JointKinematics
		var q, qd [6]float64
		mech.JointTo(&jk, j, kin, st)
		jt.CoordinatesTo(&q, &qd, &jk)
		m.Joints[j].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{q[0] - d.Rate*m.Time, d.Rate}}}
	}
	return nil
}
