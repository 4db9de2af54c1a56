package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestHeldArmature compares the residual of a change of velocities that closes rows, with armature at composite joints among others, with
// differences of the product with the matrix. Only products with motions that the joints allow are compared, as they do not depend on the
// basis of the rows. The duals of composite joints once turned along their freedoms only, which left out 0.05 of 0.34.
func TestHeldArmature(t *testing.T) {
	const h, tol = 1e-3, 1e-9
	for _, name := range []string{"armature-four-bar", "composite-prr-loop", "random-mix-8"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile("../reference/joints/" + name + ".model.json")
			require.NoError(t, err)
			d, st := closed(t, m)
			p := kkt.NewPlan(d.Mechanism(), kkt.Options{})
			by := p.NewAnswers(kkt.AnswersOfSteps)
			require.NoError(t, by.At(st))
			six, rng := 6*len(st.Bodies), check.Rand(7)
			n := six + d.NumRows()
			draw := func() []float64 {
				x := make([]float64, n)
				for i := range six {
					x[i] = 2*rng.Float64() - 1
				}
				return x
			}
			// The least change x with the rates of a random motion, and a motion y that the joints allow.
			right, x, y := make([]float64, n), make([]float64, n), make([]float64, n)
			by.ProductTo(right, draw())
			clear(right[:six])
			_, _, err = by.AnswerTo(x, right)
			require.NoError(t, err)
			_, _, err = by.AnswerTo(y, draw())
			require.NoError(t, err)

			in, out := d.NewDirections(1), d.NewChanges(1)
			in.SetFollow(0, true)
			for i := range st.Bodies {
				u := in.Body(0, i)
				u.Rotation, u.Position = [3]float64(draw()), [3]float64(draw())
			}
			require.NoError(t, d.ForwardTo(out, in, derive.Options{Untried: true, BodiesOnly: true}))
			forces := func(st *mechanism.State) float64 {
				require.NoError(t, by.At(st))
				by.ProductTo(right, x)
				return algebra.Dot(y[:six], right[:six])
			}
			slope := func(h float64) float64 {
				return (forces(moved(d, st, out, in, h, 0)) - forces(moved(d, st, out, in, -h, 0))) / (2 * h)
			}
			want := (4*slope(h/2) - slope(h)) / 3

			lambda := make([]float64, n-six)
			for i := range lambda {
				lambda[i] = -x[six+i]
			}
			require.NoError(t, d.Hold(st, x[:six], lambda, derive.HeldRates))
			along := d.NewDirections(1)
			for i := range st.Bodies {
				u, c := along.Body(0, i), out.Body(0, i)
				u.Rotation, u.Position = c.Rotation, c.Position
			}
			require.NoError(t, d.ResidualTo(right, along, nil))
			require.InDelta(t, want, algebra.Dot(y[:six], right[:six]), tol)
		})
	}
}
