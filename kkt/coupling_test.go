package kkt_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// scalarKinds are the joint types with scalar coordinates.
var scalarKinds = []joints.Kind{
	joints.Revolute, joints.Prismatic, joints.Helical, joints.Cylindrical, joints.Universal, joints.Planar, joints.SphereInCylinder,
}

// branches returns a mechanism of chains that begin at the world, with a joint of each type of scalarKinds in random
// places, and the scalar freedoms of the joints.
func branches(t testing.TB, rng *rand.Rand, n int) (*model.Model, []model.Coupled) {
	t.Helper()
	b := build.New("branches")
	vec := func(s float64) spatial.Vec3 {
		return spatial.Vec3{s * rng.NormFloat64(), s * rng.NormFloat64(), s * rng.NormFloat64()}
	}
	var list []build.Body
	var free []model.Coupled
	for i := range n {
		kind := scalarKinds[i%len(scalarKinds)]
		from := build.World
		if i > 0 {
			from = list[rng.IntN(len(list))]
		}
		d, err := bodies.New(1+rng.Float64(), vec(0.1), spatial.Sym3{1 + rng.Float64()/2, 1.2, 1.3, 0.1 * rng.Float64(), 0.1, 0.05})
		require.NoError(t, err)
		at := build.Place{Origin: vec(1)}.WithZ(vec(1))
		list = append(list, b.Body(fmt.Sprint("body ", i), d, at))
		j := b.Joint(fmt.Sprint("joint ", i), kind, from, list[i], at)
		if kind == joints.Helical {
			j.Pitch = 0.3
		}
		for f := range kind.Freedoms() {
			if kind.Scalar(f) {
				free = append(free, model.Coupled{Joint: j.Name, Freedom: f})
			}
		}
		b.Move(list[i], vec(1), vec(1))
	}
	m, err := b.Model()
	require.NoError(t, err)
	return m, free
}

// settled moves m by random velocities to another pose, closes it, and projects velocities.
func settled(t testing.TB, m *model.Model, rng *rand.Rand) (*kkt.Plan, *mechanism.State) {
	t.Helper()
	p := plan(t, m, order.Auto)
	st := p.Initial()
	c := closing.NewCloser(p, closing.Options{})
	v := make([]float64, 6*len(m.Bodies))
	for i := range v {
		v[i] = 0.5 * rng.NormFloat64()
	}
	require.NoError(t, c.ProjectVelocities(st))
	require.NoError(t, c.AllowMotion(v, st))
	to := st.Clone()
	p.Mechanism().DisplaceTo(to, st, 1, v)
	require.NoError(t, c.ClosePositions(to))
	require.NoError(t, c.ProjectVelocities(to))
	return p, to
}

func plan(t testing.TB, m *model.Model, o order.Ordering) *kkt.Plan {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return kkt.NewPlan(mech, kkt.Options{Ordering: o})
}

// TestCouplingRows compares the rows of random couplings, their rates and their second derivatives with finite
// differences of φ along a motion that the joints allow.
func TestCouplingRows(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(20, seed))
		m, free := branches(t, rng, 9)
		p, st := settled(t, m, rng)
		s := p.NewSolver()
		require.NoError(t, s.Solve(st))
		a := make([]float64, 6*len(m.Bodies))
		s.AccelerationsTo(a)

		of, rest := drawn(rng, free)
		k := model.Coupling{Name: "k", Offset: rng.NormFloat64(), Polynomial: &model.CouplingPolynomial{Of: of}}
		for range 5 {
			k.Terms = append(k.Terms, model.CouplingTerm{Coupled: rest[rng.IntN(len(rest))], Factor: rng.NormFloat64()})
			k.Polynomial.Coefficients = append(k.Polynomial.Coefficients, rng.NormFloat64())
		}
		requireRows(t, m, k, st, a, seed)
	}
}

