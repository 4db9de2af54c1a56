package bench_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

const (
	rankTol = 1e-8 // singular values below count as zero; the tests ask for a gap
	gapTol  = 1e-11
	stepFD  = 1e-4 // s, of the difference for J̇v
	rangeFD = 1e-5 // error of that difference, relative to the largest J̇v
)

// jacobian returns the matrix of the rows; columns are ω and velocity of the
// centre of mass, per body.
func (s *system) jacobian() *mat.Dense {
	_, rows := s.all()
	J := mat.NewDense(len(rows), 6*len(s.bodies), nil)
	for i := range rows {
		r := &rows[i]
		put := func(k int, sign float64) {
			if k < 0 {
				return
			}
			w := add(r.e, cross(sub(r.p, s.bodies[k].c), r.t))
			for m := range 3 {
				J.Set(i, 6*k+m, sign*w[m])
				J.Set(i, 6*k+3+m, sign*r.t[m])
			}
		}
		put(r.b, 1)
		put(r.a, -1)
	}
	return J
}

// product returns −J̇v + σ̇ by central differences.
func (s *system) product() *mat.VecDense {
	_, f := s.moved(stepFD).all()
	_, b := s.moved(-stepFD).all()
	g := mat.NewVecDense(len(f), nil)
	ahead, behind := s.moved(stepFD), s.moved(-stepFD)
	for i := range f {
		g.SetVec(i, -(ahead.rate(&f[i])-behind.rate(&b[i]))/(2*stepFD))
	}
	i := 0
	for k := range s.m.Joints {
		j := &s.m.Joints[k]
		v := s.view(j)
		i += len(s.rows(j, &v))
		for _, m := range j.Motion {
			if m != nil {
				_, _, qdd := driven(m, s.m.Time)
				g.SetVec(i, g.AtVec(i)+qdd)
				i++
			}
		}
	}
	return g
}

// analysis is a singular value decomposition of a model's Jacobian.
type analysis struct {
	s          *system
	svd        mat.SVD
	rows, rank int
	least      float64 // smallest singular value counted
	dropped    float64 // largest one not counted
}

func analyse(t *testing.T, m *model.Model) *analysis {
	t.Helper()
	a := &analysis{s: read(m)}
	J := a.s.jacobian()
	a.rows, _ = J.Dims()
	require.True(t, a.svd.Factorize(J, mat.SVDFull))
	for _, x := range a.svd.Values(nil) {
		if x > rankTol {
			a.rank, a.least = a.rank+1, x
		} else {
			a.dropped = max(a.dropped, x)
		}
	}
	require.Less(t, a.dropped, gapTol)
	return a
}

// requireAccelerable checks that accelerations exist: J a = −J̇v + σ̇ has no
// part outside the range of J.
func (a *analysis) requireAccelerable(t *testing.T) {
	t.Helper()
	if a.rank == a.rows {
		return
	}
	var U mat.Dense
	a.svd.UTo(&U)
	var p mat.VecDense
	g := a.s.product()
	p.MulVec(U.Slice(0, a.rows, a.rank, a.rows).T(), g)
	require.LessOrEqual(t, mat.Norm(&p, math.Inf(1)), rangeFD*(1+mat.Norm(g, math.Inf(1))))
}

