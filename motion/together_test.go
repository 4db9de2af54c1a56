package motion_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// resist gives the joints of m stops, some of which touch, and friction of all kinds, that of bearings where bears says
// so. Armature, laws and couplings stay.
func resist(t *testing.T, m *model.Model, rng *rand.Rand, bears bool) {
	t.Helper()
	plan, st := projected(t, m)
	if plan == nil {
		return
	}
	solver := plan.NewSolver()
	require.NoError(t, solver.Solve(st))
	report, err := solver.Report()
	require.NoError(t, err)
	mech, k := plan.Mechanism(), plan.Mechanism().NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	between := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	for i := range m.Joints {
		j := &m.Joints[i]
		kind := j.Kind()
		n := kind.Freedoms()
		var jk mechanism.JointKinematics
		var q, qd [6]float64
		mech.JointTo(&jk, i, k, st)
		mech.Joints[i].CoordinatesTo(&q, &qd, &jk)
		friction, limits := make([]model.Friction, n), make([]*model.Limit, n)
		if bears && report.Unique(i) && (j.Type == model.Revolute || j.Type == model.Spherical) {
			for f := range friction {
				friction[f] = model.Friction{Coefficient: 0.2, Radius: 0.02, Speed: 0.1}
			}
			j.Friction = friction
			continue
		}
		any := false
		for f := range n {
			if !kind.Scalar(f) || f < len(j.Motion) && j.Motion[f] != nil || rng.IntN(2) == 0 {
				continue
			}
			any = true
			friction[f] = model.Friction{Force: between(0.1, 3), Speed: between(0.01, 0.1)}
			switch rng.IntN(3) {
			case 0:
				friction[f].Static, friction[f].Stribeck = between(1, 2), between(0.1, 1)
			case 1:
				friction[f].Speed, friction[f].Hold = 0, contact.Hold{Travel: between(0.001, 0.1), Damping: between(0, 1)}
			}
			l := &model.Limit{Lower: q[f] + between(-0.5, 0.1), Upper: q[f] + between(0.2, 0.5)}
			l.Stop.Stiffness, l.Stop.Exponent, l.Stop.Dissipation = between(10, 1000), between(1, 2), between(0, 1)
			limits[f] = l
		}
		if any {
			j.Friction, j.Limits = friction, limits
		}
	}
}

// everything is a random mechanism of all that joints can have, and a state of it; nil if there is none.
func everything(t *testing.T, seed uint64, bears bool) (*model.Model, *rung.Plan, *mechanism.State) {
	m := mixed(t, seed)
	rng := rand.New(rand.NewPCG(seed, 23))
	resist(t, m, rng, bears)
	plan, st := projected(t, m)
	if plan == nil {
		return m, nil, nil
	}
	st.Internal = make([]float64, plan.Mechanism().NumInternal())
	for i := range st.Internal {
		st.Internal[i] = 0.001 * (2*rng.Float64() - 1)
	}
	return m, plan, st
}

// TestTogether: in random mechanisms of all that joints can have accelerations agree by all methods.
func TestTogether(t *testing.T) {
	check.Long(t)
	seeds, compared, bearings := check.Random[uint64](25, 16), 0, 0
	for seed := range seeds {
		m, plan, st := everything(t, seed, true)
		if plan == nil {
			continue
		}
		mech := plan.Mechanism()
		var want []float64
		var doc bytes.Buffer
		require.NoError(t, model.Write(&doc, m))
		back, err := model.Read(&doc, "written")
		require.NoError(t, err, "seed %d", seed)
		for _, method := range motion.Methods() {
			d, err := motion.New(plan, method)
			require.NoError(t, err)
			a := make([]float64, 6*mech.NumBodies())
			require.NoError(t, d.Accelerations(a, st), "seed %d, %v", seed, method)
			if want == nil {
				want = a
			}
			check.CloseVec(t, a, want, 1e-8, 1+check.MaxAbs(want), "seed %d, %v", seed, method)
		}
		again := make([]float64, len(want))
		read := planOf(t, back)
		require.NoError(t, motion.NewDynamics(read).Accelerations(again, stateOf(read.Mechanism(), st)), "seed %d", seed)
		require.Equal(t, want, again, "seed %d: written and read", seed)
		compared++
		bearings += mech.NumBearings()
	}
	assert.Greater(t, compared, int(seeds)*6/10)
	assert.Greater(t, bearings, int(seeds)/10)
}

// stateOf returns st as a state of m, a mechanism of the same model.
func stateOf(m *mechanism.Mechanism, st *mechanism.State) *mechanism.State {
	out := m.Initial()
	out.Time = st.Time
	copy(out.Bodies, st.Bodies)
	copy(out.Angles, st.Angles)
	out.Internal = append([]float64(nil), st.Internal...)
	return out
}

