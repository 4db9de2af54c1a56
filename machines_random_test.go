package rung_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse/interop"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	// machineRank separates the singular values of rows scaled to length 1, as in the dense tests of package kkt.
	machineRank = 1e-9
	// machineTol is the error of accelerations relative to the largest one, for a projected mass matrix of condition 1;
	// conditionTol is what condition adds to it, by rounding of either side.
	machineTol   = 1e-9
	conditionTol = 1e-13
	// singularMass is the least eigenvalue of the projected mass matrix, relative to the largest, below which nothing
	// determines the accelerations: rounding leaves 1e-16.
	singularMass = 1e-13
)

// dense is the dense solution of Gauss's principle: the least of ½aᵀMa − fᵀa + ½Σ I·q̈² among the accelerations that
// the joints allow, on an orthonormal basis of the null space of J.
type dense struct {
	a         []float64
	rank      int
	condition float64 // of the projected mass matrix, infinite if that is singular
}

func solveDense(t testing.TB, p *kkt.Plan, st *mechanism.State) dense {
	t.Helper()
	y, mech := p.Layout().NewSystem(), p.Mechanism()
	require.NoError(t, y.FillTo(st))
	K, n := interop.Dense(y.Matrix, nil), 6*mech.NumBodies()
	rows := p.Layout().Pattern.Dim() - n
	var M mat.Dense
	M.CloneFrom(K.SliceSym(0, n))
	f := mat.NewVecDense(n, nil)
	for i := range n {
		f.SetVec(i, y.Right[i])
	}
	// Armature: I·(e·a + γ)² by the second rates of unit accelerations.
	zero := make([]float64, n)
	for _, j := range mech.Geared() {
		jt := &mech.Joints[j]
		var gamma, q [6]float64
		require.NoError(t, mech.SecondRatesTo(&gamma, int(j), zero, y.Kin, st))
		e := mat.NewDense(6, n, nil)
		for k := range n {
			unit := make([]float64, n)
			unit[k] = 1
			require.NoError(t, mech.SecondRatesTo(&q, int(j), unit, y.Kin, st))
			for i := range q {
				e.Set(i, k, q[i]-gamma[i])
			}
		}
		for i, I := range jt.Armature {
			var outer mat.Dense
			outer.Outer(I, e.RowView(i), e.RowView(i))
			M.Add(&M, &outer)
			f.AddScaledVec(f, -I*gamma[i], e.RowView(i))
		}
	}
	Z, ap, rank := nullSpace(t, K, y.Right[n:], n, rows)
	out := dense{a: ap.RawVector().Data, rank: rank, condition: 1}
	_, free := Z.Dims()
	if free == 0 {
		return out
	}
	var MZ, A mat.Dense
	MZ.Mul(&M, Z)
	A.Mul(Z.T(), &MZ)
	sym := mat.NewSymDense(free, nil)
	for i := range free {
		for j := range i + 1 {
			sym.SetSym(i, j, (A.At(i, j)+A.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	require.True(t, eig.Factorize(sym, true))
	values := eig.Values(nil)
	if out.condition = values[free-1] / values[0]; !(values[0] > singularMass*values[free-1]) {
		out.condition = math.Inf(1)
		return out
	}
	var r, z, b, x mat.VecDense
	r.MulVec(&M, ap)
	r.SubVec(f, &r)
	b.MulVec(Z.T(), &r)
	var Q mat.Dense
	eig.VectorsTo(&Q)
	z.MulVec(Q.T(), &b)
	for i := range free {
		z.SetVec(i, z.AtVec(i)/values[i])
	}
	b.MulVec(&Q, &z)
	x.MulVec(Z, &b)
	ap.AddVec(ap, &x)
	out.a = ap.RawVector().Data
	return out
}

// nullSpace returns an orthonormal basis of the null space of the rows
// of K below n, and the least solution of these rows.
func nullSpace(t testing.TB, K mat.Matrix, right []float64, n, rows int) (*mat.Dense, *mat.VecDense, int) {
	t.Helper()
	ap := mat.NewVecDense(n, nil)
	if rows == 0 {
		Z := mat.NewDense(n, n, nil)
		for i := range n {
			Z.Set(i, i, 1)
		}
		return Z, ap, 0
	}
	J, b := mat.NewDense(rows, n, nil), mat.NewVecDense(rows, nil)
	for i := range rows {
		size := 0.0
		for k := range n {
			size = math.Hypot(size, K.At(n+i, k))
		}
		for k := range n {
			J.Set(i, k, K.At(n+i, k)/size)
		}
		b.SetVec(i, right[i]/size)
	}
	var svd mat.SVD
	require.True(t, svd.Factorize(J, mat.SVDFull))
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	s, rank := svd.Values(nil), 0
	for rank < len(s) && s[rank] > machineRank*s[0] {
		ap.AddScaledVec(ap, mat.Dot(U.ColView(rank), b)/s[rank], V.ColView(rank))
		rank++
	}
	if rank == n {
		return new(mat.Dense), ap, rank
	}
	return mat.DenseCopyOf(V.Slice(0, n, rank, n)), ap, rank
}

// TestRandomMachines compares the sparse method under all orderings, the tree methods and the dense solution in random
// mechanisms with armature, couplings, slender rods and point masses, and again with bodies, joints and couplings in
// another order. All of them have to find out where nothing determines the accelerations.
func TestRandomMachines(t *testing.T) {
	seeds := check.Random[uint64](150, 30)
	determined, not := 0, 0
	for seed := range seeds {
		rng := check.Rand(seed)
		n := 3 + int(seed%9)
		m := modeltest.Gear(generate(t, "random", n, seed), rng)
		if seed%2 == 0 {
			m = modeltest.Thin(m, rng, 1+int(seed%8)/2)
		}
		if seed%3 > 0 && hasScalar(m) {
			m = modeltest.Couple(t, m, rng, 1+rng.IntN(3))
			hold(m)
		}
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			if requireMachines(t, m, seed, nil) {
				determined++
			} else {
				not++
			}
			requireMachines(t, modeltest.Shuffle(m, rng), seed+1, m)
		})
	}
	t.Logf("%d determined, %d not", determined, not)
	require.Greater(t, determined, int(seeds)/2)
	require.Greater(t, not, int(seeds)/30)
}

// TestLawMachines is TestRandomMachines with laws of one coordinate and of two.
func TestLawMachines(t *testing.T) {
	determined := 0
	for seed := range check.Random[uint64](50, 12) {
		rng := check.Rand(seed)
		m := modeltest.Gear(generate(t, "random", 4+int(seed%8), seed), rng)
		if !hasScalar(m) {
			continue
		}
		m = modeltest.Follow(t, m, rng, 1+rng.IntN(3))
		hold(m)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			if requireMachines(t, m, seed, nil) {
				determined++
			}
			requireMachines(t, modeltest.Shuffle(m, rng), seed+1, m)
		})
	}
	require.Greater(t, determined, check.Few(20, 3))
}