func TestRanks(t *testing.T) {
	check.Long(t)
	seeds := check.Night[uint64](2, 1)
	for _, c := range []struct {
		family                    string
		n                         []int
		rows, redundant, mobility func(n int) int
		least                     float64
	}{
		{"ladder", []int{2, 6, 20, 60, 120}, func(n int) int { return 9 * n / 2 }, zero, func(n int) int { return 3 * n / 2 }, 0.08},
		{"ladder", []int{1, 3, 21}, func(n int) int { return 9*(n/2) + 3 }, zero, func(n int) int { return 3*(n/2) + 3 }, 0.08},
		{"nfourbar", []int{1, 3, 12}, func(n int) int { return 15*n + 5 }, func(n int) int { return 3 * n }, func(int) int { return 1 }, 0.05},
		{"scissor", []int{1, 3, 10}, func(n int) int { return 30*n - 8 }, func(n int) int { return 18*n - 7 }, func(int) int { return 1 }, 5e-4},
		{"chain", []int{1, 5, 30}, func(n int) int { return 5 * n }, zero, func(n int) int { return n }, 0.01},
		{"grid", []int{1, 2, 4, 7}, func(n int) int { return 5*n*n - 2*n }, zero, func(n int) int { return n*n + 2*n }, 0.01},
		{"ball-net", []int{1, 2, 4, 7}, func(n int) int { return 6*n*n - 3*n }, zero, func(n int) int { return 3 * n }, 1e-6},
		{"revolute-net", []int{1, 2, 3}, func(n int) int { return 15*n*n + 5*n }, func(n int) int { return 3 * n * n }, func(n int) int { return n }, 0.02},
		{"stewart", []int{1, 3}, func(n int) int { return 72 * n }, zero, func(n int) int { return 6 * n }, 0.02},
		{"rover", []int{1, 3}, func(n int) int { return 32*n - 7 }, zero, func(n int) int { return 10*n + 1 }, 0.02},
		{"rocker-bogie", []int{1, 2}, func(n int) int { return 76*n - 7 }, zero, func(n int) int { return 14*n + 1 }, 0.02},
		{"road-train", []int{1, 2}, func(n int) int { return 43*n - 2 }, zero, func(n int) int { return 11*n + 2 }, 0.02},
		{"hoberman", []int{1, 2, 4, 9, 20}, func(n int) int { return 16*n + 35 }, func(n int) int { return 4*n + 12 }, func(int) int { return 1 }, 1e-3},
		{"hoberman-sphere", []int{1, 2, 3}, func(n int) int { return 180*n + 135 }, func(n int) int { return 36*n + 64 }, func(int) int { return 1 }, 1e-3},
		{"miura", []int{1, 2, 3, 5}, func(n int) int { return 10*n*(n+1) + 6 }, func(n int) int { return 4*n*n - 2*n + 1 }, func(int) int { return 1 }, 1e-3},
		{"jansen", []int{1, 2, 4}, func(n int) int { return 90*n + 5 }, func(n int) int { return 18 * n }, func(int) int { return 1 }, 0.01},
		{"delta", []int{1, 2, 10, 20}, func(n int) int { return 19*n + 38 }, func(n int) int { return n - 1 }, func(int) int { return 3 }, 1e-3},
		{"excavator", []int{1, 2, 6}, func(n int) int { return 20*n + 60 }, func(n int) int { return 3*n + 9 }, func(n int) int { return n + 3 }, 1e-3},
		{"biped", []int{1, 2}, func(n int) int { return 126 * n }, func(n int) int { return 6 * n }, func(n int) int { return 18 * n }, 0.02},
		{"bicycle", []int{1, 3}, func(n int) int { return 21 * n }, zero, func(n int) int { return 3 * n }, 0.01},
		{"rolling-disc", []int{1, 5}, func(n int) int { return 3 * n }, zero, func(n int) int { return 3 * n }, 0.1},
		{"snakeboard", []int{1, 3}, func(n int) int { return 23 * n }, zero, func(n int) int { return n }, 0.05},
		{"tracked", []int{1, 3}, func(n int) int { return 20*n + 20 }, zero, func(n int) int { return 4*n + 10 }, 0.02},
	} {
		for _, n := range c.n {
			t.Run(fmt.Sprintf("%s/n=%d", c.family, n), func(t *testing.T) {
				for seed := range seeds {
					m := generate(t, c.family, n, seed)
					a := analyse(t, m)
					assert.Equal(t, c.rows(n), a.rows)
					assert.Equal(t, c.redundant(n), a.rows-a.rank)
					assert.Equal(t, c.mobility(n), 6*len(m.Bodies)-a.rank)
					assert.Greater(t, a.least, c.least)
					t.Logf("smallest singular value %.3g", a.least)
					a.requireAccelerable(t)
				}
			})
		}
	}
}

func zero(int) int { return 0 }

// TestTreeMobility checks that nothing of a tree is redundant.
func TestTreeMobility(t *testing.T) {
	for seed := range uint64(5) {
		a := analyse(t, generate(t, "tree", 25, seed))
		assert.Equal(t, a.rows, a.rank)
		assert.Greater(t, a.least, 0.01)
	}
}

// TestRandomRank checks that just the doubled joints of random are redundant,
// and that all its constraints can be met by accelerations.
func TestRandomRank(t *testing.T) {
	for _, n := range []int{3, 6, 12, 30} {
		worst := math.Inf(1)
		for seed := range check.Few(uint64(25), 8) {
			m := generate(t, "random", n, seed)
			a := analyse(t, m)
			doubled := 0
			for i := range m.Joints {
				if j := &m.Joints[i]; j.Name[0] == 'd' {
					v := a.s.view(j)
					doubled += len(a.s.rows(j, &v))
				}
			}
			require.Equal(t, doubled, a.rows-a.rank, "n %d seed %d", n, seed)
			a.requireAccelerable(t)
			worst = min(worst, a.least)
		}
		t.Logf("n=%d: smallest singular value %.3g", n, worst)
		assert.Greater(t, worst, 1e-4)
	}
}

