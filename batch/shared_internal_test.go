package batch

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/check"
)

// TestSharedNumbersStay: nothing writes to shared numbers, nor to the lanes that hold some of them for instructions without a
// form for them, also where a state is no number.
func TestSharedNumbersStay(t *testing.T) {
	check.Long(t)
	for _, name := range []string{"four-bar", "bricard-6r", "stewart-6ups", "type-cylindrical", "type-distance", "random-10", "driven-mixed", "springs"} {
		p := plan(t, filepath.Join(check.Reference(t, "golden"), name+".model.json"))
		vary := Vary{}
		for i := range p.Mechanism().NumBodies() / 2 { // so that some numbers are shared and others are not
			vary.Bodies = append(vary.Bodies, i)
		}
		for _, o := range []Options{{}, {Vary: vary, Wrenches: true}} {
			b, err := New(p, o)
			require.NoError(t, err)
			w := b.workers[0]
			numbers := slices.Clone(w.c.Numbers())
			s, r, end := b.NewStates(9), b.NewResults(9), b.NewOutcome(9)
			bad := p.Initial()
			bad.Bodies[0].Omega[1] = math.NaN()
			s.Set(3, bad)
			b.Solve(s, r)
			for how := RungeKutta4; how <= SemiImplicit; how++ {
				require.NoError(t, b.Rollout(s, &Rollout{Integrator: how, Step: 1e-4, Steps: 3}, end))
			}
			same := func(want, got float64) {
				require.Equal(t, math.Float64bits(want), math.Float64bits(got), name)
			}
			for i, x := range numbers {
				same(x, w.c.Numbers()[i])
			}
			w.c.Copies(func(number int, at program.Place) {
				for _, x := range w.lane(at) {
					same(numbers[number], x)
				}
			})
		}
	}
}
