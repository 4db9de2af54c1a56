package runs

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Integrator is a method by which a mechanism is moved in time.
type Integrator uint8

// The integrators.
const (
	DormandPrince    Integrator = iota // explicit, of order 5, by error control or with a step
	RungeKutta4                        // explicit, of order 4, with a step
	GeneralizedAlpha                   // implicit, of order 2, for stiff springs and dampers (sim.GeneralizedAlpha)
	ForceBalance                       // of order 1, with a step, for vehicles on wheels (motion.Balance)
	Rattle                             // of order 2, with a step, keeps the energy over long times (motion.Rattle)
)

var integratorNames = []string{"dopri5", "rk4", "generalized-alpha", "force-balance", "rattle"}

// Integrators returns all integrators.
func Integrators() []Integrator {
	return []Integrator{DormandPrince, RungeKutta4, GeneralizedAlpha, ForceBalance, Rattle}
}

// String returns the name that documents and rung simulate have for it.
func (i Integrator) String() string { return nameOf(integratorNames, int(i), "Integrator") }

// NeedsStep reports whether the integrator has no error control.
func (i Integrator) NeedsStep() bool { return i == RungeKutta4 || i == ForceBalance || i == Rattle }

// Stabilization is how violations of the joints are fought.
type Stabilization uint8

// The stabilizations.
const (
	Projection Stabilization = iota // states that have drifted are put back on the joints
	Baumgarte                       // the violations are fed back (sim.Baumgarte)
	None                            // drift stays, and grows
)

var stabilizationNames = []string{"projection", "baumgarte", "none"}

// Stabilizations returns all stabilizations.
func Stabilizations() []Stabilization { return []Stabilization{Projection, Baumgarte, None} }

// String returns the name that documents and rung simulate have for it.
func (s Stabilization) String() string { return nameOf(stabilizationNames, int(s), "Stabilization") }

// nameOf returns names[i], or the type with its number.
func nameOf(names []string, i int, kind string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// ParseIntegrator returns the integrator of a name as String writes it.
//
// It returns an *OptionError that lists the names if there is none.
func ParseIntegrator(name string) (Integrator, error) {
	return parse[Integrator]("Integrator", "integrator", integratorNames, name)
}

// ParseStabilization returns the stabilization of a name as String writes it.
//
// It returns an *OptionError that lists the names if there is none.
func ParseStabilization(name string) (Stabilization, error) {
	return parse[Stabilization]("Stabilization", "stabilization", stabilizationNames, name)
}

// parse returns the value with a name.
func parse[T ~uint8](field, kind string, names []string, name string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, wrong(field, "%s", fault.NoneOf(kind, name, names))
	}
	return T(i), nil
}

// AlphaTolerance is the tolerance of a step of GeneralizedAlpha where none is given: a method of order 2
// takes long for that of DormandPrince, sim.DefaultTolerance.
const AlphaTolerance = 1e-6

// OutputParts is the number of intervals between rows where Options.Every is not given.
const OutputParts = 100

