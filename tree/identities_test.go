package tree_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	// inverseTol is the error of RNEA(FD(τ)), relative to the largest of τ and
	// of the forces at q̈ = 0, which issue 3 asks for.
	inverseTol = 1e-11
	// roundTol is the rounding of sums along branches of a few tens of links.
	roundTol = 1e-12
	// stepTol is the error of a central difference with differenceStep.
	stepTol        = 1e-7
	differenceStep = 1e-4
)

// forEachTree runs f on random trees of all types, of different size and depth.
func forEachTree(t *testing.T, sizes []int, f func(t *testing.T, r *rig, seed uint64)) {
	for _, n := range sizes {
		for k, reach := range []int{1, 3, n} {
			seed := uint64(10*n + k)
			t.Run(fmt.Sprintf("n=%d/reach=%d", n, reach), func(t *testing.T) {
				rng := check.Rand(seed)
				r := newRig(t, randomTree(n, reach, treeTypes, rng), tree.Options{}).atRandom(t, rng)
				require.Empty(t, r.plan.Loops)
				f(t, r, seed)
			})
		}
	}
}

func TestInverseOfForward(t *testing.T) {
	forEachTree(t, []int{1, 2, 5, 20, 100, 500}, func(t *testing.T, r *rig, seed uint64) {
		tau, qdd, C := r.random(check.Rand(seed+1)), r.zeros(), r.zeros()
		r.w.InverseTo(C, nil)
		require.NoError(t, r.w.ForwardTo(qdd, tau))
		back := r.zeros()
		r.w.InverseTo(back, qdd)
		scale := math.Max(1, math.Max(check.MaxAbs(tau), check.MaxAbs(C)))
		check.CloseVec(t, back, tau, inverseTol, scale, "RNEA(FD(τ))")

		// In place.
		require.NoError(t, r.w.ForwardTo(tau, tau))
		assert.Equal(t, qdd, tau)
		r.w.InverseTo(qdd, qdd)
		assert.Equal(t, back, qdd)
	})
}

func TestForwardAgreesWithInertia(t *testing.T) {
	forEachTree(t, []int{1, 2, 5, 20, 100, 500}, func(t *testing.T, r *rig, seed uint64) {
		tau, qdd, x := r.random(check.Rand(seed+1)), r.zeros(), r.zeros()
		require.NoError(t, r.w.ForwardTo(qdd, tau))
		require.NoError(t, r.w.ForwardByInertiaTo(x, tau, r.plan.NewBranchMatrix(), refinements))
		check.CloseVec(t, x, qdd, agreeTol, math.Max(1, check.MaxAbs(qdd)), "q̈")
	})
}

// TestForwardAgreesWithSparse compares the accelerations under the loads of the
// mechanism, which have forces on half of the joints.
func TestForwardAgreesWithSparse(t *testing.T) {
	forEachTree(t, []int{1, 2, 5, 20, 100, 500}, func(t *testing.T, r *rig, _ uint64) {
		if r.plan.NumDof() == 0 {
			a, _, _ := accelerations(t, r)
			require.Zero(t, check.MaxAbs(a), "nothing can move")
			return // and nothing gives a scale
		}
		requireSparse(t, r)
	})
}

// TestInertiaMatrix compares H with the columns that inverse dynamics gives, and
// its entries with the branch-induced pattern.
func TestInertiaMatrix(t *testing.T) {
	forEachTree(t, []int{1, 2, 5, 20, 40}, func(t *testing.T, r *rig, _ uint64) {
		n := r.plan.NumDof()
		if n == 0 {
			return
		}
		H := r.plan.NewBranchMatrix()
		r.w.InertiaTo(H)
		C, col, e, want := r.zeros(), r.zeros(), r.zeros(), r.zeros()
		r.w.InverseTo(C, nil)
		scale := mat.Max(symmetric(H)) + check.MaxAbs(C)
		for k := range n {
			e[k] = 1
			r.w.InverseTo(col, e)
			for i := range n {
				col[i] -= C[i]
				want[i] = H.At(i, k)
			}
			check.CloseVec(t, want, col, roundTol, scale, "column %d", k)
			H.MulVecTo(col, e)
			check.CloseVec(t, col, want, 0, 1, "product %d", k)
			e[k] = 0
		}
		var chol mat.Cholesky
		require.True(t, chol.Factorize(symmetric(H)), "positive definite")
	})
}

