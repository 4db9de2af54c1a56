package ik

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// strictTask is a random task for a chain of n links with limits, many
// of them active at the end, and points at three priorities.
func strictTask(rng *rand.Rand, n int) Task {
	l := 6 / float64(n)
	task := Task{Solver: Options{Nearest: true, Steps: 400}}
	for k := range n {
		task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprintf("j%d", k), Lower: -l * (0.2 + rng.Float64()), Upper: l * (0.2 + rng.Float64())})
	}
	for p := range 2 + rng.IntN(2) {
		g := tipAt(n, 2*rng.Float64()-1, 2*rng.Float64()-1)
		g.Name, g.Priority = fmt.Sprint("g", p), p
		if p > 0 {
			g.Body = fmt.Sprintf("b%d", rng.IntN(n))
		}
		task.Targets = append(task.Targets, g)
	}
	return task
}

// TestSparseStrict: what the levels below do leaves the residual of a level as it was at its end, with limits active.
func TestSparseStrict(t *testing.T) {
	check.Long(t)
	const tol = 1e-9
	sizes := []int{5, 20, 100, 300}
	if check.More() > 1 {
		sizes = append(sizes, 1000)
	}
	for _, n := range sizes {
		active, lower, most := 0, 0, 0.0
		tasks := check.Random[uint64](4, 0)
		if n > 100 {
			tasks = check.Random[uint64](2, 0)
		}
		for seed := range tasks {
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			task := strictTask(rng, n)
			s, st := sparseOf(t, chainModel(n, 0.2/float64(n)), task)
			r, err := s.Reach(st)
			require.NoError(t, err)
			requireInside(t, s.p, r, fmt.Sprint(n, " links, task ", seed))
			last := s.p.levels - 1
			for i := range s.p.targets {
				g := &s.p.targets[i]
				if g.level == last || sparseIn(s).ends[g.level] == OutOfSteps { // it has not ended
					continue
				}
				for row := g.first; row < g.first+g.n; row++ {
					off := math.Abs(sparseIn(s).e[row] - sparseIn(s).want[row])
					most = max(most, off)
					require.LessOrEqual(t, off, tol, "%d links, task %d: level %d, %v", n, seed, g.level, sparseIn(s).ends)
				}
			}
			for _, d := range r.Driven {
				active += int(d.Limit * d.Limit)
			}
			if r.Targets[last].Linear > 1e-3 {
				lower++
			}
		}
		t.Logf("%d links: %d limits active, %d last levels not reached, residuals changed by %.1e", n, active, lower, most)
		require.Positive(t, active)
		require.Positive(t, lower)
	}
}

// TestSparseStrictAsTree: on small chains the levels end with the residuals that the tree engine has, or with less at
// the first that differs, but for tasks of which the best of many starts is not the same minimum.
func TestSparseStrictAsTree(t *testing.T) {
	const n, tasks, same = 5, 30, 1e-6
	const mostOthers, mostMore = 4, 2 // tasks of which the starts of the two have found different minima
	if testing.Short() {
		t.Skip("many starts")
	}
	alike, less, more := 0, 0, 0
	for seed := range uint64(tasks) {
		task := strictTask(rand.New(rand.NewPCG(seed, n)), n)
		task.Solver.Restarts = 40
		r, _ := sparsely(t, chainModel(n, 0.2/float64(n)), task)
		p := testProblem(t, mustPlan(t, chainModel(n, 0.2/float64(n))), &task)
		want, err := testSolver(t, p, task.Solver).Reach(p.plan.Initial())
		require.NoError(t, err)
		verdict := &alike
		for i := range r.Targets {
			if d := r.Targets[i].Linear - want.Targets[i].Linear; d > same {
				verdict = &more
			} else if d < -same {
				verdict = &less
			} else {
				continue
			}
			break
		}
		*verdict++
	}
	t.Logf("%d alike, %d less, %d more", alike, less, more)
	require.LessOrEqual(t, less+more, mostOthers)
	require.LessOrEqual(t, more, mostMore)
}
