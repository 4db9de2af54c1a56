package simulate

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// ValidatedRun is the result of one benchmark by one method, compared with the reference. Errors and drifts are the largest over
// the times of the reference.
type ValidatedRun struct {
	Model      string  `json:"model"`
	Bodies     int     `json:"bodies"`
	Integrator string  `json:"integrator"`
	Method     string  `json:"method"`
	Stabilize  string  `json:"stabilize"`
	Step       float64 `json:"step,omitempty"`      // s; 0: steps by error control
	Tolerance  float64 `json:"tolerance,omitempty"` // of steps by error control
	Steps      int64   `json:"steps"`
	Rejected   int64   `json:"rejected"`
	CPU        float64 `json:"cpu_seconds"`
	Error      float64 `json:"error"` // of the reference point, relative (witness.Record)
	Limit      float64 `json:"limit"` // of Error
	Published  bool    `json:"limit_published"`
	Energy     float64 `json:"energy_drift"`      // relative to the largest kinetic energy
	Position   float64 `json:"position_drift"`    // of a joint's row, m or rad
	Velocity   float64 `json:"velocity_drift"`    // of a joint's row, m/s or rad/s
	Met        bool    `json:"met"`               // the run reached the end with Error below Limit
	Required   bool    `json:"required"`          // rung validate fails if the limit is not met
	Failure    string  `json:"failure,omitempty"` // error that ended the run early
}

// standardBenchmark is a model of reference/standard, with the limit of its error and the options of its runs.
type standardBenchmark struct {
	Model, body string  // the body that carries the reference point
	limit       float64 // of the error: the class of high precision
	published   bool    // limit is the published one of the benchmark
	tol         float64 // tolerance of error control with dopri5
	implicit    float64 // tolerance of error control with generalized-alpha, which is of order 2
	step        float64 // of fixed steps, s
	work        string  // column of the reference with the work of loads, or in proportion to it; "": energy is conserved
	perUnit     float64 // J for each unit of the column work
	close       bool    // fixed steps need stages closed onto the constraints
	long        bool    // a run with fixed steps takes more than a second of wall time
}

// StandardBenchmarks are the benchmarks of rung validate, in the order of its table.
//
// A05 is stiff, and meets its limit with a tolerance of 1e-6 in less than half the steps of the default. A torque of 0.033 N m
// drives the crank of A03, so its work is in proportion to the crank's angle beta. A05 loses energy to its dampers, which its
// reference has as a column.
var StandardBenchmarks = []standardBenchmark{
	{Model: "a01-pendulum", body: "bob", limit: 1e-3, published: true, tol: 1e-8, implicit: 1e-11, step: 1e-3},
	{Model: "a02-n-four-bar-2", body: "V0", limit: 1e-3, published: true, tol: 1e-8, implicit: 1e-10, step: 1e-3, close: true},
	{Model: "a02-n-four-bar-40", body: "V0", limit: 1e-3, published: true, tol: 1e-8, implicit: 1e-9, step: 1e-3, close: true, long: true},
	{
		Model: "a03-andrews-ivp", body: "K1", limit: 1e-4, tol: 1e-8, implicit: 1e-12, step: 2e-6,
		work: "beta", perUnit: 0.033,
	},
	{Model: "a04-bricard-slender", body: "rod2", limit: 1e-3, published: true, tol: 1e-8, implicit: 1e-11, step: 1e-3, close: true},
	{
		Model: "a05-flyball-governor", body: "slider", limit: 1e-3, published: true, tol: 1e-6, implicit: 1e-11, step: 1e-5, long: true,
		work: "energy", perUnit: 1,
	},
	{Model: "spatial-slider-crank", body: "slider", limit: 1e-3, tol: 1e-8, implicit: 1e-11, step: 1e-3},
}

// validatedMethod is an integrator with a method for accelerations and a stabilization, by which benchmarks are run.
type validatedMethod struct {
	Integrator runs.Integrator
	method     motion.Method
	stabilize  runs.Stabilization
}

