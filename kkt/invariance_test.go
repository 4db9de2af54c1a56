package kkt_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// sameTol is the difference allowed between two descriptions of one
	// mechanism, relative to the largest value: rounding of the data, 1e-16,
	// times the condition of the random models and of the reference models.
	sameTol = 1e-10
	// farTol is the same 1e6 m from the origin, where the sum of a far origin
	// and an arm is rounded to 1e-10 m.
	farTol = 1e-9
	// farTurnTol is for a rotation about an origin 1e6 m away, which rounds the
	// data to 1e-10 m before anything is computed.
	farTurnTol = 1e-8
	// sameWrenchTol is for wrenches, whose least-norm part feels rounding of the state with the lever arms of the
	// random models.
	sameWrenchTol = 1e-7
)

// variantCases are the models that are rewritten: the reference, those of reference/joints and random
// ones, with armature, rods, point masses, couplings and composite joints.
func variantCases(t *testing.T, run func(t *testing.T, m *model.Model)) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		t.Run(name, func(t *testing.T) { run(t, golden(t, name)) })
	}
	paths, err := filepath.Glob(filepath.Join(check.Reference(t, "joints"), "*.model.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range check.Some(paths, 2) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := model.ReadFile(path)
			require.NoError(t, err)
			run(t, m)
		})
	}
	mixes, seeds := uint64(6), uint64(4)
	if testing.Short() {
		mixes, seeds = 2, 1
	}
	for seed := range mixes {
		t.Run(fmt.Sprintf("mixed/seed=%d", seed), func(t *testing.T) { run(t, mixed(t, seed)) })
	}
	for _, n := range check.Some([]int{5, 9, 15, 24, 40, 60}, 2) {
		for seed := range seeds {
			t.Run(fmt.Sprintf("random/n=%d/seed=%d", n, seed), func(t *testing.T) {
				run(t, generate(t, "random", n, seed))
			})
			if n > 5 {
				t.Run(fmt.Sprintf("coupled/n=%d/seed=%d", n, seed), func(t *testing.T) { run(t, coupled(t, n, seed)) })
			}
		}
	}
}

// coupled returns a random mechanism with couplings, some of them redundant, at a state that satisfies them.
func coupled(t *testing.T, n int, seed uint64) *model.Model {
	t.Helper()
	base := generate(t, "random", n, seed)
	hold(base)
	m := modeltest.Couple(t, base, check.Rand(seed), 1+n/8)
	p := newPlan(t, m, order.Auto)
	st := p.Initial()
	require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
	rung.SetState(m, p.Mechanism(), st)
	return m
}

// mixed returns a random mechanism of composite joints with loops, armature, rods, point masses and couplings.
func mixed(t *testing.T, seed uint64) *model.Model {
	t.Helper()
	rng := check.Rand(seed)
	m := modeltest.Thin(modeltest.Gear(modeltest.Composites(seed, 4+int(seed), int(seed%4)), rng), rng, 2)
	m = modeltest.Couple(t, m, rng, 1)
	hold(m)
	return m
}

