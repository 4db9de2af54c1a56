package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// roundTol bounds rounding of a few products of numbers of order 10.
	roundTol = 1e-13
	// diffTol bounds the error of diff: h⁴ times a fifth derivative of order
	// 10³ at most, and rounding over h.
	diffTol = 1e-8
	// numPaths is the number of seeded motions a test tries for each joint.
	numPaths = 20
)

// forPaths runs test on seeded motions of every joint.
func forPaths(t *testing.T, test func(t *testing.T, p *path, seed uint64)) {
	for _, spec := range specs {
		t.Run(spec.Kind.String(), func(t *testing.T) {
			for seed := range check.Random(uint64(numPaths), 6) {
				test(t, randomPath(spec, seed), seed)
			}
		})
	}
}

// eval returns the rows at f, which have to exist.
func eval(t *testing.T, s *joints.Spec, f *joints.Frames, time float64) *joints.Rows {
	t.Helper()
	out := &joints.Rows{N: 99, TDot: [6]float64{5: 1}, Arm: spatial.Vec3{7}}
	require.NoError(t, s.EvalTo(out, f, time))
	require.Equal(t, s.NumRows(), out.N)
	for k := out.N; k < 6; k++ {
		require.Zero(t, out.T[k])
		require.Zero(t, out.TDot[k])
	}
	return out
}

func TestSubspacesAreComplementary(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		f := p.violate(seed, 0.2, 0.5).frames(0.1)
		rows := eval(t, &p.spec, f, 0)
		var S [6]spatial.Motion
		dof := p.spec.MotionSubspaceTo(&S, f)
		require.Equal(t, 6, dof+rows.N)
		M := mat.NewDense(6, 6, nil)
		for i := range dof {
			for k := range rows.N {
				require.InDelta(t, 0, S[i].Dot(&rows.T[k]), roundTol, "S%d T%d", i, k)
			}
			M.SetRow(i, S[i][:])
		}
		for k := range rows.N {
			M.SetRow(dof+k, rows.T[k][:])
		}
		var svd mat.SVD
		require.True(t, svd.Factorize(M, mat.SVDNone))
		least := 0.3
		if p.spec.Axes != nil {
			least = 0.05 // axes may be nearly parallel
		}
		require.Greater(t, svd.Values(nil)[5], least)
	})
}

func TestPrescribedRowsAreDualToFreedoms(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		s := p.driven()
		f := p.frames(0.1)
		rows := eval(t, s, f, 0)
		var S [6]spatial.Motion
		dof := s.MotionSubspaceTo(&S, f)
		k := s.Kind.Constraints()
		for i := range dof {
			if !s.Kind.Scalar(i) {
				continue
			}
			for j := range dof {
				want := 0.0
				if i == j {
					want = 1
				}
				require.InDelta(t, want, S[j].Dot(&rows.T[k]), roundTol)
			}
			k++
		}
		require.Equal(t, rows.N, k)
	})
}

// speedTol bounds the errors of the velocities of a path: the velocities of two curves are differences.
func (p *path) speedTol() float64 {
	if p.spec.SuccessorCurve != nil {
		return diffTol
	}
	return roundTol
}

func TestSatisfiedMotion(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, _ uint64) {
		const time = 0.2
		s, f := p.driven(), p.frames(time)
		rows := eval(t, s, f, time)
		var e [6]float64
		s.PositionErrorTo(&e, f, time)
		for k, x := range e {
			require.InDelta(t, 0, x, roundTol, "position error of row %d", k)
		}
		require.NoError(t, s.VelocityErrorTo(&e, f, time))
		for k, x := range e {
			require.InDelta(t, 0, x, p.speedTol(), "velocity error of row %d", k)
		}
		for i := range 3 {
			require.InDelta(t, f.R[i], rows.Arm[i], roundTol)
			require.InDelta(t, f.V[i], rows.Slip[i], p.speedTol())
		}
	})
}

func TestVelocityIsInMotionSubspace(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, _ uint64) {
		const time = 0.3
		f := p.frames(time)
		var S [6]spatial.Motion
		var q, qd [6]float64
		p.spec.MotionSubspaceTo(&S, f)
		p.spec.CoordinatesTo(&q, &qd, f)
		v := velocity(f)
		for i := range p.spec.Kind.Freedoms() {
			v = v.Sub(S[i].Scale(qd[i]))
		}
		if p.spec.Kind.Freedoms() == p.spec.Kind.Dof() {
			for i := range v {
				require.InDelta(t, 0, v[i], roundTol)
			}
		}
	})
}