// Methods returns the methods by which b is run, first the default of rung simulate. If short, methods that take long are left
// out: fixed steps of long benchmarks, and generalized-alpha, which is of order 2 and needs many steps for these limits.
func (b *standardBenchmark) Methods(short bool) []validatedMethod {
	list := []validatedMethod{{runs.DormandPrince, motion.Sparse, runs.Projection}}
	if short && b.long {
		return list
	}
	for _, m := range motion.Methods()[1:] {
		list = append(list, validatedMethod{runs.DormandPrince, m, runs.Projection})
	}
	list = append(list, validatedMethod{runs.RungeKutta4, motion.Sparse, runs.Projection}, validatedMethod{runs.RungeKutta4, motion.Sparse, runs.Baumgarte})
	if short {
		return list
	}
	return append(list, validatedMethod{runs.GeneralizedAlpha, motion.Sparse, runs.Projection})
}

// validate runs b by one method and compares the run with the reference. A run that ends early is a result with Failure, not an
// error.
func (b *standardBenchmark) validate(m *model.Model, ref *referenceRun, how validatedMethod, p *shell.Progress) (*ValidatedRun, error) {
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, err
	}
	mech := plan.Mechanism()
	w, err := newWitness(b, ref, mech)
	if err != nil {
		return nil, err
	}
	r := &ValidatedRun{
		Model: b.Model, Bodies: mech.NumBodies(), Integrator: how.Integrator.String(), Method: how.method.String(), Stabilize: how.stabilize.String(),
		Limit: b.limit, Published: b.published,
	}
	s, err := b.simulation(r, plan, how, w)
	if err != nil {
		return nil, err
	}
	parts := int64(0) // shown by the progress bar
	w.every = func(t float64) {
		done := int64(progressParts * t / ref.end())
		p.Add(done - parts)
		parts = done
	}
	begun := machine.ProcessorTime()
	err = s.Run(ref.end())
	r.CPU = (machine.ProcessorTime() - begun).Seconds()
	if err != nil {
		r.Failure = fault.Plain(err).Error()
	}
	n := s.Stats()
	r.Steps, r.Rejected, r.Error, r.Energy = n.Steps, n.Rejected, w.worst, w.energyDrift()
	r.Position, r.Velocity = w.drift.Position, w.drift.Velocity
	r.Met = err == nil && w.rows == len(ref.rows) && r.Error < r.Limit
	return r, nil
}

// simulation returns the simulation of b by one method, which records rows to w, and sets step or tolerance in r.
func (b *standardBenchmark) simulation(r *ValidatedRun, plan *rung.Plan, how validatedMethod, w *witness) (*sim.Simulation, error) {
	o := &runs.Options{Integrator: how.Integrator, Method: how.method, Stabilization: how.stabilize}
	switch {
	case o.Integrator.NeedsStep():
		o.Step, r.Step = b.step, b.step
	case o.Integrator == runs.GeneralizedAlpha:
		o.Tolerance, r.Tolerance = b.implicit, b.implicit
	default:
		o.Tolerance, r.Tolerance = b.tol, b.tol
	}
	mech := plan.Mechanism()
	move, err := runs.NewMover(plan, o)
	if err != nil {
		return nil, runError("", err)
	}
	return sim.New(mech, move.Stepper, mech.Initial(), sim.Options{
		Step: o.Step, Projector: move.Projector, Recorder: w, Every: w.ref.interval(),
		CloseStages: o.Step > 0 && b.close && move.Projector != sim.NoProjector, OpenStages: !b.close,
	}), nil
}

// referenceRun is a reference trajectory: rows at equal intervals of time.
type referenceRun struct {
	columns map[string]int // number of a column by its name
	rows    [][]float64    // time, then position and velocity of the reference point, then other columns
}

// interval returns the time between two rows, s.
func (r *referenceRun) interval() float64 { return r.rows[1][0] - r.rows[0][0] }

// end returns the time of the last row, s.
func (r *referenceRun) end() float64 { return r.rows[len(r.rows)-1][0] }