// Options say how a mechanism is moved in time, and what is kept of it. The zero value is the default.
type Options struct {
	Integrator Integrator
	Step       float64 // fixed step, s; 0: by error control
	Tolerance  float64 // relative error that a step may make; 0 stands for sim.DefaultTolerance, of GeneralizedAlpha AlphaTolerance
	Rho        float64 // part of the fastest vibrations that a step of GeneralizedAlpha leaves, below 1; 0 stands for sim.DefaultRho
	Annihilate bool    // a step of GeneralizedAlpha leaves nothing of them, so that Rho is 0

	Rattle motion.RattleOptions // of Rattle; a Tolerance of 0 closes the joints so far that nothing is left to project

	Method        motion.Method // by which accelerations are computed
	Stabilization Stabilization

	// From is the first state, of which the run takes a copy; nil: that of the model. Start says what becomes of one that
	// does not fit the joints: by default it is an error, a *mechanism.ViolationError. sim.Close closes it
	// as rung assemble does. A state of another mechanism of the same bodies, such as a variant without a stop, is first
	// taken over by mechanism.Mechanism.Adopt: the state of a run carries an angle of each joint that turns.
	From  *mechanism.State
	Start sim.Start

	// Resume is where the run goes on, with the files that it has written; the other options have to be those of then, and From
	// and Start are not looked at. It is what Simulation.Checkpoint returned, which a program keeps where it likes
	// (sim.Checkpoint.Write, sim.DecodeCheckpoint). Nil: the run begins, or Files.Resume says where it goes on.
	Resume *sim.Checkpoint

	// Model is that of the plan. Columns may have the names of its frames, and warnings
	// those of its terrains; nil: they have not.
	Model *model.Model

	// Until is the time, s, up to which the run is going to go, if it is after the start: price and progress are those
	// of the whole, and Every may be left out. Every is the time between rows, s. Where rows are kept, 0 stands for a part
	// of 1/OutputParts of the run.
	Until, Every float64

	// Columns are names and patterns of the columns of a row, such as joint.*.q (sim.Catalogue). Nil: the usual ones
	// (sim.Columns), of Bodies, all if that is nil, with constraint wrenches of the joints Wrenches and multipliers of the
	// couplings Multipliers.
	Columns                       []string
	Bodies, Wrenches, Multipliers []string

	Files Files
	// OnRow is told of each row, after it is written. The values are those of the columns; they and the row are the
	// run's own. An error ends Run, and the next one begins with the same row. Nil: nobody is. If rows go nowhere else and there is an
	// Every, they are kept in memory (Simulation.Rows).
	OnRow func(row *sim.Row, values []float64) error

	Events      []sim.Event // besides those of contacts, cables and stops, which come first
	Controllers []sim.Controller
	// OnEvent is told of what contacts and stops do. Where there are more stops than sim.MostLandings, none
	// with an impact speed, they are only looked at if there is an OnEvent or a file of events.
	OnEvent func(e Event) error
	// OnStop is told of what a stop with an impact speed does, with the state before it, which is the run's own. It is the one
	// of sim.NewStops.
	OnStop func(resistor int, what sim.StopChange, before *mechanism.State) error
	// OnStep is called after each step; an error ends Run there, from where the next Run goes on.
	OnStep func(s *Simulation) error
}

// Files are where a run writes. Those with names are whole whenever the process ends: a file that was there
// stays until the new one is complete or can go on. Each has one writer at a time.
type Files struct {
	Trajectory string    // rows, ending in .csv or as one of Formats; "": none
	CSV        io.Writer // rows as comma-separated values, if there is no Trajectory; nil: none
	Contacts   string    // depths, places and forces of the contacts at each row, ending in .csv; "": none
	Events     string    // times at which contacts touch and joints come to their stops, ending in .csv; "": none

	// Checkpoint is a file to go on from: written when the run begins and ends, and every few seconds. With Resume the run
	// is that of the file, and goes on with the files it has written; the options have to be the same.
	Checkpoint string
	Resume     bool
	Between    time.Duration // between two checkpoints at least; 0 stands for 5 s

	Formats []Format // of trajectories besides comma-separated values
}

// Format is a kind of trajectory file. What a program does not name it does not link.
type Format struct {
	Ending string // of names, such as .parquet
	// Open begins a file at path, no link, that will take the place of one that is there. With a checkpoint it goes on
	// with the file of that run.
	Open func(path string, columns *sim.Columns, from *sim.Checkpoint) (Trajectory, error)
}

// Trajectory is a file of rows that is being written.
type Trajectory interface {
	sim.Summed
	// Close leaves it complete, in its place.
	Close() error
	// Leave ends it without that. It returns where the rows are; what was in its place stays.
	Leave() (where string, err error)
}

// Event is what a contact or a stop has done.
type Event struct {
	Time float64
	Name string // of the force element of the contact; JOINT.FREEDOM of a stop
	What sim.StopChange
}
