package spatial_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/spatial"
)

func TestVec3(t *testing.T) {
	r := random(1)
	for range 20 {
		a, b, c := randVec(r), randVec(r), randVec(r)
		// a×(b×c) = b(a·c) − c(a·b)
		want := b.Scale(a.Dot(c)).Sub(c.Scale(a.Dot(b)))
		got := a.Cross(b.Cross(c))
		near(t, want[:], got[:], 10*roundTol)
		sk := a.Skew().MulVec(b)
		x := a.Cross(b)
		near(t, x[:], sk[:], roundTol)
		spatial.CrossTo(&b, &a, &b) // in place
		require.Equal(t, x, b)
		require.Equal(t, a.Dot(c), spatial.Dot(&a, &c))
		want = a.Add(c.Scale(2))
		spatial.AddScaledTo(&a, &a, 2, &c)
		require.Equal(t, want, a)
	}
	require.Equal(t, spatial.Vec3{-1, 2, -3}, spatial.Vec3{1, -2, 3}.Neg())
}

func TestNormAtAllSizes(t *testing.T) {
	for _, s := range []float64{0, 1e-310, 1e-300, 1e-140, 1, 1e149, 1e160, 1e300} {
		require.InEpsilon(t, 1+3*s, 1+spatial.Vec3{s, 2 * s, -2 * s}.Norm(), roundTol)
		if s > 1e-300 {
			require.InEpsilon(t, 3, spatial.Vec3{s, 2 * s, -2 * s}.Norm()/s, roundTol)
		}
	}
	require.True(t, math.IsInf(spatial.Vec3{1, math.Inf(-1), 2}.Norm(), 1))
	require.True(t, math.IsNaN(spatial.Vec3{1, math.NaN(), 2}.Norm()))
	require.False(t, spatial.Vec3{0, math.NaN()}.IsFinite())
	require.False(t, spatial.Vec3{math.Inf(1)}.IsFinite())
	require.True(t, spatial.Vec3{1e308}.IsFinite())
}

func TestMat3(t *testing.T) {
	r := random(2)
	for range 20 {
		A, B, v := randRot(r).Add(randRot(r)), randRot(r).Scale(1.5), randVec(r)
		var C, a, b mat.Dense
		a = *mat.NewDense(3, 3, A[:])
		b = *mat.NewDense(3, 3, B[:])
		got := A.Mul(B)
		C.Mul(&a, &b)
		near(t, C.RawMatrix().Data, got[:], roundTol)
		got = A.MulT(B)
		C.Mul(&a, b.T())
		near(t, C.RawMatrix().Data, got[:], roundTol)
		got = A.TMul(B)
		C.Mul(a.T(), &b)
		near(t, C.RawMatrix().Data, got[:], roundTol)
		A.TMulTo(&got, &B)
		near(t, C.RawMatrix().Data, got[:], roundTol)
		var gram spatial.Sym3
		A.GramTo(&gram)
		full, want := gram.Mat(), A.TMul(A)
		near(t, want[:], full[:], roundTol)
		require.InDelta(t, mat.Det(&a), A.Det(), 10*roundTol)

		x, y := A.T().MulVec(v), A.TMulVec(v)
		near(t, x[:], y[:], roundTol)
		for j := range 3 {
			var e spatial.Vec3
			e[j] = 1
			require.Equal(t, A.MulVec(e), A.Col(j))
		}
		w := v
		A.MulVecTo(&w, &w)
		require.Equal(t, A.MulVec(v), w)
		w = v
		A.TMulVecTo(&w, &w)
		require.Equal(t, y, w)
		D := A
		D.MulTo(&D, &B)
		require.Equal(t, A.Mul(B), D)
	}
}

func TestSym3(t *testing.T) {
	r := random(3)
	for range 20 {
		S, E, v := randSPD(r), randRot(r), randVec(r)
		want := E.Mul(S.Mat()).MulT(E)
		got := S.Rotate(E).Mat()
		near(t, want[:], got[:], roundTol)
		x, y := S.Mat().MulVec(v), S.MulVec(v)
		near(t, x[:], y[:], roundTol)
		require.InDelta(t, S.Trace(), S.Rotate(E).Trace(), roundTol)

		inv, err := S.Inverse()
		require.NoError(t, err)
		one, id := S.Mat().Mul(inv.Mat()), spatial.Identity3()
		near(t, id[:], one[:], 10*roundTol)

		var L spatial.Chol3
		var z spatial.Vec3
		require.NoError(t, S.CholeskyTo(&L))
		var M spatial.Lower3
		L.InverseTo(&M)
		M.MulVecTo(&z, &v)
		M.TMulVecTo(&z, &z) // S⁻¹ = MᵀM
		back := S.MulVec(z)
		near(t, v[:], back[:], 10*roundTol)
		G := spatial.Mat3{L[0], 0, 0, L[3], L[1], 0, L[4], L[5], L[2]}
		LL, full := G.MulT(G), S.Mat()
		near(t, full[:], LL[:], roundTol)

		R := S
		R.RotateTo(&R, &E) // in place
		require.Equal(t, S.Rotate(E), R)
	}
}