// readReference reads the table of comma-separated numbers at path: a header, then rows that begin with time, position and
// velocity of the reference point. It returns an error if there are fewer than two rows, or no column work unless work is "".
func readReference(path, work string) (*referenceRun, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, shell.InputError(path, err)
	}
	defer f.Close()
	r := &referenceRun{columns: map[string]int{}}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for line := 1; in.Scan(); line++ {
		fields := strings.Split(in.Text(), ",")
		if line == 1 {
			for i, name := range fields {
				r.columns[name] = i
			}
			if _, ok := r.columns[work]; !ok && work != "" {
				return nil, fmt.Errorf("%s: there is no column %s", path, fault.Name(work))
			}
			continue
		}
		if len(fields) != len(r.columns) || len(fields) < 7 {
			return nil, fmt.Errorf("%s: line %d has %d numbers", path, line, len(fields))
		}
		row := make([]float64, len(fields))
		for i, s := range fields {
			if row[i], err = strconv.ParseFloat(s, 64); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", path, line, err)
			}
		}
		r.rows = append(r.rows, row)
	}
	if err := in.Err(); err != nil {
		return nil, shell.InputError(path, err)
	}
	if len(r.rows) < 2 {
		return nil, fmt.Errorf("%s: there are no rows", path)
	}
	return r, nil
}

// witness is a recorder that compares the rows of a run with the reference.
type witness struct {
	ref   *referenceRun
	bench *standardBenchmark
	body  int
	point spatial.Vec3    // the reference point, frame of the body
	every func(t float64) // called with the time of each row, s

	rows                   int
	worst                  float64 // largest relative error so far
	drift                  sim.Drift
	first, change, kinetic float64 // J: energy less work at the start, its largest change, largest kinetic energy
}

// newWitness returns the recorder for a benchmark. Its reference point is the point of the benchmark's body that is at the
// position in the first row of the reference at the initial state.
func newWitness(b *standardBenchmark, ref *referenceRun, mech *mechanism.Mechanism) (*witness, error) {
	i, err := mech.BodyIndex(b.body)
	if err != nil {
		return nil, err
	}
	at := &mech.Initial().Bodies[i]
	p := spatial.Vec3(ref.rows[0][1:4])
	return &witness{ref: ref, bench: b, body: i, point: at.Rotation.Conj().Rotate(p.Sub(at.Position))}, nil
}

// Record implements sim.Recorder: it compares a row with the next row of the reference. The error of a component y of position
// or velocity is |y − yref| / max(|yref|, leastReference). It also follows the energy less the work of loads, which should be
// constant, and the drift. Rows beyond the reference are ignored.
func (w *witness) Record(r *sim.Row) error {
	if w.rows == len(w.ref.rows) {
		return nil
	}
	want := w.ref.rows[w.rows]
	b := &r.State.Bodies[w.body]
	arm := b.Rotation.Rotate(w.point)
	x, v := b.Position.Add(arm), b.Velocity.Add(b.Omega.Cross(arm))
	for i := range 3 {
		w.worst = max(w.worst, math.Abs(x[i]-want[1+i])/max(math.Abs(want[1+i]), leastReference),
			math.Abs(v[i]-want[4+i])/max(math.Abs(want[4+i]), leastReference))
	}
	e := r.Energy.Kinetic + r.Energy.Potential()
	if b := w.bench; b.work != "" {
		e -= b.perUnit * want[w.ref.columns[b.work]]
	}
	if w.rows == 0 {
		w.first = e
	}
	w.change, w.kinetic = max(w.change, math.Abs(e-w.first)), max(w.kinetic, r.Energy.Kinetic)
	w.drift.Position, w.drift.Velocity = max(w.drift.Position, r.Drift.Position), max(w.drift.Velocity, r.Drift.Velocity)
	w.rows++
	w.every(r.State.Time)
	return nil
}

// leastReference is the least magnitude, m or m/s, to which errors are relative, so that zeros of the reference do not blow
// them up.
const leastReference = 1e-3

// Mark implements sim.Recorder.
func (w *witness) Mark() (int64, error) { return int64(w.rows), nil }

// energyDrift returns the largest change of energy less work, relative to the largest kinetic energy; in J if that is 0.
func (w *witness) energyDrift() float64 {
	if w.kinetic == 0 {
		return w.change
	}
	return w.change / w.kinetic
}
