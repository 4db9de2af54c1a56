package linear_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// stepSize of central differences; their error is its square times third
	// derivatives, and rounding over it.
	stepSize = 1e-5
	// diffTol is that error relative to the size of the terms.
	diffTol = 2e-8
)

// residual computes the unbalanced forces f + Jᵀλ − M·a of the bodies near a state.
type residual struct {
	y      *assemble.System
	lambda []float64
	acc    []float64
}

// at returns the residual for the state moved by x with the rates xd: for the chart
// R = exp(φ)·R₀ the angular velocity is ω + φ̇ + φ×ω to first order, its rate
// α + φ̈ + φ̇×ω + φ×α.
func (r *residual) at(t *testing.T, st *mechanism.State, x, xd []float64, h float64) []float64 {
	t.Helper()
	m := r.y.Layout.Mech
	out := st.Clone()
	acc := append([]float64(nil), r.acc...)
	for i := range out.Bodies {
		b, com := &out.Bodies[i], m.Bodies[i].Com
		arm := b.Rotation.Rotate(com)
		cd := b.Velocity.Add(b.Omega.Cross(arm))
		phi, travel := spatial.Vec3(x[6*i:6*i+3]).Scale(h), spatial.Vec3(x[6*i+3:6*i+6]).Scale(h)
		phid, traveld := spatial.Vec3(xd[6*i:6*i+3]).Scale(h), spatial.Vec3(xd[6*i+3:6*i+6]).Scale(h)
		alpha := spatial.Vec3(r.acc[6*i : 6*i+3])
		for k, v := range phid.Cross(b.Omega).Add(phi.Cross(alpha)) {
			acc[6*i+k] += v
		}
		omega := b.Omega.Add(phid).Add(phi.Cross(b.Omega))
		b.Rotation = b.Rotation.Integrate(phi, 1)
		turned := b.Rotation.Rotate(com)
		b.Position = b.Position.Add(travel).Add(arm.Sub(turned))
		b.Omega = omega
		b.Velocity = cd.Add(traveld).Sub(omega.Cross(turned))
	}
	require.NoError(t, r.y.FillTo(out))
	n, all := 6*m.NumBodies(), r.y.Layout.Pattern.Dim()
	full, prod := make([]float64, all), make([]float64, all)
	copy(full, acc)
	for i, l := range r.lambda {
		full[n+i] = -l
	}
	r.y.Matrix.MulVecTo(prod, full) // M·a − Jᵀλ
	f := make([]float64, n)
	for i := range f {
		f[i] = r.y.Right[i] - prod[i]
	}
	return f
}

// freeBasis returns a basis of the null space of J.
func freeBasis(s *linear.System) *mat.Dense {
	_, _, _, J := s.Matrices()
	return nullBasis(s.Dim(), J)
}

// nullBasis returns a basis of the null space of J, which has n columns or is nil.
func nullBasis(n int, J *mat.Dense) *mat.Dense {
	if J == nil {
		I := mat.NewDense(n, n, nil)
		for i := range n {
			I.Set(i, i, 1)
		}
		return I
	}
	var svd mat.SVD
	if !svd.Factorize(J, mat.SVDFullV) {
		panic("svd")
	}
	rank := 0
	for _, x := range svd.Values(nil) {
		if x > 1e-9 {
			rank++
		}
	}
	var V mat.Dense
	svd.VTo(&V)
	if rank == n {
		return nil
	}
	return mat.DenseCopyOf(V.Slice(0, n, rank, n))
}

// positionBasis returns a basis of the displacements that rows of positions allow.
func positionBasis(p *kkt.Plan, s *linear.System) *mat.Dense {
	_, _, _, J := s.Matrices()
	l, m := p.Layout(), p.Mechanism()
	for _, j := range m.Nonholonomic() {
		from, to := m.Joints[j].Kind.VelocityRows()
		for row := int(l.Pattern.Off[l.JointNode(int(j))]) - s.Dim() + from; from < to; from, row = from+1, row+1 {
			for c := range s.Dim() {
				J.Set(row, c, 0)
			}
		}
	}
	return nullBasis(s.Dim(), J)
}

// requireDerivatives compares K and C with differences of the residual, for displacements that rows of positions allow, on what all rows
// allow.
func requireDerivatives(t *testing.T, p *kkt.Plan, st *mechanism.State, rest bool) {
	t.Helper()
	s := linearized(t, p, st)
	N := freeBasis(s)
	if N == nil {
		return
	}
	B := positionBasis(p, s)
	n, f := B.Dims()
	r := &residual{y: p.Layout().NewSystem(), lambda: make([]float64, s.Rows()), acc: make([]float64, n)}
	s.MultipliersTo(r.lambda)
	if !rest {
		solver := p.NewSolver()
		require.NoError(t, solver.Solve(st))
		solver.AccelerationsTo(r.acc)
	}
	rng := check.Rand(uint64(n))
	x, xd := make([]float64, n), make([]float64, n)
	for range 3 {
		var X mat.VecDense
		c := mat.NewVecDense(f, nil)
		for i := range f {
			c.SetVec(i, rng.NormFloat64())
		}
		X.MulVec(B, c)
		copy(x, X.RawVector().Data)
		for i := range xd {
			xd[i] = rng.NormFloat64()
		}
		plus, minus := r.at(t, st, x, xd, stepSize), r.at(t, st, x, xd, -stepSize)
		Kx, Cx, diff := make([]float64, n), make([]float64, n), make([]float64, n)
		s.StiffnessTo(Kx, x)
		s.DampingTo(Cx, xd)
		size := 1.0
		for i := range diff {
			diff[i] = -(plus[i] - minus[i]) / (2 * stepSize)
			Kx[i] += Cx[i]
			size = max(size, diff[i], -diff[i], Kx[i], -Kx[i])
		}
		var a, b mat.VecDense
		a.MulVec(N.T(), mat.NewVecDense(n, Kx))
		b.MulVec(N.T(), mat.NewVecDense(n, diff))
		check.CloseVec(t, a.RawVector().Data, b.RawVector().Data, diffTol, size, "C·ẋ + K·x")
	}
}

