package ik

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// hardTask is a random task for a chain of n links: limits of all joints
// and points at up to three priorities, most of them out of reach.
func hardTask(rng *rand.Rand, n int) (*model.Model, Task) {
	m := chainModel(n, 0.3*(rng.Float64()-0.5))
	task := Task{}
	for k := range n {
		task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprintf("j%d", k), Lower: -0.2 - 1.5*rng.Float64(), Upper: 0.2 + 1.5*rng.Float64()})
	}
	for l := range 1 + rng.IntN(3) {
		g := tipAt(n, 2.4*rng.Float64()-1.2, 2.4*rng.Float64()-1.2)
		g.Name, g.Priority = fmt.Sprint("g", l), l
		if l > 0 {
			g.Body = fmt.Sprintf("b%d", rng.IntN(n))
		}
		if rng.IntN(3) == 0 {
			g.Weight = []float64{1, 0, 0}
		}
		task.Targets = append(task.Targets, g)
	}
	return m, task
}

// densePull returns the part of the gradient of a level, without limits, in the null space of the rows of the levels before it, relative to the
// errors.
func densePull(t testing.TB, p *Problem, st *mechanism.State, l int) float64 {
	e := newTreeOf(t, p)
	require.NoError(t, e.set(st))
	m, n := e.Dims()
	J, errs := make([]float64, m*n), make([]float64, m)
	e.jacobianTo(J)
	e.errorsTo(errs)
	var before []float64
	g, norm := make([]float64, n), 0.0
	for i := range p.targets {
		v := &p.targets[i]
		for r := v.first; r < v.first+v.n; r++ {
			row := J[r*n : r*n+n]
			switch {
			case v.level < l:
				before = append(before, row...)
			case v.level == l:
				for c, x := range row {
					g[c] += errs[r] * x
				}
				norm += errs[r] * errs[r]
			}
		}
	}
	all := mat.NewVecDense(n, g)
	if before != nil {
		N := null(mat.NewDense(len(before)/n, n, before))
		if N == nil {
			return 0
		}
		var in mat.VecDense
		in.MulVec(N.T(), all)
		all = &in
	}
	return mat.Norm(all, 2) / math.Sqrt(norm)
}

// crooked is a random task for a random tree of joints of all kinds: limits of most of its freedoms and targets of all
// types at up to three priorities.
func crooked(t testing.TB, rng *rand.Rand) (*model.Model, Task) {
	n := 4 + rng.IntN(4)
	m := randomTree(t, rng, n)
	list := treeTargets(rng, n)
	task := Task{}
	for l := range 1 + rng.IntN(3) {
		g := list[rng.IntN(len(list))]
		g.Name, g.Priority = fmt.Sprint("g", l), rng.IntN(3)
		task.Targets = append(task.Targets, g)
	}
	plan := mustPlan(t, m)
	p, err := NewProblem(plan, &task)
	require.NoError(t, err)
	mech := plan.Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, mech.Initial()))
	for i, f := range p.driven {
		if rng.IntN(5) > 0 {
			q := coordinate(mech, f, k, mech.Initial())
			task.Limits = append(task.Limits, Limit{Freedom: p.DrivenName(i), Lower: q - 0.05 - rng.Float64(), Upper: q + 0.05 + rng.Float64()})
		}
	}
	return m, task
}

// TestSparsePull: a level ends against a limit only if its targets pull there, as the dense rows tell, and the first
// that is not reached if they do.
func TestSparsePull(t *testing.T) {
	check.Long(t)
	const (
		pulls  = 1e-2 // more than what is left where steps do not get on
		none   = 1e-6
		unsure = 0.005 // part of the ends against limits at which rows of the levels before nearly depend on each other, so that dense ranks are a choice
	)
	seeds := check.Random[uint64](250, 60)
	ends, odd := 0, 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 18))
		var m *model.Model
		var task Task
		if seed%3 == 0 {
			m, task = hardTask(rng, 2+rng.IntN(7))
		} else {
			m, task = crooked(t, rng)
		}
		s, st := sparseOf(t, m, task)
		r, err := s.Reach(st)
		if err != nil {
			require.ErrorIs(t, err, ErrUnreached)
		}
		requireInside(t, s.p, r, fmt.Sprint(seed))
		standing := false
		for _, d := range r.Driven {
			standing = standing || d.Limit != 0
		}
		first := true
		for l := range s.p.levels {
			status := sparseIn(s).ends[l]
			if status == Reached {
				continue
			}
			if status == OutOfSteps {
				break
			}
			pull := densePull(t, s.p, st, l)
			if status == AgainstLimit {
				ends++
				if pull < none {
					odd++
					require.False(t, first, "task %d: level %d pulls by %v", seed, l, pull)
				}
			} else if first && standing {
				require.Less(t, pull, pulls, "task %d: level %d", seed, l)
			}
			first = false
		}
	}
	require.Greater(t, ends, 1)
	require.LessOrEqual(t, float64(odd), unsure*float64(ends))
}

// TestSparseOutside: the result names a freedom that starts beyond a limit, as with the other engines.
func TestSparseOutside(t *testing.T) {
	task := limited(8, -0.6, 0.6, tipAt(8, 0.85, 0.15))
	s, st := sparseOf(t, chainModel(8, 0.9), task)
	from := st.Clone()
	r, err := s.Reach(st)
	require.NoError(t, err)
	task.Solver.Method = DLS
	d := testSolver(t, testProblem(t, mustPlan(t, chainModel(8, 0.9)), &task), task.Solver)
	want, err := d.Reach(from)
	require.NoError(t, err)
	require.Equal(t, want.Outside, r.Outside)
	require.Len(t, r.Outside, 8)
	r, err = s.Reach(st)
	require.NoError(t, err)
	require.Empty(t, r.Outside)
}