// TestVelocityProduct compares TDot, Sigma and SigmaDot with differences of
// T·V̂ along motions of both frames that violate the joint.
func TestVelocityProduct(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		const time = 0.1
		s := p.driven()
		if p.spec.Axes == nil { // whose coordinates of a violated pose are nearest ones, and their rates too
			p.violate(seed, 0.2, 0.4)
		}
		f := p.frames(time)
		rows := eval(t, s, f, time)
		a := p.apparent(time)
		for k := range rows.N {
			rate := diff(func(t0 float64) float64 {
				g := p.frames(t0)
				r, v := eval(t, s, g, t0), velocity(g)
				return v.Dot(&r.T[k])
			}, time)
			require.InDelta(t, rate, a.Dot(&rows.T[k])+rows.TDot[k], diffTol, "row %d", k)
			sigma := diff(func(t0 float64) float64 { return eval(t, s, p.frames(t0), t0).Sigma[k] }, time)
			require.InDelta(t, sigma, rows.SigmaDot[k], diffTol)
		}
	})
}

// TestPositionErrorRate compares T·V̂ − σ with differences of the position
// error as a violation passes through zero.
func TestPositionErrorRate(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		s := p.driven()
		p.violate(seed, 0, 0.7)
		var want [6]float64
		require.NoError(t, s.VelocityErrorTo(&want, p.frames(0), 0))
		for k := range s.NumRows() {
			got := diff(func(t0 float64) float64 {
				var e [6]float64
				s.PositionErrorTo(&e, p.frames(t0), t0)
				return e[k]
			}, 0)
			if from, to := s.Kind.VelocityRows(); k >= from && k < to {
				require.Zero(t, got, "a row of velocities has no position error")
				continue
			}
			require.InDelta(t, want[k], got, diffTol, "row %d", k)
		}
	})
}

func TestCoordinates(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, _ uint64) {
		const time = 0.15
		var q, qd [6]float64
		k := p.spec.Kind
		p.spec.CoordinatesTo(&q, &qd, p.frames(time))
		for i := range q {
			switch {
			case k.Scalar(i):
				want, rate := p.q[i].at(time)
				if p.spec.Winds(i) && p.spec.Axes == nil {
					want = math.Remainder(want, 2*math.Pi)
				}
				tol := p.speedTol()
				if p.spec.Curve != nil {
					want, rate = p.along(i, time)
					tol = max(tol, 10*roundTol) // up to 60 m
				}
				require.InDelta(t, want, q[i], tol)
				require.InDelta(t, rate, qd[i], tol)
			case i < k.Freedoms():
				_, _, w, _ := p.relative(time)
				require.Zero(t, q[i])
				require.InDelta(t, w[i], qd[i], roundTol)
			default:
				require.Zero(t, q[i])
				require.Zero(t, qd[i])
			}
		}
	})
}

func TestWrenchPower(t *testing.T) {
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		f := p.violate(seed, 0.3, 0.5).frames(0.1)
		tau := [6]float64{1.5, -2, 0.7, 3, -0.4, 0.9}
		var w spatial.Force
		var q, qd [6]float64
		p.spec.WrenchTo(&w, &tau, f)
		p.spec.CoordinatesTo(&q, &qd, f)
		want := 0.0
		for i := range p.spec.Kind.Freedoms() {
			want += tau[i] * qd[i]
		}
		v := velocity(f)
		require.InDelta(t, want, v.Dot(&w), roundTol)
	})
}

// TestRotatedFrames checks that turning the whole scene turns T and leaves all
// scalars as they are.
func TestRotatedFrames(t *testing.T) {
	check.Long(t)
	Q := spatial.Exp(spatial.Vec3{0.4, -1.9, 0.8}).Mat()
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		s := p.driven()
		f := p.violate(seed, 0.3, 0.5).frames(0.1)
		g := &joints.Frames{
			EP: Q.Mul(f.EP), ES: Q.Mul(f.ES), R: Q.MulVec(f.R), V: Q.MulVec(f.V),
			OmegaP: Q.MulVec(f.OmegaP), OmegaS: Q.MulVec(f.OmegaS), Near: f.Near,
		}
		a, b := eval(t, s, f, 0.1), eval(t, s, g, 0.1)
		var ea, eb, qa, qb, da, db [6]float64
		s.PositionErrorTo(&ea, f, 0.1)
		s.PositionErrorTo(&eb, g, 0.1)
		s.CoordinatesTo(&qa, &da, f)
		s.CoordinatesTo(&qb, &db, g)
		for k := range 6 {
			m, l := Q.MulVec(a.T[k].Moment()), Q.MulVec(a.T[k].Linear())
			want := spatial.NewForce(m, l)
			for i := range want {
				require.InDelta(t, want[i], b.T[k][i], roundTol)
			}
			require.InDelta(t, a.TDot[k], b.TDot[k], 10*roundTol)
			require.InDelta(t, ea[k], eb[k], 10*roundTol)
			require.InDelta(t, qa[k], qb[k], 10*roundTol)
			require.InDelta(t, da[k], db[k], 10*roundTol)
		}
	})
}