func TestCholeskyRefuses(t *testing.T) {
	var L spatial.Chol3
	inf, nan := math.Inf(1), math.NaN()
	for _, S := range []spatial.Sym3{
		{}, {-1, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1, 2}, {1, 1, 1, 0, 2}, {1, 1, 1, 0, 0, -1},
		{inf, 1, 1}, {1, inf, 1}, {1, 1, inf}, {nan, 1, 1}, {1, 1, 1, nan}, {1, 1, 1, 0, 0, nan}, {1, 1, 1, 0, inf},
	} {
		require.ErrorIs(t, S.CholeskyTo(&L), spatial.ErrNotPositiveDefinite, "%v", S)
		_, err := S.Inverse()
		require.ErrorIs(t, err, spatial.ErrNotPositiveDefinite)
	}
	require.False(t, spatial.Sym3{5: nan}.IsFinite())
	require.True(t, spatial.Sym3{}.IsFinite())
}

func TestEigenvalues(t *testing.T) {
	r := random(4)
	for _, d := range [][3]float64{
		{1, 2, 3}, {3, 2, 1}, {1, 1, 2}, {2, 2, 2}, {0, 0, 0}, {-1, 0, 4}, {1e-9, 1, 1}, {1e150, 2e150, 2e150}, {1e-150, 1, 1e5},
	} {
		for range 5 {
			S := spatial.Diag3(d[0], d[1], d[2])
			near(t, sorted(d), vec(S.Eigenvalues()), roundTol)
			S = S.Rotate(randRot(r))
			near(t, sorted(d), vec(S.Eigenvalues()), roundTol, "%v", d)
			values, E := S.Principal()
			near(t, vec(S.Eigenvalues()), vec(values), roundTol, "%v", d)
			back, one := spatial.Diag3(values[0], values[1], values[2]).Rotate(E), E.MulT(E)
			near(t, S[:], back[:], roundTol, "%v", d)
			near(t, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, one[:], roundTol)
			near(t, []float64{1}, []float64{E.Det()}, roundTol)
		}
	}
}

func sorted(d [3]float64) []float64 {
	lo, hi := min(d[0], d[1], d[2]), max(d[0], d[1], d[2])
	return []float64{lo, d[0] + d[1] + d[2] - lo - hi, hi}
}

func vec(v spatial.Vec3) []float64 { return v[:] }

// TestLower3 compares the operations with operations on full matrices.
func TestLower3(t *testing.T) {
	r := random(8)
	for range 20 {
		S, E, v := randSPD(r), randRot(r), randVec(r)
		var (
			L    spatial.Chol3
			M    spatial.Lower3
			G    spatial.Mat3
			gram spatial.Sym3
		)
		require.NoError(t, S.CholeskyTo(&L))
		L.InverseTo(&M)
		full := spatial.Mat3{M[0], 0, 0, M[3], M[1], 0, M[4], M[5], M[2]}
		one := full.Mul(spatial.Mat3{L[0], 0, 0, L[3], L[1], 0, L[4], L[5], L[2]})
		id := spatial.Identity3()
		near(t, id[:], one[:], 10*roundTol)

		M.MulTTo(&G, &E)
		want := full.MulT(E)
		near(t, want[:], G[:], 10*roundTol)
		M.GramTo(&gram)
		want = full.TMul(full)
		got := gram.Mat()
		near(t, want[:], got[:], 10*roundTol)

		x, y := v, full.MulVec(v)
		M.MulVecTo(&x, &x)
		near(t, y[:], x[:], 10*roundTol)
		M.SolveTo(&x, &x)
		near(t, v[:], x[:], 10*roundTol)
		x, y = v, full.TMulVec(v)
		M.TMulVecTo(&x, &x)
		near(t, y[:], x[:], 10*roundTol)
		M.TSolveTo(&x, &x)
		near(t, v[:], x[:], 10*roundTol)
	}
}
