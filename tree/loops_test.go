package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	// rowTol is the rounding of the entries of K and k, relative to their terms.
	rowTol = 1e-11
	// explicitTol is that of G and g, which K_d⁻¹ magnifies.
	explicitTol = 1e-9
	// pathStep and pathTol are the step of a central difference along a motion of
	// the tree, and its error.
	pathStep = 1e-5
	pathTol  = 1e-7
)

// closedModels runs f on all reference models and closedFamilies.
func closedModels(t *testing.T, f func(t *testing.T, m *model.Model)) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		t.Run(name, func(t *testing.T) { f(t, golden(t, name)) })
	}
	closedFamilies(t, f)
}

// constraintsOf returns K and k at the state in use.
func constraintsOf(t testing.TB, r *rig) *tree.Constraints {
	t.Helper()
	c := r.plan.NewConstraints()
	require.NoError(t, r.w.ConstraintsTo(c))
	return c
}

// along returns the variables of r after the time h with the rates qd.
func (r *rig) along(qd []float64, h float64) []float64 {
	q := append([]float64(nil), r.q...)
	for i := range r.plan.Links {
		l := &r.plan.Links[i]
		x, v := q[l.Q:l.Q+l.NumQ], qd[l.Dof:l.Dof+l.NumDof]
		if l.NumQ != l.NumDof {
			turned := spatial.Quat(x[:4]).Integrate(spatial.Vec3(v), h)
			copy(x, turned[:])
			x, v = x[4:], v[3:]
		}
		for k := range v {
			x[k] += h * v[k]
		}
	}
	return q
}

// TestLoopJacobian compares K with the central difference of the position errors
// along random motions of the tree.
func TestLoopJacobian(t *testing.T) {
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		if r.plan.NumRows() == 0 {
			return
		}
		c := constraintsOf(t, r)
		time, n := r.mech.Initial().Time, r.plan.NumRows()
		v := r.random(check.Rand(3))
		want, lo, hi, skip := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		c.MulVecTo(want, v)
		zero := r.zeros()
		require.NoError(t, r.w.Set(r.along(v, -pathStep), zero, time))
		require.NoError(t, r.w.ErrorsTo(lo, skip))
		require.NoError(t, r.w.Set(r.along(v, pathStep), zero, time))
		require.NoError(t, r.w.ErrorsTo(hi, skip))
		for i := range hi {
			hi[i] = (hi[i] - lo[i]) / (2 * pathStep)
		}
		scale := math.Max(1, check.MaxAbs(want))
		// Far from the origin positions are rounded to 1e-10 m.
		if m.Name == "random-10-far" {
			scale *= 1e3
		}
		check.CloseVec(t, hi, want, pathTol*math.Sqrt(float64(n)), scale, "dδ/dt")
	})
}

// TestLoopRates: the reference states satisfy K·q̇ = σ and δ = 0.
func TestLoopRates(t *testing.T) {
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		n := r.plan.NumRows()
		delta, rate := make([]float64, n), make([]float64, n)
		require.NoError(t, r.w.ErrorsTo(delta, rate))
		assert.LessOrEqual(t, check.MaxAbs(delta), rowTol, "position")
		assert.LessOrEqual(t, check.MaxAbs(rate), rowTol, "velocity")
	})
}

// TestLoopAccelerations: along the motion with the solution's q̈ the velocity
// errors stay zero to second order, for time-dependent constraints too.
func TestLoopAccelerations(t *testing.T) {
	closedModels(t, func(t *testing.T, m *model.Model) {
		if m.Name == "random-10-far" {
			return // positions are rounded too much for a difference
		}
		r := newRig(t, m, tree.Options{}).atInitial(t)
		n := r.plan.NumRows()
		s := solveClosed(t, r, tree.Projection, tree.SolverOptions{})
		qdd := s.JointAccelerations()
		time := r.mech.Initial().Time
		var e [2][]float64
		for i, h := range []float64{-pathStep, pathStep} {
			// Rates h later, and their mean until then.
			qd, mean := r.zeros(), r.zeros()
			for d := range qd {
				qd[d], mean[d] = r.qd[d]+h*qdd[d], r.qd[d]+h/2*qdd[d]
			}
			q := r.along(mean, h)
			delta := make([]float64, n)
			e[i] = make([]float64, n)
			require.NoError(t, r.w.Set(q, qd, time+h))
			require.NoError(t, r.w.ErrorsTo(delta, e[i]))
		}
		size := math.Max(1, check.MaxAbs(qdd))
		for i := range n {
			check.Close(t, (e[1][i]-e[0][i])/(2*pathStep), 0, pathTol*math.Sqrt(float64(len(qdd))), size*size, "row %d", i)
		}
	})
}

