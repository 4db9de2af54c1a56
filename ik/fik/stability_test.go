package fik_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
)

// TestStabilityV: the limit of the step is 2/μ for the largest μ of G − A.
func TestStabilityV(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for m := 1; m <= 6; m++ {
		n := m + 2
		J, P, dxd, dq := fik.NewDense(m, n, random(rng, m*n)), definite(rng, m), random(rng, m), make([]float64, n)
		G := gram(J, nil, P)
		for i := range m {
			G.Set(i, i, G.At(i, i)+3)
		}
		mu := largest(eigenvalues(t, G))
		o := fik.Options{P: P, A: []float64{-3}}
		f, err := fik.New(J, o)
		require.NoError(t, err)
		require.InEpsilon(t, mu, f.LargestEigenvalue(), muTol)
		require.InEpsilon(t, 0.5/mu, f.Step(), muTol, "half the least time constant")
		o.H = 2.002 / mu
		_, err = fik.New(J, o)
		var bad *fik.UnstableError
		require.ErrorAs(t, err, &bad)
		require.ErrorIs(t, err, fik.ErrUnstable)
		require.InEpsilon(t, mu, bad.Mu, muTol)
		require.Equal(t, o.H, bad.H)
		require.InEpsilon(t, 0.5/mu, bad.Suggest, muTol)
		require.ErrorContains(t, err, fmt.Sprintf("take h = %.3g s or less", bad.Suggest))
		o.Adapt = true
		f, err = fik.New(J, o)
		require.NoError(t, err)
		require.Equal(t, bad.Suggest, f.Step())
		// Both sides of the limit, by running.
		for _, h := range []float64{1.998, 2.002} {
			f, err = fik.New(J, fik.Options{P: P, A: []float64{-3}, H: h / mu, Unchecked: true})
			require.NoError(t, err)
			f.Z()[0] = 1
			for range 30_000 {
				if err = f.StepTo(dq, dxd); err != nil {
					break
				}
			}
			if h < 2 {
				require.NoError(t, err)
				require.Less(t, check.MaxAbs(f.Z()), 1e3)
			} else {
				require.True(t, errors.Is(err, fik.ErrNotFinite) || check.MaxAbs(f.Z()) > 1e6, "%v %v", err, f.Z())
			}
		}
	}
}

// TestStabilityDuringRun: the Jacobian grows, and the filter says so before it does harm, or shortens its step.
func TestStabilityDuringRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, adapt := range []bool{false, true} {
		J := fik.NewDense(3, 5, random(rng, 15))
		f, err := fik.New(J, fik.Options{P: []float64{1}, A: []float64{-1}, Adapt: adapt})
		require.NoError(t, err)
		h, dq, dxd := f.Step(), make([]float64, 5), random(rng, 3)
		for range 2000 {
			for i := range J.Data {
				J.Data[i] *= 1.001
			}
			if err = f.StepTo(dq, dxd); err != nil {
				break
			}
			require.Less(t, check.MaxAbs(f.Z()), 10.)
		}
		if adapt {
			require.NoError(t, err)
			require.Less(t, f.Step(), h/10)
		} else {
			require.ErrorIs(t, err, fik.ErrUnstable)
		}
	}
}

// TestStabilityTurns: another direction than the present vector of the power
// method becomes suddenly very unstable.
func TestStabilityTurns(t *testing.T) {
	for _, o := range []fik.Options{
		{P: []float64{1}, A: []float64{-1}, H: 0.4}, {P: []float64{1, 0.1, 0.1, 1}, A: []float64{-1, -2}, H: 0.4},
		{Form: fik.FormF, P: []float64{0.2}, A: []float64{0.9}}, {Form: fik.FormF, P: []float64{0.2}, A: []float64{0.9, 0.8}},
	} {
		J := fik.NewDense(2, 2, []float64{1, 0, 0, 0.5})
		f, err := fik.New(J, o)
		require.NoError(t, err)
		dq, dxd := make([]float64, 2), []float64{1, 1}
		for range 20_000 {
			require.NoError(t, f.StepTo(dq, dxd))
		}
		J.Data[3] = 50
		before, steps := check.MaxAbs(f.Z()), 0
		for ; err == nil && steps < 100; steps++ {
			err = f.StepTo(dq, dxd)
		}
		require.ErrorIs(t, err, fik.ErrUnstable)
		require.LessOrEqual(t, steps, 3)
		require.Less(t, check.MaxAbs(f.Z()), 3*before)
	}
}

// TestStabilityNorm: the rule of the norm does not guarantee stability.
func TestStabilityNorm(t *testing.T) {
	J := fik.NewDense(1, 2, []float64{6, 8})
	_, err := fik.New(J, fik.Figure())
	require.ErrorIs(t, err, fik.ErrUnstable) // h (p σ² + a) = (π + 0.4)·10 + 0.4
	J.Data[0], J.Data[1] = 0.24, 0.32
	f, err := fik.New(J, fik.Figure())
	require.NoError(t, err)
	require.InDelta(t, (math.Pi/0.02+20)*0.4+20, f.LargestEigenvalue(), 1e-9)
}

