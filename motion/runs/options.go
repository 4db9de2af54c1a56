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

// Integrator is a method of integration in time.
type Integrator uint8

// The integrators.
const (
	DormandPrince    Integrator = iota // explicit, of order 5, by error control or with a fixed step
	RungeKutta4                        // explicit, of order 4, with a fixed step
	GeneralizedAlpha                   // implicit, of order 2, for stiff springs and dampers (sim.GeneralizedAlpha)
	ForceBalance                       // of order 1, with a fixed step, for vehicles on wheels (motion.Balance)
	Rattle                             // of order 2, with a fixed step, keeps the energy over long times (motion.Rattle)
)

// integratorNames are the names of the integrators in documents and for rung simulate.
var integratorNames = []string{"dopri5", "rk4", "generalized-alpha", "force-balance", "rattle"}

// Integrators returns all integrators.
func Integrators() []Integrator {
	return []Integrator{DormandPrince, RungeKutta4, GeneralizedAlpha, ForceBalance, Rattle}
}

// String returns the name in documents and for rung simulate.
func (i Integrator) String() string { return nameOf(integratorNames, int(i), "Integrator") }

// NeedsStep reports whether the integrator has no error control, so that Options.Step has to be given.
func (i Integrator) NeedsStep() bool { return i == RungeKutta4 || i == ForceBalance || i == Rattle }

// Stabilization is a method against the drift of joints by integration errors.
type Stabilization uint8

// The stabilizations.
const (
	Projection Stabilization = iota // states that have drifted are projected back to states in which the joints hold
	Baumgarte                       // violations are fed back into accelerations (sim.Baumgarte)
	None                            // drift stays, and grows
)

// stabilizationNames are the names of the stabilizations in documents and for rung simulate.
var stabilizationNames = []string{"projection", "baumgarte", "none"}

// Stabilizations returns all stabilizations.
func Stabilizations() []Stabilization { return []Stabilization{Projection, Baumgarte, None} }

// String returns the name in documents and for rung simulate.
func (s Stabilization) String() string { return nameOf(stabilizationNames, int(s), "Stabilization") }

// nameOf returns names[i], or for an i without a name the type, kind, with the number.
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

// parse returns the value with a name, the index of name in names. If there is none, it returns an *OptionError for the field that lists
// the names.
func parse[T ~uint8](field, kind string, names []string, name string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, wrong(field, "%s", fault.NoneOf(kind, name, names))
	}
	return T(i), nil
}

// AlphaTolerance is the tolerance of a step of GeneralizedAlpha if none is given: a method of order 2
// would take long with sim.DefaultTolerance.
const AlphaTolerance = 1e-6

// OutputParts is the number of intervals between rows if Options.Every is not given.
const OutputParts = 100

// Options configure a run: how a mechanism is moved in time, and what is recorded. The zero value is the default.
type Options struct {
	Integrator Integrator
	Step       float64 // fixed step, s; 0: by error control
	Tolerance  float64 // relative error of a step; 0 stands for sim.DefaultTolerance, with GeneralizedAlpha for AlphaTolerance
	Rho        float64 // factor of a step of GeneralizedAlpha on the fastest vibrations, below 1; 0 stands for sim.DefaultRho
	Annihilate bool    // the factor Rho of GeneralizedAlpha is 0

	Rattle motion.RattleOptions // of Rattle; a Tolerance of 0 stands for a tenth of sim.DefaultDrift, so that nothing has to be projected

	Method        motion.Method // by which accelerations are computed
	Stabilization Stabilization

	// From is the first state, which the run copies; nil stands for the state of the model. Start says what happens if it
	// violates the joints: by default that is an error, a *mechanism.ViolationError; sim.Close closes the joints
	// as rung assemble does. A state of another mechanism with the same bodies, such as a variant without a stop, first has to
	// be adopted by mechanism.Mechanism.Adopt: the state of a run has an angle for each joint that turns.
	From  *mechanism.State
	Start sim.Start

	// Resume is the checkpoint from which the run continues, with the files that it has written. The other options have to be the same as
	// before; From and Start are not used. It is a result of Simulation.Checkpoint, which the program may have stored
	// (sim.Checkpoint.Write, sim.DecodeCheckpoint). Nil: the run begins anew, or continues if Files.Resume is set.
	Resume *sim.Checkpoint

	// Model is the model of the plan. Names of its frames may then be in Columns, and names of its terrains in warnings; nil: neither.
	Model *model.Model

	// Until is the time, s, at which the run will end, if it is after the start: price and progress are then for the
	// whole run, and Every may be left out. Every is the time between rows, s. With rows, an Every of 0 stands for 1/OutputParts
	// of the run.
	Until, Every float64

	// Columns are names and patterns of the columns of a row, such as joint.*.q (sim.Catalogue). Nil: the columns of sim.Columns for
	// Bodies, all if that is nil, with constraint wrenches of the joints Wrenches and multipliers of the
	// couplings Multipliers.
	Columns                       []string
	Bodies, Wrenches, Multipliers []string

	Files Files
	// OnRow is called for each row, after it is written, with the values of the columns. Row and values belong to the run. An error ends Run,
	// and the next Run begins with the same row. If it is nil, rows go to no file or writer, and Every is given, rows
	// are kept in memory (Simulation.Rows).
	OnRow func(row *sim.Row, values []float64) error

	Events      []sim.Event // in addition to those of contacts, cables and stops, which come first
	Controllers []sim.Controller
	// OnEvent is called for each event of contacts and stops. If there are more stops than sim.MostLandings, none
	// with an impact speed, they have events only with an OnEvent or a file of events.
	OnEvent func(e Event) error
	// OnStop is called for each change of a stop with an impact speed, with the state before, which belongs to the run, as act in
	// sim.NewStops.
	OnStop func(resistor int, what sim.StopChange, before *mechanism.State) error
	// OnStep is called after each step. An error ends Run; the next Run continues after that step.
	OnStep func(s *Simulation) error
}

// Files are the files that a run writes. They are complete whenever the process ends: an old file
// stays until the new one is complete or has a checkpoint. Each file has only one writer at a time.
type Files struct {
	Trajectory string    // rows, ending in .csv or as one of Formats; "": none
	CSV        io.Writer // rows as comma-separated values, if there is no Trajectory; nil: none
	Contacts   string    // depths, places and forces of the contacts at each row, ending in .csv; "": none
	Events     string    // times at which contacts touch and joints reach their stops, ending in .csv; "": none

	// Checkpoint is the file of checkpoints, written when the run begins and ends, and every few seconds; "": none. With Resume the run
	// continues from that file, with the files that it has written; the options have to be the same.
	Checkpoint string
	Resume     bool
	Between    time.Duration // least time between two checkpoints; 0 stands for 5 s

	Formats []Format // formats of trajectories in addition to comma-separated values
}

// Format is a format of trajectory files. A program links only the formats that it lists in Files.Formats.
type Format struct {
	Ending string // of the names of its files, such as .parquet
	// Open creates a file that will replace an old file at path, which is no link. If from is not nil, it opens the file of that
	// run to continue after the checkpoint.
	Open func(path string, columns *sim.Columns, from *sim.Checkpoint) (Trajectory, error)
}

// Trajectory is a file of rows that is being written.
type Trajectory interface {
	sim.Summed
	// Close completes the file, which replaces an old one.
	Close() error
	// Leave closes the file without replacing an old one. It returns the name of the file with the rows.
	Leave() (where string, err error)
}

// Event is a change of a contact or a stop.
type Event struct {
	Time float64 // s
	Name string  // of the force element of the contact; JOINT.FREEDOM for a stop
	What sim.StopChange
}
