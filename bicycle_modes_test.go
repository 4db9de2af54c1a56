package rung_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// bicycleNumbers are the parameters of a bicycle by the names of the paper (Meijaard et al. 2007, Table 1): wheelbase, trail and tilt
// of the steering axis; rear wheel R, rear frame B, front fork H and front wheel F.
type bicycleNumbers struct {
	w, c, lambda             float64
	rR, mR, IRxx, IRyy       float64
	xB, zB, mB, IBxx, IBzz   float64
	IBxz                     float64
	xH, zH, mH, IHxx, IHzz   float64
	IHxz, rF, mF, IFxx, IFyy float64
}

var benchmarkNumbers = bicycleNumbers{
	w: wheelbase, c: trail, lambda: steerTilt,
	rR: rearRadius, mR: 2, IRxx: 0.0603, IRyy: 0.12,
	xB: 0.3, zB: -0.9, mB: 85, IBxx: 9.2, IBzz: 2.8, IBxz: 2.4,
	xH: 0.9, zH: -0.7, mH: 4, IHxx: 0.05892, IHzz: 0.00708, IHxz: -0.00756,
	rF: frontRadius, mF: 3, IFxx: 0.1405, IFyy: 0.28,
}

// canonical returns the matrices of M·q̈ + v·C₁·q̇ + (g·K₀ + v²·K₂)·q = 0 for lean and steer, by Appendix A of the paper: the
// moments of the whole about the rear contact, of the front assembly about the steering axis, and of the spins.
func (b *bicycleNumbers) canonical() (M, C1, K0, K2 [4]float64) {
	s, c := math.Sincos(b.lambda)
	mT := b.mR + b.mB + b.mH + b.mF
	xT := (b.xB*b.mB + b.xH*b.mH + b.w*b.mF) / mT
	zT := (-b.rR*b.mR + b.zB*b.mB + b.zH*b.mH - b.rF*b.mF) / mT
	Txx := b.IRxx + b.IBxx + b.IHxx + b.IFxx + b.mR*b.rR*b.rR + b.mB*b.zB*b.zB + b.mH*b.zH*b.zH + b.mF*b.rF*b.rF
	Txz := b.IBxz + b.IHxz - b.mB*b.xB*b.zB - b.mH*b.xH*b.zH + b.mF*b.w*b.rF
	Tzz := b.IRxx + b.IBzz + b.IHzz + b.IFxx + b.mB*b.xB*b.xB + b.mH*b.xH*b.xH + b.mF*b.w*b.w
	mA := b.mH + b.mF
	xA, zA := (b.xH*b.mH+b.w*b.mF)/mA, (b.zH*b.mH-b.rF*b.mF)/mA
	Axx := b.IHxx + b.IFxx + b.mH*(b.zH-zA)*(b.zH-zA) + b.mF*(b.rF+zA)*(b.rF+zA)
	Axz := b.IHxz - b.mH*(b.xH-xA)*(b.zH-zA) + b.mF*(b.w-xA)*(b.rF+zA)
	Azz := b.IHzz + b.IFxx + b.mH*(b.xH-xA)*(b.xH-xA) + b.mF*(b.w-xA)*(b.w-xA)
	u := (xA-b.w-b.c)*c - zA*s
	ll := mA*u*u + Axx*s*s + 2*Axz*s*c + Azz*c*c
	lx := -mA*u*zA + Axx*s + Axz*c
	lz := mA*u*xA + Axz*s + Azz*c
	mu := b.c / b.w * c
	SR, SF := b.IRyy/b.rR, b.IFyy/b.rF
	ST, SA := SR+SF, mA*u+mu*mT*xT
	M = [4]float64{Txx, lx + mu*Txz, lx + mu*Txz, ll + 2*mu*lz + mu*mu*Tzz}
	K0 = [4]float64{mT * zT, -SA, -SA, -SA * s}
	K2 = [4]float64{0, (ST - mT*zT) / b.w * c, 0, (SA + SF*s) / b.w * c}
	C1 = [4]float64{0, mu*ST + SF*c + Txz/b.w*c - mu*mT*zT, -(mu*ST + SF*c), lz/b.w*c + mu*(SA+Tzz/b.w*c)}
	return M, C1, K0, K2
}

