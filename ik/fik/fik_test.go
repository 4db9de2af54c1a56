package fik_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
)

const (
	equilibriumTol = 1e-11 // of a state that some thousand iterations lead to
	muTol          = 1e-4  // of eigenvalues by the power method
)

// definite returns a random symmetric positive definite matrix by rows.
func definite(rng *rand.Rand, m int) []float64 {
	B, p := random(rng, m*m), make([]float64, m*m)
	for i := range m {
		for k := range m {
			for j := range m {
				p[i*m+k] += B[i*m+j] * B[k*m+j]
			}
		}
		p[i*m+i]++
	}
	return p
}

// gram returns G = J V Jᵀ P with P full.
func gram(J *fik.Dense, V, P []float64) *mat.Dense {
	m, n := J.Dims()
	j := mat.NewDense(m, n, J.Data)
	v := mat.NewDense(n, n, nil)
	for i := range n {
		v.Set(i, i, 1)
		if V != nil {
			v.Set(i, i, V[i])
		}
	}
	var G mat.Dense
	G.Product(j, v, j.T(), mat.NewDense(m, m, P))
	return &G
}

func eigenvalues(t testing.TB, A *mat.Dense) []complex128 {
	var e mat.Eigen
	require.True(t, e.Factorize(A, mat.EigenNone))
	return e.Values(nil)
}

func largest(values []complex128) float64 {
	most := 0.0
	for _, x := range values {
		most = max(most, real(x))
	}
	return most
}

// settle iterates until all modes have decayed: the slowest takes some hundred iterations for each factor e.
func settle(t testing.TB, f *fik.Filter, dq, dxd []float64) {
	for range 20_000 {
		require.NoError(t, f.StepTo(dq, dxd))
	}
}

// TestEquilibrium: at a frozen pose form V tends to damped least
// squares with k = a/p, with a full P to Jᵀ P (J Jᵀ P + a)⁻¹ dxd.
func TestEquilibrium(t *testing.T) {
	lines := readTable(t, "fik-equilibrium.csv")
	r := readArm(t, "fik-6r-line.model.json", [3]float64{0, 0, 0.1}, []int{0, 1, 2, 3, 4, 5})
	for k := range lines.rows {
		if testing.Short() && k%3 > 0 {
			continue
		}
		r.set(lines.columns(t, "q", k))
		a, p := lines.columns(t, "a", k), lines.columns(t, "p", k)
		for _, c := range []struct {
			P    []float64
			want []float64
		}{{p, lines.columns(t, "dq_scalarP", k)}, {lines.columns(t, "P", k), lines.columns(t, "dq_fullP", k)}} {
			f, err := fik.New(r.J, fik.Options{P: c.P, A: []float64{-a[0]}})
			require.NoError(t, err)
			dq := make([]float64, 6)
			settle(t, f, dq, lines.columns(t, "dxd", k))
			check.CloseVec(t, dq, c.want, equilibriumTol, check.MaxAbs(c.want), "line %d, %d numbers of P", k, len(c.P))
		}
	}
}

// TestEquilibriumWithGains: dq = V Jᵀ P (G − A)⁻¹ dxd with any A.
func TestEquilibriumWithGains(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const m, n = 4, 7
	J := fik.NewDense(m, n, random(rng, m*n))
	V, A, dxd, diag := make([]float64, n), make([]float64, m), random(rng, m), make([]float64, m)
	for i := range V {
		V[i] = 0.5 + rng.Float64()
	}
	for i := range A {
		A[i], diag[i] = -1-rng.Float64(), 1+rng.Float64()
	}
	f, err := fik.New(J, fik.Options{P: diag, A: A, Gains: V})
	require.NoError(t, err)
	dq := make([]float64, n)
	settle(t, f, dq, dxd)
	P := make([]float64, m*m)
	for i, x := range diag {
		P[i*m+i] = x
	}
	G := gram(J, V, P)
	for i, a := range A {
		G.Set(i, i, G.At(i, i)-a)
	}
	var z mat.VecDense
	require.NoError(t, z.SolveVec(G, mat.NewVecDense(m, dxd)))
	check.CloseVec(t, f.Z(), z.RawVector().Data, equilibriumTol, 1, "z")
	want := make([]float64, n)
	for k := range n {
		for i := range m {
			want[k] += V[k] * J.Data[i*n+k] * diag[i] * z.AtVec(i)
		}
	}
	check.CloseVec(t, dq, want, equilibriumTol, 1, "dq")
}

