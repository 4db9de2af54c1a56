package kkt_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
)

// ownTol is the difference that another elimination order makes in accelerations, relative to the largest.
const ownTol = 1e-9

// shuffled returns an order of the nodes of p that takes the bodies at random.
func shuffled(p *kkt.Plan, seed uint64) []int32 {
	list := make([]int32, p.Mechanism().NumBodies())
	for k, i := range rand.New(rand.NewPCG(seed, 1)).Perm(len(list)) {
		list[k] = int32(i)
	}
	return order.OfBodies(p.Layout().Pattern, list)
}

// ownPlan returns a plan of m in a random order.
func ownPlan(t testing.TB, m *model.Model, seed uint64) *kkt.Plan {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{Order: shuffled(newPlan(t, m, order.Auto), seed)})
	require.NoError(t, err)
	return p
}

// TestOwnOrder: in random orders of bodies, accelerations, ranks and counts of redundant rows are those of the library's
// orders, with groups on the ground, armature, couplings and after Replan too, and the plan says whose order it is.
func TestOwnOrder(t *testing.T) {
	check.Long(t)
	for _, tt := range []struct {
		family string
		n      int
	}{{"ladder", 40}, {"nfourbar", 30}, {"grid", 6}, {"ball-net", 5}, {"tree", 60}, {"random", 50}, {"stewart", 3}, {"gear-train", 6}, {"scissor", 8}} {
		t.Run(tt.family, func(t *testing.T) {
			m := generate(t, tt.family, tt.n, 1)
			want := explain(t, m, order.Auto)
			for seed := range check.Few[uint64](3, 1) {
				p := ownPlan(t, m, seed)
				groups, _ := p.Groups()
				library, _ := newPlan(t, m, order.Auto).Groups()
				require.Equal(t, library == nil, groups == nil)
				for _, p := range []*kkt.Plan{p, p.Replan(p.Mechanism()), p.With(p.Mechanism().NewInputs())} {
					s := p.NewSolver()
					require.NoError(t, s.Solve(p.Initial()))
					agrees(t, want, s, m)
					rep := report(t, s)
					require.Equal(t, order.Own, rep.Ordering)
					require.Equal(t, [2]int{want.rep.Rank, want.rep.Redundant}, [2]int{rep.Rank, rep.Redundant})
					require.Equal(t, order.Own, p.Ordering())
					require.Equal(t, []factor.Candidate{{Ordering: order.Own, Counts: p.Counts()}}, p.Candidates())
				}
			}
		})
	}
}

// agrees compares the accelerations of s with those of want.
func agrees(t *testing.T, want *solved, s *kkt.Solver, m *model.Model) {
	t.Helper()
	for i := range m.Bodies {
		a := want.bodies[m.Bodies[i].Name]
		w, l, got, linear := s.AngularAcceleration(i), s.ComAcceleration(i), a.Angular(), a.Linear()
		check.CloseVec(t, w[:], got[:], ownTol, want.angular, "%s", m.Bodies[i].Name)
		check.CloseVec(t, l[:], linear[:], ownTol, want.linear, "%s", m.Bodies[i].Name)
	}
}

// TestOwnOrderIsKept: the nodes are those given, but for a postorder that changes no counts; the caller's slice is free
// afterwards; and options lead to an equal plan.
func TestOwnOrderIsKept(t *testing.T) {
	m := generate(t, "grid", 6, 1)
	own := shuffled(newPlan(t, m, order.Auto), 7)
	given := slices.Clone(own)
	p, err := rung.NewPlan(m, kkt.Options{Order: own})
	require.NoError(t, err)
	counts := factor.CountOrder(p.Layout().Pattern, given)
	require.Equal(t, counts, p.Counts())
	require.NotEqual(t, newPlan(t, m, order.Auto).Counts(), p.Counts())
	clear(own)
	require.Equal(t, given, p.Options().Order)
	again, err := kkt.NewPlanContext(context.Background(), compile(t, m), p.Options())
	require.NoError(t, err)
	require.Equal(t, p.Order(), again.Order())
	r, err := results.New(solved1(t, p))
	require.NoError(t, err)
	require.Equal(t, "own", r.Ordering)
}

// solved1 solves the initial state.
func solved1(t testing.TB, p *kkt.Plan) *kkt.Solver {
	t.Helper()
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	return s
}

// TestOwnOrderFarWays: with an order of one's own a system that doubles do not bear is solved with twice the digits, as with others.
func TestOwnOrderFarWays(t *testing.T) {
	m := generate(t, "chain", 8, 1)
	for i := range m.Bodies {
		if i%2 == 0 {
			in := &m.Bodies[i].Inertia
			m.Bodies[i].Mass *= 1e9
			in.XX, in.YY, in.ZZ, in.XY, in.XZ, in.YZ = 1e9*in.XX, 1e9*in.YY, 1e9*in.ZZ, 1e9*in.XY, 1e9*in.XZ, 1e9*in.YZ
		}
	}
	want := explain(t, m, order.Auto)
	p := ownPlan(t, m, 3)
	s := solved1(t, p)
	require.Equal(t, kkt.TwiceTheDigits, s.Route().Way)
	agrees(t, want, s, m)
}

// TestOwnOrderRefused: an order that cannot be taken is an error with the first node at fault and its name, before any
// factor; it stands in the place of a method.
func TestOwnOrderRefused(t *testing.T) {
	m := generate(t, "ladder", 10, 1)
	base := newPlan(t, m, order.Auto)
	l, own := base.Layout(), shuffled(base, 1)
	plan := func(perm []int32) error {
		_, err := rung.NewPlan(m, kkt.Options{Order: perm})
		return err
	}
	last := int(l.FirstJoint()) + base.Mechanism().NumJoints() - 1
	early := slices.DeleteFunc(slices.Clone(own), func(v int32) bool { return int(v) == last })
	err := plan(append([]int32{int32(last)}, early...))
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, l.NodeJoint(last), at.JointIndex)
	require.ErrorIs(t, err, order.ErrTileRule)
	require.ErrorContains(t, err, m.Joints[l.NodeJoint(last)].Name)
	require.ErrorContains(t, err, "at position 0 is neither matched, pendant nor closed")

	twice := slices.Clone(own)
	twice[len(twice)-1] = 2
	require.ErrorAs(t, plan(twice), &at)
	require.Equal(t, 2, at.BodyIndex)
	require.ErrorIs(t, plan(twice), order.ErrNoPermutation)
	twice[len(twice)-1] = int32(len(twice))
	require.ErrorIs(t, plan(twice), order.ErrNoPermutation)
	require.ErrorIs(t, plan(own[1:]), order.ErrNoPermutation)
	require.ErrorIs(t, plan([]int32{}), order.ErrNoPermutation)

	var cost *factor.CostError
	_, err = rung.NewPlan(m, kkt.Options{Order: own, MaxFlops: 10})
	require.ErrorAs(t, err, &cost)
	ended, end := context.WithCancel(context.Background())
	end()
	_, err = rung.NewPlanContext(ended, m, kkt.Options{Order: own})
	require.ErrorIs(t, err, context.Canceled)
	require.PanicsWithValue(t, "kkt: two orders", func() {
		_, _ = rung.NewPlan(m, kkt.Options{Order: own, Ordering: order.Banded})
	})
	require.PanicsWithValue(t, "kkt: bounds and orders are for NewPlanContext", func() {
		kkt.NewPlan(base.Mechanism(), kkt.Options{Order: own})
	})
}
