package spatial_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

// roundTol bounds rounding of a few products of numbers of order one.
const roundTol = 1e-14

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(1, seed)) }

func randVec(r *rand.Rand) spatial.Vec3 {
	return spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
}

func randMotion(r *rand.Rand) spatial.Motion { return spatial.NewMotion(randVec(r), randVec(r)) }

func randForce(r *rand.Rand) spatial.Force { return spatial.NewForce(randVec(r), randVec(r)) }

func randRot(r *rand.Rand) spatial.Mat3 {
	return spatial.Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize().Mat()
}

func randTransform(r *rand.Rand) spatial.Transform {
	return spatial.Transform{E: randRot(r), R: randVec(r)}
}

// randSPD returns a positive definite matrix of order one.
func randSPD(r *rand.Rand) spatial.Sym3 {
	return spatial.Diag3(0.2+r.Float64(), 0.2+r.Float64(), 0.2+r.Float64()).Rotate(randRot(r))
}

func randInertia(r *rand.Rand) spatial.Inertia {
	return spatial.Inertia{Mass: 0.5 + r.Float64(), Com: randVec(r), Central: randSPD(r)}
}

// near checks that two arrays agree to tol times the larger of 1 and their size.
func near[A ~[]float64](t *testing.T, want, got A, tol float64, msg ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	scale := 1.0
	for _, x := range want {
		scale = math.Max(scale, math.Abs(x))
	}
	for i := range want {
		require.InDelta(t, want[i], got[i], tol*scale, msg...)
	}
}

// mul6 returns M·v.
func mul6(M [6][6]float64, v [6]float64) (w [6]float64) {
	for i := range M {
		for j := range v {
			w[i] += M[i][j] * v[j]
		}
	}
	return w
}
