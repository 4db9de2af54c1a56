package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

const (
	// pivotTol tells dependent rows from independent ones in small random
	// matrices.
	pivotTol = 1e-12
	// orderTol is how far a measured order of convergence may be from the
	// integrator's.
	orderTol = 0.3
)

// TestProject compares the motion of a constrained tree by independent variables
// with that by multipliers, from the dense (H Kᵀ; K 0).
func TestProject(t *testing.T) {
	rng := check.Rand(3)
	r := newRig(t, randomTree(6, 2, []model.JointType{model.Revolute, model.Spherical}, rng), tree.Options{}).atRandom(t, rng)
	n := r.plan.NumDof()
	rows := n / 2
	K := mat.NewDense(rows, n, nil)
	K.Apply(func(int, int, float64) float64 { return 2*rng.Float64() - 1 }, K)
	k := r.random(rng)[:rows]
	H := r.plan.NewBranchMatrix()
	r.w.InertiaTo(H)
	f := r.zeros()
	r.w.InverseTo(f, nil)
	for i := range f {
		f[i] = -f[i]
	}
	x, err := toExplicit(K, k, pivotTol)
	require.NoError(t, err)
	dense := symmetric(H)
	A, b := x.project(dense, f)
	var ydd, qdd mat.VecDense
	require.NoError(t, ydd.SolveVec(A, mat.NewVecDense(len(b), b)))
	qdd.MulVec(x.G, &ydd)
	qdd.AddVec(&qdd, mat.NewVecDense(n, x.Bias))

	full := mat.NewDense(n+rows, n+rows, nil)
	full.Slice(0, n, 0, n).(*mat.Dense).Copy(dense)
	full.Slice(n, n+rows, 0, n).(*mat.Dense).Copy(K)
	full.Slice(0, n, n, n+rows).(*mat.Dense).Copy(K.T())
	var want mat.VecDense
	require.NoError(t, want.SolveVec(full, mat.NewVecDense(n+rows, append(f, k...))))
	scale := mat.Norm(&want, math.Inf(1))
	check.CloseVec(t, qdd.RawVector().Data, want.RawVector().Data[:n], 1e-10, scale, "q̈")
}

// TestRates compares dq with differences of q, and takes it back to q̇.
func TestRates(t *testing.T) {
	forEachTree(t, []int{1, 5, 30}, func(t *testing.T, r *rig, _ uint64) {
		dq, qd := make([]float64, len(r.q)), r.zeros()
		r.plan.RatesTo(dq, r.q, r.qd)
		after, before := r.step(differenceStep), r.step(-differenceStep)
		for i := range dq {
			after[i] = (after[i] - before[i]) / (2 * differenceStep)
		}
		check.CloseVec(t, dq, after, stepTol, 1, "dq/dt")
		r.plan.QuasiVelocitiesTo(qd, r.q, dq)
		check.CloseVec(t, qd, r.qd, roundTol, 1, "q̇")
	})
}

// TestConservation integrates a tree without dampers: the error of the energy
// falls with the fourth power of the step of a fourth-order method.
func TestConservation(t *testing.T) {
	rng := check.Rand(5)
	m := randomTree(8, 3, treeTypes, rng)
	m.Forces = nil
	for i := range m.Joints {
		m.Joints[i].Force, m.Joints[i].Damping = nil, nil
	}
	r := newRig(t, m, tree.Options{}).atRandom(t, rng)
	nq := r.plan.NumQ()
	start := append(append([]float64(nil), r.q...), r.qd...)
	energy := func(x []float64) float64 {
		require.NoError(t, r.w.Set(x[:nq], x[nq:], 0))
		e := r.mech.EnergyAt(r.w.Kinematics(), r.w.State())
		return e.Kinetic + e.Potential()
	}
	e0 := energy(start)
	drift := func(steps int) float64 {
		x := append([]float64(nil), start...)
		for range steps {
			rungeKutta(t, r.w, x, 0.2/float64(steps))
		}
		return math.Abs(energy(x) - e0)
	}
	coarse, fine := drift(40), drift(80)
	assert.Greater(t, math.Log2(coarse/fine), 4-orderTol, "order, from %g to %g", coarse, fine)
	assert.Less(t, fine, 1e-5*math.Abs(e0))
}

