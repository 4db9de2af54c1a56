package motion_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// rub gives joints of m stops, some of which touch, and friction of all
// kinds; that of bearings to hinges and balls whose wrench is unique.
func rub(t *testing.T, m *model.Model, rng *rand.Rand) {
	t.Helper()
	plan := planOf(t, m)
	solver := plan.NewSolver()
	st := plan.Initial()
	require.NoError(t, solver.Solve(st))
	report, err := solver.Report()
	require.NoError(t, err)
	mech, k := plan.Mechanism(), plan.Mechanism().NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	between := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	for i := range m.Joints {
		j := &m.Joints[i]
		n := j.Type.Freedoms()
		j.Friction, j.Limits = make([]model.Friction, n), make([]*model.Limit, n)
		var jk mechanism.JointKinematics
		var q, qd [6]float64
		mech.JointTo(&jk, i, k, st)
		mech.Joints[i].CoordinatesTo(&q, &qd, &jk)
		if report.Unique(i) && (j.Type == model.Revolute || j.Type == model.Spherical) {
			for f := range j.Friction {
				j.Friction[f] = model.Friction{Coefficient: 0.2, Radius: 0.02, Speed: 0.1}
			}
			continue
		}
		for f := range n {
			if !j.Type.Scalar(f) {
				continue
			}
			j.Friction[f] = model.Friction{Force: between(0.1, 3), Speed: between(0.01, 0.1)}
			switch rng.IntN(3) {
			case 0:
				j.Friction[f].Static, j.Friction[f].Stribeck = between(1, 2), between(0.1, 1)
			case 1:
				j.Friction[f].Speed, j.Friction[f].Hold = 0, contact.Hold{Travel: between(0.001, 0.1), Damping: between(0, 1)}
			}
			l := &model.Limit{Lower: q[f] + between(-0.5, 0.1), Upper: q[f] + between(0.2, 0.5)}
			l.Stop.Stiffness, l.Stop.Exponent, l.Stop.Dissipation = between(10, 1000), between(1, 2), between(0, 1)
			j.Limits[f] = l
		}
	}
}

// TestRandomResistances: in random mechanisms, accelerations with stops and friction agree by all methods, and are
// those of forces along the freedoms of the size that stops and friction have.
func TestRandomResistances(t *testing.T) {
	check.Long(t)
	seeds, bearings := uint64(300), 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		m, err := bench.Random(4+int(seed%12), seed)
		require.NoError(t, err)
		rub(t, m, rng)
		plan := planOf(t, m)
		mech, st := plan.Mechanism(), plan.Initial()
		st.Internal = make([]float64, mech.NumInternal())
		for i := range st.Internal {
			st.Internal[i] = 0.001 * (2*rng.Float64() - 1)
		}
		mech.FollowAngles(mech.NewKinematics(), st)
		n := 6 * mech.NumBodies()
		var want []float64
		for _, method := range motion.Methods() {
			d, err := motion.New(plan, method)
			require.NoError(t, err)
			a := make([]float64, n)
			require.NoError(t, d.Accelerations(a, st), "seed %d, %v", seed, method)
			if want == nil {
				want = a
				st.Bearings = make([]float64, mech.NumBearings())
				require.NoError(t, d.(sim.Bearer).BearingsTo(st.Bearings, st))
			}
			check.CloseVec(t, a, want, 1e-8, 1+check.MaxAbs(want), "seed %d, %v", seed, method)
		}
		bearings += mech.NumBearings()

		// The same forces as those of drives.
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, st))
		for i := range m.Joints {
			if j := &m.Joints[i]; j.Force == nil {
				j.Force = make([]float64, j.Type.Freedoms())
			}
		}
		var jk mechanism.JointKinematics
		for i := range mech.NumResistors() {
			f, _ := mech.Resistor(i)
			mech.JointTo(&jk, f.Joint, k, st)
			m.Joints[f.Joint].Force[f.Freedom] += mech.ResistanceAt(i, &jk, st).Force
		}
		for i := range m.Joints {
			m.Joints[i].Friction, m.Joints[i].Limits = nil, nil
		}
		driven, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		solver := driven.NewSolver()
		require.NoError(t, solver.Solve(driven.Initial()))
		a := make([]float64, n)
		solver.AccelerationsTo(a)
		check.CloseVec(t, a, want, 1e-9, 1+check.MaxAbs(want), "seed %d, as drives", seed)
	}
	assert.Greater(t, bearings, int(seeds), "joints with friction of their reaction")
}

// TestLinkageInverse: the inverse dynamics finds the force that was
// there, with stops, friction and the reactions that friction grows with.
func TestLinkageInverse(t *testing.T) {
	plan := linkage(t, func(m *model.Model) { m.Joints[0].Force = []float64{7} })
	s := runExplicit(plan, 1e-8, sim.Options{Projector: sim.NoProjector})
	require.NoError(t, s.Run(0.45))
	a := make([]float64, 6*plan.Mechanism().NumBodies())
	require.NoError(t, motion.NewDynamics(plan).Accelerations(a, s.State()))
	plan = linkage(t, nil)
	v, err := plan.NewInverse([]mechanism.Freedom{{}})
	require.NoError(t, err)
	require.NoError(t, v.Solve(s.State(), a))
	assert.InDelta(t, 7, v.Forces()[0], 1e-9)
}