// TestSingular: with the target in the lost direction a diagonal P in the singular frame never moves, a full one does.
func TestSingular(t *testing.T) {
	J := fik.NewDense(2, 3, []float64{0, 0, 0, 1.2, 0.7, 0.3})
	inward, dq := []float64{-0.1, 0}, make([]float64, 3)
	for _, P := range [][]float64{{8}, {8, 3}} {
		f, err := fik.New(J, fik.Options{P: P, A: []float64{-20}, H: 0.02})
		require.NoError(t, err)
		for i := range 200 {
			require.NoError(t, f.StepTo(dq, inward))
			require.Zero(t, check.MaxAbs(dq))
			require.Equal(t, i > 49, f.Stuck(), "%d", i)
		}
		f.Reset()
		require.False(t, f.Stuck())
		require.Zero(t, check.MaxAbs(f.Z()))
		// At rest on its target it is not stuck.
		for range 200 {
			require.NoError(t, f.StepTo(dq, []float64{0, 0}))
		}
		require.False(t, f.Stuck())
	}
	f, err := fik.New(J, fik.Options{P: []float64{8, 3, 3, 5}, A: []float64{-1}})
	require.NoError(t, err)
	for i := range 200 {
		require.NoError(t, f.StepTo(dq, inward))
		require.Equal(t, i > 0, check.MaxAbs(dq) > 1e-6)
		require.False(t, f.Stuck())
	}
}

// TestStraight: the arm stretched along x with its target straight
// inwards stays with a number P, is reported, and folds with a full P.
func TestStraight(t *testing.T) {
	for _, name := range []string{"fik-3r-straight-scalar", "fik-3r-straight-full"} {
		r := readRun(t, name)
		q := r.lines.columns(t, "q", 0)
		r.arm.set(q)
		f, err := fik.New(r.arm.J, r.options(t))
		require.NoError(t, err)
		dq, dxd, e, stuck := make([]float64, 3), make([]float64, 2), make([]float64, 2), 0
		for range 1000 {
			r.arm.set(q)
			r.wanted(dxd, e, 0)
			require.NoError(t, f.StepTo(dq, dxd))
			for i := range q {
				q[i] += r.Dt * dq[i]
			}
			if f.Stuck() {
				stuck++
			}
		}
		r.arm.set(q)
		r.wanted(dxd, e, 0)
		if name == "fik-3r-straight-full" {
			require.Zero(t, stuck)
			require.Less(t, check.MaxAbs(e), 1e-6)
			continue
		}
		require.Equal(t, 950, stuck)
		require.InDelta(t, 0.3, check.MaxAbs(e), 1e-12)
		require.InEpsilon(t, r.Feedback*e[0]/0.5, f.Z()[0], 1e-3)
	}
}

// TestInner: iterations at the same Jacobian, as one by one; their mean is returned.
func TestInner(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	J, dxd := fik.NewDense(3, 5, random(rng, 15)), random(rng, 3)
	o := fik.Options{P: definite(rng, 3), A: []float64{-1}}
	a, err := fik.New(J, o)
	require.NoError(t, err)
	o.Inner = 4
	b, err := fik.New(J, o)
	require.NoError(t, err)
	one, mean := make([]float64, 5), make([]float64, 5)
	for range 20 {
		sum := make([]float64, 5)
		for range 4 {
			require.NoError(t, a.StepTo(one, dxd))
			for i, x := range one {
				sum[i] += x / 4
			}
		}
		require.NoError(t, b.StepTo(mean, dxd))
		check.CloseVec(t, mean, sum, 1e-14, 1, "mean")
		require.Equal(t, a.Z(), b.Z())
	}
}

// TestNullMotion: at a frozen pose, dq0 is added to dq except for its part that
// would move the targets, of which a remainder stays unless A is zero.
func TestNullMotion(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	J := fik.NewDense(2, 5, random(rng, 10))
	f, err := fik.New(J, fik.Options{P: definite(rng, 2), A: []float64{-1e-9}})
	require.NoError(t, err)
	dq, dq0, none, dx := make([]float64, 5), random(rng, 5), make([]float64, 2), make([]float64, 2)
	for range 5000 {
		require.NoError(t, f.StepNullTo(dq, none, dq0))
	}
	J.MulTo(dx, dq)
	check.CloseVec(t, dx, none, 1e-7, 1, "motion of the targets")
	require.Greater(t, check.MaxAbs(dq), 0.1)
	require.Greater(t, check.MaxAbs(f.NullZ()), 0.01)
}