// TestDerivatives compares C and K with differences on all reference models and on
// random mechanisms with all joint types, springs and wrenches, at rest and moving.
func TestDerivatives(t *testing.T) {
	var kinds [joints.NumKinds]int
	try := func(name string, p *kkt.Plan) {
		if p.Mechanism().NumBodies() > 40 {
			return
		}
		t.Run(name, func(t *testing.T) {
			for j := range p.Mechanism().Joints {
				kinds[p.Mechanism().Joints[j].Kind.Type()]++
			}
			t.Run("rest", func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
			t.Run("moving", func(t *testing.T) { requireDerivatives(t, p, p.Initial(), false) })
		})
	}
	for _, name := range check.GoldenModels(t) {
		if name == "random-10-far" {
			continue // differences of positions lose the digits; see TestFarAway
		}
		try(name, golden(t, name))
	}
	for seed := range check.Few(uint64(8), 4) {
		try(fmt.Sprint("random-", seed), random(t, 8, seed))
		m := modeltest.Composites(seed, 5, int(seed%3))
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		try(m.Name, p)
		try(fmt.Sprint("beads-", seed), planned(t, modeltest.Beads(seed)))
		try(fmt.Sprint("cams-", seed), planned(t, modeltest.Cams(seed)))
	}
	for k, n := range kinds {
		if k := joints.Kind(k); k != joints.Rolling && k != joints.NoSlip { // TestRollingDerivatives
			require.Positive(t, n, "no joint of type %v", k)
		}
	}
}

// TestRollingDerivatives is TestDerivatives for random wheels of all kinds, skates, and balls in bowls and on domes, on the world and on a plate that
// flies, and for wheels on hills.
func TestRollingDerivatives(t *testing.T) {
	for seed := range check.Random(uint64(6), 2) {
		for _, m := range []*model.Model{modeltest.Rolling(seed), modeltest.Bowls(seed), modeltest.Hills(seed)} {
			p := planned(t, m)
			t.Run("rest-"+m.Name, func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
			t.Run("moving-"+m.Name, func(t *testing.T) { requireDerivatives(t, p, p.Initial(), false) })
		}
	}
}

// TestCoupledDerivatives is TestDerivatives with random couplings.
func TestCoupledDerivatives(t *testing.T) {
	for seed := range uint64(12) {
		m, err := bench.Generate("random", 9, seed)
		require.NoError(t, err)
		p := planned(t, modeltest.Couple(t, m, check.Rand(seed), 3))
		st := p.Initial()
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
		t.Run(fmt.Sprint("rest-", seed), func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
		t.Run(fmt.Sprint("moving-", seed), func(t *testing.T) { requireDerivatives(t, p, st, false) })
	}
}

// TestLawDerivatives is TestDerivatives with random laws of one coordinate and of two.
func TestLawDerivatives(t *testing.T) {
	for seed := range uint64(20) {
		m, err := bench.Generate("random", 9, seed)
		require.NoError(t, err)
		p := planned(t, modeltest.Follow(t, m, check.Rand(seed), 2))
		st := p.Initial()
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
		t.Run(fmt.Sprint("rest-", seed), func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
		t.Run(fmt.Sprint("moving-", seed), func(t *testing.T) { requireDerivatives(t, p, st, false) })
	}
}

// TestFarAway compares a mechanism with its copy at 1e6 m.
func TestFarAway(t *testing.T) {
	const tol = 1e-8
	near, far := golden(t, "random-10"), golden(t, "random-10-far")
	a, b := linearized(t, near, near.Initial()), linearized(t, far, far.Initial())
	rng := check.Rand(5)
	x, y, z := make([]float64, a.Dim()), make([]float64, a.Dim()), make([]float64, a.Dim())
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	a.StiffnessTo(y, x)
	b.StiffnessTo(z, x)
	check.CloseVec(t, z, y, tol, check.MaxAbs(y), "K·x")
	a.DampingTo(y, x)
	b.DampingTo(z, x)
	check.CloseVec(t, z, y, tol, check.MaxAbs(y), "C·x")
}

// TestDampedBallDerivatives is TestDerivatives with dampers on the rotations of all balls.
func TestDampedBallDerivatives(t *testing.T) {
	for _, name := range []string{"type-spherical", "type-sphere-in-cylinder", "ball-ladder-5", "stewart-6ups", "random-10"} {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		require.Positive(t, modeltest.DampBalls(m, check.Rand(7)))
		p := planned(t, m)
		t.Run(name, func(t *testing.T) {
			t.Run("rest", func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
			t.Run("moving", func(t *testing.T) { requireDerivatives(t, p, p.Initial(), false) })
		})
	}
}