func TestKineticEnergy(t *testing.T) {
	forEachTree(t, []int{1, 2, 20, 100}, func(t *testing.T, r *rig, _ uint64) {
		H, p := r.plan.NewBranchMatrix(), r.zeros()
		r.w.InertiaTo(H)
		H.MulVecTo(p, r.qd)
		T := 0.0
		for k := range p {
			T += 0.5 * p[k] * r.qd[k]
		}
		want := r.mech.EnergyAt(r.w.Kinematics(), r.w.State()).Kinetic
		check.Close(t, T, want, roundTol, math.Max(1, want), "½q̇ᵀHq̇")
	})
}

// TestFactors compares LᵀL and LᵀDL with H and their solutions with gonum's.
func TestFactors(t *testing.T) {
	forEachTree(t, []int{1, 2, 5, 20, 40}, func(t *testing.T, r *rig, seed uint64) {
		n := r.plan.NumDof()
		if n == 0 {
			return
		}
		H := r.plan.NewBranchMatrix()
		r.w.InertiaTo(H)
		dense := symmetric(H)
		b := r.random(check.Rand(seed + 2))
		for name, f := range map[string]func(*tree.BranchMatrix) error{
			"LTL": (*tree.BranchMatrix).FactorLTL, "LTDL": (*tree.BranchMatrix).FactorLTDL,
		} {
			F := r.plan.NewBranchMatrix()
			H.CopyTo(F)
			require.NoError(t, f(F))
			L, D := mat.NewDense(n, n, nil), mat.NewDiagDense(n, nil)
			for k := range n {
				row := F.Row(k)
				e := len(row) - 1
				D.SetDiag(k, 1)
				L.Set(k, k, row[e])
				if name == "LTDL" {
					D.SetDiag(k, row[e])
					L.Set(k, k, 1)
				}
				for i := r.plan.DofParent[k]; i >= 0; i = r.plan.DofParent[i] {
					e--
					L.Set(k, int(i), row[e])
				}
			}
			var P mat.Dense
			P.Product(L.T(), D, L)
			P.Sub(&P, dense)
			assert.LessOrEqual(t, mat.Norm(&P, 1), roundTol*mat.Norm(dense, 1), name)
			x := r.zeros()
			F.SolveTo(x, b)
			assert.LessOrEqual(t, check.Residual(dense, x, b), roundTol, name)
		}
	})
}

// TestRoundTrip maps joint variables to a maximal state and back.
func TestRoundTrip(t *testing.T) {
	forEachTree(t, []int{1, 2, 20, 100}, func(t *testing.T, r *rig, _ uint64) {
		q, qd := make([]float64, len(r.q)), r.zeros()
		s := r.w.State().Clone()
		for j := range r.mech.NumJoints() {
			position, velocity := r.mech.Residuals(j, r.w.Kinematics(), s)
			assert.LessOrEqual(t, position, roundTol)
			assert.LessOrEqual(t, velocity, roundTol*100)
		}
		r.plan.CoordinatesTo(q, qd, r.w.Kinematics(), s)
		requireSameVariables(t, r, q, qd, r.q, r.qd)

		// The measured state gives the same motion as the variables.
		v := make([]spatial.Motion, r.plan.NumLinks())
		for i := range v {
			v[i] = r.w.Velocity(i)
		}
		require.NoError(t, r.w.SetState(s))
		requireSameVariables(t, r, q, r.w.Rates(), r.q, r.qd)
		for i := range v {
			got := r.w.Velocity(i)
			check.CloseVec(t, got[:], v[i][:], roundTol, 100, "velocity of link %d", i)
		}
		back := s.Clone()
		r.plan.StateTo(back, q, qd)
		for i := range back.Bodies {
			requireSameBody(t, &back.Bodies[i], &s.Bodies[i])
		}
	})
}

// requireSameVariables compares joint variables; the quaternions of one rotation
// may have opposite signs.
func requireSameVariables(t *testing.T, r *rig, q, qd, wantQ, wantQd []float64) {
	t.Helper()
	check.CloseVec(t, qd, wantQd, roundTol, 10, "q̇")
	for i := range r.plan.Links {
		l := &r.plan.Links[i]
		a, b := q[l.Q:l.Q+l.NumQ], wantQ[l.Q:l.Q+l.NumQ]
		if l.NumQ != l.NumDof && a[0]*b[0]+a[1]*b[1]+a[2]*b[2]+a[3]*b[3] < 0 {
			for k := range 4 {
				a[k] = -a[k]
			}
		}
		check.CloseVec(t, a, b, roundTol, 1, "q of link %d (%v)", i, l.Kind)
	}
}

