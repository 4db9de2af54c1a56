package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// counterSpun returns two discs on one axle that turn against each other without springs, the second on the first.
func counterSpun(kind model.JointType, omega float64) *model.Model {
	m := wound(kind, false, 0, 0, omega)
	m.Joints[0].Stiffness, m.Joints[0].Rest = nil, nil
	m.Joints[0].Turns = []int64{3}
	other := m.Bodies[0]
	other.Name, other.Velocity.Angular = "other", spatial.Vec3(other.Velocity.Angular).Scale(-2)
	m.Bodies = append(m.Bodies, other)
	second := m.Joints[0]
	second.Name, second.Predecessor, second.Successor = "second", "disc", "other"
	second.Turns = nil
	m.Joints = append(m.Joints, second)
	return m
}

// angles is a Recorder of time and coordinates.
type angles struct {
	mech *mechanism.Mechanism
	rows [][3]float64
}

func (a *angles) Record(r *sim.Row) error {
	first, _ := a.mech.Coordinate(mechanism.Freedom{}, r.State)
	second, _ := a.mech.Coordinate(mechanism.Freedom{Joint: 1}, r.State)
	a.rows = append(a.rows, [3]float64{r.State.Time, first, second})
	return nil
}

func (a *angles) Mark() (int64, error) { return int64(len(a.rows)), nil }

// TestTurnsAreCounted: angles without springs grow on, with many rows in a step and many steps in a row, also where
// two bodies turn against each other by more than half a turn in one step; so they do in events, and after a resumed
// run, to the bit.
func TestTurnsAreCounted(t *testing.T) {
	check.Long(t)
	const omega, until, far = 40, 3., 50.
	for _, kind := range []model.JointType{model.Revolute, model.Cylindrical, model.Planar} {
		m := counterSpun(kind, omega)
		for name, build := range map[string]func(sim.Options) (*sim.Simulation, *angles){
			"dopri5, long steps": func(o sim.Options) (*sim.Simulation, *angles) {
				r := newRig(t, m)
				rec := &angles{mech: r.mech}
				o.Projector, o.Recorder, o.Every = r.proj, rec, 0.011
				return r.simulate(sim.DormandPrince(), 1e-3, o), rec
			},
			"rk4, short steps": func(o sim.Options) (*sim.Simulation, *angles) {
				r := newRig(t, m)
				rec := &angles{mech: r.mech}
				o.Projector, o.Recorder, o.Every, o.Step = r.proj, rec, 0.37, 2e-3
				return r.simulate(sim.RungeKutta4(), 0, o), rec
			},
			"generalized-α": func(o sim.Options) (*sim.Simulation, *angles) {
				r := newImplicit(t, m)
				rec := &angles{mech: r.mech}
				o.Projector, o.Recorder, o.Every, o.Step = sim.NoProjector, rec, 0.1, 2e-3
				_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.9}, o)
				return s, rec
			},
		} {
			var mech *mechanism.Mechanism
			var fired []float64
			events := []sim.Event{{
				Name: "far", Function: func(st *mechanism.State) float64 {
					q, _ := mech.Coordinate(mechanism.Freedom{}, st)
					return q - 6*math.Pi - far
				},
				Action: func(st *mechanism.State) (sim.Response, error) {
					fired = append(fired, st.Time)
					return sim.Restart, nil
				},
			}}
			s, rec := build(sim.Options{Events: events})
			mech = rec.mech
			require.Equal(t, 2, mech.NumAngles(), "%v", kind)
			require.NoError(t, s.Run(until))
			require.NotEmpty(t, rec.rows)
			for _, row := range rec.rows {
				check.Close(t, row[1], 6*math.Pi+omega*row[0], omega*until, 1e-5, "%v, %s: first, t = %v", kind, name, row[0])
				check.Close(t, row[2], -3*omega*row[0], 3*omega*until, 1e-5, "%v, %s: second, t = %v", kind, name, row[0])
			}
			require.Len(t, fired, 1, "%v, %s", kind, name)
			check.Close(t, fired[0], far/omega, 1, 1e-5, "%v, %s: the event", kind, name)

			// A run continues from a checkpoint to the bit, and so do its turns.
			part, _ := build(sim.Options{Events: events})
			require.NoError(t, part.Run(1.7))
			marked, err := part.Checkpoint()
			require.NoError(t, err)
			rest, tail := build(sim.Options{Events: events})
			require.NoError(t, rest.Restore(marked))
			require.NoError(t, part.Run(until))
			require.NoError(t, rest.Run(until))
			require.Equal(t, part.State(), rest.State(), "%v, %s", kind, name)
			require.NotEmpty(t, tail.rows)
			require.Equal(t, checkpointOf(t, part).Turned, checkpointOf(t, rest).Turned, "%v, %s", kind, name)
		}
	}
}

func checkpointOf(t *testing.T, s *sim.Simulation) *sim.Checkpoint {
	t.Helper()
	c, err := s.Checkpoint()
	require.NoError(t, err)
	return c
}

// TestTurnColumns: the column of an angle grows on, and its wrapped form stays in (−π, π].
func TestTurnColumns(t *testing.T) {
	m := counterSpun(model.Revolute, 40)
	r := newRig(t, m)
	c, err := sim.NewCatalogue(r.mech, nil).Select([]string{"joint.axle.q", "joint.axle.wrapped"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"s", "rad", "rad"}, c.Units())
	var seen [][]float64
	s := r.simulate(sim.DormandPrince(), 1e-6, sim.Options{Projector: r.proj, Every: 0.01, Recorder: &filler{c, &seen}})
	require.NoError(t, s.Run(2))
	for _, v := range seen {
		check.Close(t, v[1], 6*math.Pi+40*v[0], 80, 1e-6, "t = %v", v[0])
		check.Close(t, math.Sin(v[2]), math.Sin(v[1]), 1, 1e-12, "t = %v", v[0])
		require.True(t, v[2] > -math.Pi && v[2] <= math.Pi, "t = %v", v[0])
	}
	require.NotEmpty(t, seen)
}

// filler is a Recorder that keeps the values of columns.
type filler struct {
	columns *sim.Columns
	seen    *[][]float64
}

func (f *filler) Record(r *sim.Row) error {
	err := f.columns.Fill(r)
	*f.seen = append(*f.seen, append([]float64(nil), f.columns.Values...))
	return err
}

func (f *filler) Mark() (int64, error) { return 0, nil }

// TestTurnsOfCardans: both angles of a free universal joint grow on.
func TestTurnsOfCardans(t *testing.T) {
	m := counterSpun(model.Universal, 15)
	m.Bodies, m.Joints = m.Bodies[:1], m.Joints[:1]
	m.Joints[0].Turns = []int64{3, -1}
	m.Bodies[0].Inertia = model.Inertia{XX: 1, YY: 1, ZZ: 1}
	m.Bodies[0].Velocity.Angular[2] = 4
	r := newRig(t, m)
	require.Equal(t, 2, r.mech.NumAngles())
	var last [2]float64
	s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj, OnStep: func(s *sim.Simulation) error {
		for i := range last {
			q, rate := r.mech.Coordinate(mechanism.Freedom{Freedom: i}, s.State())
			require.Less(t, math.Abs(q-last[i]), math.Pi/2, "no jump")
			require.NotZero(t, rate)
			last[i] = q
		}
		return nil
	}})
	last = [2]float64{6 * math.Pi, -2 * math.Pi}
	require.NoError(t, s.Run(4))
	require.Greater(t, last[0], 6*math.Pi+30)
	require.Greater(t, math.Abs(last[1]+2*math.Pi), 2*math.Pi)
}
