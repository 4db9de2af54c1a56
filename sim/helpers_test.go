package sim_test

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// rig is a mechanism with what moves it.
type rig struct {
	mech *mechanism.Mechanism
	dyn  sim.Dynamics
	proj sim.Projector
}

func newRig(t testing.TB, m *model.Model) *rig {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return &rig{p.Mechanism(), solver{p.NewSolver()}, closing.NewCloser(p, closing.Options{})}
}

// open reads a model below reference/.
func open(t testing.TB, elem ...string) *model.Model {
	t.Helper()
	m, err := rung.Open(check.Reference(t, elem...))
	require.NoError(t, err)
	return m
}

// golden and standard read the models of these folders.
func golden(t testing.TB, name string) *rig {
	t.Helper()
	return newRig(t, open(t, "golden", name+".model.json"))
}

func standard(t testing.TB, name string) *rig {
	t.Helper()
	return newRig(t, open(t, "standard", name+".model.json"))
}

// rungeKutta returns a stepper of r with a relative tolerance.
func (r *rig) rungeKutta(tab *sim.Tableau, tol float64) *sim.RungeKutta {
	return sim.NewRungeKutta(r.mech, r.dyn, tab, sim.Tolerance{Relative: tol})
}

// simulate returns a simulation from the model's state, without a projector unless o has one.
func (r *rig) simulate(tab *sim.Tableau, tol float64, o sim.Options) *sim.Simulation {
	if o.Projector == nil {
		o.Projector = sim.NoProjector
	}
	return sim.New(r.mech, r.rungeKutta(tab, tol), r.mech.Initial(), o)
}

// point is a point of a body, given by where it is at the start.
type point struct {
	body  int
	local spatial.Vec3
}

// pointAt returns the point of the body named that is at p in the state st.
func (r *rig) pointAt(t testing.TB, st *mechanism.State, body string, p spatial.Vec3) point {
	t.Helper()
	i, err := r.mech.BodyIndex(body)
	require.NoError(t, err)
	b := &st.Bodies[i]
	return point{i, b.Rotation.Conj().Rotate(p.Sub(b.Position))}
}

// of returns position and velocity of the point.
func (p point) of(st *mechanism.State) (x, v spatial.Vec3) {
	b := &st.Bodies[p.body]
	arm := b.Rotation.Rotate(p.local)
	return b.Position.Add(arm), b.Velocity.Add(b.Omega.Cross(arm))
}

// distance returns the largest difference of two states in rotation, position,
// and velocities, lengths as they are.
func distance(a, b *mechanism.State) float64 {
	d := 0.0
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		d = max(d, x.Rotation.Mul(y.Rotation.Conj()).Log().Norm(), x.Position.Sub(y.Position).Norm(),
			x.Velocity.Sub(y.Velocity).Norm(), x.Omega.Sub(y.Omega).Norm())
	}
	return d
}

// table is a reference trajectory.
type table struct {
	columns []string
	rows    [][]float64
}

// readTable reads a file of comma-separated numbers with a header.
func readTable(t testing.TB, path string) *table {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	require.True(t, scan.Scan())
	out := &table{columns: strings.Split(scan.Text(), ",")}
	for scan.Scan() {
		fields := strings.Split(scan.Text(), ",")
		require.Len(t, fields, len(out.columns))
		row := make([]float64, len(fields))
		for i, s := range fields {
			row[i], err = strconv.ParseFloat(s, 64)
			require.NoError(t, err)
		}
		out.rows = append(out.rows, row)
	}
	require.NoError(t, scan.Err())
	return out
}

// memory is a Recorder that keeps copies of the rows.
type memory struct {
	states  []*mechanism.State
	energy  []float64
	kinetic float64   // the largest
	drift   sim.Drift // the largest
}

func (m *memory) Record(r *sim.Row) error {
	m.states = append(m.states, r.State.Clone())
	m.energy = append(m.energy, r.Energy.Kinetic+r.Energy.Potential())
	m.kinetic = max(m.kinetic, r.Energy.Kinetic)
	m.drift.Position = max(m.drift.Position, r.Drift.Position)
	m.drift.Velocity = max(m.drift.Velocity, r.Drift.Velocity)
	return nil
}

func (m *memory) Mark() (int64, error) { return int64(len(m.states)), nil }

// energyDrift returns the largest change of the energy from the first row,
// relative to the largest kinetic energy, where loads have done the given work.
func (m *memory) energyDrift(work func(row int) float64) (d float64) {
	for i, e := range m.energy {
		if work != nil {
			e -= work(i)
		}
		d = max(d, math.Abs(e-m.energy[0])/m.kinetic)
	}
	return d
}
