package derive_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestLinearAgrees: at an equilibrium, stiffness and damping of package linear, whose terms are written out by hand, are what accelerations
// change by: with M·δa + K·x = Jᵀ·δλ, and so for C, the products with all that the joints allow are the same.
func TestLinearAgrees(t *testing.T) {
	const tol = 1e-8 // of the largest product: equilibria are found to 1e-10 or so
	for _, name := range []string{"eq-four-bar", "springs", "pendulum", "gear-pair", "stewart-6ups", "type-distance"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile(filepath.Join(referenceDir, name+".model.json"))
			require.NoError(t, err)
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
			st := plan.Initial()
			_, err = linear.Equilibrate(plan, st, linear.EquilibriumOptions{})
			require.NoError(t, err)
			s := linear.NewSystem(plan)
			require.NoError(t, s.Linearize(st))
			d := derive.New(plan, m)
			require.NoError(t, d.At(st))

			const n = 4
			nb := mech.NumBodies()
			in, out := d.NewDirections(2*n), d.NewChanges(2*n)
			for k := range 2 * n {
				in.SetFollow(k, true)
				for i := range nb {
					at := func(c int) spatial.Vec3 {
						x := float64(1 + 12*nb*k + 12*i + c)
						return spatial.Vec3{math.Sin(x), math.Sin(2 * x), math.Sin(3 * x)}
					}
					if b := in.Body(k, i); k < n {
						b.Rotation, b.Position = at(0), at(3)
					} else {
						b.Angular, b.Linear = at(6), at(9)
					}
				}
			}
			require.NoError(t, d.ForwardTo(out, in, derive.Options{Untried: true}))
			x, got, want := make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, 6*nb)
			for k := range 2 * n {
				product := s.StiffnessTo
				for i := range nb {
					c := out.Body(k, i)
					turn, travel := c.Rotation, c.Position
					if k >= n {
						turn, travel = c.Angular, c.Linear
					}
					copy(x[6*i:], turn[:])
					copy(x[6*i+3:], travel[:])
					copy(want[6*i:], c.AngularAcceleration[:])
					copy(want[6*i+3:], c.ComAcceleration[:])
				}
				if k >= n {
					product = s.DampingTo
				}
				product(got, x)
				force := make([]float64, 6*nb)
				s.MassTo(force, want)
				worst, most := 0.0, 0.0
				for l := range n {
					y := out
					sum, size := 0.0, 0.0
					for i := range nb {
						c := y.Body(l, i)
						for r := range 3 {
							a, b := c.Rotation[r]*got[6*i+r], c.Position[r]*got[6*i+3+r]
							p, q := c.Rotation[r]*force[6*i+r], c.Position[r]*force[6*i+3+r]
							sum += a + b + p + q
							size += math.Abs(a) + math.Abs(b) + math.Abs(p) + math.Abs(q)
						}
					}
					worst, most = max(worst, math.Abs(sum)), max(most, size)
				}
				assert.LessOrEqual(t, worst, tol*most, "direction %d", k)
			}
		})
	}
}