// companion returns the 4×4 matrix of (q, q̇) at the speed v.
func (b *bicycleNumbers) companion(v float64) *mat.Dense {
	M, C1, K0, K2 := b.canonical()
	var right [8]float64
	for i := range 2 {
		for j := range 2 {
			right[4*i+j] = -(gravity*K0[2*i+j] + v*v*K2[2*i+j])
			right[4*i+2+j] = -v * C1[2*i+j]
		}
	}
	var lower mat.Dense
	if err := lower.Solve(mat.NewDense(2, 2, M[:]), mat.NewDense(2, 4, right[:])); err != nil {
		panic(err)
	}
	A := mat.NewDense(4, 4, []float64{0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	A.Slice(2, 4, 0, 4).(*mat.Dense).Copy(&lower)
	return A
}

// TestCanonicalBicycle: the formulas of the appendix have the published numbers.
func TestCanonicalBicycle(t *testing.T) {
	for _, v := range []float64{0, 1, 5, 10} {
		got := benchmarkNumbers.companion(v).Slice(2, 4, 0, 4)
		want := published(v)
		for i := range 2 {
			for j := range 4 {
				assert.InDelta(t, want.At(i, j), got.At(i, j), 1e-10, "published with 14 decimals, and a mass matrix with a small eigenvalue")
			}
		}
	}
}

// straight returns the linearized system of the bicycle that rolls straight ahead at the speed v.
func (k *bicycle) straight(t testing.TB, v float64) *linear.System {
	st := k.plan.Initial()
	k.place(st, [4]float64{}, v)
	s := linear.NewSystem(k.plan)
	require.NoError(t, s.Linearize(st))
	return s
}

// leanAndSteer returns the matrix of (lean, steer, their rates) at the speed v from the state space of s. The other coordinates are
// where the bicycle is, its heading, its spins and its speed, on which these four do not depend.
func leanAndSteer(t testing.TB, s *linear.System) *mat.Dense {
	f, err := s.StateSpace()
	require.NoError(t, err)
	require.Equal(t, []int{7, 3}, []int{f.Positions, f.Speeds})
	require.Zero(t, f.Turning)
	n := f.Positions + f.Speeds
	L := mat.NewDense(4, n, nil)
	for c := range n {
		for level, X := range []*mat.Dense{f.Displacements, f.Velocities} {
			turn := func(body int) spatial.Vec3 {
				return spatial.Vec3{X.At(6*body, c), X.At(6*body+1, c), X.At(6*body+2, c)}
			}
			L.Set(2*level, c, turn(rearFrame)[0])
			L.Set(2*level+1, c, turn(frontFork).Sub(turn(rearFrame)).Dot(steerAxis))
		}
	}
	var G, inverse, back, LA, A, left mat.Dense
	G.Mul(L, L.T())
	require.NoError(t, inverse.Inverse(&G))
	back.Mul(L.T(), &inverse)
	LA.Mul(L, f.A)
	A.Mul(&LA, &back)
	left.Mul(&A, L)
	left.Sub(&LA, &left)
	require.Less(t, mat.Norm(&left, 2), 1e-10*mat.Norm(&LA, 2), "a system of its own")
	return &A
}

// TestBicycleModes: at all speeds of the published table the modes of the steady motion agree with the table and with the appendix.
func TestBicycleModes(t *testing.T) {
	const printed, exact = 1e-12, 1e-12 // 14 decimals, and rounding of eigenvalues up to 20
	k := newBicycle(t)
	for v, want := range [][3]complex128{ // Table 2: weave, capsize and castering; at rest four real ones
		{}, {3.52696170990070 + 0.80774027519930i, -3.13423125066578, -7.11008014637442},
		{2.68234517512745 + 1.68066296590675i, -3.07158645641514, -8.67387984831735},
		{1.70675605663975 + 2.31582447384325i, -2.63366137253667, -10.35101467245920},
		{0.41325331521125 + 3.07910818603206i, -1.42944427361326, -12.15861426576447},
		{-0.77534188219585 + 4.46486771378823i, -0.32286642900409, -14.07838969279822},
		{-1.52644486584142 + 5.87673060598709i, -0.00406690076970, -16.08537123098026},
		{-2.13875644258362 + 7.19525913329805i, 0.10268170574766, -18.15788466125262},
		{-2.69348683581097 + 8.46037971396931i, 0.14327879765713, -20.27940894394569},
		{-3.21675402252485 + 9.69377351531791i, 0.15790184030917, -22.43788559040858},
		{-3.72016840437287 + 10.90681139476287i, 0.16105338653172, -24.62459635017404},
	} {
		t.Run(fmt.Sprint(v, " m/s"), func(t *testing.T) {
			s := k.straight(t, float64(v))
			found, err := s.Modes(linear.ModeOptions{Steady: true, Count: 20})
			require.NoError(t, err)
			var got []complex128
			rigid := 0
			for i := range found.List {
				if m := &found.List[i]; m.Kind == linear.Rigid {
					rigid++
				} else {
					got = append(got, m.Lambda)
				}
			}
			require.Equal(t, 5, rigid, "two of the place, the heading and two spins")
			near := func(want complex128, tol float64) {
				t.Helper()
				at := slices.IndexFunc(got, func(x complex128) bool { return cmplx.Abs(x-want) <= tol })
				require.GreaterOrEqual(t, at, 0, "%v among %v", want, got)
			}
			A, all := benchmarkNumbers.companion(float64(v)), 4
			if v > 0 {
				all = 3
				for _, x := range want {
					near(x, printed)
				}
			} else {
				for _, x := range []complex128{3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393} {
					near(x, printed)
				}
			}
			require.Len(t, got, all)
			var e mat.Eigen
			require.True(t, e.Factorize(A, mat.EigenNone))
			for _, x := range e.Values(nil) {
				if imag(x) >= 0 {
					near(x, exact*max(1, cmplx.Abs(x)))
				}
			}
			B := leanAndSteer(t, s)
			check.CloseVec(t, B.RawMatrix().Data, A.RawMatrix().Data, 2e-12, mat.Norm(A, math.Inf(1)), "state space") // A is rounded too, differently by fused multiply-adds
		})
	}
}

// TestStableSpeeds: the speeds between which the bicycle is stable, to 1e-10 m/s.
func TestStableSpeeds(t *testing.T) {
	k := newBicycle(t)
	// λ⁴ + aλ³ + bλ² + cλ + d.
	polynomial := func(v float64) (a, b, c, d float64) {
		A := leanAndSteer(t, k.straight(t, v))
		var A2, A3 mat.Dense
		A2.Mul(A, A)
		A3.Mul(&A2, A)
		t1, t2, t3 := mat.Trace(A), mat.Trace(&A2), mat.Trace(&A3) // Newton's identities
		return -t1, (t1*t1 - t2) / 2, -(t1*t1*t1 - 3*t1*t2 + 2*t3) / 6, mat.Det(A)
	}
	weave := zero(func(v float64) float64 {
		a, b, c, d := polynomial(v)
		return a*b*c - c*c - a*a*d // Hurwitz
	}, 4.2, 4.4)
	capsize := zero(func(v float64) float64 { _, _, _, d := polynomial(v); return d }, 5.9, 6.1)
	assert.InDelta(t, 4.29238253634111, weave, 1e-10)
	assert.InDelta(t, 6.02426201538837, capsize, 1e-10)
	for _, c := range []struct {
		v        float64
		unstable int
	}{{weave - 1e-6, 1}, {weave + 1e-6, 0}, {capsize - 1e-6, 0}, {capsize + 1e-6, 1}} {
		found, err := k.straight(t, c.v).Modes(linear.ModeOptions{Steady: true})
		require.NoError(t, err)
		assert.Equal(t, c.unstable, found.Unstable(), "%v m/s", c.v)
	}
}

// TestBicycleReturns: the nonlinear bicycle, pushed a little at 5 m/s, comes back to straight running with the published exponents:
// its parts along the modes die out at their rates.
func TestBicycleReturns(t *testing.T) {
	const v, push, tol = 5.0, 1e-5, 2e-5 // the push squared over itself, and what runs leave
	k := newBicycle(t)
	st := k.plan.Initial()
	k.place(st, [4]float64{push, 0, push, -push}, v)
	require.NoError(t, k.closer.ClosePositions(st))
	require.NoError(t, k.closer.ProjectVelocities(st))
	run, err := rung.NewSimulation(k.plan, rung.SimulationOptions{Until: 4, Tolerance: 1e-13, Integrator: runs.DormandPrince, From: st})
	require.NoError(t, err)
	var e mat.Eigen
	require.True(t, e.Factorize(benchmarkNumbers.companion(v), mat.EigenLeft))
	var W mat.CDense
	e.LeftVectorsTo(&W)
	parts := func(at float64) (out [4]complex128) {
		require.NoError(t, run.Run(at))
		b := run.State().Bodies
		frame, fork := &b[rearFrame], &b[frontFork]
		E := frame.Rotation.Mat()
		heading := spatial.Vec3{E[0], E[3]}
		heading = heading.Scale(1 / heading.Norm())
		r := frame.Rotation.Conj().Mul(fork.Rotation)
		x := [4]float64{
			math.Asin(E[7]), 2 * math.Atan2(r[1]*steerAxis[0]+r[3]*steerAxis[2], r[0]),
			spatial.Vec3(frame.Omega).Dot(heading), spatial.Vec3(fork.Omega).Sub(frame.Omega).Dot(frame.Rotation.Rotate(steerAxis)),
		}
		for i := range out {
			for j := range x {
				out[i] += cmplx.Conj(W.At(j, i)) * complex(x[j], 0)
			}
		}
		return out
	}
	was := parts(0)
	soon := parts(0.25)
	late := parts(4)
	for i, lambda := range e.Values(nil) {
		to, over := late, 4.0
		if real(lambda) < -10 { // castering has died out long before
			to, over = soon, 0.25
		}
		turns := imag(lambda) * over // as many whole ones as that
		got := cmplx.Log(to[i] / was[i] * cmplx.Exp(complex(0, -turns)))
		assert.InDelta(t, real(lambda), real(got)/over, tol, "%v", lambda)
		assert.InDelta(t, 0, imag(got)/over, tol, "%v", lambda)
	}
}
