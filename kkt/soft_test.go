package kkt_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// TestSoftIsNotNear: no family of package bench is near a singular pose, at any size, however soft its long loops are. The singular
// values of a ring of 30 pairs that count end at 4e-4, those that do not begin at 7e-16.
func TestSoftIsNotNear(t *testing.T) {
	check.Long(t)
	most := check.Night(300, 100) // bodies
	count := 0
	for _, family := range bench.Families() {
		for _, n := range []int{1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 30, 40, 60} {
			m, err := bench.Generate(family, n, 1)
			if err != nil || len(m.Bodies) > most {
				continue
			}
			count++
			r := report(t, solve(t, m, order.Auto))
			require.False(t, r.NearSingular, "%s %d: distance %g", family, n, r.Distance)
			require.GreaterOrEqual(t, r.Distance, kkt.NearSingularDistance, "%s %d", family, n)
		}
	}
	require.Greater(t, count, 100)
}

// TestDistanceIsSmooth: the distance changes little from a ring to the next larger one, and from a pose to the next one.
func TestDistanceIsSmooth(t *testing.T) {
	check.Long(t)
	last := 0.0
	for n := 20; n <= 44; n++ {
		d := report(t, solve(t, generate(t, "hoberman", n, 1), order.Auto)).Distance
		if last > 0 {
			require.InEpsilon(t, last, d, 0.1, "%d pairs", n)
		}
		last = d
	}
	for _, n := range []int{1, 5, 40} {
		last = 0
		for angle := 3e-4; angle < 0.3; angle *= 1.2 {
			m, err := bench.NFourBar(n, math.Pi/2-angle, 1)
			require.NoError(t, err)
			d := report(t, solve(t, m, order.Auto)).Distance
			if last > 0 {
				require.GreaterOrEqual(t, d, last, "%d windows, %g rad", n, angle)
				require.LessOrEqual(t, d, 1.45*last, "%d windows, %g rad", n, angle)
			}
			last = d
		}
	}
}

// TestNearBesideSoft: a four-bar next to its flat pose is found beside a sphere whose pivots are smaller still.
func TestNearBesideSoft(t *testing.T) {
	for angle, near := range map[string]bool{"0.1": false, "1e-3": true, "3e-4": true} {
		soft := generate(t, "hoberman-sphere", 3, 1)
		var at float64
		_, err := fmt.Sscan(angle, &at)
		require.NoError(t, err)
		flat, err := bench.NFourBar(2, math.Pi/2-at, 1)
		require.NoError(t, err)
		for i := range flat.Bodies {
			flat.Bodies[i].Name = "flat " + flat.Bodies[i].Name
		}
		for i := range flat.Joints {
			j := &flat.Joints[i]
			j.Name = "flat " + j.Name
			for _, name := range []*string{&j.Predecessor, &j.Successor} {
				if *name != model.World {
					*name = "flat " + *name
				}
			}
		}
		soft.Bodies, soft.Joints = append(soft.Bodies, flat.Bodies...), append(soft.Joints, flat.Joints...)
		r := report(t, solve(t, soft, order.Auto))
		require.Equal(t, near, r.NearSingular, "%s rad, distance %g", angle, r.Distance)
	}
}

// TestAllowedMotions: the test of singular poses takes motions that the joints allow, in long redundant loops too, where the rows
// that the pivots keep depend on each other to within rounding.
func TestAllowedMotions(t *testing.T) {
	check.Long(t)
	for _, n := range []int{30, 38, 60} {
		s := solve(t, generate(t, "hoberman", n, 1), order.Auto)
		r := report(t, s)
		require.False(t, r.NearSingular, "%d pairs", n)
		require.Positive(t, r.Distance)
		require.Equal(t, 4*n+12, r.Redundant)
		require.Equal(t, 1, r.Mobility)
	}
}