// hold makes the motions of m constant, as they and couplings may leave nothing else to move.
func hold(m *model.Model) {
	for j := range m.Joints {
		for i, mo := range m.Joints[j].Motion {
			if mo != nil {
				q, _, _ := mo.Prepared().At(m.Time)
				m.Joints[j].Motion[i] = &model.Motion{Kind: model.Polynomial, Coefficients: []float64{q}}
			}
		}
	}
}

// hasScalar reports whether m has freedoms that couplings can have.
func hasScalar(m *model.Model) bool {
	for j := range m.Joints {
		for i := range m.Joints[j].Kind().Freedoms() {
			if m.Joints[j].Kind().Scalar(i) && (m.Joints[j].Motion == nil || m.Joints[j].Motion[i] == nil) {
				return true
			}
		}
	}
	return false
}

// requireMachines compares all methods at the state of m, and reports whether its accelerations are determined. With
// origin, a model with the bodies of m in another order, the accelerations must equal the accelerations of origin.
func requireMachines(t *testing.T, m *model.Model, seed uint64, origin *model.Model) bool {
	t.Helper()
	p := newPlan(t, m, orderings[seed%uint64(len(orderings))])
	st, mech := p.Initial(), p.Mechanism()
	require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
	want := solveDense(t, p, st)
	s := p.NewSolver()
	err := s.Solve(st)
	if math.IsInf(want.condition, 1) {
		require.ErrorIs(t, err, mechanism.ErrUndetermined)
		var at *mechanism.Error
		require.True(t, errors.As(err, &at) && at.Body != "", "%v", err)
	} else {
		require.NoError(t, err)
		size := max(check.MaxAbs(want.a), 1)
		tol := machineTol + conditionTol*want.condition
		got := make([]float64, len(want.a))
		s.AccelerationsTo(got)
		check.CloseVec(t, got, want.a, tol, size, "accelerations, condition %.2g, %v", want.condition, s.Route())
		r, err := s.Report()
		require.NoError(t, err)
		require.Equal(t, want.rank, r.Rank, "rank")
	}
	plan, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	for _, method := range []tree.Method{tree.Direct, tree.Lambda, tree.Projection} {
		by := plan.NewSolver(method, tree.SolverOptions{})
		err := by.Solve(st)
		if math.IsInf(want.condition, 1) {
			require.ErrorIs(t, err, mechanism.ErrUndetermined, "%v", method)
			continue
		}
		require.NoError(t, err, "%v, condition %.2g", method, want.condition)
		list := make([]spatial.ClassicalAccel, mech.NumBodies())
		by.AccelerationsTo(list)
		var got []float64
		for i := range list {
			got = append(got, list[i][:]...)
		}
		check.CloseVec(t, got, want.a, 10*machineTol+10*conditionTol*want.condition, max(check.MaxAbs(want.a), 1), "%v, condition %.2g", method, want.condition)
		rep := by.Report()
		require.Equal(t, want.rank, rep.Rank+rep.TreeRows, "%v: rank", method)
	}
	return !math.IsInf(want.condition, 1)
}