// TestWideAndTall: the matrix of a map is computed by products with the map or its transpose, whichever are fewer.
func TestWideAndTall(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for _, c := range [][2]int{{2, 5}, {5, 2}, {3, 3}} {
		J := fik.NewDense(c[0], c[1], random(rng, c[0]*c[1]))
		require.Equal(t, J, fik.DenseOf(J))
	}
}

// TestNotFinite: numbers that overflow are an error, when a filter is made and later, with either test of stability.
func TestNotFinite(t *testing.T) {
	J := fik.NewDense(2, 2, []float64{1, 2, 0, 1})
	nan := math.NaN()
	for _, o := range []fik.Options{
		{P: []float64{1}, A: []float64{-1}}, {P: []float64{2, 1, 1, 2}, A: []float64{-1, -2}}, {Form: fik.FormF, P: []float64{0.01}, A: []float64{0.9}},
		{Form: fik.FormF, P: []float64{0.01}, A: []float64{1}},
	} {
		f, err := fik.New(J, o)
		require.NoError(t, err)
		two := make([]float64, 2)
		require.ErrorIs(t, f.StepTo(two, []float64{nan, 0}), fik.ErrNotFinite)
		f.Reset()
		require.NoError(t, f.StepTo(two, []float64{1, 0}))
		require.ErrorIs(t, f.StepNullTo(two, []float64{1, 0}, []float64{0, math.Inf(1)}), fik.ErrNotFinite)
		_, err = fik.New(fik.NewDense(2, 2, []float64{1, 2, 0, nan}), o)
		require.ErrorIs(t, err, fik.ErrNotFinite)
	}
}

func TestPanics(t *testing.T) {
	J := fik.NewDense(1, 2, []float64{1, 2})
	f, err := fik.New(J, fik.Options{P: []float64{0.1}, A: []float64{0.5}, Form: fik.FormF})
	require.NoError(t, err)
	two, one := make([]float64, 2), make([]float64, 1)
	for _, bad := range []func(){
		func() { _ = f.StepTo(one, one) }, func() { _ = f.StepTo(two, two) }, func() { _ = f.StepNullTo(two, one, one) }, func() { J.MulTo(two, two) },
		func() { J.MulTransTo(one, one) }, func() { fik.NewDense(2, 2, two) },
	} {
		require.PanicsWithValue(t, "ik/fik: length mismatch", bad)
	}
	for _, size := range [][2]int{{0, 2}, {2, -1}, {math.MaxInt / 2, math.MaxInt / 2}, {math.MaxInt, math.MaxInt}, {math.MaxInt, 2}} {
		require.PanicsWithValue(t, "ik/fik: size out of range", func() { fik.NewDense(size[0], size[1], nil) })
	}
	require.PanicsWithValue(t, "ik/fik: form F has no continuous limit", func() { f.Flow(nil) })
	require.PanicsWithValue(t, "ik/fik: form F has no continuous limit", func() { f.RatesTo(one, two, one, one) })
}

// TestStepsAllocateNothing, in any form and with any matrices.
func TestStepsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	const m, n = 3, 5
	J, dxd, dq, dq0 := fik.NewDense(m, n, random(rng, m*n)), random(rng, m), make([]float64, n), random(rng, n)
	P := definite(rng, m)
	small := make([]float64, m*m)
	for i, x := range P {
		small[i] = x / 300
	}
	for i, o := range []fik.Options{
		{P: P, A: []float64{-1}}, {P: []float64{2, 3, 4}, A: []float64{-1, -2, -3}}, {P: []float64{2}, Inner: 3}, {P: P, A: []float64{-1, -2, -3}},
		{Form: fik.FormF, P: small, A: []float64{0.9}}, {Form: fik.FormF, P: small, A: []float64{0.9, 1, 0.8}}, {},
	} {
		f, err := fik.New(J, o)
		require.NoError(t, err, "%d", i)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if f.StepTo(dq, dxd) != nil || f.StepNullTo(dq, dxd, dq0) != nil {
				panic("step")
			}
		}), "%d", i)
	}
}

// BenchmarkFilter is one iteration with 12 rows and 25 freedoms.
func BenchmarkFilter(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 9))
	const m, n = 12, 25
	J, dxd, dq := fik.NewDense(m, n, random(rng, m*n)), random(rng, m), make([]float64, n)
	for _, c := range []struct {
		name string
		o    fik.Options
	}{{"P=full", fik.Options{P: definite(rng, m), A: []float64{-1}}}, {"P=number", fik.Options{P: []float64{1}, A: []float64{-1}}}} {
		b.Run(c.name, func(b *testing.B) {
			f, err := fik.New(J, c.o)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if err := f.StepTo(dq, dxd); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
