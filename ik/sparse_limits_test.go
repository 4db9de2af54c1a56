package ik

import (
	"fmt"
	"math"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/require"
)

// limited is a task for a chain with the same limits for all its joints.
func limited(n int, lower, upper float64, g Target) Task {
	task := Task{Targets: []Target{g}}
	for k := range n {
		task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprintf("j%d", k), Lower: lower, Upper: upper})
	}
	return task
}

// TestSparseLimitsAgainstGrid: the nearest pose of two links within limits is that of a fine grid.
func TestSparseLimitsAgainstGrid(t *testing.T) {
	check.Long(t)
	const grid = 2000
	for _, x := range []struct{ lower, upper, px, py float64 }{
		{-0.3, 0.5, 0.2, 0.7}, {-0.3, 0.5, 0.9, 0.9}, {-0.3, 0.5, 0.6, -0.6}, {-1, 0.2, -0.3, 0.4}, {-1, 1, 0.6, -0.4},
	} {
		r, _ := sparsely(t, chainModel(2, 0.1), limited(2, x.lower, x.upper, tipAt(2, x.px, x.py)))
		// Of the second link only the sum of both angles counts, which takes 2·grid + 1 values.
		var ends [2*grid + 1][2]float64
		for k := range ends {
			s, c := math.Sincos(2*x.lower + (x.upper-x.lower)*float64(k)/grid)
			ends[k] = [2]float64{c / 2, s / 2}
		}
		best := math.Inf(1)
		for i := range grid + 1 {
			s, c := math.Sincos(x.lower + (x.upper-x.lower)*float64(i)/grid)
			dx, dy := x.px-c/2, x.py-s/2
			for _, e := range ends[i : i+grid+1] {
				best = min(best, (dx-e[0])*(dx-e[0])+(dy-e[1])*(dy-e[1]))
			}
		}
		best = math.Sqrt(best)
		require.LessOrEqual(t, r.Targets[0].Linear, best+1e-9, "%+v", x)
		require.GreaterOrEqual(t, r.Targets[0].Linear, best-2*(x.upper-x.lower)/grid, "%+v", x)
		if r.Status != Reached {
			require.Equal(t, AgainstLimit, r.Status, "%+v", x)
		}
		for _, d := range r.Driven {
			require.GreaterOrEqual(t, d.Value, x.lower-limitTol)
			require.LessOrEqual(t, d.Value, x.upper+limitTol)
		}
	}
}

// TestSparseLimits: targets that are within the limits are reached, and those that are not end against them.
func TestSparseLimits(t *testing.T) {
	for _, n := range []int{10, 100} {
		l := 1 / float64(n)
		r, _ := sparsely(t, chainModel(n, 0.3*l), limited(n, -6*l, 6*l, tipAt(n, 0.4, 0.3)))
		require.Equal(t, Reached, r.Status)
		r, _ = sparsely(t, chainModel(n, 0.3*l), limited(n, -2*l, 2.5*l, tipAt(n, -0.5, 0.1)))
		require.Equal(t, AgainstLimit, r.Status)
		for _, d := range r.Driven {
			require.GreaterOrEqual(t, d.Value, -2*l-limitTol)
			require.LessOrEqual(t, d.Value, 2.5*l+limitTol)
		}
		// All at the same limit: a polygon in a circle.
		sum, x, y, a := 0, 0.0, 0.0, 0.0
		for k := range n {
			sum += int(r.Driven[k].Limit)
			a += 2.5 * l
			x, y = x+l*math.Cos(a), y+l*math.Sin(a)
		}
		if sum == n {
			require.InDelta(t, math.Hypot(-0.5-x, 0.1-y), r.Targets[0].Linear, 1e-9)
		}
	}
}

// TestSparseEnter: a chain that starts outside its limits goes within them first.
func TestSparseEnter(t *testing.T) {
	r, _ := sparsely(t, chainModel(8, 0.9), limited(8, -0.6, 0.6, tipAt(8, 0.85, 0.15)))
	require.Equal(t, Reached, r.Status)
	for _, d := range r.Driven {
		require.LessOrEqual(t, math.Abs(d.Value), 0.6+limitTol)
	}
}

// TestSparseEndKeepsLimits: where closing the joints at the end takes a driven freedom beyond its limit, it comes back,
// and the joints stay closed.
func TestSparseEndKeepsLimits(t *testing.T) {
	task := Task{Driven: []string{"a"}, Limits: []Limit{{Freedom: "a", Lower: 0.3, Upper: 1}}, Solver: Options{Length: 1, Nearest: true},
		Targets: []Target{{Name: "slider", Type: Coordinate, Freedom: "d", Value: 1.98, Tolerance: [2]float64{1e-12}}}}
	s, st := sparseOf(t, sliderCrank(0.7), task)
	_, err := s.Reach(st)
	require.NoError(t, err)
	w := sparseIn(s)
	reach := func() (least, most float64) { // of the crank after closing alone, joints opened both ways
		least, most = math.Inf(1), math.Inf(-1)
		for _, open := range []float64{1e-4, -1e-4} {
			copy(w.st.Bodies, st.Bodies)
			w.st.Bodies[len(w.st.Bodies)-1].Position[0] += open
			require.NoError(t, w.closer.ClosePositions(w.st))
			w.evaluate()
			least, most = min(least, w.q[0]), max(most, w.q[0])
		}
		return least, most
	}
	least, most := reach()
	require.Less(t, least, 0.3-1e-6, "closing does not move the crank")
	require.Greater(t, most, 0.3+1e-6)
	to := st.Clone()
	for _, open := range []float64{1e-4, -1e-4} {
		copy(w.st.Bodies, st.Bodies)
		w.st.Bodies[len(w.st.Bodies)-1].Position[0] += open
		w.evaluate()
		w.ends[0] = Reached
		require.NoError(t, w.end(to))
		require.GreaterOrEqual(t, w.q[0], 0.3-limitTol)
		var r Result
		w.violation(&r, to)
		require.Less(t, r.ClosingError, 1e-12)
		require.Equal(t, w.q[0] < 0.3+1e-6, w.ends[0] == AgainstLimit, "only where closing has taken the crank beyond")
	}
}