// TestTurnedWorld rotates everything about the origin: accelerations and
// wrenches turn along.
func TestTurnedWorld(t *testing.T) {
	check.Long(t)
	variantCases(t, func(t *testing.T, m *model.Model) {
		rng := check.Rand(7)
		q := spatial.Exp(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		want, got := explain(t, m, order.Auto), explain(t, turned(m, q), order.Auto)
		requireSameCounts(t, want, got)
		tol := sameTol
		if far(m) {
			tol = farTurnTol
		}
		requireSameMotion(t, want, got, q, tol)
		requireSameWrenches(t, want, got, q, sameWrenchTol)
	})
}

// TestMovedWorld moves everything by 2²⁰ m in each direction. Positions are
// rounded to 2⁻³² m before, so that the move is exact and nothing may change but
// by rounding inside.
func TestMovedWorld(t *testing.T) {
	variantCases(t, func(t *testing.T, m *model.Model) {
		if far(m) {
			return // rounding to the grid has no room left
		}
		d := spatial.Vec3{1 << 20, -1 << 20, 1 << 20}
		near := moved(m, spatial.Vec3{})
		want, got := explain(t, near, order.Auto), explain(t, moved(near, d), order.Auto)
		requireSameCounts(t, want, got)
		requireSameMotion(t, want, got, spatial.IdentityQuat(), farTol)
		requireSameWrenches(t, want, got, spatial.IdentityQuat(), sameWrenchTol)
	})
}

// TestRenumbered lists bodies and joints in random order.
func TestRenumbered(t *testing.T) {
	check.Long(t)
	variantCases(t, func(t *testing.T, m *model.Model) {
		want := explain(t, m, order.Auto)
		rng := check.Rand(8)
		for range 2 {
			p := cloned(m)
			rng.Shuffle(len(p.Bodies), func(i, j int) { p.Bodies[i], p.Bodies[j] = p.Bodies[j], p.Bodies[i] })
			rng.Shuffle(len(p.Couplings), func(i, j int) { p.Couplings[i], p.Couplings[j] = p.Couplings[j], p.Couplings[i] })
			rng.Shuffle(len(p.Joints), func(i, j int) { p.Joints[i], p.Joints[j] = p.Joints[j], p.Joints[i] })
			got := explain(t, p, order.Auto)
			requireSameCounts(t, want, got)
			requireSameMotion(t, want, got, spatial.IdentityQuat(), sameTol)
			requireSameWrenches(t, want, got, spatial.IdentityQuat(), sameWrenchTol)
		}
	})
}

// TestReversedJoints exchanges predecessor and successor where the type is its
// own inverse. The wrench then acts on the other body.
func TestReversedJoints(t *testing.T) {
	check.Long(t)
	variantCases(t, func(t *testing.T, m *model.Model) {
		p := cloned(m)
		for j := range p.Joints {
			reverse(m, &p.Joints[j])
		}
		want, got := explain(t, m, order.Auto), explain(t, p, order.Auto)
		requireSameCounts(t, want, got)
		requireSameMotion(t, want, got, spatial.IdentityQuat(), sameTol)
		for j := range m.Joints {
			name := m.Joints[j].Name
			w, g := want.joints[name], got.joints[name]
			if w.undetermined != 0 {
				continue // least norm depends on the point the rows refer to
			}
			if p.Joints[j].Predecessor != m.Joints[j].Predecessor {
				// From the origin of S to that of P, and with the other sign.
				w.total = w.total.Shift(distance(m, &m.Joints[j]).Neg()).Scale(-1)
			}
			check.CloseVec(t, g.total[:], w.total[:], sameWrenchTol, want.moment+want.force, "wrench of %s", name)
		}
	})
}

// TestOrderings compares the orderings with each other, multipliers of least
// norm included.
func TestOrderings(t *testing.T) {
	variantCases(t, func(t *testing.T, m *model.Model) {
		want := explain(t, m, order.Auto)
		for _, o := range check.Some(orderings[1:], 4) {
			got := explain(t, m, o)
			requireSameCounts(t, want, got)
			requireSameMotion(t, want, got, spatial.IdentityQuat(), sameTol)
			requireSameWrenches(t, want, got, spatial.IdentityQuat(), sameWrenchTol)
			for name, w := range want.joints {
				require.Equal(t, w.undetermined, got.joints[name].undetermined, "%v: %s", o, name)
			}
		}
	})
}

// cloned returns a copy of m that shares only what no test here changes.
func cloned(m *model.Model) *model.Model {
	c := *m
	c.Bodies = slices.Clone(m.Bodies)
	c.Joints = slices.Clone(m.Joints)
	c.Forces = slices.Clone(m.Forces)
	c.Couplings = slices.Clone(m.Couplings)
	for j := range c.Joints {
		c.Joints[j].Force = slices.Clone(m.Joints[j].Force)
	}
	return &c
}

// turned returns m rotated by q about the world's origin.
func turned(m *model.Model, q spatial.Quat) *model.Model {
	c := cloned(m)
	turn := func(v *[3]float64) { *v = q.Rotate(*v) }
	pose := func(p *model.Pose) {
		turn(&p.Position)
		p.Orientation = q.Mul(modeltest.Unit(p.Orientation)).Normalize()
	}
	turn(&c.Gravity)
	for i := range c.Bodies {
		b := &c.Bodies[i]
		pose(&b.Pose)
		turn(&b.Velocity.Linear)
		turn(&b.Velocity.Angular)
	}
	for i := range c.Forces {
		turn(&c.Forces[i].Force)
		turn(&c.Forces[i].Torque)
	}
	inWorld(c, pose, turn)
	return c
}

// moved returns m moved by d, with positions in the world rounded to the grid
// of 2⁻³² m.
func moved(m *model.Model, d spatial.Vec3) *model.Model {
	c := cloned(m)
	move := func(v *[3]float64) {
		for k := range v {
			v[k] = math.RoundToEven(v[k]*(1<<32))/(1<<32) + d[k]
		}
	}
	for i := range c.Bodies {
		move(&c.Bodies[i].Pose.Position)
	}
	inWorld(c, func(p *model.Pose) { move(&p.Position) }, move)
	return c
}

// inWorld applies pose and point to the frames and points fixed in the world.
func inWorld(m *model.Model, pose func(*model.Pose), point func(*[3]float64)) {
	for j := range m.Joints {
		if m.Joints[j].Predecessor == model.World {
			pose(&m.Joints[j].PredecessorFrame)
		}
		if m.Joints[j].Successor == model.World {
			pose(&m.Joints[j].SuccessorFrame)
		}
	}
	for i := range m.Forces {
		f := &m.Forces[i]
		for _, a := range []*model.Attachment{&f.A, &f.B} {
			if a.Body == model.World {
				point(&a.Point)
			}
		}
	}
}

// far reports whether a body is too far out for the grid of moved.
func far(m *model.Model) bool {
	return slices.ContainsFunc(m.Bodies, func(b model.Body) bool { return check.MaxAbs(b.Pose.Position[:]) > 1e5 })
}

// reverse exchanges the bodies of j. Where there is an axis, both frames turn
// over, by π about x, so that coordinates, forces and motions keep their sign.
// The torque of a ball is in P's axes and acts on the successor.
func reverse(m *model.Model, j *model.Joint) {
	P, S := frames(m, j)
	over := spatial.IdentityQuat()
	switch j.Type {
	case model.Revolute, model.Prismatic, model.Helical, model.Cylindrical:
		over = spatial.Quat{0, 1, 0, 0}
	case model.Spherical:
		if j.Force != nil {
			f := S.Conj().Rotate(P.Rotate(spatial.Vec3(j.Force)).Neg())
			copy(j.Force, f[:])
		}
	case model.Fixed, model.Distance, model.Free:
	default:
		return
	}
	j.Predecessor, j.Successor = j.Successor, j.Predecessor
	j.PredecessorFrame, j.SuccessorFrame = j.SuccessorFrame, j.PredecessorFrame
	for _, p := range []*model.Pose{&j.PredecessorFrame, &j.SuccessorFrame} {
		p.Orientation = modeltest.Unit(p.Orientation).Mul(over)
	}
}

// frames returns the orientations of P and S in the world.
func frames(m *model.Model, j *model.Joint) (P, S spatial.Quat) {
	P, _ = modeltest.Placed(m, j.Predecessor, &j.PredecessorFrame)
	S, _ = modeltest.Placed(m, j.Successor, &j.SuccessorFrame)
	return P, S
}

// distance returns the vector from the origin of P to that of S.
func distance(m *model.Model, j *model.Joint) spatial.Vec3 {
	_, p := modeltest.Placed(m, j.Predecessor, &j.PredecessorFrame)
	_, s := modeltest.Placed(m, j.Successor, &j.SuccessorFrame)
	return s.Sub(p)
}
