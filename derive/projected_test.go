package derive_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// changeOf returns what takes one state to another: twelve numbers a body, as FollowTo has them.
func changeOf(m *mechanism.Mechanism, from, to *mechanism.State) (x []float64) {
	for i := range from.Bodies {
		a, b, com := &from.Bodies[i], &to.Bodies[i], m.Bodies[i].Com
		was, arm := a.Rotation.Rotate(com), b.Rotation.Rotate(com)
		for _, v := range [4]spatial.Vec3{
			b.Rotation.Mul(a.Rotation.Conj()).Log(), b.Position.Sub(a.Position).Add(arm.Sub(was)),
			b.Omega.Sub(a.Omega), b.Velocity.Add(b.Omega.Cross(arm)).Sub(a.Velocity).Sub(a.Omega.Cross(was)),
		} {
			x = append(x, v[:]...)
		}
	}
	return x
}

// TestProjected: derivatives of a projection are those of what closing makes of states that are off the joints, up to the square of by how
// much. Derivatives of a state that follows are off by as much as that.
func TestProjected(t *testing.T) {
	const off, h, tol = 1e-4, 1e-4, 1e-6
	for _, name := range []string{"run-four-bar", "run-slider-crank", "stewart-6ups", "bricard-6r", "driven-mixed", "springs", "gear-pair"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile(filepath.Join("..", "reference", "derivatives", name+".model.json"))
			require.NoError(t, err)
			d, st := closed(t, m)
			mech := d.Mechanism()
			c := closing.NewCloser(kkt.NewPlan(mech, kkt.Options{}), closing.Options{})
			rng := rand.New(rand.NewPCG(7, 3))
			planar := name == "run-four-bar" || name == "run-slider-crank"
			random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
			in := d.NewDirections(1)
			direction := func() {
				for i := range mech.NumBodies() {
					*in.Body(0, i) = derive.BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random()}
					if planar {
						u := in.Body(0, i)
						u.Rotation[0], u.Rotation[1], u.Position[2] = 0, 0, 0
						u.Angular[0], u.Angular[1], u.Linear[2] = 0, 0, 0
					}
				}
			}
			close := func(st *mechanism.State) *mechanism.State {
				to := st.Clone()
				require.NoError(t, c.ClosePositions(to))
				require.NoError(t, c.ProjectVelocities(to))
				return to
			}
			move := func(st *mechanism.State, by float64) *mechanism.State {
				to := st.Clone()
				for i := range to.Bodies {
					b, u, com := &to.Bodies[i], in.Body(0, i), mech.Bodies[i].Com
					k, next := b.Rotation.Rotate(com), spatial.Exp(u.Rotation.Scale(by)).Mul(b.Rotation)
					arm, v := next.Rotate(com), b.Velocity.Add(b.Omega.Cross(k))
					b.Rotation, b.Omega = next, b.Omega.Add(u.Angular.Scale(by))
					b.Position = b.Position.Add(k).Add(u.Position.Scale(by)).Sub(arm)
					b.Velocity = v.Add(u.Linear.Scale(by)).Sub(b.Omega.Cross(arm))
				}
				return to
			}
			direction()
			away := move(st, off)
			on := close(away)
			direction()
			require.NoError(t, d.At(on))
			along := make12(mech.NumBodies())
			require.NoError(t, d.FollowTo([][]float64{along}, in))
			for i := range mech.NumBodies() {
				x := along[12*i:]
				*in.Body(0, i) = derive.BodyDirection{
					Rotation: spatial.Vec3(x), Position: spatial.Vec3(x[3:]), Angular: spatial.Vec3(x[6:]), Linear: spatial.Vec3(x[9:]),
				}
			}
			at := func(by float64) []float64 { return changeOf(mech, on, close(move(away, by))) }
			a, b, c2, e := at(-2*h), at(-h), at(h), at(2*h)
			want := make12(mech.NumBodies())
			for i := range want {
				want[i] = (8*(c2[i]-b[i]) - (e[i] - a[i])) / (12 * h)
			}
			require.NoError(t, d.At(on))
			given := make([]derive.BodyDirection, mech.NumBodies())
			for i := range given {
				given[i] = *in.Body(0, i)
			}
			again := func() {
				for i := range given {
					*in.Body(0, i) = given[i]
				}
			}
			plain, got := make12(mech.NumBodies()), make12(mech.NumBodies())
			require.NoError(t, d.FollowTo([][]float64{plain}, in))
			to := away.Clone()
			for i := range to.Bodies {
				to.Bodies[i].Rotation, to.Bodies[i].Position = on.Bodies[i].Rotation, on.Bodies[i].Position
			}
			x, y := changeOf(mech, away, to), changeOf(mech, to, on)
			var shift, change []float64
			for i := range mech.NumBodies() {
				shift, change = append(shift, x[12*i:12*i+6]...), append(change, y[12*i+6:12*i+12]...)
			}
			again()
			require.PanicsWithValue(t, "derive: length mismatch", func() { _ = d.Projected(shift, nil) })
			require.NoError(t, d.Projected(shift, change))
			require.NoError(t, d.FollowTo([][]float64{got}, in))
			worst, without := 0.0, 0.0
			for i := range want {
				worst, without = max(worst, math.Abs(got[i]-want[i])), max(without, math.Abs(plain[i]-want[i]))
			}
			t.Logf("off by %.2g, without by %.2g", worst, without)
			assert.Less(t, worst, tol)
			assert.Greater(t, without, 20*tol)

			g, z := d.NewGradient(), make12(mech.NumBodies())
			for i := range z {
				z[i] = rng.NormFloat64()
			}
			again()
			for i := range given {
				in.Body(0, i).Mass, in.Body(0, i).Com = rng.NormFloat64(), random()
				given[i] = *in.Body(0, i)
			}
			require.NoError(t, d.FollowTo([][]float64{got}, in))
			sum, size := 0.0, 0.0
			for i, y := range got {
				sum += z[i] * y
				size += math.Abs(z[i] * y)
			}
			again()
			require.NoError(t, d.FollowMotion(g, z))
			back, terms := product(g, in, mech.NumBodies())
			assert.InDelta(t, sum, back, identityTol*(size+terms))
		})
	}
}