// TestStabilityMixed: where A is no number and P is full the modes are not those of a symmetric matrix. Eigenvalues may
// be complex, or negative although −A and G have positive ones only.
func TestStabilityMixed(t *testing.T) {
	// G = v wᵀ with w = P v. det(G − A) < 0.
	J := fik.NewDense(2, 1, []float64{1, 1})
	P := []float64{1, -10.9, -10.9, 120}
	_, err := fik.New(J, fik.Options{P: P, A: []float64{-0.1, -50}})
	var bad *fik.UnstableError
	require.ErrorAs(t, err, &bad)
	require.Zero(t, bad.Suggest)
	require.ErrorContains(t, err, "at any step")

	rng := rand.New(rand.NewPCG(2, 4))
	stable, unstable, turning := 0, 0, 0
	for range 300 {
		m := 2 + rng.IntN(3)
		J := fik.NewDense(m, m+1, random(rng, m*(m+1)))
		P, A := definite(rng, m), make([]float64, m)
		for i := range A {
			A[i] = -math.Pow(10, 3*rng.Float64()-1)
		}
		h := math.Pow(10, -3+2*rng.Float64())
		G := gram(J, nil, P)
		for i, a := range A {
			G.Set(i, i, G.At(i, i)-a)
		}
		radius := 0.0
		for _, x := range eigenvalues(t, G) {
			radius = max(radius, math.Hypot(1-h*real(x), h*imag(x)))
			if imag(x) != 0 {
				turning++
			}
		}
		_, err := fik.New(J, fik.Options{P: P, A: A, H: h})
		if radius < 1 {
			require.NoError(t, err)
			stable++
		} else {
			require.ErrorIs(t, err, fik.ErrUnstable)
			unstable++
		}
	}
	require.Greater(t, stable, 20)
	require.Greater(t, unstable, 20)
	require.Positive(t, turning)
}

// TestFormF: modes, equilibrium and limits of the filter.
func TestFormF(t *testing.T) {
	dq, one := make([]float64, 1), []float64{1}
	for _, alpha := range []float64{-1, -0.9, 0, 0.5, 0.95, 1} {
		for _, sigma := range []float64{0.01, 0.3, 0.7, 0.99} {
			J := fik.NewDense(1, 1, []float64{math.Sqrt(sigma)})
			f, err := fik.New(J, fik.Options{Form: fik.FormF, P: one, A: []float64{alpha}})
			require.NoError(t, err, "α = %v, σ = %v", alpha, sigma)
			z := []float64{0, 0} // z(t−2), z(t−1)
			for range 50 {
				require.InDelta(t, z[1], f.Z()[0], 1e-12)
				require.NoError(t, f.StepTo(dq, one))
				z[0], z[1] = z[1], alpha*z[1]-sigma*z[0]+1
			}
			for range 20_000 {
				require.NoError(t, f.StepTo(dq, one))
			}
			dx := math.Sqrt(sigma) * dq[0]
			require.InDelta(t, sigma/(1-alpha+sigma), dx, 1e-9, "α = %v, σ = %v", alpha, sigma)
			if alpha == -1 {
				require.Less(t, dx, 1./3)
			}
			if alpha == 1 {
				require.InDelta(t, 1, dx, 1e-9)
			}
		}
	}
	for _, c := range []struct{ alpha, sigma float64 }{{0, 1.0001}, {0.95, 1.5}, {-1, 0}, {1, 0}, {1.2, 0.1}, {-1.5, 0.4}} {
		_, err := fik.New(fik.NewDense(1, 2, []float64{math.Sqrt(c.sigma), 0}), fik.Options{Form: fik.FormF, P: one, A: []float64{c.alpha}})
		require.ErrorIs(t, err, fik.ErrUnstable, "%+v", c)
	}
	_, err := fik.New(fik.NewDense(1, 1, []float64{1}), fik.Options{Form: fik.FormF, P: one, A: []float64{1.2}, Unchecked: true})
	require.NoError(t, err)
	_, err = fik.New(fik.NewDense(1, 1, []float64{1}), fik.Options{Form: fik.FormF, P: []float64{2}, A: []float64{0.9}})
	require.EqualError(t, err, "ik/fik: feedback inverse kinematics is unstable: the largest eigenvalue of J V Jᵀ P is 2 and has to stay below 1; multiply P by 0.125 or less")
	// |α| < 1 + σ with |α| > 1 converges.
	f, err := fik.New(fik.NewDense(1, 1, []float64{1}), fik.Options{Form: fik.FormF, P: []float64{0.5}, A: []float64{1.2}})
	require.NoError(t, err)
	for range 2000 {
		require.NoError(t, f.StepTo(dq, one))
	}
	require.InDelta(t, 0.5/(1-1.2+0.5), dq[0], 1e-9)
}

// TestZeroEigenvalue: if J V Jᵀ P − A has the eigenvalue zero, its mode does not decay with any
// step, and the error says so.
func TestZeroEigenvalue(t *testing.T) {
	for _, o := range []fik.Options{{}, {H: 1e-3}, {Adapt: true}} {
		o.P, o.A = []float64{1, 3, 3, 10.75}, []float64{-1, -16}
		_, err := fik.New(fik.NewDense(2, 1, []float64{1, -4}), o)
		e := new(fik.UnstableError)
		require.ErrorAs(t, err, &e)
		require.Zero(t, e.Suggest, "%v", err)
		require.Contains(t, err.Error(), "at any step")
	}
}
