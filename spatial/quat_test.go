package spatial_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

func TestQuatIsARotation(t *testing.T) {
	r := random(5)
	for range 50 {
		p, q, v := spatial.FromMat(randRot(r)), spatial.FromMat(randRot(r)), randVec(r)
		E := q.Mat()
		I, EE := spatial.Identity3(), E.MulT(E)
		near(t, I[:], EE[:], roundTol)
		require.InDelta(t, 1, E.Det(), roundTol)
		near(t, vec(E.MulVec(v)), vec(q.Rotate(v)), roundTol)
		near(t, vec(p.Rotate(q.Rotate(v))), vec(p.Mul(q).Rotate(v)), roundTol)
		near(t, vec(v), vec(q.Conj().Rotate(q.Rotate(v))), roundTol)
		back := spatial.FromMat(E)
		near(t, q[:], back[:], roundTol)
		require.GreaterOrEqual(t, back[0], 0.0)
	}
}

func TestFromMatNearHalfTurns(t *testing.T) {
	r := random(6)
	for _, a := range []float64{math.Pi, math.Pi - 1e-12, math.Pi - 1e-6, 3} {
		for range 20 {
			axis := randVec(r)
			q := spatial.FromAxisAngle(axis, a)
			p := spatial.FromMat(q.Mat())
			require.InDelta(t, 1, math.Abs(p[0]*q[0]+p[1]*q[1]+p[2]*q[2]+p[3]*q[3]), roundTol)
			E, F := q.Mat(), p.Mat()
			near(t, E[:], F[:], roundTol)
		}
	}
	for k := range 3 { // exact half turns about the axes
		d := spatial.Mat3{-1, 0, 0, 0, -1, 0, 0, 0, -1}
		d[4*k] = 1
		want := spatial.Quat{}
		want[k+1] = 1
		require.Equal(t, want, spatial.FromMat(d))
	}
}

func TestExpLog(t *testing.T) {
	r := random(7)
	for _, a := range []float64{0, 5e-324, 1e-310, 1e-200, 1e-100, 1e-16, 1e-8, 1e-3, 1, 3, math.Pi - 1e-5, math.Pi - 1e-10, math.Pi} {
		for range 10 {
			u := randVec(r)
			v := u.Scale(1 / u.Norm()).Scale(a)
			q := spatial.Exp(v)
			require.InDelta(t, 1, q.Norm(), roundTol)
			got := q.Log()
			if a == math.Pi && got.Dot(v) < 0 {
				got = got.Neg() // both signs are right
			}
			for i := range v {
				// Relative to the angle itself, however small.
				require.InDelta(t, v[i], got[i], roundTol*a+1e-322, "angle %v", a)
			}
			got = spatial.LogMat(q.Mat())
			if a == math.Pi && got.Dot(v) < 0 {
				got = got.Neg()
			}
			near(t, vec(v), vec(got), roundTol)
			// The other sign of q is the same rotation.
			got = spatial.Quat{-q[0], -q[1], -q[2], -q[3]}.Log()
			if a == math.Pi && got.Dot(v) < 0 {
				got = got.Neg()
			}
			near(t, vec(v), vec(got), roundTol)
		}
	}
	// Beyond π the shorter way comes back.
	got := spatial.Exp(spatial.Vec3{0, 0, 4}).Log()
	near(t, []float64{0, 0, 4 - 2*math.Pi}, got[:], roundTol)
}

func TestFromAxisAngle(t *testing.T) {
	q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 5}, math.Pi/2)
	near(t, []float64{0, 1, 0}, vec(q.Rotate(spatial.Vec3{1})), roundTol)
	require.Equal(t, spatial.IdentityQuat(), spatial.FromAxisAngle(spatial.Vec3{}, 0))
}

func TestNormalize(t *testing.T) {
	for _, s := range []float64{1e-300, 1, 1e300} {
		q := spatial.Quat{s, -s, s, s}.Normalize()
		near(t, []float64{0.5, -0.5, 0.5, 0.5}, q[:], roundTol)
	}
	require.True(t, math.IsNaN(spatial.Quat{}.Normalize()[0]))
}

func TestIntegrate(t *testing.T) {
	r := random(8)
	q, w := spatial.FromMat(randRot(r)), randVec(r)
	// Constant velocity: one large step equals many small ones.
	one, many := q.Integrate(w, 0.8), q
	for range 16 {
		many = many.Integrate(w, 0.05)
	}
	near(t, one[:], many[:], 10*roundTol)
	// World axes: the rotation comes from the left.
	E, F := one.Mat(), spatial.Exp(w.Scale(0.8)).Mat().Mul(q.Mat())
	near(t, E[:], F[:], roundTol)
	// The derivative is the rate of a step.
	const h, diffTol = 1e-5, 1e-9 // error h²
	d, a, b := q.Derivative(w), q.Integrate(w, h), q.Integrate(w, -h)
	for i := range d {
		require.InDelta(t, (a[i]-b[i])/(2*h), d[i], diffTol)
	}
}
