package derive_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// invariantTol is the change of derivatives, relative to the largest, if a mechanism is rotated or its bodies are renumbered. farTol is the
// change if it is moved by a million metres, where positions lose up to ten digits.
const (
	invariantTol = 1e-11
	farTol       = 1e-7
)

// TestInvariance: derivatives do not depend on where the world's origin is, how its axes turn, and the order of bodies and joints.
func TestInvariance(t *testing.T) {
	for _, name := range []string{"stewart-6ups", "four-bar", "floating-tree", "type-universal"} {
		base, err := model.ReadFile(referenceDir + "/" + name + ".model.json")
		require.NoError(t, err)
		q := spatial.Exp(spatial.Vec3{0.4, -1.1, 0.7})
		none := spatial.IdentityQuat()
		for _, x := range []struct {
			name string
			turn spatial.Quat
			move spatial.Vec3
			back bool
			tol  float64
		}{
			{"turned", q, spatial.Vec3{1, 2, 3}, false, invariantTol}, {"moved", none, spatial.Vec3{1 << 20, -1 << 20, 1 << 19}, false, farTol},
			{"renumbered", none, spatial.Vec3{}, true, invariantTol},
		} {
			t.Run(name+" "+x.name, func(t *testing.T) {
				m := placed(base, x.turn, x.move, x.back)
				want, turned := alongRandom(t, base, none), alongRandom(t, m, x.turn)
				size := 0.0
				for _, list := range want {
					for _, v := range list {
						size = max(size, v.Norm())
					}
				}
				for body, list := range want {
					for k, v := range list {
						got := x.turn.Conj().Rotate(turned[body][k])
						require.InDelta(t, 0, got.Sub(v).Norm(), x.tol*size, "%s", body)
					}
				}
			})
		}
	}
}

// placed returns m turned and moved as a whole, with bodies and joints in the other order if back.
func placed(m *model.Model, q spatial.Quat, d spatial.Vec3, back bool) *model.Model {
	out := *m
	out.Gravity = q.Rotate(m.Gravity)
	out.Bodies, out.Joints, out.Forces = slices.Clone(m.Bodies), slices.Clone(m.Joints), slices.Clone(m.Forces)
	pose := func(p model.Pose) model.Pose {
		o := spatial.Quat(p.Orientation)
		if o == (spatial.Quat{}) {
			o[0] = 1
		}
		return model.Pose{Position: q.Rotate(p.Position).Add(d), Orientation: q.Mul(o).Normalize()}
	}
	for i := range out.Bodies {
		b := &out.Bodies[i]
		b.Pose = pose(b.Pose)
		b.Velocity = model.Velocity{Linear: q.Rotate(b.Velocity.Linear), Angular: q.Rotate(b.Velocity.Angular)}
	}
	for j := range out.Joints {
		jt := &out.Joints[j]
		if jt.Predecessor == model.World {
			jt.PredecessorFrame = pose(jt.PredecessorFrame)
		}
		if jt.Successor == model.World {
			jt.SuccessorFrame = pose(jt.SuccessorFrame)
		}
	}
	if back {
		slices.Reverse(out.Bodies)
		slices.Reverse(out.Joints)
	}
	return &out
}

// alongRandom returns the accelerations' derivatives by body along a direction that is random in axes that turn with q and that the state
// follows.
func alongRandom(t *testing.T, m *model.Model, q spatial.Quat) map[string][2]spatial.Vec3 {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	d := derive.New(plan, m)
	require.NoError(t, d.At(plan.Initial()))
	in, out := d.NewDirections(1), d.NewChanges(1)
	in.SetFollow(0, true)
	for i := range mech.NumBodies() {
		seed := uint64(0)
		for _, r := range mech.BodyName(i) {
			seed = 31*seed + uint64(r)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		random := func() spatial.Vec3 {
			return q.Rotate(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		}
		*in.Body(0, i) = derive.BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random(), Mass: math.Sqrt2}
	}
	require.NoError(t, d.ForwardTo(out, in, derive.Options{}))
	list := map[string][2]spatial.Vec3{}
	for i := range mech.NumBodies() {
		b := out.Body(0, i)
		list[mech.BodyName(i)] = [2]spatial.Vec3{b.AngularAcceleration, b.ComAcceleration}
	}
	return list
}
