package kkt_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse/interop"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// rankTol separates the singular values of rows scaled to length 1: the
	// models keep true ones above 1e-3, redundancy leaves 1e-15.
	rankTol = 1e-9
	// denseTol is the error of a dense least-squares solution relative to the
	// largest acceleration: rounding times the inverse of the smallest
	// singular value.
	denseTol = 1e-9
	// normTol is the error of least-norm multipliers relative to the largest
	// one: the error of the dense solution.
	normTol = 1e-9
	// reachTol is the size, relative to the largest, above which a component of
	// a wrench counts as reached by the null space.
	reachTol = 1e-8
)

// oracle is the dense solution of one KKT system. With M = L·Lᵀ, D the scales
// of the rows and G = D^-½·J·L⁻ᵀ = U·Σ·Vᵀ, whose rows have length 1:
//
//	a = M⁻¹f + L⁻ᵀy,  y = V·Σ⁺·Uᵀ·D^-½(b − J·M⁻¹f),  λ = D^-½·U·Σ⁺·Vᵀ·y
//
// where λ has the least norm λᵀDλ; columns of U past the rank span the null
// space.
type oracle struct {
	a, lambda []float64
	sigma     []float64
	rank      int
	null      *mat.Dense // rows × redundant: D^-½·U₀, nil if nothing is redundant
}

// newOracle solves the system of s as it was filled.
func newOracle(t testing.TB, s *kkt.Solver) *oracle {
	t.Helper()
	sys := systemOf(t, s)
	K, p := interop.Dense(sys.Matrix, nil), sys.Matrix.Pattern
	n := int(p.Off[p.Positive()])
	m := p.Dim() - n
	var chol mat.Cholesky
	require.True(t, chol.Factorize(K.SliceSym(0, n)))
	f := mat.NewVecDense(n, append([]float64(nil), sys.Right[:n]...))
	var free mat.VecDense
	require.NoError(t, chol.SolveVecTo(&free, f))
	if m == 0 {
		return &oracle{a: free.RawVector().Data}
	}
	J := mat.NewDense(m, n, nil)
	for i := range m {
		for k := range n {
			J.Set(i, k, K.At(n+i, k))
		}
	}
	L := new(mat.TriDense)
	chol.LTo(L)
	// Gᵀ = L⁻¹·Jᵀ·D^-½.
	Gt := new(mat.Dense)
	require.NoError(t, Gt.Solve(L, J.T()))
	rhs := mat.NewVecDense(m, nil)
	rhs.MulVec(J, &free)
	for i := range m {
		d := math.Sqrt(sys.Scale[n+i])
		rhs.SetVec(i, (sys.Right[n+i]-rhs.AtVec(i))/d)
		for k := range n {
			Gt.Set(k, i, Gt.At(k, i)/d)
		}
	}
	return solveOracle(t, Gt, L, rhs, &free, sys.Scale[n:])
}

func solveOracle(t testing.TB, Gt *mat.Dense, L *mat.TriDense, rhs, free *mat.VecDense, scale []float64) *oracle {
	t.Helper()
	n, m := Gt.Dims()
	var svd mat.SVD
	require.True(t, svd.Factorize(Gt, mat.SVDFull))
	o := &oracle{sigma: svd.Values(nil)}
	for o.rank < len(o.sigma) && o.sigma[o.rank] > rankTol*o.sigma[0] {
		o.rank++
	}
	var U, V mat.Dense // of Gt = U·Σ·Vᵀ: U acts on bodies, V on rows
	svd.UTo(&U)
	svd.VTo(&V)
	y, mu := mat.NewVecDense(n, nil), mat.NewVecDense(m, nil)
	for k := range o.rank {
		c := mat.Dot(V.ColView(k), rhs) / o.sigma[k]
		y.AddScaledVec(y, c, U.ColView(k))
		mu.AddScaledVec(mu, c/o.sigma[k], V.ColView(k))
	}
	var a mat.VecDense
	require.NoError(t, a.SolveVec(L.T(), y))
	a.AddVec(&a, free)
	o.a = a.RawVector().Data
	o.lambda = mu.RawVector().Data
	for i := range o.lambda {
		o.lambda[i] /= math.Sqrt(scale[i])
	}
	if o.rank < m {
		o.null = mat.DenseCopyOf(V.Slice(0, m, o.rank, m))
		for i := range m {
			for k := range m - o.rank {
				o.null.Set(i, k, o.null.At(i, k)/math.Sqrt(scale[i]))
			}
		}
	}
	return o
}

// TestDense compares accelerations, rank, least-norm multipliers and the
// undetermined components with the dense oracle.
func TestDense(t *testing.T) {
	end := uint64(14)
	if testing.Short() {
		end = 11
	}
	for _, n := range check.Some([]int{3, 6, 10, 18, 30, 40}, 2) {
		for seed := uint64(10); seed < end; seed++ {
			for _, o := range []order.Ordering{order.Auto, order.NestedDissection} {
				t.Run(fmt.Sprintf("random/n=%d/seed=%d/%v", n, seed, o), func(t *testing.T) {
					requireDense(t, "random", n, seed, o)
				})
			}
		}
	}
	for family, n := range map[string]int{
		"ladder": 20, "nfourbar": 8, "scissor": 6, "chain": 20, "tree": 20, "grid": 4, "ball-net": 4, "revolute-net": 3, "stewart": 1,
	} {
		t.Run(family, func(t *testing.T) { requireDense(t, family, n, 1, order.Auto) })
	}
}