// freeMotion returns the accelerations that Gauss's principle makes of the one free motion of a plane mechanism: a = x +
// y·z with zᵀM(x + y·z) = zᵀf.
func (a *analysis) freeMotion(t *testing.T, m *model.Model) []float64 {
	t.Helper()
	var V mat.Dense
	a.svd.VTo(&V)
	nc := 6 * len(m.Bodies)
	require.Equal(t, nc-1, a.rank)
	z := mat.Col(nil, nc-1, &V)
	var x mat.Dense
	a.svd.SolveTo(&x, a.s.product(), a.rank)
	var mass, force float64
	for k := range m.Bodies {
		b := &m.Bodies[k]
		I := [6]float64{b.Inertia.ZZ, b.Inertia.ZZ, b.Inertia.ZZ, b.Mass, b.Mass, b.Mass} // bodies turn about what is z in them alone
		for i := range 6 {
			f := 0.0
			if i > 2 {
				f = b.Mass * m.Gravity[i-3]
			}
			mass += z[6*k+i] * I[i] * z[6*k+i]
			force += z[6*k+i] * (f - I[i]*x.At(6*k+i, 0))
		}
	}
	for i := range z {
		z[i] = x.At(i, 0) + force/mass*z[i]
	}
	return z
}

// TestHobermanSphereAcceleration compares the closed form of the sphere with Gauss's
// principle on dense matrices: all rods of a ring turn about the axis across it at
// the same rate, the two of a pair in opposite directions, and hubs do not turn.
func TestHobermanSphereAcceleration(t *testing.T) {
	for n := 1; n <= check.Few(3, 1); n++ {
		m := generate(t, "hoberman-sphere", n, 2)
		a := analyse(t, m).freeMotion(t, m)
		rate := m.Bodies[12].Velocity.Angular[0]
		want := bench.HobermanSphereAcceleration(n, rate)
		for k := range m.Bodies {
			var turn [3]float64
			if k >= 12 { // after the hubs
				turn[(k-12)/(8*n)] = -float64(1-2*(k%2)) * want
			}
			for i, w := range turn {
				require.InDelta(t, w, a[6*k+i], rangeFD*(1+math.Abs(want)), "n %d, %s", n, m.Bodies[k].Name)
			}
		}
	}
}

// TestHobermanAcceleration compares the closed form of a ring with Gauss's
// principle on dense matrices: the plane of a ring is that of x and z.
func TestHobermanAcceleration(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 17} {
		for seed := range check.Few(uint64(3), 1) {
			m := generate(t, "hoberman", n, seed)
			rate := m.Bodies[0].Velocity.Angular[1] // about −y it is −ψ′
			a := analyse(t, m).freeMotion(t, m)
			want := bench.HobermanAcceleration(n, rate)
			for k := range m.Bodies {
				sign := float64(1 - 2*(k%2)) // rods a and b
				require.InDelta(t, sign*want, a[6*k+1], rangeFD*(1+math.Abs(want)), "n %d seed %d body %d", n, seed, k)
			}
		}
	}
}

// TestNFourBarAcceleration compares the closed form with Gauss's principle on
// dense matrices.
func TestNFourBarAcceleration(t *testing.T) {
	for _, theta := range []float64{-0.7, 0.4, 1.2} {
		for _, n := range []int{1, 2, 5} {
			m, err := bench.NFourBar(n, theta, 3)
			require.NoError(t, err)
			got := analyse(t, m).freeMotion(t, m)
			// Body 0 is rod0; its column 2 is the angle's.
			assert.InDelta(t, bench.NFourBarAcceleration(n, theta), got[2], 1e-6)
		}
	}
}

// TestScissorAcceleration is the same for the mast, at several rates.
func TestScissorAcceleration(t *testing.T) {
	for seed := range uint64(3) {
		for _, n := range []int{1, 2, 5} {
			m := generate(t, "scissor", n, seed)
			got := analyse(t, m).freeMotion(t, m)
			want := bench.ScissorAcceleration(n, m.Bodies[0].Velocity.Angular[2])
			for k := range 2 * n {
				assert.InDelta(t, want*float64(1-2*(k%2)), got[6*k+2], 1e-6)
			}
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		family string
		n      int
	}{
		{"ladder", 100000}, {"nfourbar", 50000}, {"scissor", 50000}, {"chain", 100000}, {"tree", 100000}, {"grid", 316},
		{"ball-net", 316}, {"revolute-net", 223}, {"stewart", 7692}, {"random", 100000},
	} {
		b.Run(fmt.Sprintf("model=%s/n=%d", c.family, c.n), func(b *testing.B) {
			b.ReportAllocs()
			nb, err := bench.Bodies(c.family, c.n)
			require.NoError(b, err)
			for b.Loop() {
				generate(b, c.family, c.n, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nb), "ns/body")
		})
	}
}