// TestExplicitForm: K·G = 0 and K·g = k, and G has the rank that K leaves.
func TestExplicitForm(t *testing.T) {
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		s := solveClosed(t, r, tree.Projection, tree.SolverOptions{})
		n, free, rows := r.plan.NumDof(), s.Report().Mobility, r.plan.NumRows()
		G, g := make([]float64, n*free), make([]float64, n)
		s.ExplicitTo(G, g)
		y := s.IndependentTo(nil)
		require.Len(t, y, free)
		K := s.Constraints()
		col, Kx := make([]float64, n), make([]float64, rows)
		for j, own := range y {
			for d := range n {
				col[d] = G[d*free+j]
			}
			for i, d := range y {
				want := 0.0
				if i == j {
					want = 1
				}
				require.Equal(t, want, col[d], "y is a part of q")
			}
			K.MulVecTo(Kx, col)
			assert.LessOrEqual(t, check.MaxAbs(Kx), explicitTol*math.Max(1, check.MaxAbs(col)), "column of %s", r.plan.DofName(own))
		}
		K.MulVecTo(Kx, g)
		scale := math.Max(1, check.MaxAbs(g))
		for i := range Kx {
			check.Close(t, Kx[i], K.Rhs()[i], explicitTol, scale, "row %d of K·g", i)
		}
	})
}

// TestConstraintsMatrix compares the products with the entries of K, and the
// explicit form with that of the general dense elimination.
func TestConstraintsMatrix(t *testing.T) {
	for _, name := range []string{"rbda-8-3", "n-four-bar-3", "driven-mixed", "random-30", "type-distance"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, golden(t, name), tree.Options{}).atInitial(t)
			K := constraintsOf(t, r)
			rows, n := K.Dims()
			require.Equal(t, r.plan.NumRows(), rows)
			whole := view{K}
			dense := mat.DenseCopyOf(whole)
			require.True(t, mat.Equal(dense.T(), whole.T()))
			rng := check.Rand(1)
			x, y := r.random(rng), make([]float64, rows)
			for i := range y {
				y[i] = rng.Float64()
			}
			var want, wantT mat.VecDense
			got := make([]float64, rows)
			K.MulVecTo(got, x)
			want.MulVec(dense, mat.NewVecDense(n, x))
			check.CloseVec(t, got, want.RawVector().Data, rowTol, 1, "K·x")
			back := r.zeros()
			K.AddMulTransTo(back, y)
			wantT.MulVec(dense.T(), mat.NewVecDense(rows, y))
			check.CloseVec(t, back, wantT.RawVector().Data, rowTol, 1, "Kᵀ·y")

			x1, err := toExplicit(whole, K.Rhs(), 1e-9)
			require.NoError(t, err)
			s := solveClosed(t, r, tree.Projection, tree.SolverOptions{})
			require.Equal(t, x1.Rank, s.Report().Rank)
			for i := range rows {
				j := r.mech.JointName(K.RowConstraint(i))
				require.NotEmpty(t, j)
			}
		})
	}
}

// TestStabilization: k_stab is −2α·δ̇ − β²·δ.
func TestStabilization(t *testing.T) {
	for _, name := range []string{"four-bar", "driven-mixed", "type-helical-loop", "stewart-6ups"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, golden(t, name), tree.Options{}).atInitial(t)
			rng := check.Rand(7)
			for i := range r.qd {
				r.qd[i] += 1e-3 * rng.Float64()
			}
			q := r.along(r.random(rng), 1e-6)
			n := r.plan.NumRows()
			delta, rate := make([]float64, n), make([]float64, n)
			require.NoError(t, r.w.Set(q, r.qd, 0.1))
			require.NoError(t, r.w.ErrorsTo(delta, rate))
			require.Positive(t, check.MaxAbs(delta))
			K := constraintsOf(t, r)
			plain := append([]float64(nil), K.Rhs()...)
			o := tree.Stabilization{Alpha: 3, Beta: 5}
			s := r.plan.NewSolver(tree.Projection, tree.SolverOptions{Stabilization: o, RankTolerance: 1e-4})
			_ = s.SolveAt(q, r.qd, 0.1, nil) // k is there even if rows contradict each other
			for i, k := range s.Constraints().Rhs() {
				check.Close(t, k, plain[i]-6*rate[i]-25*delta[i], rowTol, math.Max(1, math.Abs(k)), "row %d", i)
			}
		})
	}
	require.Equal(t, tree.Stabilization{Alpha: 4, Beta: 4}, tree.CriticallyDamped(0.25))
	require.PanicsWithValue(t, "tree: time constant not positive", func() { tree.CriticallyDamped(0) })
}