// TestTogetherEnergy: runs of such mechanisms keep their energy but for what stops and friction take, and their joints.
func TestTogetherEnergy(t *testing.T) {
	check.Long(t)
	seeds := check.Random[uint64](8, 0)
	compared := 0
	for seed := range seeds {
		m := mixed(t, seed)
		conserve(m)
		resist(t, m, rand.New(rand.NewPCG(seed, 23)), seed%2 == 1)
		plan, st := projected(t, m)
		if plan == nil {
			continue
		}
		st.Internal = make([]float64, plan.Mechanism().NumInternal())
		mech, k := plan.Mechanism(), plan.Mechanism().NewKinematics()
		energy := func(st *mechanism.State) mechanism.Energy {
			require.NoError(t, mech.KinematicsTo(k, st))
			return mech.EnergyAt(k, st)
		}
		start := energy(st)
		for _, explicit := range []bool{true, false} {
			var s *sim.Simulation
			tol := 1e-6
			o := sim.Options{Projector: sim.NoProjector, Events: sim.NewStops(mech, nil, nil).Events()}
			if explicit {
				s = runExplicit(plan, 1e-8, o, st)
			} else {
				s, tol = runImplicit(plan, 0, 2e-4, o, st), 1e-3 // of fixed steps
			}
			if err := s.Run(0.025); err != nil {
				t.Logf("seed %d, explicit %v: %v", seed, explicit, err)
				continue
			}
			end := energy(s.State())
			drift := end.Kinetic + end.Potential() + s.DissipatedByJoints() - start.Kinetic - start.Potential()
			assert.InDelta(t, 0, drift, tol*(1+start.Kinetic+end.Kinetic+s.DissipatedByJoints()), "seed %d, explicit %v, steps %d", seed, explicit, s.Stats().Steps)
			compared++
		}
	}
	assert.Greater(t, compared, int(seeds))
}

// TestTogetherResumes: a run of everything, impulses at stops included, that is stopped and goes on from its checkpoint
// has the bits of one that is not.
func TestTogetherResumes(t *testing.T) {
	check.Long(t)
	seeds := check.Random[uint64](20, 0)
	compared, impacts := 0, int64(0)
	for seed := range seeds {
		m, _, _ := everything(t, seed, true)
		for i := range m.Joints {
			for _, l := range m.Joints[i].Limits {
				if l != nil {
					l.Stop.Restitution, l.Stop.ImpactSpeed = 0.5, 0.02
					l.Lower, l.Upper = l.Lower-0.1, l.Upper-0.195 // near the end
				}
			}
		}
		plan, st := projected(t, m)
		if plan == nil {
			continue
		}
		mech := plan.Mechanism()
		st.Internal = make([]float64, mech.NumInternal())
		for _, explicit := range []bool{true, false} {
			var stops *sim.Stops
			fresh := func() *sim.Simulation {
				stops = sim.NewStops(mech, motion.NewDynamics(plan), nil)
				start := st.Clone()
				require.NoError(t, stops.Arm(start))
				o := sim.Options{Projector: sim.NoProjector, Events: stops.Events(), EventSamples: sim.ImpactSamples}
				if explicit {
					return runExplicit(plan, 1e-7, o, start)
				}
				return runImplicit(plan, 0, 1e-3, o, start)
			}
			whole := fresh()
			if err := whole.Run(0.01); err != nil {
				t.Logf("seed %d, explicit %v: %v", seed, explicit, err)
				continue
			}
			c, err := whole.Checkpoint()
			require.NoError(t, err)
			if err := whole.Run(0.02); err != nil {
				t.Logf("seed %d, explicit %v: %v", seed, explicit, err)
				continue
			}
			_, n := stops.Taken()
			impacts += n
			again := fresh()
			require.NoError(t, again.Restore(c))
			require.NoError(t, again.Run(0.02))
			a, b := whole.State(), again.State()
			require.Equal(t, a.Bodies, b.Bodies, "seed %d, explicit %v", seed, explicit)
			require.Equal(t, a.Internal, b.Internal, "seed %d, explicit %v", seed, explicit)
			require.Equal(t, a.Angles, b.Angles, "seed %d, explicit %v", seed, explicit)
			compared++
		}
	}
	assert.Greater(t, compared, int(seeds))
	assert.Greater(t, impacts, int64(seeds)/4)
}

// conserve takes off all that changes the energy but stops and friction.
func conserve(m *model.Model) {
	for i := range m.Joints {
		j := &m.Joints[i]
		j.Force, j.Damping, j.Dampers, j.Motion = nil, nil, nil, nil
	}
	kept := m.Forces[:0]
	for _, f := range m.Forces {
		f.Damping, f.Damper, f.Force, f.Torque = 0, nil, [3]float64{}, [3]float64{}
		if f.Bushing != nil {
			b := *f.Bushing
			b.Damping = [6][6]float64{}
			f.Bushing = &b
		}
		if f.Cable != nil {
			c := *f.Cable
			c.Tension = 0
			f.Cable = &c
		}
		if f.Type == model.SpringDamper || f.Type == model.BushingForce || f.Type == model.CableForce {
			kept = append(kept, f)
		}
	}
	m.Forces = kept
}