// TestLawRows is TestCouplingRows for random laws of each kind.
func TestLawRows(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(43, seed))
		m, free := branches(t, rng, 9)
		p, st := settled(t, m, rng)
		s := p.NewSolver()
		require.NoError(t, s.Solve(st))
		a := make([]float64, 6*len(m.Bodies))
		s.AccelerationsTo(a)

		k := model.Coupling{Name: "k", Offset: rng.NormFloat64()}
		k.Law = modeltest.Law(rng, int(seed), 0, 0)
		for range k.Law.Spans {
			var of model.Coupled
			of, free = drawn(rng, free)
			k.Law.Of = append(k.Law.Of, of)
		}
		for range 3 {
			k.Terms = append(k.Terms, model.CouplingTerm{Coupled: free[rng.IntN(len(free))], Factor: rng.NormFloat64()})
		}
		var q [2]float64
		for i, of := range k.Law.Of {
			q[i] = coordinate(t, p.Mechanism(), st, of)
		}
		k.Law.Law = modeltest.Law(rng, int(seed), q[0], q[1]).Law
		requireRows(t, m, k, st, a, seed)
	}
}

// drawn returns one of the freedoms, and the others.
func drawn(rng *rand.Rand, free []model.Coupled) (of model.Coupled, rest []model.Coupled) {
	i := rng.IntN(len(free))
	return free[i], slices.Delete(slices.Clone(free), i, i+1)
}

// coordinate returns the coordinate of a freedom.
func coordinate(t testing.TB, mech *mechanism.Mechanism, st *mechanism.State, of model.Coupled) float64 {
	j, err := mech.JointIndex(of.Joint)
	require.NoError(t, err)
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	kin := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(kin, st))
	mech.JointTo(&jk, j, kin, st)
	mech.Joints[j].CoordinatesTo(&q, &qd, &jk)
	return q[of.Freedom]
}

// requireRows compares the row of a coupling of m, its rate and its second derivative with finite differences of φ along
// the motion at st with the accelerations a.
func requireRows(t *testing.T, m *model.Model, k model.Coupling, st *mechanism.State, a []float64, seed uint64) {
	t.Helper()
	const step = 1e-4 // errors of differences are of the order of its square, and of rounding over it
	with := *m
	with.Couplings = []model.Coupling{k}
	q := plan(t, &with, order.Auto)
	mech, layout := q.Mechanism(), q.Layout()
	y := layout.NewSystem()
	st.Angles = nil
	mech.FollowAngles(y.Kin, st)
	require.NoError(t, y.FillTo(st))
	vel := make([]float64, len(a))
	for i := range st.Bodies {
		st.Bodies[i].ComVelocityTo((*[6]float64)(vel[6*i:]), &y.Kin.Bodies[i].Com)
	}
	node := layout.CouplingNode(0)
	row := func(x []float64) (sum float64) {
		pt := layout.Pattern
		for n := pt.Ptr[node]; n < pt.Ptr[node+1]; n++ {
			for c := range 6 {
				sum += y.Matrix.Val[pt.Pos[n]+int64(c)] * x[6*int(pt.Ind[n])+c]
			}
		}
		return sum
	}
	_, rate := mech.CouplingErrors(0, y.Kin, st)
	check.Close(t, row(vel), rate, 1+math.Abs(rate), 1e-12, "seed %d: row times velocity", seed)

	// φ at t = −2h … 2h.
	var phi [5]float64
	kin, to, x := mech.NewKinematics(), st.Clone(), make([]float64, len(a))
	for i := range phi {
		h := step * float64(i-2)
		for c := range x {
			x[c] = h*vel[c] + h*h/2*a[c]
		}
		mech.DisplaceTo(to, st, 1, x)
		require.NoError(t, mech.KinematicsTo(kin, to))
		phi[i], _ = mech.CouplingErrors(0, kin, to)
	}
	first := (phi[3] - phi[1]) / (2 * step)
	second := (phi[3] - 2*phi[2] + phi[1]) / (step * step)
	wide := (phi[4] - 2*phi[2] + phi[0]) / (4 * step * step)
	size := 1 + math.Abs(second)
	check.Close(t, rate, first, 1+math.Abs(first), 1e-6, "seed %d: rate", seed)
	right := y.Right[layout.Pattern.Off[node]]
	check.Close(t, row(a)-right, (4*second-wide)/3, size, 1e-5, "seed %d: second derivative", seed)
}
