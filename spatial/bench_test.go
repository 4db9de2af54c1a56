package spatial_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

func TestNoAllocations(t *testing.T) {
	r := random(20)
	X, Y, m, f, I, E := randTransform(r), randTransform(r), randMotion(r), randForce(r), randInertia(r), randRot(r)
	S, q, v := randSPD(r), spatial.FromMat(E), randVec(r)
	var (
		L spatial.Chol3
		c spatial.ClassicalAccel
		a spatial.Accel
	)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		m, f, X = X.Motion(m), X.Force(f), X.Mul(Y)
		m, f = m.Cross(m), m.CrossForce(f)
		f = I.Mul(m)
		a.ClassicalTo(&c, &m)
		c.SpatialTo(&a, &m)
		S.RotateTo(&S, &E)
		S.MulVecTo(&v, &v)
		_ = S.CholeskyTo(&L)
		S, _ = S.Inverse()
		_ = S.Eigenvalues()
		q = q.Integrate(v, 0.1)
		q.MatTo(&E)
		_ = q.Log()
	}))
}

func BenchmarkMotion(b *testing.B) {
	r := random(21)
	X, m := randTransform(r), randMotion(r)
	b.ReportAllocs()
	for b.Loop() {
		_ = X.Motion(m)
	}
}

func BenchmarkRotateTo(b *testing.B) {
	r := random(22)
	S, E := randSPD(r), randRot(r)
	var T spatial.Sym3
	b.ReportAllocs()
	for b.Loop() {
		S.RotateTo(&T, &E)
	}
}

func BenchmarkInertiaMul(b *testing.B) {
	r := random(23)
	I, m := randInertia(r), randMotion(r)
	b.ReportAllocs()
	for b.Loop() {
		_ = I.Mul(m)
	}
}

func BenchmarkIntegrate(b *testing.B) {
	r := random(24)
	q, w := spatial.FromMat(randRot(r)), randVec(r)
	b.ReportAllocs()
	for b.Loop() {
		q = q.Integrate(w, 1e-3)
	}
}