func requireSameBody(t *testing.T, a, b *mechanism.BodyState) {
	t.Helper()
	check.CloseVec(t, a.Position[:], b.Position[:], roundTol, 10, "position")
	check.CloseVec(t, a.Velocity[:], b.Velocity[:], roundTol, 100, "velocity")
	check.CloseVec(t, a.Omega[:], b.Omega[:], roundTol, 100, "omega")
	d := a.Rotation.Mul(b.Rotation.Conj()).Log()
	check.CloseVec(t, d[:], make([]float64, 3), roundTol, 1, "rotation")
}

// step returns q after the time h at constant rates.
func (r *rig) step(h float64) []float64 {
	dq, q := make([]float64, len(r.q)), append([]float64(nil), r.q...)
	r.plan.RatesTo(dq, r.q, r.qd)
	for i := range q {
		q[i] += h * dq[i]
	}
	for i := range r.plan.Links {
		l := &r.plan.Links[i]
		if l.NumQ != l.NumDof {
			rot := spatial.Quat(r.q[l.Q:l.Q+4]).Integrate(spatial.Vec3(r.qd[l.Dof:]), h)
			copy(q[l.Q:], rot[:])
		}
	}
	return q
}

// TestVelocityProducts compares velocities with differences of positions, and
// accelerations at q̈ = 0 with differences of velocities.
func TestVelocityProducts(t *testing.T) {
	forEachTree(t, []int{1, 2, 20}, func(t *testing.T, r *rig, _ uint64) {
		const h = differenceStep
		n := r.plan.NumLinks()
		bias := make([]spatial.ClassicalAccel, n)
		r.w.AccelerationsTo(bias, nil)
		now := make([]spatial.Motion, n)
		for i := range n {
			now[i] = r.w.Velocity(i)
		}
		at := func(h float64) ([]spatial.Motion, []spatial.Vec3) {
			require.NoError(t, r.w.Set(r.step(h), r.qd, 0))
			v, x := make([]spatial.Motion, n), make([]spatial.Vec3, n)
			for i := range n {
				b := r.plan.Links[i].Body
				v[i], x[i] = r.w.Velocity(i), r.w.State().Bodies[b].Position.Add(r.w.Kinematics().Bodies[b].Com)
			}
			return v, x
		}
		v1, x1 := at(h)
		v0, x0 := at(-h)
		for i := range n {
			a := bias[r.plan.Links[i].Body]
			d := v1[i].Sub(v0[i]).Scale(0.5 / h)
			scale := math.Max(1, check.MaxAbs(a[:]))
			check.CloseVec(t, d[:], a[:], stepTol, 100*scale, "acceleration of link %d", i)
			dx := x1[i].Sub(x0[i]).Scale(0.5 / h)
			check.CloseVec(t, dx[:], now[i][3:], stepTol, 100*scale, "velocity of link %d", i)
		}
	})
}

// TestJacobian compares the Jacobian with velocities, and generalized forces
// with its transpose.
func TestJacobian(t *testing.T) {
	forEachTree(t, []int{1, 2, 20}, func(t *testing.T, r *rig, seed uint64) {
		rng := check.Rand(seed + 3)
		J := make([]spatial.Motion, r.plan.NumDof())
		for i := range r.plan.NumLinks() {
			arm := spatial.Vec3{rng.Float64(), rng.Float64(), rng.Float64()}
			r.w.JacobianTo(J, i, arm)
			var v spatial.Motion
			for k := range J {
				v = v.Add(J[k].Scale(r.qd[k]))
			}
			want := r.w.Velocity(i).Shift(arm)
			check.CloseVec(t, v[:], want[:], roundTol, 100, "velocity of link %d", i)

			f := spatial.Force{1, -2, 3, 0.5, -0.6, 0.7}
			about := f.Shift(arm.Neg()) // about the centre of mass
			tau := r.zeros()
			r.w.AddGeneralizedForceTo(tau, i, tree.World, &about, -2)
			for k := range J {
				check.Close(t, tau[k], -2*J[k].Dot(&f), roundTol, 100, "force %d of link %d", k, i)
			}
			// A path in two pieces.
			stop := int(r.plan.Links[i].Parent)
			part := r.zeros()
			r.w.AddGeneralizedForceTo(part, i, stop, &about, -2)
			if stop != tree.World {
				up := about.Shift(r.w.Shift(i).Neg())
				r.w.AddGeneralizedForceTo(part, stop, tree.World, &up, -2)
			}
			check.CloseVec(t, part, tau, roundTol, 100, "pieces of link %d", i)
		}
	})
}

// symmetric returns all entries of H.
func symmetric(H *tree.BranchMatrix) *mat.SymDense {
	n, _ := H.Dims()
	A := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			A.SetSym(i, j, H.At(i, j))
		}
	}
	return A
}
