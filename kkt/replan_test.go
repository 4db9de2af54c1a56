package kkt_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// compile compiles a model.
func compile(t testing.TB, m *model.Model) *mechanism.Mechanism {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// Joints released, added and changed: a revised plan has the accelerations of a fresh
// one.
func TestReplan(t *testing.T) {
	for _, tt := range []struct {
		family string
		n      int
	}{{"ladder", 40}, {"nfourbar", 8}, {"grid", 6}, {"tree", 60}, {"random", 50}, {"stewart", 3}} {
		whole := generate(t, tt.family, tt.n, 1)
		for _, at := range []int{0, len(whole.Joints) / 2, len(whole.Joints) - 1} {
			less, other := *whole, *whole
			less.Joints = slices.Delete(slices.Clone(whole.Joints), at, at+1)
			other.Joints = slices.Clone(whole.Joints)
			slices.Reverse(other.Joints)
			if j := &other.Joints[0]; j.Type == model.Revolute {
				j.Type, j.Force, j.Stiffness, j.Damping, j.Rest, j.Turns, j.Motion = model.Spherical, nil, nil, nil, nil, nil, nil
			}
			for name, pair := range map[string][2]*model.Model{
				"released": {whole, &less}, "added": {&less, whole}, "changed": {&less, &other},
			} {
				t.Run(fmt.Sprintf("%s/%d/%s", tt.family, at, name), func(t *testing.T) {
					p := newPlan(t, pair[0], order.Auto)
					q := p.Replan(compile(t, pair[1]))
					s := q.NewSolver()
					require.NoError(t, s.Solve(q.Initial()))
					require.NoError(t, order.CheckTileRule(q.Layout().Pattern, q.Order()))
					want := solve(t, pair[1], order.Auto)
					n := 6 * q.Mechanism().NumBodies()
					a, b := make([]float64, n), make([]float64, n)
					s.AccelerationsTo(a)
					want.AccelerationsTo(b)
					check.CloseVec(t, a, b, 1e-9, 1, "accelerations")
				})
			}
		}
	}
	p := newPlan(t, generate(t, "ladder", 10, 1), order.Auto)
	require.PanicsWithValue(t, "kkt: other bodies", func() { p.Replan(compile(t, generate(t, "ladder", 20, 1))) })
	require.PanicsWithValue(t, "kkt: other bodies", func() { p.Replan(compile(t, generate(t, "chain", 10, 1))) })
}

// Joints that have come between other bodies, or changed names, are new ones, whatever
// they are called: the order obeys the tile rule.
func TestReplanMovedJoints(t *testing.T) {
	check.Long(t)
	for _, family := range []string{"ladder", "grid", "tree", "random"} {
		m := generate(t, family, 30, 1)
		for _, by := range []int{1, len(m.Joints) / 2} {
			moved := *m
			moved.Joints = slices.Clone(m.Joints)
			for i := range moved.Joints {
				moved.Joints[i].Name = m.Joints[(i+by)%len(m.Joints)].Name
			}
			q := newPlan(t, m, order.Auto).Replan(compile(t, &moved))
			require.NoError(t, order.CheckTileRule(q.Layout().Pattern, q.Order()), "%s by %d", family, by)
			s, want := q.NewSolver(), solve(t, m, order.Auto)
			require.NoError(t, s.Solve(q.Initial()), "%s by %d", family, by)
			for i := range m.Bodies {
				a, b := s.ComAcceleration(i), want.ComAcceleration(i)
				check.CloseVec(t, a[:], b[:], 1e-9, 1, "%s by %d, %s", family, by, m.Bodies[i].Name)
			}
		}
	}
}

// A renumbered model has the same bodies, joints and accelerations by name.
func TestPlanRenumbered(t *testing.T) {
	for _, tt := range []struct {
		family string
		n      int
	}{{"ladder", 40}, {"grid", 6}, {"random", 80}, {"stewart", 3}} {
		m := generate(t, tt.family, tt.n, 1)
		m.Joints = append(m.Joints, model.Joint{Name: "nothing", Type: model.Free, Predecessor: model.World, Successor: m.Bodies[0].Name})
		p := newPlan(t, m, order.Auto)
		renumbered := p.Renumbered(m)
		require.ElementsMatch(t, m.Bodies, renumbered.Bodies)
		require.ElementsMatch(t, m.Joints, renumbered.Joints)
		require.NotEqual(t, m.Bodies, renumbered.Bodies)
		s, r := solve(t, m, order.Auto), solve(t, renumbered, order.Auto)
		for i := range m.Bodies {
			k := slices.IndexFunc(renumbered.Bodies, func(b model.Body) bool { return b.Name == m.Bodies[i].Name })
			want, got := s.ComAcceleration(i), r.ComAcceleration(k)
			check.CloseVec(t, got[:], want[:], 1e-9, 1, "%s %s", tt.family, m.Bodies[i].Name)
		}
	}
	p := newPlan(t, generate(t, "ladder", 10, 1), order.Auto)
	require.PanicsWithValue(t, "kkt: foreign model", func() { p.Renumbered(generate(t, "ladder", 20, 1)) })
}

// BenchmarkPlan times the analysis, and its revision without the joint in the middle.
func BenchmarkPlan(b *testing.B) {
	for _, family := range []string{"ladder", "grid", "random"} {
		n := 100000
		if family == "grid" {
			n = 300
		}
		m := generate(b, family, n, 1)
		less := *m
		less.Joints = slices.Delete(slices.Clone(m.Joints), len(m.Joints)/2, len(m.Joints)/2+1)
		mech, part := compile(b, m), compile(b, &less)
		bodies := float64(mech.NumBodies())
		p := kkt.NewPlan(mech, kkt.Options{})
		for name, run := range map[string]func(){
			"fresh": func() { kkt.NewPlan(mech, kkt.Options{}) }, "revised": func() { p.Replan(part) },
		} {
			b.Run(fmt.Sprintf("model=%s/%s", family, name), func(b *testing.B) {
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/bodies, "ns/body")
			})
		}
	}
}
