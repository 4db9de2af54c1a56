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

// fitTol bounds joint errors relative to the size, or speed, of the model: some
// roundings of coordinates of that size, fifty-fold for the turn of a screw of
// 0.02 m/rad.
const fitTol = 1e-13

// sizes are those every family is tested at.
var sizes = []int{1, 2, 3, 4, 7, 15, 40}

func generate(t testing.TB, family string, n int, seed uint64) *model.Model {
	t.Helper()
	m, err := bench.Generate(family, n, seed)
	require.NoError(t, err)
	return m
}

// made are the models of every, which no test changes, by name.
var made = map[string]*model.Model{}

// every runs f on all families, sizes and some seeds.
func every(t *testing.T, f func(t *testing.T, family string, n int, m *model.Model)) {
	for _, family := range bench.Families() {
		for _, n := range sizes {
			for seed := uint64(1); seed <= check.Few(uint64(3), 1); seed++ {
				name := fmt.Sprintf("%s/n=%d/seed=%d", family, n, seed)
				t.Run(name, func(t *testing.T) {
					if made[name] == nil {
						made[name] = generate(t, family, n, seed)
					}
					f(t, family, n, made[name])
				})
			}
		}
	}
}

// scales returns the largest coordinate, speed and rate, each at least 1.
func (s *system) scales() (x, v, w float64) {
	x, v, w = 1, 1, 1
	for i := range s.bodies {
		b := &s.bodies[i]
		x, v, w = max(x, size(b.c)), max(v, size(b.v)), max(w, size(b.w))
	}
	return x, v, w
}

// requireConsistent checks every joint of m at position and velocity level.
func requireConsistent(t *testing.T, m *model.Model) {
	t.Helper()
	s := read(m)
	x, v, w := s.scales()
	errs, rows := s.all()
	var worst, worstRate float64
	for _, e := range errs {
		worst = max(worst, math.Abs(e))
	}
	for i := range rows {
		worstRate = max(worstRate, math.Abs(s.rate(&rows[i])))
	}
	require.LessOrEqual(t, worst, fitTol*x)
	require.LessOrEqual(t, worstRate, fitTol*(v+w*x))
}

func TestConsistent(t *testing.T) {
	every(t, func(t *testing.T, _ string, _ int, m *model.Model) { requireConsistent(t, m) })
	for seed := range check.Few(uint64(200), 50) {
		requireConsistent(t, generate(t, "random", 60, seed))
	}
	for _, theta := range []float64{-2, 0, 1, math.Pi / 2} {
		m, err := bench.NFourBar(4, theta, 1)
		require.NoError(t, err)
		requireConsistent(t, m)
	}
}

func TestBoundedWhenLarge(t *testing.T) {
	check.Long(t)
	for family, n := range map[string]int{
		"ladder": 40000, "chain": 20000, "tree": 20000, "grid": 100, "ball-net": 100,
		"nfourbar": 10000, "scissor": 10000, "revolute-net": 80, "stewart": 2000, "random": 20000,
		"rover": 2000, "rocker-bogie": 1000, "road-train": 2500, "tracked": 4000,
		"hoberman": 10000, "hoberman-sphere": 1000, "miura": 100, "jansen": 2000, "delta": 5000, "excavator": 4000, "biped": 500,
		"bicycle": 5000, "rolling-disc": 20000, "snakeboard": 5000,
	} {
		t.Run(family, func(t *testing.T) {
			m := generate(t, family, n, 1)
			requireConsistent(t, m)
			x, v, w := read(m).scales()
			t.Logf("%d bodies: size %.3g m, speed %.3g m/s, rate %.3g rad/s", len(m.Bodies), x, v, w)
			assert.Less(t, w, 20.0)
		})
	}
}

func TestDocuments(t *testing.T) {
	every(t, func(t *testing.T, family string, n int, m *model.Model) {
		names := map[string]bool{model.World: true}
		for i := range m.Bodies {
			b := &m.Bodies[i]
			require.False(t, names[b.Name], b.Name)
			names[b.Name] = true
			requireUnit(t, b.Pose)
			require.Positive(t, b.Mass)
			requireSolid(t, &b.Inertia)
		}
		joints := map[string]bool{}
		for i := range m.Joints {
			j := &m.Joints[i]
			require.False(t, joints[j.Name], j.Name)
			joints[j.Name] = true
			require.NotEqual(t, j.Predecessor, j.Successor)
			require.True(t, names[j.Predecessor] && names[j.Successor])
			requireUnit(t, j.PredecessorFrame)
			requireUnit(t, j.SuccessorFrame)
			require.Equal(t, j.Type == model.Helical, j.Pitch != 0)
			require.Equal(t, j.Type == model.Distance, j.Length > 0)
		}
		require.Equal(t, fmt.Sprintf("%s-%d", family, n), m.Name)
		require.InDelta(t, bench.Gravity, size(m.Gravity), 0)
	})
}

func requireUnit(t *testing.T, x model.Pose) {
	t.Helper()
	q := x.Orientation
	require.InDelta(t, 1, q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3], 1e-14)
}