func requireDense(t *testing.T, family string, n int, seed uint64, o order.Ordering) {
	t.Helper()
	p := newPlan(t, generate(t, family, n, seed), o)
	requireDenseAt(t, p, p.Initial())
}

// TestDenseCoupled is TestDense for random mechanisms with couplings, some of them redundant.
func TestDenseCoupled(t *testing.T) {
	check.Long(t)
	end := check.Random[uint64](13, 10)
	redundant := 0
	for _, n := range []int{6, 10, 18, 25} {
		for seed := range end {
			rng := check.Rand(seed + 1000*uint64(n))
			m := modeltest.Couple(t, generate(t, "random", n, seed), rng, 1+rng.IntN(n/2))
			hold(m) // motions and couplings may leave nothing else to move
			t.Run(fmt.Sprintf("n=%d/seed=%d", n, seed), func(t *testing.T) {
				p := newPlan(t, m, orderings[seed%uint64(len(orderings))])
				st := p.Initial()
				require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
				requireDenseAt(t, p, st)
				r, err := p.RedundantRows(st)
				require.NoError(t, err)
				for _, k := range r[len(m.Joints):] {
					redundant += k
				}
			})
		}
	}
	require.Greater(t, redundant, 10)
}

// hold makes the motions of m constant.
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

func requireDenseAt(t *testing.T, p *kkt.Plan, st *mechanism.State) {
	t.Helper()
	s := p.NewSolver()
	require.NoError(t, s.Solve(st))
	want := newOracle(t, s)
	r := report(t, s)
	require.Equal(t, want.rank, r.Rank, "singular values %v", want.sigma)
	got := make([]float64, len(want.a))
	s.AccelerationsTo(got)
	check.CloseVec(t, got, want.a, denseTol, max(check.MaxAbs(want.a), 1), "accelerations") // gravity is 9.81
	lambda := multipliers(s, r)
	check.CloseVec(t, lambda, want.lambda, normTol, check.MaxAbs(want.lambda), "multipliers")
	joints, couplings := undetermined(t, s, st, want)
	require.Equal(t, joints, r.Undetermined)
	require.Equal(t, couplings, r.UndeterminedCouplings)
}

// multipliers returns λ of all joints, in their order, then of all couplings.
func multipliers(s *kkt.Solver, r *kkt.Report) []float64 {
	var all []float64
	var l [6]float64
	for j := range r.Undetermined {
		all = append(all, l[:s.Reactions().MultipliersTo(&l, j)]...)
	}
	for i := range r.UndeterminedCouplings {
		all = append(all, s.Reactions().CouplingMultiplier(i))
	}
	return all
}

// undetermined maps the dense null space to components of the joints'
// total wrenches, and to couplings. It fails where a component is neither reached nor clearly not.
func undetermined(t *testing.T, s *kkt.Solver, st *mechanism.State, o *oracle) (out []uint8, couplings []bool) {
	t.Helper()
	mech := systemOf(t, s).Layout.Mech
	out = make([]uint8, mech.NumJoints())
	if mech.NumCouplings() > 0 {
		couplings = make([]bool, mech.NumCouplings())
	}
	if o.null == nil {
		return out, couplings
	}
	first := 0 // row of the first coupling
	for j := range out {
		first += int(mech.Joints[j].Rows)
	}
	_, all := o.null.Dims()
	for i := range couplings {
		for k := range all {
			couplings[i] = couplings[i] || math.Abs(o.null.At(first+i, k)) > reachTol
		}
	}
	_, redundant := o.null.Dims()
	reach := make([][6]float64, len(out))
	// Null vectors have length 1, and so have wrenches about. Where
	// couplings alone share a load, joints have nothing of it.
	largest, row := 1e-3, 0
	for j := range out {
		T, n := systemOf(t, s).ForceSubspace(j, st)
		for c := range 6 {
			sum := 0.0
			for k := range redundant {
				w := 0.0
				for i := range n {
					w += T[i][c] * o.null.At(row+i, k)
				}
				for _, at := range mech.LegsAt(j) {
					w += legWrench(mech, s, st, at)[c] * o.null.At(first+int(at.Coupling), k)
				}
				sum += w * w
			}
			reach[j][c] = math.Sqrt(sum)
			largest = max(largest, reach[j][c])
		}
		row += n
	}
	for j := range out {
		for c, x := range reach[j] {
			if x > reachTol*largest {
				out[j] |= 1 << ((c + 3) % 6)
				require.Greater(t, x, 1e3*reachTol*largest, "joint %d, component %d is on the border", j, c)
			}
		}
	}
	return out, couplings
}

// legWrench is the wrench that a unit multiplier of a coupling makes by one of its legs.
func legWrench(m *mechanism.Mechanism, s *kkt.Solver, st *mechanism.State, at mechanism.LegAt) (w spatial.Force) {
	var x mechanism.LegState
	var jk mechanism.JointKinematics
	var tau [6]float64
	c := &m.Couplings[at.Coupling]
	m.LegTo(&x, &jk, c, int(at.Leg), s.Kinematics(), st)
	leg := c.Legs[at.Leg]
	tau[leg.Freedom.Freedom] = x.Factor
	m.Joints[leg.Joint].WrenchTo(&w, &tau, &jk.Frames)
	return w
}
