package ik

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
)

// TestPathTurns: the states of a path tell coordinates over several turns, those of the results, by every engine.
func TestPathTurns(t *testing.T) {
	plan := planar(t, 0.5, 0.4)
	m := plan.Mechanism()
	const far = 40
	for _, engine := range []Engine{TreeEngine, DrivenEngine, SparseEngine} {
		t.Run(fmt.Sprint(engine), func(t *testing.T) {
			o := Options{Engine: engine}
			if engine == SparseEngine {
				o.Method = Sparse
			}
			s := testSolver(t, testProblem(t, plan, &Task{
				Targets: []Target{{Name: "q", Type: Coordinate, Freedom: "j0", Turns: true}, {Name: "r", Type: Coordinate, Freedom: "j1", Turns: true}},
				Path: &Path{Exact: true, Step: 0.02, Times: []float64{0, 4}, Targets: []Waypoints{
					{Target: "q", Value: []float64{0, far}}, {Target: "r", Value: []float64{0, -far / 2}},
				}},
			}), o)
			st := plan.Initial()
			last := 0.0
			require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
				for j, want := range []float64{far * now / 4, -far * now / 8} {
					q, rate := m.Coordinate(mechanism.Freedom{Joint: j}, st)
					require.InDelta(t, want, q, 1e-6, "joint %d at %v", j, now)
					require.InDelta(t, r.Driven[j].Value, q, 1e-9)
					require.InDelta(t, r.Driven[j].Rate, rate, 1e-9)
				}
				last = now
				return nil
			}))
			require.InDelta(t, 4, last, 1e-12)
		})
	}
}