// requireSolid checks that the principal moments are positive and none exceeds
// the sum of the others.
func requireSolid(t *testing.T, g *model.Inertia) {
	t.Helper()
	var eig mat.EigenSym
	require.True(t, eig.Factorize(mat.NewSymDense(3, []float64{
		g.XX, g.XY, g.XZ, g.XY, g.YY, g.YZ, g.XZ, g.YZ, g.ZZ,
	}), false))
	e := eig.Values(nil)
	require.Positive(t, e[0])
	require.LessOrEqual(t, e[2], (e[0]+e[1])*(1+1e-12))
}

func TestCounts(t *testing.T) {
	loops := map[string]func(n int) int{
		"ladder": func(n int) int { return n / 2 }, "nfourbar": func(n int) int { return n },
		"scissor": func(n int) int { return 4 * n },
		"chain":   func(int) int { return 0 }, "tree": func(int) int { return 0 },
		"grid": func(n int) int { return n*n - n }, "ball-net": func(n int) int { return n*n - n },
		"revolute-net": func(n int) int { return n * n }, "stewart": func(n int) int { return 5 * n },
		"random": func(n int) int { return n / 3 },
		"rover":  func(int) int { return -1 }, "road-train": func(int) int { return -1 }, "tracked": func(int) int { return -1 },
		"rocker-bogie": func(n int) int { return 2*n - 1 },
		"gear-train":   func(int) int { return 0 }, "belt": func(int) int { return 0 }, "valve-train": func(int) int { return 0 }, "cam-train": func(n int) int { return 2 * n },
		"trailers": func(n int) int { return 2 * n },
		"bicycle":  func(n int) int { return n }, "rolling-disc": func(int) int { return 0 }, "snakeboard": func(n int) int { return 2 * n },
		"hoberman": func(n int) int { return 2*n + 5 }, "hoberman-sphere": func(n int) int { return 12*n + 15 }, "miura": func(n int) int { return n*n + 2 },
		"jansen": func(n int) int { return 6 * n }, "delta": func(n int) int { return 2*n + 3 }, "excavator": func(n int) int { return n + 3 },
		"biped": func(n int) int { return 5 * n }, // each is free, and has a loop more
	}
	every(t, func(t *testing.T, family string, n int, m *model.Model) {
		nb, err := bench.Bodies(family, n)
		require.NoError(t, err)
		require.Len(t, m.Bodies, nb)
		require.Len(t, m.Joints, nb+loops[family](n))
		require.Equal(t, nb, cap(m.Bodies), "memory is allocated once")
		require.Equal(t, len(m.Joints), cap(m.Joints), "memory is allocated once")
	})
	require.Len(t, generate(t, "ladder", 1000, 1).Bodies, 1000)
}

func TestDeterministic(t *testing.T) {
	for _, family := range bench.Families() {
		a, b := generate(t, family, 9, 5), generate(t, family, 9, 5)
		require.Equal(t, a, b, family)
		require.NotEqual(t, a, generate(t, family, 9, 6), family)
	}
}

func TestErrors(t *testing.T) {
	_, err := bench.Generate("stairs", 1, 1)
	require.ErrorIs(t, err, bench.ErrFamily)
	_, err = bench.Bodies("stairs", 1)
	require.ErrorIs(t, err, bench.ErrFamily)
	for _, family := range bench.Families() {
		for _, n := range []int{math.MinInt, -1, 0, bench.MaxBodies + 1, math.MaxInt} {
			_, err = bench.Generate(family, n, 1)
			require.ErrorIs(t, err, bench.ErrSize)
			_, err = bench.Bodies(family, n)
			require.ErrorIs(t, err, bench.ErrSize)
		}
	}
	_, err = bench.Generate("grid", 4000, 1)
	require.EqualError(t, err, "bench: size out of range: grid 4000")
}

// TestRandomHasEverything checks that random draws all it may draw.
func TestRandomHasEverything(t *testing.T) {
	m := generate(t, "random", 600, 1)
	types := map[model.JointType]int{}
	var succ, pred, motions, turns, springs, forces, doubled int
	for i := range m.Joints {
		j := &m.Joints[i]
		types[j.Type]++
		for _, x := range j.Motion {
			if x != nil {
				motions++
			}
		}
		for kind, found := range map[*int]bool{
			&succ: j.Successor == model.World, &pred: j.Predecessor == model.World,
			&turns: len(j.Turns) > 0, &springs: len(j.Stiffness) > 0,
			&forces: len(j.Force) > 0, &doubled: j.Name[0] == 'd',
		} {
			if found {
				*kind++
			}
		}
	}
	for kind := model.Fixed; kind <= model.Free; kind++ {
		assert.GreaterOrEqual(t, types[kind], 5, "type %d", kind)
	}
	for _, n := range []int{succ, pred, motions, turns, springs, forces, doubled} {
		assert.Positive(t, n)
	}
	assert.Len(t, m.Forces, 180)
}
