package derive_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// changeOf returns the change between two states: twelve numbers a body, as for FollowTo.
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

// spun is a heavy rod without inertia about its axis, driven by a light crank through a universal joint.
func spun() *model.Model {
	m := model.New("spun")
	m.Bodies = append(m.Bodies, model.Body{Name: "crank", Mass: 1, Inertia: model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1}},
		model.Body{Name: "rod", Mass: 1000, Com: [3]float64{0, 0, 0.5}, Inertia: model.Inertia{XX: 83, YY: 83}})
	m.Joints = append(m.Joints, model.Joint{Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "crank"},
		model.Joint{Name: "cardan", Type: model.Universal, Predecessor: "crank", Successor: "rod"})
	return m
}

// TestProjected: derivatives of a projection equal differences of closing for states off the joints, up to the square of the distance.
// Derivatives of a state that follows have an error of the order of the distance.
func TestProjected(t *testing.T) {
	const h, least = 1e-4, 5e-8 // least: the error of closing divided by the step
	for _, name := range []string{"run-four-bar", "run-slider-crank", "stewart-6ups", "bricard-6r", "driven-mixed", "springs", "gear-pair", "spun"} {
		t.Run(name, func(t *testing.T) {
			m, off := spun(), 1e-6 // small, as the error is the square times the ratio of mass and inertia
			if name != m.Name {
				var err error
				off = 1e-4
				m, err = model.ReadFile(filepath.Join("..", "reference", "derivatives", name+".model.json"))
				require.NoError(t, err)
			}
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
			assert.Less(t, worst, least+off/100)
			assert.Greater(t, without, off/5)

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

// shifted returns a random projection: displacements and changes of velocities of the size off.
func shifted(rng *rand.Rand, bodies int, off float64) (shift, change []float64) {
	for range 6 * bodies {
		shift, change = append(shift, off*rng.NormFloat64()), append(change, off*rng.NormFloat64())
	}
	return shift, change
}

// TestProjectedElsewhere: a projection affects FollowMotion and FollowTo only. Gradients along directions that follow do not depend on it:
// by loads they once were zero. Loads along a direction do not affect the projection: they once moved bodies as if they were changes of
// momentum.
func TestProjectedElsewhere(t *testing.T) {
	m, err := model.ReadFile(filepath.Join("..", "reference", "derivatives", "stewart-6ups.model.json"))
	require.NoError(t, err)
	d, _ := closed(t, m)
	nb, rng := d.Mechanism().NumBodies(), rand.New(rand.NewPCG(3, 9))
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	w, want, got := d.NewWeights(), d.NewGradient(), d.NewGradient()
	var given []derive.BodyDirection
	for i := range nb {
		*w.Body(i) = derive.BodyWeight{ComAcceleration: random(), AngularAcceleration: random()}
		given = append(given, derive.BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random()})
	}
	follow := func(loaded bool) []float64 {
		x, in := make12(nb), d.NewDirections(1)
		for i, u := range given {
			if loaded {
				u.Force, u.Torque = spatial.Vec3{1, 2, 3}, spatial.Vec3{3, 2, 1}
			}
			*in.Body(0, i) = u
		}
		require.NoError(t, d.FollowTo([][]float64{x}, in))
		return x
	}
	plain := follow(false)
	require.NoError(t, d.AdjointTo(want, w, derive.Options{Follow: true}))
	shift, change := shifted(rng, nb, 1e-2)
	require.NoError(t, d.Projected(shift, change))
	along := follow(false)
	require.NotEqual(t, plain, along)
	require.Equal(t, along, follow(true), "loads")
	require.NoError(t, d.AdjointTo(got, w, derive.Options{Follow: true}))
	for i := range nb {
		require.NotZero(t, want.Body(i).Force)
		require.Equal(t, want.Body(i), got.Body(i))
	}
	require.Equal(t, along, follow(false), "the projection is what it was")
}

// TestProjectedNearSingular: derivatives that are computed twice, as next to a singular pose, keep the projection for later ones.
func TestProjectedNearSingular(t *testing.T) {
	const tol = 1e-6 // rounding over the square of the distance
	m, err := bench.NFourBar(1, math.Pi/2-1e-3, 1)
	require.NoError(t, err)
	d, _ := closed(t, m)
	nb := d.Mechanism().NumBodies()
	shift, change := make([]float64, 6*nb), make([]float64, 6*nb)
	for i := range nb {
		shift[6*i+2], shift[6*i+3], change[6*i+4] = 0.01, 0.02, 0.03
	}
	follow := func() []float64 {
		x, in := make12(nb), d.NewDirections(1)
		for i := range nb {
			in.Body(0, i).Rotation, in.Body(0, i).Position = spatial.Vec3{0, 0, 1}, spatial.Vec3{0.3, 0.7, 0}
		}
		require.NoError(t, d.FollowTo([][]float64{x}, in))
		return x
	}
	plain := follow()
	require.NoError(t, d.Projected(shift, change))
	want := follow()
	w, g, in, out := d.NewWeights(), d.NewGradient(), d.NewDirections(1), d.NewChanges(1)
	w.Joint(0).Qdd[0] = 1
	require.NoError(t, d.AdjointTo(g, w, derive.Options{}))
	check.CloseVec(t, follow(), want, tol, check.MaxAbs(want), "after a gradient")
	in.Body(0, 0).Rotation = spatial.Vec3{0, 0, 1}
	in.SetFollow(0, true)
	require.NoError(t, d.ForwardTo(out, in, derive.Options{}))
	check.CloseVec(t, follow(), want, tol, check.MaxAbs(want), "after derivatives along a direction")
	most := 0.0
	for i, x := range want {
		most = max(most, math.Abs(x-plain[i]))
	}
	require.Greater(t, most, 100*tol*check.MaxAbs(want))
}

// TestProjectedCom: derivatives by centres of mass that move in their bodies equal those of a projection, up to the square of its
// displacements. The origins of frames, which keep their velocities, then move, too. Leaving that out was an error of first order.
func TestProjectedCom(t *testing.T) {
	const off, h, tol = 1e-4, 1e-3, 1e-6
	m, err := model.ReadFile(filepath.Join("..", "reference", "derivatives", "stewart-6ups.model.json"))
	require.NoError(t, err)
	d, st := closed(t, m)
	mech, rng := d.Mechanism(), rand.New(rand.NewPCG(5, 3))
	random := func(size float64) spatial.Vec3 {
		return spatial.Vec3{size * rng.NormFloat64(), size * rng.NormFloat64(), size * rng.NormFloat64()}
	}
	var com []spatial.Vec3
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Omega, b.Velocity = random(3), random(1)
		com = append(com, random(0.1))
	}
	along := make12(mech.NumBodies()) // by rotation, position of the centre of mass, and both velocities
	// project closes the state from after it has moved by x times along, and its centres of mass by x times com in the bodies.
	project := func(from *mechanism.State, x float64) (*mechanism.Mechanism, *mechanism.State) {
		other := *m
		other.Bodies = append([]model.Body(nil), m.Bodies...)
		to := from.Clone()
		for i := range to.Bodies {
			b, u, was := &to.Bodies[i], along[12*i:], mech.Bodies[i].Com
			now := was.Add(com[i].Scale(x))
			other.Bodies[i].Com = now
			k := b.Rotation.Rotate(was)
			place := b.Position.Add(k).Add(spatial.Vec3(u[3:]).Scale(x))
			velocity := b.Velocity.Add(b.Omega.Cross(k)).Add(spatial.Vec3(u[9:]).Scale(x))
			b.Rotation = spatial.Exp(spatial.Vec3(u).Scale(x)).Mul(b.Rotation)
			b.Omega = b.Omega.Add(spatial.Vec3(u[6:]).Scale(x))
			k = b.Rotation.Rotate(now)
			b.Position, b.Velocity = place.Sub(k), velocity.Sub(b.Omega.Cross(k))
		}
		mech, err := mechanism.New(&other)
		require.NoError(t, err)
		c := closing.NewCloser(kkt.NewPlan(mech, kkt.Options{}), closing.Options{})
		require.NoError(t, c.ClosePositions(to))
		require.NoError(t, c.ProjectVelocities(to))
		return mech, to
	}
	_, st = project(st, 0)
	away := st.Clone()
	for i := range away.Bodies {
		b := &away.Bodies[i]
		b.Rotation, b.Position = spatial.Exp(random(off)).Mul(b.Rotation), b.Position.Add(random(off))
		b.Omega, b.Velocity = b.Omega.Add(random(off)), b.Velocity.Add(random(off))
	}
	_, on := project(away, 0)
	in := d.NewDirections(1)
	set := func() {
		for i := range on.Bodies {
			moved, u := on.Bodies[i].Rotation.Rotate(com[i]), along[12*i:]
			*in.Body(0, i) = derive.BodyDirection{
				Com: com[i], Rotation: spatial.Vec3(u), Position: spatial.Vec3(u[3:]).Sub(moved), Angular: spatial.Vec3(u[6:]),
				Linear: spatial.Vec3(u[9:]).Sub(on.Bodies[i].Omega.Cross(moved)),
			}
		}
	}
	require.NoError(t, d.At(on))
	set()
	require.NoError(t, d.FollowTo([][]float64{along}, in)) // along is a direction that the joints allow
	at := func(x float64) (list []float64) {
		mech, to := project(away, x)
		for i := range to.Bodies {
			b := &to.Bodies[i]
			arm, turn := b.Rotation.Rotate(mech.Bodies[i].Com), b.Rotation.Mul(on.Bodies[i].Rotation.Conj()).Log()
			for _, v := range [4]spatial.Vec3{turn, b.Position.Add(arm), b.Omega, b.Velocity.Add(b.Omega.Cross(arm))} {
				list = append(list, v[:]...)
			}
		}
		return list
	}
	a, b, c, e := at(-2*h), at(-h), at(h), at(2*h)
	half := away.Clone()
	for i := range half.Bodies {
		half.Bodies[i].Rotation, half.Bodies[i].Position = on.Bodies[i].Rotation, on.Bodies[i].Position
	}
	x, y := changeOf(mech, away, half), changeOf(mech, half, on)
	var shift, change []float64
	for i := range on.Bodies {
		shift, change = append(shift, x[12*i:12*i+6]...), append(change, y[12*i+6:12*i+12]...)
	}
	set()
	got := make12(mech.NumBodies())
	require.NoError(t, d.Projected(shift, change))
	require.NoError(t, d.FollowTo([][]float64{got}, in))
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs((8*(c[i]-b[i])-(e[i]-a[i]))/(12*h)-got[i]))
	}
	t.Logf("off by %.2g", worst)
	require.Less(t, worst, tol)
}