// rungeKutta advances x by one step of the classical fourth-order method.
func rungeKutta(t *testing.T, w *tree.Workspace, x []float64, h float64) {
	t.Helper()
	n := len(x)
	sum, y, k := make([]float64, n), append([]float64(nil), x...), make([]float64, n)
	for _, c := range []struct{ next, weight float64 }{{0.5, 1}, {0.5, 2}, {1, 2}, {0, 1}} {
		require.NoError(t, w.DerivativeTo(k, y, 0, nil))
		for i := range x {
			sum[i] += c.weight / 6 * h * k[i]
			y[i] = x[i] + c.next*h*k[i]
		}
	}
	for i := range x {
		x[i] += sum[i]
	}
}

func randomMatrix(rows, cols int, next func() float64) *mat.Dense {
	A := mat.NewDense(rows, cols, nil)
	A.Apply(func(_, _ int, _ float64) float64 { return next() }, A)
	return A
}

// TestConstraintForms goes from implicit to explicit and back, for constraints
// with and without dependent rows.
func TestConstraintForms(t *testing.T) {
	for seed := range uint64(20) {
		rng := check.Rand(seed)
		next := func() float64 { return 2*rng.Float64() - 1 }
		n := 3 + rng.IntN(6)
		rank := 1 + rng.IntN(n-1)
		rows := rank + rng.IntN(3)
		var K mat.Dense
		K.Mul(randomMatrix(rows, rank, next), randomMatrix(rank, n, next))
		var kv mat.VecDense
		kv.MulVec(&K, randomMatrix(n, 1, next).ColView(0))
		k := kv.RawVector().Data

		x, err := toExplicit(&K, k, pivotTol)
		require.NoError(t, err)
		require.Equal(t, rank, x.Rank)
		require.Len(t, x.Independent, n-rank)
		var KG mat.Dense
		KG.Mul(&K, x.G)
		check.CloseVec(t, KG.RawMatrix().Data, make([]float64, rows*(n-rank)), 1e3*roundTol, 1, "KG")
		var Kg mat.VecDense
		Kg.MulVec(&K, mat.NewVecDense(n, x.Bias))
		check.CloseVec(t, Kg.RawVector().Data, k, 1e3*roundTol, 1, "Kg")
		for c, i := range x.Independent {
			for d := range x.Independent {
				want := 0.0
				if c == d {
					want = 1
				}
				assert.Equal(t, want, x.G.At(i, d))
			}
			assert.Zero(t, x.Bias[i])
		}

		K2, k2 := toImplicit(x.G, x.Bias)
		r, c := K2.Dims()
		require.Equal(t, [2]int{rank, n}, [2]int{r, c})
		var zero mat.Dense
		zero.Mul(K2, x.G)
		check.CloseVec(t, zero.RawMatrix().Data, make([]float64, rank*(n-rank)), 1e3*roundTol, 1, "K'G")
		y, err := toExplicit(K2, k2, pivotTol)
		require.NoError(t, err)
		require.Equal(t, rank, y.Rank)
	}
}

func TestConstraintErrors(t *testing.T) {
	K := mat.NewDense(2, 2, []float64{1, 2, 2, 4})
	_, err := toExplicit(K, []float64{1, 3}, pivotTol)
	require.ErrorIs(t, err, tree.ErrInconsistent)

	x, err := toExplicit(mat.NewDense(2, 2, []float64{0, 2, 4, 0}), []float64{2, 4}, pivotTol)
	require.NoError(t, err)
	assert.Nil(t, x.G)
	assert.Equal(t, []float64{1, 1}, x.Bias)

	full, none := toImplicit(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), []float64{0, 0})
	assert.Nil(t, full)
	assert.Nil(t, none)
	S := mat.NewSymDense(2, nil)
	assert.PanicsWithValue(t, "tree_test: no independent variable", func() { x.project(S, []float64{0, 0}) })
	for _, use := range []func(){
		func() { _, _ = toExplicit(K, nil, 0) },
		func() { toImplicit(K, nil) },
		func() { toImplicit(mat.NewDense(1, 2, nil), []float64{0}) },
		func() { x.project(S, nil) },
	} {
		assert.PanicsWithValue(t, "tree_test: length mismatch", use)
	}
}
